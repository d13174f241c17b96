"""Virtual environments for the repository's Python scripts.

Build, test and demo need no Python package. The scripts that do (golden data, checkpoint converters,
benchmarks against other engines) name an environment here; it is made on first use under the checkout as
`.venv-NAME`, from the pinned list `scripts/requirements/NAME.txt`, and made anew when that list changes.

From a script, before importing anything that is not in the standard library:

    python_env.enter("golden")

By hand: `scripts/python_env.py golden` makes the environment and prints the path of its python.
"""

import argparse
import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "scripts" / "requirements"
_STAMP = "rlx-requirements.sha256"


class SetupError(Exception):
    """The environment could not be made; the message says why."""


def names() -> list[str]:
    """The environments that exist, by name."""
    return sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))


def path(name: str) -> Path:
    """The folder of the environment `name`, made or not."""
    return ROOT / f".venv-{name}"


def is_made(name: str) -> bool:
    """Whether the environment `name` is there and current."""
    return _is_current(path(name) / _STAMP, _fingerprint(REQUIREMENTS / f"{name}.txt"))


def ensure(name: str) -> Path:
    """Makes the environment `name` unless it is there and current; returns the path of its python.

    A stamp is written last: an environment whose making was cut short is made again from scratch. A lock
    lets two scripts that start at once wait for one another.
    """
    requirements = REQUIREMENTS / f"{name}.txt"
    if not requirements.is_file():
        raise SetupError(f"python environment '{name}': expected one of {', '.join(names())}")
    folder = path(name)
    python = folder / "bin" / "python"
    stamp = folder / _STAMP
    wanted = _fingerprint(requirements)
    if _is_current(stamp, wanted):
        return python
    with open(requirements) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_current(stamp, wanted):
            return python
        print(f"making {folder.name} from {requirements.relative_to(ROOT)} (once)", file=sys.stderr)
        venv.EnvBuilder(with_pip=True, clear=True, symlinks=True).create(folder)
        _install(python, requirements)
        stamp.write_text(wanted)
    return python


def enter(name: str) -> None:
    """Continues the running script inside the environment `name`, making it first if needed.

    Replaces the process when it runs under another python, so nothing after the call runs twice.
    """
    if Path(sys.prefix).resolve() == path(name) and is_made(name):
        return
    try:
        python = ensure(name)
    except (SetupError, OSError) as error:
        sys.exit(f"error: {error}")
    os.execve(python, [str(python), *sys.argv], environment(name))


def environment(name: str) -> dict[str, str]:
    """The variables to run the environment's python with: packages keep their settings inside of it."""
    variables = dict(os.environ)
    variables.pop("PYTHONPATH", None)
    variables["YOLO_CONFIG_DIR"] = str(path(name))
    variables["YOLO_OFFLINE"] = "true"
    return variables


def _fingerprint(requirements: Path) -> str:
    version = ".".join(map(str, sys.version_info[:2]))
    return hashlib.sha256(version.encode() + requirements.read_bytes()).hexdigest()


def _is_current(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text() == wanted


def _install(python: Path, requirements: Path) -> None:
    """Installs the pinned packages; those under `# optional` one by one, where a failure is only reported."""
    required, optional = _split(requirements)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if subprocess.run(pip + required).returncode != 0:
        raise SetupError(f"python environment '{requirements.stem}': pip could not install its packages")
    for package in optional:
        if subprocess.run(pip + [package]).returncode != 0:
            print(f"note: optional package {package} could not be installed", file=sys.stderr)


def _split(requirements: Path) -> tuple[list[str], list[str]]:
    """The required and the optional packages of a list; a line `# optional` starts the latter."""
    sections: tuple[list[str], list[str]] = ([], [])
    section = 0
    for line in requirements.read_text().splitlines():
        if line.strip() == "# optional":
            section = 1
        elif line.strip() and not line.startswith("#"):
            sections[section].append(line.strip())
    return sections


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a virtual environment of the scripts and prints its python.")
    parser.add_argument("name", choices=names(), help="the list under scripts/requirements to install")
    try:
        print(ensure(parser.parse_args().name))
    except (SetupError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
