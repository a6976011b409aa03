# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines that are neither host nor target: they have an address of one, or lose what is sent."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, cable, endpoint, hardware, ip, nft, pairs, routed, sysctl
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, on
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import span


def switched(last: int = 3, *steps: Step, family: str = "4") -> Step:
    place, nodad = ("10.1.{}.{}/24", "") if family == "4" else ("fd01:{}::{}/64", " nodad")

    def built(net: Net) -> None:
        pairs([i for i in span(3) if i != last], family)(net)
        net.add("switch")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        for side, number in (("host", 2), ("target", 1), ("third", 9)):
            cable(net, side, f"eth{last}", "switch", side)
            net.ip("switch", f"link set {side} master br0")
            net.ip(side, f"addr add {place.format(last, number)} dev eth{last}{nodad}")
        both(ROOM, announce(1, 2, 3, place=place.partition("{}/")[0] + "1"), *steps)(net)

    return built


def swapped(net: Net) -> None:
    """The cables of eth2 and eth3 are in each other's place."""
    pairs(span(1))(net)
    for i in (2, 3):
        cable(net, "host", f"eth{i}", "target", f"eth{5 - i}")
    for i in (2, 3):
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("target", f"addr add 10.1.{i}.1/24 dev eth{i}")
    both(ROOM, announce(1, 2, 3))(net)


def learnt(address: str, name: str, of: str = "third", state: str = "reachable") -> Step:
    """The host's neighbour entry has the hardware address of a machine."""
    return lambda net: net.ip(
        "host", f"neigh replace {address} lladdr {hardware(net, of, name)} dev {name} nud {state}"
    )


def listening(protocol: int) -> Step:
    """The third machine is a target, too."""
    return lambda net: net.listen("0.0.0.0", protocol=protocol, side="third") and None


def two_routers(*steps: Step) -> Step:
    """Two links, and a third one with two routers between."""

    def built(net: Net) -> None:
        pairs(span(2))(net)
        net.add("near", "far")
        for router in ("near", "far"):
            net.sysctl(router, "net.ipv4.ip_forward=1")
        cable(net, "host", "eth3", "near", "down0")
        cable(net, "near", "up0", "far", "down0")
        cable(net, "far", "up0", "target", "eth3")
        net.ip("host", "addr add 10.1.3.2/24 dev eth3",
               "route add 10.2.3.0/24 via 10.1.3.254 dev eth3")  # fmt: skip
        net.ip("near", "addr add 10.1.3.254/24 dev down0", "addr add 10.9.0.1/30 dev up0",
               "route add 10.2.3.0/24 via 10.9.0.2")  # fmt: skip
        net.ip("far", "addr add 10.2.3.254/24 dev up0", "addr add 10.9.0.2/30 dev down0",
               "route add 10.1.3.0/24 via 10.9.0.1")  # fmt: skip
        net.ip("target", "addr add 10.2.3.1/24 dev eth3",
               "route add 10.1.3.0/24 via 10.2.3.254 dev eth3")  # fmt: skip
        both(ROOM, announce(1, 2), endpoint("target", "10.2.3.1", "dev", "eth3", "signal"),
             *steps)(net)  # fmt: skip

    return built


def proxied(net: Net) -> None:
    """The third machine answers ARP for the host, and the target believes it."""
    switched(3, sysctl("third", "net.ipv4.conf.all.proxy_arp=1", "net.ipv4.ip_forward=1"))(net)
    cable(net, "third", "down0", "beyond", "eth0")
    net.ip("third", "route add 10.1.3.2/32 dev down0")
    net.ip("target", f"neigh replace 10.1.3.2 lladdr {hardware(net, 'third', 'eth3')} dev eth3 "
           "nud permanent")  # fmt: skip


LOST = ip("target", "addr flush dev eth3")
TAKEN = ip("third", "addr add 10.1.3.1/24 dev eth3")
WRONG = "02:00:00:00:00:99"
PORTAL6 = "fd01:1::1"


@dataclass(frozen=True)
class Case(Named):
    """A network, and the rules and words of what is found; {MAC} is the third machine's."""

    rule: str
    words: str
    portal: str = PORTAL
    hows: tuple[str, ...] = HOWS
    #: Rules with the target's report.
    peer: tuple[str, ...] = ()


TARGETS = "Another machine has the target's address 10.1.3.1: on eth3 the hardware address {MAC}"

