"""Tables and JSON of contests' results."""

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import artifacts
import engines
from contest import Entry, Plan, Result


def block(result: Result) -> str:
    """All entries of one workload, fastest first."""
    lines = [f"\n{result.workload.name} ({result.workload.precision})"]
    lines.append(f"  {'engine':<15}{'attention':<11}{'median ms':>10}{'p90 ms':>10}{'runs':>6}{'rel error':>11}")
    ran = sorted((e for e in result.entries if e.status == "ok"), key=lambda entry: entry.median)
    for entry in ran:
        wrong = "" if result.is_right(entry) else "  wrong result"
        numbers = f"{entry.median * 1e3:>10.3f}{entry.p90 * 1e3:>10.3f}{len(entry.seconds):>6}{entry.error:>11.1e}"
        lines.append(f"  {entry.engine:<15}{entry.variant:<11}{numbers}{wrong}")
    for entry in result.entries:
        if entry.status != "ok":
            lines.append(f"  {entry.engine:<15}{entry.variant:<11}{entry.status}")
    return "\n".join(lines)


def summary(results: list[Result]) -> str:
    """One line for each workload: RLX, the best peer, and their ratio."""
    lines = [f"\n{'workload':<28}{'rlx ms':>10}{'best peer ms':>14}  {'best peer':<26}{'peer / rlx':>10}"]
    for result in results:
        rlx, peer, ratio = result.best("rlx"), result.best_peer(), result.ratio()
        lines.append(
            f"{result.workload.name:<28}{_milliseconds(rlx):>10}{_milliseconds(peer):>14}  "
            f"{_label(peer):<26}{f'{ratio:.2f}' if ratio else '-':>10}"
        )
    return "\n".join(lines)


def failures(results: list[Result], min_ratio: float | None) -> bool:
    """Whether RLX gave a wrong result, or was slower than `min_ratio` allows; says so."""
    failed = False
    for result in results:
        for entry in result.entries:
            if entry.engine == "rlx" and entry.error is not None and not result.is_right(entry):
                limit = result.workload.max_relative_error
                print(
                    f"error: {result.workload.name}: rlx: relative error {entry.error:.1e}, expected at most {limit}",
                    file=sys.stderr,
                )
                failed = True
        ratio = result.ratio()
        if min_ratio is not None and (ratio is None or ratio < min_ratio):
            found = "no ratio" if ratio is None else f"{ratio:.2f}"
            print(
                f"error: {result.workload.name}: best peer / rlx: expected {min_ratio} or more, found {found}",
                file=sys.stderr,
            )
            failed = True
    return failed


def write_json(path: Path, results: list[Result], plan: Plan) -> None:
    """All numbers, with the machine and the versions; the file is renamed into place."""
    document = {
        "format": "rlx-compare-1",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": {
            "cpu": _cpu(),
            "cpus": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}",
            "architecture": platform.machine(),
        },
        "threads": plan.threads,
        "realtime": plan.realtime,
        "rounds": plan.rounds,
        "versions": {"python": platform.python_version()} | _versions(results),
        "workloads": [_workload(result) for result in results],
    }
    temporary = path.with_name(path.name + f".{os.getpid()}")
    temporary.write_text(json.dumps(document, indent=1) + "\n")
    os.replace(temporary, path)


def _workload(result: Result) -> dict:
    peer = result.best_peer()
    return {
        "name": result.workload.name,
        "precision": result.workload.precision,
        "builtin": result.workload.builtin,
        "best_peer": _label(peer) if peer else None,
        "ratio": result.ratio(),
        "engines": [_entry(entry) for entry in result.entries],
    }


def _entry(entry: Entry) -> dict:
    fields = {"engine": entry.engine, "attention": entry.variant, "status": entry.status}
    if entry.status == "ok":
        fields |= {
            "median_ms": round(entry.median * 1e3, 4),
            "p90_ms": round(entry.p90 * 1e3, 4),
            "min_ms": round(min(entry.seconds) * 1e3, 4),
            "runs": len(entry.seconds),
            "relative_error": entry.error,
        }
    return fields


def _versions(results: list[Result]) -> dict[str, str]:
    versions = {}
    for name in dict.fromkeys(entry.engine for result in results for entry in result.entries):
        try:
            versions[name] = engines.ENGINES[name].version() or _commit()
        except engines.Unavailable as error:
            versions[name] = str(error)
    return versions


def _commit() -> str:
    result = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=artifacts.ROOT, capture_output=True, text=True
    )
    return result.stdout.strip() or "unknown"


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _milliseconds(entry: Entry | None) -> str:
    return f"{entry.median * 1e3:.3f}" if entry else "-"


def _label(entry: Entry | None) -> str:
    return f"{entry.engine} ({entry.variant})" if entry else "-"
