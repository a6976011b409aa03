# SPDX-License-Identifier: GPL-2.0-or-later
"""What connects, lists, transfers blocks and handles keys prints and does what Debian's does."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import test_commands
import test_program
from conftest import BUILD, TOP, Original
from differences import Case, Difference, Run, compare, in_documents
from judge import Judge
from other_exceptions import EXCEPTIONS as EXCEPTIONS
from other_lines import OTHERS
from program import ours, theirs
from program_score import below
from test_commands import WORDS
from test_log_pages import LOGS

#: Per cent of lines or keys that are the same, of what has less by choice.
LEAST: dict[str, float] = {
    "list": 40,  # -v: usage in binary units as in 2.16, no empty cells, rules as wide as columns
    "list-subsys": 80,  # the I/O policy and the serial number, as in 2.16
    "show-topology": 80,
}
COMMANDS = sorted(OTHERS)


def cases(command: str) -> Iterator[Case]:
    """Every command line of a command with what follows it."""
    prepare, lines, variants = OTHERS[command]
    for line in lines:
        for more in variants:
            words = (WORDS.get(word, word) for word in shlex.split(f"{line} {more}"))
            yield Case(command, tuple(words), prepare.__name__, prepare)


def differences(case: Case, one: Run, other: Run) -> list[Difference]:
    """All that differs; of a failure that both report, the words are each one's own."""
    found = list(compare(replace(case, args=()), one, replace(other, out=one.out)))
    if one.status or other.status:
        return found
    if not case.is_json or not one.is_document:  # read writes bytes in any format
        return list(compare(replace(case, args=()), one, other))
    if other.is_document:
        return found + list(in_documents("", one.document, other.document))
    document = one.document
    said = document.get("result") if isinstance(document, dict) else None
    if said is None or said not in other.out.decode():
        found.append(Difference("document", "", document, other.out))
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_else_differs(
    original: Original, tmp_path: Path, judge: Judge, command: str
) -> None:
    for number, case in enumerate(cases(command)):
        path = tmp_path / str(number)
        one, other = ours(path, case), theirs(path, case, original)
        judge.add(case, other, differences(case, one, other))
    assert judge.complaint(command) == ""


def test_nearly_all_is_the_same(judge: Judge) -> None:
    assert judge.scores, "nothing was compared: run the whole file"
    assert below(judge.scores, LEAST) == {}


def test_every_exception_is_needed(judge: Judge) -> None:
    assert judge.idle({command for command, _ in judge.scores}) == []


#: What cannot be compared: what is new each time, the keyrings of this machine, and texts of each.
ELSEWHERE = {"gen-hostnqn", "tls-key", "version", "help"}


def test_every_command_is_compared(original: Original) -> None:
    compared = {case.command for case in test_program.cases()} | {*LOGS, *test_commands.COMMANDS}
    there = test_program.builtin(original.command(original.nvme))
    assert there == compared | {*COMMANDS, *test_program.QUEUES} | ELSEWHERE


def test_the_table(original: Original) -> None:
    done = subprocess.run(
        [sys.executable, TOP / "test/oracle", "--table", "flush", "list"],
        env=os.environ | {"BUILD": str(BUILD)},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    head, *rows, _, last = done.stdout.splitlines()
    assert head.split()[:2] == ["COMMAND", "OUTPUT"]
    assert {row.split()[0] for row in rows} == {"flush", "list"}
    assert last == "118 of 118 built-in commands of the original"


def test_the_costs(original: Original) -> None:
    """The program that prints what commands cost beside the original; a clock asserts nothing."""
    done = subprocess.run(
        [TOP / "test/bench/commands"], env=os.environ | {"BUILD": str(BUILD)},
        capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    rows = [line.split("  ")[0] for line in done.stdout.splitlines()[1:]]
    assert rows == ["version", "id-ctrl", "smart-log", "list", "list-subsys", "list -v"]


@pytest.mark.skipif(os.geteuid() != 0, reason="skipped: mounts and namespaces need root")
def test_the_measurements() -> None:
    """All of test/bench/run, of small sizes; whether goals are met is a benchmark's to say."""
    words = "--runs 1 --no-reference --controllers 10 --connections 100".split()
    done = subprocess.run(
        [TOP / "test/bench/run", "--build", BUILD, *words],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    for measured in ("scan 10 ", "config 4000 ", "4000 controllers ", "8000 sockets ",
                     "ten times the subflows take", "ten times the reports take"):  # fmt: skip
        assert measured in done.stdout, done.stdout
