# SPDX-License-Identifier: GPL-2.0-or-later
"""Find the originals: nvme-cli and libnvme of Debian, unpacked and run by their own loader.

The project's promises are compared with version 2.16 of Debian testing, and programs that run with
a release's library are compared with Debian 13's.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from nvmetools import ToolError
from nvmetools.archive import unpacked
from nvmetools.cache import Cache
from nvmetools.debian import Note

RELEASE = "trixie"
TESTING = "testing"
#: The version to which the README compares this project.
VERSION = "2.16"
PACKAGES = ("nvme-cli", "libnvme1t64")


@dataclass(frozen=True)
class Original:
    """Location of the original's files."""

    top: Path

    @property
    def loader(self) -> Path:
        """Return the dynamic loader of its release."""
        return self.top / "usr/lib64/ld-linux-x86-64.so.2"

    @property
    def libraries(self) -> Path:
        """Return the directory of its libraries, with the C library that they were built for."""
        return self.top / "usr/lib/x86_64-linux-gnu"

    @property
    def nvme(self) -> Path:
        return self.top / "usr/sbin/nvme"

    @property
    def version(self) -> str:
        """Return the version that its nvme command reports."""
        done = subprocess.run(
            self.command(self.nvme, "version"), capture_output=True, text=True, check=False
        )
        words = done.stdout.split()
        return words[2] if done.returncode == 0 and len(words) > 2 else "unknown"

    def command(self, program: Path, *args: str) -> list[str]:
        """Return the command that runs a program with these libraries."""
        return [str(self.loader), "--library-path", str(self.libraries), str(program), *args]


def find_debian13(cache: Cache, note: Note) -> Original:
    """Return the original of Debian 13, downloaded if it is not in the cache."""
    return Original(unpacked(cache, RELEASE, PACKAGES, note))


def find(cache: Cache, note: Note) -> Original:
    """Return the original of ``VERSION``, downloaded if it is not in the cache.

    Testing moves on: a cached copy is kept. Without one, Debian 13's is returned, which has another
    version.
    """
    try:
        original = Original(unpacked(cache, TESTING, PACKAGES, note))
    except ToolError as error:
        note(f"nvme-cli {VERSION} cannot be downloaded: {str(error).splitlines()[0]}")
        return find_debian13(cache, note)
    if original.version == VERSION:
        return original
    note(f"Debian testing has nvme-cli {original.version}, not {VERSION}")
    return find_debian13(cache, note)
