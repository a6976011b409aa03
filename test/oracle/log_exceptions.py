# SPDX-License-Identifier: GPL-2.0-or-later
"""Where log page commands deliberately print or do something else than nvme-cli 2.16."""

from __future__ import annotations

from differences import Case, Difference
from program_exceptions import Exception_


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
    Exception_(
        (
            "self-test-log",
            "lba-status-log",
            "host-discovery-log",
            "ave-discovery-log",
            "pull-model-ddc-req-log",
            "boot-part-log",
            "phy-rx-eom-log",
        ),
        ("bytes",),
        "",
        "the original writes nothing, or memory that it has released, with -o binary",
        "`-o binary` writes the bytes of every log page",
    ),
    Exception_(
        ("effects-log",),
        ("bytes",),
        "",
        "the original writes its own structures, with addresses in them, instead of the log",
        "`effects-log` writes the logs themselves",
    ),
    Exception_(
        ("effects-log",),
        ("line",),
        r"ACS(191|255) .*|Reserved CSE|No .*",
        "the original leaves the last opcode of each part out of its text",
        "opcodes bfh and ffh",
        _only_here,
    ),
    Exception_(
        ("effects-log",),
        ("line",),
        r"IOCS(18|29) .*",
        "2.16 has the names of the I/O Management commands",
        "I/O Management commands by name",
        _io_management,
    ),
    Exception_(
        ("effects-log",),
        ("missing", "extra", "order"),
        r"\[\]\.io_cmd_set(\.IOCS_(18|29) .*)?",
        "2.16 has the names of the I/O Management commands",
        "I/O Management commands by name",
    ),
    Exception_(
        ("endurance-event-agg-log",),
        ("line", "length"),
        r"Entry\[\d+\]|list_of_entries\[\]",
        "the original prints as many entries as there is room for, however few there are",
        "the entries that there are",
        lambda _, d: d.ours is None or d.kind == "length",
    ),
    Exception_(
        ("lba-status-log",),
        ("sent",),
        "",
        "the whole header is read first; where its length is 0 the original asks for 2^34 bytes",
        "reads the header of a log whole",
    ),
    Exception_(
        ("media-unit-stat-log",),
        ("sent", "line", "value", "bytes"),
        ".*",
        "the original reads no descriptor, and prints what lies behind its buffer",
        "`media-unit-stat-log` and `supported-cap-config-log` read their descriptors",
    ),
    Exception_(
        (
            "host-discovery-log",
            "ave-discovery-log",
            "pull-model-ddc-req-log",
            "phy-rx-eom-log",
            "boot-part-log",
            "persistent-event-log",
            "dispersed-ns-participating-nss-log",
        ),
        ("sent",),
        "",
        "the original asks for 2^34 bytes, or for 0, where a log's length is 0",
        "asks for what a log announces",
        _zeros,
    ),
    Exception_(
        ("host-discovery-log", "ave-discovery-log", "pull-model-ddc-req-log"),
        ("document",),
        "",
        "the original prints no document",
        "`ave-discovery-log` and `pull-model-ddc-req-log` print what they read",
    ),
    Exception_(
        ("boot-part-log",),
        ("line", "document"),
        "Boot Partition Size|Log ID|Active BPID|",
        "the original prints memory that it has released, and a line of text behind its JSON",
        "`boot-part-log` prints the header that it read",
    ),
    Exception_(
        ("phy-rx-eom-log",),
        ("line", "value"),
        r".*",
        "the original prints memory that it did not fill",
        "an empty `phy-rx-eom-log`",
        _zeros,
    ),
    Exception_(
        ("phy-rx-eom-log",),
        ("crash",),
        "",
        "the original crashes over a measurement that is completed",
        "`phy-rx-eom-log` has the lanes in JSON",
    ),
    Exception_(
        ("phy-rx-eom-log",),
        ("line",),
        "Measurement Status",
        "the original prints the first descriptor in place of the others",
        "`phy-rx-eom-log` prints each descriptor",
        _only_sample,
    ),
    Exception_(
        ("phy-rx-eom-log",),
        ("line",),
        "Lane",
        "the original prints the first descriptor in place of the others",
        "`phy-rx-eom-log` prints each descriptor",
        _only_sample,
    ),
    Exception_(
        ("self-test-log",),
        ("line",),
        "Status Code",
        "sentences about a status are the original library's own; its name is the same",
        "the name of an NVMe status, without the sentence",
        _only_more,
    ),
    Exception_(
        ("changed-ns-list-log", "changed-alloc-ns-list-log"),
        ("line",),
        "no ns changed",
        "the original prints that nothing changed behind the namespaces that did",
        "`no ns changed` alone",
        _only_there,
    ),
    Exception_(
        ("changed-ns-list-log", "changed-alloc-ns-list-log"),
        ("document",),
        "",
        "the original prints no document when more namespaces changed than the page holds",
        "`more than 1024 ns changed` in JSON",
    ),
    Exception_(
        ("telemetry-log",),
        ("sent", "document"),
        "",
        "the original identifies the controller first, for a length that it does not need, and "
        "has no document",
        "`telemetry-log` prints a result",
    ),
    Exception_(
        ("persistent-event-log",),
        ("line",),
        r"Power On Hours \(POH\)|Power Cycle Count",
        "the original has no line break between the two",
        "on lines of their own",
    ),
    Exception_(
        ("persistent-event-log",),
        ("line", "length"),
        r".*",
        "the original leaves out the last event",
        "The last event of `persistent-event-log`",
        lambda _, d: d.theirs is None or d.kind == "length",
    ),
    Exception_(
        ("persistent-event-log",),
        ("missing",),
        r"bitmap_[0-9a-f]+",
        "the original names the event before for one that is not supported",
        "has no `bitmap_` for events that are not supported",
    ),
    Exception_(
        ("persistent-event-log",),
        ("document",),
        "",
        "the original prints a line of text",
        '`persistent-event-log --action` prints `{"result":"..."}`',
    ),
)
