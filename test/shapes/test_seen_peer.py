# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults of targets and ways to them: with the other side's report, both sides name the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import shape_xdp
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
    sysctl,
)
from shape_damages import LINKS, PORTAL, ROOM, Named, announce, announcing, nothing, on, start
from shape_net import PORT, Net
from shape_nvme import Machines, anywhere, rules, shown
from shape_pool import at_once, require
from shape_rows import span
from test_seen_machines import switched
from test_seen_ways import ROUTED, by_router

THERE = "target"
#: A SYN that waits is overdue after three seconds.
OVERDUE = 4


def table(family: str, hook: str, rule: str, words: str = "filter", priority: int = 0) -> Step:
    """A rule of the target's firewall in a table of its own."""
    text = f"chain c {{ type {words} hook {hook} priority {priority}; {rule}; }};"
    stdin = f"table {family} own {{ {text} }}\n"
    return lambda net: net.run(THERE, "nft", "-f", "-", stdin=stdin) and None


def ipsec(direction: str, *ends: str, sa: bool = False) -> Step:
    """A policy of the target that requires ESP, and an association that serves it."""
    words = f"src {ends[0]} dst {ends[1]}"
    lines = [f"xfrm policy add dir {direction} {words} tmpl proto esp mode transport"]
    if sa:
        lines.append(f"xfrm state add {words} proto esp spi 7 mode transport "
                     "enc cipher_null '' auth digest_null ''")  # fmt: skip
    return ip(THERE, *lines)


def third(*, announced: bool = False) -> Step:
    """Two links are announced, and a third one is there."""
    return both(announcing(2), pairs((3,)), announce(3) if announced else nothing)


def dropped_by_tc(net: Net) -> None:
    """A filter of traffic control drops TCP to the port."""
    net.run(THERE, "tc", "qdisc", "add", "dev", "eth3", "clsact")
    net.run(THERE, "tc", "filter", "add", "dev", "eth3", "ingress", "bpf", "direct-action",
            "bytecode", "8,40 0 0 12,21 0 5 2048,48 0 0 23,21 0 3 6,40 0 0 36,"
            f"21 0 1 {PORT},6 0 0 2,6 0 0 0")  # fmt: skip


def dropped_by_xdp(net: Net) -> None:
    """A program of the card itself drops TCP to the port."""
    net.run(THERE, sys.executable, shape_xdp.__file__, "eth3", str(PORT))


def container(net: Net) -> None:
    """The target is behind a router that translates its addresses, and announces its own."""
    net.add("router")
    net.sysctl("router", "net.ipv4.ip_forward=1")
    rules_ = []
    for i in span(2):
        cable(net, "host", f"eth{i}", "router", f"host{i}")
        cable(net, THERE, f"eth{i}", "router", f"target{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("router", f"addr add 10.1.{i}.1/24 dev host{i}",
               f"addr add 172.17.{i}.1/24 dev target{i}")  # fmt: skip
        net.ip(THERE, f"addr add 172.17.{i}.2/24 dev eth{i}",
               f"route add 10.1.{i}.0/24 via 172.17.{i}.1")  # fmt: skip
        rules_.append(f"ip daddr 10.1.{i}.1 tcp dport {PORT} dnat to 172.17.{i}.2")
    chain = f"type nat hook prerouting priority -100; {'; '.join(rules_)};"
    net.run("router", "nft", "-f", "-", stdin=f"table ip nat {{ chain c {{ {chain} }}; }}\n")
    both(ROOM, announce(1, 2, place="172.17.{}.2"))(net)


def old_ones(net: Net) -> None:
    """The endpoints of addresses that are gone fill the table."""
    both(pairs(span(3)), ROOM, announce(2),
         *(endpoint(THERE, f"10.77.0.{i}", "signal") for i in span(7)))(net)  # fmt: skip


def by_switch(net: Net) -> None:
    """A switch drops what is sent to the port."""
    switched()(net)
    rule = f"ip protocol tcp tcp dport {PORT} drop"
    net.run("switch", "nft", "-f", "-", stdin="table bridge own { chain c { "
            f"type filter hook forward priority 0; {rule}; }}; }}\n")  # fmt: skip


@dataclass(frozen=True)
class Fault(Named):
    """What is wrong, and the rules and words of what both sides find with the other's report."""

    rules: tuple[str, ...]
    words: str
    portal: str = PORTAL
    #: What the target finds alone.
    alone: tuple[str, ...] = ()
    #: A command that is printed on the side that it names.
    command: tuple[str, str] | None = None


