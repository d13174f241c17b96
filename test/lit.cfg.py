# How lit runs the tests of the compiler and the tools. They find rlx-* tools, FileCheck
# and the like on PATH; %S/Inputs, EndToEnd, Golden and Unit hold no lit tests.
import os
import shutil
import sys

import lit.formats

config.name = "rlx"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["EndToEnd", "Inputs", "Golden", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.rlx_build_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.rlx_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# Sanitizers are told how to behave from outside.
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%source_dir", config.rlx_source_dir))
config.substitutions.append(("%mlir_include_dir", config.mlir_include_dir))
config.substitutions.append(("%build_dir", config.rlx_build_dir))

# REQUIRES: x86_64, or aarch64.
config.available_features.add(config.host_cpu.lower())
# REQUIRES: ptxas, NVIDIA's assembler.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
else:
    lit_config.note("no ptxas on PATH: PTX is not assembled")
if config.sanitize:
    config.available_features.add("sanitizer")
