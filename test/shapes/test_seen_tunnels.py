# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tunnels: their packets leave over another link, whose wire they share."""

from __future__ import annotations

import pytest
from shape_build import Step, both, endpoint, ip, joinable, pairs
from shape_damages import PORTAL, ROOM, announce, on, start
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

CARDS = ("eth1", "eth2")


def tunnel(i: int, name: str = "vx0", bound: bool = False) -> Step:
    """A tunnel between both ends of link i: 10.66.i.2 on the host, 10.66.i.1 on the target."""

    def built(net: Net) -> None:
        for side, own, other in (("host", 2, 1), ("target", 1, 2)):
            ends = f"local 10.1.{i}.{own} remote 10.1.{i}.{other}"
            net.ip(side, f"link add {name} type vxlan id {40 + i} dstport 4789 {ends}"
                   + (f" dev eth{i}" if bound else ""),
                   f"link set {name} up", f"addr add 10.66.{i}.{own}/24 dev {name}")  # fmt: skip

    return built


def announce_tunnel(i: int, name: str = "vx0") -> Step:
    return endpoint("target", f"10.66.{i}.1", "dev", name, "signal")


def one_each(now: dict[str, object]) -> bool:
    return len(now) == 2 and all(c == dict.fromkeys(CARDS, 1) for c in now.values())


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_an_announced_tunnel(how: str, bound: bool, net: Net, machines: Machines) -> None:
    """One wire has two subflows, and the address of the tunnel is named."""
    require("vxlan")
    both(pairs(span(2)), tunnel(1, bound=bound), ROOM, announce(1, 2), announce_tunnel(1))(net)
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    assert set(findings[0]["objects"]) == {"vx0", "eth1"}, shown(findings)
    words = ("vx0 is a tunnel over eth1", "announces 10.66.1.1, an address of the tunnel")
    assert all(word in findings[0]["why"] for word in words), shown(findings)
    if how == "connected":
        assert "3 links on 2 wires" in machines.nvme("host", "show-subflows").out


@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_an_endpoint_on_a_tunnel(how: str, net: Net, machines: Machines) -> None:
    """The endpoint that is deleted is the tunnel's, and each wire keeps a subflow."""
    require("vxlan")
    both(joinable(2), tunnel(1), endpoint("host", "10.66.1.2", "dev", "vx0", "subflow"), start(2),
         ip("host", f"route add {PORTAL}/32 via 10.66.1.1 dev vx0 metric 5000"))(net)  # fmt: skip
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    assert "vx0 is a tunnel over eth1" in findings[0]["why"], shown(findings)
    assert ("host", "ip mptcp endpoint delete id 1") in machines.obey(findings)
    if how == "trial":
        machines.attach(PORTAL)
    assert one_each(net.settles(CARDS, one_each))
    machines.clean(PORTAL)


@at_once
def test_setup_and_tunnels(net: Net, machines: Machines) -> None:
    """A tunnel is part of a plan only by its name, with a note on the wire that it shares."""
    require("vxlan")
    both(pairs(span(2)), tunnel(1))(net)
    machines.offer("0.0.0.0")
    for side, words in (("target", []), ("host", ["--traddr", "10.1.1.1,10.1.2.1,10.66.1.1"])):
        plan = machines.planned(side, *words)
        assert [link["link"] for link in plan["links"]] == list(CARDS), plan
        assert "vx0" in str(plan["notes"]), plan
        plan = machines.planned(side, *words, "--dev", "eth1,eth2,vx0")
        assert [link["link"] for link in plan["links"]] == [*CARDS, "vx0"], plan
        assert "vx0 shares the wire of eth1" in str(plan["notes"]), plan


#: Tunnels on wires that carry no other subflow, and the links in use.
ALONE = {
    # Only the tunnel leads over eth3.
    "over-another-link": (
        both(pairs(span(3)), tunnel(3), ROOM, announce(1, 2), announce_tunnel(3)), PORTAL,
        ("eth1", "eth2", "vx0"),
    ),
    "tunnels-only": (
        both(pairs(span(2)), tunnel(1), tunnel(2, "vx1"), ROOM, announce_tunnel(1),
             announce_tunnel(2, "vx1")),
        "10.66.1.1", ("vx0", "vx1"),
    ),
    # Either link may carry its packets.
    "several-next-hops": (
        both(pairs(span(3)), ROOM, announce(1, 2),
             ip("host", "addr add 10.9.0.2/32 dev lo",
                "route add 10.9.0.1/32 nexthop via 10.1.1.1 nexthop via 10.1.3.1",
                "link add vx0 type vxlan id 9 dstport 4789 local 10.9.0.2 remote 10.9.0.1",
                "link set vx0 up", "addr add 10.66.9.2/24 dev vx0"),
             ip("target", "addr add 10.9.0.1/32 dev lo", "route add 10.9.0.2/32 via 10.1.1.2",
                "link add vx0 type vxlan id 9 dstport 4789 local 10.9.0.1 remote 10.9.0.2",
                "link set vx0 up", "addr add 10.66.9.1/24 dev vx0"), announce_tunnel(9)),
        PORTAL, ("eth1", "eth2", "vx0"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
@at_once
def test_a_tunnel_on_a_wire_of_its_own_is_silent(name: str, net: Net, machines: Machines) -> None:
    require("vxlan")
    build, portal, links = ALONE[name]
    build(net)
    machines.connect(portal)
    carried = net.settles(links, on(len(links)))
    assert on(len(links))(carried), carried
    findings = [*machines.check("host")[1], *machines.trial(portal)[0]]
    assert "C14" not in rules(findings, "info", "warning"), shown(findings)
    assert "wires" not in machines.nvme("host", "show-subflows").out
