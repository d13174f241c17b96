//===- CpuQuota.cpp - how many CPUs this process may use ------------------===//

#include "CpuQuota.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <sched.h>
#include <string_view>

using namespace rlx::runtime;

/// The beginning of a file of /proc or /sys, which are small; empty if there is none.
static std::string readSmallFile(const std::string &path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file)
    return {};
  std::string text(size_t(16) << 10, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// Takes the text up to `separator`, or all of it, from the front of `text`.
static std::string_view takeUntil(std::string_view &text, char separator) {
  size_t end = std::min(text.find(separator), text.size());
  std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// Whether a comma-separated list has `word`.
static bool listHas(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (takeUntil(list, ',') == word)
      return true;
  return false;
}

static int64_t parseNumber(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Both in microseconds. There is no limit where the quota is `max` (version 2) or
/// -1 (version 1).
static std::optional<double> ratio(std::string_view quotaText, std::string_view periodText) {
  int64_t quota = parseNumber(quotaText), period = parseNumber(periodText);
  if (quota <= 0 || period <= 0)
    return std::nullopt;
  return static_cast<double>(quota) / static_cast<double>(period);
}

static std::optional<double> quotaOfGroupV2(const std::string &folder) {
  std::string text = readSmallFile(folder + "/cpu.max");
  std::string_view rest = text;
  std::string_view quota = takeUntil(rest, ' ');
  return ratio(quota, rest);
}

static std::optional<double> quotaOfGroupV1(const std::string &folder) {
  return ratio(readSmallFile(folder + "/cpu.cfs_quota_us"),
               readSmallFile(folder + "/cpu.cfs_period_us"));
}

/// The smallest quota from a group up to the root of its hierarchy. In a
/// container the path may be the host's and not exist; its parents still count,
/// and the mounted root is the container's own group.
static std::optional<double> smallestQuota(const std::string &mount, std::string path,
                                           std::optional<double> (*quotaOf)(const std::string &)) {
  std::optional<double> smallest;
  for (;;) {
    if (std::optional<double> quota = quotaOf(mount + path))
      smallest = smallest ? std::min(*smallest, *quota) : quota;
    size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return smallest;
    path.resize(slash);
  }
}

std::optional<double> rlx::runtime::cgroupCpuQuota(const std::string &root) {
  std::string text = readSmallFile(root + "/proc/self/cgroup");
  std::string_view lines = text;
  std::optional<double> smallest;
  while (!lines.empty()) {
    // ID:CONTROLLERS:PATH, without controllers in version 2.
    std::string_view line = takeUntil(lines, '\n');
    takeUntil(line, ':');
    std::string_view controllers = takeUntil(line, ':');
    std::string path(line == "/" ? "" : line);
    std::optional<double> quota;
    if (controllers.empty()) {
      quota = smallestQuota(root + "/sys/fs/cgroup", path, quotaOfGroupV2);
    } else if (listHas(controllers, "cpu")) {
      quota =
          smallestQuota(root + "/sys/fs/cgroup/" + std::string(controllers), path, quotaOfGroupV1);
      if (!quota)
        quota = smallestQuota(root + "/sys/fs/cgroup/cpu", path, quotaOfGroupV1);
    }
    if (quota)
      smallest = smallest ? std::min(*smallest, *quota) : quota;
  }
  return smallest;
}

/// The CPUs of the affinity mask; machines may have more than a cpu_set_t holds.
static uint32_t affinityCpus() {
  for (int capacity = CPU_SETSIZE; capacity <= 1 << 20; capacity *= 2) {
    cpu_set_t *set = CPU_ALLOC(capacity);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE(capacity);
    bool known = sched_getaffinity(0, bytes, set) == 0;
    int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known)
      return std::max(count, 1);
  }
  return 1;
}

uint32_t rlx::runtime::availableCpus() {
  uint32_t cpus = affinityCpus();
  if (std::optional<double> quota = cgroupCpuQuota(); quota && *quota < cpus)
    cpus = std::max<uint32_t>(1, static_cast<uint32_t>(std::ceil(*quota)));
  return cpus;
}
