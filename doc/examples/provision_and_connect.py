#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Give every link an endpoint, then connect: provision_and_connect.py NQN TRADDR[,TRADDR...]

The first address is the one to connect to; add the others if the target announces them.
"""

from __future__ import annotations

import sys

from libnvme import mptcp, nvme


def provision(addresses: list[str]) -> set[str]:
    """Set up endpoints and limits; returns the links that will carry each connection."""
    plan = mptcp.setup("host", traddr=addresses, apply=True)
    for step in plan.steps:
        print(f"{step.command}  # {step.state}")
    for note in plan.notes:
        print(f"note: {note.text}", f"({note.side}# {note.command})" if note.command else "")
    return {link.link for link in plan.links}


def main(nqn: str, traddr: str) -> int:
    """Returns the exit code: 1 if a link is not used."""
    addresses = traddr.split(",")
    wanted = provision(addresses)
    ctrl = nvme.connect(nqn, addresses[0], cfg={"ctrl_loss_tmo": -1})
    name = str(ctrl.name)
    try:
        mptcp.wait_until_whole(name, timeout=10)
    except TimeoutError as error:
        print(f"{error.strerror}; nvme mptcp check {name} explains it")
        return 1
    seen = mptcp.snapshot().controller(name)
    used = {usage.link for usage in seen.links if usage.link and usage.subflows}
    unused = ", ".join(sorted(wanted - used))
    print(f"{name}: uses {', '.join(sorted(used)) or 'no link'}")
    if unused:
        print(f"{name}: does not use {unused}; nvme mptcp check {name} explains it")
    return 1 if unused else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: provision_and_connect.py NQN TRADDR[,TRADDR...]")
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, nvme.Error) as error:
        sys.exit(f"provision_and_connect.py: {error}")
