# Installs the headers, the runtime and its CMake package; see docs/runtime-api.md.
