# SPDX-License-Identifier: GPL-2.0-or-later
"""Where what connects, lists, transfers blocks and handles keys differs from nvme-cli 2.16."""

from __future__ import annotations

import re

from differences import Case, Difference
from program_exceptions import Exception_


def _same_cells(_: Case, difference: Difference) -> bool:
    """Is it the same line, but for empty cells and usage in binary units?"""

    def cells(line: object) -> str:
        plain = re.sub(r" ?\( ?[\d.]+ \w+ / *[\d.]+ \w+\)", "", str(line))
        return " ".join(cell for cell in plain.split() if cell != "-")

    return cells(difference.ours) == cells(difference.theirs)


def _only_here(_: Case, difference: Difference) -> bool:
    return difference.theirs is None


def _reads_formats(_: Case, difference: Difference) -> bool:
    """Do both send the same but for what they read of the namespace before?"""

    def changed(sent: list[str]) -> list[str]:
        """Without Identify: each command is two lines."""
        pairs = zip(sent[::2], sent[1::2], strict=True)
        return [line for pair in pairs if "opcode=06" not in pair[0] for line in pair]

    return changed(difference.ours) == changed(difference.theirs)


EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ("gen-dhchap-key", "check-dhchap-key", "gen-tls-key", "check-tls-key"),
        ("document",),
        "",
        "the original prints text, as if JSON had not been asked for",
        "five commands for keys print a document with `-o json`, which 2.x ignores",
    ),
    Exception_(
        ("list",),
        ("line",),
        "-+( -+)+",
        "the rule below a heading is as wide as its column here",
        "rules of tables are as wide as their columns",
    ),
    Exception_(
        ("list",),
        ("line",),
        ".*",
        "2.16 has the usage in binary units as well; an empty cell would move those behind it",
        "an empty cell of a table is `-`",
        _same_cells,
    ),
    Exception_(
        ("read", "write", "compare"),
        ("sent",),
        "",
        "the original reads the format of protection information whether or not there are tags",
        "`verify` and `write-zeroes` read the format of the tags where they have any",
        _reads_formats,
    ),
    Exception_(
        ("read", "write", "compare"),
        ("document",),
        "",
        "the original prints no document",
        "(`flush`, `dsm`, `read --data`, `write`, `compare`, `write-zeroes`, `reset`",
    ),
    Exception_(
        ("read", "write"),
        ("extra", "missing"),
        "result|error",
        "the original calls it an error that the size was rounded, and prints no result",
        "make the buffers large enough for the blocks",
        lambda case, _: "512" in case.args,
    ),
    Exception_(
        ("read",),
        ("status",),
        "",
        "the original's exit status is 0 where it refused the protection information",
        "is an error for `read`, too",
        lambda case, _: "-p" in case.args,
    ),
    Exception_(
        ("list-subsys",),
        ("length",),
        r"\[\]",
        "the original lists a host for a namespace that it does not have",
        "a host without what was asked for is left out",
        lambda case, _: "/dev/nvme7n1" in case.args,
    ),
    Exception_(
        ("set-property",),
        ("sent", "line"),
        "|set-property",
        "the original sends another value than the one that it was given: all ones above bit 31",
        "`set-property` sends the value as given",
    ),
)
