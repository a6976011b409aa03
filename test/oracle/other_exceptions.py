# SPDX-License-Identifier: GPL-2.0-or-later
"""Where what connects, lists, transfers blocks and handles keys differs from nvme-cli 2.16."""

import re

from differences import Case, Difference
from program_exceptions import Exception_, because


def _same_cells(_: Case, difference: Difference) -> bool:
    """Is it the same line, but for empty cells and usage in binary units?"""

    def cells(line: object) -> str:
        plain = re.sub(r" ?\( ?[\d.]+ \w+ / *[\d.]+ \w+\)", "", str(line))
        return " ".join(cell for cell in plain.split() if cell != "-")

    return cells(difference.ours) == cells(difference.theirs)


def _reads_formats(_: Case, difference: Difference) -> bool:
    """Do both send the same but for what they read of the namespace before?"""

    def changed(sent: list[str]) -> list[str]:
        """Without Identify: each command is two lines."""
        pairs = zip(sent[::2], sent[1::2], strict=True)
        return [line for pair in pairs if "opcode=06" not in pair[0] for line in pair]

    return changed(difference.ours) == changed(difference.theirs)


EXCEPTIONS: tuple[Exception_, ...] = (
    *because(
        "the original prints text, as if JSON had not been asked for",
        "five commands for keys print a document with `-o json`, which 2.x ignores",
        "check-dhchap-key, check-tls-key, gen-dhchap-key, gen-tls-key | document",
    ),
    *because(
        "the rule below a heading is as wide as its column here",
        "rules of tables are as wide as their columns",
        "list | line | ---",
    ),
    *because(
        "2.16 has the usage in binary units as well; an empty cell would move those behind it",
        "an empty cell of a table is `-`",
        "list | line | /dev/nvme[]; nvme[]",
        when=_same_cells,
    ),
    *because(
        "the original reads the format of protection information whether or not there are tags",
        "`verify` and `write-zeroes` read the format of the tags where they have any",
        "compare, read, write | sent",
        when=_reads_formats,
    ),
    *because(
        "the original prints no document",
        "(`flush`, `dsm`, `read --data`, `write`, `compare`, `write-zeroes`, `reset`",
        "compare, read, write | document",
    ),
    *because(
        "the original calls it an error that the size was rounded, and prints no result",
        "make the buffers large enough for the blocks",
        "read, write | extra | result",
        "read, write | missing | error",
        when=lambda case, _: "512" in case.args,
    ),
    *because(
        "the original's exit status is 0 where it refused the protection information",
        "is an error for `read`, too",
        "read | status",
        when=lambda case, _: "-p" in case.args,
    ),
    *because(
        "the original lists a host for a namespace that it does not have",
        "a host without what was asked for is left out",
        "list-subsys | length | []",
        when=lambda case, _: "/dev/nvme7n1" in case.args,
    ),
    *because(
        "the original sends another value than the one that it was given: all ones above bit 31",
        "`set-property` sends the value as given",
        "set-property | line | set-property",
        "set-property | sent",
    ),
)
