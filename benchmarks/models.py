"""Both models in plain PyTorch, from RLX's params: what the peers run and the reference is computed with.

`variant` says how attention is written, since each engine has its own favourite:
`matmul` as two products around a softmax, `sdpa` as scaled_dot_product_attention, `mha` as ONNX Runtime's
fused com.microsoft.MultiHeadAttention (export only).
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from workloads import Arrays, Workload

VARIANTS = ("matmul", "sdpa", "mha")


def build(workload: Workload, params: Arrays, variant: str) -> nn.Module:
    """The workload's model in f32 and eval mode; call it with the inputs in their order."""
    kind = PsaBlock if workload.model == "psa-block" else TwoWayTransformer
    return kind(workload.keys, params, variant).eval().requires_grad_(False)


def attention(q: Tensor, k: Tensor, v: Tensor, heads: int, mask: Tensor | None, variant: str) -> Tensor:
    """Attention on [B, L, heads * size]; `mask`, [Lk], says which keys count."""
    if variant == "mha":
        padding = None if mask is None else mask.to(torch.int32)[None]
        shape = (q.shape[0], q.shape[1], v.shape[2])
        operands, attributes = (q, k, v, None, padding), {"num_heads": heads}
        if mask is None:
            operands = (q, k, v)
        return torch.onnx.ops.symbolic(
            "com.microsoft::MultiHeadAttention", operands, attributes, dtype=q.dtype, shape=shape, version=1
        )
    q, k, v = (x.unflatten(2, (heads, -1)).transpose(1, 2) for x in (q, k, v))
    if variant == "sdpa":
        # ONNX Runtime's Attention takes no mask that is broadcast over the queries.
        rows = None if mask is None else mask.expand(1, 1, q.shape[2], -1)
        out = F.scaled_dot_product_attention(q, k, v, rows)
    else:
        scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(2, 3)
        if mask is not None:
            scores = scores + torch.where(mask, 0.0, -math.inf).to(scores.dtype)
        out = torch.softmax(scores, -1) @ v
    return out.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Projections, attention, projection: the block of docs/spec.md, section 3."""

    def __init__(self, params: Arrays, prefix: str, heads: int, variant: str) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (_linear(params, f"{prefix}.{short}") for short in "qkvo")
        self.heads, self.variant = heads, variant

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.o(attention(self.q(q), self.k(k), self.v(v), self.heads, mask, self.variant))


class TwoWayLayer(nn.Module):
    """One layer, prefix L{i}."""

    def __init__(self, params: Arrays, prefix: str, heads: int, skip_pe: bool, variant: str) -> None:
        super().__init__()
        names = (("self_attention", "self"), ("t2i", "t2i"), ("i2t", "i2t"))
        for attribute, short in names:
            setattr(self, attribute, Attention(params, f"{prefix}.{short}", heads, variant))
        self.mlp = nn.Sequential(_linear(params, f"{prefix}.mlp1"), nn.ReLU(), _linear(params, f"{prefix}.mlp2"))
        self.n1, self.n2, self.n3, self.n4 = (_norm(params, f"{prefix}.n{index}") for index in range(1, 5))
        self.skip_pe = skip_pe

    def forward(self, q: Tensor, k: Tensor, qpe: Tensor, kpe: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        if self.skip_pe:
            q = self.self_attention(q, q, q, mask)
        else:
            q = q + self.self_attention(q + qpe, q + qpe, q, mask)
        q = self.n1(q)
        q = self.n2(q + self.t2i(q + qpe, k + kpe, k))
        q = self.n3(q + self.mlp(q))
        k = self.n4(k + self.i2t(k + kpe, q + qpe, q, mask))
        return q, k


class TwoWayTransformer(nn.Module):
    """docs/spec.md, section 3, on row sequences. `token_mask` hides unused token rows from all others."""

    def __init__(self, keys: dict, params: Arrays, variant: str) -> None:
        super().__init__()
        heads = keys["num_heads"]
        self.layers = nn.ModuleList(
            TwoWayLayer(params, f"L{i}", heads, keys["skip_first_layer_pe"] and i == 0, variant)
            for i in range(keys["depth"])
        )
        self.final = Attention(params, "final", heads, variant)
        self.final_ln = _norm(params, "final_ln")

    def forward(
        self, tokens: Tensor, image_seq: Tensor, image_pe: Tensor, token_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q, k = tokens, image_seq
        for layer in self.layers:
            q, k = layer(q, k, tokens, image_pe, token_mask)
        q = self.final_ln(q + self.final(q + tokens, k + image_pe, k))
        return q, k


class PsaBlock(nn.Module):
    """docs/spec.md, section 4, written as ultralytics writes it."""

    def __init__(self, keys: dict, params: Arrays, variant: str) -> None:
        super().__init__()
        self.qkv, self.proj, self.ffn1, self.ffn2 = (_conv(params, n) for n in ("qkv", "proj", "ffn1", "ffn2"))
        self.pe = _conv(params, "pe", padding=1, groups=keys["c"])
        self.heads, self.key_dim, self.variant = keys["heads"], keys["c"] // keys["heads"] // 2, variant

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.proj(self._attention(x))
        return x + self.ffn2(F.silu(self.ffn1(x)))

    def _attention(self, x: Tensor) -> Tensor:
        batch, c, height, width = x.shape
        size = self.key_dim
        split = self.qkv(x).view(batch, self.heads, 4 * size, height * width)
        q, k, v = split.split([size, size, 2 * size], dim=2)
        image = v.reshape(batch, c, height, width)
        if self.variant == "matmul":
            weights = ((q * size**-0.5).transpose(2, 3) @ k).softmax(-1)
            out = v @ weights.transpose(2, 3)
        elif self.variant == "sdpa":
            out = F.scaled_dot_product_attention(*(part.transpose(2, 3) for part in (q, k, v))).transpose(2, 3)
        else:
            rows = (part.permute(0, 3, 1, 2).flatten(2) for part in (q, k, v))
            out = attention(*rows, self.heads, None, self.variant).transpose(1, 2)
        return out.reshape(batch, c, height, width) + self.pe(image)


def _linear(params: Arrays, prefix: str) -> nn.Linear:
    weight = params[f"{prefix}.w"]
    layer = nn.Linear(*weight.shape)
    layer.weight.data = torch.from_numpy(np.ascontiguousarray(weight.T))
    layer.bias.data = torch.from_numpy(params[f"{prefix}.b"])
    return layer


def _norm(params: Arrays, prefix: str) -> nn.LayerNorm:
    layer = nn.LayerNorm(params[f"{prefix}.g"].shape, eps=1e-5)
    layer.weight.data = torch.from_numpy(params[f"{prefix}.g"])
    layer.bias.data = torch.from_numpy(params[f"{prefix}.b"])
    return layer


def _conv(params: Arrays, prefix: str, **options: int) -> nn.Conv2d:
    weight = params[f"{prefix}.w"]
    outer, inner, height, width = weight.shape
    layer = nn.Conv2d(inner * options.get("groups", 1), outer, (height, width), **options)
    layer.weight.data = torch.from_numpy(weight)
    layer.bias.data = torch.from_numpy(params[f"{prefix}.b"])
    return layer
