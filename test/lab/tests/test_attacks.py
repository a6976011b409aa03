# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's transport under attack: whatever a host sends, or does, the others are served on."""

import contextlib
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from lab import Lab, Target, Topology, wait_until
from lab.host import Controller
from lab.system import network_namespace

NQN = "nqn.2024-01.lab:disk"
TARGET = ("10.1.1.1", 4420)

IC_REQ, H2C_TERM, CMD, H2C_DATA, C2H_DATA = 0, 2, 4, 6, 7

#: A command capsule whose SGL promises 4 GiB in the capsule.
ENDLESS = bytes(24) + struct.pack("<QIB3xB", 0, 0xFFFFFFFF, 0, 1).ljust(40, b"\0")

pytestmark = [pytest.mark.every_kernel, pytest.mark.topology(Topology.one_per_link(2))]


def pdu(kind: int, flags: int, hlen: int, pdo: int, plen: int, body: bytes = b"") -> bytes:
    """A PDU with a common header that may lie."""
    return struct.pack("<BBBBI", kind, flags, hlen, pdo, plen) + body


def ic_req(**changes: int) -> bytes:
    """The first PDU of a host, with other values in some of its fields."""
    field = {"pfv": 0, "hpda": 0, "digests": 0, "maxr2t": 0, "plen": 128, "hlen": 128} | changes
    body = struct.pack("<HBBI", field["pfv"], field["hpda"], field["digests"], field["maxr2t"])
    return pdu(IC_REQ, 0, field["hlen"], 0, field["plen"], body.ljust(120, b"\0"))


FIRST = {
    "nothing": b"",
    "cut": ic_req()[:60],
    "another version": ic_req(pfv=7),
    "alignment": ic_req(hpda=31),
    "unknown digests": ic_req(digests=0xFF),
    "too long": ic_req(plen=0xFFFFFFFF),
    "too short": ic_req(plen=1, hlen=1),
    "a command": pdu(CMD, 0, 72, 0, 72, bytes(64)),
    "noise": os.urandom(4096),
    "twice": ic_req() * 2,
}
SECOND = {
    "unknown type": pdu(0x55, 0, 72, 0, 72, bytes(64)),
    "data of no command": pdu(H2C_DATA, 4, 24, 24, 4096, bytes(4088)),
    "data of a target": pdu(C2H_DATA, 4, 24, 24, 4096, bytes(4088)),
    "header too long": pdu(CMD, 0, 255, 0, 72, bytes(64)),
    "longer than allowed": pdu(CMD, 0, 72, 72, 0xFFFFFFFF, bytes(64)),
    "endless": pdu(CMD, 0, 72, 72, 72, ENDLESS),
    "cut": pdu(CMD, 0, 72, 0, 72, bytes(10)),
    "termination": pdu(H2C_TERM, 0, 24, 0, 24, bytes(16)),
    "noise": os.urandom(4096),
}


@contextlib.contextmanager
def stranger(lab: Lab, protocol: int = socket.IPPROTO_MPTCP) -> Iterator[socket.socket]:
    """A connection to the target of which the host's driver knows nothing."""
    with network_namespace(lab.topology.namespace("host")):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    with connection:
        connection.settimeout(10)
        connection.connect(TARGET)
        yield connection


@pytest.fixture
def controller(lab: Lab) -> Controller:
    """One that is served while others attack."""
    controller = lab.connect(NQN)
    lab.host.disk(NQN)
    return controller


def is_served(lab: Lab, controller: Controller) -> bool:
    """Write and read; no connection was lost meanwhile."""
    lab.host.verify(lab.host.disk(NQN), 256 << 10)
    return controller.state == "live"


def writer_of(disk: Path, bs: str, count: int) -> subprocess.Popen[bytes]:
    """Begin to write to a disk. While it is away, a file of its name is not to be made."""
    words = ["dd", "if=/dev/zero", f"of={disk}", f"bs={bs}", f"count={count}"]
    return subprocess.Popen([*words, "oflag=direct", "conv=nocreat"], stderr=subprocess.DEVNULL)


def talk(connection: socket.socket, *pieces: bytes) -> None:
    """Send pieces, and take answers until the other side ends, or has sent what it has to say."""
    with contextlib.suppress(OSError):
        for piece in pieces:
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


