# SPDX-License-Identifier: LGPL-2.1-or-later
"""A row for each log page command: what the device answers, and how the command is called.

test_golden.py calls each once; test/oracle/test_logs.py compares what it prints with the original,
over these answers and others of the same size.
"""

from __future__ import annotations

from dataclasses import dataclass

from device_data import place, u16, u32, u64, u128


@dataclass(frozen=True)
class Log:
    """A log page command."""

    lid: int
    answer: bytes  # the page, or as much of it as there may be
    args: tuple[str, ...] = ()  # behind the device
    more: tuple[tuple[str, ...], ...] = ()  # further options, each tried on its own
    explains: bool = False  # has -H
    raw: bool = False  # has --raw-binary
    head: int = 0  # bytes that have counts and lengths, if answers of any kind are beyond limits


SELF_TEST = place(
    564,
    {
        0: bytes([2, 40]),
        4: bytes([0x17, 9, 0x0F, 0]) + u64(77) + u32(1) + u64(99) + bytes([2, 0x81, 1, 2]),
        32: bytes([0x20, 0, 0, 0]) + u64(78),
        60: bytes([0x0F]) * 504,
    },
)

ENDURANCE = place(
    512,
    {
        0: bytes([4, 1, 0, 100, 10, 3]) + u16(1),
        32: u128(1) + u128(2**70) + u128(3) + u128(4) + u128(5) + u128(6) + u128(7) + u128(8),
        160: u128(2**40) + u128(2**39),
    },
)

LATENCY = place(512, {0: b"\1\0" + u16(5), 32: u64(1, 2, 3, 4, 5), 128: u64(6, 7, 8)})

SANITIZE = place(
    512, {0: u16(0x8000, 0x020A, 2, 0) + u32(1, 2, 0xFFFFFFFF, 4, 5, 6, 7) + bytes([3])}
)

LOGS = {
    "sanitize-log": Log(0x81, SANITIZE, more=(("-r",),), explains=True, raw=True),
    "fw-log": Log(0x03, place(512, {0: b"\x21", 8: b"6.12.48 ", 16: b"7.3.4\0\0\0"}), raw=True),
    "self-test-log": Log(0x06, SELF_TEST, more=(("-e", "2"), ("-e", "0"), ("-e", "99"))),
    "changed-ns-list-log": Log(0x04, place(4096, {0: u32(1, 2, 16)}), raw=True),
    "changed-alloc-ns-list-log": Log(0x1C, place(4096, {0: u32(3, 4)}), raw=True),
    "endurance-log": Log(0x09, ENDURANCE, more=(("-g", "3"), ("-g", "0xffff"))),
    "predictable-lat-log": Log(0x0A, LATENCY, more=(("-i", "7"),), raw=True),
    "resv-notif-log": Log(0x80, place(64, {0: u64(31) + bytes([2, 1, 0, 0]) + u32(1)})),
    "rotational-media-info-log": Log(
        0x16, place(512, {0: u16(1, 2, 7200, 0) + u32(5, 6, 7, 8)}), more=(("-e", "3"),)
    ),
}
