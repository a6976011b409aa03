# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's package archive: as the machine has it configured, and other releases beside it.

Another release is reached by an apt configuration of our own. The machine's sources say where
Debian is, only the release differs; lists, packages and state are kept in the cache, and the
machine's own are neither read nor changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from . import ToolError
from .cache import Cache, key_of
from .debian import Note, run, sources

#: The lists are asked for again when they are older than this.
KEEP_LISTS_SECONDS = 86400

#: What changes when the machine's package lists or their configuration do.
MACHINE_STATE = (
    "/var/lib/apt/lists", "/etc/apt/sources.list", "/etc/apt/sources.list.d",
    "/etc/apt/preferences", "/etc/apt/preferences.d", "/etc/apt/apt.conf.d",
)  # fmt: skip


class Machine:
    """The archive as the machine's own apt knows it."""

    def options(self) -> list[str]:
        """Returns the options that every call of apt gets."""
        # the cache is ours alone: apt's own user may not write there
        return ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []

    def apt_get(self, *arguments: str | Path, directory: Path | None = None) -> str:
        """Runs apt-get, in ``directory`` if one is given; returns what it printed."""
        where: list[str | Path] = ["-C", directory] if directory else []
        return run(
            [
                "env", *where, "LC_ALL=C", "apt-get", "-q", "-y", "-o", "Acquire::Retries=3",
                "-o", "Dpkg::Use-Pty=0", *self.options(), *arguments,
            ],
            f"apt-get {arguments[0]}",
        )  # fmt: skip

    def apt_cache(self, *arguments: str) -> str:
        """Asks the package lists; returns what apt-cache printed."""
        return run(
            ["env", "LC_ALL=C", "apt-cache", *self.options(), *arguments],
            f"apt-cache {arguments[0]}",
        )

    def state(self, note: Note) -> list[int]:
        """Returns numbers that differ whenever the package lists do."""
        return [Path(p).stat().st_mtime_ns if Path(p).exists() else 0 for p in MACHINE_STATE]

    def renew(self) -> bool:
        """Brings the package lists anew. Returns whether it could: only root may."""
        if os.geteuid() != 0:
            return False
        run(["apt-get", "-qq", "-o", "Acquire::Retries=3", "update"], "apt-get update")
        return True


def sources_of(release: str, *, backports: bool, etc_apt: Path = Path("/etc/apt")) -> list[str]:
    """Returns one-line apt sources of ``release``, its backports first if wanted."""
    lines = sources(release, etc_apt)
    if backports:
        plain = [line.split() for line in lines if release in line.split()]
        lines = [
            *(" ".join(f"{release}-backports" if w == release else w for w in p) for p in plain),
            *lines,
        ]
    if not lines:
        raise ToolError(f"the machine has no apt sources of Debian to find {release} beside")
    return lines


class Archive(Machine):
    """One Debian release, with its backports if wanted, kept apart from the machine's own.

    With ``architecture`` its packages are those of another kind of machine (``s390x``).
    """

    def __init__(
        self,
        cache: Cache,
        release: str,
        *,
        backports: bool = False,
        architecture: str = "",
        etc_apt: Path = Path("/etc/apt"),
    ) -> None:
        self.release = release
        self.architecture = architecture
        self.sources = sources_of(release, backports=backports, etc_apt=etc_apt)
        if architecture:  # to compile against: as it was released
            self.sources = [line for line in self.sources if release in line.split()]
        self.cache = cache
        self.top = cache.top / f"apt-{release}{architecture}-{key_of(*self.sources)}"
        self._stamp = self.top / "updated"

    def options(self) -> list[str]:
        """Returns the options that keep apt to this configuration alone."""
        top = self.top
        options = {
            "Dir::Etc::sourcelist": top / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-",
            "Dir::State": top / "state",
            "Dir::State::status": top / "status",
            "Dir::Cache": top / "cache",
            "Acquire::Languages": "none",
            "APT::Install-Recommends": "false",
        }
        if self.architecture:
            options["APT::Architecture"] = options["APT::Architectures"] = Path(self.architecture)
        ours = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return [*super().options(), *ours]

    def state(self, note: Note) -> list[int]:
        """Returns the time of the lists, which are brought if they are not of today.

        Without the network those of another day do; that they are old is told to ``note``.
        """
        age = time.time() - self._stamp.stat().st_mtime if self._stamp.exists() else None
        if age is None or age > KEEP_LISTS_SECONDS:
            try:
                self.renew()
            except ToolError as error:
                if age is None:
                    raise
                days = int(age // 86400)
                note(f"going by package lists {days} days old: {error.args[0].splitlines()[-1]}")
        return [self._stamp.stat().st_mtime_ns]

    def renew(self) -> bool:
        """Brings the package lists anew."""
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.top / name).mkdir(parents=True, exist_ok=True)
        (self.top / "sources.list").write_text("".join(f"{line}\n" for line in self.sources))
        (self.top / "status").touch()
        self.apt_get("-o", "APT::Update::Error-Mode=any", "update")
        self._stamp.touch()
        return True

    def fetch(self, packages: Iterable[str], into: Path, note: Note) -> None:
        """Downloads the packages alone, without what they depend on, into a directory."""
        self.state(note)
        self.apt_get("download", *packages, directory=into)

    def download(self, packages: Iterable[str], into: Path, note: Note) -> list[Path]:
        """Downloads the packages with everything that they depend on; returns the files."""
        self.state(note)
        (into / "partial").mkdir(parents=True, exist_ok=True)
        self.apt_get("-o", f"Dir::Cache::archives={into}", "--download-only", "install", *packages)
        return sorted(into.glob("*.deb"))


def unpacked(
    cache: Cache, release: str, packages: Iterable[str], note: Note, architecture: str = ""
) -> Path:
    """Returns a directory with the packages and what they need, unpacked but never installed.

    What the cache has already is returned without a look at the network.
    """
    names = sorted(packages)
    top = cache.top / f"unpacked-{release}{architecture}-{key_of(*names)}"
    with cache.lock("unpacked"):
        if not top.exists():
            with cache.scratch() as scratch:
                note(f"downloading {' '.join(names)} of {release}")
                archive = Archive(cache, release, architecture=architecture)
                for package in archive.download(names, scratch / "archives", note):
                    run(["dpkg-deb", "-x", package, scratch / "tree"], f"unpacking {package.name}")
                (scratch / "tree").rename(top)
    return top
