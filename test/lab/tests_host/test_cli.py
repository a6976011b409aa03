# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's command line, its verdicts and its summaries, with no machine behind it."""

import os
from pathlib import Path

import pytest
from nvmelab import cli, junit, machine, runner
from nvmelab.cli import main, pytest_command
from nvmelab.klog import Finding
from nvmelab.runner import Lab, Result, Wanted
from nvmetools import PROJECT, ToolError
from nvmetools.ui import Ui, failure

JUNIT = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="5">
<testcase classname="test.lab.tests.test_a" name="one" time="1.5"/>
<testcase classname="test.lab.tests.test_a" name="two" time="0.1"><failure message="x"/></testcase>
<testcase classname="test.lab.tests.test_a" name="two" time="0.1"><error message="x"/></testcase>
<testcase classname="test.lab.tests.test_a" name="three" time="0"><skipped message="x"/></testcase>
<testcase classname="test.lab.tests.test_a" name="four" time="0.2"><error message="x"/></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Records what would be run; the result is what the list ``outcomes`` says."""
    recorded: list[tuple[str, list[list[str]], dict[str, object]]] = []
    outcomes: dict[str, tuple[int, str]] = {}

    def run(self: Lab, name: str, commands, **more) -> Result:
        recorded.append((name, commands, more))
        status, xml = outcomes.get(name, (0, ""))
        directory = tmp_path / name
        directory.mkdir(exist_ok=True)
        if xml:
            (directory / "junit.xml").write_text(xml)
        return Result(name, status, directory, [], 1.0)

    monkeypatch.setattr(Lab, "run", run)
    monkeypatch.setattr(Lab, "prepare", lambda self, wanted: None)
    monkeypatch.setattr(cli, "_require_build", lambda build: None)
    monkeypatch.setattr(Lab, "outcomes", outcomes, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return recorded


def test_scripts_get_what_follows_the_dashes(runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    assert main(["run", "--stock", "test/lab/demo.py", "test/run", "--", "-x", "y"]) == 0
    ((name, commands, more),) = runs
    assert name == "run"
    assert commands == [
        ["python3", "/project/test/lab/demo.py", "-x", "y"],
        ["/project/test/run", "-x", "y"],
    ]
    assert more == {"timeout": cli.LIMITS["run"]}


@pytest.mark.parametrize(
    ("words", "script", "timeout"),
    [
        (["sweep", "ipv6", "tcp"], ["sweep.py", "ipv6", "tcp"], 7200.0),
        (["chaos", "--seconds=3600", "--seed", "9"],
         ["chaos.py", "--seconds=3600", "--seed=9"], 4800.0),
    ],
)  # fmt: skip
def test_words_reach_the_guest(runs, words: list[str], script: list[str], timeout: float) -> None:
    assert main(words) == 0
    command = ["python3", f"/project/test/lab/{script[0]}", *script[1:]]
    assert runs == [(words[0], [command], {"timeout": timeout})]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "/etc/passwd"], "outside the project"),
        (["run", "nowhere.py"], "nowhere.py: no such file"),
        (["shell"], "needs a terminal"),
        (["demo", "--build", "/nowhere"], "/nowhere/nvme-cli/nvme does not exist: run `make`"),
        (["test", "--build", "/nowhere"], "/nowhere/nvme-cli/nvme does not exist: run `make`"),
    ],
)
def test_what_cannot_be_run_is_named(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*arguments, "--cache", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["run"],
        ["run", "--memory", "12", "x.py"],
        ["run", "--cpus", "many", "x.py"],
        ["run", "--kvm", "maybe", "x.py"],
        ["run", "--no-such-option", "x.py"],
        ["demo", "--", "x"],
    ],
)
def test_bad_command_lines_end_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


def test_kernel_and_modules_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--cache", str(tmp_path), "--kernel", "/boot/vmlinuz"]) == 2
    assert "--kernel and --modules go together" in capsys.readouterr().err


def test_pytest_gets_what_the_lab_does_not_know(runs) -> None:
    where = "test/lab/tests/test_lab.py::test_links_carry_both_families"
    assert main(["test", "-k", "tcp", "-x", where]) == 0
    assert [name for name, _, _ in runs] == ["test-6.12"]
    (command,) = runs[0][1]
    assert command[-4:] == ["-k", "tcp", "-x", where]
    assert command[command.index("-m", 3) + 1] == "not icount and not pci and not stock"


def test_files_are_left_out_of_a_whole_run(runs) -> None:
    assert main(["test", "--without", "test_pci_*", "--without=test_lab.py"]) == 0
    names = [name for name, _, _ in runs]
    assert "test-stock" in names
    assert "test-pci" not in names
    for _, commands, _ in runs:
        assert "--ignore-glob=/project/test/lab/tests/test_lab.py" in commands[0]


def test_a_directory_of_the_users_comes_along(runs, tmp_path: Path) -> None:
    script = tmp_path / "sub/their.sh"
    script.parent.mkdir()
    script.touch()
    assert main(["run", "--with", str(tmp_path), str(script), "--", "-t"]) == 0
    assert runs[0][1] == [["bash", "/extra/sub/their.sh", "-t"]]
    options = cli._options(cli.parser().parse_args(["run", "--with", str(tmp_path), str(script)]))
    job = Lab(options, Ui()).job([["true"]], tmp_path, interactive=False)
    assert job.commands == [["cp", "-a", "/extra-original", "/extra"], ["true"]]
    assert [(s.target, s.writable) for s in job.shares if s.tag == "extra"] == [
        ("/extra-original", False)
    ]
    with pytest.raises(SystemExit):
        main(["run", "--with", str(script), str(script)])


def test_two_runs_at_a_time_have_a_directory_each(tmp_path: Path) -> None:
    first, held = runner.claim_directory(tmp_path, "run")
    (first / "kernel.log").touch()
    second, other = runner.claim_directory(tmp_path, "run")
    assert (first.name, second.name) == ("run", "run.2")
    assert (first / "kernel.log").exists()
    os.close(held)
    again, held = runner.claim_directory(tmp_path, "run")
    assert again == first
    assert list(first.iterdir()) == []
    os.close(held)
    os.close(other)


def test_pytest_runs_all_tests_unless_some_are_named() -> None:
    assert pytest_command("stock", ["-x"])[-2:] == ["-x", "/project/test/lab/tests"]
    assert pytest_command("stock", ["test/lab/tests"])[-1] == "test/lab/tests"
    named = "test/lab/tests/test_rules_load.py"
    assert pytest_command("stock", [named])[-1] == named
    assert pytest_command("stock", ["test_rules_load.py::test_a", "-x"])[-2:] == [
        f"{named}::test_a", "-x",
    ]  # fmt: skip


def test_a_guest_that_none_of_the_named_tests_needs_is_not_booted(runs) -> None:
    assert main(["test", "test_rules_nvme.py", "-k", "N03"]) == 0
    assert main(["test", "test_rules_load.py"]) == 0
    assert main(["test", "--stock", "test_rules_nvme.py"]) == 0
    assert [name for name, _, _ in runs] == [
        "test-6.12", "test-6.12-icount", "test-stock",
    ]  # fmt: skip
    runs.clear()
    assert main(["test", "-k", "N03"]) == 0
    assert [name for name, _, _ in runs] == [
        "test-6.12", "test-6.12-icount", "test-pci", "test-stock", "test-stock-icount",
    ]  # fmt: skip


def test_files_of_one_mark_boot_one_guest(runs) -> None:
    assert main(["test", "test_pci_devices.py", "-x"]) == 0
    assert main(["test", "test_stock.py"]) == 0
    assert [(name, more["pci"]) for name, _, more in runs] == [
        ("test-pci", True), ("test-stock", False),
    ]  # fmt: skip
    assert runs[0][2]["wanted"] == Wanted(stock=True)
    runs.clear()
    assert main(["test", "test_pci_devices.py", "test_rules_nvme.py"]) == 0
    assert [name for name, _, _ in runs] == ["test-6.12", "test-pci"]


def test_what_measures_has_a_clock_that_load_cannot_bend(runs) -> None:
    assert main(["test", "--jobs", "1"]) == 0
    marks = {
        name: (commands[0][commands[0].index("-m", 3) + 1], more["icount"])
        for name, commands, more in runs
    }
    assert {name: mark for name, (mark, icount) in marks.items() if icount} == {
        "test-6.12-icount": "icount and not stock", "test-stock-icount": "stock and icount",
    }  # fmt: skip
    assert "not icount" in marks["test-6.12"][0]


def test_a_whole_run_takes_the_newest_kernel_too_unless_one_is_named(runs) -> None:
    def names(*arguments: str) -> list[str]:
        runs.clear()
        assert main(["test", "--jobs", "1", *arguments]) == 0
        return [name for name, _, _ in runs]

    stock = ["test-stock", "test-stock-icount"]
    assert names() == [
        "test-6.12", "test-6.12-icount", "test-newest", "test-pci", *stock,
    ]  # fmt: skip
    assert names("-x") == ["test-6.12", "test-6.12-icount", "test-pci", *stock]
    newest = ["test-newest", "test-newest-icount", "test-pci", *stock]
    assert names("--kernel-series", "newest") == newest
    assert [more["wanted"] for _, _, more in runs] == [
        Wanted("newest"), Wanted("newest"), *[Wanted("newest", stock=True)] * 3,
    ]  # fmt: skip
    assert names("--stock") == stock
    assert names("--kernel-series", "6.1") == stock
    assert [more["wanted"] for _, _, more in runs] == [Wanted("6.1", stock=True)] * 2
    assert names("--kernel", "a", "--modules", "b") == ["test-user", "test-user-icount"]


def test_a_tally_counts_every_test_once(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(JUNIT)
    tally = junit.read(tmp_path / "junit.xml")
    assert tally.line() == "1 passed, 2 failed, 1 skipped"
    assert tally.failed == ["test_a::two", "test_a::four"]
    assert tally.slowest[0] == (1.5, "test_a::one")


PASSED = '<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>'
SKIPPED = PASSED.replace("/></testsuite>", "><skipped/></testcase></testsuite>")
FAILED = PASSED.replace("/></testsuite>", "><failure/></testcase></testsuite>")
NONE = "<testsuites><testsuite/></testsuites>"


@pytest.mark.parametrize(
    ("patched", "stock", "status", "line"),
    [
        ((0, PASSED), (0, PASSED), 0, "2 passed, 0 failed, 0 skipped"),
        ((0, PASSED), (5, NONE), 0, "1 passed, 0 failed, 0 skipped"),
        ((5, NONE), (5, NONE), 5, "0 passed, 0 failed, 0 skipped"),
        ((0, PASSED), (0, SKIPPED), 1, "1 passed, 0 failed, 1 skipped"),
        ((1, FAILED), (0, PASSED), 1, "1 passed, 1 failed, 0 skipped"),
        ((125, PASSED), (0, PASSED), 125, "2 passed, 0 failed, 0 skipped"),
        ((126, ""), (0, PASSED), 126, "1 passed, 1 failed, 0 skipped"),
        ((124, ""), (5, NONE), 124, "0 passed, 1 failed, 0 skipped"),
    ],
)
def test_the_worst_boot_decides(
    runs, capsys: pytest.CaptureFixture[str], patched, stock, status: int, line: str
) -> None:
    nothing = (cli.PYTEST_NOTHING_SELECTED, NONE)
    Lab.outcomes.update({"test-6.12": patched, "test-6.12-icount": nothing, "test-pci": nothing,
                         "test-stock": stock, "test-stock-icount": nothing})  # fmt: skip
    assert main(["test", "--jobs", "1", "--kernel-series", "6.12"]) == status
    assert capsys.readouterr().out.splitlines()[-1] == line


@pytest.mark.parametrize(
    ("outcome", "findings", "status"),
    [
        (machine.Outcome(0, True, 1.0), [], 0),
        (machine.Outcome(3, True, 1.0), [], 3),
        (machine.Outcome(0, True, 1.0), [Finding(1, "BUG: x")], runner.STATUS_KERNEL_TROUBLE),
        (machine.Outcome(3, True, 1.0), [Finding(1, "BUG: x")], 3),
        (machine.Outcome(None, True, 1.0), [], runner.STATUS_NO_STATUS),
        (machine.Outcome(None, False, 1.0), [], runner.STATUS_TIME_LIMIT),
    ],
)
def test_a_run_is_judged_by_status_time_and_kernel_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
    outcome: machine.Outcome, findings: list[Finding], status: int,
) -> None:  # fmt: skip
    options = cli._options(cli.parser().parse_args(["build", "--cache", str(tmp_path)]))
    lab = Lab(options, Ui(verbose=False))
    assert lab._verdict(outcome, findings, tmp_path, 10.0) == status
    said = capsys.readouterr().err
    assert ("BUG: x" in said) == bool(findings)


def test_what_failed_stands_in_the_last_line() -> None:
    """Also below the output of the tool that failed."""
    error = ToolError("mmdebstrap failed (exit status 25):\nW: one\nE: two\n")
    assert failure("lab", error, "try again").splitlines() == [
        "lab: mmdebstrap failed (exit status 25):",
        "W: one",
        "E: two",
        "lab: mmdebstrap failed (exit status 25); try again",
    ]
    assert failure("lab", ToolError("no such kernel"), "name it") == "lab: no such kernel; name it"
