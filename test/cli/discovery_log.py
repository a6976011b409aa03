# SPDX-License-Identifier: LGPL-2.1-or-later
"""Discovery log pages (70h), good and bad, as bytes."""

import struct

from fake_sysfs import DISCOVERY_NQN, Controller, FakeHost

HEADER_SIZE = 1024
ENTRY_SIZE = 1024

RDMA, FC, TCP, MPTCP, LOOP = 1, 2, 3, 4, 254
REFERRAL, NVME, CURRENT = 1, 2, 3


def entry(
    *,
    trtype: int = TCP,
    adrfam: int = 1,
    subtype: int = NVME,
    treq: int = 4,
    portid: int = 1,
    cntlid: int = 0xFFFF,
    eflags: int = 0,
    trsvcid: bytes | int = b"4420",
    subnqn: bytes = b"nqn.2025-01.test:one",
    traddr: bytes = b"10.1.1.1",
    tsas: bytes = b"",
) -> bytes:
    """One entry; strings are padded as the specification asks (spaces, NUL for the NQN)."""
    if isinstance(trsvcid, int):
        trsvcid = str(trsvcid).encode()
    raw = struct.pack("<BBBBHHHH", trtype, adrfam, subtype, treq, portid, cntlid, 32, eflags)
    raw = raw.ljust(32, b"\0") + trsvcid.ljust(32, b" ")
    raw = raw.ljust(256, b"\0") + subnqn.ljust(256, b"\0") + traddr.ljust(256, b" ")
    raw = raw + tsas.ljust(256, b"\0")
    assert len(raw) == ENTRY_SIZE
    return raw


def log(*entries: bytes, genctr: int = 2, numrec: int | None = None) -> bytes:
    """A whole log; @numrec may lie."""
    count = len(entries) if numrec is None else numrec
    return struct.pack("<QQH", genctr, count, 0).ljust(HEADER_SIZE, b"\0") + b"".join(entries)


def identify(subnqn: str = DISCOVERY_NQN) -> bytes:
    """Identify Controller data of a discovery controller."""
    return (bytes(768) + subnqn.encode().ljust(256, b"\0")).ljust(4096, b"\0")


def controller(
    host: FakeHost,
    log: bytes,
    *,
    transport: str = "mptcp",
    address: str = "traddr=10.1.1.1,trsvcid=8009,src_addr=10.1.1.2",
    subnqn: str = DISCOVERY_NQN,
    **more: int,
) -> Controller:
    """A discovery controller nvme0 that the next connect brings up, and that returns this log."""
    made = host.subsystem(0, DISCOVERY_NQN).controller(0, transport, address, connected=False)
    host.answer_connected(made)
    host.command("nvme0", "admin", 0x06, 1, identify(subnqn))
    host.command("nvme0", "admin", 0x02, 0x70, log, **more)
    return made
