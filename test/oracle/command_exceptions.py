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


def _beyond(case: Case, difference: Difference) -> bool:
    """Is it something that the original found behind its buffer, or behind what a list may hold?"""
    hostile = case.data == "ones" or case.data.startswith("random")
    return hostile and (difference.ours is None or difference.kind == "length")


LISTS = (
    "resv-report",
    "nvm-id-ns",
    "nvm-id-ns-lba-format",
    "id-ns-lba-format",
    "id-ns-granularity",
    "id-nvmset",
    "id-domain",
    "list-endgrp",
)

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
    Exception_(
        LISTS,
        ("line", "length"),
        ".*",
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as there is room for them",
        _beyond,
    ),
    Exception_(
        ("cmdset-ind-id-ns", "id-ns-granularity", "nvm-id-ns", "nvm-id-ns-lba-format"),
        ("value",),
        "rgrpid|attributes|npdgl|nprg|npra|nors|npdal|lbapss|tlbaag",
        "the original has a sign where the highest bit is set",
        "Numbers have no sign",
        lambda _, d: isinstance(d.theirs, int) and d.theirs < 0 <= d.ours,
    ),
    Exception_(
        ("id-nvmset",),
        ("line", "value"),
        r"(NVMSet\[\]\.)?nvmset_id",
        "the original prints the endurance group where the NVM set belongs",
        "`id-nvmset` prints the identifier of each NVM set",
    ),
    Exception_(
        ("id-ns-lba-format",),
        ("line",),
        r"LBA Format +\d+",
        "the original prints sizes that no number of its own holds, and calls performances whose "
        "reserved bits are set the best",
        "sizes of blocks beyond 31 bits",
        lambda case, _: case.data != "zeros" and case.data != "sample",
    ),
    Exception_(
        ("id-ns-lba-format",),
        ("length",),
        r"lbafs\[\]",
        "the original has no formats with unique attributes in its JSON",
        "leaves formats with unique attributes out of its JSON",
    ),
)
