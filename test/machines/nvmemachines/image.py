# SPDX-License-Identifier: GPL-2.0-or-later
"""Build the machines' disks: a system disk, and a disk with the packages that apt installs.

The system disk is plain Debian: systemd, udev, apt, ifupdown, the stock kernel and its headers, and
nvme-cli. The other disk is a local archive with the project's packages, Debian's packages that they
need, and those of the backports' kernel.
"""

import email.utils
import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nvmetools import ToolError, debian, packages
from nvmetools.cache import Cache, key_of
from nvmetools.fresh import Release, Root, bare, disk_command, pack_command, unpacked
from nvmetools.ui import Ui

#: Increase this when something else is made of the same packages.
RECIPE = "2"

#: Packages of an installed server and of the tests. Kernel headers are included, because gcc takes
#: a quarter of an hour to unpack under emulation.
SERVER = (
    "'?priority(required)'", "'?priority(important)'", "systemd-sysv", "udev", "dbus", "ifupdown",
    "iproute2", "ethtool", "initramfs-tools", "linux-image-amd64", "linux-headers-amd64",
    "nvme-cli", "debsums", "fio", "python3", "e2fsprogs", "zstd", "openssh-server",
)  # fmt: skip

#: Debian's packages that the project's packages depend on in each release, with their dependencies.
NEEDED = (
    "libjson-c5", "libkeyutils1", "libmnl0", "kmod", "python3", "dkms", "patch", "xz-utils",
    "linux-source-6.12",
)  # fmt: skip

#: Other programs that make endpoints, next to which the service must work. mptcpd ends at once
#: without plugins.
OTHERS = ("network-manager", "mptcpd", "mptcpd-plugins")


@dataclass(frozen=True)
class Stock:
    """The packages of a release, and a newer kernel from its backports."""

    needed: tuple[str, ...]
    backports_kernel: tuple[str, ...]
    library: str


STOCK = {
    "bookworm": Stock(
        ("libssl3", "linux-image-6.12-amd64", "linux-headers-6.12-amd64"), (), "libnvme1"
    ),
    "trixie": Stock(
        ("libssl3t64",),
        ("linux-image-amd64", "linux-headers-amd64", "linux-source-7.3"),
        "libnvme1t64",
    ),
}

#: The archive has the installed kernel, like Debian's. Otherwise the backports' kernel would be the
#: only candidate.
INSTALLED_KERNEL = ("linux-image-amd64", "linux-headers-amd64")

#: Modules of the initramfs: enough to find the disk, and few, because unpacking is slow under
#: emulation.
INITRAMFS_MODULES = ("virtio_pci", "virtio_blk", "virtio_net", "ext4")

#: Shell commands for a root of the release.
APT = (
    "INITRD=No DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends "
    "-o Dpkg::Options::=--force-unsafe-io -o Dpkg::Use-Pty=0"
)

FILES = {
    "etc/fstab": (
        "LABEL=root / ext4 errors=remount-ro 0 1\n"
        "LABEL=archive /archive ext4 ro,nofail 0 0\n"
        "LABEL=project /srv/nvme-mptcp ext4 ro,nofail 0 0\n"
    ),
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "etc/network/interfaces": (
        "source /etc/network/interfaces.d/*\nauto lo\niface lo inet loopback\n"
    ),
    "etc/initramfs-tools/conf.d/machines": "MODULES=list\n",
    "etc/initramfs-tools/modules": "".join(f"{name}\n" for name in INITRAMFS_MODULES),
}

#: The second serial line has a login prompt; the first one is the console of kernel and systemd.
SETTLE = """
passwd -d root
ln -sf /lib/systemd/system/serial-getty@.service \\
    /etc/systemd/system/getty.target.wants/serial-getty@ttyS1.service
mkdir -p /archive /srv/nvme-mptcp
rm -rf /etc/apt/sources.list.d/* /var/lib/apt/lists/* /var/cache/apt/*.bin
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id
: >/etc/resolv.conf
rm -f /etc/nvme/hostnqn /etc/nvme/hostid
update-initramfs -c -k all
"""

#: Sizes of the disks, which are sparse files.
SYSTEM_SIZE = "8G"
ARCHIVE_SIZE = "3G"
PROJECT_SIZE = "256M"

RELEASE_FILE = """\
Suite: {suite}
Codename: {suite}
Date: {date}
{more}SHA256:
 {digest} {size} Packages
"""

