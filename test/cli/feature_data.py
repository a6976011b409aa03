# SPDX-License-Identifier: LGPL-2.1-or-later
"""The data that features carry, as bytes."""

from device_data import place, u16, u32, u64

LBA_RANGES = place(
    4096,
    {
        0: bytes([1, 3]),
        16: u64(0, 0xFFF),
        32: bytes(range(16)),
        64: bytes([0x85, 0]),
        80: u64(0x1000, 7),
    },
)
TRANSITIONS = place(256, {0: u64(3 << 3 | 100 << 8), 8: u64(4 << 3 | 2000 << 8)})
HOST_MEMORY = place(4096, {0: u32(4096, 0x1000, 2, 16)})
TIMESTAMP = (1767225600123).to_bytes(6, "little") + bytes([0b011, 0])
LATENCY = place(512, {0: u16(0x8001), 32: u64(1, 2, 3)})
BEHAVIOR = place(512, {0: bytes([1, 0, 1, 0, 4, 0])})


def element(kind: int, value: bytes) -> bytes:
    """One element of metadata."""
    return bytes([kind, 0]) + u16(len(value)) + value


METADATA = bytes([3, 0]) + element(1, b"nvme0") + element(10, b"Debian") + element(63, b"\033[2J")
METADATA = METADATA.ljust(4096, b"\0")
HOST_ID = bytes(range(16))

# By feature: its data, and the value that comes with it.
FEATURES: dict[int, tuple[bytes, int]] = {
    0x03: (LBA_RANGES, 1),
    0x0C: (TRANSITIONS, 1),
    0x0D: (HOST_MEMORY, 1),
    0x0E: (TIMESTAMP, 0),
    0x13: (LATENCY, 1),
    0x16: (BEHAVIOR, 0),
    0x7E: (METADATA, 0),
    0x7F: (METADATA, 0),
    0x81: (HOST_ID, 0),
}
