"""Writes a safetensors file: write_floats.py FILE NAME=2x3=1,2,3,4,5,6 ..."""

import json
import struct
import sys

header, data = {}, b""
for argument in sys.argv[2:]:
    name, dims, values = argument.split("=")
    elements = [float(value) for value in values.split(",")]
    start = len(data)
    data += struct.pack(f"<{len(elements)}f", *elements)
    header[name] = {
        "dtype": "F32",
        "shape": [int(dim) for dim in dims.split("x")],
        "data_offsets": [start, len(data)],
    }
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
