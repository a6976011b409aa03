# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel/prepare: for which kernels modules are built, and what it makes of a source."""

import io
import os
import re
import struct
import subprocess
import tarfile
from pathlib import Path

import pytest
from nvmelab import kbuild, kernel
from nvmelab.releases import PREPARE, SERIES
from nvmetools import PROJECT

PACKAGING = PROJECT / "packaging/debian"
MAKEFILE = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\nNAME = Baby\n"


class Sources:
    """A /usr/src, what dpkg knows of it, and a directory like that of the package."""

    def __init__(self, top: Path) -> None:
        self.top = top
        for name in ("bin", "src", "package", "modules"):
            (top / name).mkdir()
        (top / "bin/dpkg-query").write_text(
            '#!/bin/sh\nfor name; do :; done\ncat "$0.$(basename "$name")" 2>/dev/null\n'
        )
        (top / "bin/dpkg-query").chmod(0o755)
        for name in ("prepare", "series", "structures.py", "edit.py"):
            (top / "package" / name).symlink_to(PREPARE.parent / name)

    def add(self, base: str, version: str, makefile: str = MAKEFILE, text: str = "one\n") -> None:
        """Installs a kernel's source of two files, of a package's version."""
        name = f"linux-source-{base}"
        (self.top / f"bin/dpkg-query.{name}").write_text(version)
        files = {
            "Makefile": makefile, "drivers/nvme/host/tcp.c": text, "drivers/scsi/sd.c": "x\n",
        }  # fmt: skip
        with tarfile.open(self.top / f"src/{name}.tar.xz", "w:xz") as tar:
            for path, content in files.items():
                member = tarfile.TarInfo(f"{name}/{path}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content.encode()))

    def add_headers(self, release: str, source: str) -> Path:
        """Installs the headers of a kernel, of a package from ``source`` (name and version)."""
        headers = self.top / f"headers-{release}"
        headers.mkdir()
        build = self.top / "modules" / release / "build"
        build.parent.mkdir()
        build.symlink_to(headers)
        if source:
            answers = {headers.name: f"package-{release}: {headers}", f"package-{release}": source}
            for name, answer in answers.items():
                (self.top / f"bin/dpkg-query.{name}").write_text(answer)
        return headers

    def edit(self, find: str, new: str, added: str = "") -> None:
        """Let the list have one edit of a driver, and a file that is added."""
        package = self.top / "package"
        (package / "edit.py").unlink()
        (package / "edit.py").write_bytes((PREPARE.parent / "edit.py").read_bytes())
        (package / "edit.py").chmod(0o755)
        lines = ["@patch 0001 one", "@edit host/tcp.c the line", "@find", find, "@replace", new]
        if added:
            (package / "common/host").mkdir(parents=True)
            (package / "common/host/mptcp.c").write_text(added)
            lines.append("@add host/mptcp.c")
        (package / "edits").write_text("\n".join(lines))

    def run(self, *arguments: str | Path, status: int = 0) -> str:
        """Runs the program; returns what it printed, on both outputs."""
        environment = {
            "PATH": f"{self.top}/bin:{os.environ['PATH']}", "LC_ALL": "C",
            "NVME_MPTCP_SOURCES": str(self.top / "src"),
            "NVME_MPTCP_KERNELS": str(self.top / "modules"),
        }  # fmt: skip
        done = subprocess.run(
            [self.top / "package/prepare", *arguments], env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stdout
        return done.stdout


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def test_kernels_are_those_whose_source_is_there(sources: Sources) -> None:
    """DKMS passes over all others."""
    candidates = (
        "6.12.117+deb13-amd64", "6.12.117", "6.12.11+deb13-amd64", "6.12.1171-amd64",
        "6.12.107+deb13-amd64", "7.3.4+deb13-cloud-amd64", "7.3.40", "6.1.0-49-amd64", "16.12.117",
    )  # fmt: skip

    def matched() -> list[str]:
        pattern = sources.run("kernels").strip()
        return [name for name in candidates if re.search(pattern, name)]

    assert matched() == []
    sources.add("6.12", "6.12.117-1~deb12u1")
    assert matched() == ["6.12.117+deb13-amd64", "6.12.117"]
    sources.add("7.3", "7.3.4-1~bpo13+1")
    assert matched()[2:] == ["7.3.4+deb13-cloud-amd64"]
    (sources.top / "src/linux-source-6.12.tar.xz").unlink()
    assert matched() == ["7.3.4+deb13-cloud-amd64"], "removed, but dpkg still knows its version"
    sources.add("6.1", "6.1.192-2")
    assert matched() == ["7.3.4+deb13-cloud-amd64"]


@pytest.mark.parametrize(
    ("release", "reason"),
    [
        ("6.1.0-49-amd64", "modules are built for Linux 6.12, 7.2 and 7.3, not for 6.1"),
        ("6.120.1", "modules are built for Linux 6.12, 7.2 and 7.3, not for 6.120"),
        ("7.30.4", "modules are built for Linux 6.12, 7.2 and 7.3, not for 7.30"),
        ("mine", "modules are built for Linux 6.12, 7.2 and 7.3, not for it"),
        ("7.3.4+deb13-amd64", "its source is not installed (apt install linux-source-7.3)"),
        ("7.2.12+deb13-amd64", "its source is not installed (apt install linux-source-7.2)"),
        ("6.12.74+deb13-amd64",
         "modules are built for 6.12.107 and later, because MPTCP of earlier kernels may keep a "
         "closed connection open; install a newer kernel"),
        ("6.12.120+deb13-amd64",
         "linux-source-6.12 is of 6.12.117, and modules have to be built of the kernel's own "
         "source; install linux-source-6.12 of 6.12.120, or the kernel 6.12.117 with its headers"),
    ],
)  # fmt: skip
def test_a_kernel_without_modules_is_explained(sources: Sources, release: str, reason: str) -> None:
    sources.add("6.12", "6.12.117-1")
    said = f"nvme-mptcp-dkms: {release} has no transport mptcp: {reason}\n"
    assert sources.run("explain", release, status=1) == said
    directory = sources.top / "out"
    assert sources.run("source", release, directory, status=1) == said
    assert not directory.exists()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("linux 6.12.117-1", ""),
        ("linux-6.12 6.12.117-1", ""),
        ("linux 6.12.117-2",
         "its headers are of version 6.12.117-2 and linux-source-6.12 is of 6.12.117-1; "
         "install both in one version"),
        ("linux 1:6.12.117-1+rpt1",
         "its headers are of version 1:6.12.117-1+rpt1 and linux-source-6.12 is of 6.12.117-1; "
         "install both in one version"),
        ("proxmox-kernel-6.12 6.12.117-1",
         "its headers are of proxmox-kernel-6.12 6.12.117-1, and modules are built for "
         "Debian's own kernels only (source package linux or linux-6.12)"),
        ("",
         "its headers are of no package, and modules are built for Debian's own kernels only "
         "(source package linux or linux-6.12)"),
    ],
)  # fmt: skip
def test_modules_are_built_for_headers_of_debians_source_alone(
    sources: Sources, source: str, reason: str
) -> None:
    """The three numbers of other people's kernels say nothing about the structures in them."""
    release = "6.12.117-1-pve"
    sources.add("6.12", "6.12.117-1")
    sources.add_headers(release, source)
    said = f"nvme-mptcp-dkms: {release} has no transport mptcp: {reason}\n" if reason else ""
    assert sources.run("explain", release, status=bool(reason)) == said


