#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tell which links a disk depends on: disk_links.py nvme0n1

The exit status is 0 if more than one carries it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from libnvme import mptcp, nvme


def controllers(disk: str) -> list[str]:
    """The controllers that lead to a disk; none: there is no such disk."""
    found = []
    for host in nvme.root().hosts():
        for subsystem in host.subsystems():
            shared = any(namespace.name == disk for namespace in subsystem.namespaces())
            for ctrl in subsystem.controllers():
                if shared or any(namespace.name == disk for namespace in ctrl.namespaces()):
                    found.append(str(ctrl.name))
    return found


def main(disk: str) -> int:
    """Returns the exit code."""
    names = controllers(Path(disk).name)
    if not names:
        print(f"{disk}: no such namespace", file=sys.stderr)
        return 1
    carried = {ctrl.name: ctrl for ctrl in mptcp.snapshot().controllers}
    every: set[str] = set()
    for name in names:
        ctrl = carried.get(name)
        if ctrl is None:
            print(f"{name}: no subflows")
            continue
        links = sorted({usage.link for usage in ctrl.links if usage.link and usage.subflows})
        shares = {usage.link: usage.share for usage in ctrl.links}
        words = [f"{link} {(shares[link] or 0):.0%}" for link in links]
        print(f"{name}: {ctrl.state}, {', '.join(words) or 'no link'}")
        every.update(links)
    print(f"{disk}: {len(names)} controllers, {len(every)} links")
    return 0 if len(every) > 1 else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: disk_links.py DISK")
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        sys.exit(f"disk_links.py: {error}")
