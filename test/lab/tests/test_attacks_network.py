# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's transport under attack: a target that lies, strangers that join, subflows killed."""

import contextlib
import os
import re
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import test_attacks
from lab import Lab, Topology, wait_until
from lab.host import Controller
from lab.network import Side
from lab.system import network_namespace
from packets import ACK, SYN, checksum
from test_attacks import NQN, is_served, pdu, writer_of

PROXY_PORT = 4499
ADMIN_TIMEOUT = Path("/sys/module/nvme_core/parameters/admin_timeout")

IC_RESP, C2H_TERM, RSP, C2H_DATA, R2T = 1, 3, 5, 7, 9

pytestmark = [pytest.mark.every_kernel, pytest.mark.topology(Topology.one_per_link(2))]


controller = test_attacks.controller

#: What takes the place of a PDU of the target.
LIES = {
    "noise": os.urandom(4096),
    "unknown type": pdu(0x55, 0, 24, 0, 24, bytes(16)),
    "header too long": pdu(RSP, 0, 255, 0, 24, bytes(16)),
    "header too short": pdu(RSP, 0, 1, 0, 24, bytes(16)),
    "longer than anything": pdu(C2H_DATA, 4, 24, 24, 0xFFFFFFFF, bytes(16)),
    "shorter than its header": pdu(C2H_DATA, 4, 24, 24, 8, bytes(16)),
    "answer to nothing": pdu(RSP, 0, 24, 0, 24, bytes(12) + b"\xfe\xff\0\0"),
    "data for nothing": pdu(C2H_DATA, 4, 24, 24, 4120, struct.pack("<HHII4x", 0xFFFE, 0, 0, 4096)),
    "data behind its end": pdu(
        C2H_DATA, 4, 24, 24, 536, struct.pack("<HHII4x", 0, 0, 1 << 31, 512)
    ),
    "request for nothing": pdu(R2T, 0, 24, 0, 24, struct.pack("<HHII4x", 0xFFFE, 1, 0, 4096)),
    "request for 4 GiB": pdu(R2T, 0, 24, 0, 24, struct.pack("<HHII4x", 0, 1, 0, 0xFFFFFFFF)),
    "termination": pdu(C2H_TERM, 0, 24, 0, 24, bytes(16)),
    "a second beginning": pdu(IC_RESP, 0, 128, 0, 128, bytes(120)),
}


