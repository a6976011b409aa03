# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages of another Debian release, by an apt configuration of our own.

The machine's own sources say where Debian is. Lists, packages and state are kept in the cache, and
the machine's own are neither read nor changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from . import LabError
from .cache import Cache, key_of
from .debian import Note, run, sources

#: The lists are asked for again when they are older than this.
KEEP_LISTS_SECONDS = 86400


class Archive:
    """The packages of one Debian release, kept apart from the machine's own."""

    def __init__(self, cache: Cache, release: str, *, etc_apt: Path = Path("/etc/apt")) -> None:
        self.release = release
        self.sources = sources(release, etc_apt)
        if not self.sources:
            raise LabError(f"the machine has no apt sources of Debian to find {release} beside")
        self.cache = cache
        self.top = cache.top / f"apt-{release}-{key_of(*self.sources)}"

    def _options(self) -> list[str]:
        top = self.top
        options = {
            "Dir::Etc::sourcelist": top / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-",
            "Dir::State": top / "state",
            "Dir::State::status": top / "status",
            "Dir::Cache": top / "cache",
            "Acquire::Retries": 2,
            "Acquire::Languages": "none",
            "APT::Update::Post-Invoke-Success::": "true",
            "APT::Install-Recommends": "false",
            "Dpkg::Use-Pty": 0,
        }
        if os.geteuid() == 0:
            # the cache is ours alone: apt's own user may not write there
            options["APT::Sandbox::User"] = "root"
        return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]

    def apt_get(self, *arguments: str | Path, directory: Path | None = None) -> str:
        """Runs apt-get with this configuration alone; returns what it printed."""
        where: list[str | Path] = ["-C", directory] if directory else []
        return run(
            ["env", *where, "LC_ALL=C", "apt-get", "-q", "-y", *self._options(), *arguments],
            f"apt-get {arguments[0]} ({self.release})",
        )

    def update(self) -> None:
        """Brings the package lists, unless they are of today."""
        stamp = self.top / "updated"
        if stamp.exists() and time.time() - stamp.stat().st_mtime < KEEP_LISTS_SECONDS:
            return
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.top / name).mkdir(parents=True, exist_ok=True)
        (self.top / "sources.list").write_text("".join(f"{line}\n" for line in self.sources))
        (self.top / "status").touch()
        self.apt_get("-o", "APT::Update::Error-Mode=any", "update")
        stamp.touch()

    def fetch(self, packages: Iterable[str], into: Path) -> None:
        """Downloads the packages alone, without what they depend on, into a directory."""
        self.update()
        self.apt_get("download", *packages, directory=into)

    def download(self, packages: Iterable[str], into: Path) -> list[Path]:
        """Downloads the packages with everything that they depend on; returns the files."""
        self.update()
        (into / "partial").mkdir(parents=True, exist_ok=True)
        self.apt_get("-o", f"Dir::Cache::archives={into}", "--download-only", "install", *packages)
        return sorted(into.glob("*.deb"))


def unpacked(cache: Cache, release: str, packages: Iterable[str], note: Note) -> Path:
    """Returns a directory with the packages and what they need, unpacked but never installed.

    What the cache has already is returned without a look at the network.
    """
    names = sorted(packages)
    top = cache.top / f"unpacked-{release}-{key_of(*names)}"
    with cache.lock("unpacked"):
        if not top.exists():
            with cache.scratch() as scratch:
                note(f"downloading {' '.join(names)} of {release}")
                archive = Archive(cache, release)
                for package in archive.download(names, scratch / "archives"):
                    run(["dpkg-deb", "-x", package, scratch / "tree"], f"unpacking {package.name}")
                (scratch / "tree").rename(top)
    return top
