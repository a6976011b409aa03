# SPDX-License-Identifier: GPL-2.0-or-later
"""Joins made by hand, as somebody sends them who is no part of the connection."""

from __future__ import annotations

import socket
import struct

from lab import Lab
from lab.system import network_namespace

LOCAL, REMOTE = ("10.1.2.2", 50123), ("10.1.2.1", 4420)

SYN, ACK = 0x02, 0x10
MPTCP_OPTION = 30
MP_JOIN = 1 << 4


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def segment(flags: int, seq: int, ack: int, option: bytes) -> bytes:
    """A TCP segment without data from LOCAL to REMOTE."""
    size = 20 + len(option)
    fields = [LOCAL[1], REMOTE[1], seq, ack, size // 4 << 4, flags, 65535, 0, 0]
    pseudo = socket.inet_aton(LOCAL[0]) + socket.inet_aton(REMOTE[0])
    pseudo += struct.pack("!HH", socket.IPPROTO_TCP, size)
    fields[7] = checksum(pseudo + struct.pack("!HHIIBBHHH", *fields) + option)
    return struct.pack("!HHIIBBHHH", *fields) + option


class Join:
    """A join from the host to the target that the host's kernel knows nothing of."""

    def __init__(self, lab: Lab, token: int) -> None:
        self.lab = lab
        self.token = token
        with network_namespace(lab.topology.namespace("host")):
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
        self.socket.settimeout(3)
        self.socket.connect((REMOTE[0], 0))

    def __enter__(self) -> Join:
        # the kernel would refuse the answer to what it has not sent
        self.lab.network.run(
            "host", "nft", f"table ip join {{ chain o {{ type filter hook output priority 0; "
            f"tcp sport {LOCAL[1]} tcp flags & rst == rst drop; }}; }}",
        )  # fmt: skip
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()
        self.lab.network.run("host", "nft", "delete", "table", "ip", "join")

    def syn(self) -> None:
        option = struct.pack("!BBBBII", MPTCP_OPTION, 12, MP_JOIN, 9, self.token, 42)
        self.socket.send(segment(SYN, 1000, 0, option))

    def ack(self, hmac: bytes) -> None:
        """Takes the answer and sends the third packet, with the proof."""
        while True:
            packet = self.socket.recv(200)
            tcp = packet[(packet[0] & 15) * 4 :]
            source, destination, seq, _, _, flags = struct.unpack("!HHIIBB", tcp[:14])
            if (source, destination) == (REMOTE[1], LOCAL[1]) and flags == SYN | ACK:
                break
        option = struct.pack("!BBBB", MPTCP_OPTION, 24, MP_JOIN, 0) + hmac
        self.socket.send(segment(ACK, 1001, seq + 1, option))
