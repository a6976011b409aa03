# SPDX-License-Identifier: GPL-2.0-or-later
"""One program over both libraries: what reaches the kernel is the same."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import BY_ANSWER
from conftest import BUILD, TOP, Original, run
from exceptions import DEVIATIONS, fields

PROGRAM = BUILD / "test/oracle/oracle"

#: Arguments of a call by name.
Arguments = dict[str, int]

#: A call: its function, and the number of the round.
Call = tuple[str, int]

LISTED = {(d.function, d.field) for d in DEVIATIONS}


def recording(text: str) -> dict[Call, tuple[Arguments, str]]:
    """Returns the arguments and the record of each call."""
    calls = {}
    for piece in re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]:
        header, _, record = piece.partition("\n")
        function, number, *words = header.split()
        pairs = (word.partition("=") for word in words)
        arguments = {name: int(value, 0) for name, _, value in pairs}
        calls[function, int(number)] = arguments, record
    return calls


@pytest.fixture(scope="module")
def ours() -> dict[Call, tuple[Arguments, str]]:
    """What the program recorded over this library."""
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(BUILD / "libnvme")}
    return recording(run([str(PROGRAM)], env))


@pytest.fixture(scope="module")
def theirs(original: Original) -> dict[Call, tuple[Arguments, str]]:
    """What it recorded over the original."""
    return recording(run(original.command(PROGRAM), {"PATH": os.environ["PATH"]}))


def differing(
    ours: dict[Call, tuple[Arguments, str]], theirs: dict[Call, tuple[Arguments, str]]
) -> Iterator[tuple[Call, str]]:
    """Yields the calls whose records differ, with each field that does."""
    assert list(ours) == list(theirs)
    for call, (arguments, record) in theirs.items():
        assert ours[call][0] == arguments, call
        if ours[call][1] != record:
            for field in fields(ours[call][1], record) or {"record"}:
                yield call, field


def test_recordings_are_equal(
    ours: dict[Call, tuple[Arguments, str]], theirs: dict[Call, tuple[Arguments, str]]
) -> None:
    wrong = [
        f"{call[0]} {call[1]} {theirs[call][0]}: {field}\n"
        f"original:\n{theirs[call][1]}here:\n{ours[call][1]}"
        for call, field in differing(ours, theirs)
        if (call[0], field) not in LISTED
    ]
    assert not wrong, f"{len(wrong)} calls differ, for example:\n" + "\n".join(wrong[:3])


def test_every_deviation_is_needed(
    ours: dict[Call, tuple[Arguments, str]], theirs: dict[Call, tuple[Arguments, str]]
) -> None:
    assert {(call[0], field) for call, field in differing(ours, theirs)} == LISTED


def test_every_function_that_sends_is_called(ours: dict[Call, tuple[Arguments, str]]) -> None:
    declarations = Path(TOP / "test/data/abi/functions.txt").read_text()
    exported = declarations[: declarations.index("[types.h]")]
    sending = set(
        re.findall(r"^int (nvme_\w+)\((?:int fd|struct nvme_\w+_args \*)", exported, re.M)
    )
    called = {function for function, _ in ours}
    later = {"nvme_get_lba_status_log", *BY_ANSWER}
    # the two that every command passes through anyway
    funnel = {"nvme_submit_passthru", "nvme_submit_passthru64"}
    assert sending - called - later - funnel == set()
