# SPDX-License-Identifier: LGPL-2.1-or-later
"""Discovery log pages (70h), good and bad, as bytes."""

import struct

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
    trsvcid: bytes = b"4420",
    subnqn: bytes = b"nqn.2025-01.test:one",
    traddr: bytes = b"10.1.1.1",
    tsas: bytes = b"",
) -> bytes:
    """One entry; strings are padded as the specification asks (spaces, NUL for the NQN)."""
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
