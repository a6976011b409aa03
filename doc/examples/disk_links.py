#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""List the links that a disk depends on: disk_links.py nvme0n1

The exit status is 0 if the disk survives the loss of any single link. Subflows on a link that is
down or has no carrier do not count, even if the kernel still has them in state ESTAB.
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


def survives(ctrl: mptcp.Controller, wires: dict[str, int], lost: int) -> bool:
    """Tell whether each connection of a live controller keeps a subflow that carries data."""
    complete = len(ctrl.connections) == ctrl.connections_expected
    return bool(ctrl.state == "live" and ctrl.connections and complete) and all(
        any(s.carrying and s.link and wires[s.link] != lost for s in connection.subflows)
        for connection in ctrl.connections
    )


def describe(ctrl: mptcp.Controller) -> str:
    """Return the links that carry the controller with their shares, and those that do not."""
    words = [f"{u.link} {u.share or 0:.0%}" for u in ctrl.links if u.link and u.subflows]
    words = words or ["no link"]
    words += [f"{u.dead} dead on {u.link or 'an unknown link'}" for u in ctrl.links if u.dead]
    return f"{ctrl.name}: {ctrl.state}, {', '.join(words)}"


def main(disk: str) -> int:
    """Return the exit code."""
    names = controllers(Path(disk).name)
    if not names:
        print(f"{disk}: no such namespace", file=sys.stderr)
        return 1
    snapshot = mptcp.snapshot()
    # Interfaces on the same network card share its cable.
    wires = {link.name: link.wire for link in snapshot.links}
    found = [ctrl for ctrl in snapshot.controllers if ctrl.name in names]
    words = {ctrl.name: describe(ctrl) for ctrl in found}
    for name in names:
        print(words.get(name, f"{name}: no subflows"))
    links = sorted({u.link for ctrl in found for u in ctrl.links if u.link and u.subflows})
    needed = [
        link for link in links if not any(survives(ctrl, wires, wires[link]) for ctrl in found)
    ]
    for link in needed:
        print(f"{disk}: lost without {link}")
    print(f"{disk}: {len(names)} controllers, {len(links)} links")
    return 0 if links and not needed else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: disk_links.py DISK")
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        sys.exit(f"disk_links.py: {error}")
