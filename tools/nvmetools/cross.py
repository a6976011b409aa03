# SPDX-License-Identifier: GPL-2.0-or-later
"""Provide libraries of another architecture to compile against, and meson's cross file."""

import argparse
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import ToolError, debian
from .archive import unpacked
from .cache import Cache, add_option
from .ui import Ui, failure

#: Packages that the project and its unit tests link with.
PACKAGES = (
    "libc6-dev", "libcmocka-dev", "libjson-c-dev", "libkeyutils-dev", "libmnl-dev", "libssl-dev",
)  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """An architecture, as named by Debian, the compiler, meson and QEMU."""

    compiler: str
    libraries: str
    family: str
    endian: str
    emulator: str


MACHINES = {
    "arm64": Machine("aarch64-linux-gnu", "aarch64-linux-gnu", "aarch64", "little", "aarch64"),
    "i386": Machine("i686-linux-gnu", "i386-linux-gnu", "x86", "little", "i386"),
    "s390x": Machine("s390x-linux-gnu", "s390x-linux-gnu", "s390x", "big", "s390x"),
}

CROSS_FILE = """\
[binaries]
c = ['{compiler}-gcc', '--sysroot={root}']
ar = '{compiler}-ar'
strip = '{compiler}-strip'
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
exe_wrapper = ['qemu-{emulator}', '-L', '{root}']

[properties]
sys_root = '{root}'
pkg_config_libdir = '{root}/usr/lib/{libraries}/pkgconfig:{root}/usr/share/pkgconfig'
needs_exe_wrapper = true

[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""


def describe(cache: Cache, name: str, release: str, ui: Ui) -> str:
    """Return meson's cross file for an architecture, with Debian's libraries in the cache."""
    machine = MACHINES[name]
    for tool in (f"{machine.compiler}-gcc", f"qemu-{machine.emulator}"):
        if not shutil.which(tool):
            raise ToolError(f"{tool} is not installed: tools/setup cross installs it")
    root = unpacked(cache, release, PACKAGES, ui.say, name)
    # a link to /lib/... would point into this machine
    for link in (root / "usr/lib" / machine.libraries).glob("*.so"):
        if link.is_symlink() and link.readlink().is_absolute():
            target = f"{root}{link.readlink()}"
            link.unlink()
            link.symlink_to(os.path.relpath(target, link.parent))
    return CROSS_FILE.format(root=root, **vars(machine))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="tools/cross",
        description="Gets Debian's libraries of another kind of machine, and writes a cross file "
        "for meson, which compiles for it with Debian's cross compiler and runs its programs in "
        "qemu-user.",
    )
    top.add_argument("machine", choices=MACHINES, metavar="MACHINE", help=", ".join(MACHINES))
    top.add_argument("file", type=Path, metavar="FILE", help="the cross file")
    top.add_argument(
        "--release", default=debian.suite(), metavar="NAME",
        help="Debian's release that the libraries are of (%(default)s)",
    )  # fmt: skip
    add_option(top, "they")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file and return the exit status."""
    args = parser().parse_args(argv)
    ui = Ui()
    try:
        text = describe(Cache(args.cache), args.machine, args.release, ui)
        args.file.write_text(text)
    except (ToolError, OSError) as error:
        ui.say(failure("cross", error, "tools/cross --help"))
        return 1
    return 0
