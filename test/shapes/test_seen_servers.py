# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everyday faults of servers: rules per link, prefixes, bridges, tunnels, containers, cables."""

from __future__ import annotations

import time
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
    nft,
    pairs,
    routed,
    sysctl,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, ROOM, Named, announce, announcing, on, start
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

ROUTED, PORTAL6 = "10.2.1.1", "fd01:1::1"
#: A SYN that waits is overdue after three seconds.
OVERDUE = 4
HOWS = ("trial", "connected")


def six(*steps: Step) -> Step:
    return both(pairs(span(3), "6"), ROOM, announce(1, 2, 3, place="fd01:{}::1"), *steps)


def by_router(*steps: Step) -> Step:
    return both(routed(2, 2), ROOM, announce(1, 2, place="10.2.{}.1"), *steps)


def table_of_each(*lines: str, dev: bool = True, spoil: Step = ROOM) -> Step:
    """Three links with a table each to a target with one, and what is wrong with the tables."""
    return both(routed(3, 1, policy="host"), limits("host", 8, 0), limits("target", 8, 8),
                start(2, 3, dev=dev), ip("host", *lines), spoil)  # fmt: skip


def rules_of(side: str, text: str) -> Step:
    return lambda net: net.run(side, "nft", "-f", "-", stdin=f"table {text}\n") and None


def run(side: str, *words: str) -> Step:
    return lambda net: net.run(side, *words) and None


def instead(side: str, *lines: str) -> Step:
    """Other addresses of the third link of a side."""
    return ip(side, "addr flush dev eth3 scope global", *lines)


def third(host: str, target: str) -> Step:
    """A third link with these addresses of both ends, the second of which is announced."""

    def built(net: Net) -> None:
        pairs(span(2))(net)
        cable(net, "host", "eth3", "target", "eth3")
        net.ip("host", f"addr add {host} brd + dev eth3")
        net.ip("target", f"addr add {target} dev eth3")
        address = target.partition("/")[0]
        both(ROOM, announce(1, 2), endpoint("target", address, "dev", "eth3", "signal"))(net)

    return built


def bridged(options: str = "") -> Step:
    """The third link of the host belongs to a bridge, which has the address."""
    return instead("host", f"link add br3 type bridge {options}", "link set br3 up",
                   "link set eth3 down", "link set eth3 master br3", "link set eth3 up",
                   "addr add 10.1.3.2/24 dev br3")  # fmt: skip


def pushed_by_a_vpn(net: Net) -> None:
    announcing()(net)
    cable(net, "host", "vpn0", "vpn", "peer0")
    net.ip("vpn", "addr add 10.66.0.1/24 dev peer0")
    net.ip("host", "addr add 10.66.0.2/24 dev vpn0",
           "route add 10.1.3.0/25 via 10.66.0.1 dev vpn0")  # fmt: skip


def switched(*links: int, rule: str = "") -> Step:
    """Both ends of these links are on one switch, with a rule for what it forwards."""

    def built(net: Net) -> None:
        pairs([i for i in span(3) if i not in links])(net)
        net.add("switch")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        for i in links:
            for side, last in (("host", 2), ("target", 1)):
                cable(net, side, f"eth{i}", "switch", f"{side}{i}")
                net.ip("switch", f"link set {side}{i} master br0")
                net.ip(side, f"addr add 10.1.{i}.{last}/24 dev eth{i}")
        if rule:
            chain = f"type filter hook forward priority 0; ip version 4 {rule}"
            net.run("switch", "nft", "-f", "-",
                    stdin=f"table bridge b {{ chain c {{ {chain}; }}; }}\n")  # fmt: skip
        both(ROOM, announce(1, 2, 3))(net)

    return built


def same_hardware(net: Net) -> None:
    net.ip("host", f"link set eth3 address {hardware(net, 'host', 'eth2')}")


