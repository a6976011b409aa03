# SPDX-License-Identifier: GPL-2.0-or-later
"""The QEMU that emulates guests: the machine's own, or Debian 13's where that is too old.

Until 8.1 QEMU translates code of the guest without a lock on its page. A processor may then keep
what it translated while another one was patching that page: the kernel ends with "Oops: int3" in a
function that a static key changes, about once in a hundred boots.
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
    """Returns the version that ``qemu --version`` told, empty if it told none."""
    found = re.search(r"version (\d+)\.(\d+)", told)
    return tuple(map(int, found.groups())) if found else ()


def find(cache: Cache, note: Note) -> tuple[str, ...]:
    """Returns the command to emulate with; Debian 13's is downloaded when it is needed."""
    check_installed()
    told = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout
    if version_of(told) >= FIXED_IN:
        return (QEMU,)
    try:
        top = unpacked(cache, RELEASE, (PACKAGE,), note)
    except ToolError as error:
        note(f"the machine's own QEMU emulates, a guest of which may crash: {error}")
        return (QEMU,)
    firmware = [word for name in ("qemu", "seabios") for word in ("-L", f"{top}/usr/share/{name}")]
    return (*Original(top).command(top / "usr/bin" / QEMU), *firmware)
