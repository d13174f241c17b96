"""The deterministic tensor generator of the golden data (described for other languages in README.md).

A tensor is a pure function of (seed, name, rule, shape): no state, no dependence on the order of creation,
and the same bits in every language that has 64-bit integers and IEEE doubles.
"""

import math

import numpy as np

_GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def fnv1a64(text: str) -> int:
    """The 64-bit FNV-1a hash of the text's UTF-8 bytes."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return value


def _mix(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64, on uint64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def random_bits(seed: int, name: str, count: int) -> np.ndarray:
    """24-bit integers r[0..count), as int64."""
    base = _mix(np.array([(seed ^ fnv1a64(name)) & _MASK], dtype=np.uint64))
    index = np.arange(1, count + 1, dtype=np.uint64)
    return (_mix(base + index * np.uint64(_GAMMA)) >> np.uint64(40)).astype(np.int64)


def uniform(seed: int, name: str, shape: tuple[int, ...], center: float, scale: float) -> np.ndarray:
    """f32 values of [center - scale, center + scale)."""
    unit = random_bits(seed, name, math.prod(shape)).astype(np.float64) * 2.0**-23 - 1.0
    return (center + scale * unit).astype(np.float32).reshape(shape)


def integers(seed: int, name: str, shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
    """i64 values of [low, high)."""
    return (low + ((random_bits(seed, name, math.prod(shape)) * (high - low)) >> 24)).reshape(shape)


def booleans(seed: int, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Fair coins."""
    return (random_bits(seed, name, math.prod(shape)) >= 1 << 23).reshape(shape)


def prefix_mask(shape: tuple[int, ...], rows: int, columns: int) -> np.ndarray:
    """f32: 1 where (index in the last but one axis < rows) and (index in the last axis < columns), else 0."""
    mask = np.zeros(shape, dtype=np.float32)
    mask[..., :rows, :columns] = 1.0
    return mask


def tensor(seed: int, name: str, spec: dict) -> np.ndarray:
    """The tensor that a `spec` of cases.json or ops.json describes; see README.md for the rules."""
    shape = tuple(spec["shape"])
    rule = spec["rule"]
    if rule == "uniform":
        return uniform(seed, name, shape, spec["center"], spec["scale"])
    if rule == "integers":
        return integers(seed, name, shape, spec["low"], spec["high"])
    if rule == "booleans":
        return booleans(seed, name, shape)
    if rule == "prefix_mask":
        return prefix_mask(shape, spec["rows"], spec["columns"])
    raise ValueError(f"tensor '{name}': unknown rule '{rule}'")
