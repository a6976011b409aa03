# SPDX-License-Identifier: GPL-2.0-or-later
"""Relays on both sides: the kernel's own nvme-tcp and nvmet-tcp, and subflows on every link."""

import subprocess
import time
from threading import Thread
from typing import Any

import pytest
from lab import Lab, Port, Subsystem, Target, Topology, wait_until
from lab.relay import Relay, relays

NQN = "nqn.2024-01.lab:disk"
LINKS = 4

pytestmark = [pytest.mark.stock, pytest.mark.limit(180)]


def offer(lab: Lab, traddr: str = "10.1.1.1", adrfam: str = "ipv4") -> None:
    port = Port(trtype="tcp", adrfam=adrfam, traddr=traddr)
    lab.target.configure(Target((Subsystem(NQN),), (port,)))


def connect(lab: Lab, traddr: str = "10.1.1.1", more: str = "") -> None:
    """Connect as users do, with Debian's program."""
    lab.host.reference(f"connect -t tcp -a {traddr} -s 4420 -n {NQN} --nr-io-queues 2 -c 1 {more}")


def verify(lab: Lab) -> None:
    lab.host.verify(lab.host.disk(NQN))


def carries(lab: Lab) -> None:
    """Wait until admin queue and I/O queues have a subflow on each link."""
    lab.host.wait_for_subflows(LINKS, 3)


def test_tcp_uses_every_link(lab: Lab) -> None:
    offer(lab)
    with relays(lab):
        connect(lab)
        verify(lab)
        carries(lab)
        [controller] = lab.host.controllers()
        assert controller.attribute("transport") == "tcp"
        address = dict(word.split("=") for word in controller.attribute("address").split(","))
        assert (address["traddr"], address["trsvcid"]) == ("10.1.1.1", "4420")
        assert address.get("src_addr", "10.1.1.2") == "10.1.1.2"


@pytest.mark.topology(Topology.one_per_link(LINKS, family="ipv6"))
def test_ipv6_with_digests(lab: Lab) -> None:
    traddr = "fd00:1:1::1"
    offer(lab, traddr, "ipv6")
    with relays(lab, f"[{traddr}]:4420"):
        connect(lab, traddr, "--hdr-digest --data-digest")
        verify(lab)
        carries(lab)
        status = lab.host.nvme("mptcp relay --status -o json")
        found = {(c["portal"], c["state"], c["subflows"]) for c in status["connections"]}
        assert found == {(f"[{traddr}]:4420", "mptcp", LINKS)}
        assert len(status["connections"]) == 3


def test_a_cable_is_pulled(lab: Lab) -> None:
    lab.network.changed = True
    offer(lab)
    with relays(lab):
        connect(lab)
        carries(lab)
        verify(lab)
        lab.network.set_link("host", 1, False)
        for _ in range(3):
            verify(lab)
        assert [c.state for c in lab.host.controllers()] == ["live"]
        lab.network.set_link("host", 1, True)
        verify(lab)


@pytest.mark.parametrize("side", ["host", "target"])
def test_a_relay_is_killed_and_returns(lab: Lab, side: str) -> None:
    offer(lab)
    with relays(lab) as (host, target):
        connect(lab)
        carries(lab)
        (host if side == "host" else target).kill()
        time.sleep(0.5)
        again = (
            Relay(None, "--portal", "10.1.1.1:4420")
            if side == "host"
            else Relay("target", "--port", "4420")
        )
        verify(lab)
        [controller] = lab.host.controllers()
        controller.wait_for("live", 30)
        verify(lab)
        lab.host.disconnect_all()
        assert again.end() == 0


@pytest.mark.icount
@pytest.mark.limit(300)
def test_twenty_reloads_of_each_side(lab: Lab) -> None:
    offer(lab)
    with relays(lab) as (host, target):
        connect(lab)
        carries(lab)
        job: list[Any] = []
        fio = Thread(
            target=lambda: job.append(
                lab.host.fio(
                    lab.host.disk(NQN), rw="randwrite", bs="16k", iodepth=8, size="8m",
                    runtime=90, time_based=1, verify="crc32c", verify_fatal=1, verify_backlog=64,
                )
            )
        )  # fmt: skip
        fio.start()
        for _ in range(20):
            for relay in (host, target):
                assert "Reloaded with 3 connections" in relay.reload(), relay.lines
            time.sleep(0.2)
        assert fio.is_alive(), "the reloads took longer than the load"
        fio.join()
        [found] = job
        slowest = max(found[way]["clat_ns"]["max"] for way in ("read", "write"))
        assert slowest < 1e9, f"{slowest / 1e9:.2f} s without an answer"
        assert found["write"]["total_ios"] > 0 and found["read"]["total_ios"] > 0
        assert [c.state for c in lab.host.controllers()] == ["live"]
        carries(lab)


def test_a_port_on_all_addresses_is_redirected(lab: Lab) -> None:
    offer(lab, traddr="0.0.0.0")
    with relays(lab) as (_host, target):
        assert any("redirected to port 14420" in line for line in target.lines)
        connect(lab)
        verify(lab)
        carries(lab)


def test_without_a_relay_on_the_target(lab: Lab) -> None:
    offer(lab)
    host = Relay(None, "--portal", "10.1.1.1:4420")
    try:
        connect(lab)
        verify(lab)
        wait_until(
            lambda: lab.network.mptcp_counters("host").get("MPCapableFallbackSYNACK"), "a fallback"
        )
        lab.host.disconnect_all()
        assert host.end() == 0
    finally:
        host.kill()


def test_user_processes_are_not_relayed(lab: Lab) -> None:
    offer(lab)
    with relays(lab):
        ask = "import socket; s = socket.create_connection(('10.1.1.1', 4420), 5); s.recv(1)"
        done = subprocess.run(
            ["python3", "-c", ask], user=65534, group=65534, capture_output=True, text=True
        )
        assert "ConnectionResetError" in done.stderr
