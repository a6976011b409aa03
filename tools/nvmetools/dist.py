# SPDX-License-Identifier: GPL-2.0-or-later
"""What a release consists of: source, packages that apt can use, a tarball, checksums."""

from __future__ import annotations

import argparse
import hashlib
import lzma
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from . import PROJECT, ToolError, debian
from .cache import Cache, default_dir
from .fresh import RELEASES, Release, Root, bare, build_directory, release_of, unpacked
from .packages import build, built, step, version
from .ui import Ui, failure

#: Debian's oldest release has the oldest C library, and makes the tarball.
OLDEST = RELEASES[0]

#: What apt asks of a repository without directories; an administrator who trusts it says so.
RELEASE = """\
Origin: nvme-mptcp
Label: nvme-mptcp
Suite: {codename}
Codename: {codename}
Date: {date}
Architectures: all amd64
Description: nvme-mptcp {version} for {release}
SHA256:
 {sha256} {size} Packages
"""


def _git(*arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", PROJECT, *arguments], stdout=subprocess.PIPE, check=True
    ).stdout


def commit_time() -> int:
    """Returns when what is released was committed, in seconds."""
    return int(_git("log", "-1", "--format=%ct"))


def sha256(path: Path) -> str:
    """Returns the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source(top: Path) -> Path:
    """Makes the archive of what is committed."""
    name = f"nvme-mptcp-{version()}"
    target = top / f"{name}.tar.xz"
    target.write_bytes(lzma.compress(_git("archive", f"--prefix={name}/", "HEAD")))
    return target


def index(top: Path, release: Release, debs: Sequence[Path]) -> Path:
    """Makes a directory of packages that apt can use; returns it."""
    directory = top / "debian" / release.codename
    directory.mkdir(parents=True)
    for deb in debs:
        shutil.copy(deb, directory)
    scan = ["dpkg-scanpackages", "--multiversion", release.codename]
    listed = subprocess.run(
        scan, cwd=directory.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    ).stdout
    # apt looks for names below the directory that a line of sources.list has
    listed = listed.replace(f"Filename: {release.codename}/".encode(), b"Filename: ./")
    (directory / "Packages").write_bytes(listed)
    when = datetime.fromtimestamp(commit_time(), UTC)
    (directory / "Release").write_text(
        RELEASE.format(
            codename=release.codename, version=version(), release=release,
            date=f"{when:%a, %d %b %Y %H:%M:%S} UTC",
            sha256=hashlib.sha256(listed).hexdigest(), size=len(listed),
        )
    )  # fmt: skip
    return directory


def tarball(cache: Cache, top: Path, debs: Path, ui: Ui) -> Path:
    """Makes the self-contained tarball of Debian's oldest release's packages."""
    target = top / f"nvme-mptcp-{version()}-x86_64.tar.xz"
    command = f"packaging/tarball/bundle {debs} {target} {commit_time()}"
    log = top.parent / "dist-tarball.log"
    with unpacked(cache, bare(cache, OLDEST, ui)) as root:
        inside = Root(root, ((PROJECT, str(PROJECT)),))
        step("self-contained tarball", inside.command(PROJECT, command), log, ui)
    return target


def make(cache: Cache, releases: Sequence[Release], again: bool, ui: Ui) -> Path:
    """Makes everything below build/dist; returns that directory."""
    if debian.run(["git", "-C", PROJECT, "status", "--porcelain", "-uno"], "git status").strip():
        ui.say("dist: the source archive leaves out what is not committed")
    top = build_directory() / "dist"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir(parents=True)
    source(top)
    for release in releases:
        debs = [] if again else built(release)
        debs = debs or build(cache, release, True, ui)
        directory = index(top, release, [deb for deb in debs if "-dbgsym_" not in deb.name])
        if release == OLDEST:
            tarball(cache, top, directory.resolve(), ui)
    files = sorted(path for path in top.rglob("*") if path.is_file())
    lines = [f"{sha256(path)}  {path.relative_to(top)}\n" for path in files]
    (top / "SHA256SUMS").write_text("".join(lines))
    return top


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="tools/dist",
        description="Makes what a release consists of, into build/dist: the source archive, "
        "Debian packages of each release in a directory that apt can use, a self-contained tarball "
        "for other distributions, and SHA256SUMS.",
    )
    top.add_argument("releases", nargs="*", metavar="RELEASE", help="12 or 13 (both)")
    top.add_argument(
        "--built", action="store_true", help="use packages in build/deb as far as there are some"
    )
    top.add_argument(
        "--cache", type=Path, default=default_dir(), metavar="DIR",
        help="where roots are kept (%(default)s)",
    )  # fmt: skip
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Makes a release; returns the exit status."""
    args = parser().parse_args(argv)
    ui = Ui(verbose=args.verbose)
    try:
        cache = Cache(args.cache.expanduser().resolve())
        releases = [release_of(name) for name in args.releases] or list(RELEASES)
        top = make(cache, releases, not args.built, ui)
    except (ToolError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(failure("dist", error, "`tools/dist -v` prints every step") + "\n")
        return 1
    print((top / "SHA256SUMS").read_text(), end="")
    print(top)
    return 0
