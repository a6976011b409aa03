# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that get a second try: a few of an emulated guest, and only if nothing else went wrong."""

from pathlib import Path

import pytest
from nvmelab import cli, klog
from nvmelab.cli import main
from nvmelab.runner import Lab, Result

FILE = "test/lab/tests/test_lab.py"
TESTS = ("a", "b", "c", "d", "e", "f", "g[x-y z]")


def report(failing: str = "", among: tuple[str, ...] = TESTS) -> str:
    cases = "".join(
        f'<testcase classname="test.lab.tests.test_lab" name="{name}">'
        + ("<failure/>" if name[0] in failing else "")
        + "</testcase>"
        for name in among
    )
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>"


class Boots:
    """What boots leave, by their names; all others pass. ``run`` has those that were asked for."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.left: dict[str, tuple[int, str]] = {}
        self.findings: list[klog.Finding] = []
        self.is_emulated = True
        self.run: list[tuple[str, list[str]]] = []

    def boot(self, lab: Lab, name: str, commands: list[list[str]], **more: object) -> Result:
        self.run.append((name, commands[0]))
        status, xml = self.left.get(name, (0, report(among=("other",))))
        directory = self.top / name
        directory.mkdir()
        (directory / "junit.xml").write_text(xml)
        return Result(name, status, directory, self.findings, 1.0, self.is_emulated)

    def again(self) -> list[tuple[str, list[str]]]:
        """The second tries, and the tests of each."""
        return [
            (name, [word for word in command if "::" in word])
            for name, command in self.run
            if name.endswith("-again")
        ]


@pytest.fixture
def boots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Boots:
    made = Boots(tmp_path)
    monkeypatch.setattr(Lab, "run", lambda lab, *words, **more: made.boot(lab, *words, **more))
    monkeypatch.setattr(Lab, "prepare", lambda self, wanted: None)
    monkeypatch.setattr(cli, "_require_build", lambda build: None)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return made


def test_what_passes_by_itself_has_passed(boots: Boots, capsys: pytest.CaptureFixture[str]) -> None:
    boots.left["test-6.12-3"] = (1, report("bg"))
    boots.left["test-6.12-again"] = (0, report(among=("b", "g[x-y z]")))
    assert main(["test", "--jobs", "2"]) == 0
    assert boots.again() == [("test-6.12-again", [f"{FILE}::b", f"{FILE}::g[x-y z]"])]
    command = boots.run[-1][1]
    assert command[command.index("-m", 3) + 1] == "not icount and not pci and not stock"
    assert not any(word.startswith("--part") for word in command)
    said = capsys.readouterr()
    assert "repeating failed tests on their own: test_lab::b, test_lab::g[x-y z]" in said.err
    lines = said.out.splitlines()
    told = "passed when repeated on its own: {} (its failure is above)"
    assert [told.format(f"test_lab::{name}") in lines for name in ("b", "g[x-y z]")] == [True, True]
    assert lines[-2].startswith("the logs are in ")
    assert lines[-1] == "16 passed (2 at the second attempt), 0 failed, 0 skipped"


@pytest.mark.parametrize(
    ("second", "counted"),
    [
        ((1, report("b", ("b", "d"))), "15 passed (1 at the second attempt), 1 failed, 0 skipped"),
        ((1, report("bd", ("b", "d"))), "14 passed, 2 failed, 0 skipped"),
        ((0, report(among=("d",))), "15 passed (1 at the second attempt), 1 failed, 0 skipped"),
        ((124, report(among=("b",))), "15 passed (1 at the second attempt), 1 failed, 0 skipped"),
        ((5, report(among=())), "14 passed, 2 failed, 0 skipped"),
    ],
)
def test_what_fails_again_has_failed(
    boots: Boots, capsys: pytest.CaptureFixture[str], second: tuple[int, str], counted: str
) -> None:
    """So has what did not run to its end."""
    boots.left["test-newest-1"] = (1, report("bd"))
    boots.left["test-newest-again"] = second
    assert main(["test", "--jobs", "2"]) == (124 if second[0] == 124 else 1)
    assert len(boots.again()) == 1
    assert capsys.readouterr().out.splitlines()[-1] == counted


def test_each_kernel_repeats_its_own(boots: Boots) -> None:
    boots.left |= {"test-6.12-1": (1, report("a")), "test-6.12-4": (1, report("c"))}
    boots.left |= {"test-newest-2": (1, report("a")), "test-6.12-icount": (1, report("f"))}
    boots.left |= {f"test-{name}-again": (0, report()) for name in ("6.12", "6.12-icount")}
    boots.left["test-newest-again"] = (0, report())
    assert main(["test", "--jobs", "2"]) == 0
    assert boots.again() == [
        ("test-6.12-again", [f"{FILE}::a", f"{FILE}::c"]),
        ("test-6.12-icount-again", [f"{FILE}::f"]),
        ("test-newest-again", [f"{FILE}::a"]),
    ]


def test_no_second_try_where_more_is_wrong(boots: Boots) -> None:
    """Many failures, a boot that did not end, or one that pytest could not run."""
    for status, xml in (
        (1, report("abcdef")),
        (124, report("a")),
        (125, report("a")),
        (2, report("a")),
    ):
        boots.left = {"test-6.12-1": (status, xml), "test-newest-again": (0, report())}
        boots.run.clear()
        for old in boots.top.glob("test-*"):
            (old / "junit.xml").unlink()
            old.rmdir()
        assert main(["test", "--jobs", "2"]) == status
        assert boots.again() == []


def test_what_the_kernel_complains_of_is_not_forgiven(boots: Boots) -> None:
    boots.left["test-6.12-1"] = (1, report("a"))
    boots.findings = [klog.Finding(1, "BUG: x")]
    assert main(["test", "--jobs", "2"]) == 1
    assert boots.again() == []


def test_a_machine_that_is_not_emulated_has_no_excuse(boots: Boots) -> None:
    boots.left["test-6.12-1"] = (1, report("a"))
    boots.is_emulated = False
    assert main(["test", "--jobs", "2"]) == 1
    assert boots.again() == []


def test_tests_that_somebody_names_are_not_repeated(boots: Boots) -> None:
    boots.left["test-6.12"] = (1, report("a"))
    assert main(["test", "--jobs", "1", "-k", "a"]) == 1
    assert boots.again() == []


def test_only_ci_gets_a_second_try(boots: Boots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI")
    boots.left = {"test-6.12-1": (1, report("b")), "test-6.12-again": (0, report(among=("b",)))}
    assert main(["test"]) == 1
    assert boots.again() == []
