"""The process of one engine on one workload: prepares it, then runs it whenever it is told to.

Speaks JSON, one object a line: commands on standard input, replies on what was standard output when it started
(libraries that print write to standard error instead).

    {"do": "run", "count": 5, "warm": 1}  ->  {"seconds": [...]}
    {"do": "check"}                       ->  {"error": 1e-6}
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import artifacts
import engines
import workloads


def main() -> None:
    suite, name, engine_name, variant, threads = sys.argv[1:]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def reply(**fields: object) -> None:
        print(json.dumps(fields), file=replies, flush=True)

    workload = next(workload for workload in workloads.load(suite, "") if workload.name == name)
    try:
        engine = engines.ENGINES[engine_name](workload, int(threads), variant)
        engine.prepare()
        engine.run()
        reply(ready=True)
        for line in sys.stdin:
            command = json.loads(line)
            if command["do"] == "check":
                reply(error=artifacts.relative_error(workload, engine.outputs()))
                continue
            for _ in range(command["warm"]):
                engine.run()
            seconds = []
            for _ in range(command["count"]):
                start = time.perf_counter()
                engine.run()
                seconds.append(time.perf_counter() - start)
            reply(seconds=seconds)
    except engines.Unavailable as error:
        reply(unavailable=str(error))
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        reply(failed=f"{type(error).__name__}: {lines[0][:300]}")
        raise


if __name__ == "__main__":
    main()
