# SPDX-License-Identifier: GPL-2.0-or-later
"""A bond of all links of a lab, on both sides, for comparison with MPTCP."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from nvmelab.waiting import wait_until

from .network import SIDES, Network, Side, address, interface

NAME = "lag"

#: Options of `ip link add type bond` for each mode. 802.3ad: both sides send LACPDUs every second,
#: and addresses and ports of a connection select its link.
OPTIONS = {
    "802.3ad": "miimon 100 lacp_rate fast xmit_hash_policy layer3+4",
    "balance-rr": "miimon 100 packets_per_slave 1",
}


def commands(side: Side, mode: str, links: int) -> list[str]:
    """Return the ip commands that bond a side's links; the bond gets the first link's address."""
    lines = [f"link add {NAME} type bond mode {mode} {OPTIONS[mode]}"]
    for i in range(1, links + 1):
        name = interface(side, i)
        lines += [f"link set {name} down", f"address flush dev {name}"]
        lines += [f"link set {name} master {NAME}"]
    return [*lines, f"link set {NAME} up", f"address add {address(side, 1)}/24 dev {NAME}"]


@contextmanager
def bonded(network: Network, mode: str) -> Iterator[None]:
    """Replace the links of both sides by one bond of all links; wait until it works."""
    links = len(network.topology.links)
    # by default, loading the module creates a bond
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
