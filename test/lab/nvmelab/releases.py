# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernels that the lab boots: which there are in Debian's archive, and how they come here."""

import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nvmetools import ToolError
from nvmetools.archive import Archive, Machine
from nvmetools.cache import Cache, key_of
from nvmetools.debian import run

DOWNLOAD_ATTEMPTS = 3

LAB = Path(__file__).resolve().parents[1]

#: Gets the drivers out of a kernel's source and edits them, as the package for DKMS does.
PREPARE = Path(__file__).resolve().parents[3] / "kernel/prepare"

Progress = Callable[[str], None]


class ArchiveError(ToolError):
    """The package archive does not give what its lists promise, or they are of no use."""


@dataclass(frozen=True)
class Series:
    """A kernel that the lab can be asked for, and the Debian release that has it.

    ``backports_of`` is empty for a kernel that the machine's own package lists have. No modules
    are built for the kernel ``own_of`` a release. ``plain`` is a release without its backports.
    With ``config`` the kernel is built from Debian's source, with that configuration. ``like`` is
    the series whose edits it has, if it has none of its own.
    """

    name: str
    versions: str
    backports_of: str = ""
    own_of: str = ""
    plain: bool = False
    config: Path | None = None
    like: str = ""

    @property
    def edits(self) -> str:
        """Return the directory below kernel/ of what this series has differently."""
        return self.like or self.name

    @property
    def stock_only(self) -> bool:
        """Are no modules built for it?"""
        return bool(self.own_of)

    def archive(self, store: Cache) -> Machine:
        """Returns the archive to take this kernel from."""
        if self.own_of:
            return Archive(store, self.own_of)
        if self.backports_of:
            return Archive(store, self.backports_of, backports=not self.plain)
        return Machine()


#: What each of these has differently is in kernel/NAME.
SERIES = {
    series.name: series
    for series in (
        Series("6.12", r"6\.12\.\d+"),
        Series("newest", r"\d+\.\d+\.\d+", backports_of="trixie"),
    )
}

DEFAULT_SERIES = "6.12"

#: Kernels without modules of ours: Debian 12's own.
STOCK_SERIES = {series.name: series for series in (Series("6.1", r"6\.1\.0", own_of="bookworm"),)}

#: A kernel that reports its mistakes, see debugkernel.py. No other command builds it.
DEBUG_SERIES = {
    series.name: series
    for series in (
        Series(
            "debug", r"6\.12\.\d+", backports_of="trixie", plain=True,
            config=LAB / "debug.config", like="6.12",
        ),
    )
}  # fmt: skip

#: The names of --kernel-series.
ALL_SERIES = SERIES | STOCK_SERIES | DEBUG_SERIES


@dataclass(frozen=True)
class Release:
    """A kernel in the package archive: what `uname -r` will say, and its packages' version.

    ``split`` tells that the image's package is empty and needs others, ``stock_only`` that no
    modules are built for it.
    """

    name: str
    package_version: str
    split: bool = False
    stock_only: bool = False

    @property
    def abi(self) -> str:
        """The release less its flavour, as the packages shared by all flavours are named."""
        return self.name.removesuffix("-amd64")

    @property
    def images(self) -> tuple[str, ...]:
        """The packages that hold the kernel itself and its modules."""
        kinds = ("binary", "modules", "base") if self.split else ("image",)
        return tuple(f"linux-{kind}-{self.name}" for kind in kinds)

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that the lab takes this kernel from."""
        if self.stock_only:
            return self.images
        return (
            *self.images,
            f"linux-headers-{self.name}",
            f"linux-headers-{self.abi}-common",
            f"linux-kbuild-{self.abi}",
            self.source_package,
        )

    @property
    def source_package(self) -> str:
        """Return the package of the whole source."""
        return f"linux-source-{'.'.join(self.name.split('.')[:2])}"


def choose(store: Cache, series: Series, progress: Progress) -> Release:
    """Finds the newest kernel that the package lists have complete: image, headers and source.

    Asking apt takes a second, so the answer is kept until the lists change.
    """
    if not shutil.which("apt-cache"):
        raise ToolError(
            "apt-cache is not installed: without Debian's package archive, name a kernel that has "
            "the transport with --kernel and --modules"
        )
    archive = series.archive(store)
    memory = store.top / f"release-{series.name}.json"
    state = archive.state(progress)
    try:
        known = json.loads(memory.read_text())
        if known["state"] == state:
            return Release(known["name"], known["version"], known["split"], series.stock_only)
    except (OSError, ValueError, KeyError):
        pass
    names = archive.apt_cache("pkgnames", "linux-image-").split()
    for name in newest_first(names, series.versions):
        release = _complete(archive, name, series.stock_only)
        if release:
            text = {
                "state": state, "name": name, "version": release.package_version,
                "split": release.split,
            }  # fmt: skip
            with store.scratch() as scratch:
                (scratch / "release").write_text(json.dumps(text))
                (scratch / "release").rename(memory)
            return release
    raise ArchiveError(_none_found(series))


def every(store: Cache, series: Series, progress: Progress) -> Iterator[Release]:
    """Yield each kernel that an archive has complete, in each of its versions, newest first."""
    archive = series.archive(store)
    archive.state(progress)
    names = archive.apt_cache("pkgnames", "linux-image-").split()
    for name in newest_first(names, series.versions):
        for split in (True, False):
            packages = Release(name, "", split).packages
            common = common_versions(archive.apt_cache("madison", *packages), packages)
            yield from (Release(name, version, split) for version in dict.fromkeys(common))
            if common:
                break


def _none_found(series: Series) -> str:
    if series.own_of:
        return f"{series.own_of} has no linux-image-{series.name}.*-amd64"
    if series.backports_of:
        return f"the backports of {series.backports_of} have no kernel with its headers and source"
    return (
        f"the package lists have no linux-image-{series.name}.*-amd64 with its headers and source: "
        "run `apt-get update`; Debian 12 has them in bookworm-security"
    )


def newest_first(names: Iterable[str], versions: str) -> list[str]:
    """Picks the plain amd64 kernels of these versions out of the names of image packages."""
    pattern = re.compile(rf"linux-image-(({versions})(?:\+deb|-)(\d+)-amd64)")
    found = [match for match in map(pattern.fullmatch, names) if match]
    found.sort(key=lambda m: ([int(n) for n in m[2].split(".")], int(m[3])), reverse=True)
    return [match[1] for match in found]


def _complete(archive: Machine, name: str, stock_only: bool) -> Release | None:
    """Returns the release if all its packages are to be had in one and the same version."""
    for split in (True, False):
        packages = Release(name, "", split, stock_only).packages
        common = common_versions(archive.apt_cache("madison", *packages), packages)
        if common:
            return Release(name, common[0], split, stock_only)
    return None


def common_versions(madison: str, packages: Iterable[str]) -> list[str]:
    """Returns the versions that all packages have in apt-cache madison's table, in its order."""
    versions: dict[str, list[str]] = {package: [] for package in packages}
    for line in madison.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 3 and cells[0] in versions and cells[2].endswith("Packages"):
            versions[cells[0]].append(cells[1])
    first, *others = versions.values()
    return [version for version in first if all(version in other for other in others)]


