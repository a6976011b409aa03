# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is printed and done leaves every connection the subflows that it has."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from shape_build import (
    Step,
    both,
    endpoint,
    ip,
    joined,
    limits,
    management,
    pairs,
    service_addresses,
    sysctl,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, ROOM, announcing, nothing, on, one_each, start
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
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
    machines.connect(PORTAL)
    before = net.settles(LINKS, on(3))
    assert all(c == dict.fromkeys(LINKS, 1) for c in before.values()), before
    late(net)
    for side in ("host", "target"):
        findings = machines.check(side)[1]
        machines.obey(findings)
        after = net.settles(LINKS, before.__eq__)
        assert after == before, f"{after} after:\n{shown(findings)}"


@at_once
def test_a_port_of_an_endpoint_is_another_programs(net: Net, machines: Machines) -> None:
    """What a host announces with a port is for the connections that it accepts there."""
    both(joined(), ip("host", "addr add 10.1.3.9/24 dev eth3"),
         endpoint("host", "10.1.3.9", "dev", "eth3", "signal", "port", "8080"))(net)  # fmt: skip
    before = net.endpoints("host")
    machines.offer("0.0.0.0")
    machines.obey(machines.trial(PORTAL)[0])
    machines.attach(PORTAL)
    assert one_each(net.settles(LINKS, one_each))
    findings = machines.check("host")[1]
    assert rules(findings) == [], shown(findings)
    machines.obey(findings)
    assert net.endpoints("host") == before


@at_once
def test_networks_that_do_not_meet_keep_their_endpoints(net: Net, machines: Machines) -> None:
    """No join to the portal leads there (errno 113): what helps is that the target announces."""
    both(pairs(span(3)), sysctl("target", "net.ipv4.conf.all.arp_ignore=1"), ROOM, start(2, 3))(net)
    before = net.endpoints("host")
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == ["R01", "R01"], shown(findings)
    machines.obey(findings)
    assert net.endpoints("host") == before, shown(findings)
    machines.attach(PORTAL)
    carried = net.settles(LINKS, one_each)
    assert one_each(carried), f"{carried} after:\n{shown(findings)}"
    # The joins that lead nowhere are over, and every link is used.
    status, findings = machines.check("host")
    machines.obey(findings)
    assert one_each(net.settles(LINKS, one_each)), shown(findings)
    assert status == 0, shown(findings)


@pytest.mark.parametrize("device", ["lo", "dummy0"])
@at_once
def test_addresses_that_no_link_has_work(device: str, net: Net, machines: Machines) -> None:
    """Routes with several next hops carry them: nothing has to be bound, deleted or renewed."""
    if device != "lo":
        require("dummy")
    service_addresses(device)(net)
    machines.offer("0.0.0.0")

    def from_each() -> Counter[tuple[str, str, int]]:
        return Counter((s.token, s.local, s.local_port) for s in net.subflows())

    found = machines.trial("10.8.0.1")[0]
    assert rules(found) == [], shown(found)
    machines.attach("10.8.0.1")
    net.settles((), lambda now: len(now) == 2 and all(c.total() == 3 for c in now.values()))
    before = from_each()
    assert len(before) == 6
    _, found = machines.check("host")
    # The hash of the routes may leave a link out.
    assert set(rules(found)) <= {"C13"}, shown(found)
    machines.obey(found)
    assert from_each() >= before, shown(found)
    result = machines.nvme("host", "repair", "--wait", "0.5")
    net.settles((), lambda now: False, 0.3)
    assert from_each() >= before, result


@pytest.mark.parametrize("reboots", [False, True], ids=["never-set-up", "reboots"])
@at_once
def test_a_target_that_announces_nothing(reboots: bool, net: Net, machines: Machines) -> None:
    """The host is set up, and one of three links is used: that is no all-clear."""
    pairs(span(3))(net)
    machines.offer("0.0.0.0")
    if reboots:
        machines.setup("target", "--traddr", PORTAL)
    machines.setup("host", "--traddr", PORTAL)
    machines.attach(PORTAL)
    if reboots:
        assert one_each(net.settles(LINKS, one_each))
        net.ip("target", "mptcp endpoint flush", "mptcp limits set subflows 2 add_addr_accepted 0")
        machines.reattach()
    carried = net.settles(LINKS, lambda now: len(now) == 2, 0.5)
    assert all(c == {"eth1": 1} for c in carried.values()), carried
    for words in ([], ["--peer", str(machines.report("target"))]):
        status, findings = machines.check("host", *words)
        assert status and "H01" in rules(findings), shown(findings)
    machines.obey(machines.check("host")[1])
    assert one_each(net.settles(LINKS, one_each))
    machines.clean()


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
    assert "carries the only working subflow of 1 connection, 10." in " ".join(
        result.out.split()
    ), result


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
def test_setup_ends_no_connection(net: Net, machines: Machines) -> None:
    """--replace of an endpoint of the target, whose hosts start all subflows themselves."""
    both(joined(), endpoint("target", PORTAL, "dev", "eth1", "subflow"))(net)
    machines.connect(PORTAL)
    before = net.settles(LINKS, on(3))
    words = ("setup", "--role", "target", "--replace", "--apply", "-o", "json")
    plan = machines.nvme("target", *words).json
    ends = [n for n in plan["notes"] if "the only working subflow of 2 connections" in n["text"]]
    assert len(ends) == 1, plan
    assert "replace" not in [s["action"] for s in plan["steps"]], plan
    assert net.settles(LINKS, before.__eq__) == before, plan


@at_once
def test_connection_without_any_subflow_is_made_anew(net: Net, machines: Machines) -> None:
    """Endpoints of a target took all subflows with them, and no repair brings one back."""
    announcing()(net)
    machines.connect(PORTAL)
    before = net.settles(LINKS, on(3))
    assert on(3)(before), before
    net.ip("target", "mptcp endpoint flush")
    assert net.settles(LINKS, lambda now: not now) == {}
    findings = machines.check("host")[1]
    assert ("host", "nvme reset /dev/nvme0") in machines.obey(findings), shown(findings)
    assert len(net.settles(LINKS, lambda now: len(now) == 2)) == 2
