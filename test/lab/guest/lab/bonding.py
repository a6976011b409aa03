# SPDX-License-Identifier: GPL-2.0-or-later
"""A bond over all links of a lab, on both sides, as what MPTCP is compared with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from nvmelab.waiting import wait_until

from .network import SIDES, Network, Side, address, interface

NAME = "lag"

#: What `ip link add type bond` takes beside the mode. 802.3ad: both sides tell each other every
#: second that they are there, and a connection's addresses and ports choose its link.
OPTIONS = {
    "802.3ad": "miimon 100 lacp_rate fast xmit_hash_policy layer3+4",
    "balance-rr": "miimon 100 packets_per_slave 1",
}


def commands(side: Side, mode: str, links: int) -> list[str]:
    """Returns the lines for ip that put a side's links into a bond with the first one's address."""
    lines = [f"link add {NAME} type bond mode {mode} {OPTIONS[mode]}"]
    for i in range(1, links + 1):
        name = interface(side, i)
        lines += [f"link set {name} down", f"address flush dev {name}"]
        lines += [f"link set {name} master {NAME}"]
    return [*lines, f"link set {NAME} up", f"address add {address(side, 1)}/24 dev {NAME}"]


@contextmanager
def bonded(network: Network, mode: str) -> Iterator[None]:
    """Has both sides use one bond of all links instead of the links; waits until it works."""
    links = len(network.topology.links)
    # without this, loading the module makes a bond of its own
    subprocess.run(["modprobe", "bonding", "max_bonds=0"], check=True)
    try:
        for side in SIDES:
            network.ip(side, *commands(side, mode, links))

        def up() -> bool:
            text = network.run("host", "cat", f"/proc/net/bonding/{NAME}")
            ports = text.count("MII Status: up") - 1
            joined = mode != "802.3ad" or f"Number of ports: {links}" in text
            return ports == links and joined

        wait_until(up, f"{links} links in a bond ({mode})", 30, pause=0.2)
        peer = address("target", 1)
        wait_until(lambda: network.reaches("host", peer), f"an answer of {peer}", 20)
        yield
    finally:
        network.ip("host", f"link delete {NAME}")
