#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Give every link an endpoint, then connect: provision_and_connect.py NQN TRADDR[,TRADDR...]

The first address is connected to; name the others if the target announces them.
"""

from __future__ import annotations

import sys
import time

from libnvme import mptcp, nvme


def provision(addresses: list[str]) -> set[str]:
    """Set up endpoints and limits; returns the links that will carry each connection."""
    plan = mptcp.setup("host", traddr=addresses, apply=True)
    for step in plan.steps:
        print(f"{step.command}  # {step.state}")
    for note in plan.notes:
        print(f"note: {note.text}", f"({note.side}# {note.command})" if note.command else "")
    return {link.link for link in plan.links}


def wait_for_links(name: str, wanted: set[str], seconds: float = 10) -> list[str]:
    """Subflows form within moments; returns the links that some connection still lacks."""
    deadline = time.monotonic() + seconds
    while True:
        missing = set(wanted)
        controller = mptcp.snapshot().controller(name)
        if controller.connections:
            missing = set()
        for connection in controller.connections:
            carrying = {s.link for s in connection.subflows if s.carrying}
            missing |= wanted - carrying
        if not missing or time.monotonic() > deadline:
            return sorted(missing)
        time.sleep(0.2)


def main(nqn: str, traddr: str) -> int:
    """Returns the exit code: 1 if a link is not used."""
    addresses = traddr.split(",")
    wanted = provision(addresses)
    ctrl = nvme.connect(nqn, addresses[0], cfg={"ctrl_loss_tmo": -1})
    name = str(ctrl.name)
    missing = wait_for_links(name, wanted)
    print(f"{name}: uses {', '.join(sorted(wanted - set(missing))) or 'no link'}")
    if missing:
        print(f"{name}: does not use {', '.join(missing)}; nvme mptcp check {name} explains it")
    return 1 if missing else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: provision_and_connect.py NQN TRADDR[,TRADDR...]")
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, nvme.Error) as error:
        sys.exit(f"provision_and_connect.py: {error}")
