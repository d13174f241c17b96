"""Cases of the two-way transformer, run through segment_anything's own modules."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from segment_anything.modeling.transformer import Attention, TwoWayTransformer

import convert_sam
import rlx_golden


@dataclass(frozen=True)
class Case:
    """One graph: `builtin:two-way-transformer` with these keys. Defaults are SAM's."""

    name: str
    seed: int
    q_n: int = 7
    k_n: int = 4096
    embed_dim: int = 256
    num_heads: int = 8
    internal_dim: int = 128
    self_internal_dim: int | None = None
    mlp_dim: int = 2048
    depth: int = 2
    skip_first_layer_pe: bool = True
    active: int | None = None  # set: a masked graph of q_n rows, of which the first `active` are real
    gradient: bool = False
    stride: int = 1  # of keys_out
    f64: bool = False


# fmt: off
CASES = [
    Case("two-way-sam-q7", 101, stride=67),
    Case("two-way-sam-q5", 102, q_n=5, stride=67),
    Case("two-way-sam-q39", 103, q_n=39, stride=67),
    Case("two-way-sam-q1", 104, q_n=1, k_n=397, stride=67),
    Case("two-way-sam-q9-no-skip", 105, q_n=9, k_n=1024, skip_first_layer_pe=False, stride=67),
    Case("two-way-sam-self-narrow", 106, k_n=397, self_internal_dim=128, stride=67),
    Case("two-way-q1-k1", 107, q_n=1, k_n=1, embed_dim=32, num_heads=1, internal_dim=16, mlp_dim=64, f64=True),
    Case("two-way-q5-k59-h1-d1", 108, q_n=5, k_n=59, embed_dim=32, num_heads=1, internal_dim=16, mlp_dim=64, depth=1, f64=True),
    Case("two-way-q7-k97-h3-d2", 109, q_n=7, k_n=97, embed_dim=48, num_heads=3, internal_dim=24, mlp_dim=80, f64=True),
    Case("two-way-q9-k397-h8-d3", 110, q_n=9, k_n=397, embed_dim=64, num_heads=8, internal_dim=32, mlp_dim=128, depth=3, stride=3),
    Case("two-way-q39-k59-h3-d3", 111, q_n=39, k_n=59, embed_dim=96, num_heads=3, internal_dim=96, mlp_dim=96, depth=3, f64=True),
    Case("two-way-q39-k4096-h1-d1", 112, q_n=39, embed_dim=64, num_heads=1, internal_dim=32, mlp_dim=33, depth=1, stride=29),
    Case("two-way-quarter-cross", 113, q_n=5, k_n=97, embed_dim=64, num_heads=4, internal_dim=16, mlp_dim=96, f64=True),
    Case("two-way-half-self", 114, q_n=7, k_n=59, embed_dim=96, num_heads=3, internal_dim=24, self_internal_dim=48, mlp_dim=60, f64=True),
    Case("two-way-no-skip-d1", 115, q_n=5, k_n=59, embed_dim=48, num_heads=3, internal_dim=24, mlp_dim=80, depth=1, skip_first_layer_pe=False, f64=True),
    Case("two-way-no-skip-d3", 116, q_n=9, k_n=97, embed_dim=64, num_heads=8, internal_dim=32, mlp_dim=80, depth=3, skip_first_layer_pe=False, f64=True),
    Case("two-way-masked-a1", 117, q_n=39, k_n=59, embed_dim=64, num_heads=8, internal_dim=32, mlp_dim=80, active=1, f64=True),
    Case("two-way-masked-a7", 118, q_n=39, k_n=97, embed_dim=48, num_heads=3, internal_dim=24, mlp_dim=80, depth=3, active=7, f64=True),
    Case("two-way-masked-a39", 119, q_n=39, k_n=59, embed_dim=64, num_heads=8, internal_dim=32, mlp_dim=80, active=39, f64=True),
    Case("two-way-masked-sam-a7", 120, q_n=39, active=7, stride=67),
    Case("two-way-gradient", 121, q_n=5, k_n=19, embed_dim=24, num_heads=3, internal_dim=12, mlp_dim=20, gradient=True, f64=True),
]
# fmt: on


