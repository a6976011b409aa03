# SPDX-License-Identifier: GPL-2.0-or-later
"""Build Debian packages of the project, on this machine or in a root of another release."""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import PROJECT, ToolError, debian
from .cache import Cache, add_option, key_of
from .fresh import (
    Release,
    Root,
    bare,
    build_directory,
    git,
    logged,
    pack_command,
    release_of,
    set_up,
    unpacked,
)
from .ui import Ui, failure

#: Directory of the packaging; debhelper expects it at the top of a tree.
PACKAGING = "packaging/debian"

#: Parts of tools/packages needed for building.
PARTS = ("build", "deb")

#: Debian's packages with which the project's must coexist, as shell words; Debian 12 has no Python
#: module.
THEIRS = ("nvme-cli", "libnvme1", "libnvme-dev", "$(apt-cache pkgnames python3-libnvme)")

#: Packages of a kernel with patches, and of everything DKMS needs to build its modules, by release.
#: There are no patches for 6.1, the stock kernel of Debian 12.
KERNELS = {
    "bookworm": ("dkms", "linux-image-6.12-amd64", "linux-headers-6.12-amd64", "linux-source-6.12"),
    "trixie": ("dkms", "linux-image-amd64", "linux-headers-amd64", "linux-source-6.12"),
}

#: Shell commands for a root of Debian 13: add the sources of its backports.
BACKPORTS = """
sed -n 's/^\\(deb .*\\) trixie main.*/\\1 trixie-backports main/p' /etc/apt/sources.list \\
    /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1 >/etc/apt/sources.list.d/backports.list
apt-get -q update
"""

#: Version from which upgrades are tested, and the last commit whose packages have it.
EARLIER = ("0.2.0", "3b622f0719cd2201ac0f455980837dc7fd55e240")

#: Commands for the built tree; lintian's errors fail, other tags are only printed.
BUILD = "dpkg-buildpackage --build=binary --no-sign"
JUDGE = "lintian --allow-root --fail-on error ../*.changes"


def version(text: str = "") -> str:
    """Return the version in meson.build, the only place that has it."""
    found = re.search(r"\n  version: '([^']+)'", text or (PROJECT / "meson.build").read_text())
    if not found:
        raise ToolError("meson.build: the project has no version")
    return found[1]


def for_release(changelog: str, release: Release, number: str = "") -> str:
    """Return the changelog with a version for one release, lower than for the next release.

    The version is the project's, not that of the newest entry; the revision is the entry's.
    """
    return re.sub(
        r"\A(\S+) \([^)]+-([^)-]+)\) \S+;",
        rf"\1 ({number or version()}-\2~deb{release.number}) {release.codename};",
        changelog,
    )


def source_files() -> list[Path]:
    """Return the files of the project, without build results."""
    if (PROJECT / ".git").exists():
        names = git("ls-files", "-z", "-co", "--exclude-standard").split("\0")
        return [Path(name) for name in names if name and (PROJECT / name).is_file()]
    return [
        path.relative_to(PROJECT) for path in PROJECT.rglob("*")
        if path.is_file() and not path.relative_to(PROJECT).parts[0].startswith("build")
    ]  # fmt: skip


def make_tree(release: Release, top: Path, commit: str = "") -> Path:
    """Make a tree that debhelper can build in an empty directory, and return it.

    It is the working tree, or a commit.
    """
    shutil.rmtree(top, ignore_errors=True)
    if commit:
        tree = top / f"nvme-mptcp-{version(git('show', f'{commit}:meson.build'))}"
        tree.mkdir(parents=True)
        archive = top / "source.tar"
        git("archive", "-o", archive, commit)
        debian.run(["tar", "-C", tree, "-xf", archive], "tar")
        archive.unlink()
    else:
        tree = top / f"nvme-mptcp-{version()}"
        for name in source_files():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, target)
    shutil.copytree(tree / PACKAGING, tree / "debian")
    changelog = tree / "debian/changelog"
    number = version((tree / "meson.build").read_text())
    changelog.write_text(for_release(changelog.read_text(), release, number))
    return tree


def step(what: str, command: Sequence[str | Path], log: Path, ui: Ui) -> None:
    """Run a long step; its output goes to a file, which is shown if it fails."""
    with ui.step(what) as running:
        status = logged(command, log, running.note)
    if status:
        end = "".join(log.read_text().splitlines(keepends=True)[-40:])
        raise ToolError(f"{what} failed with exit status {status} (log: {log}):\n{end}")


