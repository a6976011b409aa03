# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the commands of command_lines.py differ from Debian's nvme 2.13."""

from __future__ import annotations

import re

from command_lines import SENT, SHOWN
from program import Case, Difference
from program_exceptions import Exception_

ALL = (*SENT, *SHOWN)


def _refused_early(_: Case, difference: Difference) -> bool:
    """Did the original send what reads something before it refused the same?"""
    return not difference.ours and all("opcode=06" in x or x[0] == " " for x in difference.theirs)


def _no_room(case: Case, _: Difference) -> bool:
    """Is there a value with more bits than its field?"""
    given = dict(zip(case.args[1:], case.args[2:], strict=False))
    wide = {"virt-mgmt": {"-r": "8", "-a": "16"}, "device-self-test": {"-s": "16"}}
    return any(given.get(k) == v for k, v in wide.get(case.command, {}).items())


def _timeless(written: list[str]) -> list[str]:
    """What was sent, without timeouts of what was only read."""
    return [re.sub("timeout=[0-9]+ sent=0$", "sent=0", line) for line in written]


EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ALL,
        ("sent",),
        "",
        "the original reads from the device before it looks at the options",
        "A command line that is refused sends nothing",
        _refused_early,
    ),
    Exception_(
        ("virt-mgmt", "device-self-test"),
        ("status", "sent"),
        "",
        "the original cuts off what is too large, and does something else than was asked for",
        "a value that its field has no room for is refused",
        _no_room,
    ),
    Exception_(
        ("lockdown",),
        ("sent",),
        "",
        "the original has six bits for the index of a UUID, which has seven",
        "The UUID index of `lockdown`",
        lambda case, _: "64" in case.args,
    ),
    Exception_(
        ("create-ns",),
        ("sent",),
        "",
        "the original reads the list of namespaces with a timeout of its own",
        "`create-ns` reads with the timeout of every command",
        lambda case, d: "-S" in case.args and _timeless(d.ours) == _timeless(d.theirs),
    ),
)
