# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everyday mistakes in routes, announcements and limits: the first finding names the cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    cable,
    endpoint,
    hardware,
    ip,
    joinable,
    limits,
    management,
    nft,
    pairs,
    routed,
    sysctl,
)
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, announcing, on, start
from shape_net import PORT, Net
from shape_nvme import QUICK, Machines, rules, shown
from shape_pool import at_once
from shape_rows import span


def announcing_six(*announced: str) -> Step:
    """A target with IPv6 addresses that announces these, each on the link of its place."""
    return both(
        pairs(span(3), "46"), limits("host", 8, 8), limits("target", 8, 0),
        ip("target", "addr add fe80::99/64 dev eth2 nodad"),
        *(endpoint("target", a, "dev", f"eth{i}", "signal")
          for i, a in enumerate(announced, start=2)),
    )  # fmt: skip


def all_by_eth1(selector: str) -> Step:
    """A routing rule of the host that sends the subflows by its first link."""
    return both(
        announcing(),
        ip(
            "host",
            f"rule add to 10.1.0.0/16 {selector} lookup 200",
            "route add 10.1.0.0/16 via 10.1.1.1 dev eth1 table 200",
        ),
    )


def wrong_neighbour(net: Net) -> None:
    """The target sends its answers by eth3 to a hardware address that no card has."""
    announcing()(net)
    net.ip("target", "neigh replace 10.1.3.2 lladdr 02:00:00:00:00:99 dev eth3 nud permanent")


def missing_route(family: str) -> Step:
    """A router in between, and a host without a route to the target's second network."""
    second = "fd02:2::/64" if family == "6" else "10.2.2.0/24"
    addresses = ("fd02:1::1", "fd02:2::1") if family == "6" else ("10.2.1.1", "10.2.2.1")
    return both(
        routed(2, 2, family), ROOM,
        *(endpoint("target", a, "dev", f"eth{i}", "signal") for i, a in enumerate(addresses, 1)),
        ip("host", f"{'-6 ' if family == '6' else ''}route del {second} dev eth2"),
    )  # fmt: skip


def plain_target(_net: Net, machines: Machines) -> None:
    """Accepts plain TCP only."""
    machines.net.listen("0.0.0.0", protocol=6)


def other_vlan(net: Net) -> None:
    """The last link's ends are in two networks of one switch."""
    pairs(span(2))(net)
    net.add("switch")
    net.ip("switch", *(f"link add br{i} type bridge" for i in span(2)))
    for side, last, bridge in (("host", 2, "br1"), ("target", 1, "br2")):
        cable(net, side, "eth3", "switch", side)
        net.ip("switch", f"link set {bridge} up", f"link set {side} master {bridge}")
        net.ip(side, f"addr add 10.1.3.{last}/24 dev eth3")
    both(limits("host", 8, 8), limits("target", 8, 0), announce(1, 2, 3))(net)


@dataclass(frozen=True)
class Mistake(Named):
    """What is wrong, and the rule and words of the first finding."""

    rule: str
    words: tuple[str, ...]
    #: With the other side's report.
    peer: str = ""
    portal: str = PORTAL
    listens: Callable[[Net, Machines], None] = lambda net, machines: machines.offer("::")