def build(
    cache: Cache,
    release: Release,
    in_root: bool,
    ui: Ui,
    commit: str = "",
    place: str = "deb",
    options: str = "",
) -> list[Path]:
    """Build the packages of a release and check them with lintian; return the .deb files.

    They are built from the working tree or a commit, in a directory below ``place``.
    """
    top = build_directory() / place / release.codename
    tree = make_tree(release, top, commit)
    steps = {"building packages": f"DEB_BUILD_OPTIONS={options} {BUILD}" if options else BUILD}
    if place == "deb":
        steps["lintian"] = JUDGE

    def run(inside: Root | None) -> None:
        for what, command in steps.items():
            script = f"cd {tree} && {command}"
            full = inside.command(tree, command) if inside else ["bash", "-c", script]
            step(f"{release}: {what}", full, top / f"{what.split()[0]}.log", ui)

    if in_root:
        with unpacked(cache, set_up(cache, release, ui, PARTS)) as root:
            run(Root(root, ((PROJECT, str(PROJECT)),)))
    else:
        run(None)
    return built(release, place)


def built(release: Release, place: str = "deb") -> list[Path]:
    """Return the packages of a release from an earlier build, or []."""
    return sorted((build_directory() / place / release.codename).glob("*.deb"))


def earlier(cache: Cache, release: Release, ui: Ui) -> Path:
    """Return an archive of the packages of the previous version."""
    number, commit = EARLIER

    def make(target: Path, _: Path) -> None:
        ui.say(f"{release}: packages of {number}")
        # they are never used, so they need no optimization
        debs = build(cache, release, True, ui, commit, f"deb-{number}", "noopt")
        debian.run(["tar", "-C", debs[0].parent, "-cf", target, *(deb.name for deb in debs)], "tar")
        shutil.rmtree(debs[0].parent)

    return cache.file(f"deb-{number}-{release.codename}", key_of(commit), ".tar", make)


def build_again(cache: Cache, release: Release, in_root: bool, debs: list[Path], ui: Ui) -> None:
    """Build the packages in another directory; raise an error if they differ."""
    again = build(cache, release, in_root, ui, place="deb-again")
    first, second = ({deb.name: deb.read_bytes() for deb in made} for made in (debs, again))
    different = sorted(n for n in first.keys() | second.keys() if first.get(n) != second.get(n))
    if different:
        raise ToolError(
            f"{release}: a second build made other packages: {', '.join(different)} "
            f"(diffoscope shows how {debs[0].parent} and {again[0].parent} differ)"
        )
    ui.say(f"{release}: a second build made the same {len(debs)} packages")
    shutil.rmtree(again[0].parent)


def with_packages(cache: Cache, release: Release, kind: str, names: Sequence[str], ui: Ui) -> Path:
    """Return the archive of a bare release with additional packages, kept as ``kind``."""
    archive = bare(cache, release, ui)
    # the kernel never boots, so it needs no initramfs
    command = (
        "apt-get -q update && INITRD=No DEBIAN_FRONTEND=noninteractive "
        "apt-get -qy --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "
        f"install {' '.join(names)} && apt-get clean"
    )

    def make(target: Path, _: Path) -> None:
        with ui.step(f"{release}, with {kind}") as step, unpacked(cache, archive) as tree:
            debian.run(Root(tree).command("/", command), f"{release}: {kind}", step.note)
            debian.run(pack_command(tree, target), "packing a root")

    return cache.file(f"{kind}-{release.codename}", key_of(archive.name, *names), ".tar", make)


def with_nvme_cli(cache: Cache, release: Release, ui: Ui) -> Path:
    """Return the archive of a release with nvme-cli and all packages of libnvme."""
    return with_packages(cache, release, "nvme-cli", THEIRS, ui)


def with_kernel(cache: Cache, release: Release, ui: Ui) -> Path:
    """Return the archive of a release with a kernel, its headers and source, and DKMS."""
    return with_packages(cache, release, "kernel-root", KERNELS[release.codename], ui)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="tools/deb",
        description="Builds Debian packages into build/deb/CODENAME and has lintian judge them: "
        "for this machine's release here, for a named one in a root of that release.",
    )
    top.add_argument("release", nargs="?", metavar="RELEASE", help="12 or 13")
    top.add_argument(
        "--twice", action="store_true",
        help="build once more in another directory, and compare all packages bit by bit",
    )  # fmt: skip
    add_option(top)
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Build the packages and return the exit status."""
    args = parser().parse_args(argv)
    ui = Ui(verbose=args.verbose)
    try:
        if not args.release and not shutil.which("dh"):
            raise ToolError("debhelper is not installed (tools/setup build deb installs it)")
        release = release_of(args.release or debian.suite())
        cache = Cache(args.cache.expanduser().resolve())
        packages = build(cache, release, bool(args.release), ui)
        if args.twice:
            build_again(cache, release, bool(args.release), packages, ui)
    except (ToolError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(failure("deb", error, "`tools/deb -v` prints every step") + "\n")
        return 1
    judged = (packages[0].parent / "lintian.log").read_text() if packages else ""
    print(judged.strip() or "lintian: nothing to complain about")
    print("\n".join(str(package) for package in packages))
    return 0
