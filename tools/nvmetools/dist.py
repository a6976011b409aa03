# SPDX-License-Identifier: GPL-2.0-or-later
"""Build a release: source, packages with an apt index, tarballs, checksums."""

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
from .cache import Cache, add_option
from .cross import describe
from .fresh import RELEASES, Release, Root, bare, build_directory, git, release_of, unpacked
from .packages import build, built, make_tree, step, version
from .ui import Ui, failure

#: The Debian release for which the tarballs are built.
OLDEST = RELEASES[0]

#: Architectures of the tarballs: Debian's name, and that of "uname -m".
TARBALLS = {"amd64": "x86_64", "arm64": "aarch64"}

#: meson options of a tarball for another architecture: like Debian's packages, for the release's
#: systemd.
CROSS = (
    "--prefix=/usr", "--sysconfdir=/etc", "--buildtype=plain", "-Dbeside=true", "-Dman=enabled",
    "-Dpython=disabled", "-Dtests=disabled", "-Dsystemdversion=252", "-Dstrip=true",
    "-Dsystemdsystemunitdir=/usr/lib/systemd/system", "-Dudevrulesdir=/usr/lib/udev/rules.d",
    "-Dc_link_args=-Wl,-z,relro,-z,now",
)  # fmt: skip
COMPILED = "-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map={tree}=."

#: The Release file of a flat repository, which the administrator declares as trusted.
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


def commit_time() -> int:
    """Return the commit time of the release, in seconds."""
    return int(git("log", "-1", "--format=%ct"))


def sha256(path: Path) -> str:
    """Return the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source(top: Path) -> Path:
    """Make the archive of the committed files."""
    name = f"nvme-mptcp-{version()}"
    target = top / f"{name}.tar.xz"
    archive = ["git", "-C", str(PROJECT), "archive", f"--prefix={name}/", "HEAD"]
    files = subprocess.run(archive, stdout=subprocess.PIPE, check=True).stdout
    target.write_bytes(lzma.compress(files))
    return target


def index(top: Path, release: Release, debs: Sequence[Path]) -> None:
    """Make a directory of packages with an apt index."""
    directory = top / "debian" / release.codename
    directory.mkdir(parents=True)
    for deb in debs:
        shutil.copy(deb, directory)
    scan = ["dpkg-scanpackages", "--multiversion", release.codename]
    listed = subprocess.run(
        scan, cwd=directory.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    ).stdout
    # apt resolves file names relative to the directory in sources.list
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


def compiled(cache: Cache, architecture: str, ui: Ui) -> Path:
    """Compile the committed files for another architecture; return the tree of installed files."""
    top = build_directory() / "dist-compiled"
    tree = make_tree(OLDEST, top, "HEAD")
    cross_file, built, files = top / "cross.ini", top / "built", top / "files"
    cross_file.write_text(describe(cache, architecture, OLDEST.codename, ui))
    libraries = f"--libdir=lib/{TARBALLS[architecture]}-linux-gnu"
    compiler = f"-Dc_args={COMPILED.format(tree=tree)}"
    setup = ["meson", "setup", str(built), str(tree), "--cross-file", str(cross_file)]
    setup += [libraries, compiler, *CROSS]
    step(f"{architecture}: configuring", setup, top / "setup.log", ui)
    install = [str(tree / "tools/install"), str(built), "--destdir", str(files)]
    step(f"{architecture}: compiling", install, top / "install.log", ui)
    return files


def tarball(cache: Cache, top: Path, architecture: str, tree: Path, ui: Ui) -> Path:
    """Make the self-contained tarball of the files in a tree."""
    target = top / f"nvme-mptcp-{version()}-{TARBALLS[architecture]}.tar.xz"
    command = f"packaging/tarball/bundle {tree} {architecture} {target} {commit_time()}"
    log = top.parent / f"dist-{architecture}.log"
    with unpacked(cache, bare(cache, OLDEST, ui)) as root:
        inside = Root(root, ((PROJECT, str(PROJECT)),))
        step(f"{architecture}: self-contained tarball", inside.command(PROJECT, command), log, ui)
    return target


def tarballs(cache: Cache, top: Path, debs: Sequence[Path], ui: Ui) -> None:
    """Make the tarballs: for this architecture from packages, for others by cross-compiling."""
    tree = build_directory() / "dist-unpacked"
    shutil.rmtree(tree, ignore_errors=True)
    for deb in debs:
        if deb.name.split("_")[0] in ("nvme-mptcp", "libnvme-mptcp0", "libnvme1-mptcp"):
            debian.run(["dpkg-deb", "-x", deb, tree], f"unpacking {deb.name}")
    tarball(cache, top, "amd64", tree.resolve(), ui)
    tarball(cache, top, "arm64", compiled(cache, "arm64", ui).resolve(), ui)


def make(cache: Cache, releases: Sequence[Release], again: bool, ui: Ui) -> Path:
    """Make everything in build/dist, and return that directory."""
    if git("status", "--porcelain", "-uno"):
        ui.say("dist: what is not committed is left out")
    top = build_directory() / "dist"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir(parents=True)
    source(top)
    for release in releases:
        debs = [] if again else built(release)
        debs = debs or build(cache, release, True, ui, "HEAD")
        index(top, release, [deb for deb in debs if "-dbgsym_" not in deb.name])
        if release == OLDEST:
            tarballs(cache, top, debs, ui)
    files = sorted(path for path in top.rglob("*") if path.is_file())
    lines = [f"{sha256(path)}  {path.relative_to(top)}\n" for path in files]
    (top / "SHA256SUMS").write_text("".join(lines))
    return top


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="tools/dist",
        description="Makes what a release consists of, into build/dist: the source archive, "
        "Debian packages of each release in a directory that apt can use, self-contained tarballs "
        "for other distributions (x86-64 and arm64), and SHA256SUMS.",
    )
    top.add_argument("releases", nargs="*", metavar="RELEASE", help="12 or 13 (both)")
    top.add_argument(
        "--built", action="store_true", help="use packages in build/deb as far as there are some"
    )
    add_option(top)
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Make a release and return the exit status."""
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