MISTAKES = [
    *(
        Mistake(f"rule-by-{selector.split()[0]}", all_by_eth1(selector), "C14",
                ("10.1.2.1 is in the network of eth2", "leads there over eth1"))
        for selector in ("dport 4420", "uidrange 0-0")
    ),
    Mistake("route-by-another-link",
            both(announcing(), ip("host", "route add 10.1.3.1/32 via 10.1.1.1 dev eth1")), "C14",
            ("10.1.3.1 is in the network of eth3", "leads there over eth1")),
    *(
        Mistake(f"route-of-type-{kind}",
                both(announcing(), ip("host", f"route add {kind} 10.1.3.1/32")), "R01",
                ("announces 10.1.3.1", kind))
        for kind in ("blackhole", "prohibit", "unreachable")
    ),
    Mistake("rule-of-the-source-forbids",
            both(announcing(), ip("host", "rule add from 10.1.3.2 lookup 200",
                                  "route add prohibit default table 200")),
            "R01", ("announces 10.1.3.1", "prohibit")),
    Mistake("address-on-the-port-of-a-bridge",
            both(announcing(), ip("host", "link add br3 type bridge", "link set br3 up",
                                  "link set eth3 master br3")), "A08", ("eth3", "br3")),
    Mistake("loopback-announced", both(announcing(2), endpoint("target", "127.0.0.5", "signal")),
            "R01", ("127.0.0.5", "loopback"), peer="T04"),
    Mistake("link-local-announced", announcing_six("fe80::99"), "R01", ("fe80::99", "link-local"),
            peer="A04", portal="fd01:1::1"),
    Mistake("other-family-announced", announcing_six("fd01:2::1", "fd01:3::1"), "H01",
            ("fd01:2::1", "over IPv4"), peer="T01"),
    Mistake("signal-instead-of-subflow", both(joinable(), start(2, 3, words="signal")), "H02",
            ("10.1.2.2",)),
    Mistake("signal-with-the-port-of-the-target", both(
        joinable(), limits("target", 8, 0), start(2),
        endpoint("host", "10.1.3.2", "dev", "eth3", "signal", "port", str(PORT)),
    ), "H02", ("10.1.3.2",)),
    Mistake("limit-of-0", both(announcing(), limits("host", 0, 8)), "H05", ("limit",)),
    Mistake("missing-route", missing_route("4"), "R01", ("10.2.2.1", "eth2"), portal="10.2.1.1"),
    Mistake("missing-route-v6", missing_route("6"), "R01", ("fd02:2::1", "eth2"),
            portal="fd02:1::1"),
    Mistake("missing-route-beside-a-default-route", both(missing_route("4"), management()), "R01",
            ("10.2.2.1", "a route there via a gateway of eth2 is missing"), portal="10.2.1.1"),
    Mistake("route-by-the-management-link", both(announcing(), management(), ip(
        "host", "route add 10.1.3.1/32 via 192.168.7.1 dev mgmt0",
    )), "R01", ("10.1.3.1 is in the network of eth3", "over mgmt0")),
    Mistake("portal-by-the-management-link", both(announcing(), management(), ip(
        "host", "route add 10.1.1.1/32 via 192.168.7.1 dev mgmt0",
    )), "R01", ("10.1.1.1 is in the network of eth1", "over mgmt0")),
    Mistake("no-address-beside-a-default-route",
            both(announcing(), management(), ip("host", "addr flush dev eth3")),
            "R01", ("10.1.3.1", "uses mgmt0", "eth3 has a carrier but no address")),
    Mistake("mistyped-network-beside-a-default-route",
            both(announcing(), management(),
                 ip("host", "addr flush dev eth3", "addr add 10.1.33.2/24 dev eth3")),
            "R01", ("10.1.3.1", "uses mgmt0", "10.1.33.2/24")),
    Mistake("route-by-the-other-router", both(
        routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"),
        ip("host", "route del 10.2.2.0/24", "route add 10.2.2.0/24 via 10.1.1.254 dev eth1"),
    ), "C14", ("eth2 has an address", "10.2.2.1 leads over eth1"), portal="10.2.1.1"),
    Mistake("prefix-length-of-the-host",
            both(announcing(), ip("host", "addr flush dev eth3", "addr add 10.1.3.2/32 dev eth3")),
            "R01", ("10.1.3.2/32", "too long")),
    Mistake("no-route-of-the-network",
            both(announcing(), ip("host", "route del 10.1.3.0/24 dev eth3")),
            "R01", ("10.1.3.2/24", "the route of that network is missing")),
    Mistake("address-of-the-target-here",
            both(announcing(), ip("host", "addr add 10.1.3.1/24 dev eth3")),
            "A13", ("10.1.3.1", "also on this host, on eth3")),
    *(
        Mistake(f"table-of-the-source-{name}", both(
            routed(3, 1, policy="host"), limits("host", 8, 0), limits("target", 8, 8),
            start(2, 3), ip("host", *spoil),
        ), "R01", ("10.1.3.2", f"leave over {link}"), portal="10.2.1.1")
        for name, link, spoil in (
            ("without-rule", "eth1", ["rule del from 10.1.3.2 table 103"]),
            ("of-another-link", "eth2", [
                "route del default table 103",
                "route add default via 10.1.2.254 dev eth2 table 103",
            ]),
        )
    ),
    Mistake("wrong-neighbour-of-the-target", wrong_neighbour, "F01",
            ("10.1.3.2", "wrong hardware address")),
    Mistake("prefix-length-of-the-target",
            both(announcing(), ip("target", "addr flush dev eth3",
                                  "addr add 10.1.3.1/32 dev eth3")),
            "R05", ("prefix length of its address 10.1.3.1 is too long",), peer="R05"),
    Mistake("rule-of-the-target", both(announcing(), management(), ip(
        "target", "rule add from 10.1.3.1 lookup 99",
        "route add default via 192.168.8.1 dev mgmt0 table 99",
    )), "F01", ("10.1.3.1", "on the link"), peer="R05"),
    Mistake("no-address-of-the-target", both(announcing(), ip("target", "addr flush dev eth3")),
            "R08", ("10.1.3.1", "eth3"), peer="T04"),
    Mistake("other-vlan", other_vlan, "R08", ("10.1.3.1", "VLAN")),
    Mistake("arp-ignored-by-the-target",
            both(announcing(), sysctl("target", "net.ipv4.conf.eth3.arp_ignore=8")),
            "R08", ("10.1.3.1", "eth3")),
    Mistake("bridge-port-of-the-target",
            both(announcing(), ip("target", "link add br3 type bridge", "link set br3 up",
                                  "link set eth3 master br3")),
            "R05", ("10.1.3.1",), peer="A08"),
    Mistake("no-arp", both(announcing(), ip("host", "link set eth3 arp off")), "F01",
            ("ARP is disabled",)),
    Mistake("no-ipv6", both(announcing_six("fd01:2::1", "fd01:3::1"),
                            sysctl("host", "net.ipv6.conf.eth3.disable_ipv6=1")), "R01",
            ("fd01:3::1", "IPv6 is disabled", "conf/eth3/disable_ipv6=0"), portal="fd01:1::1"),
    Mistake("path-manager-in-user-space", both(announcing(), sysctl("host", "net.mptcp.pm_type=1")),
            "K05", ("path manager",)),
    Mistake("no-joins-to-the-portal",
            both(joinable(), start(2, 3),
                 sysctl("target", "net.mptcp.allow_join_initial_addr_port=0")),
            "T07", ("one link",)),
    Mistake("plain-target", announcing(), "C01", ("plain TCP",), listens=plain_target),
]  # fmt: skip


