# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the nvme modules that know the transport mptcp, out of tree.

Three modules are built of Debian's source with our edits, and nothing else of drivers/nvme is:
everything that is not about MPTCP stays the distribution's.
"""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nvmetools import ToolError
from nvmetools.archive import sources_of
from nvmetools.cache import Cache, key_of
from nvmetools.debian import Note, run

from . import root
from .releases import PREPARE, Release, Unpacked

#: What is built: the host's transport, and the target with its TCP transport.
MODULES = ("nvme-mptcp", "nvmet", "nvmet-tcp")

#: Would steer our make if an outer one, or the user, had set them.
STRAY_ENVIRONMENT = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "M", "O", "V", "W")

#: What a root needs to compile kernel modules and to run the programs of linux-kbuild. With W=1,
#: make runs kernel-doc, which up to 6.12 needs more of Perl than perl-base has.
BUILD_PACKAGES = ("make", "gcc", "binutils", "libelf1t64", "libssl3t64", "zlib1g", "perl")
#: And a whole kernel.
KERNEL_PACKAGES = (*BUILD_PACKAGES, "bc", "bison", "ccache", "flex", "libelf-dev", "kmod")

#: What sparse says of lines that are Debian's: part of a driver's path, and the line.
NOT_OURS = (("target/tcp.c", "cmd->req.cqe->status = NVME_SC_CMD_SEQ_ERROR;"),)

#: Shows the root what a compiler wants, at the names that it has outside, and runs make there.
IN_ROOT = """
mount --rbind /dev "$1/dev"; mount --rbind /proc "$1/proc"
mkdir -p "$1$2"; mount --bind "$2" "$1$2"
root=$1; shift 2
exec chroot "$root" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


def add_transport(source: Path, series: str) -> None:
    """Add the transport to a kernel's source; an edit without its place is an error."""
    run([PREPARE, "edit", source, series], f"adding the transport to {source.name}")


def relocate(makefile: Path, place: Path) -> None:
    """Lets the headers, which Debian fixes at /usr/src, find each other where they are unpacked."""
    text = re.sub(r"[^\s=]*/(?=linux-headers-)", f"{place}/", makefile.read_text())
    makefile.write_text(text)


def make_variables(drivers: Path) -> list[str]:
    """Returns the settings with which these drivers' Makefiles build our modules and no other."""
    return run([PREPARE, "settings", drivers], "reading the drivers' Makefiles").split()


@dataclass(frozen=True)
class Compiler:
    """Where make runs: on the machine itself, or in a root of another Debian release."""

    cache: Cache
    release: str = ""
    packages: tuple[str, ...] = BUILD_PACKAGES

    def prefix(self, note: Note) -> list[str | Path]:
        """Returns the words to put before a command; the root is made if it is not there."""
        if not self.release:
            return ["env"]
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        top = build_root(self.cache, self.release, self.packages, note)
        return ["unshare", "--mount", *user, "sh", "-ec", IN_ROOT, "sh", top, self.cache.top]

    def version(self) -> str:
        """Returns what a build by this compiler depends on."""
        if self.release:
            return key_of(self.release, *self.packages)
        versions = []
        for path in sorted(Path("/usr/bin").glob("x86_64-linux-gnu-gcc-[0-9]*")):
            versions.append(run([path, "--version"], path.name).split("\n")[0])
        return "\n".join([*versions, *self.checks()])

    def checks(self) -> list[str]:
        """Returns the words for make with which sparse looks at the drivers, if it is at hand.

        No release's sparse understands the headers of 7.x (__typeof_unqual__), so that a root has
        none.
        """
        return ["C=1"] if not self.release and shutil.which("sparse") else []

    def check(self, headers: Path) -> None:
        """Raises if the machine lacks the compiler that the kernel was built with."""
        found = re.search(r"\b(gcc-\d+)\b", (headers / ".kernelvariables").read_text())
        if not self.release and found and not shutil.which(f"x86_64-linux-gnu-{found[1]}"):
            raise ToolError(
                f"{headers.name} was built with {found[1]}: install the package {found[1]}"
            )


def build_root(cache: Cache, release: str, packages: Sequence[str], note: Note) -> Path:
    """Returns a small root of a Debian release with these packages, which compile in it."""
    lines = sources_of(release, backports=False)
    top = cache.top / f"build-root-{release}-{key_of(*packages, *lines)}"
    with cache.lock("build-root"):
        if not top.exists():
            with cache.scratch() as scratch:
                archive, tree = scratch / "root.tar", scratch / "tree"
                root.bootstrap(release, archive, packages, lines, note)
                root.unpack(archive, tree)
                tree.rename(top)
    return top


def build(
    release: Release,
    packages: Unpacked,
    series: str,
    compiler: Compiler,
    scratch: Path,
    note: Note,
) -> list[Path]:
    """Edit and compile the drivers; return the modules, stripped of debug information."""
    source = scratch / "source"
    shutil.copytree(packages.source, source)
    add_transport(source, series)
    drivers = source / "drivers/nvme"
    headers = packages.headers / f"linux-headers-{release.name}"
    compiler.check(headers)
    relocate(headers / "Makefile", packages.headers)
    command = [*compiler.prefix(note), *_make_command(headers, drivers), *compiler.checks()]
    note("compiling the nvme modules")
    said = run(command, f"compiling nvme for {release.name}")
    warnings = [line for line in said.splitlines() if WARNING.match(line) and not _known(line)]
    if warnings:
        raise ToolError("the nvme modules compile with warnings:\n" + "\n".join(warnings))
    modules = sorted(drivers.rglob("*.ko"))
    if sorted(module.stem for module in modules) != sorted(MODULES):
        names = ", ".join(module.name for module in modules) or "nothing"
        raise ToolError(
            f"expected the edited drivers to build {', '.join(MODULES)}, built: {names}"
        )
    run(["strip", "--strip-debug", *modules], "strip")
    return modules


#: A warning of the compiler or of sparse, and an error that sparse does not end the build with.
WARNING = re.compile(r"(?P<file>\S+\.[ch]):(?P<line>\d+):.* (warning|error): ")


def _known(warning: str) -> bool:
    """Tells whether a warning is about a line that is Debian's."""
    found = WARNING.match(warning)
    if not found or not any(found["file"].endswith(part) for part, _ in NOT_OURS):
        return False
    line = Path(found["file"]).read_text().splitlines()[int(found["line"]) - 1].strip()
    return any(found["file"].endswith(part) and line == text for part, text in NOT_OURS)


def _make_command(headers: Path, drivers: Path) -> list[str | Path]:
    unset = [word for variable in STRAY_ENVIRONMENT for word in ("-u", variable)]
    return [
        "env", *unset, "LC_ALL=C", "make", f"-j{os.cpu_count() or 1}", "-C", headers,
        f"M={drivers}", "W=1", *make_variables(drivers), "modules",
    ]  # fmt: skip
