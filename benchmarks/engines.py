"""The engines that are compared. Each runs in a worker process of its own (worker.py).

An engine is made for one workload, thread count and variant; after `prepare`, `run` does one run on inputs that are
in place already and leaves the outputs where `outputs` finds them. What it imports it imports late, so that a
package that is missing or broken is that engine's failure alone.
"""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np

import artifacts
from workloads import Arrays, Workload


class Unavailable(Exception):
    """The engine can't take part; the message says why."""


class Engine:
    """One way to run a workload."""

    name = ""
    packages: tuple[str, ...] = ()  # whose versions identify the engine
    precisions: tuple[str, ...] = ("f32",)
    variants: tuple[str, ...] = ("matmul",)  # of attention, see models.py: the fastest one counts

    def __init__(self, workload: Workload, threads: int, variant: str) -> None:
        self.workload, self.threads, self.variant = workload, threads, variant

    def prepare(self) -> None:
        """Loads and compiles; not measured."""
        raise NotImplementedError

    def run(self) -> None:
        """One run; measured."""
        raise NotImplementedError

    def outputs(self) -> Arrays:
        """The outputs of the last run."""
        raise NotImplementedError

    @classmethod
    def version(cls) -> str:
        """The versions of its packages, or what is missing."""
        try:
            return ", ".join(f"{package} {metadata.version(package)}" for package in cls.packages)
        except metadata.PackageNotFoundError as error:
            raise Unavailable(f"package {error.name} is not installed") from error

    def _onnx(self) -> Path:
        path = artifacts.onnx_file(self.workload, self.variant)
        if not path.exists():
            raise Unavailable(f"no ONNX graph of variant {self.variant}")
        return path

    def _named(self, values: list) -> Arrays:
        return {name: np.asarray(value) for name, value in zip(self.workload.outputs, values)}


class Rlx(Engine):
    """This project: rlx-compile, then the runtime's C API in process."""

    name = "rlx"
    precisions = ("f32", "bf16", "f16")
    variants = ("builtin",)

    def prepare(self) -> None:
        import rlx_runtime

        build = Path(os.environ["RLX_BUILD_DIR"])
        compiler, library = build / "bin" / "rlx-compile", build / "lib" / "librlx_runtime.so"
        for path in (compiler, library):
            if not path.exists():
                raise Unavailable(f"not built ({path.name})")
        folder = artifacts.folder(self.workload)
        module = folder / f"rlx-{os.getpid()}.so"
        command = [compiler, self.workload.builtin, "-o", module, "--emit", "shared"]
        command += ["--precision", self.workload.precision] if self.workload.precision != "f32" else []
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
            raise Unavailable(f"rlx-compile: {lines[0]}")
        try:
            inputs = artifacts.load_file(folder / "rlx_inputs.safetensors")
            shapes = {name: value.shape for name, value in self._reference_shapes().items()}
            self._session = rlx_runtime.Session(
                library, module, folder / "params.safetensors", inputs, shapes, self.threads
            )
        finally:
            module.unlink()

    def run(self) -> None:
        self._session.run()

    def outputs(self) -> Arrays:
        return self._session.outputs

    def _reference_shapes(self) -> Arrays:
        """The outputs' shapes: those of the inputs that they replace."""
        inputs = artifacts.peer_inputs(self.workload)
        if self.workload.model == "psa-block":
            return {"y": inputs["x"]}
        return {"queries_out": inputs["tokens"], "keys_out": inputs["image_seq"]}


class OnnxRuntime(Engine):
    """ONNX Runtime with all graph optimizations; `mha` is its own fused attention."""

    name = "onnxruntime"
    packages = ("onnxruntime",)
    variants = ("matmul", "sdpa", "mha")

    def prepare(self) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = ort.InferenceSession(self._onnx(), options, providers=["CPUExecutionProvider"])
        self._binding = self._session.io_binding()
        for name, value in artifacts.peer_inputs(self.workload).items():
            self._binding.bind_cpu_input(name, value)
        for name in self.workload.outputs:
            self._binding.bind_output(name, "cpu")

    def run(self) -> None:
        self._session.run_with_iobinding(self._binding)

    def outputs(self) -> Arrays:
        return self._named(self._binding.copy_outputs_to_cpu())