#: What both sides together leave of several guesses, or of what either one says.
SETTLED = {
    "prefix-length-of-the-target": "no route back to 10.1.3.2",
    "rule-of-the-target": "over mgmt0 instead of eth3",
    "no-address-of-the-target": "no interface has its address",
    "other-vlan": "a switch, a cable or a VLAN between both is wrong",
    "arp-ignored-by-the-target": "answers no ARP request there",
    "bridge-port-of-the-target": "belongs to br3",
    "no-joins-to-the-portal": "no other address is announced",
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
@at_once
def test_first_finding(mistake: Mistake, how: str, net: Net, machines: Machines) -> None:
    mistake.build(net)
    mistake.listens(net, machines)
    findings = machines.found_by(how, mistake.portal, offered=True)
    if mistake.name == "loopback-announced" and how == "connected":
        # Nothing is lost by it: both links carry.
        assert rules(findings) == [], shown(findings)
        return
    found = rules(findings)
    assert found, "nothing is found"
    if how == "peer" and mistake.peer:
        assert found[0] == mistake.peer, shown(findings)
    else:
        assert found[0] == mistake.rule, shown(findings)
        assert all(word in shown(findings[:1]) for word in mistake.words), shown(findings)
    # One cause, one rule; the target's own view of it may come in addition.
    assert len(set(found)) == 1 or how == "peer", shown(findings)
    if how == "peer" and mistake.name in SETTLED:
        assert len(set(found)) == 1 and SETTLED[mistake.name] in shown(findings), shown(findings)


REFUSALS = {
    "reset": "tcp reset",
    "port": "icmp type port-unreachable",
    "admin": "icmp type admin-prohibited",
    "host": "icmp type host-unreachable",
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("refusal", REFUSALS)
@at_once
def test_a_firewall_that_refuses(refusal: str, how: str, net: Net, machines: Machines) -> None:
    """The target listens everywhere, and what comes back is a packet filter's."""
    announcing()(net)
    rule = f'iifname "eth3" tcp dport {PORT} reject with {REFUSALS[refusal]}'
    net.nft("target", "input", rule)
    findings = machines.found_by(how, PORTAL)
    assert rules(findings) == ["F02"], shown(findings)
    assert "firewall of the target rejects it" in shown(findings), shown(findings)
    assert machines.commands(findings) == [("target", "nft list ruleset")], shown(findings)


@at_once
def test_a_closed_port_is_no_firewall(net: Net, machines: Machines) -> None:
    announcing()(net)
    machines.offer(PORTAL)
    findings, _ = machines.trial(PORTAL)
    assert set(rules(findings)) == {"T03"}, shown(findings)
    assert "bound to another address" in shown(findings), shown(findings)
    assert not any(word in shown(findings) for word in ("firewall", "machine")), shown(findings)


ROUTERS = {
    "no-route": (ip("router", "rule add iif host2 pref 5 lookup 66",
                    "route add throw 10.2.2.0/24 table 66", "rule del pref 32766",
                    *(f"rule add iif {name} lookup main pref {10 + i}"
                      for i, name in enumerate(("host1", "target1", "target2", "lo")))),
                 "has no route to the target's address"),
    "prohibit": (ip("router", "rule add iif host2 lookup 66",
                    "route add prohibit 10.2.2.0/24 table 66"), "names a firewall there"),
    "unreachable": (ip("router", "rule add iif host2 lookup 66",
                       "route add unreachable 10.2.2.0/24 table 66"),
                    "a route of type unreachable"),
    "behind-it": (ip("target", "addr flush dev eth2"), "no machine in the network behind it"),
    "reset": (nft("router", "forward",
                  f'iifname "host2" tcp dport {PORT} reject with tcp reset'),
              "a firewall on the path rejects it"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "how"),
    [*((name, "trial") for name in ROUTERS), ("no-route", "early"), ("unreachable", "early")],
)
@at_once
def test_a_router_that_turns_away(name: str, how: str, net: Net, machines: Machines) -> None:
    """Its message tells whether its routes, its firewall or the network behind it is meant.

    While joins are sent again each second, routers send none: a check waits for the next one.
    """
    spoil, words = ROUTERS[name]
    both(routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"), spoil)(net)
    findings = machines.found_by(how, "10.2.1.1", 0)
    assert rules(findings) == ["F02"] and words in shown(findings), shown(findings)


NEAR = {
    "blackhole-of-a-larger-network": ip("host", "route add blackhole 10.0.0.0/8"),
    "rule-of-another-port": ip("host", "rule add dport 445 lookup 200",
                               "route add 10.1.0.0/16 via 10.1.1.1 dev eth1 table 200"),
    "route-of-a-larger-network": ip("host", "route add 10.1.0.0/16 via 10.1.1.1 dev eth1"),
    "port-of-another-service": endpoint(
        "host", "10.1.3.2", "dev", "eth3", "signal", "port", "8080"
    ),
    "management-announced": both(
        management(), endpoint("target", "192.168.8.2", "dev", "mgmt0", "signal"),
    ),
    "subflows-started-by-a-management-link-of-the-target": both(
        management(), endpoint("target", "192.168.8.2", "dev", "mgmt0", "subflow"),
    ),
    "larger-packets-at-one-end": ip("host", "link set eth3 mtu 9000"),
    "networks-that-overlap": both(*(
        ip(side, "addr flush dev eth1", f"addr add 10.1.1.{last}/8 dev eth1")
        for side, last in (("host", 2), ("target", 1))
    )),
    "bridge-port-without-address": ip("host", "link add br9 type bridge", "link set br9 up"),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    both(announcing(), NEAR[name])(net)
    machines.connect(PORTAL)
    net.settles((), on(3))
    machines.clean(PORTAL)


REFUSED = {
    "dropped": (nft("target", "input", f"tcp dport {PORT} drop"), "C09",
                "though an echo request gets one"),
    "rejected": (nft("target", "input", f"tcp dport {PORT} reject"), "C09",
                 "a firewall rejects"),
    "closed": (nft("target", "input", "tcp dport 1 drop"), "C09", "no target listens"),
    "kept-here": (nft("host", "output", f"tcp dport {PORT} drop"), "F10",
                  "own firewall drops packets that leave"),
    "no-carrier": (ip("target", "link set eth1 down"), "R09", "that link is dead"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@at_once
def test_a_target_that_cannot_be_connected_to(name: str, net: Net, machines: Machines) -> None:
    spoil, rule, words = REFUSED[name]
    both(announcing(), spoil)(net)
    if name != "closed":
        machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == [rule] and words in shown(findings), shown(findings)
    assert findings[0]["severity"] == "error"


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_the_option_is_dropped_everywhere(how: str, net: Net, machines: Machines) -> None:
    """The kernel then suspends MPTCP for all programs: no second fault, and a trial undoes it."""
    announcing()(net)
    net.nft("target", "input", "tcp option 30 exists drop")
    findings = machines.found_by(how, PORTAL)
    assert rules(findings) == ["F05" if how == "trial" else "C01"], shown(findings)
    assert "on the path over eth1 drops packets" in shown(findings), shown(findings)
    if how == "trial":
        net.run("target", "nft", "flush", "ruleset")
        machines.clean(PORTAL)


@pytest.mark.parametrize("announced", [(), (1, 2)], ids=["all", "one"])
@at_once
def test_links_that_the_target_connects_back_by(
    announced: tuple[int, ...], net: Net, machines: Machines
) -> None:
    """Without an announcement on the link, the reason is in the target's report alone."""
    accepted = 0 if announced else 8
    both(pairs(span(3)), limits("host", 8, 8), limits("target", 8, accepted), announce(*announced),
         *(endpoint("target", f"10.1.{i}.1", "dev", f"eth{i}", "subflow")
           for i in span(3) if i not in announced))(net)  # fmt: skip
    findings = machines.found_by("peer", PORTAL)
    assert rules(findings) == (["T02"] if announced else ["T02", "T02"]), shown(findings)
    assert "10.1.3.1" in shown(findings), shown(findings)
    machines.obey(findings)
    carried = net.settles((), on(3))
    assert [len(c) for c in carried.values()] == [3, 3], shown(findings)


@pytest.mark.parametrize(("setting", "rule"), [("pm_type=1", "K05"), ("enabled=0", "K02")])
@at_once
def test_the_target_names_its_setting(
    setting: str, rule: str, net: Net, machines: Machines
) -> None:
    both(announcing(), sysctl("target", f"net.mptcp.{setting}"))(net)
    net.listen("0.0.0.0", protocol=6 if rule == "K02" else 262)
    findings = machines.found_by("peer", PORTAL, offered=True)
    assert rules(findings) == [rule], shown(findings)


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_a_link_with_a_route_of_its_own_and_no_endpoint(
    how: str, net: Net, machines: Machines
) -> None:
    """An endpoint of the management link, such as services make, is none of the other links."""
    both(joinable(), management(),
         endpoint("host", "192.168.7.2", "dev", "mgmt0", "subflow"))(net)  # fmt: skip
    findings = machines.found_by(how, PORTAL)
    assert set(rules(findings)) == {"A11" if how == "trial" else "C13"}, shown(findings)
    assert {"eth2", "eth3"} == {f["objects"][0] for f in findings if f["severity"] == "warning"}


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_endpoints_need_no_announcements(how: str, net: Net, machines: Machines) -> None:
    """Set up by endpoints, a host may well accept none of what a target announces."""
    both(routed(2, 2, policy="host target"), limits("host", 8, 0), limits("target", 8, 8),
         announce(1, 2, place="10.2.{}.1"), start(2))(net)  # fmt: skip
    findings = machines.found_by(how, "10.2.1.1")
    assert rules(findings) == [], shown(findings)


TWO_FAULTS = {
    "dead-link-and-firewall": (
        both(announcing(), ip("host", "link set eth2 down"),
             nft("target", "input", f'iifname "eth3" tcp dport {PORT} drop')),
        ("A06", "F01"), False),
    "limit-and-address": (
        both(announcing(4), limits("host", 2, 1), ip("host", "addr flush dev eth3")),
        ("H06", "R01"), True),
    "limit-and-absent-address": (
        both(announcing(4), limits("host", 1, 1), ip("target", "addr flush dev eth3")),
        ("H06",), True),
}  # fmt: skip


@pytest.mark.parametrize("how", ["trial", "connected"])
@pytest.mark.parametrize("name", TWO_FAULTS)
@at_once
def test_two_faults_at_once(name: str, how: str, net: Net, machines: Machines) -> None:
    """Both are named in one pass, or that another pass is needed is printed."""
    build, expected, again = TWO_FAULTS[name]
    build(net)
    findings = machines.found_by(how, PORTAL)
    assert set(rules(findings)) == set(expected), shown(findings)
    words = ["--traddr", PORTAL] if how == "trial" else []
    result = machines.nvme("host", "check", "--role", "host", *QUICK, *words)
    assert ("Check again after these fixes" in result.out) == again, result.out


def one_wire(net: Net) -> None:
    """Two links of the host and the only one of the target on a switch, with two networks."""
    net.add("switch")
    net.ip("switch", "link add br0 type bridge", "link set br0 up")
    for side, links in (("host", (1, 2)), ("target", (1,))):
        for i in links:
            cable(net, side, f"eth{i}", "switch", f"{side}{i}")
            net.ip("switch", f"link set {side}{i} master br0")
    for i in span(2):
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("target", f"addr add 10.1.{i}.1/24 dev eth1",
               f"mptcp endpoint add 10.1.{i}.1 dev eth1 signal")  # fmt: skip
    ROOM(net)


def other_card(net: Net) -> None:
    """The target has learnt the wrong one of the host's cards, and the host is strict."""
    wrong = hardware(net, "host", "eth1")
    net.ip("target", f"neigh replace 10.1.2.2 lladdr {wrong} dev eth1 nud permanent")
    net.sysctl("host", "net.ipv4.conf.all.rp_filter=1")


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_two_networks_of_one_wire(how: str, net: Net, machines: Machines) -> None:
    """ARP is at fault, and not a route of the target, where both links are on one wire."""
    both(one_wire, other_card)(net)
    findings = machines.found_by(how, PORTAL)
    assert rules(findings) == ["F10"], shown(findings)
    assert "answer ARP for either address" in shown(findings), shown(findings)


@at_once
def test_two_networks_of_one_wire_may_be_healthy(net: Net, machines: Machines) -> None:
    one_wire(net)
    machines.connect(PORTAL)
    net.settles(("eth1", "eth2"), on(2))
    machines.clean(PORTAL)


@at_once
def test_what_a_trial_leaves_is_told_once(net: Net, machines: Machines) -> None:
    announcing()(net)
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    left = [f["why"] for f in findings if f["rule"] == "H12"]
    assert len(left) == 1 and all(f"10.1.{i}.2" in left[0] for i in (2, 3)), shown(findings)
    assert len(net.endpoints("host")) == 2
    findings, _ = machines.trial(PORTAL)
    assert "trial" not in " ".join(f["why"] for f in findings if f["rule"] == "H12")


@at_once
def test_connections_of_a_hidden_program(net: Net, machines: Machines) -> None:
    """A check that sees no other process takes them for a controller's, and resets none."""
    announcing()(net)
    machines.connect(PORTAL)
    net.agent("host", "host").ask("connect", address=PORTAL, port=PORT)
    net.settles((), lambda now: len(now) == 4 and all(len(c) == 3 for c in now.values()))
    status, findings = machines.check("host")
    assert status == 0 and not machines.commands(findings), shown(findings)
