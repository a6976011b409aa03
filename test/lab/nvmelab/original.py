# SPDX-License-Identifier: GPL-2.0-or-later
"""The original: Debian 13's nvme-cli and libnvme, unpacked and run by their own loader."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nvmetools.cache import Cache
from nvmetools.debian import Note

from .archive import unpacked

RELEASE = "trixie"
PACKAGES = ("nvme-cli", "libnvme1t64")


@dataclass(frozen=True)
class Original:
    """Where the original's files are."""

    top: Path

    @property
    def loader(self) -> Path:
        """What runs a program of its release."""
        return self.top / "usr/lib64/ld-linux-x86-64.so.2"

    @property
    def libraries(self) -> Path:
        """Its libraries, with the C library that they were built for."""
        return self.top / "usr/lib/x86_64-linux-gnu"

    @property
    def nvme(self) -> Path:
        """Its command."""
        return self.top / "usr/sbin/nvme"

    def command(self, program: Path, *args: str) -> list[str]:
        """Returns what runs a program over these libraries."""
        return [str(self.loader), "--library-path", str(self.libraries), str(program), *args]


def find(cache: Cache, note: Note) -> Original:
    """Returns the original, downloaded when it is not in the cache."""
    return Original(unpacked(cache, RELEASE, PACKAGES, note))
