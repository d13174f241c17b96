"""Compiles a builtin model, runs it, and compares it with the interpreter.

Needs Python's standard library and the tools of a build: demo_model.py TOOLS [--model BUILTIN]. Params and inputs
are made up from a seed.
"""

import argparse
import array
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = "builtin:two-way-transformer?q_n=7&k_n=4096"
# What docs/spec.md allows, section 7.
TOLERANCE = 2e-5

Shapes = dict[str, list[int]]
Tensors = dict[str, array.array]


def call(*command: object) -> str:
    """Runs a tool and returns what it prints; ends the program if it fails."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"error: {command[0]}: exit code {result.returncode}")
    return result.stdout


def signature(info: str) -> dict[str, Shapes]:
    """Shapes by name of the "inputs", "params" and "outputs" that `rlx-run --info` prints."""
    groups: dict[str, Shapes] = {}
    names: Shapes = {}
    for line in info.splitlines():
        if re.fullmatch(r"\w+:", line):
            names = groups.setdefault(line[:-1], {})
        elif tensor := re.fullmatch(r"  (\S+): f32 \[([\d, ]*)\]", line):
            names[tensor[1]] = [int(dim) for dim in tensor[2].split(",")]
        elif line.startswith("  "):
            sys.exit(f"error: expected a static f32 tensor, found '{line.strip()}'")
    return groups


def uniform(generator: random.Random, count: int, center: float, scale: float) -> array.array:
    """f32 values of [center - scale, center + scale)."""
    # 23 random bits are the mantissa of a number in [1, 2).
    bits = int.from_bytes(generator.randbytes(4 * count), "little")
    mantissas = bits & int.from_bytes(b"\xff\xff\x7f\x00" * count, "little")
    ones = int.from_bytes(b"\x00\x00\x80\x3f" * count, "little")
    values = array.array("f", (mantissas | ones).to_bytes(4 * count, "little"))
    return array.array("f", [center + 2 * scale * (value - 1.5) for value in values])


def make_param(generator: random.Random, name: str, shape: list[int]) -> array.array:
    """Weights that keep the size of what they multiply, gains near 1, small biases."""
    count = math.prod(shape)
    if name.endswith(".g"):
        return uniform(generator, count, 1.0, 0.1)
    if len(shape) == 1:
        return uniform(generator, count, 0.0, 0.1)
    fan_in = shape[0] if len(shape) == 2 else math.prod(shape[1:])
    return uniform(generator, count, 0.0, math.sqrt(3 / fan_in))


def write_safetensors(path: Path, shapes: Shapes, tensors: Tensors) -> None:
    header, offset = {}, 0
    for name, shape in shapes.items():
        end = offset + 4 * len(tensors[name])
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in shapes:
            tensors[name].tofile(file)


def read_safetensors(path: Path) -> Tensors:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = array.array("f", data[8 + length + begin : 8 + length + end])
    return tensors


def relative_error(found: array.array, expected: array.array) -> float:
    """Largest difference, relative to the largest expected value; NaN if a value is."""
    differences = [abs(a - b) for a, b in zip(found, expected, strict=True)]
    largest = max(map(abs, expected))
    return math.nan if any(map(math.isnan, differences)) else max(differences) / largest


def median_ms(report: str) -> float:
    return float(re.search(r"p50 ([\d.]+) ms", report)[1])


def demo(model: str, tools: Path, folder: Path) -> bool:
    """Prints what the steps give; False if the results are too far apart."""
    module, params, inputs = folder / "model.so", folder / "params.safetensors", folder / "inputs.safetensors"
    print(f"model      {model}", flush=True)
    start = time.perf_counter()
    call(tools / "rlx-compile", model, "-o", module)
    print(f"compiled   in {time.perf_counter() - start:.2f} s to {module.stat().st_size / 1024:.0f} KiB", flush=True)

    groups = signature(call(tools / "rlx-run", module, "--info"))
    generator = random.Random(1)
    values = {name: make_param(generator, name, shape) for name, shape in groups["params"].items()}
    write_safetensors(params, groups["params"], values)
    count = sum(map(len, values.values()))
    values = {name: uniform(generator, math.prod(shape), 0.0, 1.0) for name, shape in groups["inputs"].items()}
    write_safetensors(inputs, groups["inputs"], values)
    print(f"params     {count / 1e6:.2f} million, seeded", flush=True)

    results = {}
    for tool, graph in ("rlx-run", module), ("rlx-interpret", model):
        path = folder / f"{tool}.safetensors"
        call(tools / tool, graph, "--params", params, "--inputs", inputs, "--outputs", path)
        results[tool] = read_safetensors(path)
    errors = {name: relative_error(results["rlx-run"][name], results["rlx-interpret"][name]) for name in groups["outputs"]}
    for name, error in errors.items():
        print(f"output     {name} {groups['outputs'][name]}: relative error {error:.1e}", flush=True)

    cpus = len(os.sched_getaffinity(0))
    for threads, label in (1, "1 thread"), (0, f"all threads, {cpus} CPUs"):
        report = call(tools / "rlx-run", module, "--params", params, "--inputs", inputs, "--benchmark",
                      "--threads", threads, "--iterations", 30)
        print(f"latency    {median_ms(report):.2f} ms (median of 30 runs; {label})", flush=True)

    # Not max(): it may pass over a NaN.
    accurate = all(error <= TOLERANCE for error in errors.values())
    worst = max(errors.values(), key=lambda error: (math.isnan(error), error))
    print(f"\n{'OK' if accurate else 'FAILED'}: largest error against the interpreter {worst:.1e} of the largest "
          f"output; allowed {TOLERANCE:.0e}")
    return accurate


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs a builtin model and compares it with the interpreter.")
    parser.add_argument("tools", type=Path, help="the folder with rlx-compile, rlx-run and rlx-interpret")
    parser.add_argument("--model", default=MODEL, help="a builtin of f32 tensors and static shapes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rlx-demo-") as folder:
        if not demo(arguments.model, arguments.tools.resolve(), Path(folder)):
            sys.exit(1)


if __name__ == "__main__":
    main()
