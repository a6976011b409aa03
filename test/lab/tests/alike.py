# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's nvme 2.16 and ours over the same controllers, with the lists of what differs."""

import sys

from lab import Pci

sys.path.append("/project/test/oracle")

import command_exceptions
import device_exceptions
import log_exceptions
import plugin_exceptions
import program_exceptions
from differences import Case, Difference, Run, compare
from program_exceptions import Exception_

EXCEPTIONS: tuple[Exception_, ...] = (
    *program_exceptions.EXCEPTIONS,
    *command_exceptions.EXCEPTIONS,
    *log_exceptions.EXCEPTIONS,
    *plugin_exceptions.EXCEPTIONS,
    *device_exceptions.EXCEPTIONS,
)

#: Exceptions that a difference in this run came from.
needed: set[Exception_] = set()


def reasons(case: Case, difference: Difference) -> bool:
    """Is a difference in the lists? Remembers which line of theirs it is."""
    found = [e for e in EXCEPTIONS if e.covers(case, difference)]
    needed.update(found)
    return bool(found)


def not_needed() -> list[str]:
    """Returns what no difference came from of the lab's own list."""
    return [str(e) for e in device_exceptions.EXCEPTIONS if e not in needed]


def require_alike(pci: Pci, command: str, *args: str) -> Run:
    """Fails unless both programs end and print alike; returns what ours did."""
    case = Case(command, args, "device", lambda _: None)
    words = (*command.split(), *args)
    one, other = (
        Run(ended.status, ended.out, ended.err.encode(), [])
        for ended in (pci.ours(*words), pci.original(*words))
    )
    wrong = [
        f"{d.kind} {d.place}\n  here:     {d.ours!r:.150}\n  original: {d.theirs!r:.150}"
        for d in compare(case, one, other)
        if not reasons(case, d)
    ]
    assert not wrong, f"{case}:\n" + "\n".join([*wrong, one.err.decode(), other.err.decode()])
    return one
