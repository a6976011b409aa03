# SPDX-License-Identifier: GPL-2.0-or-later
"""Access Debian's package archive: the machine's configuration, and other releases.

Another release uses an apt configuration of its own. It takes the addresses from the machine's
sources and replaces the release. Lists, packages and state are kept in the cache; the machine's own
are neither read nor changed.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from . import ToolError
from .cache import Cache, key_of
from .debian import Note, run, sources

#: Age in seconds after which package lists are downloaded again.
KEEP_LISTS_SECONDS = 86400

#: Files that change with the machine's package lists or their configuration.
MACHINE_STATE = (
    "/var/lib/apt/lists", "/etc/apt/sources.list", "/etc/apt/sources.list.d",
    "/etc/apt/preferences", "/etc/apt/preferences.d", "/etc/apt/apt.conf.d",
)  # fmt: skip


class Machine:
    """The archive as configured for the machine's own apt."""

    def options(self) -> list[str]:
        """Return the options of all calls of apt."""
        # apt's own user may not write to the cache
        return ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []

    def apt_get(self, *arguments: str | Path, directory: Path | None = None) -> str:
        """Run apt-get, in ``directory`` if given, and return its output."""
        where: list[str | Path] = ["-C", directory] if directory else []
        return run(
            [
                "env", *where, "LC_ALL=C", "apt-get", "-q", "-y", "-o", "Acquire::Retries=3",
                "-o", "Dpkg::Use-Pty=0", *self.options(), *arguments,
            ],
            f"apt-get {arguments[0]}",
        )  # fmt: skip

    def apt_cache(self, *arguments: str) -> str:
        """Query the package lists with apt-cache, and return its output."""
        return run(
            ["env", "LC_ALL=C", "apt-cache", *self.options(), *arguments],
            f"apt-cache {arguments[0]}",
        )

    def state(self, note: Note) -> list[int]:
        """Return numbers that change with the package lists."""
        return [Path(p).stat().st_mtime_ns if Path(p).exists() else 0 for p in MACHINE_STATE]

    def renew(self) -> bool:
        """Update the package lists. Return whether that was possible: only root may."""
        if os.geteuid() != 0:
            return False
        run(["apt-get", "-qq", "-o", "Acquire::Retries=3", "update"], "apt-get update")
        return True


def sources_of(release: str, *, backports: bool, etc_apt: Path = Path("/etc/apt")) -> list[str]:
    """Return one-line apt sources of ``release``, its backports first if requested."""
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
    """A Debian release, with its backports if requested, separate from the machine's own.

    With ``architecture``, the packages are those of another architecture (``s390x``).
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
        if architecture:  # to compile against: without updates
            self.sources = [line for line in self.sources if release in line.split()]
        self.cache = cache
        self.top = cache.top / f"apt-{release}{architecture}-{key_of(*self.sources)}"
        self._stamp = self.top / "updated"

    def options(self) -> list[str]:
        """Return the options that restrict apt to this configuration."""
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
        """Return the time of the lists, which are updated if they are older than a day.

        Without network, older lists are used, and ``note`` is called with a warning.
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
        """Update the package lists."""
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.top / name).mkdir(parents=True, exist_ok=True)
        (self.top / "sources.list").write_text("".join(f"{line}\n" for line in self.sources))
        (self.top / "status").touch()
        self.apt_get("-o", "APT::Update::Error-Mode=any", "update")
        self._stamp.touch()
        return True

    def fetch(self, packages: Iterable[str], into: Path, note: Note) -> None:
        """Download the packages without their dependencies into a directory."""
        self.state(note)
        self.apt_get("download", *packages, directory=into)

    def download(self, packages: Iterable[str], into: Path, note: Note) -> list[Path]:
        """Download the packages with all their dependencies, and return the files."""
        self.state(note)
        (into / "partial").mkdir(parents=True, exist_ok=True)
        self.apt_get("-o", f"Dir::Cache::archives={into}", "--download-only", "install", *packages)
        return sorted(into.glob("*.deb"))


def unpacked(
    cache: Cache, release: str, packages: Iterable[str], note: Note, architecture: str = ""
) -> Path:
    """Return a directory with the packages and their dependencies, unpacked but not installed.

    A cached directory is returned without network access.
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
