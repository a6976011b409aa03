# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whoever connects at a terminal is told if MPTCP does not use the links that it should."""

import os
import pty
import subprocess
import time

import pytest
from conftest import NVME, Nvme, network_of, read_to_end
from fake_sysfs import FakeHost
from mptcp_net import HIDE, Network, enter

NQN = "nqn.2025-01.test:one"
CONNECT = ["connect", "-t", "mptcp", "-a", "10.77.1.1", "-n", NQN]


network = network_of(3, scope="module")


@pytest.fixture
def net(network: Network) -> Network:
    """Nothing runs yet; a subflow endpoint on each further link of the host."""
    network.stop()
    network.limits(8, 8)
    network.subflows_by(2, 3)
    return network


@pytest.fixture
def machine(host: FakeHost) -> FakeHost:
    """The next connect brings up nvme0, whose connections are those that a process has made."""
    address = "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2"
    made = host.subsystem(0, NQN).controller(0, "mptcp", address, connected=False, queue_count=2)
    host.answer_connected(made)
    return host


def at_terminal(net: Network, host: FakeHost, *args: str, terminal: bool = True) -> tuple[int, str]:
    """Run nvme where it sees no other process; its exit status and what stderr showed."""
    # Nothing is loaded into the programs that hide others.
    settings = [f"{name}={value}" for name, value in Nvme(host).environment().items()]
    ours, theirs = pty.openpty() if terminal else os.pipe()
    try:
        done = subprocess.run(
            enter(net.host, *HIDE, "env", *settings, NVME, *args),
            stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(theirs)
    return done.returncode, read_to_end(ours)


def test_all_links(net: Network, machine: FakeHost) -> None:
    net.connections(2)
    started = time.monotonic()
    assert at_terminal(net, machine, *CONNECT) == (0, "")
    assert time.monotonic() - started < 5


def test_one_link_is_what_one_endpoint_asks_for(net: Network, machine: FakeHost) -> None:
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.connections(2)
    assert at_terminal(net, machine, *CONNECT) == (0, "")


def test_fewer_links(net: Network, machine: FakeHost) -> None:
    """The target refuses what would join."""
    net.ip("mptcp", "limits", "set", "subflows", "0", netns=net.target)
    net.connections(2)
    said = "nvme0 uses only 1 of 3 links: see nvme mptcp check nvme0\n"
    assert at_terminal(net, machine, *CONNECT) == (0, said)


def test_fallback(net: Network, machine: FakeHost) -> None:
    net.connections(2, protocol=6)
    said = "nvme0: 2 of 2 connections fell back to plain TCP: see nvme mptcp check nvme0\n"
    assert at_terminal(net, machine, *CONNECT) == (0, said)


@pytest.mark.parametrize("more", [[], ["--quiet"], ["-o", "json"]], ids=["script", "quiet", "json"])
def test_who_is_not_told(net: Network, machine: FakeHost, more: list[str]) -> None:
    net.connections(2, protocol=6)
    assert at_terminal(net, machine, *CONNECT, *more, terminal=bool(more)) == (0, "")
