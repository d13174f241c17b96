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


def _write(tensors: dict[str, np.ndarray], path: Path) -> None:
    """Not safetensors' own save_file, which leaves files that only their owner can read."""
    path.write_bytes(save(tensors))


def make_models() -> tuple[list[dict], int]:
    """Runs every model case; writes its expected outputs; returns the entries of cases.json and the bytes."""
    entries, size = [], 0
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
            _write(tensors, HERE / entry["file"])
            size += (HERE / entry["file"]).stat().st_size
            entries.append(entry)
            print(f"{entry['name']}: " + ", ".join(f"{n} max {o['abs_max']:.3g}" for n, o in entry["outputs"].items()))
    return entries, size


def write_json(path: Path, key: str, entries: list[dict]) -> None:
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
    path.write_text(text)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    torch.set_grad_enabled(False)
    for stale in HERE.glob("*.safetensors"):
        stale.unlink()
    entries, size = make_models()
    write_json(HERE / "cases.json", "cases", entries)
    ops, tensors = golden_ops.run()
    write_json(HERE / "ops.json", "cases", ops)
    _write(tensors, HERE / "ops.safetensors")
    size += sum((HERE / name).stat().st_size for name in ("cases.json", "ops.json", "ops.safetensors"))
    print(f"{len(entries)} model cases, {len(ops)} operator cases, {size / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
