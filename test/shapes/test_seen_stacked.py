# SPDX-License-Identifier: LGPL-2.1-or-later
"""Storage networks on VLANs, bonds, bridges and VRFs: what is wrong is named, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from shape_build import Step, bare, bond, both, cable, endpoint, ip, joined, on_top, pairs, sysctl
from shape_damages import HOWS, LINKS, PORTAL, ROOM, Named, announce
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

#: Modes of bonds: one that looks for dead ports, one that does not, and one that negotiates.
WATCHED, BLIND, LACP = ("active-backup miimon 100", "active-backup miimon 0",
                        "802.3ad miimon 100 lacp_rate fast")  # fmt: skip
#: A join is overdue after three.
SECONDS = 3.5


def announce_on(*names: str) -> Step:
    """Announced addresses of the target's links, in order, by the device that has each."""
    return both(ROOM, *(endpoint("target", f"10.1.{i}.1", "dev", name, "signal")
                        for i, name in enumerate(names, 1)))  # fmt: skip


def vlan(side: str, i: int, number: int, lower: str = "") -> Step:
    lower = lower or f"eth{i}"
    last = 2 if side == "host" else 1
    return on_top(side, f"{lower}.{number}", lower, f"vlan id {number}", f"10.1.{i}.{last}/24")


def vlans(last: int = 103, there: int = 103, *lines: Step) -> Step:
    """Three links, each in a VLAN; the last one's number on both sides, 0 for no VLAN."""
    sides: list[Step] = []
    for side, number, ip_end in (("host", last, 2), ("target", there, 1)):
        sides += [vlan(side, i, 100 + i) for i in (1, 2)]
        untagged = ip(side, f"addr add 10.1.3.{ip_end}/24 dev eth3")
        sides.append(vlan(side, 3, number) if number else untagged)
    name = f"eth3.{there}" if there else "eth3"
    return both(bare(span(3)), *sides, announce_on("eth1.101", "eth2.102", name), *lines)


def awaited(net: Net, side: str, path: str, value: str) -> None:
    """Waits until a file of a network interface says so."""
    deadline = time.monotonic() + 15
    while (now := net.run(side, "cat", f"/sys/class/net/{path}").strip()) != value:
        assert time.monotonic() < deadline, f"{side}: {path} is {now}"
        time.sleep(0.05)


def meet(net: Net) -> None:
    """Both sides' bonds use the first port, once all ports are up: which was first is chance."""
    ports = [(side, i, port) for side in ("host", "target") for i in (1, 2)
             for port in (2 * i, 2 * i - 1)]  # fmt: skip
    for side, i, port in ports:
        awaited(net, side, f"eth{port}/bonding_slave/mii_status", "up")
        net.ip(side, f"link set bond{i} type bond active_slave eth{port}")


def bonds(*lines: Step) -> Step:
    """Two networks, each on a bond of two links."""
    return both(
        bare(span(4)),
        *(bond(side, f"bond{i}", (f"eth{2 * i - 1}", f"eth{2 * i}"), f"10.1.{i}.{last}/24")
          for i in (1, 2) for side, last in (("host", 2), ("target", 1))),
        meet, announce_on("bond1", "bond2"), *lines,
    )  # fmt: skip


def grouped(host: str, target: str, *lines: Step) -> Step:
    """A plain link, and bonds of two links each, in these modes."""

    def negotiated(net: Net) -> None:
        """All ports are up, and in one group where both sides negotiate."""
        for side in ("host", "target"):
            for port in ("eth3", "eth4"):
                awaited(net, side, f"{port}/bonding_slave/mii_status", "up")
        for side in ("host", "target") * (host == target == LACP):
            awaited(net, side, "bond2/bonding/ad_num_ports", "2")

    return both(
        pairs([1]), bare(range(3, 5)),
        *(bond(side, "bond2", ("eth3", "eth4"), f"10.1.2.{last}/24", mode=mode)
          for side, mode, last in (("host", host, 2), ("target", target, 1))),
        negotiated, announce_on("eth1", "bond2"), *lines,
    )  # fmt: skip


def vrf(side: str, *links: str) -> Step:
    return ip(side, "link add red type vrf table 1000", "link set red up",
              *(f"link set {link} master red" for link in links))  # fmt: skip


def accepting(*links: str) -> Step:
    """A target's VRF from which its ports accept connections."""
    return both(vrf("target", *links), sysctl("target", "net.ipv4.tcp_l3mdev_accept=1"))


def tagged_in_the_switch(*sides: str) -> Step:
    """The last link of both leads to a switch that lets VLAN 103 pass to these sides alone."""

    def built(net: Net) -> None:
        pairs(span(2))(net)
        net.add("switch")
        net.ip("switch", "link add br0 type bridge vlan_filtering 1", "link set br0 up")
        for side in ("host", "target"):
            cable(net, side, "eth3", "switch", side)
            net.ip("switch", f"link set {side} master br0")
            vlan(side, 3, 103)(net)
        for side in sides:
            net.run("switch", "bridge", "vlan", "add", "dev", side, "vid", "103")
        announce_on("eth1", "eth2", "eth3.103")(net)

    return built


