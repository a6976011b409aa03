# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults of switches, hardware addresses and networks, and machines that answer for others."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, cable, endpoint, hardware, ip, limits, switch, sysctl
from shape_damages import HOWS, LINKS, PORTAL, ROOM, Named, announce, announcing, on
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span
from test_seen_machines import switched

FOUR = ("eth1", "eth2", "eth3", "eth4")


def two_switches(host: int = 4, careful: bool = False) -> Step:
    """Links of odd numbers are on one switch, the others on another one; the target has two."""

    def built(net: Net) -> None:
        net.add("switch")
        net.ip("switch", *(f"link add br{n} type bridge" for n in span(2)),
               *(f"link set br{n} up" for n in span(2)))  # fmt: skip
        for side, count, first in (("host", host, 10), ("target", 2, 0)):
            for i in span(count):
                n = 2 - i % 2
                last = first + i if side == "host" else 1
                cable(net, side, f"eth{i}", "switch", f"{side}{i}")
                net.ip("switch", f"link set {side}{i} master br{n}")
                net.ip(side, f"addr add 10.1.{n}.{last}/24 dev eth{i}")
                if careful and side == "host":
                    net.ip(side, f"route add 10.1.{n}.0/24 dev eth{i} src 10.1.{n}.{last} "
                           f"table {100 + i}",
                           f"rule add from 10.1.{n}.{last} table {100 + i}")  # fmt: skip
        if careful:
            names = ("arp_ignore=1", "arp_announce=2")
            net.sysctl("host", *(f"net.ipv4.conf.all.{name}" for name in names))
        both(ROOM, announce(1, 2))(net)

    return built


def larger(*links: int) -> Step:
    """The host's networks of these links are of the prefix length 16."""
    return ip("host", *(line for i in links for line in (
        f"addr flush dev eth{i}", f"addr add 10.1.{i}.2/16 dev eth{i}")))  # fmt: skip


def proxy(address: str, last: int = 3) -> Step:
    """A third machine has a route to the address by another link, and answers ARP for it."""

    def built(net: Net) -> None:
        switched(last)(net)
        net.add("beyond")
        cable(net, "third", "up0", "beyond", "down0")
        net.ip("third", "addr add 10.77.0.1/24 dev up0",
               f"route add {address}/32 via 10.77.0.2 dev up0")  # fmt: skip
        net.ip("beyond", "addr add 10.77.0.2/24 dev down0")
        net.sysctl("third", "net.ipv4.ip_forward=1", f"net.ipv4.conf.eth{last}.proxy_arp=1",
                   f"net.ipv4.neigh.eth{last}.proxy_delay=0")  # fmt: skip
        # Of several answers, the first one would be chance.
        mac = hardware(net, "third", f"eth{last}")
        net.ip("host", f"neigh replace {address} lladdr {mac} dev eth{last} nud reachable")

    return built


def redirect(words: str) -> Step:
    """The target sends what arrives on its third link to another port."""
    rule = f'iifname "eth3" tcp dport {PORT} redirect to {words}'
    table = f"table ip nat {{ chain c {{ type nat hook prerouting priority -100; {rule}; }}; }}\n"
    return lambda net: net.run("target", "nft", "-f", "-", stdin=table) and None


def same_hardware(net: Net) -> None:
    net.ip("target", f"link set eth3 address {hardware(net, 'host', 'eth3')}")


def delivers_to_the_third(side: str) -> Step:
    """The switch's table has the hardware address of a side on the port of another machine."""

    def built(net: Net) -> None:
        net.run("switch", "bridge", "fdb", "replace", hardware(net, side, "eth3"), "dev", "third",
                "master", "static", "sticky")  # fmt: skip

    return built


def cables(host: tuple[int, int], target: tuple[int, int]) -> Step:
    """A link without switch, and the switches of the second and the third link of each side."""

    def built(net: Net) -> None:
        cable(net, "host", "eth1", "target", "eth1")
        net.add("switch")
        net.ip("switch", *(f"link add br{n} type bridge" for n in (2, 3)),
               *(f"link set br{n} up" for n in (2, 3)))  # fmt: skip
        for side, switches in (("host", host), ("target", target)):
            for i, n in zip((2, 3), switches, strict=True):
                cable(net, side, f"eth{i}", "switch", f"{side}{i}")
                net.ip("switch", f"link set {side}{i} master br{n}")
        for i in span(3):
            net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
            net.ip("target", f"addr add 10.1.{i}.1/24 dev eth{i}")
        both(ROOM, announce(1, 2, 3))(net)

    return built


