# SPDX-License-Identifier: LGPL-2.1-or-later
"""Causes in everyday set-ups: the right rule fires, and near misses stay silent."""

from __future__ import annotations

import pytest
from shape_build import (
    Step,
    both,
    cable,
    defaults,
    endpoint,
    ip,
    limits,
    management,
    nft,
    pairs,
    routed,
    sysctl,
    vpn,
    ways_to,
)  # fmt: skip
from shape_damages import HOWS, LINKS, PORTAL, ROOM, announce, announcing, on, start
from shape_net import PORT, Net
from shape_nvme import NQN, Machines, rules, shown
from shape_pool import at_once
from shape_rows import span
from shape_servers import array_beside

ROUTED = "10.2.1.1"

whole = on(3)


@pytest.mark.parametrize("limit", [2, 8])
@at_once
def test_two_controllers_of_one_array(limit: int, net: Net, machines: Machines) -> None:
    """Each starts from another link, and has an endpoint less to try than both together."""
    both(
        pairs(span(3)), ways_to(PORTAL, span(3)), ways_to("10.1.2.1", span(3), but=2),
        limits("host", limit, 0), limits("target", 8, 0), start(1, 2, 3),
    )(net)  # fmt: skip
    machines.connect(PORTAL)
    machines.attach_also("10.1.2.1", NQN + "2")
    assert whole(net.settles(LINKS, whole))
    status, findings = machines.check("host")
    assert status == 0, shown(findings)
    net.run("host", "ss", "-K", "src", "10.1.3.2")
    status, findings = machines.check("host")
    assert status and set(rules(findings)) <= {"C05", "C13"}, shown(findings)


@at_once
def test_two_arrays_whose_links_have_default_routes(net: Net, machines: Machines) -> None:
    """A default route leads everywhere: it makes no link of one array one of the other's."""
    announcing()(net)
    net.add("other")
    for i in (4, 5, 6):
        cable(net, "host", f"eth{i}", "other", f"eth{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("other", f"addr add 10.1.{i}.1/24 dev eth{i}",
               f"mptcp endpoint add 10.1.{i}.1 dev eth{i} signal")  # fmt: skip
    net.ip("other", "mptcp limits set subflows 8")
    defaults(span(6))(net)
    net.listen("0.0.0.0", side="other")
    machines.connect(PORTAL)
    machines.attach_also("10.1.4.1", NQN + "2")
    assert whole(net.settles([*LINKS, "eth4", "eth5", "eth6"], whole))
    status, findings = machines.check("host")
    assert status == 0, shown(findings)
    net.run("host", "ss", "-K", "src", "10.1.6.2")
    status, findings = machines.check("host")
    assert [f["objects"] for f in findings if f["rule"] == "C13"] == [["eth6"]], shown(findings)


@at_once
def test_two_arrays_in_the_same_networks(net: Net, machines: Machines) -> None:
    """One drops packets of a link: the other, which answers for its own address, is no proof."""
    both(array_beside, limits("host", 8, 8), limits("target", 8, 0), limits("other", 8, 0),
         *(endpoint(side, f"10.1.{i}.{last}", "dev", f"eth{i}", "signal")
           for i in span(2) for side, last in (("target", 1), ("other", 3))),
         nft("other", "input", 'iifname "eth2" meta l4proto tcp drop'))(net)  # fmt: skip
    machines.connect(PORTAL)
    machines.attach_also("10.1.1.3", NQN + "2")
    net.settles(["eth1", "eth2"], on(2))
    status, findings = machines.check("host")
    assert status and "A13" not in rules(findings), shown(findings)
    assert any(f["subject"].endswith("10.1.2.3") for f in findings), shown(findings)


@pytest.mark.parametrize("how", ["trial", "connected", "later", "peer"])
@pytest.mark.parametrize("side", ["host", "target"])
@at_once
def test_a_link_that_announcements_lead_to_is_dead(
    side: str, how: str, net: Net, machines: Machines
) -> None:
    """Switched off here it is one command; switched off there it is the carrier."""
    announcing()(net)
    machines.offer("0.0.0.0")
    if how == "later":
        machines.attach(PORTAL)
        assert whole(net.settles(LINKS, whole))
    net.ip(side, "link set eth3 down")
    if how == "later":
        net.run("host", "ss", "-K", "src", "10.1.3.2")
    elif how != "trial":
        machines.attach(PORTAL)
        net.settles(LINKS, lambda now: False, 0.3)
    findings = machines.trial(PORTAL)[0] if how == "trial" else machines.checked(how)
    is_off = side == "host" or how == "peer"
    assert rules(findings) == ["A06" if is_off else "A07"], shown(findings)
    printed = [(s, c) for s, c in machines.commands(findings) if "link set" in c]
    assert printed == ([(side, "ip link set dev eth3 up")] if is_off else []), shown(findings)