def filtered(side: str, itself: bool, port: bool, *lines: str) -> Step:
    """The last link of a side is on a bridge that filters VLANs, as hypervisors have them."""
    other = "target" if side == "host" else "host"

    def built(net: Net) -> None:
        both(pairs(span(2)), bare([3]), vlan(other, 3, 103))(net)
        net.ip(side, "link add br3 type bridge vlan_filtering 1", "link set br3 up",
               "link set eth3 master br3")  # fmt: skip
        vlan(side, 3, 103, "br3")(net)
        for device, words in (("br3", ["self"]),) * itself + (("eth3", []),) * port:
            net.run(side, "bridge", "vlan", "add", "dev", device, "vid", "103", *words)
        net.ip(side, *lines)
        announce_on("eth1", "eth2", "br3.103" if side == "target" else "eth3.103")(net)

    return built


@dataclass(frozen=True)
class Stacked(Named):
    """A fault, the rule and words of the host's check, and those with the target's report."""

    needs: str
    rule: str
    words: str
    peer: str = ""
    peer_words: str = ""
    hows: Sequence[str] = HOWS


FAULTS = [
    Stacked("number-of-the-target", vlans(103, 104), "vlan", "R08", "a VLAN or the cabling",
            peer_words="in VLAN 104, but the host's link eth3.103 is in VLAN 103"),
    Stacked("tag-of-the-target-alone", vlans(0, 103), "vlan", "R05",
            "Its packets for 10.1.3.2 arrive on eth3 with the tag of VLAN 103",
            "R08", "eth3.103 of the target adds the tag of VLAN 103, and eth3 of the host"),
    Stacked("tag-of-the-host-alone", vlans(103, 0), "vlan", "R08", "a VLAN or the cabling",
            peer_words="eth3.103 of the host adds the tag of VLAN 103, and eth3 of the target"),
    Stacked("not-in-the-switch", tagged_in_the_switch("host"), "vlan", "R08",
            "a VLAN or the cabling", peer_words="a VLAN between both is wrong"),
    Stacked("vlan-is-down", vlans(103, 103, ip("host", "link set eth3.103 down")), "vlan", "A06",
            "eth3.103 is administratively down"),
    Stacked("card-below-is-down", vlans(103, 103, ip("host", "link set eth3 down")), "vlan", "A06",
            "'ip link set dev eth3 up', 'ip link set dev eth3.103 up'"),
    Stacked("card-below-is-down-there", vlans(103, 103, ip("target", "link set eth3 down")),
            "vlan", "A06", "'ip link set dev eth3 up', 'ip link set dev eth3.103 up'",
            hows=("peer",)),
    Stacked("bridge-without-itself", filtered("host", False, True), "vlan", "R08",
            "which the bridge br3 below it does not pass to or from this machine"),
    Stacked("bridge-without-a-port", filtered("host", True, False), "vlan", "R08",
            "'bridge vlan add dev eth3 vid 103'"),
    Stacked("bridge-with-a-guest", filtered(
        "host", True, False, "link add guest type veth peer name inside", "link set inside up",
        "link set guest master br3", "link set guest up",
    ), "vlan", "R08", "passes: nothing sent over br3.103 arrives ['bridge vlan show']"),
    Stacked("bridge-of-the-target", filtered("target", True, False), "vlan", "A07",
            "which no port of the bridge br3 below it passes", hows=("peer",)),
    Stacked("port-of-the-bridge-is-down", filtered("host", True, True, "link set eth3 down"),
            "vlan", "A07", "eth3 below it is administratively down"),
    Stacked("ports-without-a-common-switch", bonds(
        ip("host", "link set bond2 type bond active_slave eth3"),
        ip("target", "link set bond2 type bond active_slave eth4"),
    ), "bond", "R08", "bond2 sends over its port eth3 alone",
            peer_words="sends over its port eth3, and the target's over its port eth4"),
    Stacked("group-of-the-host-alone", grouped(
        LACP, WATCHED, ip("target", "link set bond2 type bond active_slave eth3"),
    ), "bond", "A15", "does not take part", "A15"),
    Stacked("group-of-the-target-alone", grouped(
        WATCHED, LACP, ip("host", "link set bond2 type bond active_slave eth3"),
    ), "bond", "A15", "does not take part", hows=("peer",)),
    Stacked("group-of-the-host-alone-at-another-port", grouped(
        LACP, WATCHED, ip("target", "link set bond2 type bond active_slave eth4"),
    ), "bond", "R08", "The bond bond2 negotiates its ports"),
    Stacked("port-that-is-not-watched", grouped(
        BLIND, WATCHED, ip("host", "link set bond2 type bond active_slave eth3"),
        ip("target", "link set bond2 type bond active_slave eth4", "link set eth3 down"),
    ), "bond", "R08", "ip link set dev bond2 type bond miimon 100"),
    Stacked("ports-are-down", bonds(ip("host", "link set eth3 down", "link set eth4 down")),
            "bond", "A07", "eth3 below it is administratively down"),
    Stacked("address-on-a-port", bonds(
        ip("host", "addr del 10.1.2.2/24 dev bond2", "addr add 10.1.2.2/24 dev eth3"),
    ), "bond", "A08", "Link eth3 belongs to bond2"),
    Stacked("link-of-the-host", both(pairs(span(3)), vrf("host", "eth3"), ROOM, announce(1, 2, 3)),
            "vrf", "R01", "Link eth3 has the address 10.1.3.2/24 in that network, but it belongs "
            "to the VRF red"),
    Stacked("host", both(pairs(span(3)), vrf("host", "eth1", "eth2", "eth3"), ROOM,
                         announce(1, 2, 3)),
            "vrf", "C09", "connect with --host-iface=red", hows=("trial",)),
    Stacked("link-of-the-target",
            both(pairs(span(3)), vrf("target", "eth3"), ROOM, announce(1, 2, 3)),
            "vrf", "T03", "accept no connections from a VRF", hows=("peer",)),
    Stacked("vrf-is-down", both(
        pairs(span(3)), accepting("eth3"), ROOM, announce(1, 2, 3),
        ip("target", "link set red down"),
    ), "vrf", "A06", "belongs to the VRF red, which is administratively down", hows=("peer",)),
    Stacked("no-route-in-the-table", both(joined(), vrf("host", "eth3")), "vrf", "R01",
            "The routes of the VRF red lack one via a gateway of eth3"),
]  # fmt: skip

