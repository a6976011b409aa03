# SPDX-License-Identifier: GPL-2.0-or-later
"""Relayed controllers in what the commands show, and those that went past the relay."""

from typing import Any

import pytest
from lab import Lab, Port, Subsystem, Target, wait_until
from lab.relay import Relay, relays
from test_relay import LINKS, NQN, carries, connect, offer, verify

OTHER = "nqn.2024-01.lab:other"

pytestmark = [pytest.mark.stock, pytest.mark.limit(180)]


def show(lab: Lab) -> list[Any]:
    controllers: list[Any] = lab.host.nvme("mptcp show-subflows -o json")["controllers"]
    return controllers


def rules(lab: Lab) -> dict[str, Any]:
    return {finding["rule"]: finding for finding in lab.host.check()}


def test_two_controllers_to_one_portal(lab: Lab) -> None:
    subsystems = (Subsystem(NQN), Subsystem(OTHER))
    lab.target.configure(Target(subsystems, (Port(trtype="tcp", traddr="10.1.1.1"),)))
    with relays(lab):
        connect(lab)
        lab.host.reference(f"connect -t tcp -a 10.1.1.1 -s 4420 -n {OTHER} --nr-io-queues 1 -c 1")
        lab.host.wait_for_subflows(LINKS, 5)
        found = {c["subsysnqn"]: c for c in show(lab)}
        assert {nqn: c["connections_found"] for nqn, c in found.items()} == {NQN: 3, OTHER: 2}
        for controller in found.values():
            assert controller["relay"] and not controller["bypassed"]
            assert controller["connections_found"] == controller["connections_expected"]
            assert {c["attribution"] for c in controller["connections"]} == {"exact"}
            assert len(controller["links"]) == LINKS
        assert not rules(lab).keys() & {"K06", "N03", "N04", "N07", "N09"}
        # The numbers are those that the kernel got when it connected again.
        [controller] = [c for c in lab.host.controllers() if c.attribute("subsysnqn") == NQN]
        lab.host.nvme(f"reset /dev/{controller.name}")
        controller.wait_for("live", 30)
        lab.host.wait_for_subflows(LINKS, 5)
        found = {c["subsysnqn"]: c for c in show(lab)}
        assert {nqn: c["connections_found"] for nqn, c in found.items()} == {NQN: 3, OTHER: 2}


def test_a_controller_from_before_the_relay(lab: Lab) -> None:
    offer(lab)
    connect(lab)
    verify(lab)
    [controller] = lab.host.controllers()
    before = sockets(lab)
    assert len(before) == 3
    with relays(lab):
        verify(lab)
        assert controller.state == "live"
        assert sockets(lab) == before
        [shown] = show(lab)
        assert shown["bypassed"] and not shown["relay"]
        finding = rules(lab)["N09"]
        command = f"nvme reset /dev/{controller.name}"
        assert command in str(finding)
        lab.host.nvme(command.removeprefix("nvme "))
        controller.wait_for("live", 30)
        carries(lab)
        verify(lab)
        [shown] = show(lab)
        assert shown["relay"] and shown["connections_found"] == 3
        assert "N09" not in rules(lab)


def test_a_controller_past_the_relay_stays_when_it_ends(lab: Lab) -> None:
    offer(lab)
    connect(lab)
    before = sockets(lab)
    with relays(lab) as (host, target):
        verify(lab)
        assert host.end() == 0 and target.end() == 0
        verify(lab)
        assert sockets(lab) == before


def sockets(lab: Lab) -> set[str]:
    """Local ends of the connections to the target."""
    text = lab.network.run("host", "ss", "-Htn", "state", "established", "( dport = :4420 )")
    return {line.split()[2] for line in text.splitlines()}


def test_fallback_is_shown(lab: Lab) -> None:
    offer(lab)
    host = Relay(None, "--portal", "10.1.1.1:4420")
    try:
        connect(lab)
        verify(lab)
        wait_until(lambda: bool(show(lab)[0]["fallback"] == 3), "all connections in fallback")
        [shown] = show(lab)
        assert shown["relay"] and shown["connections_found"] == 3
        assert "check that a relay for this port runs there" in rules(lab)["C01"]["why"]
        lab.host.disconnect_all()
        assert host.end() == 0
    finally:
        host.kill()
