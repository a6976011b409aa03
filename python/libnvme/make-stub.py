#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completes the type stub of libnvme.nvme: connect options, and the constants that swig found.

Called with the stub of classes and functions, with nvme.py and with the table of options; prints
the whole stub.
"""

import json
import re
import sys
from pathlib import Path

CONSTANT = re.compile(r"^((?:NVME|NVMF|nvme)_\w+) = ", re.MULTILINE)
STRINGS = {"NVME_DISC_SUBSYS_NAME"}
ADDRESSES = {"host_traddr"}
TYPES = {"text": "str | bytes", "key": "int", "number": "int", "flag": "bool"}


def config(table: str) -> str:
    """The keys of connect()'s dictionary."""
    return "\n".join(
        f"    {option['name']}: {TYPES[option['type']]}"
        f"{' | IPv4Address | IPv6Address' if option['name'] in ADDRESSES else ''} | None"
        for option in json.loads(table)["options"]
        if option["python"]
    )


def main() -> None:
    """Print the stub."""
    stub, module, table = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:4])
    print(stub.replace("@CONFIG@", config(table)), end="")
    for name in CONSTANT.findall(module):
        print(f"{name}: {'str' if name in STRINGS else 'int'}")


if __name__ == "__main__":
    main()
