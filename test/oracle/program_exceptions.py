# SPDX-License-Identifier: GPL-2.0-or-later
"""Where our program deliberately prints or does something else than Debian's nvme 2.13.

Nothing but what is listed here may differ, and everything here must be needed. ``documented`` is a
piece of the sentence in doc/compatibility.md that tells users; ``reason`` names the defect, or who
needs what is more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from program import HOSTILE, Case, Difference


@dataclass(frozen=True)
class Exception_:
    """Differences of commands: of which kind, where, when, and why."""

    commands: tuple[str, ...]
    kinds: tuple[str, ...]
    place: str  # the whole place, as a regular expression
    reason: str
    documented: str
    when: Callable[[Case, Difference], bool] = lambda case, difference: True

    def covers(self, case: Case, difference: Difference) -> bool:
        """Is this difference one of them?"""
        return (
            case.command in self.commands
            and difference.kind in self.kinds
            and re.fullmatch(self.place, difference.place) is not None
            and self.when(case, difference)
        )


def _hostile(case: Case, _: Difference) -> bool:
    """Is it data that no specification allows?"""
    return case.data in HOSTILE


def _beyond_ascii(case: Case, difference: Difference) -> bool:
    """Is there a byte in it that is no printable ASCII character? Some of those end the line."""

    def odd(value: Any) -> bool:
        return isinstance(value, str) and (
            not value.isascii() or not value.isprintable() or "\\x" in value
        )

    ended = difference.ours is None
    return _hostile(case, difference) and (odd(difference.ours) or odd(difference.theirs) or ended)


def _negative(_: Case, difference: Difference) -> bool:
    return isinstance(difference.theirs, int) and difference.theirs < 0 <= difference.ours


def _only_more(_: Case, difference: Difference) -> bool:
    """Is the original's line the beginning of ours, or the other way round?"""
    one, other = str(difference.ours), str(difference.theirs)
    return one.rstrip(")").startswith(other.rstrip(")")) or other.startswith(one.rstrip(")"))


STRINGS = "sn|mn|fr|subnqn"

EXCEPTIONS = (
    Exception_(
        ("error-log",),
        ("extra",),
        r"errors\[\]\.(csi|opcode|log_page_version)",
        "2.13 prints these in text only; a program needs them as well",
        "`error-log` has `csi`, `opcode` and `log_page_version`",
    ),
    Exception_(
        ("error-log",),
        ("line",),
        "status_field",
        "sentences about a status are the original library's own; its name is the same",
        "the name of an NVMe status, without the sentence",
        _only_more,
    ),
    Exception_(
        ("smart-log",),
        ("line",),
        r"temperature|Temperature Sensor \d",
        "2.16 prints degrees Fahrenheit as well",
        "temperatures in three scales",
        _only_more,
    ),
    Exception_(
        ("id-ns",),
        ("extra",),
        r"lbafs\[\]\.(lbaf|in_use)",
        "2.16 has them",
        "`lbaf` and `in_use`",
    ),
    Exception_(
        ("id-ns",),
        ("length", "line", "value"),
        r"lbafs\[\].*|(lbaf|LBA Format) +\d+",
        "the original reads up to 512 formats of the 64 that there is room for, in text, and has "
        "none with unique attributes in its JSON; sizes from 2^31 on are negative or wrong, and "
        "bits 7:2 of a performance make it the best",
        "more than 64 LBA formats",
        _hostile,
    ),
    Exception_(
        ("id-ctrl",),
        ("line",),
        r"\[(7:2|15:1)\] Reserved|\[6:0\] VPD Write Cycles Remaining|"
        r"\[1:0\] (Controller type not reported|(I/O|Discovery|Administrative) Controller)",
        "the original prints bits 7:4 of NVMSR and MEC and 8:1 of FUSES as the reserved ones, bits "
        "7:1 of VWCI as 6:0, and all of CNTRLTYPE as its bits 1:0",
        "the digits before the words of NVMSR, VWCI, MEC, FUSES and CNTRLTYPE",
    ),
    Exception_(
        ("id-ctrl",),
        ("line",),
        r"\[1:0\] RPMB Boot Partition Write Protection \(null\)",
        "the original has no word for the reserved value",
        "the reserved value of RPMB boot partition write protection",
    ),
    Exception_(
        ("ns-descs",),
        ("length", "line", "value", "missing", "extra"),
        r"ns-descs.*|eui64|unknown descriptor type.*|csi|nguid|uuid|loc|nid[tl]|type",
        "the original steps four bytes over a command set identifier of one byte, drops those "
        "of unknown types, and prints known ones whatever length they have",
        "`ns-descs` shows every descriptor",
        lambda case, _: not case.data.startswith("well-behaved"),
    ),
    Exception_(
        ("id-ctrl",),
        ("extra",),
        "subnqn",
        "the original leaves an empty NQN out of its JSON",
        "`subnqn` is there when it is empty, too",
        lambda case, _: case.data == "zeros",
    ),
    Exception_(
        ("id-ctrl",),
        ("line", "value"),
        rf"{STRINGS}|.*",
        "the original passes on what is no printable ASCII, control characters included",
        "Nothing from a discovery log, Identify data or /sys reaches the terminal unescaped",
        _beyond_ascii,
    ),
    Exception_(
        ("id-ctrl",),
        ("line",),
        r"ps +\d+",
        "the original prints latencies from 2^31 microseconds on as negative",
        "latencies of power states",
        lambda case, d: _hostile(case, d) and "lat:-" in str(d.theirs),
    ),
    Exception_(
        ("id-ctrl",),
        ("line", "length"),
        r".*",
        "the original reads up to 256 power states of the 32 that there is room for",
        "more than 32 power states",
        lambda case, d: _hostile(case, d) and (d.ours is None or d.kind == "length"),
    ),
    Exception_(
        ("show-regs",),
        ("value",),
        r"\w+",
        "the original prints registers of 32 bits whose highest bit is set as negative",
        "registers of 32 bits",
        _negative,
    ),
    Exception_(
        ("show-regs",),
        ("line", "value"),
        r"(pmrswtp\[\]\.)?PMR Sustained Write Throughput \(PMRSWTV\)",
        "the original prints the unit instead of the value",
        "the sustained write throughput of PMRSWTP",
    ),
    Exception_(
        ("show-regs", "get-property"),
        ("value",),
        r"(cap\[\]\.)?Arbitration Mechanism Supported \(AMS\)\[\]\..*",
        "the original looks at the bit of the vendor specific mechanism in its JSON",
        "arbitration mechanisms of CAP",
    ),
    Exception_(
        ("get-property",),
        ("line",),
        r"NVM Subsystem Reset Control \(NSSRC\)",
        "the original prints 64 bits of a register that has 32",
        "registers of 32 bits",
        _hostile,
    ),
    Exception_(
        ("show-regs",),
        ("missing",),
        r"\w+\[\]\..*",
        "the original explains registers that it did not read, as if all of their bits were set",
        "A register that `show-regs` did not read",
        lambda case, _: not case.data.startswith("local"),
    ),
)
