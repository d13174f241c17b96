#!/usr/bin/env python3
"""Converts one PSA block of a YOLO11/YOLO26 checkpoint to RLX's parameter file.

Reads an ultralytics model (.pt) or a state dict (.pt, .pth, .safetensors), takes one PSABlock out of it, folds
the batch norms into the convolutions in double precision, and writes the params of `builtin:psa-block`
(docs/spec.md, section 4): qkv, proj, pe, ffn1, ffn2, each with `.w` and `.b`, in f32.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_env

if __name__ == "__main__":
    python_env.enter("golden")

import torch

import checkpoint
from checkpoint import ConversionError, StateDict

MARKER = "attn.qkv.conv.weight"
CONVOLUTIONS = {"qkv": "attn.qkv", "proj": "attn.proj", "pe": "attn.pe", "ffn1": "ffn.0", "ffn2": "ffn.1"}

# A state dict does not hold it; ultralytics sets this one on every batch norm of a model it builds.
DEFAULT_BN_EPS = 1e-3


def convert(state: StateDict, prefix: str | None = None, eps: dict[str, float] | float = DEFAULT_BN_EPS) -> StateDict:
    """The params of RLX's PSA block, in f64, from a state dict that holds one.

    `eps` is that of the batch norms: one number, or by the full name of the convolution.
    """
    prefix = checkpoint.find_prefix(state, MARKER, "PSA block", prefix)
    c = checkpoint.take(state, prefix + MARKER).shape[1]
    shapes = {
        "qkv": (2 * c, c, 1, 1),
        "proj": (c, c, 1, 1),
        "pe": (c, 1, 3, 3),
        "ffn1": (2 * c, c, 1, 1),
        "ffn2": (c, 2 * c, 1, 1),
    }
    params: StateDict = {}
    for target, source in CONVOLUTIONS.items():
        name = prefix + source
        own_eps = eps.get(name, DEFAULT_BN_EPS) if isinstance(eps, dict) else eps
        params[f"{target}.w"], params[f"{target}.b"] = _folded(state, name, shapes[target], own_eps)
    return params


def heads(model: torch.nn.Module | None, prefix: str, c: int) -> int:
    """The number of heads: the module's own where there is one, else ultralytics' rule, one for 64 channels."""
    if model is None:
        return max(c // 64, 1)
    block = model.get_submodule(prefix.rstrip(".")) if prefix else model
    attention = block.attn
    if attention.head_dim != 2 * attention.key_dim:
        raise ConversionError(
            f"'{prefix}attn': expected head size 2 * key size {2 * attention.key_dim}, found {attention.head_dim}"
        )
    if not getattr(block, "add", True):
        raise ConversionError(f"'{prefix}': expected a block with shortcuts, found one without")
    return attention.num_heads


def norm_eps(model: torch.nn.Module) -> dict[str, float]:
    """The batch norms' eps of a model, by the name of the convolution module that each belongs to."""
    return {
        name.removesuffix(".bn"): module.eps
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.BatchNorm2d)
    }


def _folded(state: StateDict, name: str, shape: tuple[int, ...], eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    weight = checkpoint.take(state, f"{name}.conv.weight", shape)
    channels = (shape[0],)
    bias = torch.zeros(channels, dtype=torch.float64)
    if f"{name}.conv.bias" in state:
        bias = checkpoint.take(state, f"{name}.conv.bias", channels)
    elif f"{name}.bn.weight" not in state:
        raise ConversionError(f"convolution '{name}': expected a batch norm or a bias, found neither")
    if f"{name}.bn.weight" not in state:
        return weight, bias
    gamma, beta, mean, variance = (
        checkpoint.take(state, f"{name}.bn.{field}", channels)
        for field in ("weight", "bias", "running_mean", "running_var")
    )
    scale = gamma / torch.sqrt(variance + eps)
    return weight * scale[:, None, None, None], (bias - mean) * scale + beta


def _model(loaded: object) -> torch.nn.Module | None:
    """The module in an ultralytics checkpoint, the averaged one first; none if it holds tensors alone."""
    candidates = [loaded]
    if isinstance(loaded, dict):
        candidates = [loaded.get("ema"), loaded.get("model")]
    return next((value for value in candidates if isinstance(value, torch.nn.Module)), None)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/convert_yolo_psa.py yolo11n.pt --trust-pickle -o psa.safetensors",
    )
    parser.add_argument("input", type=Path, help="model (.pt) or state dict (.pt, .pth, .safetensors)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="parameter file to write (.safetensors)")
    parser.add_argument("--prefix", help="block to take, such as model.10.m.0 (default: the only one)")
    parser.add_argument(
        "--bn-eps", type=float, help=f"eps of the batch norms (default: the model's; {DEFAULT_BN_EPS} for a state dict)"
    )
    parser.add_argument("--trust-pickle", action="store_true", help="read files that can run code when read")
    options = parser.parse_args(arguments)
    try:
        loaded = checkpoint.load(options.input, options.trust_pickle)
        model = _model(loaded)
        state = model.state_dict() if model is not None else checkpoint.state_dict(loaded, options.input)
        prefix = checkpoint.find_prefix(state, MARKER, "PSA block", options.prefix)
        eps = options.bn_eps
        if eps is None:
            eps = norm_eps(model) if model is not None else DEFAULT_BN_EPS
        params = convert(state, prefix, eps)
        c = params["proj.w"].shape[0]
        num_heads = heads(model, prefix, c)
        checkpoint.write(options.output, checkpoint.rounded(params))
    except ConversionError as error:
        sys.exit(f"error: {error}")
    print(f"{options.output}: {len(params)} params of builtin:psa-block?c={c}&heads={num_heads}")


if __name__ == "__main__":
    main()
