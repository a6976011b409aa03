# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins that fail: what the network, the target or another machine does to them is told apart."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    cable,
    endpoint,
    ip,
    joined,
    known_neighbour,
    limits,
    nft,
    pairs,
    routed,
    sysctl,
)  # fmt: skip
from shape_damages import HOWS, LINKS, PORTAL, ROOM, Named, announce, on
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span


def announcing(families: str = "4") -> Step:
    """A host that follows a target with three links."""
    return both(pairs(span(3), families), limits("host", 8, 8), limits("target", 8, 0))


def third_machine(net: Net) -> None:
    """The last link is a switch, behind which another machine has the target's address."""
    pairs(span(2))(net)
    net.add("switch", "third")
    net.ip("switch", "link add br0 type bridge", "link set br0 up")
    for side, last in (("host", 2), ("target", 1), ("third", 1)):
        cable(net, side, "eth3", "switch", side)
        net.ip("switch", f"link set {side} master br0")
        net.ip(side, f"addr add 10.1.3.{last}/24 dev eth3")
    # The other machine is the one that answers ARP.
    net.sysctl("target", "net.ipv4.conf.eth3.arp_ignore=8")
    both(limits("host", 8, 8), limits("target", 8, 0), announce(1, 2, 3))(net)


def fabrics(net: Net) -> None:
    """A router on each link, and a target with one default route."""
    for i in span(2):
        net.add(f"router{i}")
        net.sysctl(f"router{i}", "net.ipv4.ip_forward=1")
        for side, name, own, far in (
            ("host", "to-host", f"10.1.{i}.2", f"10.1.{i}.254"),
            ("target", "to-target", f"10.2.{i}.1", f"10.2.{i}.254"),
        ):
            cable(net, side, f"eth{i}", f"router{i}", name)
            net.ip(side, f"addr add {own}/24 dev eth{i}")
            net.ip(f"router{i}", f"addr add {far}/24 dev {name}")
        net.ip("host", f"route add 10.2.{i}.0/24 via 10.1.{i}.254 dev eth{i}")
        endpoint("target", f"10.2.{i}.1", "dev", f"eth{i}", "signal")(net)
    net.ip("target", "route add default via 10.2.1.254 dev eth1")
    ROOM(net)


def by_hand(net: Net) -> None:
    joined()(net)
    net.ip("host", "neigh replace 10.1.3.1 lladdr 02:00:00:00:00:99 dev eth3 nud permanent")


def backups(*links: int) -> Step:
    """Addresses that are announced as backups."""
    return both(
        announcing(),
        *(
            endpoint("target", f"10.1.{i}.1", "dev", f"eth{i}", "signal",
                     *(["backup"] if i in links else []))
            for i in (2, 3)
        ),
    )  # fmt: skip


@dataclass(frozen=True)
class Join(Named):
    """What becomes of joins, and the rules that say so: alone, and with the other side's report."""

    alone: tuple[str, ...]
    words: str
    peer: tuple[str, ...] | None = None
    portal: str = PORTAL
    needs: str = "veth"


