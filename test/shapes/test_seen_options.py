# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the MPTCP option, an announcement or a way back gets lost, as packets of its own tell."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import (
    OTHER_PORT,
    both,
    endpoint,
    ip,
    joinable,
    joined,
    limits,
    management,
    nft,
    pairs,
    routed,
    sysctl,
    vpn,
)
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, announcing, start
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span
from test_seen_joins import fabrics

STRIP = "reset tcp option mptcp"
HERE = "this host's own firewall"
WAY = "a middlebox on the path over eth1 removes the MPTCP option"


def six(net: Net) -> None:
    """IPv6 alone."""
    both(pairs(span(2), "6"), limits("host", 8, 8), limits("target", 8, 0),
         endpoint("target", "fd01:2::1", "dev", "eth2", "signal"))(net)  # fmt: skip


def by_router(net: Net) -> None:
    both(routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"))(net)


def default_elsewhere(net: Net) -> None:
    fabrics(net)
    net.ip("target", "route replace default via 10.2.2.254 dev eth2")


def redirected(net: Net) -> None:
    """What arrives by the last link is sent to a port of plain TCP."""
    net.listen("0.0.0.0", protocol=6, port=OTHER_PORT)
    chain = "type nat hook prerouting priority -100"
    rule = f'iifname "eth3" tcp dport {PORT} redirect to :{OTHER_PORT}'
    net.run("target", "nft", "-f", "-", stdin=f"table ip r {{ chain c {{ {chain}; {rule}; }}; }}\n")


def dead_hop(net: Net) -> None:
    """Routes to an IPv4 address by IPv6 next hops, the second of which is nobody's."""
    both(pairs(span(2), "46"), limits("host", 8, 0), limits("target", 8, 8),
         ip("target", "addr add 10.8.0.1/32 dev lo"),
         ip("host", *(
             f"route add 10.8.0.1/32 via inet6 {hop} dev eth{i} src 10.1.{i}.2 metric {i}"
             for i, hop in enumerate(("fd01:1::1", "fd01:2::9"), 1)
         )),
         start(2))(net)  # fmt: skip


@dataclass(frozen=True)
class Loss(Named):
    """What gets lost where, and the rule and words that say so."""

    rule: str
    words: str
    portal: str = PORTAL
    plain: bool = False
    hows: tuple[str, ...] = HOWS[:2]


LOSSES = [
    Loss("plain-target", announcing(), "C01", "as a port of trtype tcp does", plain=True),
    Loss("plain-target-behind-a-router", by_router, "C01", "as a port of trtype tcp does",
         "10.2.1.1", plain=True),
    Loss("removed-here", both(announcing(), nft("host", "output", STRIP)), "C01",
         f"{HERE} removes", hows=HOWS),
    Loss("removed-here-from-replies", both(announcing(), nft("host", "input", STRIP)), "C01",
         HERE),
    Loss("removed-from-replies", both(announcing(), nft("target", "output", STRIP)), "C01",
         "replies have padding", hows=HOWS),
    Loss("removed-from-requests", both(announcing(), nft("target", "prerouting", STRIP)), "C01",
         "an ICMP error of 10.1.1.1 quotes a SYN without it"),
    Loss("removed-by-a-router", both(by_router, nft("router", "forward", STRIP)), "C01", WAY,
         "10.2.1.1"),
    Loss("removed-from-ipv6", both(six, nft("target", "input", STRIP)), "C01", WAY, "fd01:1::1"),
    Loss("removed-from-the-first-packet-alone", both(announcing(), nft(
        "target", "input", f"tcp option mptcp subtype 0 {STRIP}")), "C01",
         "refuses an invalid join"),
    Loss("removed-on-one-link", both(joined(), nft("target", "input", f'iifname "eth1" {STRIP}')),
         "C01", "over eth2 the target answers with it"),
    Loss("join-dropped-here", both(joined(), nft(
        "host", "output", 'oifname "eth3" tcp option mptcp exists drop')), "F10", HERE, hows=HOWS),
    Loss("announcement-dropped-on-the-way", both(announcing(), nft(
        "target", "output", "tcp option mptcp subtype 3 drop")), "H01",
         "A middlebox drops announcements", hows=HOWS),
    Loss("taken-by-a-service-without-mptcp", both(announcing(), redirected), "F03",
         "arrives with the MPTCP option, but a service without MPTCP answers it"),
    Loss("router-of-the-portal-mistyped", both(by_router, ip(
        "host", "route del 10.2.1.0/24", "route add 10.2.1.0/24 via 10.1.1.1 dev eth1")), "C09",
         "the target answers through 10.1.1.254", "10.2.1.1", hows=("trial",)),
    Loss("portal-without-forwarding", both(by_router, sysctl("router", "net.ipv4.ip_forward=0")),
         "C09", "Forwarding is off there", "10.2.1.1", hows=("trial",)),
    Loss("portal-behind-a-firewall", both(announcing(), nft("target", "input",
                                                            'iifname "eth1" drop')),
         "C09", "Its own firewall drops", hows=("trial",)),
    Loss("portal-rejected", both(announcing(), nft(
        "target", "input", f"tcp dport {PORT} reject with icmp type admin-prohibited")), "C09",
         "that is the target's own address, so its firewall does", hows=("trial",)),
    Loss("router-without-a-route-to-the-portal", both(by_router, ip(
        "router", "link set target1 down")), "C09", "that router has no route", "10.2.1.1",
         hows=("trial",)),
    Loss("portal-by-a-vpn", both(by_router, vpn("host"), ip(
        "host", "route add 10.2.1.1/32 via 10.66.0.1 dev vpn0")), "C09",
         "the route over vpn0 has precedence", "10.2.1.1", hows=("trial",)),
    Loss("portal-prohibited", both(by_router, ip(
        "host", "rule add to 10.2.1.0/24 prohibit pref 90")), "C09",
         "the routing rule with priority 90 (to 10.2.1.0/24, type prohibit) forbids it",
         "10.2.1.1", hows=("trial",)),
    Loss("strict-target-that-ignores-arp", both(announcing(), sysctl(
        "target", "net.ipv4.conf.all.arp_ignore=1", "net.ipv4.conf.all.rp_filter=1"), ip(
        "target", "addr del 10.1.3.1/24 dev eth3", "addr add 10.1.3.1/32 dev lo",
        "addr add 10.1.3.5/24 dev eth3")), "R08", "and has 10.1.3.1, but no ARP request"),
    Loss("nothing-announced", both(pairs(span(3)), limits("host", 8, 8), limits("target", 8, 0)),
         "H01", "but the target announces none"),
    Loss("prefix-beside-a-management-link", both(announcing(), management(), ip(
        "host", "addr flush dev eth3", "addr add 10.1.3.50/24 dev eth3"), ip(
        "target", "addr flush dev eth3", "addr add 10.1.3.1/30 dev eth3")), "R05",
         "prefix length of its address 10.1.3.1 is too long"),
    Loss("next-hop-of-the-other-family", dead_hop, "R08", "next hop fd01:2::9", "10.8.0.1"),
    Loss("portal-answered-elsewhere", default_elsewhere, "C09",
         "The route of the target decides", "10.2.1.1", hows=("trial",)),
    Loss("table-without-an-endpoint", both(
        routed(3, 1, policy="host"), limits("host", 8, 0), limits("target", 8, 8),
        start(2)), "A11", "eth3 reaches the target",
         "10.2.1.1", hows=("trial",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("loss", "how"), [pytest.param(x, how, id=f"{x}-{how}") for x in LOSSES for how in x.hows]
)
@at_once
def test_what_gets_lost(loss: Loss, how: str, net: Net, machines: Machines) -> None:
    require("nft")
    loss.build(net)
    if loss.plain:
        net.listen("0.0.0.0", protocol=6)
    else:
        machines.offer("::")
    findings = machines.found_by(how, loss.portal, offered=True)
    assert rules(findings) == [loss.rule], shown(findings)
    assert loss.words in shown(findings), shown(findings)


@at_once
def test_a_link_left_out_is_named_beside_another_fault(net: Net, machines: Machines) -> None:
    both(joinable(4), start(2, 3), ip("host", "link set eth3 down"))(net)
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == ["A06", "A11"] and "eth4" in shown(findings), shown(findings)


@at_once
def test_questions_leave_no_trace(net: Net, machines: Machines) -> None:
    """A host whose target speaks plain TCP is asked twice, and nothing is suspended by it."""
    both(announcing(), sysctl("host", "net.mptcp.blackhole_timeout=3600"))(net)
    net.listen("0.0.0.0", protocol=6)
    for _ in range(2):
        findings, _ = machines.trial(PORTAL)
        assert rules(findings) == ["C01"], shown(findings)
    assert not net.run("target", "ss", "-tnHO", "state", "established").strip()


@at_once
def test_mptcp_is_suspended_after_a_blackhole(net: Net, machines: Machines) -> None:
    """The kernel then lists no MPTCP socket; a reset alone would lead to plain TCP again."""
    require("nft")
    announcing()(net)
    machines.offer("0.0.0.0")
    net.nft("target", "prerouting", "tcp option mptcp exists drop")
    net.connect(PORTAL, 1)
    net.disconnect()
    machines.attach(PORTAL)
    _, findings = machines.check("host")
    assert rules(findings) == ["C01"], shown(findings)
    assert "drops packets that have the MPTCP option" in shown(findings)
    assert "a reset would not bring MPTCP back" in shown(findings), shown(findings)
    assert machines.commands(findings) == [("target", "nft list ruleset")]
    net.run("target", "nft", "flush", "ruleset")
    _, findings = machines.check("host")
    assert "The target answers such SYNs now" in shown(findings), shown(findings)
    machines.obey(findings)
    assert not rules(machines.check("host")[1])


@at_once
def test_a_plain_port_of_this_machine(net: Net, machines: Machines) -> None:
    """Packets to it are on no link, and no firewall is to blame for that."""
    pairs(span(1))(net)
    net.listen("0.0.0.0", protocol=6, side="host")
    for portal, expected in (("127.0.0.1", ["C01"]), ("10.1.1.2", ["A13", "C01"])):
        findings, _ = machines.trial(portal)
        assert rules(findings) == expected, shown(findings)
        assert "as a port of trtype tcp does" in shown(findings), shown(findings)