@at_once
def test_a_dead_link_of_others_is_silent(net: Net, machines: Machines) -> None:
    both(announcing(), management(target=False), ip("host", "link set mgmt0 down"))(net)
    machines.connect(PORTAL)
    assert whole(net.settles(LINKS, whole))
    machines.clean(PORTAL)


@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_routes_choose_one_link_for_all_that_is_announced(
    how: str, net: Net, machines: Machines
) -> None:
    """Source rules, as the kernel's documentation has them, and no endpoint to give a source."""
    both(routed(3, 3, policy="host target"), ROOM, announce(1, 2, 3, place="10.2.{}.1"))(net)
    findings = machines.found_by(how, ROUTED, 0.5)
    assert rules(findings) == ["A11" if how == "trial" else "C13"] * 2, shown(findings)
    machines.obey(findings)
    if how == "trial":
        machines.attach(ROUTED)
    carried = net.settles(LINKS, whole)
    assert [dict(c) for c in carried.values()] == [dict.fromkeys(LINKS, 1)] * 2, shown(findings)
    machines.clean(ROUTED)


@at_once
def test_strict_reverse_path_filter_with_source_rules(net: Net, machines: Machines) -> None:
    """The kernel asks for the way back with the source that an answer has."""
    both(routed(3, 3, policy="host target"), limits("host", 8, 0), limits("target", 8, 8),
         start(1, 2, 3), *(sysctl(side, "net.ipv4.conf.all.rp_filter=1")
                           for side in ("host", "target")))(net)  # fmt: skip
    machines.connect(ROUTED)
    assert whole(net.settles(LINKS, whole))
    machines.clean(ROUTED)


@at_once
def test_target_setup_where_each_link_has_a_default_route(net: Net, machines: Machines) -> None:
    both(routed(3, 3, policy="host target"))(net)
    words = ("setup", "--role", "target", "-o", "json")
    for traddr in ([], ["--traddr", ROUTED]):
        planned = machines.nvme("target", *words, *traddr).json
        assert [link["link"] for link in planned["links"]] == list(LINKS), planned


def lower(which: str) -> Step:
    """Packets to the target are at most 1400 bytes long by one link, or each link differs."""
    if which == "route":
        return ip("host", "route change 10.1.3.0/24 dev eth3 src 10.1.3.2 mtu 1400")
    return both(*(ip(s, "link set eth1 mtu 9000", "link set eth2 mtu 9000")
                  for s in ("host", "target")))  # fmt: skip


@pytest.mark.parametrize("which", ["route", "links"])
@at_once
def test_no_packet_size_is_proposed_that_nobody_proved(
    which: str, net: Net, machines: Machines
) -> None:
    both(announcing(), lower(which))(net)
    machines.connect(PORTAL)
    assert whole(net.settles(LINKS, whole))
    _, findings = machines.check("host")
    assert not any("mtu" in c for _, c in machines.commands(findings)), shown(findings)
    assert "loses" not in shown(findings)


@at_once
def test_an_address_of_dhcp_stays_one(net: Net, machines: Machines) -> None:
    both(
        pairs(span(2)), ways_to(PORTAL, span(2)), limits("host", 8, 0), limits("target", 8, 0),
        ip("host", "addr change 10.1.2.2/24 dev eth2 valid_lft 3600 preferred_lft 0"), start(2),
    )(net)  # fmt: skip
    machines.connect(PORTAL)
    status, findings = machines.check("host")
    assert rules(findings, "info") == ["A03"], shown(findings)
    assert machines.commands(findings) == [], shown(findings)


@pytest.mark.parametrize(("accepted", "rule"), [(2, "H06"), (8, "H05")])
@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_fewer_subflows_than_are_announced(
    how: str, accepted: int, rule: str, net: Net, machines: Machines
) -> None:
    """The usual limit of 2 with four links: one of them is left out."""
    both(pairs(span(4)), limits("host", 2, accepted), limits("target", 8, 8),
         announce(*span(4)))(net)  # fmt: skip
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == [rule], shown(findings)
    machines.obey(findings)
    if how == "trial":
        machines.attach(PORTAL)
    else:
        assert "only when the controller is reset" in findings[0]["why"]
        machines.reattach()
    wires = [f"eth{i}" for i in span(4)]
    carried = net.settles(wires, on(4))
    assert [dict(c) for c in carried.values()] == [dict.fromkeys(wires, 1)] * 2
    machines.clean(PORTAL)


