# SPDX-License-Identifier: GPL-2.0-or-later
"""Where our program prints something else than Debian's nvme 2.16 over the lab's real controllers.

That is beside what the machines made up for the oracle show. The lab requires that each is needed.
"""

from program_exceptions import Exception_, because

EXCEPTIONS: tuple[Exception_, ...] = (
    *because(
        "the original prints a line before its document",
        "`id-iocs -o json` is one document",
        "id-iocs | document",
    ),
    *because(
        "the original has no head for one of its columns",
        "no head for one of its columns",
        "zns list | document",
    ),
    *because(
        "the original's exit status is that of the last feature, which most controllers refuse",
        "and its exit status is that of the last feature",
        "get-feature | status",
        when=lambda case, _: "-f" not in case.args,
    ),
)