def builtin(case: Case) -> str:
    """What rlx-compile is given."""
    keys = {
        "q_n": case.q_n,
        "k_n": case.k_n,
        "embed_dim": case.embed_dim,
        "num_heads": case.num_heads,
        "internal_dim": case.internal_dim,
        "self_internal_dim": case.self_internal_dim or case.embed_dim,
        "mlp_dim": case.mlp_dim,
        "depth": case.depth,
        "skip_first_layer_pe": str(case.skip_first_layer_pe).lower(),
        "masked": str(case.active is not None).lower(),
    }
    return "builtin:two-way-transformer?" + "&".join(f"{key}={value}" for key, value in keys.items())


def run(case: Case) -> tuple[dict, dict[str, torch.Tensor]]:
    """The case's entry of cases.json and its expected outputs in double precision."""
    params = _param_specs(case)
    inputs = _input_specs(case)
    values = {name: rlx_golden.tensor(case.seed, name, spec) for name, spec in (params | inputs).items()}
    module = _module(case, values)
    tokens, image, image_pe = (torch.from_numpy(values[n]).double() for n in ("tokens", "image_seq", "image_pe"))
    active = case.q_n if case.active is None else case.active
    outputs = {"queries_out": {"sample_stride": 1}, "keys_out": {"sample_stride": case.stride}}
    with torch.set_grad_enabled(case.gradient):
        leaves = [tensor.requires_grad_(case.gradient) for tensor in (tokens, image, image_pe)]
        queries, keys = module(_to_nchw(image), _to_nchw(image_pe), tokens[:, :active])
    expected = {"queries_out": queries.detach(), "keys_out": keys.detach()}
    if case.gradient:
        for name, shape in (("queries_out", queries.shape), ("keys_out", keys.shape)):
            inputs[f"grad.{name}"] = _uniform(shape, 0.0, 1.0)
        upstream = [
            torch.from_numpy(rlx_golden.tensor(case.seed, f"grad.{n}", inputs[f"grad.{n}"])).double()
            for n in ("queries_out", "keys_out")
        ]
        torch.autograd.backward([queries, keys], upstream)
        for name, leaf in zip(("tokens", "image_seq", "image_pe"), leaves):
            expected[f"grad.{name}"] = leaf.grad
        gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
        expected |= {f"grad.{name}": value.contiguous() for name, value in convert_sam.convert(gradients).items()}
        outputs |= {name: {"sample_stride": 1} for name in expected if name.startswith("grad.")}
    entry = {"name": case.name, "builtin": builtin(case), "seed": case.seed, "gradient": case.gradient}
    if case.active is not None:
        entry["active"] = case.active
    entry |= {"expected_dtype": "f64" if case.f64 else "f32", "inputs": inputs, "params": params, "outputs": outputs}
    return entry, expected


def _uniform(shape: tuple[int, ...], center: float, scale: float) -> dict:
    """A spec of uniform values; the scale is rounded to f32, which the generator's exactness needs."""
    return {"shape": list(shape), "rule": "uniform", "center": center, "scale": float(np.float32(scale))}


def _param_specs(case: Case) -> dict[str, dict]:
    """Weights of unit variance gain, so that attention scores and outputs are O(1)."""
    specs: dict[str, dict] = {}

    def linear(name: str, inner: int, outer: int) -> None:
        specs[f"{name}.w"] = _uniform((inner, outer), 0.0, math.sqrt(3.0 / inner))
        specs[f"{name}.b"] = _uniform((outer,), 0.0, 0.25)

    def attention(name: str, internal: int) -> None:
        for short in ("q", "k", "v"):
            linear(f"{name}.{short}", case.embed_dim, internal)
        linear(f"{name}.o", internal, case.embed_dim)

    def norm(name: str) -> None:
        specs[f"{name}.g"] = _uniform((case.embed_dim,), 1.0, 0.25)
        specs[f"{name}.b"] = _uniform((case.embed_dim,), 0.0, 0.25)

    for layer in range(case.depth):
        attention(f"L{layer}.self", case.self_internal_dim or case.embed_dim)
        norm(f"L{layer}.n1")
        attention(f"L{layer}.t2i", case.internal_dim)
        norm(f"L{layer}.n2")
        linear(f"L{layer}.mlp1", case.embed_dim, case.mlp_dim)
        linear(f"L{layer}.mlp2", case.mlp_dim, case.embed_dim)
        norm(f"L{layer}.n3")
        attention(f"L{layer}.i2t", case.internal_dim)
        norm(f"L{layer}.n4")
    attention("final", case.internal_dim)
    norm("final_ln")
    return specs


