# SPDX-License-Identifier: GPL-2.0-or-later
"""Where log page commands deliberately print or do something else than nvme-cli 2.16."""

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
        "ave-discovery-log, boot-part-log, host-discovery-log, lba-status-log, phy-rx-eom-log, "
        "pull-model-ddc-req-log, self-test-log | bytes",
    ),
    *because(
        "the original writes its own structures, with addresses in them, instead of the log",
        "`effects-log` writes the logs themselves",
        "effects-log | bytes",
    ),
    *because(
        "the original leaves the last opcode of each part out of its text",
        "opcodes bfh and ffh",
        "effects-log | line | ACS; No other command for any namespace; Reserved CSE",
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
        "effects-log | extra | [].io_cmd_set.IOCS_18 (I/O Management Receive); "
        "[].io_cmd_set.IOCS_29 (I/O Management Send)",
        "effects-log | missing | [].io_cmd_set.IOCS_18 (Unknown); [].io_cmd_set.IOCS_29 (Unknown)",
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
        "media-unit-stat-log | bytes, sent",
        "media-unit-stat-log | line | Available Spare; Capacity Adjustment Factor; "
        "Channel Identifiers Offset; Domain Identifier; Endurance Group Identifier; "
        "Media Unit Identifier; Media Unit Status Descriptor; NVM Set Identifier; "
        "Number of Channels; Percentage Used",
        "media-unit-stat-log | value | mus_list[].avl_spare; mus_list[].cap_adj_fctr; "
        "mus_list[].cio; mus_list[].domainid; mus_list[].endgid; mus_list[].mucs; "
        "mus_list[].muid; mus_list[].nvmsetid; mus_list[].percent_used",
    ),
    *because(
        "the original asks for 2^34 bytes, or for 0, where a log's length is 0",
        "asks for what a log announces",
        "ave-discovery-log, boot-part-log, dispersed-ns-participating-nss-log, "
        "host-discovery-log, persistent-event-log, phy-rx-eom-log, pull-model-ddc-req-log | sent",
        when=_zeros,
    ),
    *because(
        "the original prints no document",
        "`ave-discovery-log` and `pull-model-ddc-req-log` print what they read",
        "ave-discovery-log, host-discovery-log, pull-model-ddc-req-log | document",
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
        "phy-rx-eom-log | line | Maximum Top Bottom; Number of Descriptors",
        "phy-rx-eom-log | value | maxtb; nd",
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
        "phy-rx-eom-log | line | Measurement Status; Lane",
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
        "changed-alloc-ns-list-log, changed-ns-list-log | line | no ns changed",
        when=_only_there,
    ),
    *because(
        "the original prints no document when more namespaces changed than the page holds",
        "`more than 1024 ns changed` in JSON",
        "changed-alloc-ns-list-log, changed-ns-list-log | document",
    ),
    *because(
        "the original identifies the controller first, for a length that it does not need, and "
        "has no document",
        "`telemetry-log` prints a result",
        "telemetry-log | document, sent",
    ),
    *because(
        "the original has no line break between the two",
        "on lines of their own",
        "persistent-event-log | line | Power Cycle Count; Power On Hours (POH)",
    ),
    *because(
        "the original leaves out the last event",
        "The last event of `persistent-event-log`",
        "persistent-event-log | length | list_of_event_entries[]",
        "persistent-event-log | line | Controller Identifier; Event Header Additional Info; "
        "Event Header Length; Event Length; Event Number; Event Timestamp; Event Type; "
        "Event Type Revision; Milliseconds Since Reset; Port Identifier; Previous Timestamp; "
        "Set Feature Event Entry; Set Feature ID; Time Stamp Change Event Entry; "
        "Vendor Specific Information Length",
        when=lambda _, d: d.theirs is None or d.kind == "length",
    ),
    *because(
        "the original names the event before for one that is not supported",
        "has no `bitmap_` for events that are not supported",
        "persistent-event-log | missing | bitmap_0; bitmap_e; bitmap_f",
    ),
    *because(
        "the original prints a line of text",
        '`persistent-event-log --action` prints `{"result":"..."}`',
        "persistent-event-log | document",
    ),
)
