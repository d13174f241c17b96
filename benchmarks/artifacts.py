"""Files that the engines start from: weights, inputs, reference outputs and ONNX graphs of one workload.

Run as a program, once for each workload, in a process of its own: PyTorch's threads and memory don't stay
around while engines are measured.
"""

import fcntl
import hashlib
import logging
import sys
import warnings
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

import workloads
from workloads import Arrays, Workload

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def folder(workload: Workload) -> Path:
    """Where the files of a workload lie; a change of it or of the code that makes them moves it."""
    sources = [Path(__file__), HERE / "models.py", HERE / "workloads.py", ROOT / "scripts/requirements/bench.txt"]
    digest = hashlib.sha256(repr(workload).encode() + b"".join(path.read_bytes() for path in sources))
    return ROOT / ".cache" / "compare" / f"{workload.name}-{digest.hexdigest()[:12]}"


def onnx_file(workload: Workload, variant: str) -> Path:
    """The ONNX graph of a variant; absent if its export failed."""
    return folder(workload) / f"{variant}.onnx"


def params(workload: Workload) -> Arrays:
    """The weights."""
    return load_file(folder(workload) / "params.safetensors")


def peer_inputs(workload: Workload) -> Arrays:
    """The peers' inputs, in the order in which their models take them."""
    stored = load_file(folder(workload) / "inputs.safetensors")
    names = [*workloads.make_inputs(workload), *workloads.peer_masks(workload)]
    return {name: stored[name] for name in names}


def relative_error(workload: Workload, outputs: Arrays) -> float:
    """The largest error of any output, relative to the largest element of that output's reference."""
    reference = load_file(folder(workload) / "reference.safetensors")
    worst = 0.0
    for name, actual in workload.comparable(outputs).items():
        expected = reference[name]
        if actual.shape != expected.shape:
            raise ValueError(f"output '{name}': expected shape {expected.shape}, found {actual.shape}")
        error = np.abs(actual.astype(np.float64) - expected).max() / np.abs(expected).max()
        worst = max(worst, float(error)) if np.isfinite(error) else np.inf
    return worst


def make(workload: Workload) -> None:
    """Makes all files of the workload that are not there yet; a second maker waits for the first."""
    target = folder(workload)
    target.mkdir(parents=True, exist_ok=True)
    with open(target / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "complete").exists():
            _make(workload, target)
            (target / "complete").touch()


def _make(workload: Workload, target: Path) -> None:
    import torch

    import models

    weights, inputs = workloads.make_params(workload), workloads.make_inputs(workload)
    masks = workloads.peer_masks(workload)
    save_file(weights, target / "params.safetensors")
    save_file(inputs | masks, target / "inputs.safetensors")
    save_file(inputs | workloads.rlx_masks(workload), target / "rlx_inputs.safetensors")
    tensors = [torch.from_numpy(value) for value in (inputs | masks).values()]
    doubles = [value.double() if value.dtype.is_floating_point else value for value in tensors]
    with torch.no_grad():
        results = models.build(workload, weights, "matmul").double()(*doubles)
    results = results if isinstance(results, tuple) else (results,)
    reference = {name: value.numpy() for name, value in zip(workload.outputs, results)}
    save_file(
        {name: np.ascontiguousarray(value) for name, value in workload.comparable(reference).items()},
        target / "reference.safetensors",
    )
    for variant in models.VARIANTS:
        try:
            _export(workload, models.build(workload, weights, variant), tensors, variant)
        except Exception as error:
            print(f"{workload.name}: no ONNX graph of variant {variant}: {_last_line(error)}", file=sys.stderr)


def _export(workload: Workload, module, tensors: list, variant: str) -> None:
    import torch

    warnings.simplefilter("ignore")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    names = [*workloads.make_inputs(workload), *workloads.peer_masks(workload)]
    program = torch.onnx.export(
        module,
        tuple(tensors),
        input_names=names,
        output_names=list(workload.outputs),
        opset_version=23 if variant == "sdpa" else 20,
        dynamo=True,
        verbose=False,
    )
    program.save(onnx_file(workload, variant))


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__


if __name__ == "__main__":
    suite, name = sys.argv[1:]
    make(next(workload for workload in workloads.load(suite, "") if workload.name == name))
