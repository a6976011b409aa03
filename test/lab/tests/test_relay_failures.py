# SPDX-License-Identifier: GPL-2.0-or-later
"""What fails around relays, and that disks come back without an I/O error."""

import contextlib
import errno
import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import failover
import pytest
from keeping import Keeper
from lab import Controller, Lab, Port, Subsystem, Target, wait_until
from lab.network import SIDES, Side, interface
from lab.relay import Relay, relays, running
from test_mptcp_keep_fast import OWN

NQNS = ("nqn.2024-01.lab:disk", "nqn.2024-01.lab:other")
NQN = NQNS[0]
PORT = Port(trtype="tcp", traddr="10.1.1.1")
PORTAL = "10.1.1.1:4420"
LINKS = 4
QUEUES = 3
STOPPED = 30
MANY = 300
DAY = 86400

#: What administrators have in nftables.conf: it flushes first, and admits the port and no other.
FIREWALL = """flush ruleset
table inet filter {
    chain input {
        type filter hook input priority filter; policy drop;
        ct state established,related accept
        iif lo accept
        tcp dport 4420 accept
    }
    chain output { type filter hook output priority filter; policy accept; }
}
"""

pytestmark = [pytest.mark.stock, pytest.mark.limit(180)]


def offer(lab: Lab) -> None:
    lab.target.configure(Target(tuple(map(Subsystem, NQNS)), (PORT,), 16))


def line(nqn: str = NQN, more: str = "") -> str:
    """Return the connect command, with two I/O queues."""
    return f"connect -t tcp -a 10.1.1.1 -s 4420 -n {nqn} -i {QUEUES - 1} -c 1 {more}"


def connect(lab: Lab, nqn: str = NQN, more: str = "") -> Controller:
    """Connect by Debian's nvme and wait for the disk."""
    lab.host.reference(line(nqn, more))
    lab.host.disk(nqn)
    return lab.host.controllers()[-1]


def verify(lab: Lab, nqn: str = NQN, size: int = 1 << 20) -> None:
    lab.host.verify(lab.host.disk(nqn), size)


def status(lab: Lab, options: str = "") -> Any:
    """Return what a relay says of itself, the host's unless options name a namespace."""
    return lab.host.nvme(f"mptcp relay --status -o json {options}")


def result(lab: Lab) -> int | None:
    """Return the error with which the host's relay last reached the portal, 0 for none."""
    results = status(lab)["portals"]
    return int(results[0]["errno"]) if results else None


def test_target_refuses_and_vanishes(lab: Lab) -> None:
    """Both are told apart, and a target that is there again needs nothing else."""
    with running(lab, None, "--portal", PORTAL):
        lab.host.reference(line(), status=1)
        assert result(lab) == errno.ECONNREFUSED
        offer(lab)
        lab.network.drop("target", "tcp dport 4420")
        lab.host.reference(line(), status=1)
        assert result(lab) == errno.ETIMEDOUT
        lab.network.undrop("target")
        connect(lab)
        verify(lab)
        assert result(lab) == 0


def test_target_port_is_removed_and_returns(lab: Lab) -> None:
    offer(lab)
    with relays(lab):
        controller = connect(lab)
        lab.target.remove_port(1)
        wait_until(lambda: controller.state == "connecting", "the loss of the target")
        time.sleep(3)
        lab.target.add_port(PORT, list(NQNS))
        controller.wait_for("live", 15)
        verify(lab)
        lab.host.wait_for_subflows(LINKS, QUEUES)


@pytest.mark.parametrize("side", SIDES)
def test_relay_is_stopped(lab: Lab, side: Side) -> None:
    """Keep-alive ends the controller; I/O that waits meanwhile completes."""
    offer(lab)
    with relays(lab) as (host, target), ThreadPoolExecutor(1) as other:
        controller = connect(lab, more="--keep-alive-tmo=5")
        lab.host.wait_for_subflows(LINKS, QUEUES)
        relay = (host if side == "host" else target).process
        began = time.monotonic()
        relay.send_signal(signal.SIGSTOP)
        try:
            waiting = other.submit(verify, lab)
            wait_until(lambda: controller.state == "connecting", "the keep-alive's end", STOPPED)
            time.sleep(max(0.0, began + STOPPED - time.monotonic()))
            assert not waiting.done()
        finally:
            relay.send_signal(signal.SIGCONT)
        controller.wait_for("live", 30)
        waiting.result(30)
        verify(lab)