def tunnel(remote: str, number: int = 44) -> Step:
    """A third link that is a tunnel over a card, with this far end and number on the host."""

    def built(net: Net) -> None:
        pairs(span(2))(net)
        cable(net, "host", "eth3", "target", "eth3")
        for side, last, far, n in (
            ("host", 2, remote, number),
            ("target", 1, "172.20.3.2", 44),
        ):
            net.ip(side, f"addr add 172.20.3.{last}/24 dev eth3",
                   f"link add vx3 type vxlan id {n} dstport 4789 "
                   f"local 172.20.3.{last} remote {far} dev eth3",
                   "link set vx3 up", f"addr add 10.1.3.{last}/24 dev vx3")  # fmt: skip
        both(ROOM, announce(1, 2), endpoint("target", "10.1.3.1", "dev", "vx3", "signal"))(net)

    return built


def published(net: Net) -> None:
    """The target is in a container, whose machine publishes its port on both links."""
    net.add("docker")
    net.sysctl("docker", "net.ipv4.ip_forward=1")
    for i in span(2):
        inside = f"172.{16 + i}.0"
        cable(net, "host", f"eth{i}", "docker", f"up{i}")
        cable(net, "target", f"eth{i}", "docker", f"down{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("docker", f"addr add 10.1.{i}.1/24 dev up{i}",
               f"addr add {inside}.1/16 dev down{i}")  # fmt: skip
        net.ip("target", f"addr add {inside}.2/16 dev eth{i}",
               f"route add 10.1.{i}.0/24 via {inside}.1 dev eth{i}",
               f"mptcp endpoint add {inside}.2 dev eth{i} signal")  # fmt: skip
    nat = "; ".join(f"ip daddr 10.1.{i}.1 tcp dport {PORT} dnat to 172.{16 + i}.0.2"
                    for i in span(2))  # fmt: skip
    rules_of("docker", f"ip n {{ chain c {{ type nat hook prerouting priority -100; {nat}; }}; }}")(
        net
    )
    ROOM(net)


def second_target(net: Net) -> None:
    """Limits that are enough for the first of two targets."""
    both(announcing(2), limits("host", 2, 2))(net)
    net.add("other")
    for i in range(5, 9):
        cable(net, "host", f"eth{i}", "other", f"eth{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("other", f"addr add 10.1.{i}.1/24 dev eth{i}",
               f"mptcp endpoint add 10.1.{i}.1 dev eth{i} signal")  # fmt: skip
    net.ip("other", "mptcp limits set subflows 8 add_addr_accepted 0")
    net.listen("0.0.0.0", side="other")


def temporary(net: Net) -> None:
    """A firewall of the target lists the lasting addresses of the host."""
    six(sysctl("host", "net.ipv6.conf.eth3.use_tempaddr=2"))(net)
    net.ip("host", "addr del fd01:3::2/64 dev eth3",
           "addr add fd01:3::2/64 dev eth3 mngtmpaddr nodad "
           "valid_lft 86400 preferred_lft 14400")  # fmt: skip
    end = time.monotonic() + 10
    while not net.run("host", "ip", "-6", "-o", "addr", "show", "temporary").strip():
        assert time.monotonic() < end, "the kernel makes no temporary address"
        time.sleep(0.05)
    known = "ip6 saddr { fd01:1::2, fd01:2::2, fd01:3::2 } accept"
    nft("target", "input", "meta l4proto ipv6-icmp accept", known, f"tcp dport {PORT} drop")(net)


def swapped_cards(net: Net) -> None:
    """Two cards of the target have each other's addresses, and each answers for its own alone."""
    pairs((1,))(net)
    for i in (2, 3):
        cable(net, "host", f"eth{i}", "target", f"eth{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("target", f"addr add 10.1.{5 - i}.1/24 dev eth{i}",
               f"mptcp endpoint add 10.1.{5 - i}.1 dev eth{i} signal")  # fmt: skip
    both(ROOM, announce(1), sysctl("target", "net.ipv4.conf.all.arp_ignore=1"))(net)