class Liar:
    """A proxy before the target, which replaces the PDU with a number by something else."""

    def __init__(self, lab: Lab, number: int, lie: bytes) -> None:
        self.number, self.lie = number, lie
        self.told = False
        with network_namespace(lab.topology.namespace("target")):
            self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("10.1.1.1", PROXY_PORT))
        self._listener.listen()
        self._lab = lab
        self._sockets = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        namespace = self._lab.topology.namespace("target")
        with network_namespace(namespace), contextlib.suppress(OSError):
            while True:
                host, _ = self._listener.accept()
                target = socket.create_connection(("10.1.1.1", 4420))
                self._sockets += [host, target]
                for copy in (self._forward, self._lie):
                    threading.Thread(target=copy, args=(host, target), daemon=True).start()

    @staticmethod
    def _forward(host: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := host.recv(65536):
                target.sendall(data)

    def _lie(self, host: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError), target.makefile("rb") as stream:
            for number in range(1 << 20):
                header = stream.read(8)
                if len(header) < 8:
                    break
                body = stream.read(struct.unpack_from("<I", header, 4)[0] - 8)
                if number == self.number:
                    self.told = True
                    host.sendall(self.lie)
                else:
                    host.sendall(header + body)


@pytest.fixture
def _impatient(controller: Controller) -> Iterator[None]:
    """The host waits for an answer to a command of the administration for 2 s, not for 60."""
    was = ADMIN_TIMEOUT.read_text()
    ADMIN_TIMEOUT.write_text("2")
    yield
    ADMIN_TIMEOUT.write_text(was)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.limit(240)
@pytest.mark.parametrize("number", [0, 1, 5], ids=["first", "second", "identify"])
def test_a_target_that_lies(lab: Lab, controller: Controller, number: int) -> None:
    """Its controller fails, or waits for another answer; the host and other controllers live."""
    for name, lie in LIES.items():
        liar = Liar(lab, number, lie)
        try:
            with contextlib.suppress(OSError):
                lab.host.connect(
                    NQN, trsvcid=PROXY_PORT, ctrl_loss_tmo=0, nr_io_queues=1, keep_alive_tmo=1
                )
            assert liar.told, name
        finally:
            liar.close()
        for other in lab.host.controllers():
            if other.name != controller.name:
                other.delete()
    assert is_served(lab, controller)


@contextlib.contextmanager
def packets(lab: Lab, link: str) -> Iterator[socket.socket]:
    """All that passes a link of the host, with Ethernet headers, and what is sent there."""
    with network_namespace(lab.topology.namespace("host")):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        sock.bind((link, 0))
    with sock:
        sock.settimeout(0.5)
        yield sock


def segment(ports: tuple[int, int], seq: int, ack: int, flags: int, option: bytes) -> bytes:
    """A packet from 10.1.1.77, an unused address, to the target (RFC 793, 791)."""
    source, target = socket.inet_aton("10.1.1.77"), socket.inet_aton("10.1.1.1")
    offset = (20 + len(option)) // 4 << 4
    tcp = struct.pack(">HHIIBBHHH", *ports, seq, ack, offset, flags, 65535, 0, 0) + option
    pseudo = source + target + struct.pack(">BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0) + source + target
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + tcp


def join(token: int) -> bytes:
    """MP_JOIN of a SYN: kind 30, length 12, subtype 1 (RFC 8684, 3.2)."""
    return struct.pack(">BBBBII", 30, 12, 0x10, 9, token, 0x12345678)


#: Of a third ACK, with a HMAC that proves nothing.
JOIN_ACK = struct.pack(">BBBB", 30, 24, 0x10, 0) + bytes(20)


def target_tokens(lab: Lab) -> list[int]:
    """By which the target's connections are joined."""
    said = lab.network.run("target", "ss", "-HtniO", "state", "established", "( sport = :4420 )")
    pairs = re.findall(r"token:(\w+)\(id:\d+\)/(\w+)", said)
    return [int(word, 16) for pair in pairs for word in pair]


def way(lab: Lab, side: Side, address: str) -> tuple[str, str]:
    """The interface by which a side reaches an address, and its hardware address."""
    route = lab.network.run(side, "ip", "-o", "route", "get", address).split()
    name = route[route.index("dev") + 1]
    link = lab.network.run(side, "ip", "-o", "link", "show", "dev", name).split()
    return name, link[link.index("link/ether") + 1]


@pytest.mark.limit(120)
def test_forged_joins(lab: Lab, controller: Controller) -> None:
    """Unknown tokens, and the right ones without the keys."""
    name, mac = way(lab, "host", "10.1.1.1")
    peer_name, peer_mac = way(lab, "target", "10.1.1.2")
    lab.network.run(
        "target", "ip", "neigh", "replace", "10.1.1.77", "lladdr", mac, "dev", peer_name
    )
    ethernet = bytes.fromhex((peer_mac + mac).replace(":", "")) + b"\x08\x00"
    before = lab.network.mptcp_counters("target")
    tokens = target_tokens(lab)
    answered = 0
    with packets(lab, name) as sock:
        for number, token in enumerate([0, 0xFFFFFFFF, *range(1, 200), *tokens]):
            ports = (20000 + number, 4420)
            sock.send(ethernet + segment(ports, 1, 0, SYN, join(token)))
            if token not in tokens:
                continue
            with contextlib.suppress(TimeoutError):
                while True:
                    frame = sock.recv(2048)
                    if frame[14 + 16 : 14 + 20] == socket.inet_aton("10.1.1.77"):
                        to = struct.unpack(">H", frame[36:38])[0]
                        if to == ports[0] and frame[47] == SYN | ACK:
                            break
                seq = struct.unpack(">I", frame[38:42])[0]
                sock.send(ethernet + segment(ports, 2, seq + 1, ACK, JOIN_ACK))
                answered += 1
    assert answered
    lab.network.run("target", "ip", "neigh", "del", "10.1.1.77", "dev", peer_name)
    after = lab.network.mptcp_counters("target")
    assert after["MPJoinNoTokenFound"] > before["MPJoinNoTokenFound"]
    assert after["MPJoinAckHMacFailure"] - before["MPJoinAckHMacFailure"] == answered
    assert is_served(lab, controller)


@pytest.mark.limit(180)
def test_subflows_are_killed_under_load(lab: Lab, controller: Controller) -> None:
    """One at a time: the others carry what it had taken, and it comes back."""
    disk = lab.host.disk(NQN)
    queues = len(lab.host.subflows_per_connection())
    lab.host.wait_for_subflows(2, queues)
    for number in range(8):
        with writer_of(disk, "64k", 256) as writer:
            address = f"10.1.{number % 2 + 1}.2"
            lab.network.run("host", "ss", "-K", "-tn", "src", address, "dport", "=", ":4420")
            assert writer.wait() == 0
        wait_until(lambda: controller.state == "live", "the controller is live", 20)
    assert is_served(lab, controller)
