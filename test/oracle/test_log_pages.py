# SPDX-License-Identifier: GPL-2.0-or-later
"""Log page commands print and do what Debian's nvme does, over answers of every kind."""

import os
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from conftest import TOP, Original
from differences import Case, Difference, Run, compare
from judge import Judge
from log_exceptions import EXCEPTIONS as EXCEPTIONS
from program import FakeHost, Prepare, ours, sample, theirs
from program_score import below

sys.path.insert(0, str(TOP / "test/cli"))

from device_data import ID_CTRL
from log_cases import LOGS, Log

DEVICE = "/dev/nvme0"
GET_LOG, IDENTIFY = 0x02, 0x06
#: What a log is written to, in the directory of the case.
FILE = "written.bin"


def answers(log: Log) -> dict[str, bytes]:
    """What the device answers: the sample, zeros, ones, and what nobody made up."""
    size = len(log.answer)
    keep, rest = log.answer[: log.head], size - log.head
    kinds = {
        "sample": log.answer,
        "zeros": keep + bytes(rest),
        "ones": keep + b"\xff" * rest,
        **{f"random {n}": keep + random.Random(n).randbytes(rest) for n in range(1, 3)},
    }
    return {name: answer for name, answer in kinds.items() if not log.only or name in log.only}


def machine(log: Log, answer: bytes) -> Prepare:
    """The machine of the golden cases with another answer."""

    def prepare(host: FakeHost) -> None:
        sample(host)
        host.command("nvme0", "admin", GET_LOG, log.lid, answer)
        if log.id_ctrl:
            ctrl = bytearray(ID_CTRL)
            for offset, value in log.id_ctrl.items():
                ctrl[offset : offset + len(value)] = value
            host.command("nvme0", "admin", IDENTIFY, 1, bytes(ctrl))

    return prepare


def variants(log: Log) -> Iterator[tuple[str, ...]]:
    """What follows the device, for every output option and every option of the command."""
    kinds: list[tuple[str, ...]] = [(), ("-v",), ("-o", "json"), ("-o", "binary")]
    if log.explains:
        kinds += [("-H",), ("-H", "-o", "json")]
    if log.raw:
        kinds += [("-b",)]
    yield from kinds
    for more in log.more:
        yield more
        yield (*more, "-o", "json")


def cases() -> Iterator[Case]:
    """Every command line with every answer."""
    for name, log in LOGS.items():
        for data, answer in answers(log).items():
            for more in variants(log):
                args = [FILE if word == "/dev/null" else word for word in (*log.args, *more)]
                yield Case(name, (DEVICE, *args), data, machine(log, answer))


def differences(case: Case, one: Run, other: Run) -> list[Difference]:
    """All that differs, where the original may print no document, or crash."""
    if other.status < 0:
        return [Difference("crash", "", one.status, other.status)]
    if case.is_json and not other.status and not other.is_document:
        assert one.is_document or one.status, case
        return [Difference("document", "", one.out[:64], other.out[:64])]
    return list(compare(case, one, other))


#: By case: the original's run, and what differs.
Found = dict[Case, tuple[Run, list[Difference]]]


def compared(original: Original, top: Path, chosen: Iterable[Case]) -> Found:
    """Runs both programs for every case."""
    found: Found = {}
    before = Path.cwd()
    for number, case in enumerate(chosen):
        path = top / str(number)
        path.mkdir()
        os.chdir(path)
        one, here = ours(path, case), written()
        other, there = theirs(path, case, original), written()
        differing = differences(case, one, other)
        if here != there and not (one.status or other.status):
            differing.append(Difference("file", "", here, there))
        found[case] = (other, differing)
    os.chdir(before)
    return found


def written() -> bytes | None:
    """What a command left in its file, which is removed."""
    path = Path(FILE)
    content = path.read_bytes() if path.exists() else None
    path.unlink(missing_ok=True)
    return content


@pytest.fixture(scope="module")
def found(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What differs in every case."""
    return compared(original, tmp_path_factory.mktemp("machines"), cases())


def test_nothing_else_differs(judge: Judge) -> None:
    assert judge.complaint() == ""


#: Per cent of lines or keys that are the same, of what has less by choice.
LEAST: dict[str, float] = {
    "effects-log": 99,  # the I/O Management commands have names, as in 2.16
    "persistent-event-log": 96,  # temperatures have a third scale, as in 2.16
}


def test_nearly_all_is_the_same(judge: Judge) -> None:
    assert below(judge.scores, LEAST) == {}


def test_every_exception_is_needed(judge: Judge) -> None:
    assert judge.idle() == []
