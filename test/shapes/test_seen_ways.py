# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ways that packets or answers take: sources without a route back, routers, other machines."""

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
    killed,
    limits,
    nft,
    pairs,
    routed,
    sysctl,
    vpn,
    ways_to,
)  # fmt: skip
from shape_damages import (
    HOWS,
    LINKS,
    PORTAL,
    ROOM,
    Named,
    announce,
    announcing,
    on,
    one_each,
    start,
)
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

ROUTED = "10.2.1.1"
#: A SYN that waits is overdue after three seconds.
OVERDUE = 4


def by_router(*steps: Step) -> Step:
    return both(routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"), *steps)


def on_loopback(*steps: Step) -> Step:
    """An endpoint of an address that no network has."""
    return both(joined(2), ip("host", "addr add 10.77.0.1/32 dev lo"),
                endpoint("host", "10.77.0.1", "subflow"), *steps)  # fmt: skip


def balanced(net: Net) -> None:
    """What comes by the second link is sent to another target."""
    by_router()(net)
    net.add("second")
    cable(net, "second", "eth1", "router", "second")
    net.ip("second", "addr add 10.2.9.1/24 dev eth1", "route add default via 10.2.9.254")
    net.ip("router", "addr add 10.2.9.254/24 dev second")
    chain = "type nat hook prerouting priority -100"
    rule = f'iifname "host2" tcp dport {PORT} dnat to 10.2.9.1'
    net.run("router", "nft", "-f", "-",
            stdin=f"table ip balancer {{ chain c {{ {chain}; {rule}; }}; }}\n")  # fmt: skip
    net.listen("0.0.0.0", side="second")


@dataclass(frozen=True)
class Way(Named):
    """What goes where, and the rule and words that say so; the rule with the target's report."""

    rule: str
    words: str
    peer: str = ""
    portal: str = PORTAL
    hows: tuple[str, ...] = HOWS


WAYS = [
    Way("no-route-back-to-an-address-of-lo", on_loopback(), "R05",
        "Its route back to 10.77.0.1 is wrong", peer="R05"),
    Way("few-retries", both(announcing(), sysctl("host", "net.ipv4.tcp_syn_retries=1"), nft(
        "target", "input", f'iifname "eth3" tcp dport {PORT} drop')), "F01",
        "although an echo request does: a firewall drops it"),
    Way("firewall-of-the-target-drops-a-source",
        by_router(nft("target", "input", "ip saddr 10.1.2.2 drop")), "F01",
        "10.2.2.1 reports an error in a packet from 10.1.2.2", portal=ROUTED, hows=HOWS[:2]),
    Way("firewall-of-a-router-drops-the-port",
        by_router(nft("router", "forward", f'iifname "host2" tcp dport {PORT} drop')), "F01",
        "drops it on the path, in the router 10.1.2.254 or beyond", portal=ROUTED, hows=("trial",)),
    Way("router-drops-replies", by_router(nft("router", "forward", 'iifname "target2" drop')),
        "R05", "The route of the target decides", portal=ROUTED, hows=HOWS[:2]),
    Way("tcp-refused-on-a-link",
        both(announcing(), nft("target", "input",
                               'iifname "eth3" meta l4proto tcp reject with tcp reset')), "F02",
        "rule of its firewall rejects what arrives from eth3", hows=("trial",)),
    Way("vpn-before-a-default-route", both(by_router(), vpn("host"), ip(
        "host", "route del 10.2.2.0/24", "route add default via 10.1.2.254 dev eth2",
        "route add default via 10.66.0.1 dev vpn0 table 200", "rule add not fwmark 5 table 200",
        "rule add table main suppress_prefixlength 0",
    )), "F01", "Link eth2 carries nothing, and the target answers over it",
        portal=ROUTED, hows=HOWS[:2]),
    Way("left-over-table", both(announcing(), ip(
        "host", "rule add from 10.1.3.2 lookup 103",
        "route add default via 10.1.3.99 dev eth3 table 103")), "R08", "the route is wrong",
        hows=HOWS[:2]),
    Way("router-that-does-not-forward",
        by_router(sysctl("router", "net.ipv4.conf.host2.forwarding=0")), "F01",
        "Forwarding is off there", peer="F01", portal=ROUTED),
    Way("load-balancer", balanced, "F02", "a load balancer or NAT", portal=ROUTED),
    Way("source-of-another-link", both(
        announcing(), ip("host", "route change 10.1.3.0/24 dev eth3 src 10.1.2.2"),
        sysctl("target", "net.ipv4.conf.all.rp_filter=1"),
    ), "R01", "a route there sets the source address 10.1.2.2 (src) of eth2", hows=("trial",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("way", "how"), [pytest.param(w, how, id=f"{w}-{how}") for w in WAYS for how in w.hows]
)
@at_once
def test_way(way: Way, how: str, net: Net, machines: Machines) -> None:
    require("nft")
    way.build(net)
    findings = machines.found_by(how, way.portal, OVERDUE)
    settled = how == "peer" and way.peer
    assert rules(findings) == [way.peer if settled else way.rule], shown(findings)
    if not settled:
        assert way.words in shown(findings), shown(findings)
    assert not any("delete" in c for _, c in machines.commands(findings)), shown(findings)


NEAR = {
    "route-back-to-an-address-of-lo": on_loopback(
        ip("target", "route add 10.77.0.1/32 via 10.1.1.2")),
    "source-of-its-own": both(
        announcing(), ip("host", "route change 10.1.3.0/24 dev eth3 src 10.1.3.2")),
    "few-retries": both(announcing(), sysctl("host", "net.ipv4.tcp_syn_retries=1")),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    NEAR[name](net)
    machines.connect(PORTAL)
    net.settles((), lambda now: False, 1)
    findings = machines.trial(PORTAL)[0] + machines.check("host")[1]
    expected = {"C14"} if "lo" in name.split("-") else set()
    assert set(rules(findings)) == expected, shown(findings)


@at_once
def test_a_plain_port_that_accepts_no_more(net: Net, machines: Machines) -> None:
    """Where the port refuses everything, a refused join tells nothing about a middlebox."""
    require("nft")
    announcing()(net)
    net.listen("0.0.0.0", protocol=6)
    machines.attach(PORTAL)
    net.nft("target", "input", f"tcp dport {PORT} tcp flags syn reject with tcp reset")
    _, findings = machines.check("host")
    assert rules(findings) == ["C01"] and "middlebox" not in shown(findings), shown(findings)


@at_once
def test_a_link_with_an_endpoint_of_the_other_family_alone(net: Net, machines: Machines) -> None:
    """It starts no subflow of these connections, so that a repair here would bring none back."""
    both(pairs(span(3), "46"), limits("host", 8, 8), limits("target", 8, 0), announce(1, 2, 3),
         endpoint("host", "fd01:3::2", "dev", "eth3", "subflow"))(net)  # fmt: skip
    machines.connect(PORTAL)
    assert one_each(net.settles(LINKS, one_each))
    killed("src", "10.1.3.2")(net)
    _, findings = machines.check("host")
    assert rules(findings), "nothing is found"
    assert ("host", "nvme mptcp repair") not in machines.commands(findings), shown(findings)


@at_once
def test_a_check_of_many_silent_paths_asks_once(net: Net, machines: Machines) -> None:
    """Each path is named, though the trial that follows asks nothing again."""
    require("nft")
    both(
        pairs(span(4)),
        ways_to(PORTAL, span(4)),
        ROOM,
        start(2, 3, 4),
        nft("target", "input", 'iifname { "eth2", "eth3", "eth4" } tcp dport 4420 drop'),
    )(net)
    machines.connect(PORTAL)
    net.settles((), on(4), OVERDUE)
    _, findings = machines.check("host")
    assert rules(findings) == ["F01"] * 3, shown(findings)
    assert all("a firewall drops it" in f["why"] for f in findings if f["rule"] == "F01")
