# SPDX-License-Identifier: GPL-2.0-or-later
"""Build the guest's root image: a minimal Debian of the machine's own release, in one erofs file.

The guest shares nothing of the machine's root file system, whose files a package upgrade could
replace under it, and nothing is installed on the machine.
"""

import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from nvmetools.archive import Archive, unpacked
from nvmetools.cache import Cache, key_of
from nvmetools.debian import Note, apt_options, package_pattern, run, sources, suite

#: Increase this when build() makes something else of the same packages.
RECIPE = "5"

PACKAGES = (
    "python3", "python3-pytest", "iproute2", "nftables", "kmod", "procps", "keyutils", "ethtool",
    "fio", "strace", "e2fsprogs", "bsdextrautils", "less",
    "libjson-c5", "libssl3", "libmnl0", "libkeyutils1",
    # required by the kernel's selftests and blktests
    "bc", "gawk", "iputils-ping", "jq", "tcpdump",
    # used in the documentation
    "auditd", "mokutil", "openssl",
)  # fmt: skip

#: Debian 12's own nvme, in /opt/reference and not in PATH: tests compare with it as a black box.
#: The root of a newer release has everything that it needs.
REFERENCE_RELEASE = "bookworm"
REFERENCE = ("nvme-cli", "libnvme1", "libdbus-1-3")

#: Debian 13's tlshd, which does the handshakes of the kernel's TLS. Debian 12 has none, so it comes
#: with the libraries that it was built for, in /opt/tlshd.
TLSHD_RELEASE = "trixie"
TLSHD = ("ktls-utils",)

#: Files that no test reads: a third of the image.
EXCLUDED = (
    "/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*",
    "/usr/share/lintian/*", "/usr/share/bash-completion/*",
)  # fmt: skip

REFERENCE_WRAPPER = """\
#!/bin/sh
top=/opt/reference
export LD_LIBRARY_PATH=$top/usr/lib/x86_64-linux-gnu:$top/lib/x86_64-linux-gnu
exec $top/usr/sbin/nvme "$@"
"""


def _add_reference(tree: Path, scratch: Path, cache: Cache, note: Note) -> None:
    """Unpack Debian 12's nvme into /opt/reference, which is not in PATH."""
    downloads = scratch / "reference"
    downloads.mkdir()
    Archive(cache, REFERENCE_RELEASE).fetch(REFERENCE, downloads, note)
    top = tree / "opt/reference"
    for package in sorted(downloads.glob("*.deb")):
        run(["dpkg-deb", "-x", package, top], f"unpacking {package.name}")
    wrapper = top / "nvme"
    wrapper.write_text(REFERENCE_WRAPPER)
    wrapper.chmod(0o755)


TLSHD_WRAPPER = """\
#!/bin/sh
top=/opt/tlshd
exec $top/usr/lib64/ld-linux-x86-64.so.2 --library-path $top/usr/lib/x86_64-linux-gnu \\
	$top/usr/sbin/tlshd "$@"
"""


def _add_tlshd(tree: Path, cache: Cache, note: Note) -> None:
    """Copy tlshd into /opt/tlshd, with the C library that it was built for."""
    top = tree / "opt/tlshd"
    original = unpacked(cache, TLSHD_RELEASE, TLSHD, note)
    shutil.copytree(
        original, top, symlinks=True, ignore=shutil.ignore_patterns("share", "gconv", "perl*")
    )
    wrapper = top / "tlshd"
    wrapper.write_text(TLSHD_WRAPPER)
    wrapper.chmod(0o755)


def unpack(archive: Path, tree: Path) -> None:
    """Unpack the archive without device nodes, so that any user can; the guest has devtmpfs."""

    with tarfile.open(archive) as tar:
        tar.extractall(tree, members=(member for member in tar if not member.isdev()))


def bootstrap(
    release: str, archive: Path, packages: Iterable[str], lines: Iterable[str], note: Note
) -> None:
    """Write a tar archive of a minimal Debian with these packages."""
    included = (f"--include={package_pattern(name)}" for name in packages)
    excluded = (f"--dpkgopt=path-exclude={pattern}" for pattern in EXCLUDED)
    command = ["mmdebstrap", "--variant=minbase", *included, *excluded, *apt_options()]
    run([*command, release, archive, *lines], "mmdebstrap", note)


def build(target: Path, scratch: Path, cache: Cache, note: Note) -> None:
    release = suite()
    archive, tree = scratch / "root.tar", scratch / "tree"
    bootstrap(release, archive, PACKAGES, sources(release), note)
    note("unpacking")
    unpack(archive, tree)
    for name in ("project", "build", "results", "usr/lib/modules"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    (tree / "etc/hostname").write_text("lab\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost lab\n::1 localhost lab\n")
    (tree / "etc/resolv.conf").unlink(missing_ok=True)
    shutil.rmtree(tree / "var/cache/apt", ignore_errors=True)
    note("adding Debian 12's nvme as reference")
    _add_reference(tree, scratch, cache, note)
    note("adding Debian 13's tlshd")
    _add_tlshd(tree, cache, note)
    note("mkfs.erofs")
    # keep the times: Python recompiles modules whose time differs from that in their .pyc
    run(["mkfs.erofs", "-zlz4", "--all-root", target, tree], "mkfs.erofs")


def image(cache: Cache, note: Note) -> Path:
    """Return the root image, built if its input changed."""
    release = suite()
    key = key_of(RECIPE, release, *PACKAGES, *REFERENCE, *TLSHD, *EXCLUDED, *sources(release))
    return cache.file(
        "root", key, ".erofs", lambda path, scratch: build(path, scratch, cache, note)
    )