@contextlib.contextmanager
def many_connections(count: int) -> Iterator[None]:
    """Hold that many connections to the portal."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(socket.create_connection(("10.1.1.1", 4420), 20))
        yield


def wait_for_connections(lab: Lab, count: int) -> None:
    """Wait until each relay has so many that are open."""

    def each_has() -> bool:
        told = [status(lab, options)["connections"] for options in ("", "--netns target")]
        return [sum(c["state"] == "mptcp" for c in some) for some in told] == [count] * 2

    wait_until(each_has, f"{count} connections", 60)


def test_many_connections(lab: Lab) -> None:
    """Beside those of a controller, which does not notice."""
    offer(lab)

    with relays(lab):
        controller = connect(lab)
        with many_connections(MANY):
            wait_for_connections(lab, MANY + QUEUES)
            verify(lab)
        wait_for_connections(lab, QUEUES)
        assert controller.state == "live"
        verify(lab)


@pytest.mark.parametrize("side", SIDES)
def test_descriptors_run_out(lab: Lab, side: Side) -> None:
    """What is open goes on; a connect waits until there are descriptors."""
    offer(lab)
    with relays(lab) as (host, target), ThreadPoolExecutor(1) as other:
        controller = connect(lab)
        pid = (host if side == "host" else target).process.pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")), hard))
        waiting = other.submit(lab.host.reference, line(NQNS[1]))
        time.sleep(4)
        assert not waiting.done()
        verify(lab)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))
        waiting.result(30)
        verify(lab, NQNS[1])
        assert controller.state == "live"


def test_links_of_different_mtu(lab: Lab) -> None:
    """Jumbo frames on both ends, on one end, and on none; then on none of them."""
    jumbo: tuple[tuple[Side, int], ...] = (("host", 1), ("target", 1), ("host", 2), ("target", 3))

    def set_mtu(size: int) -> None:
        for side, link in jumbo:
            lab.network.ip(side, f"link set {interface(side, link)} mtu {size}")

    set_mtu(9000)
    offer(lab)
    with relays(lab):
        connect(lab)
        lab.host.wait_for_subflows(LINKS, QUEUES)
        verify(lab, size=8 << 20)
        set_mtu(1500)
        verify(lab, size=8 << 20)
        lab.host.wait_for_subflows(LINKS, QUEUES)


@contextlib.contextmanager
def firewalls(lab: Lab) -> Iterator[None]:
    """Strict reverse paths, and only the port is admitted; the host outlives the topology."""
    lab.network.changed = True
    try:
        for side in SIDES:
            lab.network.sysctl(side, "ipv4.conf.all.rp_filter", 1)
            lab.network.run(side, "nft", "-f", "-", input=FIREWALL)
        yield
    finally:
        lab.network.run("host", "nft", "flush", "ruleset")
        lab.network.sysctl("host", "ipv4.conf.all.rp_filter", 0)


def test_the_firewall_is_restarted(lab: Lab) -> None:
    """A restart drops all other rules."""
    offer(lab)
    with firewalls(lab), relays(lab), ThreadPoolExecutor(1) as other:
        controller = connect(lab)
        lab.host.wait_for_subflows(LINKS, QUEUES)
        writing = other.submit(verify, lab, size=8 << 20)
        while not writing.done():
            for side in SIDES:
                lab.network.run(side, "nft", "-f", "-", input=FIREWALL)
        writing.result()
        connect(lab, NQNS[1])
        verify(lab, NQNS[1])
        lab.host.wait_for_subflows(LINKS, 2 * QUEUES)
        assert controller.state == "live"


def test_connection_tracking_is_full(lab: Lab) -> None:
    """What is connected goes on; a connect fails until there is room."""
    most = Path("/proc/sys/net/netfilter/nf_conntrack_max")
    offer(lab)
    with firewalls(lab), relays(lab):
        connect(lab)
        lab.host.wait_for_subflows(LINKS, QUEUES)
        before = most.read_text()
        most.write_text("1")
        try:
            lab.host.reference(line(NQNS[1]), status=1)
            verify(lab)
        finally:
            most.write_text(before)
        connect(lab, NQNS[1])
        verify(lab)
        verify(lab, NQNS[1])


def test_the_clock_jumps(lab: Lab) -> None:
    """A day forward and back, while data passes: no connection notices."""
    offer(lab)
    with relays(lab), ThreadPoolExecutor(1) as other:
        connect(lab, more="--keep-alive-tmo=5")
        before = lab.host.subflows()
        writing = other.submit(verify, lab, size=8 << 20)
        for jump in (DAY, -2 * DAY, DAY):
            time.clock_settime(time.CLOCK_REALTIME, time.time() + jump)
            time.sleep(1)
        writing.result()
        assert {s.local for s in before} <= {s.local for s in lab.host.subflows()}


def test_the_path_manager_is_in_user_space(lab: Lab) -> None:
    """Connections that are made then have one subflow, and check names the reason."""
    offer(lab)
    lab.network.sysctl("host", "mptcp.pm_type", 1)
    try:
        with relays(lab):
            controller = connect(lab)
            verify(lab)
            lab.host.wait_for_subflows(1, QUEUES)
            assert "K05" in [finding["rule"] for finding in lab.host.check()]
            lab.network.sysctl("host", "mptcp.pm_type", 0)
            lab.host.nvme(f"reset /dev/{controller.name}")
            controller.wait_for("live")
            lab.host.wait_for_subflows(LINKS, QUEUES)
    finally:
        lab.network.sysctl("host", "mptcp.pm_type", 0)


def test_network_namespace_is_deleted(lab: Lab) -> None:
    """The relay in it keeps it until it ends; then the links are gone, and the host's goes on."""
    lab.network.changed = True
    offer(lab)
    target = Relay("target", "--port", "4420")
    try:
        with running(lab, None, "--portal", PORTAL):
            controller = connect(lab)
            subprocess.run(["ip", "netns", "delete", "target"], check=True)
            verify(lab)
            lab.target.clear()
            assert target.end() == 0
            gone = Path("/sys/class/net/h1")
            wait_until(lambda: not gone.exists(), "the end of the links", 30)
            assert controller.state == "connecting"
            assert status(lab)["connections"] == []
    finally:
        target.kill()