#: Like Debian's backports: installed only on request, and then upgraded.
NOT_AUTOMATIC = "NotAutomatic: yes\nButAutomaticUpgrades: yes\n"


@dataclass(frozen=True)
class Parts:
    """A directory of the cache with files that all runs share."""

    top: Path

    @property
    def archive(self) -> Path:
        """Return the disk with Debian's packages, which both machines read."""
        return self.top / "archive.ext4"

    @property
    def server(self) -> Path:
        """Return the archive of a root with the server's packages."""
        return self.top / "server.tar"

    @property
    def packages(self) -> Path:
        """Return the directory with Debian's packages, by suite."""
        return self.top / "packages"


def suites(release: Release) -> dict[str, Sequence[str]]:
    """Return the packages of the local archive, by suite."""
    name, stock = release.codename, STOCK[release.codename]
    later = {f"{name}-backports": stock.backports_kernel} if stock.backports_kernel else {}
    return {name: (*NEEDED, *stock.needed, *OTHERS), **later}


def files(release: Release) -> dict[str, str]:
    """Return the contents of the server's files."""
    lines = [f"deb [trusted=yes] file:/archive/{suite} ./\n" for suite in suites(release)]
    return {**FILES, "etc/apt/sources.list": "".join(lines)}


def parts(cache: Cache, release: Release, ui: Ui) -> Parts:
    """Return the shared parts, built if their input changed."""
    offered = [name for names in suites(release).values() for name in names]
    words = (*debian.sources(release.codename), *SERVER, *offered)
    key = key_of(RECIPE, release.codename, *words)
    top = cache.top / f"machines-{release.codename}-{key}"
    with cache.lock(f"machines-{release.codename}"):
        if not top.exists():
            with cache.scratch() as scratch:
                made = Parts(scratch / "parts")
                made.top.mkdir()
                with ui.step(f"{release}: a server's packages") as step:
                    _make(cache, release, made, bare(cache, release, ui), step.note)
                made.top.rename(top)
    return Parts(top)


def _make(cache: Cache, release: Release, made: Parts, archive: Path, note: debian.Note) -> None:
    """Install and download in one run, so that all packages are from one state of the archive."""
    with unpacked(cache, archive) as tree:

        def inside(command: str) -> None:
            debian.run(Root(tree).command("/", command), f"{release}: a server", note)

        inside(f"apt-get -q update && {APT} dist-upgrade && {APT} install {' '.join(SERVER)}")
        inside("apt-get clean")
        inside(f"cd /var/cache/apt/archives && apt-get -q download {' '.join(INSTALLED_KERNEL)}")
        for suite, names in suites(release).items():
            wish = "--download-only"
            if suite != release.codename:
                inside(packages.BACKPORTS)
                wish += f" -t {suite}"
            inside(f"{APT} {wish} install {' '.join(names)}")
            _collect(tree, made.packages, suite)
        debian.run(disk_command(made.packages, made.archive, "archive", ARCHIVE_SIZE), "mke2fs")
        inside("rm -f /etc/apt/sources.list.d/backports.list")
        debian.run(pack_command(tree, made.server), "packing a root")


def system_disk(cache: Cache, release: Release, parts: Parts, ui: Ui) -> Path:
    """Return the system disk, of which each machine gets a copy."""

    texts = files(release)

    def build(target: Path, _: Path) -> None:
        with ui.step(f"{release}: a server's disk") as step, unpacked(cache, parts.server) as tree:
            for name, text in texts.items():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(text)
            debian.run(Root(tree).command("/", SETTLE), f"{release}: a server's disk", step.note)
            debian.run(disk_command(tree, target, "root", SYSTEM_SIZE), "mke2fs")

    key = key_of(RECIPE, parts.top.name, *texts, *texts.values(), SETTLE, SYSTEM_SIZE)
    return cache.file("machines-system", key, ".ext4", build)


def _collect(tree: Path, top: Path, suite: str) -> None:
    """Make an apt archive of the downloaded packages."""
    into = top / suite
    into.mkdir(parents=True)
    for deb in sorted((tree / "var/cache/apt/archives").glob("*.deb")):
        shutil.move(deb, into / deb.name)
    scan = ["dpkg-scanpackages", "--multiversion", "."]
    index = subprocess.run(scan, cwd=into, capture_output=True, check=True).stdout
    (into / "Packages").write_bytes(index)
    (into / "Release").write_text(
        RELEASE_FILE.format(
            suite=suite,
            date=email.utils.formatdate(usegmt=True).replace("GMT", "UTC"),
            more=NOT_AUTOMATIC if suite.endswith("-backports") else "",
            digest=hashlib.sha256(index).hexdigest(),
            size=len(index),
        )
    )


