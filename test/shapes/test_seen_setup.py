# SPDX-License-Identifier: LGPL-2.1-or-later
"""Setup on networks where it once took the wrong links, or took from others what they rely on."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
from shape_build import (
    both,
    cable,
    containers,
    joinable,
    limits,
    management,
    pairs,
    routed,
    service_addresses,
    tunnels,
    ways_to,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, ROOM, announce, one_each
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import four, span


def links(planned: Any) -> list[str]:
    return [link["link"] for link in planned["links"]]


def texts(planned: Any) -> str:
    return "\n".join(note["text"] for note in planned["notes"])


def commands(planned: Any) -> str:
    found = [step["command"] for step in planned["steps"]]
    return "\n".join(found + [note["command"] for note in planned["notes"] if note["command"]])


@at_once
def test_policy_routing_is_asked_with_the_source(net: Net, machines: Machines) -> None:
    """All subflows leave by one link: check finds it with and without the other side's report."""
    both(routed(3, 3, policy="host target"), ROOM, announce(1, 2, 3, place="10.2.{}.1"))(net)
    machines.offer("0.0.0.0")
    targets = ",".join(four(3, 2))
    assert machines.planned("host", "--traddr", targets)["steps"], "setup has nothing to do"
    machines.attach("10.2.1.1")
    carried = net.settles(LINKS, lambda now: False, 0.5)
    assert {tuple(c) for c in carried.values()} == {("eth1",)}, carried
    for words in ([], ["--peer", str(machines.report("target"))]):
        status, findings = machines.check("host", *words)
        assert status, f"nothing is found:\n{shown(findings)}"
    machines.setup("host", "--traddr", targets)
    machines.reattach()
    assert one_each(net.settles(LINKS, one_each))


@at_once
def test_a_default_route_makes_no_storage_link(net: Net, machines: Machines) -> None:
    both(pairs(span(2)), management())(net)
    planned = machines.planned("host", "--traddr", "10.1.1.1,10.1.2.1")
    assert links(planned) == ["eth1", "eth2"]
    assert planned["config"]["limits"]["add_addr_accepted"] > 0
    (note,) = (n for n in planned["notes"] if "mgmt0" in n["text"])
    assert "--dev" in note["text"] + str(note["command"])
    asked = machines.planned("host", "--traddr", "10.1.1.1,10.1.2.1", "--dev", "eth1,eth2,mgmt0")
    assert links(asked) == ["eth1", "eth2", "mgmt0"]


@at_once
def test_no_advice_to_move_storage_onto_the_management_link(net: Net, machines: Machines) -> None:
    both(pairs(span(1)), management())(net)
    machines.offer("0.0.0.0")
    machines.setup("target", "--dev", "eth1")
    machines.setup("host", "--traddr", PORTAL)
    machines.attach(PORTAL)
    net.settles(["eth1"], lambda now: len(now) == 2)
    trial, _ = machines.trial(PORTAL)
    _, alone = machines.check("host")
    _, peer = machines.check("host", "--peer", str(machines.report("target")))
    for findings in (trial, alone, peer):
        advice = "\n".join(command for _, command in machines.commands(findings))
        assert "mgmt0" not in advice and "192.168." not in advice, shown(findings)
        assert rules(findings) == [], shown(findings)
    repair = machines.nvme("host", "repair", "-o", "json")
    assert "mgmt0" not in repair.out and "192.168." not in repair.out


@pytest.mark.parametrize("side", ["host", "target"])
@at_once
def test_bridges_and_tunnels_are_used_only_if_asked(
    side: str, net: Net, machines: Machines
) -> None:
    both(pairs(span(2)), containers(side), tunnels(side))(net)
    words = ["--traddr", "10.1.1.1,10.1.2.1"] if side == "host" else []
    planned = machines.planned(side, *words)
    assert links(planned) == ["eth1", "eth2"]
    for name in ("docker0", "virbr0", "vxlan.calico", "tun0", "veth1a2b"):
        assert name not in commands(planned)
    if side == "target":
        asked = machines.planned(side, "--dev", "eth1,docker0")
        assert links(asked) == ["eth1", "docker0"]


@at_once
def test_limits_of_others_are_not_lowered_silently(net: Net, machines: Machines) -> None:
    both(pairs(span(3)), ways_to(PORTAL, span(3)), limits("host", 8, 8))(net)
    before = net.limits("host")
    planned = machines.planned("host", "--traddr", PORTAL)
    assert not re.search(r"limits set .*add_addr_accepted [0-7]\b", commands(planned))
    assert "add_addr_accepted" in texts(planned), "nothing is said about the limit"
    machines.setup("host", "--traddr", PORTAL)
    assert net.limits("host") == before
    replaced = machines.planned("host", "--traddr", PORTAL, "--replace")
    lowering = [s for s in replaced["steps"] if re.search("accepted 0", s["command"])]
    assert len(lowering) == 1, replaced["steps"]
    machines.setup("host", "--traddr", PORTAL, "--replace")
    assert "add_addr_accepted 0 " in net.limits("host") + " "


