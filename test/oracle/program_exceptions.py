# SPDX-License-Identifier: GPL-2.0-or-later
"""Where our program deliberately prints or does something else than nvme-cli 2.16.

Nothing but what is listed here may differ, and everything here must be needed. ``documented`` is a
piece of the sentence in doc/compatibility-list.md; ``reason`` names the defect, or who needs
what is more.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from differences import HOSTILE, LONGER, Case, Difference


@dataclass(frozen=True)
class Exception_:
    """Differences of one kind in one field of a command: when, and why."""

    command: str
    kind: str
    field: str  # a difference's place
    reason: str
    documented: str
    when: Callable[[Case, Difference], bool]

    @property
    def is_defect(self) -> bool:
        """Is it a defect of the original, or of its library, and no choice of this project?"""
        return self.reason.startswith(("the original ", "the original's ", "libnvme 1.13 "))

    @property
    def is_chance(self) -> bool:
        """Does it depend on what the original finds in memory, which may be what it should be?"""
        return "memory" in self.reason

    def __str__(self) -> str:
        return f"{self.command} | {self.kind} | {self.field}: {self.reason}"

    def covers(self, case: Case, difference: Difference) -> bool:
        """Is this difference one of them?"""
        return (case.command, difference.kind, difference.place) == (
            self.command,
            self.kind,
            self.field,
        ) and self.when(case, difference)


def because(
    reason: str,
    documented: str,
    *fields: str,
    when: Callable[[Case, Difference], bool] = lambda case, difference: True,
) -> Iterator[Exception_]:
    """One for each "COMMAND, COMMAND | KIND, KIND | FIELD; FIELD"; some kinds have no field."""
    for line in fields:
        commands, kinds, names, *_ = *line.split(" | ", 2), ""
        for which in product(commands.split(", "), kinds.split(", "), names.split("; ")):
            yield Exception_(*which, reason, documented, when)


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


EXCEPTIONS: tuple[Exception_, ...] = (
    *because(
        "2.13 prints these in text only; a program needs them as well",
        "`error-log` has `csi`, `opcode` and `log_page_version`",
        "error-log | extra | errors[].csi; errors[].log_page_version; errors[].opcode",
    ),
    *because(
        "sentences about a status are the original library's own; its name is the same, or there "
        "is none",
        "the name of an NVMe status, without the sentence",
        "error-log | line | status_field",
        when=_name_of_status,
    ),
    *because(
        "the trtype of this project",
        "trtype 4 is MPTCP",
        "error-log | line | trtype",
        when=lambda case, d: "0x4 (" in d.ours,
    ),
    *because(
        "the original reads up to 512 formats of the 64 that there is room for, in text, and has "
        "none with unique attributes in its JSON; sizes from 2^31 on are negative or wrong, and "
        "bits 7:2 of a performance make it the best",
        "more than 64 LBA formats",
        "id-ns | length | lbafs[]",
        "id-ns | line | LBA Format[]; lbaf[]",
        "id-ns | value | lbafs[].Data Size; lbafs[].Relative Performance",
        when=_hostile,
    ),
    *because(
        "the original prints bits 7:4 of NVMSR and MEC and 8:1 of FUSES as the reserved ones, "
        "bits 7:1 of VWCI as 6:0, and all of CNTRLTYPE as its bits 1:0",
        "the digits before the words of NVMSR, VWCI, MEC, FUSES and CNTRLTYPE",
        "id-ctrl | line | [15:1] Reserved; [1:0] Administrative Controller; "
        "[1:0] Controller type not reported; [1:0] Discovery Controller; "
        "[6:0] VPD Write Cycles Remaining; [7:2] Reserved",
    ),
    *because(
        "the original has no word for the reserved value",
        "the reserved value of RPMB boot partition write protection",
        "id-ctrl | line | [1:0] RPMB Boot Partition Write Protection (null)",
    ),
    *because(
        "the original steps four bytes over a command set identifier of one byte, drops those of "
        "unknown types, and prints known ones whatever length they have",
        "`ns-descs` shows every descriptor",
        "ns-descs | extra | ns-descs",
        "ns-descs | length | ns-descs[]",
        "ns-descs | line | eui64; loc; nidl; nidt; type; unknown descriptor type",
        when=lambda case, _: not case.data.startswith("well-behaved"),
    ),
    *because(
        "the original leaves an empty NQN out of its JSON",
        "`subnqn` is there when it is empty, too",
        "id-ctrl | extra | subnqn",
        when=lambda case, _: case.data == "zeros",
    ),
    *because(
        "the original passes on what is no printable ASCII, control characters included",
        "Nothing from a discovery log, Identify data or /sys reaches the terminal unescaped",
        "id-ctrl | line | fr; mn; subnqn",
        "id-ctrl | value | fr; mn; sn; subnqn",
        when=_beyond_ascii,
    ),
    *because(
        "the original prints latencies from 2^31 microseconds on as negative",
        "latencies of power states",
        "id-ctrl | line | ps[]",
        when=lambda case, d: _hostile(case, d) and "lat:-" in str(d.theirs),
    ),
    *because(
        "the original reads up to 256 power states of the 32 that there is room for",
        "more than 32 power states",
        "id-ctrl | length | psds[]",
        "id-ctrl | line | active_power_workload; emergency power fail recovery time; "
        "emergency power fail vault time; forced quiescence vault time; ps[]; rwt",
        when=lambda case, d: _hostile(case, d) and (d.ours is None or d.kind == "length"),
    ),
    *because(
        "the original prints the unit instead of the value",
        "the sustained write throughput of PMRSWTP",
        "show-regs | line | PMR Sustained Write Throughput (PMRSWTV)",
        "show-regs | value | pmrswtp[].PMR Sustained Write Throughput (PMRSWTV)",
    ),
    *because(
        "the original looks at the bit of the vendor specific mechanism in its JSON",
        "arbitration mechanisms of CAP",
        "get-property | value | Arbitration Mechanism Supported (AMS)[].Weighted Round Robin "
        "with Urgent Priority Class",
        "show-regs | value | cap[].Arbitration Mechanism Supported (AMS)[].Weighted Round Robin "
        "with Urgent Priority Class",
    ),
    *because(
        "the original prints 64 bits of a register that has 32",
        "takes 32 bits of NSSR, where 2.x takes 64",
        "get-property | line | NVM Subsystem Reset Control (NSSRC)",
        when=_hostile,
    ),
    *because(
        "libnvme 1.13 does not know that two more features have data",
        "features 1Ch and 21h",
        "get-feature | sent",
        when=_lengths,
    ),
    *because(
        "the original has no end of the line there, so that the next feature stands behind it",
        "the line of the predictable latency window ends",
        "get-feature | line | Window Select; get-feature",
        when=lambda case, d: "(Predictable Latency Mode Window)" not in str(d.ours),
    ),
    *because(
        "the original has these two events in its text only",
        "two more asynchronous events",
        "get-feature | extra | Feature: 0x0b[].Allocated Namespace Attribute Notices",
        "get-feature | extra | Feature: 0x0b[].Temperature Threshold Hysteresis Recovery",
    ),
    *because(
        "a program needs the bytes of what nobody explains",
        "the bytes of a feature's data are there",
        "get-feature | extra | feature: 0x03[].data; feature: 0x0c[].data; feature: 0x0d[].data; "
        "feature: 0x0e[].data; feature: 0x13[].data; feature: 0x16[].data; feature: 0x1e[].data; "
        "feature: 0x7d[].data; feature: 0x7e[].data; feature: 0x7f[].data; feature: 0x81[].data",
    ),
    *because(
        "the original looks at one bit of the three that are the origin of a timestamp, at four "
        "of the eight of a placement configuration, and prints four too many of a recovery level",
        "a timestamp's origin, a recovery level and the index of a placement configuration",
        "get-feature | line | Flexible Direct Placement Configuration Index; "
        "Read Recovery Level (RRL); The Timestamp field was initialized to ‘; "
        "The Timestamp field was initialized with a Timestamp value using a Set Features command.",
        "get-feature | value | Feature: 0x0e[].timestamp origin; "
        "Feature: 0x1d[].Flexible Direct Placement Configuration Index",
    ),
    *because(
        "the original prints text, as if the format had not been asked for",
        "`get-feature -o binary` writes a feature's data",
        "get-feature | bytes",
    ),
    *because(
        "the original prints the first eight bytes of sixteen as a number",
        "a host identifier of 16 bytes",
        "get-feature | line | Host Identifier (HOSTID)",
        when=lambda case, _: "-c" in case.args,
    ),
    *because(
        "a program needs the vendor specific bytes that were asked for",
        "`vs` and `vs_bytes` with `--vendor-specific`",
        "id-ctrl | extra | vs",
        "id-ns | extra | vs_bytes",
        when=lambda case, _: "-V" in case.args,
    ),
    *because(
        "the original prints a document before the document over fabrics, about a PCI resource",
        "`show-regs -v -o json` is one document",
        "show-regs | document",
        when=lambda case, _: "-v" in case.args,
    ),
    *because(
        "the original ends at the first register that the controller refuses",
        "registers that a controller refuses are left out",
        "show-regs | sent",
        when=lambda case, _: case.data == "refused",
    ),
)
