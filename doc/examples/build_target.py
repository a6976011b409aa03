#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Offer a block device over MPTCP and TCP at once: build_target.py NQN DEVICE [TRADDR]"""

from __future__ import annotations

import sys

from libnvme import nvmet


def main(nqn: str, device: str, traddr: str = "0.0.0.0", *, root: str = "") -> None:
    """Add a subsystem and two ports to the target."""
    target = nvmet.Target(root) if root else nvmet.Target()
    subsystem = target.create_subsystem(nqn, allow_any_host=True)
    subsystem.create_namespace(device)
    adrfam = "ipv6" if ":" in traddr else "ipv4"
    for portid, trtype, trsvcid in ((1, "mptcp", 4420), (2, "tcp", 4421)):
        port = target.create_port(
            portid, trtype=trtype, adrfam=adrfam, traddr=traddr, trsvcid=trsvcid
        )
        port.add(subsystem)
        print(f"{nqn}: {trtype} {traddr} {trsvcid}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("Usage: build_target.py NQN DEVICE [TRADDR]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"build_target.py: {error}")
