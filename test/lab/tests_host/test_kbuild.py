# SPDX-License-Identifier: GPL-2.0-or-later
"""The build of three modules out of tree."""

import re
from pathlib import Path
from typing import Any

import pytest
from nvmelab import kbuild
from nvmelab.releases import Release, Unpacked
from nvmetools import ToolError
from nvmetools.cache import Cache

MAKEFILE = """\
obj-$(CONFIG_NVME_TCP)\t\t\t+= nvme-tcp.o
obj-$(CONFIG_NVME_MPTCP)\t\t+= nvme-mptcp.o
nvmet-$(CONFIG_TRACING)\t+= trace.o
nvme-mptcp-y\t+= mptcp.o
"""


def test_make_builds_our_modules_and_no_other(tmp_path: Path) -> None:
    for name, text in (("host", MAKEFILE), ("target", "obj-$(CONFIG_NVME_TARGET) += nvmet.o\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Makefile").write_text(text)
    assert kbuild.make_variables(tmp_path) == [
        "CONFIG_DEBUG_INFO=", "CONFIG_DEBUG_INFO_BTF_MODULES=",
        "CONFIG_NVME_TCP=", "CONFIG_NVME_MPTCP=m", "CONFIG_NVME_TARGET=m",
    ]  # fmt: skip


def test_headers_find_each_other_wherever_they_lie(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(
        "KBUILD_OUTPUT=/usr/src/linux-headers-9.9-amd64\n"
        "include /usr/src/linux-headers-9.9-common/Makefile\n"
    )
    for _ in range(2):
        kbuild.relocate(makefile, Path("/cache/x"))
        assert makefile.read_text() == (
            "KBUILD_OUTPUT=/cache/x/linux-headers-9.9-amd64\n"
            "include /cache/x/linux-headers-9.9-common/Makefile\n"
        )


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Unpacked:
    """Packages whose drivers are two Makefiles, which nothing is added to."""
    monkeypatch.setattr(kbuild, "add_transport", lambda source, series: None)
    packages = Unpacked(tmp_path / "packages")
    for name in ("host", "target"):
        (packages.source / "drivers/nvme" / name).mkdir(parents=True)
        (packages.source / "drivers/nvme" / name / "Makefile").write_text(MAKEFILE)
    (packages.headers / "linux-headers-9.9-amd64").mkdir(parents=True)
    (packages.headers / "linux-headers-9.9-amd64/Makefile").touch()
    return packages


class Compiled:
    """A compiler that prints something and leaves these modules."""

    def __init__(self, said: str, *names: str) -> None:
        self.said, self.names = said, names

    def check(self, headers: Path) -> None:
        """Finds everything in order."""

    def checks(self) -> list[str]:
        """Has no sparse."""
        return []

    def prefix(self, note: object) -> list[str]:
        create = " ".join(f'"$d/{name}.ko"' for name in self.names)
        script = (
            f'd=$(echo "$*" | grep -o " M=[^ ]*" | cut -c4-); touch {create}; echo "{self.said}"'
        )
        return ["bash", "-c", script, "make"]


@pytest.mark.parametrize(
    ("compiler", "complaint"),
    [
        (Compiled("", "nvme-mptcp", "nvmet"), "built: nvme-mptcp.ko, nvmet.ko"),
        (Compiled("", *kbuild.MODULES, "nvme-core"), "nvme-core.ko"),
        (
            Compiled("a/host/mptcp.c:7:1: warning: unused variable", *kbuild.MODULES),
            "mptcp.c:7:1: warning: unused variable",
        ),
    ],
)
def test_a_build_with_a_warning_or_another_module_fails(
    tmp_path: Path, packages: Unpacked, compiler, complaint: str
) -> None:
    with pytest.raises(ToolError, match=re.escape(complaint)):
        kbuild.build(Release("9.9-amd64", "1"), packages, "6.12", compiler, tmp_path, print)


def test_what_sparse_says_is_a_warning_unless_the_line_is_debians(
    tmp_path: Path, packages: Unpacked
) -> None:
    (part, line), *_ = kbuild.NOT_OURS
    (packages.source / "drivers/nvme" / part).write_text(f"\t{line}\n\t{line} /* more */\n;\n")
    place = tmp_path / "source/drivers/nvme" / part
    said = [f"{place}:{number}:46: warning: incorrect type in assignment" for number in (1, 2)]
    said.append(f"{place}:3:1: error: bad constant expression")
    compiler: Any = Compiled("\n".join(said), *kbuild.MODULES)
    with pytest.raises(ToolError) as error:
        kbuild.build(Release("9.9-amd64", "1"), packages, "6.12", compiler, tmp_path, print)
    assert str(error.value).splitlines()[1:] == said[1:]


def test_sparse_is_asked_where_it_is_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    for found, words in ((None, []), ("/usr/bin/sparse", ["C=1"])):
        monkeypatch.setattr(kbuild.shutil, "which", lambda name, found=found: found)
        assert kbuild.Compiler(cache).checks() == words
        assert kbuild.Compiler(cache).version().splitlines()[-len(words) :] == words or not words
        assert kbuild.Compiler(cache, "trixie").checks() == []