@pytest.mark.parametrize(
    "protocol", [socket.IPPROTO_MPTCP, socket.IPPROTO_TCP], ids=["mptcp", "tcp"]
)
def test_wrong_pdus_of_a_host(lab: Lab, controller: Controller, protocol: int) -> None:
    for first in FIRST.values():
        with stranger(lab, protocol) as connection:
            talk(connection, first)
    for second in SECOND.values():
        with stranger(lab, protocol) as connection:
            talk(connection, ic_req(), second)
    assert is_served(lab, controller)


@pytest.mark.limit(240)
def test_a_thousand_connections_that_go_before_they_are_made(
    lab: Lab, controller: Controller
) -> None:
    """In the midst of the first PDU, after it, and without any, with and without a reset."""

    def attack(number: int) -> None:
        with stranger(lab) as connection:
            connection.send(ic_req()[: (0, 8, 60, 128)[number % 4]] or b"\\0")
            if number % 3:
                reset = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)

    for number in range(1000):
        attack(number)
    assert is_served(lab, controller)


@pytest.mark.limit(120)
def test_a_namespace_of_the_target_goes_while_it_is_used(lab: Lab, controller: Controller) -> None:
    """Its requests fail, the controller stays, and the namespace comes back."""
    enable = Path(f"/sys/kernel/config/nvmet/subsystems/{NQN}/namespaces/1/enable")
    disk = lab.host.disk(NQN)
    for _ in range(5):
        with writer_of(disk, "64k", 512) as writer:
            enable.write_text("0")
            writer.wait()
        # or the host finds the old disk, which its first scan takes away a moment later
        wait_until(lambda: not any(Path("/dev").glob("nvme*n*")), "the disk to go")
        enable.write_text("1")
        disk = lab.host.disk(NQN)
    assert is_served(lab, controller)


@pytest.mark.limit(120)
def test_modules_are_removed_while_hosts_connect(lab: Lab) -> None:
    """Each connect succeeds or fails, and none is left."""
    lab.target.configure(Target.simple(NQN))

    def remove() -> None:
        for _ in range(100):
            subprocess.run(["rmmod", "nvme_mptcp"], capture_output=True, check=False, timeout=60)

    made = 0
    with ThreadPoolExecutor(1) as pool:
        removals = pool.submit(remove)
        while not removals.done():
            with contextlib.suppress(OSError):
                lab.host.connect(NQN).delete()
                made += 1
        removals.result()
    assert made
    lab.host.disconnect_all()
    assert is_served(lab, lab.host.connect(NQN))


@pytest.mark.limit(120)
def test_a_processor_goes_and_comes_under_load(lab: Lab, controller: Controller) -> None:
    online = Path("/sys/devices/system/cpu/cpu1/online")
    disk = lab.host.disk(NQN)
    for value in "0101":
        with writer_of(disk, "64k", 256) as writer:
            online.write_text(value)
            assert writer.wait() == 0
    assert is_served(lab, controller)


@pytest.mark.limit(120)
@pytest.mark.topology(Topology.one_per_link(2, rate="20mbit"))
def test_a_connection_outlives_the_processor_that_it_came_in_on(lab: Lab) -> None:
    """The target sends more than a socket takes, and waits for room on a processor that is gone."""
    online = Path("/sys/devices/system/cpu/cpu1/online")
    processors = os.sched_getaffinity(0)
    lab.target.configure(Target.simple(NQN))
    os.sched_setaffinity(0, {1})
    try:
        lab.host.connect(NQN, nr_io_queues=1)
    finally:
        os.sched_setaffinity(0, processors)
    disk = lab.host.disk(NQN)
    online.write_text("0")
    try:
        reading = ["dd", f"if={disk}", "of=/dev/null", "bs=1M", "count=8", "iflag=direct"]
        subprocess.run(reading, check=True, capture_output=True, timeout=20)
    finally:
        online.write_text("1")


@pytest.mark.limit(180)
def test_ports_come_and_go_amid_writes(lab: Lab) -> None:
    """The host reconnects each time, whatever the target was waiting for."""
    controller = lab.connect(NQN, reconnect_delay=1, ctrl_loss_tmo=600, nr_io_queues=1)
    disk = lab.host.disk(NQN)
    link = Path("/sys/kernel/config/nvmet/ports/1/subsystems", NQN)
    subsystem = link.resolve()
    for _ in range(5):
        with writer_of(disk, "1M", 16) as writer:
            link.unlink()
            controller.wait_for("connecting")
            with network_namespace("target"):
                link.symlink_to(subsystem)
            assert writer.wait() == 0
        wait_until(lambda: controller.state == "live", "the controller is back", 20)
    assert is_served(lab, controller)
