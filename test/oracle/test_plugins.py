# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugins zns and fdp send and print what Debian's nvme does, over zones and events made up."""

import random
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import TOP, Original
from differences import Case, Difference, Run, compare
from judge import Judge
from listed import tables
from plugin_exceptions import EXCEPTIONS as EXCEPTIONS
from program import FakeHost, Machines, Prepare, golden_cases, ours, theirs
from program_score import below

sys.path.insert(0, str(TOP / "test/cli"))

import plugin_cases

SENT, SHOWN, REPORTED = tables("plugin_lines.txt")

WORDS = {"CTRL": "/dev/nvme0", "NS": "/dev/nvme0n1", "IMAGE": golden_cases.IMAGE}
FORMATS: tuple[tuple[str, ...], ...] = ((), ("-o", "json"), ("-o", "binary"))
PIECES = 2500  # zones of a report in three pieces


def overflow(host: FakeHost) -> None:
    """More zones have changed than the log lists."""
    plugin_cases.sample(host)
    for device in plugin_cases.DEVICES:
        host.command(device, "admin", plugin_cases.GET_LOG, 0xBF, b"\xff" * 4096)


def long(host: FakeHost) -> None:
    """A report in pieces."""
    plugin_cases.pieces(host, PIECES)


DATA: dict[str, Prepare] = {
    "sample": plugin_cases.sample,
    "zeros": plugin_cases.filled(bytes, 0),
    "ones": plugin_cases.filled(lambda size: b"\xff" * size, 0xFFFFFFFF),
    "random 1": plugin_cases.filled(random.Random(1).randbytes, 0x12345678),
    "random 2": plugin_cases.filled(random.Random(2).randbytes, 0x89ABCDEF),
}


def words(line: str) -> tuple[str, ...]:
    """A command line without abbreviations."""
    return tuple(WORDS.get(word, word) for word in shlex.split(line))


def cases(command: str) -> Iterator[Case]:
    """Every command line of a command with every answer, in every format that the original has."""
    for line in SENT.get(command, ()):
        for data, prepare in DATA.items():
            yield Case(command, words(line), data, prepare)
    for line in SHOWN.get(command, ()):
        for data, prepare in DATA.items():
            for more in FORMATS:
                yield Case(command, (*words(line), *more), data, prepare)
    for line in REPORTED.get(command, ()):
        for more in FORMATS:
            yield Case(command, (*words(line), *more), "sample", plugin_cases.sample)
    for more in FORMATS[:2]:
        if command == "zns report-zones":
            yield Case(command, (WORDS["NS"], *more), "long", long)
        if command == "zns changed-zone-list":
            yield Case(command, (WORDS["NS"], *more), "overflow", overflow)


def both(machines: Machines, case: Case) -> tuple[Run, list[Difference]]:
    """The original's run and what differs, of a command with the plugin's name in front."""
    plugin, command = case.command.split()
    typed = replace(case, command=plugin, args=(command, *case.args))
    one, other = machines.both(typed)
    return other, list(compare(case, one, other))


@pytest.fixture(scope="module")
def machines(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Machines:
    """A machine for each set of data."""
    return Machines(tmp_path_factory.mktemp("machines"), original)


#: Per cent of lines or keys that are the same, of what has less by choice.
LEAST: dict[str, float] = {}
COMMANDS = sorted({*SENT, *SHOWN, *REPORTED})


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_else_differs(machines: Machines, judge: Judge, command: str) -> None:
    for case in cases(command):
        judge.add(case, *both(machines, case))
    assert judge.complaint(command) == ""


def test_nearly_all_is_the_same(judge: Judge) -> None:
    assert judge.scores, "nothing was compared: run the whole file"
    assert below(judge.scores, LEAST) == {}


def zoned(host: FakeHost) -> None:
    """A namespace with zones beside one without."""
    plugin_cases.sample(host)
    subsystem = host.subsystem(1, "nqn.2025-01.test:zoned")
    subsystem.controller(1, "mptcp")
    name = subsystem.namespace(1)
    (subsystem.directory / name / "queue/zoned").write_text("host-managed\n")


def test_list_has_the_same_namespaces(machines: Machines) -> None:
    """Below a head of its own, by path: the original has names, and no head for one column."""
    one, other = machines.both(Case("zns", ("list",), "zoned", zoned))
    assert (one.status, other.status) == (0, 0)
    [ours], [theirs] = (run.lines[2:] for run in (one, other))
    assert [word.removeprefix("/dev/") for word in ours.split()] == theirs.split()


def test_every_command_of_the_original_is_compared(machines: Machines) -> None:
    there = set()
    for plugin in ("zns", "fdp"):
        _, other = machines.both(Case(plugin, ("help",), "sample", plugin_cases.sample))
        listed = other.out.decode().split("sub-commands:")[1].splitlines()
        there |= {f"{plugin} {line.split()[0]}" for line in listed if line.startswith("  ")}
    there -= {f"{plugin} {word}" for plugin in ("zns", "fdp") for word in ("version", "help")}
    assert there == {*COMMANDS, "zns list"}


def test_every_exception_is_needed(judge: Judge) -> None:
    assert judge.idle({command for command, _ in judge.scores}) == []


def test_every_plugin_is_known(original: Original, tmp_path: Path) -> None:
    text = theirs(tmp_path, Case("help", (), "", lambda _: None), original).out.decode()
    names = re.findall(r"^  (\S+)", text.partition("plugin extensions")[2], re.M)
    assert {"zns", "ocp", "wdc"} <= set(names)
    for name in names:
        done = ours(tmp_path / name, Case(name, (), "", lambda _: None))
        assert b"a plugin of nvme-cli" in done.out or done.status == 0, name
