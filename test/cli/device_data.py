# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a device answers: Identify data and log pages, as bytes."""

import struct


def place(size: int, fields: dict[int, bytes]) -> bytes:
    """A structure of @size bytes with @fields at their offsets."""
    data = bytearray(size)
    for offset, value in fields.items():
        data[offset : offset + len(value)] = value
    return bytes(data)


def u16(*values: int) -> bytes:
    """Little-endian 16 bit numbers."""
    return struct.pack(f"<{len(values)}H", *values)


def u32(*values: int) -> bytes:
    """Little-endian 32 bit numbers."""
    return struct.pack(f"<{len(values)}I", *values)


def u64(*values: int) -> bytes:
    """Little-endian 64 bit numbers."""
    return struct.pack(f"<{len(values)}Q", *values)


def u128(value: int) -> bytes:
    """A little-endian 128 bit number."""
    return value.to_bytes(16, "little")


# What a Linux 6.12 target answers, with a few more fields filled than it has.
ID_CTRL = place(
    4096,
    {
        0: u16(0x1AF4, 0x1AF4),
        4: b"8b3f6c1b9a2d4e5f0011",
        24: b"Linux".ljust(40),
        64: b"6.12.48 ",
        72: bytes([6, 0x57, 0x90, 0x00, 0x0B, 0]),
        78: u16(1),
        80: u32(0x10300, 0, 0, 0x900, 0x88),
        111: bytes([1]),
        112: bytes(range(16)),
        256: u16(0x12),
        258: bytes([3, 3, 3, 3, 127, 0, 0, 0]),
        266: u16(343, 353),
        280: u128(2**64 + 5),
        296: u128(0),
        320: u16(100),
        342: bytes([10, 0x1F]),
        344: u32(128, 128),
        512: bytes([0x66, 0x44]),
        514: u16(1024),
        516: u32(1024),
        520: u16(0x4C, 0),
        525: bytes([7]),
        536: u32(0x100001),
        540: u32(1024),
        768: b"nqn.2025-01.test:one",
        1792: u32(4 + 512, 1),
        1802: bytes([0, 1]),
        2048: u16(2500)
        + bytes([0, 0])
        + u32(16, 4)
        + bytes([0, 1, 2, 3])
        + u16(120)
        + b"\x80"
        + b"\0"
        + u16(90)
        + b"\x41",
        3072: b"vendor",
    },
)

ID_NS = place(
    4096,
    {
        0: u64(0x20000, 0x20000, 0x1000),
        24: bytes([0x10, 1, 0, 0, 0, 0, 1, 0, 0x80, 9]),
        34: u16(7, 7, 7),
        48: u128(67108864),
        64: u16(7, 7, 0, 7, 15),
        74: u16(128) + u32(128) + bytes([127]),
        92: u32(1),
        100: u16(0, 0),
        104: bytes(range(16)),
        120: bytes(range(8)),
        128: u16(0) + bytes([9, 0]) + u16(8) + bytes([12, 1]),
    },
)

NS_DESCS = (
    b"\x03\x10\0\0" + bytes(range(16)) + b"\x04\x01\0\0\0" + b"\x01\x08\0\0" + bytes(range(8))
).ljust(4096, b"\0")

SMART = place(
    512,
    {
        0: bytes([0x03]) + u16(311) + bytes([100, 10, 2, 0]),
        32: u128(1234) + u128(2**70) + u128(5) + u128(6) + u128(7) + u128(8) + u128(9),
        144: u128(1) + u128(0) + u128(3),
        192: u32(0, 0) + u16(311, 0, 320),
        216: u32(1, 2, 3, 4),
    },
)

ERRORS = place(
    128,
    {
        0: u64(7) + u16(1, 0x12, 0x4004 << 1 & 0xFFFF, 0x28) + u64(0x1000) + u32(1)
        + bytes([0, 3, 0, 2]),
    },
)  # fmt: skip

ANA = (
    u64(3) + u16(2) + b"\0" * 6
    + u32(1, 2) + u64(3) + b"\x01" + b"\0" * 15 + u32(1, 2)
    + u32(2, 0) + u64(0) + b"\x03" + b"\0" * 15
).ljust(4096, b"\0")  # fmt: skip

NS_LIST = u32(1, 2, 16).ljust(4096, b"\0")
CTRL_LIST = u16(2, 1, 3).ljust(4096, b"\0")
SUPPORTED = place(1024, {0: u32(1), 4: u32(1), 8: u32(3), 4 * 0x0C: u32(1), 4 * 0x70: u32(1)})


def pattern(size: int) -> bytes:
    """Bytes that any structure may hold: small numbers mostly, text nowhere."""
    return bytes((i * 7 + i // 7) % 11 if i % 5 else 0 for i in range(size))
