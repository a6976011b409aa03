#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write an inventory of the controllers of this machine as CSV: inventory.py FILE

FILE may be - for standard output. A controller without MPTCP has no links.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from libnvme import mptcp, nvme

COLUMNS = (
    "subsystem",
    "controller",
    "transport",
    "address",
    "state",
    "namespaces",
    "links",
    "lacks",
)


def rows(root: nvme.root, snapshot: mptcp.Snapshot) -> Iterator[tuple[str, ...]]:
    """One line for each controller, in the order of COLUMNS."""
    with_subflows = {ctrl.name: ctrl for ctrl in snapshot.controllers}
    for host in root.hosts():
        for subsystem in host.subsystems():
            shared = [namespace.name for namespace in subsystem.namespaces()]
            for ctrl in subsystem.controllers():
                names = shared + [namespace.name for namespace in ctrl.namespaces()]
                seen = with_subflows.get(str(ctrl.name))
                used = [usage.link for usage in seen.links if usage.subflows] if seen else []
                lacking = [way.link for way in seen.coverage if way.missing] if seen else []
                yield (
                    subsystem.subsysnqn,
                    str(ctrl.name),
                    ctrl.transport,
                    f"{ctrl.traddr or ''}:{ctrl.trsvcid or ''}".strip(":"),
                    ctrl.state or "unknown",
                    " ".join(sorted(set(names))),
                    " ".join(link or "?" for link in used),
                    " ".join(link or "?" for link in lacking),
                )


def main(file: str) -> None:
    """Write the whole table; a file that is there is replaced."""
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(nvme.root(), mptcp.snapshot()))
    if file == "-":
        print(table.getvalue(), end="")
    else:
        Path(file).write_text(table.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: inventory.py FILE")
    try:
        main(sys.argv[1])
    except OSError as error:
        sys.exit(f"inventory.py: {error}")
