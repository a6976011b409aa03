#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reconnect the controllers of a subsystem, one after another: rolling_reconnect.py NQN

Each gets new connections, with the present endpoints and limits, and keeps its options. The next
one is reconnected after the one before is live and has all of its subflows. If that fails, the
others are not reconnected.
"""

from __future__ import annotations

import sys
import time

from libnvme import mptcp, nvme

SECONDS = 60.0


def controllers(nqn: str) -> list[nvme.ctrl]:
    """The controllers of the subsystem that have subflows."""
    return [
        ctrl
        for ctrl in nvme.root().controllers()
        if ctrl.subsysnqn == nqn and ctrl.transport == "mptcp"
    ]


def lacking(name: str) -> list[str]:
    """The links that ought to carry a connection of the controller and do not."""
    seen = mptcp.snapshot().controller(name)
    if seen.state != "live" or not seen.connections:
        return [str(seen.state)]
    return [way.link or "a link" for way in seen.coverage if way.wanted and way.missing]


def reconnect(ctrl: nvme.ctrl) -> list[str]:
    """Have the kernel reset it; returns what is still lacking when time is up."""
    ctrl.reset()
    deadline = time.monotonic() + SECONDS
    while missing := lacking(str(ctrl.name)):
        if time.monotonic() > deadline:
            return missing
        time.sleep(0.2)
    return []


def main(nqn: str) -> int:
    """Returns the exit code: 1 if there is nothing to reconnect, or one did not come back whole."""
    found = controllers(nqn)
    if not found:
        print(f"{nqn}: no controller over mptcp", file=sys.stderr)
        return 1
    for ctrl in found:
        missing = reconnect(ctrl)
        if missing:
            print(
                f"{ctrl.name}: still missing: {', '.join(missing)}; stopped here", file=sys.stderr
            )
            return 1
        print(f"{ctrl.name}: reconnected, all links in use", flush=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: rolling_reconnect.py NQN")
    try:
        sys.exit(main(sys.argv[1]))
    except (OSError, LookupError, nvme.Error) as error:
        sys.exit(f"rolling_reconnect.py: {error}")