def btf(names: dict[str, int]) -> bytes:
    """Type information of a module with these structures, between types of other kinds.

    Offsets of names begin after 1000 bytes of strings that are the kernel's.
    """
    text, types = b"", struct.pack("<IIII", 5, 1 << 24, 4, 32)
    for name, size in names.items():
        types += struct.pack("<III", 0, 13 << 24 | 2, 0) + bytes(16)
        types += struct.pack("<III", 1000 + len(text), 4 << 24 | 1, size) + bytes(12)
        text += name.encode() + b"\0"
    types += struct.pack("<III", 1000, 8 << 24, 0)
    return struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(text)) + (
        types + text
    )


def module(section: bytes) -> bytes:
    """An ELF file with that section alone."""
    names = b"\0.BTF\0"
    table = 64 + len(section) + len(names)
    header = b"\x7fELF\2\1".ljust(0x28, b"\0") + struct.pack("<Q", table)
    header += struct.pack("<IHHHHHH", 0, 64, 0, 0, 64, 2, 1)
    rows = [(1, 1, 0, 0, 64, len(section)), (0, 3, 0, 0, 64 + len(section), len(names))]
    sections = [struct.pack("<IIQQQQ", *row).ljust(64, b"\0") for row in rows]
    return b"".join([header, section, names, *sections])


