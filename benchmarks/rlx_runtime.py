"""The runtime's C API (include/rlx/Runtime/runtime.h) through ctypes, as far as a benchmark needs it."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int64, c_uint32, c_void_p
from pathlib import Path

import numpy as np

_DTYPES = {"float32": 0, "float16": 1, "float64": 3, "int8": 4, "int32": 5, "int64": 6, "bool": 7}


class _Tensor(ctypes.Structure):
    """rlx_tensor."""

    _fields_ = [
        ("name", c_char_p),
        ("dtype", c_uint32),
        ("rank", c_uint32),
        ("dims", POINTER(c_int64)),
        ("data", c_void_p),
    ]


class RuntimeFailure(Exception):
    """An rlx_error; the message is its own."""


class Session:
    """A loaded module with its params, inputs and outputs in place, ready to run again and again."""

    def __init__(
        self,
        library: Path,
        module: Path,
        params: Path,
        inputs: dict[str, np.ndarray],
        output_shapes: dict[str, tuple[int, ...]],
        threads: int,
    ) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.rlx_error_message.restype = c_char_p
        for name in ("rlx_error_message", "rlx_error_free"):
            getattr(self._library, name).argtypes = [c_void_p]
        self._handles = {name: c_void_p() for name in ("module", "params", "session")}
        loaded, bound, session = self._handles.values()
        self._call("rlx_module_load", str(module).encode(), byref(loaded))
        self._call("rlx_params_bind_file", loaded, str(params).encode(), byref(bound))
        self._call("rlx_session_create", loaded, bound, byref(session))
        self._call("rlx_session_set_threads", session, c_uint32(threads))
        self._inputs = {name: np.ascontiguousarray(value) for name, value in inputs.items()}
        self.outputs = {name: np.empty(shape, dtype=np.float32) for name, shape in output_shapes.items()}
        for name, value in self._inputs.items():
            self._call("rlx_session_set_input", session, byref(_describe(name, value)))
        for name, value in self.outputs.items():
            self._call("rlx_session_set_output", session, byref(_describe(name, value)))
        self._call("rlx_session_prepare", session)
        self._run = self._library.rlx_session_run
        self._run.argtypes, self._run.restype = [c_void_p], c_void_p

    def run(self) -> None:
        """Runs once; the results are in `outputs`."""
        error = self._run(self._handles["session"])
        if error:
            self._raise(error)

    def _call(self, function: str, *arguments: object) -> None:
        pointer = getattr(self._library, function)
        pointer.restype = c_void_p
        error = pointer(*arguments)
        if error:
            self._raise(error)

    def _raise(self, error: int) -> None:
        message = self._library.rlx_error_message(error).decode()
        self._library.rlx_error_free(error)
        raise RuntimeFailure(message)


def _describe(name: str, value: np.ndarray) -> _Tensor:
    dims = (c_int64 * value.ndim)(*value.shape)
    return _Tensor(name.encode(), _DTYPES[value.dtype.name], value.ndim, dims, value.ctypes.data)
