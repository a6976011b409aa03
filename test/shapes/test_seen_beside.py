# SPDX-License-Identifier: LGPL-2.1-or-later
"""Management links, and addresses that no link of the host is in the network of."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    cable,
    endpoint,
    ip,
    joined,
    limits,
    management,
    nft,
    pairs,
)  # fmt: skip
from shape_damages import HOWS, LINKS, PORTAL, Named, announce, announcing, one_each
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

#: A SYN that waits is overdue after three seconds.
OVERDUE = 4


def management_of_the_target(net: Net) -> None:
    """It announces the address there, too."""
    net.add("office")
    cable(net, "target", "mgmt0", "office", "of-target")
    net.ip("target", "addr add 192.168.8.2/24 dev mgmt0")
    endpoint("target", "192.168.8.2", "dev", "mgmt0", "signal")(net)


def silent_router(net: Net) -> None:
    """A link to a network without the router that its default route names."""
    net.add("elsewhere")
    cable(net, "host", "eth9", "elsewhere", "of-host")
    net.ip("host", "addr add 10.9.9.2/24 dev eth9", "route add default via 10.9.9.1 dev eth9")


def bridge(side: str) -> Step:
    """The bridge of containers, which has the same address on every machine."""
    return ip(side, "link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0",
              "link set docker0 up")  # fmt: skip


def containers_first(net: Net) -> None:
    """A bridge of containers has the network of eth3, and had it before."""
    net.ip("host", "link add docker0 type bridge", "addr add 10.1.3.254/24 dev docker0",
           "link set docker0 up")  # fmt: skip
    cable(net, "host", "veth1a2b", "box", "eth0")
    net.ip("host", "link set veth1a2b master docker0")


ON_MANAGEMENT = endpoint("host", "192.168.7.2", "dev", "mgmt0", "subflow")


@dataclass(frozen=True)
class Beside(Named):
    """What is there besides storage, and what a trial and the check of a connected host say."""

    rules: tuple[str, ...]
    words: str
    #: Side and beginning of the only command.
    command: tuple[str, str]
    needs: str = "veth"


DELETE = "ip mptcp endpoint delete id "

CASES = [
    Beside("endpoint-on-management", both(joined(), management(), ON_MANAGEMENT,
                                          nft("office", "forward", "drop")),
           ("F01",), "nothing is lost without this endpoint", ("host", DELETE), needs="nft"),
    Beside("endpoint-without-router", both(joined(), silent_router,
                                           endpoint("host", "10.9.9.2", "dev", "eth9", "subflow")),
           ("R08",), "nothing is lost without this endpoint", ("host", DELETE)),
    Beside("management-announced", both(announcing(), management(),
                                        endpoint("target", "192.168.8.2", "dev", "mgmt0", "signal"),
                                        nft("office", "forward", "drop")),
           ("F01",), "nothing is lost if the target does not", ("target", DELETE), needs="nft"),
    Beside("management-announced-by-a-storage-link",
           both(announcing(), management_of_the_target,
                ip("host", "route add default via 10.1.1.1 dev eth1")),
           ("C14",), "nothing is lost if the target does not", ("target", DELETE)),
    Beside("bridge-announced", both(announcing(), bridge("host"), bridge("target"),
                                    endpoint("target", "172.17.0.1", "dev", "docker0", "signal")),
           ("A13",), "nothing is lost if the target does not", ("target", DELETE), needs="bridge"),
    Beside("endpoint-on-bridge", both(joined(), bridge("host"),
                                      endpoint("host", "172.17.0.1", "dev", "docker0", "subflow")),
           ("R01",), "nothing is lost without this one", ("host", DELETE), needs="bridge"),
    Beside("network-of-containers", both(announcing(2), containers_first, pairs((3,)), announce(3)),
           ("R08",), "is in the network of docker0, a virtual link",
           ("host", "ip address show dev docker0"), needs="bridge"),
    Beside("no-address", both(announcing(), ip("host", "addr flush dev eth3")),
           ("R01",), "eth3 has a carrier but no address", ("host", "ip address show dev eth3")),
    Beside("no-address-and-management",
           both(announcing(), management(target=False), ip("host", "addr flush dev eth3")),
           ("R01",), "eth3 has a carrier but no address", ("host", "ip address show dev eth3")),
    Beside("address-of-another-network",
           both(announcing(), ip("host", "addr flush dev eth3", "addr add 10.1.33.2/24 dev eth3")),
           ("R01",), "is in another network", ("host", "ip address show dev eth3")),
    Beside("no-address-of-ipv6",
           both(pairs(span(3), "6"), limits("host", 8, 8), limits("target", 8, 0),
                announce(1, 2, 3, place="fd01:{}::1"),
                ip("host", "addr flush dev eth3")),
           ("R01",), "eth3 has a carrier but no address", ("host", "ip address show dev eth3")),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("case", CASES, ids=str)
@at_once
def test_beside(case: Beside, how: str, net: Net, machines: Machines) -> None:
    require(case.needs)
    case.build(net)
    portal = "fd01:1::1" if "ipv6" in case.name else PORTAL
    findings = machines.found_by(how, portal, OVERDUE)
    assert rules(findings) == list(case.rules), shown(findings)
    assert case.words in shown(findings), shown(findings)
    printed = machines.commands(findings)
    assert len(printed) == 1, shown(findings)
    assert (printed[0][0], printed[0][1].startswith(case.command[1])) == (case.command[0], True)
    machines.obey(findings)
    if case.command[1] == DELETE:
        machines.attach(portal) if how == "trial" else machines.reattach()
        assert one_each(net.settles(LINKS, one_each))
        machines.clean(portal)


NEAR = {
    "not-in-all-networks": both(announcing(), management_of_the_target),
    "management-that-carries": both(joined(), management(), ON_MANAGEMENT),
    "another-family": both(
        announcing(families="46"), announce(1, 2, 3, place="fd01:{}::1"),
        ip("host", *(f"addr del 10.1.{i}.2/24 dev eth{i}" for i in span(3))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    NEAR[name](net)
    portal = "fd01:1::1" if name == "another-family" else PORTAL
    machines.connect(portal)
    carried = net.settles(LINKS, lambda now: all(len(c) >= 3 for c in now.values()))
    assert all(len(c) >= 3 for c in carried.values()), carried
    machines.clean(portal)


@pytest.mark.parametrize("how", ["connected", "peer"])
@at_once
def test_an_endpoint_without_any_route(how: str, net: Net, machines: Machines) -> None:
    """The host sends nothing by it: the target lacks no route back."""
    net.add("elsewhere")
    cable(net, "host", "eth9", "elsewhere", "of-host")
    both(joined(), ip("host", "addr add 10.9.9.2/24 dev eth9"),
         endpoint("host", "10.9.9.2", "dev", "eth9", "subflow"))(net)  # fmt: skip
    findings = machines.found_by(how, PORTAL, OVERDUE)
    assert rules(findings) == ["R01"], shown(findings)


@at_once
def test_two_faults_at_once(net: Net, machines: Machines) -> None:
    """A next hop that is silent on one link hides no firewall on another one."""
    require("nft")
    both(joined(4), nft("target", "input", 'iifname "eth3" tcp dport 4420 drop'),
         ip("host", "route del 10.1.1.1/32 via 10.1.2.1 dev eth2",
            "route add 10.1.1.1/32 via 10.1.2.77 dev eth2 metric 2002"))(net)  # fmt: skip
    machines.offer("0.0.0.0")
    for how in ("trial", "connected"):
        findings = machines.found_by(how, PORTAL, OVERDUE, offered=True)
        assert sorted(rules(findings)) == ["F01", "R08"], shown(findings)
