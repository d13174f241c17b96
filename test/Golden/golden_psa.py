"""Cases of the PSA block, run through ultralytics' own module with its batch norms in place."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from ultralytics.nn.modules.block import PSABlock

import convert_yolo_psa
import rlx_golden


@dataclass(frozen=True)
class Case:
    """One graph: `builtin:psa-block` with these keys."""

    name: str
    seed: int
    c: int = 128
    heads: int = 2
    h: int = 20
    w: int = 20
    batch: int = 1
    gradient: bool = False
    stride: int = 1
    f64: bool = False


CASES = [
    Case("psa-c128-20x20", 201, stride=5),
    Case("psa-c128-20x20-b3", 202, batch=3, stride=13),
    Case("psa-c128-12x20", 203, h=12, stride=5),
    Case("psa-c128-7x9-b5", 204, h=7, w=9, batch=5, stride=5),
    Case("psa-c384-40x40", 205, c=384, heads=6, h=40, w=40, stride=29),
    Case("psa-h1-7x9", 206, c=64, heads=1, h=7, w=9, f64=True),
    Case("psa-h3-12x20", 207, c=192, heads=3, h=12, stride=7),
    Case("psa-kd8-h3-5x7-b3", 208, c=48, heads=3, h=5, w=7, batch=3, f64=True),
    Case("psa-kd8-h2-1x1", 209, c=32, heads=2, h=1, w=1, f64=True),
    Case("psa-gradient-b2", 210, c=24, heads=3, h=3, w=5, batch=2, gradient=True, f64=True),
]


def builtin(case: Case) -> str:
    """What rlx-compile is given."""
    return f"builtin:psa-block?c={case.c}&heads={case.heads}&h={case.h}&w={case.w}&batch={case.batch}"


def run(case: Case) -> tuple[dict, dict[str, torch.Tensor]]:
    """The case's entry of cases.json and its expected outputs in double precision."""
    params = _param_specs(case)
    shape = (case.batch, case.c, case.h, case.w)
    inputs = {"x": _uniform(shape, 0.0, 1.5)}
    values = {name: rlx_golden.tensor(case.seed, name, spec) for name, spec in (params | inputs).items()}
    module = _module(case, values)
    x = torch.from_numpy(values["x"]).double()
    outputs = {"y": {"sample_stride": case.stride}}
    expected = {"y": module(x)}
    if case.gradient:
        inputs["grad.y"] = _uniform(shape, 0.0, 1.0)
        upstream = torch.from_numpy(rlx_golden.tensor(case.seed, "grad.y", inputs["grad.y"])).double()
        expected |= _gradients(case, values, x, upstream)
        outputs |= {name: {"sample_stride": 1} for name in expected if name.startswith("grad.")}
    entry = {"name": case.name, "builtin": builtin(case), "seed": case.seed, "gradient": case.gradient}
    entry |= {"expected_dtype": "f64" if case.f64 else "f32", "inputs": inputs, "params": params, "outputs": outputs}
    return entry, expected


def _uniform(shape: tuple[int, ...], center: float, scale: float) -> dict:
    return {"shape": list(shape), "rule": "uniform", "center": center, "scale": float(np.float32(scale))}


def _param_specs(case: Case) -> dict[str, dict]:
    shapes = {
        "qkv": (2 * case.c, case.c, 1, 1),
        "proj": (case.c, case.c, 1, 1),
        "pe": (case.c, 1, 3, 3),
        "ffn1": (2 * case.c, case.c, 1, 1),
        "ffn2": (case.c, 2 * case.c, 1, 1),
    }
    specs = {}
    for name, shape in shapes.items():
        specs[f"{name}.w"] = _uniform(shape, 0.0, math.sqrt(3.0 / math.prod(shape[1:])))
        specs[f"{name}.b"] = _uniform((shape[0],), 0.0, 0.25)
    return specs


def _convolutions(module: PSABlock) -> dict[str, torch.nn.Module]:
    attention, ffn = module.attn, module.ffn
    return {"qkv": attention.qkv, "proj": attention.proj, "pe": attention.pe, "ffn1": ffn[0], "ffn2": ffn[1]}


def _module(case: Case, values: dict[str, np.ndarray]) -> PSABlock:
    """The package's module in double precision, in eval mode, with random batch norm statistics, and
    convolutions such that folding gives the case's params: the converter must, bit for bit in f32."""
    module = PSABlock(case.c, attn_ratio=0.5, num_heads=case.heads).double().eval()
    assert module.attn.key_dim * 2 == module.attn.head_dim == case.c // case.heads, case.name
    for name, convolution in _convolutions(module).items():
        channels = convolution.conv.out_channels
        norm = convolution.bn
        norm.eps = 1e-3
        draw = lambda field, center, scale: torch.from_numpy(
            rlx_golden.uniform(case.seed, f"{name}.bn.{field}", (channels,), center, scale)
        ).double()
        norm.running_mean.copy_(draw("mean", 0.0, 0.5))
        norm.running_var.copy_(draw("var", 1.0, 0.5))
        norm.weight.copy_(draw("gamma", 1.0, 0.25))
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        convolution.conv.weight.copy_(torch.from_numpy(values[f"{name}.w"]).double() / scale[:, None, None, None])
        norm.bias.copy_(torch.from_numpy(values[f"{name}.b"]).double() + norm.running_mean * scale)
    _prove_converter(case, module, values)
    return module


def _prove_converter(case: Case, module: PSABlock, values: dict[str, np.ndarray]) -> None:
    state = {f"model.10.m.0.{name}": value for name, value in module.state_dict().items()}
    converted = convert_yolo_psa.convert(state, "model.10.m.0")
    by_module = convert_yolo_psa.convert(module.state_dict(), "", convert_yolo_psa.norm_eps(module))
    assert set(converted) == set(values) - {"x"}, case.name
    for name, value in converted.items():
        assert np.array_equal(value.float().numpy(), values[name]), f"{case.name}: {name}"
        assert torch.equal(value, by_module[name]), f"{case.name}: {name}"
    assert convert_yolo_psa.heads(module, "", case.c) == case.heads, case.name


@torch.enable_grad()
def _gradients(
    case: Case, values: dict[str, np.ndarray], x: torch.Tensor, upstream: torch.Tensor
) -> dict[str, torch.Tensor]:
    """Gradients with respect to the folded params: the package's module, its norms made identities."""
    module = PSABlock(case.c, attn_ratio=0.5, num_heads=case.heads).double().eval()
    leaves = {}
    for name, convolution in _convolutions(module).items():
        convolution.bn = torch.nn.Identity()
        convolution.conv.weight = torch.nn.Parameter(torch.from_numpy(values[f"{name}.w"]).double())
        convolution.conv.bias = torch.nn.Parameter(torch.from_numpy(values[f"{name}.b"]).double())
        leaves |= {f"{name}.w": convolution.conv.weight, f"{name}.b": convolution.conv.bias}
    leaves["x"] = x.clone().requires_grad_()
    module(leaves["x"]).backward(upstream)
    return {f"grad.{name}": leaf.grad for name, leaf in leaves.items()}
