# SPDX-License-Identifier: LGPL-2.1-or-later
"""Next hops that do not answer: because of an address, the link or the other end's settings."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, cable, hardware, ip, pairs, routed, sysctl
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, announcing
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

ROUTED, ROUTED6, PORTAL6 = "10.2.1.1", "fd02:1::1", "fd01:1::1"
#: A SYN that waits is overdue after three seconds.
OVERDUE = 4


def by_router(*steps: Step, families: str = "4") -> Step:
    place = "10.2.{}.1" if families == "4" else "fd02:{}::1"
    return both(routed(2, 2, families), ROOM, announce(1, 2, place=place), *steps)


def instead(side: str, old: str, new: str) -> Step:
    return ip(side, f"route del {old}", f"route add {new}")


def six(*steps: Step) -> Step:
    return both(pairs(span(3), "6"), ROOM, announce(1, 2, 3, place="fd01:{}::1"), *steps)


def switched(*steps: Step) -> Step:
    """The last link is a switch, which drops what the steps say."""

    def built(net: Net) -> None:
        pairs(span(2))(net)
        net.add("switch")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        for side, last in (("host", 2), ("target", 1)):
            cable(net, side, "eth3", "switch", side)
            net.ip("switch", f"link set {side} master br0")
            net.ip(side, f"addr add 10.1.3.{last}/24 dev eth3")
        both(ROOM, announce(1, 2, 3), *steps)(net)

    return built


def drop(net: Net, rule: str) -> None:
    chain = f"type filter hook forward priority 0; {rule} drop"
    net.run("switch", "nft", "-f", "-", stdin=f"table bridge b {{ chain c {{ {chain}; }}; }}\n")


def drop_host(net: Net) -> None:
    """The switch has a filter of hardware addresses."""
    drop(net, f"ether saddr {hardware(net, 'host', 'eth3')}")


def drop_arp(net: Net) -> None:
    drop(net, "ether type arp")


def unplugged_elsewhere(net: Net) -> None:
    """The cables of the last link lead to another machine each."""
    pairs(span(2))(net)
    for side, last in (("host", 2), ("target", 1)):
        cable(net, side, "eth3", f"beyond-{side}", "eth0")
        net.ip(side, f"addr add 10.1.3.{last}/24 dev eth3")
    both(ROOM, announce(1, 2, 3))(net)


@dataclass(frozen=True)
class Hop(Named):
    """What is wrong, and words of the finding; with the target's report, its rule and words."""

    words: tuple[str, ...]
    rule: str = "R08"
    portal: str = PORTAL
    peer: tuple[str, str] | None = None


NO_ADDRESS = "but does not have the address"
SWITCH = "a switch, a VLAN or the cabling between both is wrong"