def swapped_in_the_router(net: Net) -> None:
    """The cables of both links of the host are in each other's port of the router."""
    net.add("router")
    net.sysctl("router", "net.ipv4.ip_forward=1")
    for i in span(2):
        cable(net, "host", f"eth{i}", "router", f"host{3 - i}")
        cable(net, "target", f"eth{i}", "router", f"target{i}")
        net.ip("router", f"addr add 10.1.{3 - i}.254/24 dev host{3 - i}",
               f"addr add 10.2.{i}.254/24 dev target{i}")  # fmt: skip
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}",
               f"route add 10.2.{i}.0/24 via 10.1.{i}.254 dev eth{i}")  # fmt: skip
        net.ip("target", f"addr add 10.2.{i}.1/24 dev eth{i}",
               f"route add 10.1.{i}.0/24 via 10.2.{i}.254 dev eth{i}")  # fmt: skip
    both(ROOM, announce(1, 2, place="10.2.{}.1"))(net)


def second_address(back: str = "") -> Step:
    """An endpoint has another address of its link than the one in the target's network."""
    return both(
        pairs(span(2)), limits("host", 8, 0), limits("target", 8, 0),
        ip("host", "addr add 172.31.2.2/24 dev eth2", "route add 10.1.1.1/32 dev eth1 metric 10",
           "route add 10.1.1.1/32 via 10.1.2.1 dev eth2 metric 20"),
        endpoint("host", "172.31.2.2", "dev", "eth2", "subflow"), ip("target", *back.splitlines()),
    )  # fmt: skip


def redirected(words: str) -> Step:
    """The host sends TCP connections to a proxy on itself, which does not run."""
    rule = f"iptables -t nat -A OUTPUT -p tcp {words} -j REDIRECT --to-ports 15001"
    return run("host", *rule.split())


def moved(net: Net) -> None:
    """A container has the third link of the host."""
    announcing()(net)
    net.add("pod")
    net.ip("host", "link set eth3 netns {pod}")
    net.ip("pod", "link set eth3 up")


def shaped(burst: int) -> Step:
    return run("host", *f"tc qdisc add dev eth3 root tbf rate 10mbit burst {burst} limit 20000"
               .split())  # fmt: skip


@dataclass(frozen=True)
class Case(Named):
    """What is wrong, and the rule and words that name it; nothing else is found."""

    rule: str
    words: tuple[str, ...]
    portal: str = PORTAL
    needs: tuple[str, ...] = ()
    #: The link that connections are bound to.
    device: str = ""
    #: Links that carry after all that is printed; 0: the cause cannot be repaired by a command.
    heals: int = 0


OWN = "This host's own firewall"
BY_ETH2 = ("leave over eth3", "arrive over eth2")

