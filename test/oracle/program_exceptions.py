# SPDX-License-Identifier: GPL-2.0-or-later
"""Where our program deliberately prints or does something else than nvme-cli 2.16.

Nothing but what is listed here may differ, and everything here must be needed. ``documented`` is a
piece of the sentence in doc/compatibility-list.md; ``reason`` names the defect, or who needs
what is more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from differences import HOSTILE, LONGER, Case, Difference


@dataclass(frozen=True)
class Exception_:
    """Differences of commands: of which kind, where, when, and why."""

    commands: tuple[str, ...]
    kinds: tuple[str, ...]
    place: str  # the whole place, as a regular expression
    reason: str
    documented: str
    when: Callable[[Case, Difference], bool] = lambda case, difference: True

    @property
    def is_defect(self) -> bool:
        """Is it a defect of the original, or of its library, and no choice of this project?"""
        return self.reason.startswith(("the original ", "the original's ", "libnvme 1.13 "))

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


def _only_more(_: Case, difference: Difference) -> bool:
    """Is the original's line the beginning of ours, or the other way round?"""
    one, other = str(difference.ours), str(difference.theirs)
    return one.rstrip(")").startswith(other.rstrip(")")) or other.startswith(one.rstrip(")"))


def _name_of_status(_: Case, difference: Difference) -> bool:
    """Is it the beginning of what the original prints, or is that a sentence alone, or nothing?"""
    name = str(difference.ours).partition("(")[2].rstrip(")")
    text = str(difference.theirs).partition("(")[2].rstrip(")")
    named = text.partition(":")[0]
    return named == name or (named == text and (name in NAMELESS or text == "unrecognized"))


#: Statuses that the original has a sentence for, and no name.
NAMELESS = (
    "Invalid Key Tag", "Host Dispersed Namespace Support Not Enabled", "Incorrect Key",
    "Invalid Value Size", "Invalid Key Size", "Key Does Not Exist", "Unrecovered Error",
    "Key Exists", "I/O Command Set Not Supported", "I/O Command Set Not Enabled",
    "I/O Command Set Combination Rejected", "Invalid I/O Command Set",
    "Invalid Discovery Information", "Zoning Data Structure Locked",
    "Zoning Data Structure Not Found", "Insufficient Discovery Resources",
    "Requested Function Disabled", "ZoneGroup Originator Invalid",
)  # fmt: skip


def _lengths(_: Case, difference: Difference) -> bool:
    """Does nothing differ but the lengths of features that libnvme 1.13 does not know?"""
    if len(difference.ours) != len(difference.theirs):
        return False
    pairs = zip(difference.ours, difference.theirs, strict=True)
    unlike = {one.partition(" cdw11")[0] for one, other in pairs if one != other}
    return unlike <= {
        f"nvme0 admin opcode=0a nsid=1 cdw10={sel << 8 | fid:x}"
        for fid in LONGER
        for sel in range(4)
    }


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
        "sentences about a status are the original library's own; its name is the same, or there "
        "is none",
        "the name of an NVMe status, without the sentence",
        _name_of_status,
    ),
    Exception_(
        ("error-log",),
        ("line",),
        "trtype",
        "the trtype of this project",
        "trtype 4 is MPTCP",
        lambda case, d: "0x4 (" in d.ours,
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
        "takes 32 bits of NSSR, where 2.x takes 64",
        _hostile,
    ),
    Exception_(
        ("get-feature",),
        ("sent",),
        "",
        "libnvme 1.13 does not know that two more features have data",
        "features 1Ch and 21h",
        _lengths,
    ),
    Exception_(
        ("get-feature",),
        ("line",),
        "Window Select|get-feature",
        "the original has no end of the line there, so that the next feature stands behind it",
        "the line of the predictable latency window ends",
        lambda case, d: "(Predictable Latency Mode Window)" not in str(d.ours),
    ),
    Exception_(
        ("get-feature",),
        ("extra",),
        r"Feature: 0x0b\[\]\.(Temperature Threshold Hysteresis Recovery|"
        r"Allocated Namespace Attribute Notices)",
        "the original has these two events in its text only",
        "two more asynchronous events",
    ),
    Exception_(
        ("get-feature",),
        ("extra",),
        r"feature: 0x..\[\]\.data",
        "a program needs the bytes of what nobody explains",
        "the bytes of a feature's data are there",
    ),
    Exception_(
        ("get-feature",),
        ("line", "value"),
        r"(Feature: 0x0e\[\]\.timestamp origin)?(The Timestamp field was .*)?|"
        r"Read Recovery Level \(RRL\)|(Feature: 0x1d\[\]\.)?Flexible Direct Placement "
        r"Configuration Index",
        "the original looks at one bit of the three that are the origin of a timestamp, at four of "
        "the eight of a placement configuration, and prints four too many of a recovery level",
        "a timestamp's origin, a recovery level and the index of a placement configuration",
    ),
    Exception_(
        ("get-feature",),
        ("bytes",),
        "",
        "the original prints text, as if the format had not been asked for",
        "`get-feature -o binary` writes a feature's data",
    ),
    Exception_(
        ("get-feature",),
        ("line",),
        r"Host Identifier \(HOSTID\)",
        "the original prints the first eight bytes of sixteen as a number",
        "a host identifier of 16 bytes",
        lambda case, _: "-c" in case.args,
    ),
    Exception_(
        ("id-ctrl", "id-ns"),
        ("extra",),
        "vs|vs_bytes",
        "a program needs the vendor specific bytes that were asked for",
        "`vs` and `vs_bytes` with `--vendor-specific`",
        lambda case, _: "-V" in case.args,
    ),
    Exception_(
        ("show-regs",),
        ("document",),
        "",
        "the original prints a document before the document over fabrics, about a PCI resource",
        "`show-regs -v -o json` is one document",
        lambda case, _: "-v" in case.args,
    ),
    Exception_(
        ("show-regs",),
        ("sent",),
        "",
        "the original ends at the first register that the controller refuses",
        "registers that a controller refuses are left out",
        lambda case, _: case.data == "refused",
    ),
)