HOPS = [
    Hop("router-mistyped", by_router(instead(
        "host", "10.2.2.0/24 via 10.1.2.254 dev eth2", "10.2.2.0/24 via 10.1.2.253 dev eth2")),
        ("The next hop 10.1.2.253", "answers through 10.1.2.254 there"), portal=ROUTED),
    Hop("router-mistyped-v6", by_router(instead(
        "host", "fd02:2::/64 via fd01:2::fe dev eth2", "fd02:2::/64 via fd01:2::fd dev eth2"),
        families="6"),
        ("The next hop fd01:2::fd", "answers through the machine"), portal=ROUTED6),
    Hop("left-over-route", both(
        announcing(), ip("host", "route add 10.1.3.1/32 via 10.1.3.254 dev eth3")),
        ("10.1.3.1 is in the network of eth3", "10.1.3.254", "the route is wrong")),
    Hop("absent", both(announcing(), sysctl("target", "net.ipv4.conf.all.arp_ignore=1"),
                       ip("target", "addr flush dev eth3")),
        ("The target is on eth3", NO_ADDRESS), peer=("T04", "no interface has its address")),
    Hop("absent-v6", six(ip("target", "addr del fd01:3::1/64 dev eth3")),
        ("The target is on eth3", NO_ADDRESS), portal=PORTAL6,
        peer=("T04", "no interface has its address")),
    Hop("arp-ignored", both(announcing(), sysctl("target", "net.ipv4.conf.eth3.arp_ignore=8")),
        ("The target is on eth3", "and has 10.1.3.1", "arp_ignore"),
        peer=("R08", "answers no ARP request there (arp_ignore)")),
    Hop("arp-switched-off", both(announcing(), ip("target", "link set eth3 arp off")),
        ("The target is on eth3", "and has 10.1.3.1", "no ARP request"),
        peer=("R08", "ARP is off on eth3")),
    Hop("switch-without-arp", switched(drop_arp),
        ("The target is on eth3", "filtered there or in a switch"),
        peer=("R08", "the target filters no ARP, so a switch does")),
    Hop("switch-with-a-filter", switched(drop_host), (SWITCH,),
        peer=("R08", "a switch, a cable or a VLAN between both is wrong")),
    Hop("other-machine", unplugged_elsewhere, ("though other machines are", SWITCH),
        peer=("R08", "a switch, a cable or a VLAN between both is wrong")),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("hop", HOPS, ids=str)
@at_once
def test_why_a_next_hop_is_silent(hop: Hop, how: str, net: Net, machines: Machines) -> None:
    require("bridge", "nft")
    hop.build(net)
    machines.offer("::")
    findings = machines.found_by(how, hop.portal, OVERDUE, offered=True)
    if how == "peer" and hop.peer:
        assert rules(findings) == [hop.peer[0]], shown(findings)
        assert hop.peer[1] in shown(findings), shown(findings)
        return
    assert rules(findings) == [hop.rule], shown(findings)
    assert all(word in shown(findings) for word in hop.words), shown(findings)


@at_once
def test_nothing_is_claimed_where_ipv6_is_off(net: Net, machines: Machines) -> None:
    """The other end answers nothing then, as if it were not there."""
    six(sysctl("target", "net.ipv6.conf.eth3.disable_ipv6=1"))(net)
    machines.offer("::")
    findings, _ = machines.trial(PORTAL6)
    assert rules(findings) == ["R08"] and SWITCH not in shown(findings), shown(findings)


BACK = {
    "blackhole": (both(announcing(), ip("target", "route add blackhole 10.1.3.2/32")), PORTAL,
                  "of type blackhole and forbids replies"),
    "unreachable": (by_router(ip("target", "route add unreachable 10.1.2.0/24 metric 1")), ROUTED,
                    "is of type unreachable and forbids the answers"),
    "router-mistyped": (by_router(instead(
        "target", "10.1.2.0/24 via 10.2.2.254 dev eth2", "10.1.2.0/24 via 10.2.2.253 dev eth2")),
        ROUTED, "through the router 10.2.2.253, which does not answer it on eth2"),
    "filter-of-arp": (both(announcing(), sysctl("target", "net.ipv4.conf.all.arp_filter=1"),
                           ip("target", "route add 10.1.3.2/32 via 10.1.1.2 dev eth1")), PORTAL,
                      "answers no ARP request from there on eth3 (arp_filter)"),
}  # fmt: skip


@pytest.mark.parametrize("name", BACK)
@at_once
def test_the_way_back_in_the_report(name: str, net: Net, machines: Machines) -> None:
    build, portal, words = BACK[name]
    build(net)
    findings = machines.found_by("peer", portal, OVERDUE)
    assert rules(findings) == ["R05"] and words in shown(findings), shown(findings)


@pytest.mark.parametrize("how", HOWS[:2])
@at_once
def test_a_source_is_dropped_on_its_way(how: str, net: Net, machines: Machines) -> None:
    """The target answers it over another link, so that its way back is no reason."""
    require("bridge", "nft")
    switched(lambda net: drop(net, "ip saddr 10.1.3.2"))(net)
    findings = machines.found_by(how, PORTAL, OVERDUE)
    assert rules(findings) == ["F01"], shown(findings)
    assert "drops packets from 10.1.3.2 on the way over eth3" in shown(findings), shown(findings)


REDIRECTED = 'type nat hook prerouting priority -100; iifname "host2" tcp dport 4420 redirect to :9'


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_a_router_refuses_in_place_of_the_target(how: str, net: Net, machines: Machines) -> None:
    require("nft")
    by_router()(net)
    net.run("router", "nft", "-f", "-", stdin=f"table ip d {{ chain p {{ {REDIRECTED}; }}; }}\n")
    findings = machines.found_by(how, ROUTED, 1)
    assert rules(findings) == ["F02"], shown(findings)
    assert "by the router 10.1.2.254, not by the target" in shown(findings), shown(findings)


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_a_rule_has_precedence_over_a_route(how: str, net: Net, machines: Machines) -> None:
    by_router(ip("host", "rule add pref 50 to 10.2.2.0/24 lookup 103",
                 "route add default via 10.1.1.254 dev eth1 table 103"))(net)  # fmt: skip
    findings = machines.found_by(how, ROUTED, 1)
    assert rules(findings) == ["C14"], shown(findings)
    assert "eth2 has a route to 10.2.2.1" in shown(findings), shown(findings)
    assert "has precedence" in shown(findings), shown(findings)


def through_another_machine(families: str) -> Step:
    """The second link is a switch with the router and another machine, which the route names."""

    def built(net: Net) -> None:
        by_router(families=families)(net)
        net.add("switch", "other")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        net.ip("host", "link del eth2")
        for side, name in (("host", "eth2"), ("router", "host2"), ("other", "eth0")):
            cable(net, side, name, "switch", f"to-{side}")
            net.ip("switch", f"link set to-{side} master br0")
        place, size, nodad = ("10.1.2.", 24, "") if families == "4" else ("fd01:2::", 64, " nodad")
        far = "10.2.2.0/24" if families == "4" else "fd02:2::/64"
        for side, name, last in (
            ("host", "eth2", "2"),
            ("other", "eth0", "7"),
            ("router", "host2", "254" if families == "4" else "fe"),
        ):
            net.ip(side, f"addr add {place}{last}/{size} dev {name}{nodad}")
        net.ip("host", f"route add {far} via {place}7 dev eth2 metric 102")

    return built


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(("families", "rule"), [("4", "F01"), ("6", "F02")])
@at_once
def test_a_machine_that_is_no_router(
    families: str, rule: str, how: str, net: Net, machines: Machines
) -> None:
    """It answers, and forwards nothing; the target is reached through the router beside it."""
    require("bridge")
    through_another_machine(families)(net)
    findings = machines.found_by(how, ROUTED if families == "4" else ROUTED6, OVERDUE)
    assert rules(findings) == [rule], shown(findings)
    right = "10.1.2.254" if families == "4" else "the machine"
    assert f"The target answers through {right}" in shown(findings), shown(findings)
    assert "the wrong address of a router" in shown(findings), shown(findings)