@pytest.mark.parametrize("side", ["host", "target"])
@at_once
def test_limits_that_are_raised_meanwhile_stay(side: str, net: Net, machines: Machines) -> None:
    """What is printed sets only what the plan changes."""
    both(joinable(), limits("host", 2, 0), limits("target", 2, 0))(net)
    machines.offer("0.0.0.0")
    planned = machines.planned(side, *(["--traddr", PORTAL] if side == "host" else []))
    (command,) = (s["command"] for s in planned["steps"] if s["action"] == "limits")
    net.ip(side, "mptcp limits set add_addr_accepted 7")
    net.run(side, "sh", "-ec", command)
    assert re.fullmatch(r"add_addr_accepted 7 subflows [4-8] ?", net.limits(side)), command


@at_once
def test_a_target_does_not_lower_limits(net: Net, machines: Machines) -> None:
    both(pairs(span(2)), limits("target", 8, 8))(net)
    machines.setup("target")
    assert net.limits("target") == "add_addr_accepted 8 subflows 8"


@at_once
def test_best_links_come_first(net: Net, machines: Machines) -> None:
    """A link without carrier and one of small packets are left out before the others."""
    pairs(span(10))(net)
    net.ip("host", "link set eth3 mtu 1280")
    net.ip("target", "link set eth3 mtu 1280", "link set eth5 down")
    planned = machines.planned("target")
    chosen = {
        re.search(r"dev (\S+)", step["command"])[1]  # type: ignore[index]
        for step in planned["steps"]
        if step["action"] == "add"
    }
    assert "eth5" not in chosen and "eth3" not in chosen, chosen


@at_once
def test_setup_shown_may_be_pasted(net: Net, machines: Machines) -> None:
    """The commands of the text, with and without namespace, do what --apply does."""
    joinable()(net)
    machines.offer("0.0.0.0")
    words = ("setup", "--role", "host", "--traddr", PORTAL)
    result = machines.nvme("host", *words, outside=True)
    printed = [line for line in result.out.splitlines() if re.match(r"(ip|sysctl|nsenter) ", line)]
    assert printed and all(net.name("host") in line for line in printed), result.out
    for line in printed:
        done = subprocess.run(["sh", "-ec", line], capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert machines.planned("host", "--traddr", PORTAL)["steps"] == []


@pytest.mark.parametrize("further", [2, 1, 0])
@at_once
def test_a_routed_host(further: int, net: Net, machines: Machines) -> None:
    """Its address is on lo: further ones there start subflows, addresses of links do not."""
    service_addresses("lo")(net)
    net.ip("host", "mptcp endpoint flush")
    for i in range(further, 2):
        net.ip("host", f"addr del 10.9.0.{i + 2}/32 dev lo")
    machines.offer("0.0.0.0")
    planned = machines.planned("host", "--traddr", "10.8.0.1")
    assert planned["method"] == "routed"
    added = [step["command"] for step in planned["steps"] if step["action"] == "add"]
    assert added == [f"ip mptcp endpoint add 10.9.0.{i + 2} subflow" for i in range(further)]
    assert (f"Add {2 - further} there" in texts(planned)) == (further < 2), texts(planned)
    machines.setup("host", "--traddr", "10.8.0.1")
    assert machines.planned("host", "--traddr", "10.8.0.1")["steps"] == []
    machines.attach("10.8.0.1")
    full = lambda now: all(c.total() == 1 + further for c in now.values())  # noqa: E731
    assert full(net.settles(LINKS, full))
    status, findings = machines.check("host")
    assert (status, [f["rule"] for f in findings]) == (0 if further else 1, ["R09"])
    named = machines.planned("host", "--traddr", "10.8.0.1", "--dev", "eth1,eth2,eth3")
    assert "10.1.2.2 dev eth2" in commands(named)


@at_once
def test_a_routed_target_announces_nothing(net: Net, machines: Machines) -> None:
    service_addresses("lo")(net)
    machines.offer("10.8.0.1")
    planned = machines.planned("target")
    assert planned["method"] == "routed" and "endpoint" not in commands(planned), planned
    asked = machines.planned("target", "--dev", "eth1,eth2")
    assert "endpoint add 10.1.2.1 dev eth2" in commands(asked)


@at_once
def test_two_arrays_on_networks_of_their_own(net: Net, machines: Machines) -> None:
    """Without an address, setup takes the links to both arrays, joined or not."""
    pairs(span(2))(net)
    net.add("array")
    for i in (3, 4):
        cable(net, "host", f"eth{i}", "array", f"eth{i}")
        net.ip("host", f"addr add 10.1.{i}.2/24 dev eth{i}")
        net.ip("array", f"addr add 10.1.{i}.1/24 dev eth{i}")
        net.ip("array", f"mptcp endpoint add 10.1.{i}.1 dev eth{i} signal")
    machines.offer("0.0.0.0")
    machines.setup("target")
    net.listen("0.0.0.0", side="array")
    machines.attach(PORTAL)
    machines.attach_also("10.1.3.1", "nqn.2026-01.org.example:other")
    wires = [f"eth{i}" for i in span(4)]
    for joined in (False, True):
        planned = machines.planned("host")
        assert links(planned) == wires, planned
        assert bool(planned["steps"]) != joined, planned
        machines.setup("host")
        machines.reattach()
        agent = net.agents[-1]
        agent.ask("close")
        agent.ask("connect", address="10.1.3.1", port=PORT)
        net.settles(wires, lambda now: len(now) == 4 and all(len(c) == 2 for c in now.values()))
    for peer in ([], ["--peer", str(machines.report("target"))]):
        status, findings = machines.check("host", *peer)
        assert status == 0, shown(findings)
