# SPDX-License-Identifier: GPL-2.0-or-later
"""Where log page commands deliberately print or do something else than nvme-cli 2.16."""

from __future__ import annotations

from differences import Case, Difference
from program_exceptions import Exception_, because


def _only_here(_: Case, difference: Difference) -> bool:
    return difference.theirs is None


def _only_there(_: Case, difference: Difference) -> bool:
    return difference.ours is None


def _only_more(_: Case, difference: Difference) -> bool:
    one, other = str(difference.ours), str(difference.theirs)
    return one.rstrip(")").startswith(other.rstrip(")")) or other.startswith(one)


def _zeros(case: Case, _: Difference) -> bool:
    return case.data == "zeros"


def _only_sample(case: Case, _: Difference) -> bool:
    return case.data == "sample"


def _io_management(_: Case, difference: Difference) -> bool:
    return "I/O Management" in str(difference.ours) and "Unknown" in str(difference.theirs)


EXCEPTIONS: tuple[Exception_, ...] = (
    *because(
        "the original writes nothing, or memory that it has released, with -o binary",
        "`-o binary` writes the bytes of every log page",
        "ave-discovery-log | bytes",
        "boot-part-log | bytes",
        "host-discovery-log | bytes",
        "lba-status-log | bytes",
        "phy-rx-eom-log | bytes",
        "pull-model-ddc-req-log | bytes",
        "self-test-log | bytes",
    ),
    *because(
        "the original writes its own structures, with addresses in them, instead of the log",
        "`effects-log` writes the logs themselves",
        "effects-log | bytes",
    ),
    *because(
        "the original leaves the last opcode of each part out of its text",
        "opcodes bfh and ffh",
        "effects-log | line | ACS",
        "effects-log | line | No other command for any namespace",
        "effects-log | line | Reserved CSE",
        when=_only_here,
    ),
    *because(
        "the original has no names for the I/O Management commands",
        "I/O Management commands by name",
        "effects-log | line | IOCS",
        when=_io_management,
    ),
    *because(
        "the original has no names for the I/O Management commands",
        "I/O Management commands by name",
        "effects-log | extra | [].io_cmd_set.IOCS_18 (I/O Management Receive)",
        "effects-log | extra | [].io_cmd_set.IOCS_29 (I/O Management Send)",
        "effects-log | missing | [].io_cmd_set.IOCS_18 (Unknown)",
        "effects-log | missing | [].io_cmd_set.IOCS_29 (Unknown)",
    ),
    *because(
        "the original prints as many entries as there is room for, however few there are",
        "the entries that there are",
        "endurance-event-agg-log | length | list_of_entries[]",
        "endurance-event-agg-log | line | Entry[]",
        when=lambda _, d: d.ours is None or d.kind == "length",
    ),
    *because(
        "the whole header is read first; where its length is 0 the original asks for 2^34 bytes",
        "reads the header of a log whole",
        "lba-status-log | sent",
    ),
    *because(
        "the original reads no descriptor, and prints what lies behind its buffer",
        "`media-unit-stat-log` and `supported-cap-config-log` read their descriptors",
        "media-unit-stat-log | bytes",
        "media-unit-stat-log | line | Available Spare",
        "media-unit-stat-log | line | Capacity Adjustment Factor",
        "media-unit-stat-log | line | Channel Identifiers Offset",
        "media-unit-stat-log | line | Domain Identifier",
        "media-unit-stat-log | line | Endurance Group Identifier",
        "media-unit-stat-log | line | Media Unit Identifier",
        "media-unit-stat-log | line | Media Unit Status Descriptor",
        "media-unit-stat-log | line | NVM Set Identifier",
        "media-unit-stat-log | line | Number of Channels",
        "media-unit-stat-log | line | Percentage Used",
        "media-unit-stat-log | sent",
        "media-unit-stat-log | value | mus_list[].avl_spare",
        "media-unit-stat-log | value | mus_list[].cap_adj_fctr",
        "media-unit-stat-log | value | mus_list[].cio",
        "media-unit-stat-log | value | mus_list[].domainid",
        "media-unit-stat-log | value | mus_list[].endgid",
        "media-unit-stat-log | value | mus_list[].mucs",
        "media-unit-stat-log | value | mus_list[].muid",
        "media-unit-stat-log | value | mus_list[].nvmsetid",
        "media-unit-stat-log | value | mus_list[].percent_used",
    ),
    *because(
        "the original asks for 2^34 bytes, or for 0, where a log's length is 0",
        "asks for what a log announces",
        "ave-discovery-log | sent",
        "boot-part-log | sent",
        "dispersed-ns-participating-nss-log | sent",
        "host-discovery-log | sent",
        "persistent-event-log | sent",
        "phy-rx-eom-log | sent",
        "pull-model-ddc-req-log | sent",
        when=_zeros,
    ),
    *because(
        "the original prints no document",
        "`ave-discovery-log` and `pull-model-ddc-req-log` print what they read",
        "ave-discovery-log | document",
        "host-discovery-log | document",
        "pull-model-ddc-req-log | document",
    ),
    *because(
        "the original prints memory that it has released, and a line of text behind its JSON",
        "`boot-part-log` prints the header that it read",
        "boot-part-log | document",
        "boot-part-log | line | Boot Partition Size",
    ),
    *because(
        "the original prints memory that it did not fill",
        "an empty `phy-rx-eom-log`",
        "phy-rx-eom-log | line | Maximum Top Bottom",
        "phy-rx-eom-log | line | Number of Descriptors",
        "phy-rx-eom-log | value | maxtb",
        "phy-rx-eom-log | value | nd",
        when=_zeros,
    ),
    *because(
        "the original crashes over a measurement that is completed",
        "`phy-rx-eom-log` has the lanes in JSON",
        "phy-rx-eom-log | crash",
    ),
    *because(
        "the original prints the first descriptor in place of the others",
        "`phy-rx-eom-log` prints each descriptor",
        "phy-rx-eom-log | line | Measurement Status",
        "phy-rx-eom-log | line | Lane",
        when=_only_sample,
    ),
    *because(
        "sentences about a status are the original library's own; its name is the same",
        "the name of an NVMe status, without the sentence",
        "self-test-log | line | Status Code",
        when=_only_more,
    ),
    *because(
        "the original prints that nothing changed behind the namespaces that did",
        "`no ns changed` alone",
        "changed-alloc-ns-list-log | line | no ns changed",
        "changed-ns-list-log | line | no ns changed",
        when=_only_there,
    ),
    *because(
        "the original prints no document when more namespaces changed than the page holds",
        "`more than 1024 ns changed` in JSON",
        "changed-alloc-ns-list-log | document",
        "changed-ns-list-log | document",
    ),
    *because(
        "the original identifies the controller first, for a length that it does not need, and "
        "has no document",
        "`telemetry-log` prints a result",
        "telemetry-log | document",
        "telemetry-log | sent",
    ),
    *because(
        "the original has no line break between the two",
        "on lines of their own",
        "persistent-event-log | line | Power Cycle Count",
        "persistent-event-log | line | Power On Hours (POH)",
    ),
    *because(
        "the original leaves out the last event",
        "The last event of `persistent-event-log`",
        "persistent-event-log | length | list_of_event_entries[]",
        "persistent-event-log | line | Controller Identifier",
        "persistent-event-log | line | Event Header Additional Info",
        "persistent-event-log | line | Event Header Length",
        "persistent-event-log | line | Event Length",
        "persistent-event-log | line | Event Number",
        "persistent-event-log | line | Event Timestamp",
        "persistent-event-log | line | Event Type",
        "persistent-event-log | line | Event Type Revision",
        "persistent-event-log | line | Milliseconds Since Reset",
        "persistent-event-log | line | Port Identifier",
        "persistent-event-log | line | Previous Timestamp",
        "persistent-event-log | line | Set Feature Event Entry",
        "persistent-event-log | line | Set Feature ID",
        "persistent-event-log | line | Time Stamp Change Event Entry",
        "persistent-event-log | line | Vendor Specific Information Length",
        when=lambda _, d: d.theirs is None or d.kind == "length",
    ),
    *because(
        "the original names the event before for one that is not supported",
        "has no `bitmap_` for events that are not supported",
        "persistent-event-log | missing | bitmap_0",
        "persistent-event-log | missing | bitmap_e",
        "persistent-event-log | missing | bitmap_f",
    ),
    *because(
        "the original prints a line of text",
        '`persistent-event-log --action` prints `{"result":"..."}`',
        "persistent-event-log | document",
    ),
)
