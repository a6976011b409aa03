# SPDX-License-Identifier: GPL-2.0-or-later
"""test/lab/kernel/prepare: for which kernels there are patches, and what it makes of a source."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
from nvmelab import kbuild, kernel
from nvmelab.releases import PREPARE, SERIES
from nvmelab.runner import PROJECT

PACKAGING = PROJECT / "packaging/debian"
MAKEFILE = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\nNAME = Baby\n"


class Sources:
    """A /usr/src, what dpkg knows of it, and a directory like that of the package."""

    def __init__(self, top: Path) -> None:
        self.top = top
        for name in ("bin", "src", "package"):
            (top / name).mkdir()
        (top / "bin/dpkg-query").write_text(
            '#!/bin/sh\nfor name; do :; done\ncat "$0.$name" 2>/dev/null\n'
        )
        (top / "bin/dpkg-query").chmod(0o755)
        for name in ("prepare", "series"):
            (top / "package" / name).symlink_to(PREPARE.parent / name)

    def add(self, base: str, version: str, makefile: str = MAKEFILE) -> None:
        """Installs a kernel's source of two files, of a package's version."""
        name = f"linux-source-{base}"
        (self.top / f"bin/dpkg-query.{name}").write_text(version)
        files = {
            "Makefile": makefile, "drivers/nvme/host/tcp.c": "one\n", "drivers/scsi/sd.c": "x\n",
        }  # fmt: skip
        with tarfile.open(self.top / f"src/{name}.tar.xz", "w:xz") as tar:
            for path, text in files.items():
                member = tarfile.TarInfo(f"{name}/{path}")
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text.encode()))

    def patch(self, text: str) -> None:
        """Gives the series of 6.12 this patch, of one line."""
        directory = self.top / "package/6.12"
        directory.mkdir(exist_ok=True)
        (directory / "0001.patch").write_text(
            "--- a/drivers/nvme/host/tcp.c\n+++ b/drivers/nvme/host/tcp.c\n@@ -1 +1 @@\n" + text
        )

    def run(self, *arguments: str | Path, status: int = 0) -> str:
        """Runs the program; returns what it printed, on both outputs."""
        environment = {
            "PATH": f"{self.top}/bin:{os.environ['PATH']}", "LC_ALL": "C",
            "NVME_MPTCP_SOURCES": str(self.top / "src"),
        }  # fmt: skip
        done = subprocess.run(
            [self.top / "package/prepare", *arguments], env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stdout
        return done.stdout


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """Nothing installed."""
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
        ("6.1.0-49-amd64", "there are patches for Linux 6.12 and 7.3, none for 6.1"),
        ("6.120.1", "there are patches for Linux 6.12 and 7.3, none for 6.120"),
        ("7.30.4", "there are patches for Linux 6.12 and 7.3, none for 7.30"),
        ("mine", "there are patches for Linux 6.12 and 7.3, none for it"),
        ("7.3.4+deb13-amd64", "its source is not installed (apt install linux-source-7.3)"),
        ("6.12.11+deb13-amd64",
         "linux-source-6.12 is of 6.12.117, and modules have to be built of the kernel's own "
         "source; install linux-source-6.12 of 6.12.11, or the kernel 6.12.117 with its headers"),
    ],
)  # fmt: skip
def test_a_kernel_without_modules_is_explained(sources: Sources, release: str, reason: str) -> None:
    sources.add("6.12", "6.12.117-1")
    said = f"nvme-mptcp-dkms: {release} has no transport mptcp: {reason}\n"
    assert sources.run("explain", release, status=1) == said
    directory = sources.top / "out"
    assert sources.run("source", release, directory, status=1) == said
    assert not directory.exists()


def test_the_drivers_are_unpacked_and_patched(sources: Sources) -> None:
    """Into a directory made anew, with the Makefile and without the rest of the kernel."""
    sources.add("6.12", "6.12.117-1")
    sources.patch("-one\n+mptcp\n")
    assert sources.run("explain", "6.12.117+deb13-amd64") == ""
    out = sources.top / "out"
    out.mkdir()
    (out / "left-over").touch()
    sources.run("source", "6.12.117+deb13-amd64", out)
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert files == ["Makefile", "drivers/nvme/host/tcp.c"]
    assert (out / "drivers/nvme/host/tcp.c").read_text() == "mptcp\n"


def test_a_patch_without_its_place_is_an_error(sources: Sources) -> None:
    sources.add("6.12", "6.12.117-1")
    sources.patch("-two\n+mptcp\n")
    assert "FAILED" in sources.run("source", "6.12.117", sources.top / "out", status=1)


def test_an_archive_of_another_version_than_its_package_is_an_error(sources: Sources) -> None:
    sources.add("6.12", "6.12.117-1", MAKEFILE.replace("117", "95"))
    sources.patch("-one\n+mptcp\n")
    printed = sources.run("source", "6.12.117+deb13-amd64", sources.top / "out", status=1)
    assert "linux-source-6.12.tar.xz is of 6.12.95, not of 6.12.117" in printed


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("explain",), ("patch", "x")])
def test_wrong_arguments_are_refused(sources: Sources, arguments: tuple[str, ...]) -> None:
    assert "usage: prepare unpack|" in sources.run(*arguments, status=1)


def test_the_table_of_series_is_that_of_the_lab() -> None:
    """Every directory of patches is for a kernel, for whose source the package waits."""
    rows = re.findall(r"^(\d\S*)\s+(\S+)$", (PREPARE.parent / "series").read_text(), re.M)
    assert {series for _, series in rows} == set(SERIES)
    for _, series in rows:
        assert kernel.patches_of(series)
    triggers = (PACKAGING / "nvme-mptcp-dkms.triggers").read_text()
    depends = re.search(r"^Depends: .*linux-source.*$", (PACKAGING / "control").read_text(), re.M)
    for base, _ in rows:
        assert f" /usr/src/linux-source-{base}.tar.xz\n" in triggers
        assert depends
        assert re.search(rf"\blinux-source-{re.escape(base)}[ ,]", depends[0])


def test_dkms_installs_the_modules_of_the_lab() -> None:
    conf = (PACKAGING / "nvme-mptcp-dkms.dkms").read_text()
    assert tuple(re.findall(r'^BUILT_MODULE_NAME\[\d\]="(\S+)"$', conf, re.M)) == kbuild.MODULES