def _input_specs(case: Case) -> dict[str, dict]:
    specs = {"tokens": _uniform((1, case.q_n, case.embed_dim), 0.0, 1.5)}
    for name in ("image_seq", "image_pe"):
        specs[name] = _uniform((1, case.k_n, case.embed_dim), 0.0, 1.5)
    if case.active is not None:
        q_n, k_n, active = case.q_n, case.k_n, case.active

        def mask(name: str, lq: int, lk: int, rows: int, columns: int) -> None:
            shape = [1, case.num_heads, lq, lk]
            specs[f"mask_{name}"] = {"shape": shape, "rule": "prefix_mask", "rows": rows, "columns": columns}

        for layer in range(case.depth):
            mask(f"L{layer}_self", q_n, q_n, active, active)
            mask(f"L{layer}_t2i", q_n, k_n, active, k_n)
            mask(f"L{layer}_i2t", k_n, q_n, k_n, active)
        mask("final_t2i", q_n, k_n, active, k_n)
    return specs


def _module(case: Case, values: dict[str, np.ndarray]) -> TwoWayTransformer:
    """The package's module in double precision with the case's params, proven against the converter."""
    module = TwoWayTransformer(
        depth=case.depth,
        embedding_dim=case.embed_dim,
        num_heads=case.num_heads,
        mlp_dim=case.mlp_dim,
        attention_downsample_rate=case.embed_dim // case.internal_dim,
    )
    module.layers[0].skip_first_layer_pe = case.skip_first_layer_pe
    if case.self_internal_dim is not None:
        for layer in module.layers:
            rate = case.embed_dim // case.self_internal_dim
            layer.self_attn = Attention(case.embed_dim, case.num_heads, downsample_rate=rate)
    module.double()
    state = {_source_name(name): _source_layout(name, value) for name, value in values.items() if _is_param(name)}
    module.load_state_dict(state, strict=True)
    _prove_converter(case, module, values)
    return module


def _prove_converter(case: Case, module: TwoWayTransformer, values: dict[str, np.ndarray]) -> None:
    """From the module's own state dict, within a whole checkpoint's, back to the generated bits."""
    state = {f"mask_decoder.transformer.{name}": value for name, value in module.state_dict().items()}
    state["image_encoder.patch_embed.proj.weight"] = torch.zeros(1)
    converted = convert_sam.convert(state)
    assert set(converted) == {name for name in values if _is_param(name)}, case.name
    for name, value in converted.items():
        assert np.array_equal(value.float().numpy(), values[name]), f"{case.name}: {name}"
    described = convert_sam.builtin(converted, case.num_heads).split("?")[1].split("&")
    assert set(described) <= set(builtin(case).split("?")[1].split("&")), case.name


# Written apart from the converter on purpose: what one gets wrong the other does not repeat.
_MODULES = {
    "self": "self_attn",
    "t2i": "cross_attn_token_to_image",
    "i2t": "cross_attn_image_to_token",
    "mlp1": "mlp.lin1",
    "mlp2": "mlp.lin2",
    "n1": "norm1",
    "n2": "norm2",
    "n3": "norm3",
    "n4": "norm4",
    "q": "q_proj",
    "k": "k_proj",
    "v": "v_proj",
    "o": "out_proj",
    "final": "final_attn_token_to_image",
    "final_ln": "norm_final_attn",
}


def _is_param(name: str) -> bool:
    return name.endswith((".w", ".b", ".g"))


def _source_name(name: str) -> str:
    *modules, field = name.split(".")
    path = [f"layers.{m[1:]}" if m.startswith("L") else _MODULES[m] for m in modules]
    return ".".join(path + ["bias" if field == "b" else "weight"])


def _source_layout(name: str, value: np.ndarray) -> torch.Tensor:
    tensor = torch.from_numpy(value).double()
    return tensor.T if name.endswith(".w") else tensor


def _to_nchw(sequence: torch.Tensor) -> torch.Tensor:
    """[1, k_n, E] to the [1, E, h, w] that the package takes; square where it can be."""
    _, k_n, embed_dim = sequence.shape
    side = math.isqrt(k_n)
    height = side if side * side == k_n else 1
    return sequence.transpose(1, 2).reshape(1, embed_dim, height, k_n // height)