# Downloading and unpacking


@dataclass(frozen=True)
class Unpacked:
    """A release's packages, unpacked: its image, its headers and its nvme drivers' source."""

    top: Path

    @property
    def modules(self) -> Path:
        """The directory that holds the tree of modules named after the release."""
        image = self.top / "image"
        return next(d for d in (image / "lib/modules", image / "usr/lib/modules") if d.is_dir())

    def boot_file(self, kind: str, release: str) -> Path:
        """Returns the file "vmlinuz" or "config", wherever this release's packages put it."""
        beside_modules = self.modules / release / kind
        return beside_modules if beside_modules.exists() else (
            self.top / "image/boot" / f"{kind}-{release}"
        )  # fmt: skip

    @property
    def headers(self) -> Path:
        """The directory of the headers, as /usr/src is one."""
        return self.top / "headers/usr/src"

    @property
    def source(self) -> Path:
        """The kernel's source, of which only the nvme drivers are there."""
        return self.top / "source"


def unpacked(store: Cache, series: Series, release: Release, progress: Progress) -> Unpacked:
    """Returns this release's packages, downloaded and unpacked if they are not there yet."""
    top = store.top / f"kernel-packages-{release.name}-{key_of(release.package_version)}"
    if not top.exists():
        archives = _download(store, series.archive(store), release, progress)
        with store.scratch() as scratch:
            for archive in sorted(archives.glob("*.deb")):
                progress(f"unpacking {archive.name.split('_')[0]}")
                _unpack(archive, release, scratch / "tree")
            (scratch / "tree").rename(top)
        shutil.rmtree(archives)
    os.utime(top)
    return Unpacked(top)


def _download(store: Cache, archive: Machine, release: Release, progress: Progress) -> Path:
    """Returns a directory with the release's packages; what an earlier try got is kept."""
    directory = store.top / f"kernel-download-{release.name}"
    directory.mkdir(exist_ok=True)
    wanted = [f"{package}={release.package_version}" for package in release.packages]
    total = _download_size(archive, release)
    attempt = 1
    while True:
        try:
            with _watch(directory, f"downloading Linux {release.name}", total, progress):
                archive.apt_get("download", *wanted, directory=directory)
            return directory
        except ToolError as error:
            if attempt == DOWNLOAD_ATTEMPTS:
                raise ArchiveError(f"{' '.join(wanted)}: {error.args[0]}") from None
            progress(f"{error.args[0].splitlines()[-1]}; trying again")
            time.sleep(2 * attempt)
            attempt += 1


def _download_size(archive: Machine, release: Release) -> int:
    said = archive.apt_cache("show", *release.packages)
    sizes: dict[str, int] = {}
    for stanza in said.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Size): (.*)$", stanza, re.MULTILINE))
        if fields.get("Version") == release.package_version:
            sizes[fields["Package"]] = int(fields.get("Size", 0))
    return sum(sizes.values())


@contextmanager
def _watch(directory: Path, what: str, total: int, progress: Progress) -> Iterator[None]:
    """Reports how much of a download has arrived, every few seconds."""
    over = threading.Event()

    def report() -> None:
        while True:
            got = sum(path.stat().st_size for path in directory.glob("*.deb"))
            progress(f"{what}: {got >> 20} of {total >> 20} MiB")
            if over.wait(5):
                return

    watcher = threading.Thread(target=report, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _unpack(archive: Path, release: Release, tree: Path) -> None:
    """Unpacks a package below ``tree``; of the kernel's source what `prepare` takes."""
    name = archive.name.split("_")[0]
    if not name.startswith("linux-source-"):
        kind = "image" if name in release.images else "headers"
        (tree / kind).mkdir(parents=True, exist_ok=True)
        run(["dpkg-deb", "-x", archive, tree / kind], f"unpacking {archive.name}")
        return
    script = 'dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$2.tar.xz" | "$4" unpack "$2" "$3"'
    command: list[str | Path] = ["bash", "-o", "pipefail", "-c", script, "unpack"]
    run([*command, archive, name, tree / "source", PREPARE], f"unpacking {archive.name}")
