# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whoever connects at a terminal is told if MPTCP does not use the links that it should."""

import contextlib
import os
import pty
import subprocess
import time
from collections.abc import Iterator

import pytest
from conftest import NVME, PRELOAD, live, sanitizer_library
from fake_sysfs import FakeHost
from mptcp_net import Network

pytestmark = live

NQN = "nqn.2025-01.test:one"
CONNECT = ["connect", "-t", "mptcp", "-a", "10.77.1.1", "-n", NQN]


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Three links; made once."""
    with Network(3) as made:
        yield made


@pytest.fixture
def net(network: Network) -> Network:
    """Nothing runs yet; a subflow endpoint on each further link of the host."""
    network.stop()
    network.limits(8, 8)
    for i in (2, 3):
        network.endpoint(network.host, f"10.77.{i}.2", "dev", f"eth{i}", "subflow")
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
    asan = sanitizer_library(NVME)
    environment = {
        "PATH": os.environ["PATH"],
        "FAKE_DIR": str(host.fake),
        "LIBNVME_SYSFS_PATH": str(host.root / "sysfs"),
        "ASAN_OPTIONS": "exitcode=97",
    }
    preload = f"LD_PRELOAD={asan} {PRELOAD}" if asan else f"LD_PRELOAD={PRELOAD}"
    hide = ["ip", "netns", "exec", net.host, "unshare", "--pid", "--fork", "--mount-proc"]
    ours, theirs = pty.openpty() if terminal else os.pipe()
    try:
        done = subprocess.run(
            [*hide, "env", preload, NVME, *args],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=environment,
            timeout=60,
            check=False,
        )
    finally:
        os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while more := os.read(ours, 4096):
            said += more
    os.close(ours)
    return done.returncode, said.decode().replace("\r", "")


def test_all_links(net: Network, machine: FakeHost) -> None:
    net.serve()
    net.connect("10.77.1.1", 2)
    started = time.monotonic()
    assert at_terminal(net, machine, *CONNECT) == (0, "")
    assert time.monotonic() - started < 5


def test_one_link_is_what_one_endpoint_asks_for(net: Network, machine: FakeHost) -> None:
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.serve()
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT) == (0, "")


def test_fewer_links(net: Network, machine: FakeHost) -> None:
    """The target refuses what would join."""
    net.ip("mptcp", "limits", "set", "subflows", "0", netns=net.target)
    net.serve()
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT) == (
        0,
        "nvme0 uses only 1 of 3 links: see nvme mptcp check nvme0\n",
    )


def test_fallback(net: Network, machine: FakeHost) -> None:
    net.serve(protocol=6)
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT) == (
        0,
        "nvme0: 2 of 2 connections fell back to plain TCP: see nvme mptcp check nvme0\n",
    )


def test_scripts_are_not_told(net: Network, machine: FakeHost) -> None:
    net.serve(protocol=6)
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT, terminal=False) == (0, "")


def test_quiet_is_not_told(net: Network, machine: FakeHost) -> None:
    net.serve(protocol=6)
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT, "--quiet") == (0, "")


def test_json_is_not_told(net: Network, machine: FakeHost) -> None:
    net.serve(protocol=6)
    net.connect("10.77.1.1", 2)
    assert at_terminal(net, machine, *CONNECT, "-o", "json") == (0, "")
