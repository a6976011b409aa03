#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Complete the hand-written part of libnvme.nvme's types.

Called with _options.py.in and the table of options, print _options.py; called with the stub of
classes and functions and with nvme.py, print the stub with the constants that swig found. There,
"@property NAME...: TYPE" stands for a read-only property of each name.
"""

import json
import re
import sys
from pathlib import Path

PROPERTIES = re.compile(r"^    @property (.+?): (.+)$", re.MULTILINE)
CONSTANT = re.compile(r"^((?:NVME|NVMF|nvme)_\w+) = ", re.MULTILINE)
STRINGS = {"NVME_DISC_SUBSYS_NAME"}
ADDRESSES = {"host_traddr"}
TYPES = {"text": "str | bytes", "key": "int", "number": "int", "flag": "bool"}


def config(table: str) -> str:
    """Return the keys of connect()'s dictionary."""
    return "\n".join(
        f"    {option['name']}: {TYPES[option['type']]}"
        f"{' | IPv4Address | IPv6Address' if option['name'] in ADDRESSES else ''} | None"
        for option in json.loads(table)["options"]
        if option["python"]
    )


def properties(row: re.Match[str]) -> str:
    """Return the definitions of the properties in a row."""
    return "\n".join(
        f"    @property\n    def {name}(self) -> {row[2]}: ..." for name in row[1].split()
    )


def main() -> None:
    """Print the file."""
    source, other = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3])
    if sys.argv[2].endswith(".json"):
        print(source.replace("@CONFIG@", config(other)), end="")
        return
    print(PROPERTIES.sub(properties, source), end="")
    for name in CONSTANT.findall(other):
        print(f"{name}: {'str' if name in STRINGS else 'int'}")


if __name__ == "__main__":
    main()