RULESET = (THERE, "nft list ruleset")
ITSELF = "a firewall drops it in the target itself"
DROP = f"tcp dport {PORT} drop"
#: A table of the target's routing for one link, without a route or with a wrong one.
POLICY = ip(THERE, "rule add from 10.1.3.1 lookup 103",
            "route add default via 10.1.3.99 dev eth3 table 103")  # fmt: skip

FAULTS = [
    Fault("no-flag", both(third(), endpoint(THERE, "10.1.3.1", "dev", "eth3")), ("T01",),
          "has neither the flag signal nor another one", alone=("T01",),
          command=(THERE, "ip mptcp endpoint add 10.1.3.1 dev eth3 id 3 signal")),
    Fault("address-of-another-network", both(
        third(), ip(THERE, "addr add 10.9.3.1/24 dev eth3"),
        endpoint(THERE, "10.9.3.1", "dev", "eth3", "signal")), ("T01",),
        "Its link eth3 also has 10.1.3.1, which the host reaches",
        command=(THERE, "ip mptcp endpoint add 10.1.3.1 dev eth3 signal")),
    Fault("old-ones-fill-the-table", old_ones, ("H10", *["T04"] * 7), "table of endpoints is full",
          alone=("H10", *["T04"] * 7)),
    Fault("port-of-an-endpoint-is-dropped", both(
        third(), endpoint(THERE, "10.1.3.1", "dev", "eth3", "signal", "port", "4421"),
        table("inet", "input", "tcp dport 4421 drop")), ("F01",),
        "to port 4421 gets no reply, although an echo request does: " + ITSELF, command=RULESET),
    Fault("answers-are-dropped", both(announcing(), table(
        "inet", "output", f'oifname "eth3" tcp sport {PORT} drop')), ("F01",), ITSELF,
        command=RULESET),
    Fault("list-of-sources", both(announcing(), table(
        "inet", "input", f"ip saddr != 10.1.1.2 {DROP}")), ("F01", "F01"), ITSELF,
        command=RULESET),
    Fault("sent-to-an-absent-address", both(announcing(), table(
        "ip", "prerouting", f'iifname "eth3" tcp dport {PORT} dnat to 10.1.3.7', "nat", -100)),
        ("F01",), ITSELF, command=RULESET),
    Fault("traffic-control", both(announcing(), dropped_by_tc), ("F01",),
          "no rules of a firewall: a filter of its traffic control (tc) drops it",
          command=(THERE, "tc filter show dev eth3 ingress")),
    Fault("program-of-a-link", both(announcing(), dropped_by_xdp), ("F01",),
          "no rules of a firewall: an eBPF program of a link (XDP or tcx) drops it",
          command=(THERE, "bpftool net show")),
    Fault("traffic-control-and-firewall", both(
        announcing(), dropped_by_tc, table("inet", "input", "tcp dport 1 drop")), ("F01",),
        ITSELF, command=RULESET),
    Fault("arp-is-dropped", both(announcing(), table("arp", "input", 'iifname "eth3" drop')),
          ("R08",), "a firewall of the target drops ARP", command=RULESET),
    Fault("arp-is-off", both(announcing(), ip(THERE, "link set eth3 arp off")), ("R08",),
          "ARP is off on eth3", alone=("R08",), command=(THERE, "ip link set dev eth3 arp on")),
    Fault("policy-of-ipsec-out", both(announcing(), ipsec("out", "10.1.3.1", "10.1.3.2")),
          ("F10",), "drops what is sent from there to 10.1.3.2/32: it requires a security",
          command=(THERE, "ip xfrm policy list")),
    Fault("policy-of-ipsec-in", both(announcing(), ipsec("in", "10.1.3.0/24", "10.1.3.1")),
          ("F10",), "drops what arrives there from 10.1.3.0/24: it requires a security",
          command=(THERE, "ip xfrm policy list")),
    # It is not known whether the negotiation of other hosts fails.
    Fault("policy-of-ipsec-for-others", both(
        announcing(), ipsec("in", "10.1.3.77", "10.1.3.1"),
        table("inet", "input", f'iifname "eth3" {DROP}')), ("F01",), ITSELF, command=RULESET),
    Fault("rule-forbids-the-port", both(announcing(), ip(
        THERE, f"rule add from 10.1.3.1 ipproto tcp sport {PORT} prohibit")), ("R05",),
        "routing rule of priority 32765 forbids some of its packets",
        command=(THERE, "ip rule show")),
    Fault("table-of-the-port-forbids", both(announcing(), ip(
        THERE, "rule add from 10.1.3.1 ipproto tcp lookup 88",
        "route add blackhole default table 88")), ("R05",), "forbid"),
    Fault("switch-drops-the-port", by_switch, ("F01",),
          "between both, in a switch: the target, which has 10.1.3.1 on eth3"),
    Fault("router-of-a-table-is-gone", both(announcing(), POLICY), ("R05",),
          "through the router 10.1.3.99, which does not answer it on eth3"),
    Fault("route-by-the-management-link", both(announcing(), management(), ip(
        THERE, "route add 10.1.3.2/32 via 192.168.8.1 dev mgmt0")), ("R05",),
        "over mgmt0 instead of eth3"),
    Fault("router-drops-the-answers", by_router(nft("router", "forward", 'iifname "target2" drop')),
          ("F01",), "a router or a firewall on the path drops the join", ROUTED),
    Fault("no-return-route", by_router(ip(THERE, "route del 10.1.2.0/24")), ("R05",),
          "has no route back to 10.1.2.2", ROUTED),
    Fault("rejected-by-the-target", both(announcing(), table(
        "ip", "input", f'iifname "eth3" tcp dport {PORT} reject with icmp type host-prohibited')),
        ("F02",), "a firewall of the target rejects it", command=RULESET),
    Fault("in-a-container", container, ("F09",), "there is address translation (NAT) between both"),
    Fault("target-without-room", both(joined(4), limits(THERE, 2, 0)), ("T06",),
          "includes accepted", alone=("T06",),
          command=(THERE, "ip mptcp limits set subflows 8")),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@at_once
def test_both_sides_name_it(fault: Fault, net: Net, machines: Machines) -> None:
    require("nft", "bridge")
    fault.build(net)
    machines.connect(fault.portal)
    net.settles(LINKS, lambda now: False, OVERDUE)
    alone = machines.check(THERE)[1]
    assert tuple(rules(alone)) == fault.alone, shown(alone)
    for side, other in (("host", THERE), (THERE, "host")):
        findings = machines.check(side, "--peer", str(machines.report(other)))[1]
        assert tuple(rules(findings)) == fault.rules, f"{side}:\n{shown(findings)}"
        assert fault.words in shown(findings), f"{side}:\n{shown(findings)}"
        if fault.command:
            assert fault.command in machines.commands(findings), f"{side}:\n{shown(findings)}"


def numbered(machines: Machines) -> None:
    machines.offer("0.0.0.0", number=4421)


def empty(machines: Machines) -> None:
    """A port without a subsystem, at which nothing listens."""
    machines.offer("0.0.0.0", number=4425)
    port = machines.fakes[THERE].sys / "kernel/config/nvmet/ports/1"
    (port / "addr_trsvcid").write_text(f"{PORT}\n")
    for subsystem in (port / "subsystems").iterdir():
        subsystem.rmdir()


#: A network, how the target listens, and the rule and words of a trial with its report.
FAILURES: dict[str, tuple[Step, Callable[[Machines], None], str, str, str]] = {
    "another-number": (announcing(), numbered, PORTAL, "C09",
                       "no port of it has the number 4420. Port 1 is at 0.0.0.0 and has the "
                       "number 4421"),
    "no-subsystem": (announcing(), empty, PORTAL, "T14", "offers no subsystem"),
    "ipv6-only": (both(announcing(), sysctl(THERE, "net.ipv6.bindv6only=1")),
                  lambda machines: machines.offer("::"), PORTAL, "C09",
                  "takes IPv6 only, because net.ipv6.bindv6only is set there"),
    "hop-limit": (by_router(sysctl(THERE, "net.ipv4.ip_default_ttl=1")),
                  lambda machines: machines.offer("0.0.0.0"), ROUTED, "C09",
                  "The target sends with a hop limit (TTL) of 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
@at_once
def test_the_report_explains_a_trial_that_fails(name: str, net: Net, machines: Machines) -> None:
    build, listens, portal, rule, words = FAILURES[name]
    build(net)
    listens(machines)
    findings = machines.trial(portal, "--peer", str(machines.report(THERE)))[0]
    assert rules(findings) == [rule], shown(findings)
    assert words in shown(findings), shown(findings)


@at_once
def test_no_port_takes_the_place_of_another(net: Net, machines: Machines) -> None:
    """Of several ports, none is moved to all addresses: the kernel refuses it beside the others."""
    announcing()(net)
    machines.offer("10.1.1.1", number=4421, name="1")
    machines.offer("10.1.2.1", name="2")
    findings = machines.check(THERE)[1]
    assert rules(findings) == ["T03", "T03"], shown(findings)
    assert "Add a port at 10.1.3.1" in shown(findings), shown(findings)
    assert not any("addr_traddr" in c for _, c in machines.commands(findings)), shown(findings)


def beside(net: Net) -> None:
    """Another target in the same networks, whose third link drops what is sent to it."""
    net.add("switch", "other")
    for i in span(3):
        net.ip("switch", f"link add br{i} type bridge", f"link set br{i} up")
        for side, last in (("host", 2), (THERE, 1), ("other", 3)):
            cable(net, side, f"eth{i}", "switch", f"{side}{i}")
            net.ip("switch", f"link set {side}{i} master br{i}")
            net.ip(side, f"addr add 10.1.{i}.{last}/24 dev eth{i}")
    both(
        ROOM,
        announce(1, 2, 3),
        limits("other", 8, 0),
        nft("other", "input", f'iifname "eth3" {DROP}'),
        *(endpoint("other", f"10.1.{i}.3", "dev", f"eth{i}", "signal") for i in span(3)),
    )(net)
    net.listen("0.0.0.0", side="other")


@at_once
def test_what_the_host_sees_of_another_target(net: Net, machines: Machines) -> None:
    """It is no finding about the target that reads the host's report."""
    require("bridge", "nft")
    beside(net)
    machines.connect(PORTAL)
    machines.attach_also("10.1.1.3", "nqn.2026-01.org.example:other")
    net.settles(LINKS, lambda now: False, OVERDUE)
    assert "10.1.3.3" in shown(machines.check("host")[1])
    status, findings = machines.check(THERE, "--peer", str(machines.report("host")))
    assert status == 0, shown(findings)


def masqueraded(net: Net) -> None:
    """What the host sends by its second link has the router's address."""
    by_router()(net)
    chain = 'type nat hook postrouting priority 100; oifname "target2" masquerade;'
    net.run("router", "nft", "-f", "-", stdin=f"table ip nat {{ chain c {{ {chain} }}; }}\n")


STATEFUL = ('iifname "lo" accept; ct state established,related accept; ip protocol icmp accept; '
            f"tcp dport {PORT} accept; drop")  # fmt: skip

#: What looks like a fault and is none, and how many links carry.
HEALTHY: dict[str, tuple[Step, int]] = {
    "checksums-of-the-target": (
        both(announcing(), sysctl(THERE, "net.mptcp.checksum_enabled=1")), 3),
    "no-echo": (both(announcing(), sysctl(THERE, "net.ipv4.icmp_echo_ignore_all=1")), 3),
    "source-nat-of-a-link": (masqueraded, 2),
    "larger-packets-of-the-host": (both(announcing(), ip("host", "link set eth3 mtu 9000")), 3),
    "network-that-has-the-others": (both(announcing(), ip(
        THERE, "addr flush dev eth3", "addr add 10.1.3.1/16 dev eth3")), 3),
    "guests-on-the-target": (both(third(), ip(
        THERE, "addr flush dev eth3", "link add br3 type bridge", "link set br3 up",
        "link set eth3 master br3", "addr add 10.1.3.1/24 dev br3"),
        endpoint(THERE, "10.1.3.1", "dev", "br3", "signal")), 3),
    "firewall-that-knows-connections": (both(announcing(), table("inet", "input", STATEFUL)), 3),
    "ipsec-of-other-networks": (
        both(announcing(), ipsec("out", "10.66.0.0/16", "10.67.0.0/16")), 3),
    "rule-of-another-port": (both(announcing(), ip(
        THERE, "rule add from 10.1.3.1 ipproto tcp sport 22 prohibit")), 3),
    "no-flag-and-hosts-that-start": (
        both(joined(), endpoint(THERE, "10.1.3.1", "dev", "eth3")), 3),
    "hop-limit-that-suffices": (by_router(sysctl(THERE, "net.ipv4.ip_default_ttl=2")), 2),
    "started-by-both": (both(announcing(2), start(1)), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
@at_once
def test_nothing_is_found(name: str, net: Net, machines: Machines) -> None:
    require("nft", "bridge")
    build, links = HEALTHY[name]
    build(net)
    portal = ROUTED if "router" in net.sides else PORTAL
    machines.offer(anywhere(portal))
    machines.attach(portal)
    carried = net.settles(LINKS, on(links))
    assert all(len(c) == links for c in carried.values()), carried
    machines.clean()