# Disks that depend on the project's packages

CONTROL = """\
Package: nvme-mptcp-dkms
Version: {version}+built
Architecture: amd64
Maintainer: The nvme-mptcp authors <nvme-mptcp@localhost.invalid>
Depends: kmod
Description: NVMe over MPTCP: kernel modules that DKMS has built elsewhere
"""

#: A kernel that is installed later runs depmod itself.
DEPMOD = """\
#!/bin/sh
for modules in /lib/modules/*/modules.order; do
    kernel=$(basename "$(dirname "$modules")")
    depmod "$kernel"
done
"""


def built_modules(cache: Cache, release: Release, parts: Parts, deb: Path, ui: Ui) -> Path:
    """Return a package that replaces nvme-mptcp-dkms, with the modules that DKMS builds from it.

    DKMS runs in a root with the machines' packages, for each kernel with patches, and the package
    installs the modules where DKMS put them.
    """

    def build(target: Path, scratch: Path) -> None:
        shared = ((parts.packages, "/packages"), (deb.parent, "/project"))
        names = [f"/packages/{suite}/*.deb" for suite in suites(release)]
        what = f"{release}: DKMS builds modules"
        with ui.step(what) as step, unpacked(cache, parts.server) as tree:
            for name in (*names, f"/project/{deb.name}"):
                command = Root(tree, shared).command("/", f"{APT} install {name}")
                debian.run(command, f"{release}: {name}", step.note)
            places = sorted(tree.glob("usr/lib/modules/*/updates/dkms"))
            if len(places) != len(names):
                raise ToolError(f"DKMS has built for {len(places)} kernels, not for {len(names)}")
            _pack_modules(tree, deb, places, scratch / "package", target)

    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    return cache.file("machines-modules", key_of(RECIPE, parts.top.name, digest), ".deb", build)


def _pack_modules(
    tree: Path, deb: Path, places: Sequence[Path], package: Path, target: Path
) -> None:
    """Make the package of the files in DKMS's directories in a root."""
    for place in places:
        shutil.copytree(place, package / place.relative_to(tree))
    (package / "DEBIAN").mkdir()
    version = debian.run(["dpkg-deb", "-f", deb, "Version"], "dpkg-deb").strip()
    (package / "DEBIAN/control").write_text(CONTROL.format(version=version))
    for script in ("postinst", "postrm"):
        (package / "DEBIAN" / script).write_text(DEPMOD)
        (package / "DEBIAN" / script).chmod(0o755)
    debian.run(["dpkg-deb", "--root-owner-group", "-b", package, target], "dpkg-deb")


#: Packages that also exist in an older version: those whose services are upgraded.
UPGRADED = ("nvme-mptcp", "libnvme-mptcp0", "libnvme1-mptcp", "python3-nvme-mptcp")


def _older(deb: Path, directory: Path) -> None:
    """Repack a package with a lower version number."""
    tree = directory / "tree"
    debian.run(["dpkg-deb", "-R", deb, tree], "dpkg-deb")
    version = debian.run(["dpkg-deb", "-f", deb, "Version"], "dpkg-deb").strip()
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text().replace(version, f"{version}~older"))
    debian.run(["dpkg-deb", "--root-owner-group", "-b", tree, directory], "dpkg-deb")
    shutil.rmtree(tree)


def project_disk(debs: Sequence[Path], scratch: Path, target: Path) -> None:
    """Make the disk with the project's packages, which both machines read."""
    directory = scratch / "project"
    directory.mkdir()
    name_of = ["dpkg-deb", "-W", "--showformat=${Package}_${Version}_${Architecture}.deb"]
    for deb in debs:
        shutil.copy2(deb, directory / debian.run([*name_of, deb], "dpkg-deb"))
    (directory / "older").mkdir()
    for deb in debs:
        if deb.name.split("_")[0] in UPGRADED:
            _older(deb, directory / "older")
    debian.run(disk_command(directory, target, "project", PROJECT_SIZE), "mke2fs")
