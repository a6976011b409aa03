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
from shape_damages import LINKS, PORTAL, announce
from shape_net import Net, lacks
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import span

#: A SYN that waits is overdue after three seconds.
OVERDUE = 4


def announcing(families: str = "4") -> Step:
    """A host that follows a target with three links."""
    return both(pairs(span(3), families), limits("host", 8, 8), limits("target", 8, 0),
                announce(*span(3)))  # fmt: skip


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


ON_MANAGEMENT = endpoint("host", "192.168.7.2", "dev", "mgmt0", "subflow")


@dataclass(frozen=True)
class Beside:
    """What is there besides storage, and what a trial and the check of a connected host say."""

    name: str
    build: Step
    rules: tuple[str, ...]
    words: str
    #: Side and beginning of the only command.
    command: tuple[str, str] | None
    needs: str = "veth"

    def __str__(self) -> str:
        return self.name


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
                *(endpoint("target", f"fd01:{i}::1", "dev", f"eth{i}", "signal") for i in span(3)),
                ip("host", "addr flush dev eth3")),
           ("R01",), "eth3 has a carrier but no address", ("host", "ip address show dev eth3")),
]  # fmt: skip


@pytest.mark.parametrize("how", ["trial", "connected", "peer"])
@pytest.mark.parametrize("case", CASES, ids=str)
@at_once
def test_beside(case: Beside, how: str, net: Net, machines: Machines) -> None:
    if reason := lacks(case.needs):
        pytest.skip(f"skipped: {reason}")
    case.build(net)
    portal = "fd01:1::1" if "ipv6" in case.name else PORTAL
    machines.offer("::" if ":" in portal else "0.0.0.0")
    if how == "trial":
        findings, _ = machines.trial(portal)
    else:
        machines.attach(portal)
        net.settles(LINKS, lambda now: False, OVERDUE)
        words = ["--peer", str(machines.report("target"))] if how == "peer" else []
        _, findings = machines.check("host", *words)
    assert rules(findings) == list(case.rules), shown(findings)
    if not rules(findings):
        return
    assert case.words in shown(findings), shown(findings)
    printed = machines.commands(findings)
    assert case.command and len(printed) == 1, shown(findings)
    assert (printed[0][0], printed[0][1].startswith(case.command[1])) == (case.command[0], True)
    machines.obey(findings)
    if case.command[1] == DELETE:
        machines.attach(portal) if how == "trial" else machines.reattach()
        assert whole(net)
        machines.clean(portal)


def whole(net: Net) -> bool:
    carried = net.settles(LINKS, lambda now: all(len(c) == 3 for c in now.values()))
    return all(dict(c) == dict.fromkeys(LINKS, 1) for c in carried.values())


NEAR = {
    "not-in-all-networks": both(announcing(), management_of_the_target),
    "management-that-carries": both(joined(), management(), ON_MANAGEMENT),
    "another-family": both(
        announcing("46"), ip("host", *(f"addr del 10.1.{i}.2/24 dev eth{i}" for i in span(3))),
        *(endpoint("target", f"fd01:{i}::1", "dev", f"eth{i}", "signal") for i in span(3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    NEAR[name](net)
    six = name == "another-family"
    portal = "fd01:1::1" if six else PORTAL
    machines.offer("::" if six else "0.0.0.0")
    machines.attach(portal)
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
    machines.offer("0.0.0.0")
    machines.attach(PORTAL)
    net.settles(LINKS, lambda now: False, OVERDUE)
    words = ["--peer", str(machines.report("target"))] if how == "peer" else []
    _, findings = machines.check("host", *words)
    assert rules(findings) == ["R01"], shown(findings)


@at_once
def test_two_faults_at_once(net: Net, machines: Machines) -> None:
    """A next hop that is silent on one link hides no firewall on another one."""
    if reason := lacks("nft"):
        pytest.skip(f"skipped: {reason}")
    both(joined(4), nft("target", "input", 'iifname "eth3" tcp dport 4420 drop'),
         ip("host", "route del 10.1.1.1/32 via 10.1.2.1 dev eth2",
            "route add 10.1.1.1/32 via 10.1.2.77 dev eth2 metric 2002"))(net)  # fmt: skip
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert sorted(rules(findings)) == ["F01", "R08"], shown(findings)
    machines.attach(PORTAL)
    net.settles(LINKS, lambda now: False, OVERDUE)
    _, findings = machines.check("host")
    assert sorted(rules(findings)) == ["F01", "R08"], shown(findings)
