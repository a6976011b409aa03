#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print an alert when a controller uses fewer links than it should: watch_subflows.py LINKS"""

from __future__ import annotations

import sys

from libnvme import mptcp


def links_in_use() -> dict[str, set[str]]:
    """Return the links that carry data of each controller; a link without carrier does not."""
    return {
        ctrl.name: {usage.link for usage in ctrl.links if usage.link and usage.subflows}
        for ctrl in mptcp.snapshot().controllers
    }


def report(wanted: int, before: dict[str, set[str]]) -> dict[str, set[str]]:
    """Print what changed; returns what is in use now."""
    now = links_in_use()
    for name, links in now.items():
        if links != before.get(name):
            word = "ok" if len(links) >= wanted else "ALERT"
            print(f"{word}: {name} uses {', '.join(sorted(links)) or 'no link'}", flush=True)
    return now


def main(wanted: int) -> None:
    """Look once, then whenever the path manager says something, and every ten seconds."""
    with mptcp.monitor() as monitor:
        known = report(wanted, {})
        while True:
            event = monitor.wait(timeout=10)
            if event and event.controller and event.event == "subflow-closed":
                reason = event.reset_text or "no reason given"
                print(f"{event.controller}: a subflow on {event.link} closed: {reason}", flush=True)
            known = report(wanted, known)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit("Usage: watch_subflows.py LINKS")
    try:
        main(int(sys.argv[1]))
    except PermissionError:
        sys.exit("watch_subflows.py: listening to the path manager needs CAP_NET_ADMIN")
    except KeyboardInterrupt:
        pass
