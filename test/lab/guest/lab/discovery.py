# SPDX-License-Identifier: GPL-2.0-or-later
"""A discovery controller in Python, for logs that the kernel's target cannot produce.

The kernel lists only the subsystems of the port itself. This controller lists arbitrary entries,
over tcp and mptcp, accepts registrations, and records how hosts connect. It implements the part of
NVMe/TCP that a Linux host uses with a discovery controller (NVMe/TCP transport 1.0, NVMe over
Fabrics 1.1), and checks CRC digests of PDUs.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from .system import network_namespace

NQN = "nqn.2014-08.org.nvmexpress.discovery"

IPPROTO_MPTCP = 262
PROTOCOL = {"tcp": socket.IPPROTO_TCP, "mptcp": IPPROTO_MPTCP}
TRTYPE = {"rdma": 1, "fc": 2, "tcp": 3, "mptcp": 4, "loop": 254}
ADRFAM = {"ipv4": 1, "ipv6": 2}
SUBTYPE = {"referral": 1, "nvme": 2, "current": 3}

ICREQ, ICRESP, COMMAND, RESPONSE, C2H_DATA = 0, 1, 4, 5, 7
HEADER_DIGEST, DATA_DIGEST, LAST = 1, 2, 4
LONGEST_PDU = 64 << 10

INVALID_OPCODE = 1 << 1
CAP, VS, CC, CSTS = 0x00, 0x08, 0x14, 0x1C
PAGE = 4096


def _crc32c_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC32C = _crc32c_table()


def crc32c(data: bytes) -> bytes:
    """Return the digest of a PDU's header or data in wire format."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC32C[(crc ^ byte) & 0xFF]
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


@dataclass(frozen=True)
class Entry:
    """A discovery log entry; ``trtype`` may be a number without a transport."""

    subnqn: str
    traddr: str
    trsvcid: int | str = 4420
    trtype: str | int = "mptcp"
    adrfam: str = "ipv4"
    subtype: str = "nvme"
    portid: int = 1

    def pack(self) -> bytes:
        """Return the entry's 1024 bytes."""
        trtype = TRTYPE[self.trtype] if isinstance(self.trtype, str) else self.trtype
        head = struct.pack("<BBBBHHHH", trtype, ADRFAM[self.adrfam], SUBTYPE[self.subtype], 0,
                           self.portid, 0xFFFF, 32, 0)  # fmt: skip
        return struct.pack("<32s32s192x256s256s256x", head, str(self.trsvcid).encode(),
                           self.subnqn.encode(), self.traddr.encode())  # fmt: skip


@dataclass(frozen=True)
class Connect:
    """How a host connected: its NQN, its keep-alive time (ms), and its digests (from the ICReq)."""

    hostnqn: str
    subnqn: str
    kato: int
    digests: int