JOINS = [
    Join("all-announced-as-backups", backups(2, 3), ("H14",), "backups, because the target"),
    Join("option-dropped", both(joined(), nft("target", "input",
                                              'iifname "eth3" tcp option 30 exists drop')),
         ("F03",), "drops packets with the MPTCP option", needs="nft"),
    Join("everything-dropped", both(joined(), nft("target", "input",
                                                  'iifname "eth3" tcp dport 4420 drop')),
         ("F01",), "a firewall drops it", needs="nft"),
    Join("neighbour-by-hand", by_hand, ("F10",), "set by hand"),
    Join("third-packet-lost",
         both(joined(), nft("target", "input",
                            'iifname "eth3" tcp flags & (syn|ack) == ack drop')),
         ("F01",), "never confirms it", needs="nft"),
    Join("announcements-dropped", both(announcing(), announce(1, 2, 3),
                                       nft("host", "input", "tcp option mptcp subtype 3 drop")),
         ("H01",), "own firewall drops the announcements", needs="nft"),
    *(Join(f"own-firewall-drops-discovery-{hook}", both(
        announcing("6"), announce(1, 2, 3, place="fd01:{}::1"),
        nft("host", hook, f'{name} "eth3" meta l4proto ipv6-icmp drop'),
    ), ("F10",), "own firewall drops neighbour discovery (ICMPv6) on eth3", portal="fd01:1::1",
            needs="nft") for hook, name in (("input", "iifname"), ("output", "oifname"))),
    Join("discovery-dropped", both(
        announcing("6"), announce(1, 2, 3, place="fd01:{}::1"),
        nft("target", "input", 'iifname "eth3" meta l4proto ipv6-icmp drop'),
    ), ("R08",), "(ICMPv6)", portal="fd01:1::1", needs="nft"),
    Join("announced-port-rejected", both(
        announcing(), endpoint("target", "10.1.2.1", "dev", "eth2", "signal", "port", "4421"),
        endpoint("target", "10.1.3.1", "dev", "eth3", "signal"),
        nft("target", "input", "tcp dport 4421 reject"),
    ), ("F02",), "over eth2 to port 4421 is rejected", needs="nft"),
    Join("source-dropped-by-a-router", both(
        routed(3, 3), ROOM, announce(1, 2, 3, place="10.2.{}.1"),
        nft("router", "forward", "ip saddr 10.1.3.2 drop"),
    ), ("R05",), "a router or a firewall drops the packets", ("F01",), portal="10.2.1.1",
         needs="nft"),
    Join("dropped-by-a-router", both(
        routed(3, 3), ROOM, announce(1, 2, 3, place="10.2.{}.1"),
        nft("router", "forward", f"ip daddr 10.2.3.1 tcp dport {PORT} drop"),
    ), ("F01",), "on the path, in the router 10.1.3.254 or beyond", portal="10.2.1.1",
         needs="nft"),
    Join("third-machine", third_machine, ("T03",), "another machine has that address", ("A13",)),
    Join("answers-by-the-default-route", fabrics, ("R05",), "over that link", ("R05",),
         portal="10.2.1.1"),
    Join("reverse-path-filter", both(
        joined(2), ip("target", "route add 10.1.2.2/32 via 10.1.1.2 dev eth1"),
        sysctl("target", "net.ipv4.conf.all.rp_filter=1"),
    ), ("R08",), "strict reverse path filter", ("R06", "R05")),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("join", JOINS, ids=str)
@at_once
def test_join(join: Join, how: str, net: Net, machines: Machines) -> None:
    require(join.needs)
    join.build(net)
    # A SYN that waits is overdue after three seconds.
    findings = machines.found_by(how, join.portal, 4)
    wanted = join.peer if how == "peer" and join.peer else join.alone
    assert rules(findings) == list(wanted), shown(findings)
    if not (how == "peer" and join.peer):
        assert join.words in shown(findings), shown(findings)
    assert not any("endpoint delete" in c for _, c in machines.commands(findings)), shown(findings)


NEAR = {
    "one-backup-of-two": (backups(3), "0.0.0.0"),
    "dual-stack": (both(announcing("46"), announce(1, 2, 3),
                        announce(1, 2, 3, place="fd01:{}::1")), "::"),
    "neighbour-by-hand-and-right": (both(joined(), known_neighbour), "0.0.0.0"),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    build, traddr = NEAR[name]
    build(net)
    machines.offer(traddr)
    machines.attach(PORTAL)
    carried = net.settles(LINKS, on(3))
    assert on(3)(carried), carried
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == [], shown(findings)
    status, findings = machines.check("host")
    assert status == 0, shown(findings)


@at_once
def test_no_local_port_is_left(net: Net, machines: Machines) -> None:
    """The target has no part in it."""
    both(announcing(), sysctl("host", "net.ipv4.ip_local_port_range=40000 40003"))(net)
    machines.offer("0.0.0.0")
    agent = net.agent("host", "host")
    with suppress(OSError):
        for _ in range(4):
            agent.ask("connect", address=PORTAL, port=PORT, count=1)
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == ["C09"] and "local port" in shown(findings), shown(findings)
    assert {side for side, _ in machines.commands(findings)} == {"host"}, shown(findings)