HEALTHY = {
    "vlans": ("vlan", vlans()),
    "vlan-of-a-switch": ("vlan", tagged_in_the_switch("host", "target")),
    "vlan-of-a-bridge": ("vlan", filtered("host", True, True)),
    "vlan-of-a-bridge-of-the-target": ("vlan", filtered("target", True, True)),
    "bonds": ("bond", bonds()),
    "bonds-with-a-spare-port": ("bond", bonds(ip("host", "link set eth4 down"))),
    "groups": ("bond", grouped(LACP, LACP)),
    "link-of-the-target-in-a-vrf": ("vrf", both(pairs(span(3)), accepting("eth3"), ROOM,
                                                announce(1, 2, 3))),
    "target-in-a-vrf": ("vrf", both(pairs(span(3)), accepting("eth1", "eth2", "eth3"), ROOM,
                                    announce(1, 2, 3))),
    "vrf-that-is-not-announced": ("vrf", both(pairs(span(3)), vrf("target", "eth3"), ROOM,
                                              announce(1, 2))),
    "vrf-for-others": ("vrf", both(pairs(span(3)), bare([4]), vrf("host", "eth4"),
                                   ip("host", "addr add 10.9.9.2/24 dev eth4"), ROOM,
                                   announce(1, 2, 3))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "how"), [pytest.param(f, how, id=f"{f}-{how}") for f in FAULTS for how in f.hows]
)
@at_once
def test_the_cause_is_named(fault: Stacked, how: str, net: Net, machines: Machines) -> None:
    require(fault.needs)
    fault.build(net)
    findings = machines.found_by(how, PORTAL, SECONDS)
    peer = how == "peer"
    rule, words = fault.rule, fault.words
    if peer and fault.peer_words:
        rule, words = fault.peer or rule, fault.peer_words
    assert rules(findings) == [rule], shown(findings)
    assert words in shown(findings), shown(findings)


@pytest.mark.parametrize("name", HEALTHY)
@at_once
def test_nothing_is_found(name: str, net: Net, machines: Machines) -> None:
    needs, build = HEALTHY[name]
    require(needs)
    build(net)
    machines.connect(PORTAL)
    net.settles((), lambda now: False, SECONDS)
    machines.clean(PORTAL)


@at_once
def test_a_host_in_a_vrf_uses_all_links(net: Net, machines: Machines) -> None:
    require("vrf")
    both(pairs(span(3)), vrf("host", *LINKS), ROOM, announce(1, 2, 3))(net)
    machines.connect(PORTAL, device="red")
    net.settles((), lambda now: False, SECONDS)
    findings = machines.checked("connected")
    assert rules(findings) == ["R01", "R01"], shown(findings)
    assert machines.obey(findings) == [
        ("host", f"ip mptcp endpoint add 10.1.{i}.2 dev eth{i} fullmesh") for i in (2, 3)
    ]
    machines.reattach()
    net.settles((), lambda now: False, SECONDS)
    assert "6 subflows over 3 links" in machines.nvme("host", "show-subflows").out
    machines.clean()


@pytest.mark.parametrize("accepts", [False, True])
@at_once
def test_setup_announces_what_is_accepted(accepts: bool, net: Net, machines: Machines) -> None:
    require("vrf")
    both(pairs(span(3)), accepting("eth3") if accepts else vrf("target", "eth3"))(net)
    machines.offer("0.0.0.0")
    plan = machines.nvme("target", "setup", "--role", "target")
    assert ("10.1.3.1 dev eth3" in plan.out) == accepts, plan
    assert ("eth3 is left out: it belongs to the VRF red" in plan.out) != accepts, plan
    machines.setup("target")
