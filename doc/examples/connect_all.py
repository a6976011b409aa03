#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connect every subsystem that a discovery controller lists: connect_all.py mptcp 192.0.2.1"""

from __future__ import annotations

import sys

from libnvme import nvme


def main(transport: str, traddr: str, trsvcid: str = "8009") -> int:
    """Return the number of failed connections."""
    root = nvme.root()
    host = nvme.host(root)
    failures = 0
    discovery = nvme.ctrl(root, nvme.NVME_DISC_SUBSYS_NAME, transport, traddr, trsvcid=trsvcid)
    discovery.discovery_ctrl = True
    with discovery:  # disconnects in the end
        discovery.connect(host)
        entries = discovery.discover()
    for entry in entries:
        if entry["subtype"] != "nvme":
            continue
        ctrl = nvme.ctrl(
            root,
            entry["subnqn"],
            str(entry["trtype"]),
            entry["traddr"],
            trsvcid=entry["trsvcid"],
        )
        try:
            ctrl.connect(host, {"ctrl_loss_tmo": -1})
        except nvme.Error as error:
            failures += 1
            print(f"{entry['subnqn']}: {error}", file=sys.stderr)
        else:
            print(f"{entry['subnqn']}: {ctrl.name}")
    return failures


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("Usage: connect_all.py TRANSPORT TRADDR [TRSVCID]")
    try:
        sys.exit(1 if main(*sys.argv[1:]) else 0)
    except nvme.Error as error:
        sys.exit(f"connect_all.py: {error}")