@dataclass
class _Session:
    """One connection from a host."""

    service: DiscoveryService
    socket: socket.socket
    digests: int = 0
    enabled: bool = False
    ended: bool = False

    def run(self) -> None:
        with self.socket:
            try:
                self._initialize()
                while True:
                    self._command()
            except (ConnectionError, EOFError, OSError):
                return
            except ValueError as error:
                self.service.faults.append(str(error))

    def _receive(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)

    def _initialize(self) -> None:
        request = self._receive(128)
        if request[0] != ICREQ:
            raise ValueError(f"the first PDU is of type {request[0]}")
        self.digests = request[11]
        fields = struct.pack("<HBBI", 0, 0, self.digests, 8192)
        self.socket.sendall(struct.pack("<BBBBI", ICRESP, 0, 128, 0, 128) + fields + bytes(112))

    def _send(self, kind: int, flags: int, header: bytes, data: bytes = b"") -> None:
        flags |= self.digests & HEADER_DIGEST
        if data:
            flags |= self.digests & DATA_DIGEST
        length = 8 + len(header)
        digest = 4 if self.digests & HEADER_DIGEST else 0
        offset = length + digest if data else 0
        tail = 4 if data and self.digests & DATA_DIGEST else 0
        total = length + digest + len(data) + tail
        pdu = struct.pack("<BBBBI", kind, flags, length, offset, total) + header
        if digest:
            pdu += crc32c(pdu)
        self.socket.sendall(pdu + data + (crc32c(data) if tail else b""))

    def _command(self) -> None:
        head = self._receive(8)
        kind, flags, length, offset, total = struct.unpack("<BBBBI", head)
        if kind != COMMAND or length != 72 or not length <= total <= LONGEST_PDU:
            raise ValueError(f"a PDU of type {kind}, {length} and {total} bytes long")
        rest = self._receive(total - 8)
        wanted = self.digests if offset else self.digests & HEADER_DIGEST
        if flags & (HEADER_DIGEST | DATA_DIGEST) != wanted:
            raise ValueError(f"digests {flags} instead of {wanted}")
        sqe = rest[:64]
        if flags & HEADER_DIGEST and rest[64:68] != crc32c(head + sqe):
            raise ValueError("a wrong header digest")
        data = rest[offset - 8 :] if offset else b""
        if data and flags & DATA_DIGEST:
            data, digest = data[:-4], data[-4:]
            if digest != crc32c(data):
                raise ValueError("a wrong data digest")
        self._execute(sqe, data)

    def _complete(self, sqe: bytes, result: int = 0, status: int = 0) -> None:
        cid = struct.unpack_from("<H", sqe, 2)[0]
        self._send(RESPONSE, 0, struct.pack("<QHHHH", result, 0, 0, cid, status))

    def _return(self, sqe: bytes, data: bytes) -> None:
        cid = struct.unpack_from("<H", sqe, 2)[0]
        self._send(C2H_DATA, LAST, struct.pack("<HHIII", cid, 0, 0, len(data), 0), data)
        self._complete(sqe)

    def _execute(self, sqe: bytes, data: bytes) -> None:
        opcode = sqe[0]
        if opcode == 0x7F:
            self._fabrics(sqe, data)
        elif opcode == 0x06:
            self._return(sqe, self.service.identity() if sqe[40] == 1 else bytes(PAGE))
        elif opcode == 0x02:
            self._log_page(sqe)
        elif opcode == 0x21:
            self.service.registrations.append((sqe[40] & 0xF, data))
            self._complete(sqe)
        elif opcode in (0x08, 0x09, 0x0A, 0x18):
            self._complete(sqe)
        elif opcode != 0x0C:  # an asynchronous event request waits for an event
            self._complete(sqe, status=INVALID_OPCODE)

    def _fabrics(self, sqe: bytes, data: bytes) -> None:
        kind = sqe[4]
        if kind == 0x01:
            kato = struct.unpack_from("<I", sqe, 48)[0]
            host, subsystem = (data[n : n + 256].split(b"\0")[0].decode() for n in (512, 256))
            self.service.connects.append(Connect(host, subsystem, kato, self.digests))
            self._complete(sqe, result=1)
        elif kind == 0x00:
            self._set_property(*struct.unpack_from("<4xIQ", sqe, 40))
            self._complete(sqe)
        elif kind == 0x04:
            self._complete(sqe, result=self._property(struct.unpack_from("<I", sqe, 44)[0]))
        else:
            self._complete(sqe, status=INVALID_OPCODE)

    def _set_property(self, offset: int, value: int) -> None:
        if offset == CC:
            self.enabled = bool(value & 1)
            self.ended = bool(value >> 14 & 3)

    def _property(self, offset: int) -> int:
        if offset == CAP:
            return 1 << 37 | 20 << 24 | 1 << 16 | 127
        if offset == VS:
            return 0x00010400
        if offset == CSTS:
            return int(self.enabled) | (2 << 2 if self.ended else 0)
        return 0

    def _log_page(self, sqe: bytes) -> None:
        low, high = struct.unpack_from("<HH", sqe, 42)
        offset = struct.unpack_from("<Q", sqe, 48)[0]
        length = ((high << 16 | low) + 1) * 4
        log = self.service.log() if sqe[40] == 0x70 else b""
        self._return(sqe, log[offset : offset + length].ljust(length, b"\0"))


@dataclass
class DiscoveryService:
    """A discovery controller; as a context manager, it listens in the target's namespace.

    ``faults`` lists protocol violations of hosts, and must be empty at the end.
    """

    entries: Sequence[Entry]
    transport: str = "mptcp"
    traddr: str = "10.1.1.1"
    trsvcid: int = 8009
    namespace: str | None = "target"
    connects: list[Connect] = field(default_factory=list)
    registrations: list[tuple[int, bytes]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def portal(self) -> str:
        """Return the options of nvme to connect here."""
        return f"-t {self.transport} -a {self.traddr} -s {self.trsvcid}"

    def log(self) -> bytes:
        """Return the whole discovery log."""
        head = struct.pack("<QQH", 1, len(self.entries), 0).ljust(1024, b"\0")
        return head + b"".join(entry.pack() for entry in self.entries)

    def identity(self) -> bytes:
        """Return the data of Identify Controller."""
        data = bytearray(PAGE)
        data[4:24], data[24:64], data[64:72] = b"1".ljust(20), b"Lab".ljust(40), b"1".ljust(8)
        struct.pack_into("<HI", data, 78, 1, 0x00010400)
        data[111] = 2  # a discovery controller
        struct.pack_into("<H", data, 320, 10)  # keep alive, in units of 100 ms
        data[512:514] = 0x66, 0x44
        struct.pack_into("<H", data, 514, 128)
        struct.pack_into("<I", data, 536, 1 | 1 << 20)
        data[768:1024] = NQN.encode().ljust(256, b"\0")
        struct.pack_into("<II", data, 1792, 4, 1)
        data[1806] = 1  # a direct discovery controller: hosts may register
        return bytes(data)

    def __enter__(self) -> DiscoveryService:
        family = socket.AF_INET6 if ":" in self.traddr else socket.AF_INET
        with network_namespace(self.namespace):
            self._listener = socket.socket(family, socket.SOCK_STREAM, PROTOCOL[self.transport])
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((self.traddr, self.trsvcid))
        self._listener.listen()
        self._sessions: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._sessions.append(connection)
            threading.Thread(target=_Session(self, connection).run, daemon=True).start()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for connection in [self._listener, *self._sessions]:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._thread.join(5)
        if self.faults and not error:
            raise AssertionError(f"the host's faults: {self.faults}")
