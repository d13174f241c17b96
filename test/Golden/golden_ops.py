"""Cases of single operators, run through PyTorch's in double precision; names are docs/spec.md's."""

import math

import numpy as np
import torch
import torch.nn.functional as F

import rlx_golden

NAN, INF = math.nan, math.inf


class Recorder:
    """Collects the entries of ops.json and the tensors of ops.safetensors."""

    def __init__(self) -> None:
        self.entries: list[dict] = []
        self.tensors: dict[str, np.ndarray] = {}

    def add(self, name: str, op: str, inputs: dict[str, object], compute, **attrs) -> None:
        """Runs `compute` on the inputs; one is a spec for the generator, or an array that is stored as it is."""
        assert all(entry["name"] != name for entry in self.entries), name
        seed = 1000 + len(self.entries)
        specs, values = {}, []
        for key, given in inputs.items():
            if isinstance(given, dict):
                specs[key] = given
                value = rlx_golden.tensor(seed, key, given)
            else:
                value = np.asarray(given)
                self.tensors[f"{name}.in.{key}"] = value
                specs[key] = {"shape": list(value.shape), "rule": "stored"}
            tensor = torch.from_numpy(value)
            values.append(tensor.double() if tensor.dtype.is_floating_point else tensor)
        result = compute(*values).contiguous().numpy()
        assert result.dtype in (np.float64, np.bool_, np.int64), (name, result.dtype)
        self.tensors[f"{name}.out"] = result
        entry = {"name": name, "op": op, "attrs": attrs, "seed": seed}
        self.entries.append(entry | {"shape": list(result.shape), "inputs": specs})


def run() -> tuple[list[dict], dict[str, np.ndarray]]:
    """The entries of ops.json and the tensors of ops.safetensors."""
    recorder = Recorder()
    for group in (_matmul, _attention, _norms, _activations, _binaries, _reductions, _convolutions, _shapes):
        group(recorder)
    return recorder.entries, recorder.tensors


def values(*shape: int, center: float = 0.0, scale: float = 1.0) -> dict:
    """A spec of uniform values."""
    return {"shape": list(shape), "rule": "uniform", "center": center, "scale": float(np.float32(scale))}


def coins(*shape: int) -> dict:
    """A spec of booleans."""
    return {"shape": list(shape), "rule": "booleans"}


def numbers(low: int, high: int, *shape: int) -> dict:
    """A spec of i64 of [low, high)."""
    return {"shape": list(shape), "rule": "integers", "low": low, "high": high}


def f32(*items: float) -> np.ndarray:
    """Stored values."""
    return np.array(items, dtype=np.float32)


def _matmul(r: Recorder) -> None:
    for name, x, w in (
        ("square", (16, 16), (16, 16)),
        ("odd", (7, 33), (33, 19)),
        ("row", (1, 64), (64, 5)),
        ("batched", (2, 3, 5, 8), (2, 3, 8, 9)),
        ("broadcast-right", (3, 5, 8), (8, 9)),
        ("broadcast-both", (2, 1, 5, 8), (3, 8, 9)),
    ):
        r.add(f"matmul-{name}", "matmul", {"x": values(*x), "w": values(*w)}, torch.matmul)
    acts = {"none": lambda x: x, "relu": torch.relu, "gelu": F.gelu, "gelu_tanh": _gelu_tanh, "silu": F.silu}
    for act, function in acts.items():
        r.add(
            f"fused-matmul-bias-act-{act}",
            "fused_matmul_bias_act",
            {"x": values(2, 7, 24), "w": values(24, 13, scale=0.5), "bias": values(13)},
            lambda x, w, b, f=function: f(x @ w + b),
            **({} if act == "none" else {"act": act}),
        )


def _split(x: torch.Tensor, heads: int) -> torch.Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _attend(q, k, v, heads: int, head_dim: int, keep=None, bias=None) -> torch.Tensor:
    """Section 2 by definition; keys that are not kept are cut out, so that what they hold can't matter."""
    q, k, v = (_split(x, heads) for x in (q, k, v))
    batch, _, lq, _ = q.shape
    lk = k.shape[2]
    out = torch.zeros(batch, heads, lq, v.shape[3], dtype=torch.float64)
    keep = torch.ones(1, 1, 1, lk, dtype=torch.bool) if keep is None else keep
    keep = keep.expand(batch, heads, lq, lk)
    bias = torch.zeros(1, 1, 1, lk, dtype=torch.float64) if bias is None else bias
    bias = bias.expand(batch, heads, lq, lk)
    for b, h, i in np.ndindex(batch, heads, lq):
        seen = keep[b, h, i]
        if seen.any():
            scores = k[b, h, seen] @ q[b, h, i] / math.sqrt(head_dim) + bias[b, h, i, seen]
            out[b, h, i] = torch.softmax(scores, 0) @ v[b, h, seen]
    return out.transpose(1, 2).flatten(2)