def test_the_compiler_compares_structures_with_those_of_the_kernels_module(
    sources: Sources,
) -> None:
    sources.add("6.12", "6.12.117-1")
    sources.edit("one", "mptcp", "// ours\n")
    release = "6.12.117+deb13-amd64"
    sources.add_headers(release, "linux 6.12.117-1")
    drivers = sources.top / "modules" / release / "kernel/drivers/nvme/host"
    drivers.mkdir(parents=True)
    sizes = {"other": 7, "nvme_ctrl": 3040, "nvme_ns": 960, "nvme_request": 40}
    (drivers / "nvme-core.ko").write_bytes(module(btf(sizes)))
    out = sources.top / "out"
    sources.run("source", release, out)
    code = (out / "drivers/nvme/host/mptcp.c").read_text().splitlines()
    assert code == ["// ours"] + [
        f'static_assert(sizeof(struct {name}) == {sizes[name]}, '
        f'"{name} of nvme-core has {sizes[name]} bytes");'
        for name in ("nvme_ctrl", "nvme_ns", "nvme_request")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content", [b"", b"x", module(b""), module(btf({"nvme_ctrl": 8})), module(btf({"one": 1}))]
)
def test_a_module_without_these_types_is_not_compared(content: bytes) -> None:
    done = subprocess.run(
        [PREPARE.parent / "structures.py", "nvme-core", "nvme_ctrl", "nvme_ns", "nvme_request"],
        input=content, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_drivers_are_unpacked_and_patched(sources: Sources) -> None:
    """Into a directory made anew, with the Makefile and without the rest of the kernel."""
    sources.add("6.12", "6.12.117-1")
    sources.edit("one", "mptcp")
    assert sources.run("explain", "6.12.117+deb13-amd64", status=1) == (
        "nvme-mptcp-dkms: 6.12.117+deb13-amd64 has no transport mptcp: its headers are not "
        "installed (apt install linux-headers-6.12.117+deb13-amd64)\n"
    )
    out = sources.top / "out"
    out.mkdir()
    (out / "left-over").touch()
    sources.run("source", "6.12.117+deb13-amd64", out)
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert files == ["Makefile", "drivers/nvme/host/tcp.c"]
    assert (out / "drivers/nvme/host/tcp.c").read_text() == "mptcp\n"


def test_an_edit_without_its_place_is_an_error(sources: Sources) -> None:
    sources.add("6.12", "6.12.117-1")
    sources.edit("two", "mptcp")
    out = sources.top / "out"
    printed = sources.run("source", "6.12.117", out, status=1)
    assert not out.exists(), "Debian 12's DKMS would build what is there"
    assert printed == "nvme-mptcp-dkms: edits:2: host/tcp.c the line: anchor not found: two\n"


def test_an_archive_of_another_version_than_its_package_is_an_error(sources: Sources) -> None:
    sources.add("6.12", "6.12.117-1", MAKEFILE.replace("117", "95"))
    sources.edit("one", "mptcp")
    printed = sources.run("source", "6.12.117+deb13-amd64", sources.top / "out", status=1)
    assert "linux-source-6.12.tar.xz is of 6.12.95, not of 6.12.117" in printed


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("explain",), ("edit", "x")])
def test_wrong_arguments_are_refused(sources: Sources, arguments: tuple[str, ...]) -> None:
    assert "usage: prepare unpack|" in sources.run(*arguments, status=1)


def test_the_table_of_series_is_that_of_the_lab() -> None:
    """Every directory is for a kernel, for whose source the package waits."""
    lines = (PREPARE.parent / "series").read_text()
    rows = re.findall(r"^(\d\S*)\s+(\S+)\s+(\S+)$", lines, re.M)
    assert {series for _, series, _ in rows} == set(SERIES)
    for base, series, first in rows:
        assert kernel.edits_of(series)
        assert first.startswith(f"{base}.")
    triggers = (PACKAGING / "nvme-mptcp-dkms.triggers").read_text()
    depends = re.search(r"^Depends: .*linux-source.*$", (PACKAGING / "control").read_text(), re.M)
    for base, _, _ in rows:
        assert f" /usr/src/linux-source-{base}.tar.xz\n" in triggers
        assert depends
        assert re.search(rf"\blinux-source-{re.escape(base)}[ ,]", depends[0])


def test_dkms_installs_the_modules_of_the_lab() -> None:
    conf = (PROJECT / "kernel/dkms/dkms.conf").read_text()
    assert tuple(re.findall(r'^BUILT_MODULE_NAME\[\d\]="(\S+)"$', conf, re.M)) == kbuild.MODULES
