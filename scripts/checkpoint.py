"""What the checkpoint converters share: reading state dicts, writing parameter files whole or not at all.

Runs inside the `golden` environment (see python_env.py).
"""

import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import save
from safetensors.torch import load_file

StateDict = dict[str, torch.Tensor]

# What the readers of checkpoints raise on broken or foreign files.
_READ_ERRORS = (SafetensorError, RuntimeError, EOFError, OSError, ValueError, KeyError, ImportError, AttributeError)


class ConversionError(Exception):
    """A checkpoint that can't be converted; the message names the thing, then expected and found."""


def load(path: Path, trust_pickle: bool = False) -> object:
    """What a .safetensors, .pth or .pt file holds.

    A pickle that holds more than tensors can run code when it is read: only with `trust_pickle`.
    """
    if not path.is_file():
        raise ConversionError(f"'{path}': no such file")
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        return torch.load(path, map_location="cpu", weights_only=not trust_pickle)
    except pickle.UnpicklingError as error:
        if not trust_pickle and "Unsupported global" in str(error):
            raise ConversionError(
                f"'{path}': holds pickled objects, not tensors alone; pass --trust-pickle if you trust its origin"
            ) from error
        raise ConversionError(f"'{path}': not a readable checkpoint: its pickle is broken") from error
    except _READ_ERRORS as error:
        raise ConversionError(f"'{path}': not a readable checkpoint: {_first_line(error)}") from error


def state_dict(checkpoint: object, path: Path) -> StateDict:
    """The state dict in a checkpoint, looked for where training scripts put it."""
    for key in ("model", "state_dict"):
        if isinstance(checkpoint, dict) and isinstance(checkpoint.get(key), dict):
            checkpoint = checkpoint[key]
    if not isinstance(checkpoint, dict):
        raise ConversionError(f"'{path}': expected a state dict, found {type(checkpoint).__name__}")
    tensors = {name: value for name, value in checkpoint.items() if isinstance(value, torch.Tensor)}
    if not tensors:
        raise ConversionError(f"'{path}': expected a state dict, found no tensor")
    return tensors


def find_prefix(state: StateDict, marker: str, what: str, chosen: str | None) -> str:
    """The prefix of the one module whose state has `prefix + marker`, or `chosen`, checked to be one."""
    found = sorted(name.removesuffix(marker) for name in state if name.endswith(marker))
    if chosen is not None:
        prefix = chosen if not chosen or chosen.endswith(".") else chosen + "."
        if prefix in found:
            return prefix
        raise ConversionError(f"prefix '{chosen}': expected one of {_quoted(found)}, the {what}s of this checkpoint")
    if not found:
        raise ConversionError(f"expected a {what}, found no tensor named '*{marker}'")
    if len(found) > 1:
        raise ConversionError(f"found {len(found)} {what}s; choose one with --prefix: {_quoted(found)}")
    return found[0]


def take(state: StateDict, name: str, shape: tuple[int, ...] | None = None) -> torch.Tensor:
    """The tensor `name` in double precision, after checking that it is there and has the shape."""
    if name not in state:
        raise ConversionError(f"tensor '{name}': missing from the checkpoint")
    value = state[name]
    if shape is not None and tuple(value.shape) != shape:
        raise ConversionError(f"tensor '{name}': expected shape {list(shape)}, found {list(value.shape)}")
    if not value.dtype.is_floating_point:
        raise ConversionError(f"tensor '{name}': expected a float type, found {value.dtype}")
    return value.detach().double()


def rounded(params: StateDict) -> dict[str, np.ndarray]:
    """The params as f32, the type that RLX's models declare."""
    return {name: np.ascontiguousarray(value.float().numpy()) for name, value in params.items()}


def write(path: Path, params: dict[str, np.ndarray]) -> None:
    """Writes a safetensors file under a temporary name, then renames it: never half-written."""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    except OSError as error:
        raise ConversionError(f"'{path}': cannot write: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(save(params))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise ConversionError(f"'{path}': cannot write: {error.strerror}") from error
        raise


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) if names else "(none)"