def _sdpa(q, k, v, heads: int, **options) -> torch.Tensor:
    """PyTorch's own attention, which every case without a fully masked row is checked against."""
    q, k, v = (_split(x, heads) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, **options).transpose(1, 2).flatten(2)


def _attention(r: Recorder) -> None:
    def add(name, batch, lq, lk, heads, d, dv=None, mask=None, keep=None, check=True, **attrs):
        """`mask` is the operand, if any; `keep(lq, lk)` a boolean matrix, for the kinds without operand."""
        dv = dv or d
        inputs = {
            "q": values(batch, lq, heads * d, scale=2.0),
            "k": values(batch, lk, heads * d, scale=2.0),
            "v": values(batch, lk, heads * dv),
        }
        if mask is not None:
            inputs["mask"] = mask
        kind = attrs["kind"]

        def compute(q, k, v, m=None):
            if kind == "bias":
                m = _as_4d(m)
                expected = _attend(q, k, v, heads, d, bias=m)
                reference = _sdpa(q, k, v, heads, attn_mask=m)
            else:
                kept = keep(lq, lk)[None, None] if m is None and keep else None
                if m is not None:
                    kept = _as_4d(m if m.dtype == torch.bool else m >= 0.5)
                expected = _attend(q, k, v, heads, d, keep=kept)
                reference = _sdpa(q, k, v, heads, attn_mask=kept) if check else expected
            assert torch.allclose(expected, reference, rtol=1e-12, atol=1e-12), name
            return expected

        r.add(f"attention-{name}", "attention", inputs, compute, num_heads=heads, head_dim=d, **attrs)

    causal = lambda lq, lk: torch.ones(lq, lk, dtype=torch.bool).tril(lk - lq)
    add("none", 2, 7, 13, 3, 8, kind="none")
    add("none-one-query", 1, 1, 97, 1, 16, kind="none")
    add("none-one-key", 1, 9, 1, 2, 4, kind="none")
    add("none-wide-value", 2, 6, 11, 2, 4, dv=8, kind="none")
    add("none-long", 1, 5, 300, 2, 16, kind="none")
    add("causal", 2, 17, 17, 2, 8, kind="causal", keep=causal)
    add("causal-more-keys", 1, 5, 12, 2, 8, kind="causal", keep=causal)
    add("causal-more-queries", 1, 12, 5, 2, 8, kind="causal", keep=causal, check=False)
    for window in (0, 3, 40):
        inside = lambda lq, lk, w=window: torch.ones(lq, lk, dtype=torch.bool).tril().triu(-w)
        add(f"sliding-window-{window}", 1, 19, 19, 2, 8, kind="sliding_window", window=window, keep=inside)
    for name, shape in (
        ("full", (2, 3, 6, 11)),
        ("one-batch", (1, 3, 6, 11)),
        ("one-head", (2, 1, 6, 11)),
        ("one-row", (2, 3, 1, 11)),
        ("batch-by-key", (2, 11)),
    ):
        add(f"custom-{name}", 2, 6, 11, 3, 8, kind="custom", mask=values(*shape, center=0.5, scale=0.5), check=False)
        add(f"custom-bool-{name}", 2, 6, 11, 3, 8, kind="custom", mask=coins(*shape), check=False)
        add(f"bias-{name}", 2, 6, 11, 3, 8, kind="bias", mask=values(*shape, scale=3.0))
    threshold = np.tile(f32(0.5, np.nextafter(np.float32(0.5), np.float32(0)), 1.0, 0.0, 2.0), (1, 1, 4, 1))
    add("custom-threshold", 1, 4, 5, 2, 4, kind="custom", mask=threshold)
    rows = np.ones((1, 1, 5, 7), dtype=bool)
    rows[0, 0, 1] = rows[0, 0, 4] = False
    add("custom-masked-rows", 1, 5, 7, 2, 4, kind="custom", mask=rows, check=False)
    add("custom-all-masked", 1, 3, 7, 2, 4, kind="custom", mask=np.zeros((1, 7), dtype=bool), check=False)
    _hostile_attention(r)


