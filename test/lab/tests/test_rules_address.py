# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules A: the addresses and links that endpoints are on."""

from typing import Any

from faults import Fault, announcing, connect, ip, offer, parametrize, prove, reset, topology
from lab import Lab, wait_until
from lab.nvmet import Port

BOTH = topology(families=("ipv4", "ipv6"))
OVER_IPV6: dict[str, Any] = {
    "topology": BOTH, "offer": offer(Port(adrfam="ipv6")), "connect": connect("fd00:1:1::1"),
}  # fmt: skip


def give_address_of_the_target(lab: Lab) -> None:
    """Two machines with one address: the kernel notices within a second or two."""
    lab.network.ip("target", "address add fd00:1:3::9/64 dev t3 nodad")
    lab.network.ip("host", "address add fd00:1:3::9/64 dev h3")
    wait_until(
        lambda: "dadfailed" in lab.network.run("host", "ip", "address", "show", "dev", "h3"),
        "the duplicate address", 10, pause=0.2,
    )  # fmt: skip
    lab.network.ip("host", "mptcp endpoint add fd00:1:3::9 dev h3 subflow")


FAULTS = [
    Fault("A02", late=give_address_of_the_target, seconds=15,
          hands=ip("target", "address delete fd00:1:3::9/64 dev t3"),
          then={"C05": "what failed is not tried again"},
          **OVER_IPV6),
    Fault("A03", late=ip("host", "address change 10.1.3.2/24 dev h3 preferred_lft 0"),
          hands=ip("host", "address change 10.1.3.2/24 dev h3 preferred_lft forever")),
    Fault("A04", late=ip("host", "address add fe80::99/64 dev h3 nodad",
                         "mptcp endpoint add fe80::99 subflow"), **OVER_IPV6),
    Fault("A05", late=ip("host", "mptcp endpoint add 127.0.0.1 subflow")),
    Fault("A06", late=ip("host", "link set h3 down")),
    Fault("A07", late=ip("target", "link set t3 down"), hands=ip("target", "link set t3 up")),
    Fault("A08", late=ip("host", "link add br0 type bridge", "link set br0 up",
                         "link set h3 master br0")),
    Fault("A09", build=ip("host", "link set h3 mtu 1400"), after=reset,
          hands=ip("host", "link set h3 mtu 1500")),
    # connections have a subflow of each endpoint, before that A10 finds them
    Fault("C14", build=ip("host", "address add 10.1.3.9/24 dev h3",
                          "mptcp endpoint add 10.1.3.9 dev h3 subflow")),
    Fault("A11", topology=topology(target=announcing(1, 2))),
]  # fmt: skip


@parametrize(FAULTS)
def test_fault(lab: Lab, fault: Fault) -> None:
    prove(lab, fault)
