"""Checks that each C++ block of a page is in a source file as it stands: check_snippets.py PAGE SOURCE."""

import re
import sys
from pathlib import Path

page, source = sys.argv[1:]
snippets = re.findall(r"^```cpp\n(.*?)^```$", Path(page).read_text(), re.DOTALL | re.MULTILINE)
if not snippets:
    sys.exit(f"{page}: expected a block of C++, found none")
for snippet in snippets:
    if snippet not in Path(source).read_text():
        sys.exit(f"{page}: the block that starts with '{snippet.splitlines()[0]}' is not in {source}")
