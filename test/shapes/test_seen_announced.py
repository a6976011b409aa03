# SPDX-License-Identifier: LGPL-2.1-or-later
"""Targets that announce the address of a management link, with the others or instead of one."""

from __future__ import annotations

import pytest
from shape_build import Step, both, cable, endpoint, ip, management, pairs
from shape_damages import HOWS, LINKS, PORTAL, ROOM, announce, on, one_each
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import span

MANAGEMENT = endpoint("target", "192.168.8.2", "dev", "mgmt0", "signal")


def by_eth1(*announced: int, host: str = "10.1.3.2/24") -> Step:
    """A router in the network of eth1 leads to the target's management link."""

    def built(net: Net) -> None:
        pairs((2,))(net)
        cable(net, "host", "eth3", "target", "eth3")
        net.ip("host", f"addr add {host} dev eth3")
        net.ip("target", "addr add 10.1.3.1/24 dev eth3")
        net.add("switch", "office")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        for side, last in (("host", 2), ("target", 1), ("office", 254)):
            cable(net, side, "eth1", "switch", side)
            net.ip("switch", f"link set {side} master br0")
            net.ip(side, f"addr add 10.1.1.{last}/24 dev eth1")
        cable(net, "office", "up0", "target", "mgmt0")
        net.sysctl("office", "net.ipv4.ip_forward=1")
        net.ip("office", "addr add 192.168.8.1/24 dev up0",
               "route add 10.1.3.0/24 via 192.168.8.2 dev up0")  # fmt: skip
        net.ip("target", "addr add 192.168.8.2/24 dev mgmt0",
               "route add default via 192.168.8.1 dev mgmt0")  # fmt: skip
        net.ip("host", "route add default via 10.1.1.254 dev eth1")
        both(ROOM, announce(*announced))(net)

    return built


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_management_instead_of_a_link(how: str, net: Net, machines: Machines) -> None:
    """The address and its endpoint are named, and the commands give each link a subflow."""
    both(by_eth1(1, 2), MANAGEMENT)(net)
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    words = ("192.168.8.2", "endpoint 3", "network of eth3 (10.1.3.2/24)", "announce its address")
    assert all(word in findings[0]["why"] for word in words), shown(findings)
    machines.obey(findings)
    if how == "trial":
        machines.attach(PORTAL)
    assert one_each(net.settles(LINKS, one_each)), shown(findings)
    machines.clean(PORTAL)


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_management_with_all_links(how: str, net: Net, machines: Machines) -> None:
    """Nothing has to be announced instead."""
    both(by_eth1(1, 2, 3), MANAGEMENT)(net)
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    assert "nothing is lost if the target does not announce it" in findings[0]["why"]
    assert machines.commands(findings) == [("target", "ip mptcp endpoint delete id 4")]


@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_a_mistyped_address_beside_a_router(how: str, net: Net, machines: Machines) -> None:
    """The target announces what it should: it is this host's link that is in another network."""
    by_eth1(1, 2, 3, host="10.1.33.2/24")(net)
    findings = machines.found_by(how, PORTAL, 0.5)
    assert rules(findings) == ["C14"], shown(findings)
    text = findings[0]["why"]
    assert "leads to 10.1.3.1" in text and "10.1.33.2/24 is in another network" in text, text
    assert "management" not in text, text
    assert {side for side, _ in machines.commands(findings)} == {"host"}, shown(findings)


def apart(*announced: int) -> Step:
    """Management links of both sides, and a target that announces its one as well."""
    return both(pairs(span(3)), management(), ROOM, announce(*announced), MANAGEMENT)


@at_once
def test_both_sides_find_a_link_that_is_not_announced(net: Net, machines: Machines) -> None:
    """Storage goes over management links; the host alone cannot know what the target has."""
    apart(1, 2)(net)
    machines.connect(PORTAL)
    net.settles(LINKS, on(2))
    assert rules(machines.check("host")[1]) == []
    findings = machines.check("target")[1]
    assert [(f["rule"], f["severity"]) for f in findings] == [("T01", "info")], shown(findings)
    for side, other in (("host", "target"), ("target", "host")):
        findings = machines.check(side, "--peer", str(machines.report(other)))[1]
        assert rules(findings) == ["T01"], shown(findings)
        assert findings[0]["objects"] == ["3", "192.168.8.2"], shown(findings)
        words = ("mgmt0", "10.1.3.1 of eth3", "delete endpoint 3")
        assert all(word in findings[0]["why"] for word in words), shown(findings)
    assert ("target", "ip mptcp endpoint add 10.1.3.1 dev eth3 signal") in machines.obey(findings)
    net.settles(LINKS, one_each)
    net.ip("target", "mptcp endpoint delete id 3")
    assert one_each(net.settles(LINKS, one_each))
    machines.clean(PORTAL)


#: Targets that announce a management link, and whose other links are all in use or not meant.
NEAR = {
    "all-links": apart(1, 2, 3),
    "portal-is-not-announced": apart(2, 3),
    "no-host-link-there": both(apart(1, 2), ip("host", "link del eth3")),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_management_beside_links_is_silent(name: str, net: Net, machines: Machines) -> None:
    NEAR[name](net)
    machines.connect(PORTAL)
    net.settles(LINKS, on(3 if name in ("all-links", "portal-is-not-announced") else 2))
    machines.clean(PORTAL)
