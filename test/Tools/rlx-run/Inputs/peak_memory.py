"""Compiles a builtin and runs it, and fails if the process needs more memory than the compiler says, plus 10 MB.

peak_memory.py SOURCE_DIR FOLDER BUILTIN; finds the tools on PATH.
"""

import json
import math
import os
import shutil
import sys
from pathlib import Path

source, folder, model = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "scripts"))
from demo_model import Shapes, call, signature


def write_zeros(path: Path, shapes: Shapes) -> int:
    """Writes tensors of zeros, and returns their bytes."""
    header, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # tensors that are not aligned would be copied
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)
    return end


def peak_bytes(*command: object) -> int:
    """The most memory that a program had, of those it ran successfully."""
    words = [str(word) for word in command]
    process = os.posix_spawn(shutil.which(words[0]), words, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"error: {words[0]}: failed")
    return 1024 * usage.ru_maxrss


folder.mkdir(parents=True, exist_ok=True)
module, report = folder / "module.so", folder / "report.json"
call("rlx-compile", model, "-o", module, "--report", report)
groups = signature(call("rlx-run", module, "--info"))
files = {name: folder / f"{name}.safetensors" for name in groups}
sizes = {name: write_zeros(files[name], shapes) for name, shapes in groups.items()}
peak = peak_bytes("rlx-run", module, "--params", files["params"], "--inputs", files["inputs"], "--outputs",
                  folder / "result.safetensors")
memory = json.loads(report.read_text())["memory"]
allowed = sum(sizes.values()) + memory["packed_params"] + memory["workspace"] + 10 * 1024 * 1024
print(f"{model}: peak {peak} bytes, allowed {allowed}: tensors {sizes}, {memory}")
sys.exit(peak > allowed)
