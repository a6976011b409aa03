# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is printed and done leaves every connection the subflows that it has."""

from __future__ import annotations

import time

import pytest
from shape_build import Step, both, endpoint, ip, joined, limits, management, pairs
from shape_damages import LINKS, PORTAL, announce, nothing
from shape_net import Net
from shape_nvme import Machines, shown
from shape_pool import at_once
from shape_rows import span

#: What somebody gave an address that living subflows have.
ENDPOINTS = {
    "announced-by-the-host": both(
        joined(), limits("host", 2, 0), endpoint("host", PORTAL[:-1] + "2", "dev", "eth1", "signal")
    ),
    "started-by-the-target": both(joined(), endpoint("target", PORTAL, "dev", "eth1", "subflow")),
    "of-a-mesh-on-the-target": both(
        joined(), endpoint("target", PORTAL, "dev", "eth1", "subflow", "fullmesh")
    ),
    "without-effect-on-the-target": both(joined(), endpoint("target", PORTAL, "dev", "eth1")),
    "on-the-wrong-device-of-the-target": both(
        joined(), endpoint("target", PORTAL, "dev", "eth2", "signal")
    ),
}

#: An address that moved to another link, while what started from it goes on where it began.
MOVED = ip("host", "addr del 10.1.2.2/24 dev eth2", "addr add 10.1.2.2/24 dev eth3")


@pytest.mark.parametrize(
    ("build", "late"),
    [*((build, nothing) for build in ENDPOINTS.values()), (joined(), MOVED)],
    ids=[*ENDPOINTS, "of-an-address-that-moved"],
)
@at_once
def test_obeying_takes_nothing(build: Step, late: Step, net: Net, machines: Machines) -> None:
    build(net)
    machines.offer("0.0.0.0")
    machines.attach(PORTAL)
    before = net.settles(LINKS, lambda now: all(len(c) == 3 for c in now.values()))
    assert all(c == dict.fromkeys(LINKS, 1) for c in before.values()), before
    late(net)
    for side in ("host", "target"):
        findings = machines.check(side)[1]
        machines.obey(findings)
        after = net.settles(LINKS, before.__eq__)
        assert after == before, f"{after} after:\n{shown(findings)}"


@at_once
def test_target_repair_ends_no_connection(net: Net, machines: Machines) -> None:
    """One connection's subflows all end at an address that another one has none at."""
    joined()(net)
    machines.offer("0.0.0.0")
    machines.setup("target", "--traddr", PORTAL)
    machines.attach(PORTAL, 1)
    net.connect("10.1.2.1", 1)
    before = net.settles(LINKS, lambda now: len(now) == 2 and max(map(len, now.values())) == 3)
    assert max(map(len, before.values())) == 3, before
    # Idle for so long that they may be formed anew.
    time.sleep(1.2)
    result = machines.nvme("target", "repair", "--role", "target", "--wait", "0.5")
    after = net.settles(LINKS, before.__eq__)
    assert {token: after[token] for token in before} == before, result
    assert "has the only subflows of 1 connections" in result.out, result


@at_once
def test_target_announces_no_management_link(net: Net, machines: Machines) -> None:
    """NetworkManager gives each link an endpoint that starts subflows, the management link too."""
    both(pairs(span(2)), management())(net)
    for address, name in (("192.168.8.2", "mgmt0"), ("10.1.1.1", "eth1"), ("10.1.2.1", "eth2")):
        endpoint("target", address, "dev", name, "subflow")(net)
    machines.offer("0.0.0.0")
    machines.obey(machines.check("target")[1])
    lines = net.endpoints("target")
    assert sorted(line.split()[0] for line in lines if "signal" in line) == ["10.1.1.1", "10.1.2.1"]
    assert not any("mgmt0" in line for line in lines), lines


@at_once
def test_setup_says_which_connections_end(net: Net, machines: Machines) -> None:
    """--replace of an endpoint of the target, whose hosts start all subflows themselves."""
    both(joined(), endpoint("target", PORTAL, "dev", "eth1", "subflow"))(net)
    machines.offer("0.0.0.0")
    machines.attach(PORTAL)
    words = ("setup", "--role", "target", "-o", "json")
    for replace in ([], ["--replace"]):
        notes = machines.nvme("target", *words, *replace).json["notes"]
        ends = [n["text"] for n in notes if "the only subflows of 2 connections" in n["text"]]
        assert len(ends) == len(replace), notes


@at_once
def test_connection_without_any_subflow_is_made_anew(net: Net, machines: Machines) -> None:
    """Endpoints of a target took all subflows with them, and no repair brings one back."""
    both(pairs(span(3)), limits("host", 8, 8), limits("target", 8, 0), announce(1, 2, 3))(net)
    machines.offer("0.0.0.0")
    machines.attach(PORTAL)
    before = net.settles(LINKS, lambda now: all(len(c) == 3 for c in now.values()))
    assert all(len(c) == 3 for c in before.values()), before
    net.ip("target", "mptcp endpoint flush")
    assert net.settles(LINKS, lambda now: not now) == {}
    findings = machines.check("host")[1]
    assert ("host", "nvme reset /dev/nvme0") in machines.obey(findings), shown(findings)
    assert len(net.settles(LINKS, lambda now: len(now) == 2)) == 2
