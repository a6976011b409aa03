# SPDX-License-Identifier: GPL-2.0-or-later
"""Our nvme sends and prints what Debian's does, for the commands of command_lines.txt."""

import json
import random
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from command_exceptions import EXCEPTIONS as EXCEPTIONS
from conftest import Original
from differences import Case, Difference, Run, compare
from judge import Judge
from listed import tables
from program import REGISTERS as REGISTER_DATA
from program import FakeHost, Prepare, golden_cases, ours, registers, rpmb_device, theirs
from program_score import below

SENT, SHOWN, REGISTERS, PROTECTED = tables("command_lines.txt")

#: Where 2.13 has no bytes to write, or writes lines before them.
NO_BINARY = {"list-endgrp", "id-iocs", "id-domain"}

WORDS = {
    "CTRL": "/dev/nvme0",
    "NS": "/dev/nvme0n1",
    "IMAGE": golden_cases.IMAGE,
    "SIZE": str(Path(golden_cases.IMAGE).stat().st_size),
    "KEY": rpmb_device.KEY,
    "SECTOR": "sector!!" * 64,
    "WRONG": rpmb_device.OTHER_KEY,
}

SIZE = 16384
#: Per cent of lines or keys that are the same, of what has less by choice.
LEAST: dict[str, float] = {}
COMMANDS = sorted({*SENT, *SHOWN, *REGISTERS, *PROTECTED})
ANSWERS: dict[str, tuple[bytes, int]] = {
    "zeros": (bytes(SIZE), 0),
    "ones": (b"\xff" * SIZE, 0xFFFFFFFF),
    "random 1": (random.Random(1).randbytes(SIZE), 0x12345678),
    "random 2": (random.Random(2).randbytes(SIZE), 0x89ABCDEF),
}


def whole(host: FakeHost) -> None:
    """The machine of the golden files, which notes every field of a command."""
    golden_cases.answering(host)
    (host.fake / "whole-commands").write_text("")


def answering(data: bytes, result: int) -> Prepare:
    """Every command is answered like this."""

    def prepare(host: FakeHost) -> None:
        whole(host)
        for device in ("nvme0", "nvme0n1"):
            for path in (host.fake / device).iterdir():
                if path.is_file() and path.name != "nsid":
                    path.unlink()
            (host.fake / device / "otherwise").write_bytes(data)
            (host.fake / device / "otherwise.result").write_text(str(result))

    return prepare


#: Identify Controller: the bit of FRMW that says that overlapping updates are detected.
FRMW, DETECTS_OVERLAP = 260, 0x20
RESULT = 0x12345603


def another_result(host: FakeHost) -> None:
    """The machine of the golden files, whose commands end with another result."""
    whole(host)
    identify = host.fake / "nvme0/admin-06-01"
    data = bytearray(identify.read_bytes())
    data[FRMW] |= DETECTS_OVERLAP
    identify.write_bytes(data)
    for device in ("nvme0", "nvme0n1"):
        (host.fake / device / "otherwise.result").write_text(str(RESULT))


def protected(rpmbs: int, *, key: str = rpmb_device.KEY) -> Prepare:
    """A controller with these targets."""

    def prepare(host: FakeHost) -> None:
        golden_cases.answering(host)
        rpmb_device.add(host, rpmbs, key=key)

    return prepare


#: Controllers with a Replay Protected Memory Block, and one without.
BLOCKS: dict[str, Prepare] = {
    "key": protected(rpmb_device.TWO_TARGETS),
    "no key": protected(rpmb_device.TWO_TARGETS, key=""),
    "long accesses": protected(rpmb_device.TWO_TARGETS | 0x0F000000),
    "another method": protected(rpmb_device.TWO_TARGETS | 0x38),
    "reserved bits": protected(rpmb_device.TWO_TARGETS | 0xFFC0),
    "none": protected(0xFFFF0000),
}


def words(line: str) -> tuple[str, ...]:
    """A command line without abbreviations."""
    return tuple(WORDS.get(word, word) for word in shlex.split(line))


def cases(command: str) -> Iterator[Case]:
    """Every command line of a command with every answer and in every format."""
    for line in SENT.get(command, ()):
        for more in ((), ("-o", "json")):
            yield Case(command, (*words(line), *more), "sample", whole)
        yield Case(command, words(line), f"result {RESULT:#x}", another_result)
    for line in REGISTERS.get(command, ()):
        for more in ((), ("-o", "json")):
            yield Case(command, (*words(line), *more), "sample", whole)
            for data, content in REGISTER_DATA.items():
                yield Case(command, (*words(line), *more), f"local {data}", registers(content))
    for line in PROTECTED.get(command, ()):
        for data, prepare in BLOCKS.items():
            yield Case(command, words(line), data, prepare)
    for line in SHOWN.get(command, ()):
        formats: list[tuple[str, ...]] = [(), ("-o", "json"), ("-v",)]
        if command not in NO_BINARY:
            formats.append(("-o", "binary"))
        for data, (answer, result) in ANSWERS.items():
            for more in formats:
                yield Case(command, (*words(line), *more), data, answering(answer, result))
        for more in formats:
            yield Case(command, (*words(line), *more), "sample", whole)


def behind_text(run: Run) -> Run:
    """The document, before which the original prints lines."""
    at = run.out.find(b"{")
    try:
        json.loads(run.out[at:])
    except ValueError:
        return run
    return Run(run.status, run.out[at:], run.err, run.written) if at >= 0 else run


def differences(case: Case, one: Run, other: Run) -> Iterator[Difference]:
    """What differs; where the original prints lines instead of a document, ours has one of them."""
    if case.command in PROTECTED:
        if other.status and not one.status:
            yield Difference("status", "", one.status, other.status)
            other = replace(other, status=0)
        case = replace(case, args=())
    if not case.is_json:
        yield from compare(case, one, other)
        return
    other = behind_text(other)
    if other.out.startswith(b"{") or one.status:
        yield from compare(case, one, other)
        return
    yield from compare(replace(case, args=case.args[:-2]), one, replace(other, out=one.out))
    if not isinstance(result := one.document.get("result"), str):
        return
    result = " ".join(result.split())
    if not other.status and other.lines and result not in other.lines:
        yield Difference("result", "", result, other.lines)


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
