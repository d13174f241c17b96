#!/usr/bin/env python3
"""Makes the golden data beside this file (README.md describes it).

The references are the packages' own modules, run in double precision: segment_anything's TwoWayTransformer,
ultralytics' PSABlock, and PyTorch's operators. Params and inputs come from the seeded generator of
rlx_golden.py and are not stored. The models' params also go through the checkpoint converters, which must
give back the generated bits.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "scripts"), str(HERE)]
import python_env

python_env.enter("golden")

import numpy as np
import torch
from safetensors.numpy import save

import golden_ops
import golden_psa
import golden_two_way

FORMAT = "rlx-golden-1"


def sample(value: torch.Tensor, stride: int) -> np.ndarray:
    """The whole tensor at stride 1, else every stride-th element in row-major order."""
    return value.numpy() if stride == 1 else np.ascontiguousarray(value.flatten()[::stride].numpy())


def make_models() -> tuple[list[dict], dict[str, bytes]]:
    """Runs every model case; returns the entries of cases.json and the files they name."""
    entries, files = [], {}
    for module in (golden_two_way, golden_psa):
        for case in module.CASES:
            entry, expected = module.run(case)
            dtype = np.float64 if entry["expected_dtype"] == "f64" else np.float32
            tensors = {}
            for name, value in expected.items():
                if not torch.isfinite(value).all():
                    raise AssertionError(f"case '{entry['name']}': output '{name}' is not finite")
                stride = entry["outputs"][name]["sample_stride"]
                entry["outputs"][name]["shape"] = list(value.shape)
                entry["outputs"][name]["abs_max"] = float(value.abs().max())
                tensors[f"expected.{name}"] = sample(value, stride).astype(dtype)
            entry["file"] = f"{entry['name']}.safetensors"
            files[entry["file"]] = save(tensors)
            entries.append(entry)
            print(f"{entry['name']}: " + ", ".join(f"{n} max {o['abs_max']:.3g}" for n, o in entry["outputs"].items()))
    return entries, files


def to_json(key: str, entries: list[dict]) -> bytes:
    """JSON with one line for each tensor, so that a change reads well in a diff."""
    inner = lambda value: json.dumps(value, separators=(", ", ": "))
    blocks = []
    for entry in entries:
        fields = []
        for name, value in entry.items():
            if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
                lines = ",\n".join(f"        {inner(item)}: {inner(fields_)}" for item, fields_ in value.items())
                fields.append(f"      {inner(name)}: {{\n{lines}\n      }}")
            else:
                fields.append(f"      {inner(name)}: {inner(value)}")
        blocks.append("    {\n" + ",\n".join(fields) + "\n    }")
    text = f'{{\n  "format": "{FORMAT}",\n  "{key}": [\n' + ",\n".join(blocks) + "\n  ]\n}\n"
    json.loads(text)
    return text.encode()


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    torch.set_grad_enabled(False)
    entries, files = make_models()
    ops, tensors = golden_ops.run()
    files |= {
        "ops.safetensors": save(tensors),
        "ops.json": to_json("cases", ops),
        "cases.json": to_json("cases", entries),
    }
    replace(files)
    size = sum(map(len, files.values())) / 2**20
    print(f"{len(entries)} model cases, {len(ops)} operator cases, {size:.2f} MiB")


def replace(files: dict[str, bytes]) -> None:
    """Puts the new data in the place of the old, once all of it is there."""
    for name, data in files.items():
        (HERE / f"{name}.new").write_bytes(data)
    for stale in HERE.glob("*.safetensors"):
        if stale.name not in files:
            stale.unlink()
    for name in files:
        (HERE / f"{name}.new").replace(HERE / name)


if __name__ == "__main__":
    main()