CASES = [
    Case("mtu-too-small-for-ipv6", six(ip("host", "link set eth3 mtu 1200")), "R01",
         ("its MTU of 1200 is too small for IPv6", "ip link set dev eth3 mtu 1280"), PORTAL6),
    Case("rule-of-type-blackhole", both(announcing(), ip(
        "host", "rule add from 10.1.3.2 blackhole")), "R01",
         ("10.1.3.1", "the routing rule with priority 32765 (from 10.1.3.2, type blackhole)")),
    Case("rule-for-a-port-of-type-prohibit", both(announcing(), ip(
        "host", f"rule add ipproto tcp dport {PORT} to 10.1.3.0/24 prohibit")), "R01",
         ("10.1.3.1", "the routing rule with priority 32765 (to 10.1.3.0/24, type prohibit)")),
    Case("rule-for-a-device-forbids", table_of_each(
        "rule add oif eth3 pref 50 lookup 99", "route add unreachable default table 99"), "R01",
         ("has a route to 10.2.1.1 over eth3", "unreachable in table 99", "priority 50"), ROUTED),
    Case("rule-to-an-empty-table", table_of_each(
        "rule del from 10.1.3.2 table 103", "rule add from 10.1.3.2 table 130"), "R01",
         ("Packets from 10.1.3.2 leave over eth1",), ROUTED),
    Case("rule-after-main", table_of_each(
        "rule del from 10.1.3.2 table 103", "rule add from 10.1.3.2 table 103 pref 40000",
        dev=False, spoil=sysctl("router", "net.ipv4.conf.all.rp_filter=1")), "H07",
         ("leads over eth1 instead of eth3",), ROUTED, heals=3),
    Case("half-of-the-network-by-another-link",
         both(announcing(), ip("host", "route add 10.1.3.0/25 dev eth2")), "C14",
         ("10.1.3.1 is in the network of eth3", "leads there over eth2")),
    Case("pushed-by-a-vpn", pushed_by_a_vpn, "F01",
         ("the route over vpn0 has precedence", "Link eth3")),
    Case("no-gateway", by_router(ip("host", "route del 10.2.2.0/24",
                                    "route add 10.2.2.0/24 dev eth2")), "R08",
         ("The route to 10.2.2.1 over eth2 has no gateway", "through 10.1.2.254 there"), ROUTED),
    Case("no-gateway-of-the-target", by_router(ip("target", "route del 10.1.2.0/24",
                                                  "route add 10.1.2.0/24 dev eth2")), "R05",
         ("The route of the target decides",), ROUTED),
    Case("other-half-of-the-network", third("10.1.3.200/25", "10.1.3.1/24"), "R01",
         ("The prefix length of 10.1.3.200/25", "is too long")),
    Case("broadcast-address", third("10.1.3.2/30", "10.1.3.3/24"), "R01",
         ("10.1.3.2/30", "is too long", "10.1.3.3 is the broadcast address of that network")),
    Case("prefix-length-128", six(instead("host", "addr add fd01:3::2/128 dev eth3 nodad")), "R01",
         ("fd01:3::2/128", "is too long"), PORTAL6),
    Case("no-answer-of-dhcp", both(announcing(), instead(
        "host", "addr add 169.254.7.7/16 dev eth3 scope link")), "R01",
         ("169.254.7.7/16 is in another network", "needs one in the network of 10.1.3.1")),
    Case("deprecated-beside-another-prefix", six(instead(
        "host", "addr add fd01:3::2/64 dev eth3 nodad preferred_lft 0",
        "addr add 2001:db8:99::2/64 dev eth3 nodad")), "R05",
         ("Nothing starts from fd01:3::2", "it is deprecated", "takes 2001:db8:99::2"), PORTAL6),
    Case("prefix-length-16-of-the-target", both(announcing(), ip(
        "target", *(line for i in (2, 3) for line in (
            f"addr flush dev eth{i}", f"addr add 10.1.{i}.1/16 dev eth{i}")))), "R05", BY_ETH2),
    Case("spanning-tree", both(announcing(), bridged("stp_state 1 forward_delay 3000")), "A07",
         ("Link br3 has no carrier", "its port eth3 has one", "STP", "state listening"),
         needs=("bridge",)),
    Case("one-hardware-address", both(switched(2, 3), same_hardware), "A13",
         ("Links eth2 and eth3 of this host have the same hardware address",), needs=("bridge",)),
    Case("mtu-of-a-route", both(announcing(), ip(
        "host", "route change 10.1.3.0/24 dev eth3 mtu 576")), "A09",
         ("at most 576 bytes", "a route of this host (mtu) limits it")),
    Case("temporary-address", temporary, "F01",
         ("It accepts a connection from fd01:3::2", "is a temporary address"), PORTAL6, ("nft",)),
    Case("cables-swapped-in-a-router", swapped_in_the_router, "R05",
         ("the cables of both links are swapped",),
         ROUTED),
    Case("firewall-of-a-bridge", both(announcing(), bridged(), rules_of(
        "host", "bridge b { chain c { type filter hook output priority 0; "
        f'oifname "eth3" ip protocol tcp tcp dport {PORT} drop; }}; }}')), "F10",
         (OWN, "leave over br3", "on none of its ports"), needs=("bridge", "nft")),
    Case("firewall-of-a-bridge-drops-replies", both(announcing(), bridged(), rules_of(
        "host", "bridge b { chain c { type filter hook input priority 0; "
        f'iifname "eth3" ip protocol tcp tcp sport {PORT} drop; }}; }}')), "F10",
         (OWN, "replies in br3", "at a port of that bridge"), needs=("bridge", "nft")),
    Case("firewall-of-a-card", both(announcing(), rules_of(
        "host", 'netdev n { chain c { type filter hook ingress device "eth3" priority 0; '
        f"tcp sport {PORT} drop; }}; }}")), "F10", (OWN, "replies on eth3"), needs=("nft",)),
    Case("not-tracked", both(announcing(), rules_of(
        "host", "inet f { chain r { type filter hook prerouting priority -300; "
        'iifname "eth3" notrack; }; chain i { type filter hook input priority 0; policy drop; '
        'iifname "lo" accept; icmp type echo-request accept; ct state established,related accept; '
        "}; }")), "F10", (OWN, "replies on eth3"), needs=("nft",)),
    Case("portal-alone-allowed", both(announcing(), nft(
        "host", "output", "policy drop", 'oifname "lo" accept', "icmp type echo-request accept",
        "ct state established,related accept", f"ip daddr 10.1.1.1 tcp dport {PORT} accept")),
         "F10", (OWN, "leave over eth2", "leave over eth3"), needs=("nft",)),
    Case("one-network-allowed", both(announcing(), nft(
        "target", "input", "policy drop", 'iifname "lo" accept', "meta l4proto icmp accept",
        "ct state established,related accept",
        f"ip saddr 10.1.1.0/24 tcp dport {PORT} accept")), "F01",
         ("over eth2 gets no reply, although an echo request does: a firewall drops it",),
         needs=("nft",)),
    Case("redirected-to-a-proxy", both(announcing(), redirected("-d 10.1.3.1")), "F10",
         (OWN, "to 127.0.0.1, port 15001, of this host itself"), needs=("iptables",)),
    Case("addresses-of-two-cards-swapped", swapped_cards, "R08",
         ("The target's card on eth3", "has 10.1.2.1", "are swapped")),
    Case("strict-filter-and-replies-elsewhere", both(
        announcing(), sysctl("host", "net.ipv4.conf.all.rp_filter=1"),
        ip("target", "route add 10.1.3.2/32 via 10.1.1.2 dev eth1")), "R05",
         ("over the link to eth1 instead of eth3", "this host drops the answers")),
    Case("packets-lost", switched(3, rule="numgen inc mod 3 == 0 drop"), "A12",
         ("Link eth3 loses packets of any size",), needs=("bridge", "nft")),
    Case("small-link-behind-a-router", by_router(
        ip("router", "link set target2 mtu 1300"),
        nft("router", "output", "icmp type destination-unreachable drop")), "A12",
         ("Link eth2 loses packets of 1500 bytes", "beyond the router 10.1.2.254"),
         ROUTED, ("nft",)),
    Case("endpoint-of-a-second-address", second_address(), "R05",
         ("A connection from 10.1.2.2, another address of eth2, is accepted",
          "no way back to 172.31.2.2", "ip mptcp endpoint add 10.1.2.2 dev eth2")),
    Case("devices-of-endpoints-swapped", both(
        joinable(), endpoint("host", "10.1.2.2", "dev", "eth3", "subflow"),
        endpoint("host", "10.1.3.2", "dev", "eth2", "subflow")), "H08",
         ("is on device eth3, but eth2 has its address",), heals=3),
    Case("limits-of-another-target", second_target, "H06", ("announces 3 addresses", "only 2"),
         "10.1.5.1"),
    Case("far-end-of-a-tunnel", tunnel("172.20.3.99"), "R08",
         ("vx3 is a tunnel to 172.20.3.99", "does not answer on eth3", "wrong far end"),
         needs=("vxlan",)),
    Case("number-of-a-tunnel", tunnel("172.20.3.1", 45), "R08",
         ("vx3 is a tunnel to 172.20.3.1", "that machine answers", "number (such as a VNI)"),
         needs=("vxlan",)),
    Case("published-port", published, "R01",
         ("announces 172.18.0.2", "such as 10.1.2.1, through which the target answers"),
         needs=("nft",), heals=2),
    Case("bound-to-another-link", announcing(), "C14",
         ("10.1.1.1 is in the network of eth1", "bound to eth2 (host_iface)"),
         device="eth2"),
    Case("burst-below-a-packet", both(announcing(), shaped(600)), "A12",
         ("traffic control of this host drops them", "tbf of eth3")),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("case", CASES, ids=str)
@at_once
def test_the_cause_is_named(case: Case, how: str, net: Net, machines: Machines) -> None:
    require(*case.needs)
    case.build(net)
    machines.offer("::")
    if how == "trial":
        words = ("--host-iface", case.device) if case.device else ()
        findings, _ = machines.trial(case.portal, *words)
    else:
        machines.attach(case.portal, device=case.device)
        net.settles((), lambda now: False, OVERDUE)
        findings = machines.checked(how)
    assert set(rules(findings)) == {case.rule}, shown(findings)
    assert all(word in shown(findings) for word in case.words), shown(findings)
    if not case.heals:
        return
    machines.obey(findings)
    if how == "trial":
        machines.attach(case.portal)
    elif case.rule == "R01":
        machines.reattach()
    carried = net.settles((), on(case.heals))
    assert [len(count) for count in carried.values()] == [case.heals] * 2, shown(findings)
    machines.clean()


#: What looks alike, and is right.
NEAR: dict[str, Step] = {
    "rule-for-another-port": both(announcing(), ip(
        "host", "rule add ipproto tcp dport 445 to 10.1.3.0/24 prohibit")),
    "rule-for-another-device": both(announcing(), ip(
        "host", "rule add oif eth9 pref 50 lookup 99", "route add unreachable default table 99")),
    "smallest-mtu-of-ipv6": six(ip("host", "link set eth3 mtu 1280")),
    "network-of-four-addresses": third("10.1.3.2/30", "10.1.3.1/30"),
    "bridge-with-a-firewall": both(announcing(), bridged(), rules_of(
        "host", "bridge b { chain c { type filter hook output priority 0; tcp dport 9 drop; }; }")),
    "one-hardware-address-on-two-wires": both(announcing(), same_hardware),
    "redirected-port-of-another-service": both(announcing(), redirected("--dport 80")),
    "echo-requests-limited": both(announcing(), nft(
        "target", "input", "icmp type echo-request limit rate over 3/second burst 3 packets drop")),
    "burst-of-packets": both(announcing(), shaped(20000)),
    "addresses-of-cards-for-their-own-links": both(
        announcing(), sysctl("target", "net.ipv4.conf.all.arp_ignore=1")),
    "tunnel-as-a-link": tunnel("172.20.3.1"),
    "fewer-links-than-the-target": moved,
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    require("bridge", "nft", "iptables", "vxlan")
    NEAR[name](net)
    portal = PORTAL6 if name.endswith("ipv6") else PORTAL
    machines.connect(portal)
    net.settles(LINKS, on(2 if name.startswith("fewer") else 3))
    machines.clean(portal)


@at_once
def test_an_endpoint_of_a_second_address_works(net: Net, machines: Machines) -> None:
    second_address("route add 172.31.2.0/24 via 10.1.2.2 dev eth2")(net)
    machines.connect(PORTAL)
    net.settles(LINKS[:2], on(2))
    machines.clean(PORTAL)
