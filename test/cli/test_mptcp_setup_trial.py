# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp setup on a host: what a trial connection shows to work is left as it is."""

import re

import pytest
import test_mptcp_setup
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import run
from test_mptcp_setup import LINKS, actions, carried, endpoints, plan_for, wait_for

net = test_mptcp_setup.net
controller = test_mptcp_setup.controller


def made(side: str) -> list[str]:
    """The addresses of endpoints, without those that the kernel makes and drops by itself."""
    found = endpoints(side)["endpoints"]
    return [e["address"] for e in found if "implicit" not in e["flags"]]


def trial_of(net: Network) -> tuple[int, int]:
    """How many subflows a connection has that is made now, and by how many links."""
    words = ["check", "--traddr", "10.77.1.1", "--netns", net.host, "--interval", "0"]
    found = re.search(r"accepted, (\d+) of \d+ subflows on (.*)", run("mptcp", *words).out)
    assert found
    return int(found[1]), len(found[2].split())


def test_what_works_is_left_as_it_is(net: Network) -> None:
    """Announced addresses are joined already: endpoints would double each connection's subflows."""
    net.limits(8, 8)
    plan_for(net.target, "target", "--apply")
    net.answer()
    assert trial_of(net) == (4, 4)
    for options in ([], ["--dev", "eth1,eth2"]):
        plan = plan_for(net.host, "host", "--traddr", "10.77.1.1", "--apply", *options)
        assert (plan["method"], plan["steps"]) == ("announced", [])
        assert "nothing is missing" in plan["notes"][-1]["text"]
        assert plan["config"]["endpoints"] == []
    assert made(net.host) == []
    assert trial_of(net) == (4, 4)
    # What setup made before is part of it, and --replace is done all the same.
    net.limits(8, 0)
    net.subflows_by(1, 2, 3, 4)
    plan = plan_for(net.host, "host", "--traddr", "10.77.1.1")
    assert plan["steps"] == []
    assert [e["dev"] for e in plan["config"]["endpoints"]] == LINKS
    net.limits(8, 8)
    assert plan_for(net.host, "host", "--traddr", "10.77.1.1")["steps"] == []
    assert plan_for(net.host, "host", "--traddr", "10.77.1.1", "--replace")["steps"]


def test_what_is_missing_is_planned_for_what_the_target_announces(net: Network) -> None:
    """Two of three announcements are accepted; endpoints would share links with them."""
    net.limits(8, 2)
    plan_for(net.target, "target", "--apply")
    net.answer()
    assert trial_of(net) == (3, 3)
    plan = plan_for(net.host, "host", "--traddr", "10.77.1.1", "--apply")
    assert (plan["method"], actions(plan)) == ("announced", ["limits"])
    assert not any(note["side"] == "target" for note in plan["notes"]), "it announces already"
    assert made(net.host) == []
    assert trial_of(net) == (4, 4)


@pytest.mark.parametrize("command", [["setup"], ["keep", "--auto", "--config", "none", "--once"]])
def test_what_a_controller_joined_is_known(
    net: Network, controller: FakeHost, command: list[str]
) -> None:
    """Its connections show the target's other addresses, to which routes lead by all links."""
    net.limits(8, 8)
    plan_for(net.target, "target", "--apply")
    net.connections(3)
    wait_for(lambda: carried(net) == [LINKS] * 3)
    apply = ["--apply"] if command == ["setup"] else []
    run("mptcp", *command, "--role", "host", *apply, host=controller, unseen=net.host, status=0)
    assert made(net.host) == []
    assert carried(net) == [LINKS] * 3


def test_backups_do_not_make_a_link_carry(net: Network) -> None:
    net.limits(8, 0)
    net.subflows_by(2, 3, 4, more="subflow backup")
    net.answer()
    assert trial_of(net) == (4, 4)
    plan = plan_for(net.host, "host", "--traddr", "10.77.1.1")
    assert "add" in actions(plan)
    assert any("has settings that differ" in note["text"] for note in plan["notes"])


def test_without_a_trial_the_plan_is_made_from_routes(net: Network) -> None:
    """Nothing listens there: the output says so, and plans."""
    words = ["mptcp", "setup", "--role", "host", "--netns", net.host, "--traddr", "10.77.1.1"]
    shown = run(*words)
    assert shown.out.startswith("trial: 10.77.1.1:4420: connection refused")
    assert "\nThe plan is made without a trial connection.\n" in shown.out
    assert "endpoint add" in shown.out
    result = run(*words, "-o", "json")
    assert (result.status, actions(result.json)) == (0, ["limits"] + ["add"] * 4)
    assert result.err.startswith("no trial connection to 10.77.1.1: connection refused")


@pytest.mark.parametrize("connected", [False, True])
def test_keep_with_an_address_leaves_it_as_well(
    net: Network, controller: FakeHost, connected: bool
) -> None:
    """What a trial or the connections of a controller show to work gets no endpoints."""
    net.limits(8, 8)
    plan_for(net.target, "target", "--apply")
    if connected:
        net.connections(3)
        wait_for(lambda: carried(net) == [LINKS] * 3)
    else:
        net.answer()
    words = ["--auto", "--config", "none", "--once", "--role", "host", "--traddr", "10.77.1.1"]
    host = controller if connected else None
    run("mptcp", "keep", *words, host=host, unseen=net.host, status=0)
    assert made(net.host) == []
    if connected:
        assert carried(net) == [LINKS] * 3
    else:
        assert trial_of(net) == (4, 4)