@dataclass(frozen=True)
class Fault(Named):
    """What is wrong, and the rules, words and a command of what is found."""

    rules: tuple[str, ...]
    words: str
    command: tuple[str, str]
    #: Rules and words with the target's report, where they differ.
    peer: tuple[str, ...] = ()
    peer_words: str = ""
    portal: str = PORTAL
    hows: tuple[str, ...] = HOWS
    #: Rules where a controller is connected, where they differ.
    connected: tuple[str, ...] = ()


SHOW = ("host", "ip address show dev eth3")
RULESET = ("target", "nft list ruleset")
LINKS_THERE = ("target", "ip -br link show")

FAULTS = [
    Fault("links-of-one-switch", two_switches(), ("A11", "A11"),
          "eth4 is in the network of 10.1.2.1, which the target announces, and has no subflow",
          ("host", "ip mptcp endpoint add 10.1.2.14 dev eth4 fullmesh"), connected=("C13", "A11")),
    Fault("networks-of-prefix-length-16", both(announcing(), larger(2, 3)), ("A11",),
          "10.1.3.1 is in the networks of both, 10.1.3.2/16 of eth3 and 10.1.2.2/16 of eth2: "
          "their prefix length is too short", SHOW, connected=("C13",)),
    Fault("networks-of-prefix-length-16-on-all", both(announcing(), larger(1, 2, 3)),
          ("A11", "A11"), "their prefix length is too short", SHOW, connected=("C13", "C13")),
    Fault("address-in-the-network-of-another-link", both(announcing(), ip(
        "host", "addr flush dev eth3", "addr add 10.1.2.9/24 dev eth3")), ("R01",),
          "its address 10.1.2.9/24 is in another network: it needs one in the network of 10.1.3.1",
          SHOW),
    Fault("address-of-the-target-in-the-network-of-another-link", both(announcing(), ip(
        "target", "mptcp endpoint delete id 3", "addr flush dev eth3",
        "addr add 10.1.2.9/24 dev eth3"), endpoint("target", "10.1.2.9", "dev", "eth3", "signal")),
          ("C14",), "10.1.2.9 is also reached by eth3, which carries nothing: its address "
          "10.1.3.2/24 and that of the target there are in different networks", SHOW,
          peer=("C14", "R07")),
    Fault("proxy-of-an-announced-address", proxy("10.1.3.1"), ("A13",),
          "Another machine answers ARP for the target's address 10.1.3.1",
          ("host", "ip neighbour show to 10.1.3.1 dev eth3")),
    Fault("proxy-of-the-portal", proxy("10.1.1.1", 1), ("A13",),
          "Another machine answers ARP for the target's address 10.1.1.1",
          ("host", "ip neighbour show to 10.1.1.1 dev eth1"), hows=("trial",)),
    Fault("redirected-to-a-closed-port", both(announcing(), redirect(":4421")), ("F02",),
          "a rule of its firewall sends what arrives from eth3 to another port", RULESET),
    Fault("hardware-address-of-both-sides", both(switched(), same_hardware), ("R08",),
          "answers with the hardware address of eth3, this host's own link", LINKS_THERE),
    Fault("switch-delivers-elsewhere-what-the-host-sends",
          both(switched(), delivers_to_the_third("target")), ("F01",),
          "10.1.3.1 answers ARP broadcasts on the link, but no request to its hardware address",
          LINKS_THERE),
    Fault("switch-delivers-elsewhere-what-the-target-sends",
          both(switched(), delivers_to_the_third("host")), ("R08",),
          "only a made-up hardware address gets the answer", LINKS_THERE),
    Fault("cable-in-the-switch-of-another-link", cables((2, 2), (2, 3)), ("R08",),
          "the card that has 10.1.2.1 answers for it, and eth3 and eth2 of this host are on one "
          "wire", LINKS_THERE, peer=("R08",), peer_words="a switch, a cable or a VLAN between"),
    Fault("link-of-the-target-is-off-in-a-flat-network",
          both(cables((2, 2), (2, 2)), ip("target", "link set eth3 down")), ("R08",),
          "the target's card is switched off", LINKS_THERE, peer=("A06",),
          peer_words="administratively down"),
    Fault("announced-address-on-loopback-of-the-host",
          both(announcing(), ip("host", "addr add 10.1.3.1/32 dev lo")), ("A13",),
          "The target's address 10.1.3.1 is also on this host, on lo",
          ("host", "ip address show to 10.1.3.1")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "how"), [(fault, how) for fault in FAULTS for how in fault.hows], ids=str
)
@at_once
def test_fault(fault: Fault, how: str, net: Net, machines: Machines) -> None:
    require("bridge", *(["nft"] if "redirect" in fault.name else []))
    fault.build(net)
    findings = machines.found_by(how, fault.portal)
    settled = how == "peer" and fault.peer
    expected = fault.peer if settled else fault.connected if how != "trial" else fault.rules
    assert tuple(rules(findings)) == (expected or fault.rules), shown(findings)
    words = fault.peer_words if how == "peer" and fault.peer_words else fault.words
    assert words in shown(findings), shown(findings)
    if not (how == "peer" and fault.peer_words):
        assert fault.command in machines.commands(findings), shown(findings)