def _hostile_attention(r: Recorder) -> None:
    """Large logits, and NaN and Inf where the mask hides them."""
    heads, d = 2, 4
    attrs = {"num_heads": heads, "head_dim": d}
    q, k, v = values(1, 5, heads * d), values(1, 7, heads * d), values(1, 7, heads * d)
    large = lambda spec: spec | {"scale": 128.0}
    r.add(
        "attention-none-large-logits",
        "attention",
        {"q": large(q), "k": large(k), "v": v},
        lambda q, k, v: _attend(q, k, v, heads, d),
        kind="none",
        **attrs,
    )
    hidden_k = rlx_golden.uniform(1, "hidden.k", (1, 7, heads * d), 0.0, 1.0)
    hidden_v = rlx_golden.uniform(1, "hidden.v", (1, 7, heads * d), 0.0, 1.0)
    hidden_k[0, 2], hidden_k[0, 5] = NAN, INF
    hidden_v[0, 2], hidden_v[0, 5] = INF, NAN
    keep = np.ones((1, 7), dtype=bool)
    keep[0, [2, 5]] = False
    r.add(
        "attention-custom-hidden-nan",
        "attention",
        {"q": q, "k": hidden_k, "v": hidden_v, "mask": keep},
        lambda q, k, v, m: _attend(q, k, v, heads, d, keep=_as_4d(m)),
        kind="custom",
        **attrs,
    )


def _as_4d(mask: torch.Tensor) -> torch.Tensor:
    return mask if mask.dim() == 4 else mask[:, None, None, :]


def _norms(r: Recorder) -> None:
    for name, shape, axis in (
        ("last", (2, 7, 32), -1),
        ("odd", (3, 5, 19), -1),
        ("one-row", (1, 256), -1),
        ("middle", (2, 6, 5), 1),
        ("first", (4, 9), 0),
    ):
        size = shape[axis]

        def compute(x, gamma, beta, axis=axis, size=size):
            return F.layer_norm(x.transpose(axis, -1), (size,), gamma, beta, 1e-5).transpose(axis, -1)

        inputs = {
            "x": values(*shape, center=0.5, scale=2.0),
            "gamma": values(size, center=1.0, scale=0.5),
            "beta": values(size),
        }
        r.add(f"layer-norm-{name}", "layer_norm", inputs, compute, axis=axis, eps=1e-5)
    r.add(
        "layer-norm-constant-row",
        "layer_norm",
        {"x": np.full((2, 8), 3.25, dtype=np.float32), "gamma": values(8, center=1.0), "beta": values(8)},
        lambda x, g, b: F.layer_norm(x, (8,), g, b, 1e-3),
        axis=-1,
        eps=1e-3,
    )
    r.add(
        "layer-norm-far-mean",
        "layer_norm",
        {"x": values(3, 64, center=4096.0, scale=1.0), "gamma": values(64, center=1.0), "beta": values(64)},
        lambda x, g, b: F.layer_norm(x, (64,), g, b, 1e-5),
        axis=-1,
        eps=1e-5,
    )
    for name, shape, axis in (
        ("last", (3, 4, 17), -1),
        ("middle", (3, 9, 5), 1),
        ("first", (11, 4), 0),
        ("one", (5, 1), -1),
    ):
        r.add(
            f"softmax-{name}",
            "softmax",
            {"x": values(*shape, scale=4.0)},
            lambda x, a=axis: torch.softmax(x, a),
            axis=axis,
        )
    r.add("softmax-large", "softmax", {"x": values(4, 9, scale=10000.0)}, lambda x: torch.softmax(x, -1), axis=-1)


def _gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return F.gelu(x, approximate="tanh")


