#!/usr/bin/env python3
"""Converts the mask decoder's transformer of a Segment Anything checkpoint to RLX's parameter file.

Reads the state dict of SAM (sam_vit_*.pth), of SAM 2, or of their Hugging Face ports (.safetensors), takes
the two-way transformer out of it, and writes the params of `builtin:two-way-transformer` (docs/spec.md,
section 3): `L0.self.q.w` and so on, linear weights transposed to [in, out], in f32.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_env

if __name__ == "__main__":
    python_env.enter("golden")

import checkpoint
from checkpoint import ConversionError, StateDict

MARKER = "final_attn_token_to_image.q_proj.weight"

# RLX's name of a module in a layer, then the names that checkpoints use for it.
ATTENTIONS = {
    "self": "self_attn",
    "t2i": "cross_attn_token_to_image",
    "i2t": "cross_attn_image_to_token",
}
NORMS = {f"n{i}": (f"norm{i}", f"layer_norm{i}") for i in range(1, 5)}
LINEARS = {"mlp1": ("mlp.lin1", "mlp.layers.0"), "mlp2": ("mlp.lin2", "mlp.layers.1", "mlp.proj_out")}
FINAL_NORM = ("norm_final_attn", "layer_norm_final_attn")


def convert(state: StateDict, prefix: str | None = None) -> StateDict:
    """The params of RLX's two-way transformer, in f64, from a state dict that holds one."""
    prefix = checkpoint.find_prefix(state, MARKER, "two-way transformer", prefix)
    state = {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
    embed_dim = checkpoint.take(state, MARKER).shape[-1]
    params: StateDict = {}
    for layer in range(_depth(state, prefix)):
        source, target = f"layers.{layer}", f"L{layer}"
        for short, name in ATTENTIONS.items():
            _attention(params, f"{target}.{short}", state, f"{source}.{name}", embed_dim)
        for short, names in LINEARS.items():
            _linear(params, f"{target}.{short}", state, _present(state, source + ".", names))
        for short, names in NORMS.items():
            _norm(params, f"{target}.{short}", state, _present(state, source + ".", names), embed_dim)
    _attention(params, "final", state, "final_attn_token_to_image", embed_dim)
    _norm(params, "final_ln", state, _present(state, "", FINAL_NORM), embed_dim)
    return params


def builtin(params: StateDict, num_heads: int) -> str:
    """What to give rlx-compile for these params; token and image row counts are the user's to add."""
    embed_dim, internal_dim = params["final.q.w"].shape
    self_internal_dim = params["L0.self.q.w"].shape[1]
    for name, size in (("internal", internal_dim), ("self attention's internal", self_internal_dim)):
        if size % num_heads != 0:
            raise ConversionError(f"num_heads {num_heads}: expected a divisor of the {name} size {size}")
    depth = sum(name.endswith(".mlp1.w") for name in params)
    keys = {
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "internal_dim": internal_dim,
        "self_internal_dim": self_internal_dim,
        "mlp_dim": params["L0.mlp1.w"].shape[1],
        "depth": depth,
    }
    return "builtin:two-way-transformer?" + "&".join(f"{key}={value}" for key, value in keys.items())


def _depth(state: StateDict, prefix: str) -> int:
    layers = {int(match[1]) for match in map(re.compile(r"layers\.(\d+)\.").match, state) if match}
    if layers != set(range(len(layers))) or not layers:
        raise ConversionError(f"'{prefix}layers': expected layers numbered from 0, found {sorted(layers)}")
    return len(layers)


def _present(state: StateDict, parent: str, names: tuple[str, ...]) -> str:
    """The first of the names that the state has; the first of all, to be named in the error, if none."""
    return next((parent + name for name in names if f"{parent}{name}.weight" in state), parent + names[0])


def _attention(params: StateDict, target: str, state: StateDict, source: str, embed_dim: int) -> None:
    internal_dim = checkpoint.take(state, f"{source}.q_proj.weight").shape[0]
    for short in ("q", "k", "v"):
        _linear(params, f"{target}.{short}", state, f"{source}.{short}_proj", (internal_dim, embed_dim))
    _linear(params, f"{target}.o", state, f"{source}.out_proj", (embed_dim, internal_dim))


def _linear(
    params: StateDict, target: str, state: StateDict, source: str, shape: tuple[int, int] | None = None
) -> None:
    weight = checkpoint.take(state, f"{source}.weight", shape)
    params[f"{target}.w"] = weight.T
    params[f"{target}.b"] = checkpoint.take(state, f"{source}.bias", (weight.shape[0],))


def _norm(params: StateDict, target: str, state: StateDict, source: str, size: int) -> None:
    params[f"{target}.g"] = checkpoint.take(state, f"{source}.weight", (size,))
    params[f"{target}.b"] = checkpoint.take(state, f"{source}.bias", (size,))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/convert_sam.py sam_vit_h.pth -o decoder.safetensors",
    )
    parser.add_argument("input", type=Path, help="state dict: .pth, .pt or .safetensors")
    parser.add_argument("-o", "--output", type=Path, required=True, help="parameter file to write (.safetensors)")
    parser.add_argument("--prefix", help="module to take, such as mask_decoder.transformer (default: the only one)")
    parser.add_argument("--num-heads", type=int, default=8, help="for the printed builtin (default: 8, as in SAM)")
    parser.add_argument("--trust-pickle", action="store_true", help="read files that can run code when read")
    options = parser.parse_args(arguments)
    try:
        if options.num_heads < 1:
            raise ConversionError(f"num_heads {options.num_heads}: expected at least 1")
        loaded = checkpoint.load(options.input, options.trust_pickle)
        params = convert(checkpoint.state_dict(loaded, options.input), options.prefix)
        description = builtin(params, options.num_heads)
        checkpoint.write(options.output, checkpoint.rounded(params))
    except ConversionError as error:
        sys.exit(f"error: {error}")
    print(f"{options.output}: {len(params)} params of {description}")


if __name__ == "__main__":
    main()