class OpenVino(Engine):
    """OpenVINO on the CPU, tuned for latency."""

    name = "openvino"
    packages = ("openvino",)
    precisions = ("f32", "bf16")
    variants = ("matmul", "sdpa")

    def prepare(self) -> None:
        import openvino as ov

        core = ov.Core()
        hints = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": self.threads,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": self.workload.precision,
        }
        compiled = core.compile_model(core.read_model(self._onnx()), "CPU", hints)
        self._request = compiled.create_infer_request()
        self._inputs = artifacts.peer_inputs(self.workload)
        for name, value in self._inputs.items():
            self._request.set_tensor(name, ov.Tensor(value, shared_memory=True))

    def run(self) -> None:
        self._request.infer()

    def outputs(self) -> Arrays:
        return self._named([self._request.get_tensor(name).data.copy() for name in self.workload.outputs])


class Torch(Engine):
    """PyTorch, eager."""

    name = "torch"
    packages = ("torch",)
    precisions = ("f32", "bf16")
    variants = ("matmul", "sdpa")

    def prepare(self) -> None:
        import torch

        import models

        torch.set_num_threads(self.threads)
        self._torch = torch
        self._dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[self.workload.precision]
        model = models.build(self.workload, artifacts.params(self.workload), self.variant).to(self._dtype)
        inputs = [torch.from_numpy(value) for value in artifacts.peer_inputs(self.workload).values()]
        self._inputs = [value.to(self._dtype) if value.dtype == torch.float32 else value for value in inputs]
        self._call = self._compiled(model)
        self.run()

    def _compiled(self, model):
        return model

    def run(self) -> None:
        with self._torch.inference_mode():
            self._result = self._call(*self._inputs)

    def outputs(self) -> Arrays:
        result = self._result if isinstance(self._result, tuple) else (self._result,)
        return self._named([value.float().numpy() for value in result])


class TorchCompile(Torch):
    """PyTorch through its compiler, weights frozen (constant-folded and packed)."""

    name = "torch.compile"

    def _compiled(self, model):
        from torch._inductor import config

        config.freezing = True
        return self._torch.compile(model, fullgraph=True, dynamic=False)

    def run(self) -> None:
        with self._torch.no_grad():
            self._result = self._call(*self._inputs)


class Iree(Engine):
    """IREE's CPU backend, from the ONNX graph."""

    name = "iree"
    packages = ("iree-base-compiler", "iree-base-runtime")
    variants = ("matmul",)

    def prepare(self) -> None:
        from iree import runtime

        if self.threads > 1:
            runtime.flags.parse_flags(f"--task_topology_group_count={self.threads}")
        config = runtime.Config(device=runtime.get_device("local-task" if self.threads > 1 else "local-sync"))
        module = runtime.VmModule.mmap(config.vm_instance, str(self._compiled()))
        self._function = runtime.load_vm_module(module, config)[self._entry()]
        inputs = artifacts.peer_inputs(self.workload).values()
        self._inputs = [runtime.asdevicearray(config.device, value) for value in inputs]
        self.run()

    def run(self) -> None:
        self._result = self._function(*self._inputs)

    def outputs(self) -> Arrays:
        result = self._result if isinstance(self._result, (tuple, list)) else [self._result]
        return self._named([value.to_host() for value in result])

    def _compiled(self) -> Path:
        """The compiled module; kept beside the graph, since compiling it takes long."""
        target = self._onnx().with_suffix(".vmfb")
        if target.exists():
            return target
        imported = target.with_suffix(f".{os.getpid()}.mlir")
        temporary = target.with_suffix(f".{os.getpid()}.vmfb")
        flags = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"]
        flags += ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]
        for command in (
            [sys.executable, "-m", "iree.compiler.tools.import_onnx", self._onnx(), "-o", imported],
            [Path(sys.executable).parent / "iree-compile", imported, "-o", temporary, *flags],
        ):
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                lines = [line for line in result.stderr.splitlines() if "error" in line.lower()]
                raise Unavailable(f"compilation: {(lines or ['exit code ' + str(result.returncode)])[0][:200]}")
        temporary.rename(target)
        imported.unlink()
        return target

    def _entry(self) -> str:
        import onnx

        return onnx.load(self._onnx(), load_external_data=False).graph.name


ENGINES: dict[str, type[Engine]] = {
    engine.name: engine for engine in (Rlx, OnnxRuntime, OpenVino, Torch, TorchCompile, Iree)
}