CASES = [
    *(
        Case(f"third-{name}", switched(3, LOST, TAKEN, *does), "A13", TARGETS,
             peer=("A13", "T04"))
        for name, does in {
            "refuses": [],
            "drops": [nft("third", "input", f"tcp dport {PORT} drop")],
            "listens": [listening(262)],
            "listens-without-mptcp": [listening(6)],
        }.items()
    ),
    *(
        Case(f"both-have-it-{name}", switched(3, TAKEN, learnt("10.1.3.1", "eth3"), *does), "A13",
             TARGETS)
        for name, does in {
            "refuses": [],
            "drops": [nft("third", "input", f"tcp dport {PORT} drop")],
            "listens": [listening(262)],
        }.items()
    ),
    Case("both-have-the-portal",
         switched(1, ip("third", "addr add 10.1.1.1/24 dev eth1"), learnt("10.1.1.1", "eth1")),
         "A13", "Another machine has the target's address 10.1.1.1", hows=("trial",)),
    Case("portal-of-another-machine",
         switched(1, ip("target", "addr del 10.1.1.1/24 dev eth1",
                     "mptcp endpoint delete id 1"), listening(6),
                  ip("third", "addr add 10.1.1.1/24 dev eth1")),
         "A13", "connects to 10.1.1.1, but no interface of the target has that address",
         hows=("peer",)),
    Case("address-of-the-host", switched(3, ip("third", "addr add 10.1.3.2/24 dev eth3")), "A13",
         "Another machine has this host's address 10.1.3.2: on eth3 the hardware address {MAC}"),
    *(
        Case(f"neighbour-{name}", switched(3, spoil), "F10", words)
        for name, spoil, words in (
            ("by-hand",
             ip("host", f"neigh replace 10.1.3.1 lladdr {WRONG} dev eth3 nud permanent"),
             f"10.1.3.1 on eth3 is wrong: it has the hardware address {WRONG}, which was set by "
             "hand"),
            ("learnt",
             ip("host", f"neigh replace 10.1.3.1 lladdr {WRONG} dev eth3 nud reachable"),
             f"10.1.3.1 on eth3 is wrong: it has the hardware address {WRONG}, but"),
            ("of-the-third", learnt("10.1.3.1", "eth3", state="permanent"),
             "it has the hardware address {MAC}"),
        )
    ),
    Case("neighbour-by-hand-is-right", switched(
        3, learnt("10.1.3.1", "eth3", of="target", state="permanent"),
        nft("target", "input", f'iifname "eth3" tcp dport {PORT} drop'),
    ), "F01", "a firewall drops it"),
    Case("neighbour-of-the-router", both(
        routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"),
        ip("host", f"neigh replace 10.1.2.254 lladdr {WRONG} dev eth2 nud permanent"),
    ), "F10", "10.1.2.254 on eth2 is wrong", portal="10.2.1.1"),
    Case("dropped-by-the-far-router", two_routers(nft("far", "forward", "drop")), "F01",
         "10.9.0.2"),
    Case("proxy-arp-for-the-host", proxied, "A13",
         "Another machine answers ARP for this host's address 10.1.3.2", hows=HOWS[:2]),
    Case("address-of-the-host-v6",
         switched(3, ip("third", "addr add fd01:3::2/64 dev eth3 nodad"), family="6"), "A13",
         "Another machine has this host's address fd01:3::2", PORTAL6, hows=("connected",)),
    Case("lost-and-taken-v6", switched(
        3, ip("target", "addr del fd01:3::1/64 dev eth3"),
        ip("third", "addr add fd01:3::1/64 dev eth3 nodad"), family="6",
    ), "A13", "Another machine has the target's address fd01:3::1", PORTAL6, hows=("trial",)),
    Case("small-hop-limit-of-the-target",
         two_routers(sysctl("target", "net.ipv4.ip_default_ttl=2")), "R05",
         "small hop limit (TTL), which is 2", hows=HOWS[:2]),
    Case("swapped-cables", swapped, "R05", "the cables of both links are swapped"),
    Case("loop", two_routers(ip("far", "route replace 10.2.3.0/24 via 10.9.0.1",
                                "addr del 10.2.3.254/24 dev up0")), "F02", "in a loop"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "how"), [(c, how) for c in CASES for how in c.hows], ids=str)
@at_once
def test_machine_is_named(case: Case, how: str, net: Net, machines: Machines) -> None:
    case.build(net)
    name = "eth1" if case.portal == PORTAL and "portal" in case.name else "eth3"
    mac = hardware(net, "third", name) if "third" in net.sides else ""
    findings = machines.found_by(how, case.portal)
    expected = case.peer if how == "peer" and case.peer else (case.rule,)
    assert tuple(rules(findings)) == expected, shown(findings)
    assert case.words.replace("{MAC}", mac) in findings[0]["why"], shown(findings)


#: Networks where several machines or cards answer, and nothing is wrong.
HEALTHY = {
    "third-beside": switched(),
    # Nothing may make the kernel's entry change while it is the target's.
    "third-with-the-same-address": switched(3, TAKEN, learnt("10.1.3.1", "eth3", of="target")),
    "proxy-of-addresses": switched(3, sysctl("third", "net.ipv4.conf.all.proxy_arp=1",
                                             "net.ipv4.ip_forward=1")),
    "target-answers-for-its-link-alone": switched(3, sysctl(
        "target", "net.ipv4.conf.all.arp_ignore=1", "net.ipv4.conf.all.arp_announce=2")),
    "families-of-both": both(pairs(span(3), "46"), ROOM, announce(1, 2, 3),
                             announce(1, 2, 3, place="fd01:{}::1")),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
@at_once
def test_several_that_answer(name: str, net: Net, machines: Machines) -> None:
    HEALTHY[name](net)
    machines.offer("::")
    portal = "fd01:1::1" if name == "families-of-both" else PORTAL
    machines.attach(portal)
    net.settles(("eth1", "eth2", "eth3"), on(3))
    machines.clean(portal)
