# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme connect --require: fewer links than a unit depends on are an error with a reason."""

import contextlib

import pytest
from fake_sysfs import FakeHost
from mptcp_net import PORT, Network
from test_mptcp_hint import CONNECT, NQN, at_terminal, machine, net, network
from test_mptcp_relay import LINKS, PORTAL, Pair, Relay, pair
from test_mptcp_relay_controllers import answer, controller

__all__ = ["machine", "net", "network", "pair"]


STAYS = (
    "The controller stays connected (nvme mptcp check nvme0 prints the reason, "
    "nvme disconnect -d nvme0 disconnects it)\n"
)


def not_met(what: str, why: str) -> tuple[int, str]:
    """What a connect ends with that has not what it requires."""
    return 1, f"nvme0: --require={what} is not met: {why}. {STAYS}"


def required(net: Network, machine: FakeHost, what: str, *args: str) -> tuple[int, str]:
    """Connect as a unit does; the exit status and what stderr showed."""
    return at_terminal(net, machine, *CONNECT, "--require", what, *args, terminal=False)


@pytest.mark.parametrize("what", ["links=3", "subflows=3", "links=1"])
def test_a_requirement_that_is_met(net: Network, machine: FakeHost, what: str) -> None:
    net.connections(2)
    assert required(net, machine, what) == (0, "")


@pytest.mark.parametrize("what", ["links=2", "subflows=2"])
def test_fewer_than_required(net: Network, machine: FakeHost, what: str) -> None:
    net.ip("mptcp", "limits", "set", "subflows", "0", netns=net.target)
    net.connections(2)
    assert required(net, machine, what) == not_met(what, "a connection has only 1 after 10 s")


def test_a_fallback_meets_no_requirement(net: Network, machine: FakeHost) -> None:
    net.connections(2, protocol=6)
    said = (
        f"nvme0: --require=links=1 is not met: 2 of 2 connections fell back to plain TCP. {STAYS}"
    )
    assert required(net, machine, "links=1", "--quiet") == (1, said)


def test_a_queue_without_a_connection(net: Network, machine: FakeHost) -> None:
    """One of two queues is not there: what it has cannot be counted."""
    net.connections(1)
    said = (
        f"nvme0: --require=links=1 is not met: 1 of 2 connections are visible after 10 s. {STAYS}"
    )
    assert required(net, machine, "links=1") == (1, said)


def test_plain_tcp_without_a_relay(net: Network, host: FakeHost) -> None:
    address = "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2"
    host.answer_connected(host.subsystem(0, NQN).controller(0, "tcp", address, connected=False))
    plain = ["tcp" if word == "mptcp" else word for word in CONNECT]
    why = "it uses neither MPTCP nor a relay, so each connection has one link"
    done = at_terminal(net, host, *plain, "--require=links=1", terminal=False)
    assert done == not_met("links=1", why)


@pytest.mark.parametrize("is_target_relayed", [True, False])
def test_through_a_relay(pair: Pair, host: FakeHost, is_target_relayed: bool) -> None:
    """Without a relay on the target, what the host's relay carries falls back."""
    answer(pair)
    address = f"traddr=10.77.1.1,trsvcid={PORT}"
    made = host.subsystem(0, NQN).controller(0, "tcp", address, connected=False, queue_count=3)
    host.answer_connected(made)
    what = f"links={LINKS}"
    plain = ["tcp" if word == "mptcp" else word for word in CONNECT]
    with contextlib.ExitStack() as stack:
        if is_target_relayed:
            stack.enter_context(Relay(pair.target, "--port", str(PORT)))
        stack.enter_context(Relay(pair.host, "--portal", PORTAL))
        stack.enter_context(controller(pair, NQN))
        done = at_terminal(pair, host, *plain, "-s", str(PORT), "--require", what, terminal=False)
    fell_back = not_met(what, "3 of 3 connections fell back to plain TCP")
    assert done == ((0, "") if is_target_relayed else fell_back)


@pytest.mark.parametrize(
    "what", ["2", "links", "links=0", "links=65", "links=2x", "paths=2", "links=-1", ""]
)
def test_a_requirement_that_is_none(nvme, host: FakeHost, what: str) -> None:
    assert nvme.error(*CONNECT, f"--require={what}") == (
        f"--require={what}: must be links=N or subflows=N with N from 1 to 64, such as links=2\n"
    )
    assert host.written == []


def test_a_transport_without_subflows(nvme, host: FakeHost) -> None:
    other = ["rdma" if word == "mptcp" else word for word in CONNECT]
    assert nvme.error(*other, "--require", "links=2") == (
        "--require=links=2: transport rdma has no subflows; use mptcp, or tcp through nvme mptcp "
        "relay\n"
    )
    assert host.written == []


def test_a_configuration_has_no_requirement(nvme, host: FakeHost, tmp_path) -> None:
    file = tmp_path / "config.json"
    file.write_text("[]")
    said = nvme.error("connect", "--config", str(file), "--require", "links=2")
    assert said.startswith("cannot specify --config and --require together")
    assert host.written == []