def test_mptcp_is_disabled(lab: Lab) -> None:
    """Connections that are made then are plain TCP, and MPTCP once it is enabled again."""
    offer(lab)
    try:
        with relays(lab):
            lab.network.sysctl("host", "mptcp.enabled", 0)
            controller = connect(lab)
            verify(lab)
            assert [c["state"] for c in status(lab)["connections"]] == ["tcp"] * QUEUES
            lab.network.sysctl("host", "mptcp.enabled", 1)
            lab.host.nvme(f"reset /dev/{controller.name}")
            controller.wait_for("live")
            lab.host.wait_for_subflows(LINKS, QUEUES)
            verify(lab)
    finally:
        lab.network.sysctl("host", "mptcp.enabled", 1)


@pytest.mark.topology(OWN)
@pytest.mark.limit(600)
def test_relay_and_keep_restart_at_once(lab: Lab) -> None:
    """After a reload, and after both were killed, fio meets no error and keep does its work."""
    lab.network.changed = True
    offer(lab)

    def wait_for_links() -> None:
        wait_until(lambda: lab.host.carried() == [failover.LINKS] * QUEUES, "all links", 30)

    def keep() -> Keeper:
        keeper = stack.enter_context(Keeper("--role", "host"))
        wait_until(lambda: keeper.status().startswith("4 links carry"), "keep at work", 30)
        return keeper

    with contextlib.ExitStack() as stack, relays(lab) as (host, target):
        # a relay is back before the controller connects again
        connect(lab, more="--reconnect-delay=5")
        wait_for_links()
        keeper = keep()
        with failover.Writer(lab) as writer:
            for pid in (host.process.pid, target.process.pid, keeper.process.pid):
                os.kill(pid, signal.SIGHUP)
            writer.wait("I/O", 120)
            wait_for_links()
            host.kill()
            keeper.kill()
            stack.callback(Relay(None, "--portal", PORTAL).kill)
            keeper = keep()
            writer.wait("I/O", 120)
            wait_for_links()
            lab.network.set_link("target", 2, False)
            out = "ip mptcp endpoint delete id"
            wait_until(lambda: any(s.startswith(out) for s in keeper.steps()), "a step of keep", 5)
            writer.wait("I/O", 120)
            lab.network.set_link("target", 2, True)
            wait_for_links()
        assert [c.state for c in lab.host.controllers()] == ["live"]


def resets(keeper: Keeper) -> list[str]:
    return [d["text"] for d in keeper.documents() if d["event"] == "reset"]


@pytest.mark.topology(OWN)
@pytest.mark.limit(600)
@pytest.mark.parametrize("side", SIDES)
def test_keep_moves_a_controller_to_all_links(lab: Lab, side: Side) -> None:
    """It connected while a relay was away: over one link, until keep resets it."""
    lab.network.changed = True
    offer(lab)

    def uses_all_links() -> bool:
        return lab.host.carried() == [failover.LINKS] * QUEUES

    with contextlib.ExitStack() as stack, relays(lab) as (host, target):
        controller = connect(lab, more="--reconnect-delay=1")
        wait_until(uses_all_links, "all links", 30)
        keeper = stack.enter_context(Keeper("--role", "host"))
        wait_until(lambda: keeper.status().startswith("4 links carry"), "keep at work", 30)
        with failover.Writer(lab) as writer:
            (host if side == "host" else target).kill()
            wait_until(lambda: controller.state != "live", "the end of its connections", 20)
            controller.wait_for("live", 30)
            writer.wait("I/O", 120)
            # there is nothing to move it to: it is left alone
            assert not resets(keeper)
            again = (None, "--portal", PORTAL) if side == "host" else ("target", "--port", "4420")
            stack.callback(Relay(*again).kill)
            wait_until(uses_all_links, "all links again", 60)
            writer.wait("I/O", 120)
        said = resets(keeper)
        assert len(said) == 1, said
        assert controller.state == "live"
