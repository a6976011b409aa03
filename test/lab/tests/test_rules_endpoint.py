# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules A and H: endpoints and limits of a host, and the addresses and links of endpoints."""

import os
from typing import Any

import pytest
from faults import (
    ANNOUNCED,
    STARTED,
    Fault,
    announcing,
    connect,
    ip,
    offer,
    proof,
    prove_clean,
    reset,
    starting,
    topology,
)  # fmt: skip
from lab import Endpoint, Lab, Limits, wait_until
from lab.nvmet import Port

#: Room for one subflow, and for none.
NARROW = Limits(1, 8)
CLOSED = Limits(0, 8)

#: What fills the table of endpoints beside the two of the topology: 6.12 holds 8, the newest 255.
USELESS = 6 if os.uname().release.startswith("6.12.") else 253
FULL = {"H17": "they fill the table for nothing"}
if USELESS > 8:
    FULL["H05"] = "so many are more than any limit"
BEFORE = "-a 10.1.1.1 -s 4420 --no-trial"


def delete_of_nobody(lab: Lab) -> None:
    """Deletes the endpoint that is one too many while no host is connected."""
    lab.host.disconnect_all()
    lab.network.ip("target", "mptcp endpoint delete id 4")
    connect(subflows=3)(lab)


BOTH = topology(families=("ipv4", "ipv6"))
OVER_IPV6: dict[str, Any] = {
    "topology": BOTH, "offer": offer(Port(adrfam="ipv6")), "connect": connect("fd00:1:1::1"),
}  # fmt: skip


def give_address_of_the_target(lab: Lab) -> None:
    """Two machines with one address: the kernel notices within a second or two."""
    lab.network.ip("target", "address add fd00:1:3::9/64 dev t3 nodad")
    lab.network.ip("host", "address add fd00:1:3::9/64 dev h3")
    wait_until(lambda: "dadfailed" in lab.network.run("host", "ip", "address", "show", "dev", "h3"),
               "the duplicate address", 10, pause=0.2)  # fmt: skip
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
    Fault("H01", topology=topology(limits=Limits(8, 0))),
    # nothing is connected before
    Fault("H01", name="before", topology=topology(limits=Limits(8, 0)), connect=None,
          arguments=BEFORE, heals=0),
    Fault("H02", topology=topology(host=[Endpoint(2, ("signal",))], target=announcing(3))),
    Fault("H01", name="initial", topology=topology(host=starting(1))),
    Fault("H04", topology=topology(host=starting(2, family="ipv6"), families=("ipv4", "ipv6")),
          leaves={"H04": "it may serve other connections, and is a remark now"}),
    Fault("H05", topology=topology(host=starting(2, 3), limits=NARROW)),
    Fault("H05", name="none", topology=topology(host=starting(2, 3), limits=CLOSED)),
    Fault("H06",
          topology=topology(host=starting(2), target=announcing(3), limits=Limits(8, 0))),
    Fault("H07", topology=topology(host=starting(2, dev=False)), heals=2),
    Fault("H08", topology=topology(host=starting(2)),
          late=ip("host", "mptcp endpoint add 10.1.3.2 dev h2 subflow")),
    Fault("H09", late=ip(
        "host", "link add d0 type dummy", "address add 10.1.9.2/24 dev d0", "link set d0 up",
        "mptcp endpoint add 10.1.9.2 dev d0 subflow", "link delete d0",
    )),
    Fault("H12", topology=ANNOUNCED, connect=connect(subflows=3), arguments=BEFORE,
          late=lambda lab: lab.host.disconnect_all(), hands=connect(subflows=3)),
    Fault("H14", topology=topology(host=[Endpoint(2, ("subflow", "backup"), dev=True)])),
    # nothing is connected before
    Fault("H05", topology=topology(host=starting(2, 3), limits=NARROW), connect=None,
          arguments=BEFORE, heals=0),
    # a link without an address carries nothing
    Fault("H17", late=ip("host", "address delete 10.1.3.2/24 dev h3"), heals=2),
    Fault("H20", topology=topology(host=starting(2, 3), limits=CLOSED),
          late=ip("host", "mptcp limits set subflows 8")),
    Fault("H10", build=ip("host", *(f"mptcp endpoint add 10.1.9.{i} subflow"
                                    for i in range(USELESS))),
          companions=FULL, limit=400),  # each is deleted by a command
    # hosts have subflows there, which end with either of them
    Fault("H11", topology=ANNOUNCED, side="target",
          build=ip("target", "mptcp endpoint add 10.1.2.1 dev t2 signal port 5000"),
          hands=delete_of_nobody),
]  # fmt: skip

test_fault = proof(FAULTS)


@pytest.mark.topology(STARTED)
def test_started_by_endpoints_is_clean(lab: Lab) -> None:
    prove_clean(lab)


@pytest.mark.topology(ANNOUNCED)
def test_announced_is_clean(lab: Lab) -> None:
    prove_clean(lab)