def _activations(r: Recorder) -> None:
    anywhere = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_tanh": _gelu_tanh,
        "silu": F.silu,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "exp": torch.exp,
        "neg": torch.neg,
        "abs": torch.abs,
        "sin": torch.sin,
        "cos": torch.cos,
        "round": torch.round,
    }
    positive = {"log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt}
    for kind, function in anywhere.items():
        r.add(f"activation-{kind}", "activation", {"x": values(3, 5, 17, scale=6.0)}, function, kind=kind)
        if kind not in ("exp", "sin", "cos"):
            far = f32(0.0, -0.0, 1e-30, -1e-30, 20.0, -20.0, 100.0, -100.0, 1e4, -1e4, 3e38, -3e38)
            r.add(f"activation-{kind}-far", "activation", {"x": far}, function, kind=kind)
        edges = f32(INF, -INF, NAN)
        if kind in ("relu", "sigmoid", "tanh", "exp", "neg", "abs"):
            r.add(f"activation-{kind}-edges", "activation", {"x": edges}, function, kind=kind)
    for kind, function in positive.items():
        r.add(f"activation-{kind}", "activation", {"x": values(3, 5, 17, center=5.0, scale=4.9)}, function, kind=kind)
        edges = f32(INF, NAN, 1.0, -1.0, 1e-30, 0.0)
        r.add(f"activation-{kind}-edges", "activation", {"x": edges}, function, kind=kind)
    r.add("activation-exp-far", "activation", {"x": f32(0.0, -0.0, 80.0, -80.0, -200.0)}, torch.exp, kind="exp")
    for kind in ("sin", "cos"):
        far = {"x": values(64, scale=1000.0)}
        r.add(f"activation-{kind}-far", "activation", far, getattr(torch, kind), kind=kind)
    halves = f32(0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, -3.5, 0.49999997, 8388607.5, 8388609.0, -0.0, 1e9)
    r.add("activation-round-halves", "activation", {"x": halves}, torch.round, kind="round")


def _binaries(r: Recorder) -> None:
    functions = {
        "add": torch.add,
        "sub": torch.sub,
        "mul": torch.mul,
        "div": torch.div,
        "max": torch.maximum,
        "min": torch.minimum,
    }
    shapes = {"same": ((3, 7), (3, 7)), "row": ((2, 3, 7), (7,)), "both": ((2, 1, 7), (3, 1)), "scalar": ((5,), ())}
    for kind, function in functions.items():
        for name, (a, b) in shapes.items():
            inputs = {"a": values(*a, scale=4.0), "b": values(*b, center=1.0, scale=3.0)}
            r.add(f"binary-{kind}-{name}", "binary", inputs, function, kind=kind)
    for kind in ("max", "min"):
        inputs = {"a": f32(NAN, 1.0, INF, -INF, 2.0), "b": f32(1.0, NAN, 3.0, 3.0, INF)}
        r.add(f"binary-{kind}-edges", "binary", inputs, functions[kind], kind=kind)
    r.add(
        "binary-div-zero",
        "binary",
        {"a": f32(1.0, -1.0, 0.0, 0.0), "b": f32(0.0, 0.0, 2.0, 0.0)},
        torch.div,
        kind="div",
    )
    for name, (a, b) in shapes.items():
        inputs = {"a": values(*a, center=2.0, scale=1.9), "b": values(*b, scale=3.0)}
        r.add(f"binary-pow-{name}", "binary", inputs, torch.pow, kind="pow")
    base = f32(-2.0, -2.0, -3.0, 0.0, 0.0, 0.0, -8.0, 5.0, 1.0, -1.5, NAN, 2.0)
    exponent = f32(2.0, 3.0, -1.0, 0.0, 2.0, -1.0, 0.5, 0.0, INF, 4.0, 0.0, -3.0)
    r.add("binary-pow-edges", "binary", {"a": base, "b": exponent}, torch.pow, kind="pow")
    compares = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}
    for kind, function in compares.items():
        inputs = {"a": f32(1.0, 2.0, 3.0, NAN, 0.0, INF), "b": f32(2.0, 2.0, 2.0, NAN, -0.0, INF)}
        r.add(f"compare-{kind}", "compare", inputs, function, kind=kind)
        r.add(f"compare-{kind}-broadcast", "compare", {"a": values(4, 1, 5), "b": values(3, 1)}, function, kind=kind)
    for name, (c, a, b) in {
        "same": ((3, 7), (3, 7), (3, 7)),
        "broadcast": ((2, 1, 7), (3, 1), (7,)),
        "scalar": ((4, 5), (), (4, 5)),
    }.items():
        r.add(f"where-{name}", "where", {"c": coins(*c), "a": values(*a), "b": values(*b)}, torch.where)


def _reductions(r: Recorder) -> None:
    functions = {
        "sum": lambda x, axes, keep: torch.sum(x, axes, keepdim=keep),
        "mean": lambda x, axes, keep: torch.mean(x, axes, keepdim=keep),
        "max": lambda x, axes, keep: torch.amax(x, axes, keepdim=keep),
        "min": lambda x, axes, keep: torch.amin(x, axes, keepdim=keep),
        "prod": _product,
    }
    for kind, function in functions.items():
        for name, shape, axes, keep in (
            ("last", (3, 5, 17), [2], False),
            ("first", (3, 5, 17), [0], True),
            ("two", (3, 5, 17), [0, 2], False),
            ("all", (4, 9), [0, 1], False),
            ("one", (6, 1), [1], False),
        ):
            x = values(*shape, scale=1.5)
            attrs = {"kind": kind, "axes": axes, "keep_dims": keep}
            r.add(
                f"reduce-{kind}-{name}", "reduce", {"x": x}, lambda x, a=axes, k=keep, f=function: f(x, a, k), **attrs
            )


