# SPDX-License-Identifier: GPL-2.0-or-later
"""Where our program prints something else than Debian's nvme 2.13 over the lab's real controllers.

That is beside what the machines made up for the oracle show. The lab requires that each is needed.
"""

from __future__ import annotations

from program_exceptions import Exception_

EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ("list",),
        ("line",),
        "-+.*|/dev/nvme.*",
        "2.16 has the usage in binary units as well",
        "`list -v` has the usage of namespaces in binary units as well",
        lambda case, _: "-v" in case.args,
    ),
    Exception_(
        ("list-subsys",),
        ("line",),
        "iopolicy=.*",
        "2.16 has the policy, which decides about paths, without -v",
        "`list-subsys` has the I/O policy",
    ),
    Exception_(
        ("list-subsys",),
        ("line", "extra"),
        r"serial=.*|.*\.Serial",
        "2.16 has the serial number, which tells subsystems of one model apart",
        "the serial number with it",
        lambda case, _: "-v" in case.args,
    ),
    Exception_(
        ("id-iocs",),
        ("document",),
        "",
        "the original prints a line before its document",
        "`id-iocs -o json` is one document",
    ),
    Exception_(
        ("zns list",),
        ("line", "document"),
        "-+.*|Node.*|",
        "the original has no head for one of its columns",
        "no head for one of its columns",
    ),
    Exception_(
        ("get-feature",),
        ("status",),
        "",
        "the original's exit status is that of the last feature, which most controllers refuse",
        "and its exit status is that of the last feature",
        lambda case, _: "-f" not in case.args,
    ),
)
