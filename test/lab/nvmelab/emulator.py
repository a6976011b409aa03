# SPDX-License-Identifier: GPL-2.0-or-later
"""Find the QEMU that emulates guests: the machine's own, or Debian 13's if that is too old.

Before 8.1, QEMU translates guest code without a lock on its page. A CPU may then keep a stale
translation while another CPU patches the page: about once in a hundred boots, the kernel dies with
"Oops: int3" in a function that a static key changes.
"""

import re
import subprocess

from nvmetools import ToolError
from nvmetools.archive import unpacked
from nvmetools.cache import Cache
from nvmetools.debian import Note

from .machine import QEMU, check_installed
from .original import RELEASE, Original

FIXED_IN = (8, 1)
PACKAGE = "qemu-system-x86"


def version_of(told: str) -> tuple[int, ...]:
    """Return the version in the output of ``qemu --version``, or an empty tuple."""
    found = re.search(r"version (\d+)\.(\d+)", told)
    return tuple(map(int, found.groups())) if found else ()


def find(cache: Cache, note: Note) -> tuple[str, ...]:
    """Return the command of the emulator; Debian 13's QEMU is downloaded if it is needed."""
    check_installed()
    told = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout
    if version_of(told) >= FIXED_IN:
        return (QEMU,)
    try:
        top = unpacked(cache, RELEASE, (PACKAGE,), note)
    except ToolError as error:
        note(f"using the installed QEMU, whose guests may crash: {error}")
        return (QEMU,)
    firmware = [word for name in ("qemu", "seabios") for word in ("-L", f"{top}/usr/share/{name}")]
    return (*Original(top).command(top / "usr/bin" / QEMU), *firmware)