def _product(x: torch.Tensor, axes: list[int], keep: bool) -> torch.Tensor:
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keepdim=keep)
    return x


def _convolutions(r: Recorder) -> None:
    def add(name, x, w, bias=True, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
        inputs = {"x": values(*x), "w": values(*w, scale=math.sqrt(3 / math.prod(w[1:])))}
        if bias:
            inputs["bias"] = values(w[0], scale=0.25)
        attrs = {"stride": list(stride), "padding": list(padding), "dilation": list(dilation), "groups": groups}
        compute = lambda x, w, b=None: F.conv2d(x, w, b, stride, padding, dilation, groups)
        r.add(f"conv2d-{name}", "conv2d", inputs, compute, **attrs)

    add("1x1", (1, 16, 5, 7), (12, 16, 1, 1))
    add("1x1-batch", (3, 8, 4, 6), (9, 8, 1, 1))
    add("1x1-no-bias", (1, 8, 4, 6), (9, 8, 1, 1), bias=False)
    add("1x1-stride", (2, 8, 7, 9), (5, 8, 1, 1), stride=(2, 2))
    add("3x3", (2, 4, 7, 9), (6, 4, 3, 3), padding=(1, 1))
    add("3x3-valid", (1, 4, 7, 9), (6, 4, 3, 3))
    add("3x3-stride", (1, 4, 8, 11), (6, 4, 3, 3), stride=(2, 2), padding=(1, 1))
    add("3x3-stride-uneven", (1, 4, 8, 11), (6, 4, 3, 3), stride=(1, 3), padding=(1, 0))
    add("3x3-dilation", (1, 4, 9, 11), (6, 4, 3, 3), padding=(2, 2), dilation=(2, 2))
    add("3x3-groups", (2, 6, 7, 5), (9, 2, 3, 3), padding=(1, 1), groups=3)
    add("depthwise", (1, 16, 7, 9), (16, 1, 3, 3), padding=(1, 1), groups=16)
    add("depthwise-batch", (3, 5, 6, 6), (5, 1, 3, 3), padding=(1, 1), groups=5)
    add("depthwise-1x1-map", (1, 8, 1, 1), (8, 1, 3, 3), padding=(1, 1), groups=8)
    add("depthwise-stride", (1, 6, 9, 9), (6, 1, 3, 3), stride=(2, 2), padding=(1, 1), groups=6)
    add("depthwise-multiplier", (1, 4, 6, 7), (8, 1, 3, 3), padding=(1, 1), groups=4)
    add("1x3", (1, 4, 5, 9), (4, 4, 1, 3), padding=(0, 1))
    add("5x5", (1, 3, 9, 9), (4, 3, 5, 5), padding=(2, 2))


def _shapes(r: Recorder) -> None:
    r.add("transpose-2d", "transpose", {"x": values(5, 9)}, lambda x: x.permute(1, 0), permutation=[1, 0])
    r.add(
        "transpose-4d",
        "transpose",
        {"x": values(2, 3, 4, 5)},
        lambda x: x.permute(0, 2, 1, 3),
        permutation=[0, 2, 1, 3],
    )
    r.add("narrow", "narrow", {"x": values(4, 9, 3)}, lambda x: x.narrow(1, 2, 5), axis=1, start=2, length=5)
    r.add("concat", "concat", {"a": values(2, 3, 4), "b": values(2, 5, 4)}, lambda a, b: torch.cat([a, b], 1), axis=1)
    r.add("expand", "expand", {"x": values(3, 1, 5)}, lambda x: x.expand(2, 3, 4, 5), shape=[2, 3, 4, 5])
    r.add("reshape", "reshape", {"x": values(4, 6)}, lambda x: x.reshape(2, 3, 4), shape=[2, 3, 4])
    for name, x, indices, axis in (
        ("rows", (9, 4), (5,), 0),
        ("columns", (3, 9), (4,), 1),
        ("matrix", (3, 9, 2), (2, 4), 1),
    ):

        def compute(x, indices, axis=axis):
            taken = x.index_select(axis, indices.flatten())
            return taken.unflatten(axis, tuple(indices.shape))

        r.add(
            f"gather-{name}", "gather", {"x": values(*x), "indices": numbers(0, x[axis], *indices)}, compute, axis=axis
        )
