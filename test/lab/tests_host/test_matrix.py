# SPDX-License-Identifier: GPL-2.0-or-later
"""lab matrix: the table of Debian's kernels, and what a kernel that fails does to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nvmelab import cli, kernel, matrix, releases
from nvmelab.releases import Release, Series
from nvmelab.runner import Lab
from nvmetools import ToolError

ARCHIVE = {
    ("", r"6\.12\.\d+"): [Release("6.12.117+deb12-amd64", "6.12.117-1~deb12u1")],
    ("trixie", r"6\.12\.\d+"): [Release("6.12.118+deb13-amd64", "6.12.118-1")],
    ("trixie", r"7\.3\.\d+"): [Release("7.3.4+deb13-amd64", "7.3.4-1~bpo13+1", split=True)],
}
LINES = (
    "| 12 | 6.12.117+deb12-amd64 | 6.12.117-1~deb12u1 | yes | {} |",
    "| 13 and its backports | 6.12.118+deb13-amd64 | 6.12.118-1 | no: edits:9: x | - |",
    "| 13 and its backports | 7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | yes | {} |",
)


@pytest.fixture
def booted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An archive of three kernels, of which one cannot be built; the kernels that were booted."""
    kernels: list[str] = []

    def every(store: object, series: Series, note: object) -> Iterator[Release]:
        yield from ARCHIVE.get((series.backports_of, series.versions), [])

    def made(store: object, series: Series, release: Release, note: object) -> kernel.Kernel:
        assert series.name == ("6.12" if release.name.startswith("6.12") else "newest")
        if release.name.startswith("6.12.118"):
            raise ToolError("adding the transport failed:\nedits:9: x\nmake: *** [x] Error 2")
        return kernel.Kernel(release.name, Path("/boot"), Path("/"), "mptcp")

    def run(lab: Lab, name: str, commands: list[list[str]], **_: object) -> object:
        assert commands == [["python3", "/project/test/lab/loads.py"]]
        kernels.append(name)
        return type("Result", (), {"status": len(kernels) - 1})

    monkeypatch.setattr(releases, "every", every)
    monkeypatch.setattr(kernel, "prepare_release", made)
    monkeypatch.setattr(Lab, "run", run)
    return kernels


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_the_table_has_a_line_for_each_kernel(
    booted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["matrix"]) == 1
    assert printed(capsys) == [*matrix.HEAD.splitlines(), *(line.format("-") for line in LINES)]
    assert booted == []


def test_kernels_are_booted_if_asked_for(
    booted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["matrix", "--load"]) == 1
    lines = printed(capsys)[2:]
    assert lines == [
        line.format(loads) for line, loads in zip(LINES, ("yes", "", "no"), strict=True)
    ]
    assert len(booted) == 2


def test_versions_are_chosen(booted: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["matrix", "7.3", "6.12.117"]) == 0
    assert printed(capsys)[2:] == [LINES[0].format("-"), LINES[2].format("-")]