@pytest.mark.parametrize("network", [3, 9])
@at_once
def test_an_address_came_after_the_connections(network: int, net: Net, machines: Machines) -> None:
    """In a network that the target announces, new connections use it; else nothing is wrong."""
    both(pairs(span(3)), ip("host", "addr flush dev eth3"), limits("host", 8, 8),
         limits("target", 8, 0), announce(1, 2, 3))(net)  # fmt: skip
    machines.connect(PORTAL)
    net.settles(LINKS, lambda now: False, 0.5)
    net.ip("host", f"addr add 10.1.{network}.2/24 dev eth3")
    _, findings = machines.check("host")
    if network == 9:
        assert "C13" not in rules(findings), shown(findings)
        return
    assert rules(findings) == ["C13"] and "eth3" in findings[0]["subject"], shown(findings)
    machines.obey(findings)
    carried = net.settles(LINKS, whole)
    assert [dict(c) for c in carried.values()] == [dict.fromkeys(LINKS, 1)] * 2
    machines.clean(PORTAL)


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_the_first_link_is_off_and_another_network_leads_there(
    how: str, net: Net, machines: Machines
) -> None:
    """The connection works, over the management link."""
    both(announcing(), management(), ip("host", "link set eth1 down"))(net)
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["A06"], shown(findings)
    assert "10.1.1.1, which is in its network, over mgmt0" in shown(findings), shown(findings)
    assert machines.commands(findings) == [("host", "ip link set dev eth1 up")], shown(findings)


def one_default_route(net: Net) -> None:
    """Three links to a router, and a host whose only way there is a default route by the first."""
    both(
        routed(3, 3), ROOM, announce(1, 2, 3, place="10.2.{}.1"),
        ip("host", *(f"route del 10.2.{i}.0/24" for i in span(3)),
           "route add default via 10.1.1.254 dev eth1"),
    )(net)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_only_a_default_route_leads_to_the_target(how: str, net: Net, machines: Machines) -> None:
    """The target announces what it should: a route of the host is missing."""
    one_default_route(net)
    findings = machines.found_by(how, ROUTED, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    assert "a route there via a gateway of eth2 is missing" in shown(findings), shown(findings)
    assert "has to announce" not in shown(findings), shown(findings)


@pytest.mark.parametrize("name", ["all", "eth1"])
@at_once
def test_ipv6_is_switched_off(name: str, net: Net, machines: Machines) -> None:
    both(
        pairs(span(2), "6"),
        limits("host", 8, 8),
        sysctl("host", f"net.ipv6.conf.{name}.disable_ipv6=1"),
    )(net)
    machines.offer("::")
    findings, _ = machines.trial("fd01:1::1")
    assert rules(findings) == ["C09"], shown(findings)
    assert "IPv6 is disabled on" in shown(findings), shown(findings)
    assert machines.commands(findings) == [
        ("host", f"sysctl -w net/ipv6/conf/{name}/disable_ipv6=0")
    ], shown(findings)


@at_once
def test_a_vpn_takes_what_belongs_to_a_default_route(net: Net, machines: Machines) -> None:
    both(one_default_route, vpn("host"),
         ip("host", "route add 0.0.0.0/1 via 10.66.0.1 dev vpn0"))(net)  # fmt: skip
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(ROUTED)
    assert rules(findings) == ["C09"], shown(findings)
    assert "because the route over vpn0 has precedence" in shown(findings), shown(findings)


#: Of three ports at an address each, what the second one has instead, and the command for it.
PORTS = {
    "trtype": ("tcp", PORT, "echo mptcp > /sys/kernel/config/nvmet/ports/2/addr_trtype"),
    "trsvcid": ("mptcp", PORT + 1, f"echo {PORT} > /sys/kernel/config/nvmet/ports/2/addr_trsvcid"),
}


@pytest.mark.parametrize("what", PORTS)
@pytest.mark.parametrize("how", ["trial", "peer"])
@at_once
def test_one_of_several_ports_is_wrong(what: str, how: str, net: Net, machines: Machines) -> None:
    """Alone it is refused or plain; the target's report names the port, and no other one."""
    announcing()(net)
    trtype, number, command = PORTS[what]
    for i in span(3):
        right = i != 2
        machines.offer(f"10.1.{i}.1", "mptcp" if right else trtype, PORT if right else number,
                       name=str(i))  # fmt: skip
    findings = machines.found_by(how, PORTAL, 0.5, offered=True)
    assert rules(findings) == ["T03"], shown(findings)
    if how == "trial":
        assert "10.1.2.1" in findings[0]["subject"], shown(findings)
        assert ("plain TCP" in shown(findings)) == (what == "trtype"), shown(findings)
    else:
        printed = [c for side, c in machines.commands(findings) if "echo" in c]
        assert printed == [command], shown(findings)
