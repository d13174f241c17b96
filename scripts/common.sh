# shellcheck shell=bash
# Sourced by scripts/demo and scripts/test: packages, configuration, build.
# Leaves the shell in the root of the repository.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What the compiler and its tests are built from, on Debian.
RLX_PACKAGES=(
  clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools
  cmake ninja-build python3
  libcli11-dev libfmt-dev libgtest-dev libpthreadpool-dev nlohmann-json3-dev
  libzstd-dev zlib1g-dev # LLVM's CMake package names them
)

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints the packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      echo "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "missing packages, and neither root nor sudo to install them: ${missing[*]}"
  fi
}

# Installs what is missing. Elsewhere than on Debian, CMake says what it lacks.
install_packages() {
  command -v apt-get >/dev/null || return 0
  local missing package
  mapfile -t missing < <(missing_packages "${RLX_PACKAGES[@]}")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  say "Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get -q update
  for package in "${missing[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 ||
      fail "package '$package' is not in the sources of apt; RLX needs LLVM and MLIR 22, as in Debian 12 with updates"
  done
  as_root apt-get -qq install -y --no-install-recommends "${missing[@]}"
}

# Prints how many CPUs this process may use: affinity and cgroup quota, at least 1.
cpu_count() {
  local cpus quota period
  cpus=$(nproc)
  if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [[ $quota != max ]]; then
    quota=$(((quota + period - 1) / period))
    cpus=$((quota < cpus ? quota : cpus))
  fi
  echo $((cpus > 0 ? cpus : 1))
}

# Prints how many compilers may run at once: one for each CPU and each 1.5 GB of memory.
build_jobs() {
  local cpus memory
  cpus=$(cpu_count)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cpus ? memory : cpus))
}

# build TARGET...: configures the release preset and builds the targets.
build() {
  say "Configuring build/release"
  cmake --preset release
  say "Building"
  cmake --build --preset release -j "$(build_jobs)" --target "$@"
}