@pytest.mark.parametrize("how", ["trial", "connected"])
@pytest.mark.parametrize("careful", [False, True])
@at_once
def test_links_of_one_switch_are_all_used(
    careful: bool, how: str, net: Net, machines: Machines
) -> None:
    """What is printed gives each of four links a subflow, and nothing is found any more."""
    two_switches(careful=careful)(net)
    findings = machines.found_by(how, PORTAL)
    machines.obey(findings)
    if how == "trial":
        machines.attach(PORTAL)
    carried = net.settles(FOUR, on(4))
    assert [dict(c) for c in carried.values()] == [dict.fromkeys(FOUR, 1)] * 2, shown(findings)
    machines.clean(PORTAL)


@at_once
def test_other_announcements_stay_in_use(net: Net, machines: Machines) -> None:
    """With a fullmesh endpoint the kernel would follow 10.1.3.1 no more: no command is printed."""
    two_switches()(net)
    cable(net, "host", "eth5", "target", "eth5")
    net.ip("host", "addr add 10.1.3.2/24 dev eth5")
    net.ip("target", "addr add 10.1.3.1/24 dev eth5")
    endpoint("target", "10.1.3.1", "dev", "eth5", "signal")(net)
    findings = machines.found_by("connected", PORTAL)
    assert "eth4 is in the network of 10.1.2.1" in shown(findings), shown(findings)
    assert "fullmesh'" not in shown(findings), shown(findings)


def other_purpose(net: Net) -> None:
    """A third card leads to another machine, in a network of its own."""
    announcing(2)(net)
    net.add("third")
    cable(net, "host", "eth3", "third", "eth3")
    net.ip("host", "addr add 10.9.3.2/24 dev eth3")
    net.ip("third", "addr add 10.9.3.1/24 dev eth3")


#: What looks alike, and is right.
NEAR: dict[str, Step] = {
    "card-for-another-purpose": other_purpose,
    "one-network-of-prefix-length-16": both(switch(2, 2), ROOM, announce(
        1, 2, place="10.5.0.20{}"), endpoint("host", "10.5.0.12", "dev", "eth2", "subflow"),
        limits("host", 8, 0)),
    "proxy-of-other-addresses": both(proxy("10.1.3.77"), ip(
        "host", "neigh flush to 10.1.3.77")),
    "flat-network": cables((2, 2), (2, 2)),
    "address-of-the-target-twice": both(announcing(), ip(
        "target", "addr add 10.1.3.1/24 dev eth2")),
    "hardware-address-without-a-switch": both(announcing(), same_hardware),
    "address-on-loopback": both(announcing(), ip("host", "addr add 10.1.9.1/32 dev lo"),
                                sysctl("host", "net.ipv4.conf.all.arp_ignore=1")),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    require("bridge")
    NEAR[name](net)
    portal = "10.5.0.201" if name.startswith("one-network") else PORTAL
    links = 2 if name in ("card-for-another-purpose", "one-network-of-prefix-length-16") else 3
    machines.connect(portal)
    net.settles(LINKS, on(links))
    machines.clean(portal)
