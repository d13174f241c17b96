"""Workloads: what workloads.json says, and the weights and inputs that every engine gets alike."""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FILE = Path(__file__).resolve().parent / "workloads.json"
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Workload:
    """One model at one size and precision."""

    name: str
    suite: str
    precision: str
    model: str
    keys: dict[str, int | bool]  # every key of the builtin
    active: int | None  # masked graphs: how many of the token rows are real
    max_relative_error: float

    @property
    def builtin(self) -> str:
        """What rlx-compile is given."""
        values = {key: str(value).lower() for key, value in self.keys.items()}
        return f"builtin:{self.model}?" + "&".join(f"{key}={value}" for key, value in values.items())

    @property
    def outputs(self) -> tuple[str, ...]:
        """The graph's outputs, in order."""
        return ("queries_out", "keys_out") if self.model == "two-way-transformer" else ("y",)

    def comparable(self, outputs: Arrays) -> Arrays:
        """The outputs without the rows that mean nothing: those of inactive tokens."""
        if self.active is None:
            return outputs
        return outputs | {"queries_out": outputs["queries_out"][:, : self.active]}


def load(suite: str, pattern: str) -> list[Workload]:
    """The workloads of a suite whose names contain a match of the regular expression."""
    data = json.loads(FILE.read_text())
    workloads = []
    for entry in data["workloads"]:
        if entry["suite"] == suite and re.search(pattern, entry["name"]):
            limit = data["max_relative_error"][entry["precision"]]
            keys = data["defaults"][entry["model"]] | entry["keys"]
            fields = {field: entry[field] for field in ("name", "suite", "precision", "model")}
            workloads.append(Workload(**fields, keys=keys, active=entry.get("active"), max_relative_error=limit))
    return workloads


def suites() -> list[str]:
    """The names of all suites."""
    return sorted({entry["suite"] for entry in json.loads(FILE.read_text())["workloads"]})


def make_params(workload: Workload) -> Arrays:
    """Random weights under RLX's names, scaled to keep every activation O(1)."""
    random = np.random.default_rng(1)
    shapes = _psa_shapes(workload.keys) if workload.model == "psa-block" else _two_way_shapes(workload.keys)
    return {name: _draw(random, name, shape) for name, shape in shapes.items()}


def make_inputs(workload: Workload) -> Arrays:
    """Random inputs that all engines take; masked graphs take more, see below."""
    random = np.random.default_rng(2)
    keys = workload.keys
    if workload.model == "psa-block":
        shapes = {"x": (keys["batch"], keys["c"], keys["h"], keys["w"])}
    else:
        image = (1, keys["k_n"], keys["embed_dim"])
        shapes = {"tokens": (1, keys["q_n"], keys["embed_dim"]), "image_seq": image, "image_pe": image}
    return {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def rlx_masks(workload: Workload) -> Arrays:
    """The masks of docs/spec.md, section 3, which RLX's masked graphs take as inputs."""
    if workload.active is None:
        return {}
    keys = workload.keys
    q_n, k_n, active = keys["q_n"], keys["k_n"], workload.active

    def mask(rows: int, columns: int, seen_rows: int, seen_columns: int) -> np.ndarray:
        values = np.zeros((1, keys["num_heads"], rows, columns), dtype=np.float32)
        values[:, :, :seen_rows, :seen_columns] = 1.0
        return values

    masks = {}
    for layer in range(keys["depth"]):
        masks[f"mask_L{layer}_self"] = mask(q_n, q_n, active, active)
        masks[f"mask_L{layer}_t2i"] = mask(q_n, k_n, active, k_n)
        masks[f"mask_L{layer}_i2t"] = mask(k_n, q_n, k_n, active)
    return masks | {"mask_final_t2i": mask(q_n, k_n, active, k_n)}


def peer_masks(workload: Workload) -> Arrays:
    """What a peer needs for the same result, at its cheapest: which tokens are keys that count."""
    if workload.active is None:
        return {}
    return {"token_mask": np.arange(workload.keys["q_n"]) < workload.active}


def _two_way_shapes(keys: dict) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    embed_dim = keys["embed_dim"]

    def linear(name: str, inner: int, outer: int) -> None:
        shapes[f"{name}.w"] = (inner, outer)
        shapes[f"{name}.b"] = (outer,)

    def attention(name: str, internal: int) -> None:
        for short in ("q", "k", "v"):
            linear(f"{name}.{short}", embed_dim, internal)
        linear(f"{name}.o", internal, embed_dim)

    def norm(name: str) -> None:
        shapes[f"{name}.g"] = shapes[f"{name}.b"] = (embed_dim,)

    for layer in range(keys["depth"]):
        attention(f"L{layer}.self", keys["self_internal_dim"])
        attention(f"L{layer}.t2i", keys["internal_dim"])
        attention(f"L{layer}.i2t", keys["internal_dim"])
        linear(f"L{layer}.mlp1", embed_dim, keys["mlp_dim"])
        linear(f"L{layer}.mlp2", keys["mlp_dim"], embed_dim)
        for index in range(1, 5):
            norm(f"L{layer}.n{index}")
    attention("final", keys["internal_dim"])
    norm("final_ln")
    return shapes


def _psa_shapes(keys: dict) -> dict[str, tuple[int, ...]]:
    c = keys["c"]
    shapes: dict[str, tuple[int, ...]] = {}
    for name, weight in {
        "qkv": (2 * c, c, 1, 1),
        "proj": (c, c, 1, 1),
        "pe": (c, 1, 3, 3),
        "ffn1": (2 * c, c, 1, 1),
        "ffn2": (c, 2 * c, 1, 1),
    }.items():
        shapes |= {f"{name}.w": weight, f"{name}.b": (weight[0],)}
    return shapes


def _draw(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    values = random.standard_normal(shape, dtype=np.float32)
    if name.endswith(".g"):
        return (1.0 + 0.1 * values).astype(np.float32)
    if name.endswith(".b"):
        return 0.1 * values
    fan_in = shape[0] if len(shape) == 2 else math.prod(shape[1:])
    return (values / np.float32(math.sqrt(fan_in))).astype(np.float32)
