"""Holds the contest of one workload: starts a worker for every engine and variant, and lets them take turns.

Workers are processes, so that a crash is one engine's failure, and that no engine meets another's threads or
allocator. Only the one whose turn it is runs; the others wait on a pipe. Turns are short and go round many times,
so that a slow phase of the machine hits all alike. A turn starts with a run that is not counted, which brings
the engine's data back into the caches, after a pause in which the last one's threads stop spinning.
"""

import json
import os
import select
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import artifacts
import engines
from workloads import Workload

HERE = Path(__file__).resolve().parent
PREPARE_SECONDS = 600
TURN_SECONDS = 120
PAUSE_SECONDS = 0.005
MOST_RUNS_A_TURN = 20


@dataclass(frozen=True)
class Plan:
    """How to measure; the same for all engines."""

    threads: int
    build_dir: Path
    rounds: int
    turn_seconds: float
    realtime: bool


@dataclass
class Entry:
    """What came of one engine with one variant."""

    engine: str
    variant: str
    status: str = "ok"  # or why there are no numbers
    seconds: list[float] = field(default_factory=list)
    error: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p90(self) -> float:
        if len(self.seconds) < 2:
            return self.seconds[0]
        return statistics.quantiles(self.seconds, n=10, method="inclusive")[8]


@dataclass
class Result:
    """All entries of one workload."""

    workload: Workload
    entries: list[Entry]

    def best(self, engine: str) -> Entry | None:
        """The engine's fastest variant with a right result, or none."""
        right = [entry for entry in self.entries if entry.engine == engine and self.is_right(entry)]
        return min(right, key=lambda entry: entry.median, default=None)

    def best_peer(self) -> Entry | None:
        """The fastest entry with a right result that is not RLX."""
        right = [entry for entry in self.entries if entry.engine != "rlx" and self.is_right(entry)]
        return min(right, key=lambda entry: entry.median, default=None)

    def is_right(self, entry: Entry) -> bool:
        """Whether it ran and agrees with the reference."""
        return entry.status == "ok" and entry.error is not None and entry.error <= self.workload.max_relative_error

    def ratio(self) -> float | None:
        """The best peer's time over RLX's: above 1 RLX is faster."""
        peer, rlx = self.best_peer(), self.best("rlx")
        return peer.median / rlx.median if peer and rlx else None


class _Worker:
    """A running worker.py."""

    def __init__(self, workload: Workload, entry: Entry, plan: Plan) -> None:
        self.entry, self._buffer = entry, b""
        cpus = sorted(os.sched_getaffinity(0))[: plan.threads]
        arguments = [workload.suite, workload.name, entry.engine, entry.variant, str(plan.threads)]
        with open(artifacts.folder(workload) / f"{entry.engine}-{entry.variant}.log", "w") as log:
            self._process = subprocess.Popen(
                [sys.executable, HERE / "worker.py", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=_environment(plan),
                preexec_fn=lambda: os.sched_setaffinity(0, cpus),
            )

    def receive(self, timeout: float) -> dict | None:
        """The next reply; none after a failure, which is noted in the entry."""
        deadline = time.monotonic() + timeout
        stream = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([stream], [], [], max(deadline - time.monotonic(), 0))
            data = os.read(stream, 1 << 16) if ready else b""
            if not data:
                self.entry.status = f"failed: no answer in {timeout:.0f} s" if not ready else self._end()
                return None
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        reply = json.loads(line)
        for kind in ("unavailable", "failed"):
            if kind in reply:
                self.entry.status = f"{kind}: {reply[kind]}"
                return None
        return reply

    def ask(self, **command: object) -> dict | None:
        """Sends a command and waits for the reply."""
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.entry.status = self._end()
            return None
        return self.receive(TURN_SECONDS)

    def make_realtime(self) -> None:
        """Puts all threads of the process before those of ordinary processes."""
        for task in os.listdir(f"/proc/{self._process.pid}/task"):
            os.sched_setscheduler(int(task), os.SCHED_RR, os.sched_param(1))

    def close(self) -> None:
        """Ends the process, at once if it does not end by itself."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._process.wait(10 if self.entry.status == "ok" else 1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _end(self) -> str:
        code = self._process.wait()
        return f"failed: ended by signal {-code}" if code < 0 else f"failed: exit code {code}"


def hold(workload: Workload, names: list[str], plan: Plan) -> Result:
    """Prepares, measures and checks all engines of that name on the workload."""
    _progress(f"{workload.name}: weights, inputs, reference")
    made = subprocess.run(
        [sys.executable, HERE / "artifacts.py", workload.suite, workload.name], env=_environment(plan)
    )
    if made.returncode != 0:
        sys.exit(f"error: workload '{workload.name}': its files could not be made")
    result, workers = Result(workload, []), []
    try:
        for entry in _entries(workload, names):
            result.entries.append(entry)
            if entry.status == "ok":
                _progress(f"{workload.name}: preparing {entry.engine} ({entry.variant})")
                workers.append(_Worker(workload, entry, plan))
                _prepare(workers[-1], plan)
        _measure(workload, workers, plan)
        for worker in workers:
            reply = worker.ask(do="check") if worker.entry.status == "ok" else None
            worker.entry.error = reply["error"] if reply else None
    finally:
        for worker in workers:
            worker.close()
        _progress("")
    return result


def _entries(workload: Workload, names: list[str]) -> list[Entry]:
    """An entry for each variant of each engine; its status says at once if the engine can't take part."""
    entries = []
    for name in names:
        engine = engines.ENGINES[name]
        status = "ok"
        try:
            engine.version()
        except engines.Unavailable as error:
            status = f"unavailable: {error}"
        if workload.precision not in engine.precisions:
            status = f"unavailable: no {workload.precision}"
        variants = engine.variants if status == "ok" else engine.variants[:1]
        entries += [Entry(name, variant, status) for variant in variants]
    return entries


def _prepare(worker: _Worker, plan: Plan) -> None:
    if worker.receive(PREPARE_SECONDS) is None:
        worker.close()
    elif plan.realtime:
        try:
            worker.make_realtime()
        except PermissionError:
            sys.exit("error: --realtime: not permitted to this user")


def _measure(workload: Workload, workers: list[_Worker], plan: Plan) -> None:
    counts: dict[int, int] = {}
    for round_ in range(plan.rounds):
        _progress(f"{workload.name}: round {round_ + 1} of {plan.rounds}")
        for index, worker in enumerate(workers):
            if worker.entry.status != "ok":
                continue
            time.sleep(PAUSE_SECONDS)
            reply = worker.ask(do="run", count=counts.get(index, 1), warm=1)
            if reply is None:
                worker.close()
                continue
            seconds = reply["seconds"]
            worker.entry.seconds += seconds
            wanted = round(plan.turn_seconds / min(worker.entry.seconds))
            counts[index] = min(max(wanted, 1), MOST_RUNS_A_TURN)


def _environment(plan: Plan) -> dict[str, str]:
    variables = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RLX_NUM_THREADS"):
        variables[name] = str(plan.threads)
    variables["RLX_BUILD_DIR"] = str(plan.build_dir)
    variables["TORCHINDUCTOR_CACHE_DIR"] = str(artifacts.ROOT / ".cache" / "compare" / "inductor")
    variables["CUDA_VISIBLE_DEVICES"] = ""
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    return variables


def _progress(text: str) -> None:
    """Shows what is being done on a terminal; silent elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
