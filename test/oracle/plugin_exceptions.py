# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the plugins zns and fdp deliberately do something else than nvme-cli 2.16."""

import re

from differences import Case, Difference
from program_exceptions import Exception_, because


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
    *because(
        "the original takes the first zone where none is named, and erases it with reset-zone",
        "a zone, or `--select-all`, and not both",
        "zns close-zone, zns open-zone, zns reset-zone, zns set-zone-desc, zns zone-append, "
        "zns zone-mgmt-send, zns zrwa-flush-zone | sent",
        "zns close-zone, zns open-zone, zns reset-zone, zns set-zone-desc, zns zrwa-flush-zone | "
        "status",
        when=_no_zone,
    ),
    *because(
        "the original fills up with zeros what a file does not have, without a word",
        "A file that is shorter than the descriptor extension",
        "zns set-zone-desc | sent, status",
        when=lambda case, _: "-d" not in case.args,
    ),
    *because(
        "the original has no timeout for what it reads before",
        "`--timeout` is that of every command that is sent",
        "zns set-zone-desc | sent",
        when=_timeless,
    ),
    *because(
        "the original ends with 0 after an error message",
        "The exit status of `zone-append`",
        "zns zone-append, zns zone-mgmt-send | status",
        when=_failed,
    ),
    *because(
        "the original reads from the device before it looks at the options",
        "A command line that is refused sends nothing",
        "zns zone-append | sent",
        when=_refused_early,
    ),
    *because(
        "the original sends metadata that the blocks do not have",
        "metadata of another size than the blocks have",
        "zns zone-append | sent",
        when=lambda case, _: "-y" in case.args,
    ),
    *because(
        "the original prints a sentence in every format, and never the answer",
        "`zone-mgmt-recv -o binary` writes the answer",
        "zns zone-mgmt-recv | bytes, document",
    ),
    *because(
        "the original asks for a length that is no number of dwords, or for 2^32 without one",
        "a length that is 0 or no multiple of 4",
        "zns zone-mgmt-recv | sent, status",
        when=lambda case, _: "63" in case.args or "-l" not in case.args,
    ),
    *because(
        "the original counts all zones, and reads behind the last one with --start-lba",
        "counts the zones from `--start-lba` on",
        "zns report-zones | sent",
        when=lambda case, _: "-s" in case.args,
    ),
    *because(
        "the original prints zones of zeros, as many as --descs has and the namespace has not",
        "no more zones than exist",
        "zns report-zones | bytes, sent",
        "zns report-zones | length | zone_list[]",
        when=lambda case, _: "20" in case.args,
    ),
    *because(
        "the original cuts off reserved bits, and counts those of ozcs from another bit on",
        "reserved bits of `zoc` and `ozcs`",
        "zns id-ns | line | [15:1] Reserved; [15:2] Reserved",
    ),
    *because(
        "2.13 prints the handles in text only, and the limit of placement identifiers nowhere",
        "`fdp configs` has `maxpids` and `ruhs`",
        "fdp configs | extra | configs[].maxpids; configs[].ruhs",
    ),
    *because(
        "the original calls every type but one persistently isolated",
        "a reserved type of a reclaim unit handle",
        "fdp configs | line | []",
        when=lambda _, d: "Reserved" in d.ours,
    ),
    *because(
        "the original's structure has holes, and takes the upper half of the block",
        "the block of a media reallocated event",
        "fdp events | line | Logical Block Address (LBA)",
        "fdp events | value | events[].lba",
    ),
    *because(
        "the original takes eight bytes for the six of a timestamp",
        "`timestamp` is in milliseconds",
        "fdp events | value | events[].timestamp",
    ),
    *because(
        "2.13 prints these in text only",
        "`fdp events` has `rgid` and `ruhid`",
        "fdp events | extra | events[].rgid; events[].ruhid",
    ),
    *because(
        "the original takes four of the eight bits",
        "The index of `fdp feature` has eight bits",
        "fdp feature | line | Flexible Direct Placement Configuration Index",
    ),
    *because(
        "the original sends what its memory happens to have behind the types of events",
        "zeros behind the types of events",
        "fdp set-events | sent",
        when=_leaked,
    ),
    *because(
        "the original cuts off what is too large, and ends a list at two commas",
        "Lists of numbers are read to their end",
        "fdp set-events, fdp update | sent, status",
        when=lambda case, _: "256" in case.args or "1,,2" in case.args,
    ),
)
