#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completes the type stub of libnvme.nvme with the constants that swig found.

Called with the stub of classes and functions and with nvme.py; prints the whole stub.
"""

import re
import sys
from pathlib import Path

CONSTANT = re.compile(r"^((?:NVME|NVMF|nvme)_\w+) = ", re.MULTILINE)
STRINGS = {"NVME_DISC_SUBSYS_NAME"}


def main() -> None:
    """Print the stub."""
    stub, module = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3])
    print(stub, end="")
    for name in CONSTANT.findall(module):
        print(f"{name}: {'str' if name in STRINGS else 'int'}")


if __name__ == "__main__":
    main()
