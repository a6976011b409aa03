# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the plugins zns and fdp deliberately do something else than nvme-cli 2.16."""

from __future__ import annotations

import re

from differences import Case, Difference
from program_exceptions import Exception_

ZONE_COMMANDS = tuple(
    f"zns {name}"
    for name in ("reset-zone", "close-zone", "open-zone", "set-zone-desc", "zrwa-flush-zone",
                 "zone-mgmt-send", "zone-append")
)  # fmt: skip


def _no_zone(case: Case, _: Difference) -> bool:
    """Is no zone named, or one and all of them?"""
    place = "-l" if case.command == "zns zrwa-flush-zone" else "-s"
    return (place in case.args) == ("-a" in case.args)


def _refused_early(_: Case, difference: Difference) -> bool:
    """Did the original send what reads something before it refused the same?"""
    return not difference.ours and all("opcode=06" in x or x[0] == " " for x in difference.theirs)


def _failed(_: Case, difference: Difference) -> bool:
    return (difference.ours, difference.theirs) == (1, 0)


def _timeless(_: Case, difference: Difference) -> bool:
    """Is it but the timeout of what was only read?"""
    ours, theirs = ([re.sub("timeout=[0-9]+ sent=0$", "", line) for line in lines]
                    for lines in (difference.ours, difference.theirs))  # fmt: skip
    return ours == theirs


def _leaked(_: Case, difference: Difference) -> bool:
    """Is it but the sum over the data?"""
    ours, theirs = ([line.partition(" sent=")[0] for line in lines]
                    for lines in (difference.ours, difference.theirs))  # fmt: skip
    return ours == theirs


EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ZONE_COMMANDS,
        ("status", "sent"),
        "",
        "the original takes the first zone where none is named, and erases it with reset-zone",
        "a zone, or `--select-all`, and not both",
        _no_zone,
    ),
    Exception_(
        ("zns set-zone-desc",),
        ("status", "sent"),
        "",
        "the original fills up with zeros what a file does not have, without a word",
        "A file that is shorter than the descriptor extension",
        lambda case, _: "-d" not in case.args,
    ),
    Exception_(
        ("zns set-zone-desc",),
        ("sent",),
        "",
        "the original has no timeout for what it reads before",
        "`--timeout` is that of every command that is sent",
        _timeless,
    ),
    Exception_(
        ("zns zone-append", "zns zone-mgmt-send"),
        ("status",),
        "",
        "the original ends with 0 after an error message",
        "The exit status of `zone-append`",
        _failed,
    ),
    Exception_(
        ("zns zone-append",),
        ("sent",),
        "",
        "the original reads from the device before it looks at the options",
        "A command line that is refused sends nothing",
        _refused_early,
    ),
    Exception_(
        ("zns zone-append",),
        ("sent",),
        "",
        "the original sends metadata that the blocks do not have",
        "metadata of another size than the blocks have",
        lambda case, _: "-y" in case.args,
    ),
    Exception_(
        ("zns zone-mgmt-recv",),
        ("document", "bytes"),
        "",
        "the original prints a sentence in every format, and never the answer",
        "`zone-mgmt-recv -o binary` writes the answer",
    ),
    Exception_(
        ("zns zone-mgmt-recv",),
        ("status", "sent"),
        "",
        "the original asks for a length that is no number of dwords, or for 2^32 without one",
        "a length that is 0 or no multiple of 4",
        lambda case, _: "63" in case.args or "-l" not in case.args,
    ),
    Exception_(
        ("zns report-zones",),
        ("sent",),
        "",
        "the original counts all zones, and reads behind the last one with --start-lba",
        "counts the zones from `--start-lba` on",
        lambda case, _: "-s" in case.args,
    ),
    Exception_(
        ("zns report-zones",),
        ("line", "length", "bytes", "sent"),
        r".*",
        "the original prints zones of zeros, as many as --descs has and the namespace has not",
        "no more zones than exist",
        lambda case, _: "20" in case.args,
    ),
    Exception_(
        ("zns id-ns",),
        ("line",),
        r"\[15:[12]\] Reserved",
        "the original cuts off reserved bits, and counts those of ozcs from another bit on",
        "reserved bits of `zoc` and `ozcs`",
    ),
    Exception_(
        ("fdp configs",),
        ("extra",),
        r"configs\[\]\.(maxpids|ruhs)",
        "2.13 prints the handles in text only, and the limit of placement identifiers nowhere",
        "`fdp configs` has `maxpids` and `ruhs`",
    ),
    Exception_(
        ("fdp configs",),
        ("line",),
        r"\[1\]",
        "the original calls every type but one persistently isolated",
        "a reserved type of a reclaim unit handle",
        lambda _, d: "Reserved" in d.ours,
    ),
    Exception_(
        ("fdp events",),
        ("line", "value"),
        r"Logical Block Address \(LBA\)|events\[\]\.lba",
        "the original's structure has holes, and takes the upper half of the block",
        "the block of a media reallocated event",
    ),
    Exception_(
        ("fdp events",),
        ("value",),
        r"events\[\]\.timestamp",
        "the original takes eight bytes for the six of a timestamp",
        "`timestamp` is in milliseconds",
    ),
    Exception_(
        ("fdp events",),
        ("extra",),
        r"events\[\]\.(rgid|ruhid)",
        "2.13 prints these in text only",
        "`fdp events` has `rgid` and `ruhid`",
    ),
    Exception_(
        ("fdp feature",),
        ("line",),
        "Flexible Direct Placement Configuration Index",
        "the original takes four of the eight bits",
        "The index of `fdp feature` has eight bits",
    ),
    Exception_(
        ("fdp set-events",),
        ("sent",),
        "",
        "the original sends what its memory happens to have behind the types of events",
        "zeros behind the types of events",
        _leaked,
    ),
    Exception_(
        ("fdp set-events", "fdp update"),
        ("status", "sent"),
        "",
        "the original cuts off what is too large, and ends a list at two commas",
        "Lists of numbers are read to their end",
        lambda case, _: "256" in case.args or "1,,2" in case.args,
    ),
)
