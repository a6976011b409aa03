# SPDX-License-Identifier: LGPL-2.1-or-later
"""A row for each log page command: what the device answers, and how the command is called.

test_golden.py calls each once; test/oracle/test_log_pages.py compares what it prints with what the
original prints, over these answers and others of the same size.
"""

from dataclasses import dataclass, field

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
    id_ctrl: dict[int, bytes] = field(default_factory=dict)  # what Identify Controller has where
    schema: str = ""  # of its JSON; the command's name if empty
    only: tuple[str, ...] = ()  # answers to compare over, if the original never ends with others


ZEROS = ("zeros",)

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

EFFECTS = place(
    4096,
    {
        0: u32(1, 0x1, 0x80001),
        24: u32(0x10001, 3),
        0xC0 * 4: u32(0x4001),
        1024: u32(1, 0x20003, 1),
        1024 + 0x80 * 4: u32(0x1F),
    },
)
SUPPORT = place(1024, {0: u32(0, 0x200001, 0x8100013), 0x80 * 4: u32(0x3F0001F)})
EVENTS = place(4096, {0: u64(3) + u16(1, 2, 261)})

LBA_STATUS = place(
    112,
    {
        0: u32(112, 2, 77) + b"\0\0" + u16(9),
        16: u32(1, 2) + bytes([0x10]) + bytes(7) + u64(5) + u32(8, 0) + u64(100) + u32(9, 0),
        64: u32(3, 2) + bytes([0x20]) + bytes(7) + u64(7) + u32(1, 0) + u64(70) + u32(2, 0),
    },
)
MEDIA_UNITS = place(
    48,
    {
        0: u16(2, 3, 4),
        16: u16(1, 2, 3, 4, 5) + bytes([6, 7, 1, 14]),
        30: u16(11, 12, 13, 14, 15) + bytes([16, 17, 0, 0]),
    },
)
CAPACITIES = place(
    192,
    {
        0: b"\1",
        16: u16(1, 2, 1),
        48: u16(5, 100) + bytes(12) + u128(2**41) + u128(2**31) + u128(900) + bytes(16) + u16(2),
        130: u16(7, 8) + u16(1) + u16(20, 2) + u16(30) + bytes(4) + u16(0),
        148: u16(31) + bytes(4) + u16(0),
    },
)
ADDRESSES = place(
    4096, {0: b"\1\0\0\0https://a.example/", 512: b"\2\0\0\0https://b.example/", 1024: b"\xff"}
)
SUBSYSTEMS = place(768, {0: u64(5, 2), 256: b"nqn.2025-01.test:one", 512: b"nqn.2025-01.test:two"})
REACHABILITY = place(80, {0: u64(1) + u16(1), 16: u32(2, 2) + u64(3), 48: u32(7, 8)})
HOST = place(
    1032,
    {
        0: bytes([4, 1]),
        10: u16(1),
        256: b"nqn.2025-01.test:host",
        512: b"10.0.0.1",
        1024: u32(1032) + u16(0),
    },
)
HOSTS = place(1024, {0: u64(3, 1) + u16(0) + b"\1\0" + u32(1024 + 1032)}) + HOST
AVE = place(232, {0: u32(272), 4: b"nqn.2025-01.test:ave", 228: b"\2"})
AVE_RECORDS = b"\1\0" + u16(4420) + bytes([10, 0, 0, 1]) + bytes(12) + b"\2\0" + u16(4421)
AVES = (
    place(1024, {0: u64(3, 1) + u16(0) + b"\0\0" + u32(1024 + 272)}) + AVE + AVE_RECORDS
    + bytes(range(16))
)  # fmt: skip

BOOT = bytes([0x15, 0, 0, 0]) + u32(1 | 1 << 31) + bytes(8) + bytes(range(200))
TELEMETRY = place(
    512 * 6,
    {0: b"\7", 8: u16(1, 2, 3), 16: u32(5), 380: bytes([1, 2, 1, 3]), 512: bytes(range(256))},
)
LANES = (
    bytes([0, 1, 1, 2]) + u16(3, 4, 5, 6, 0, 0, 0) + bytes(14)
    + bytes([0, 0, 2, 2]) + u16(3, 4, 5, 6, 0, 0, 0) + bytes(14)
)  # fmt: skip
EOM = (
    bytes([0x19, 2]) + u16(64) + u32(64) + bytes([7, 1, 0, 2, 1, 3, 4, 0, 0, 0]) + u16(9)
    + u32(32) + u16(2, 10, 11, 12, 13, 14) + bytes(28) + LANES
)  # fmt: skip


def event(kind: int, data: bytes, vendor: bytes = b"") -> bytes:
    """An event of the Persistent Event log."""
    more = len(vendor) + len(data)
    head = bytes([kind, 1, 21, 0]) + u16(1) + u64(1000 + kind) + u16(2) + bytes(4)
    return head + u16(len(vendor), more) + vendor + data


KINDS = {2: 24, 3: 16, 5: 20, 6: 60, 7: 16, 8: 24, 9: 16, 10: 20, 13: 16, 14: 8, 15: 8, 0xDE: 8}
EVENTS_OF_KINDS = b"".join(
    (
        *(event(kind, bytes(range(kind, kind + size))) for kind, size in KINDS.items()),
        event(1, bytes(range(256)) * 2),
        event(5, u16(8) + bytes(18)),
        event(11, bytes(range(80))),
    )
)
PERSISTENT = (
    place(
        512,
        {
            0: b"\x0d",
            4: u32(15) + u64(512 + len(EVENTS_OF_KINDS)) + bytes([1, 0]) + u16(484) + u64(123456),
            28: u128(50) + u64(7) + u16(0x1234, 0x5678) + b"SN1".ljust(20) + b"Model".ljust(40),
            116: b"nqn.2025-01.test:one",
            372: u16(9) + u32(3),
            480: b"\xfe\x3f",
        },
    )
    + EVENTS_OF_KINDS
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
    "effects-log": Log(
        0x05, EFFECTS, more=(("-c", "0"), ("-c", "1"), ("-c", "2")), explains=True, raw=True
    ),
    "fid-support-effects-log": Log(0x12, SUPPORT, explains=True),
    "mi-cmd-support-effects-log": Log(0x13, SUPPORT.ljust(4096, b"\0"), explains=True),
    "pred-lat-event-agg-log": Log(
        0x0B, EVENTS, more=(("-e", "2"), ("-r",)), raw=True, id_ctrl={338: u16(4)}
    ),
    "endurance-event-agg-log": Log(
        0x0F, EVENTS, more=(("-e", "2"), ("-r",)), raw=True, id_ctrl={340: u16(4)}
    ),
    "lba-status-log": Log(0x0E, LBA_STATUS, more=(("-r",),), only=("sample", *ZEROS)),
    "media-unit-stat-log": Log(0x10, MEDIA_UNITS, more=(("-d", "3"),), raw=True, head=16),
    "supported-cap-config-log": Log(0x11, CAPACITIES, more=(("-d", "3"),), raw=True, only=ZEROS),
    "mgmt-addr-list-log": Log(0x18, ADDRESSES),
    "dispersed-ns-participating-nss-log": Log(
        0x17, SUBSYSTEMS, more=(("-n", "2"),), only=("sample", *ZEROS)
    ),
    "reachability-groups-log": Log(0x1A, REACHABILITY, more=(("-r",), ("-g",)), only=ZEROS),
    "reachability-associations-log": Log(0x1B, REACHABILITY, more=(("-r",), ("-a",)), only=ZEROS),
    "host-discovery-log": Log(0x71, HOSTS, more=(("-r",), ("-a",)), only=ZEROS),
    "ave-discovery-log": Log(0x72, AVES, more=(("-r",),), only=ZEROS),
    "pull-model-ddc-req-log": Log(
        0x73, b"\1\0\0\0" + u32(28) + bytes(range(65, 85)), more=(("-r",),), only=ZEROS
    ),
    "boot-part-log": Log(0x15, BOOT, ("-f", "/dev/null"), only=ZEROS),
    "telemetry-log": Log(
        0x07,
        TELEMETRY,
        ("-O", "/dev/null"),
        more=(
            ("-g", "0"),
            ("-d", "1"),
            ("-d", "2"),
            ("-d", "4"),
            ("-d", "5"),
            ("-m", "2"),
            ("-r",),
        ),
        head=512,
        id_ctrl={261: bytes([0x4F])},
        schema="result",
    ),
    "phy-rx-eom-log": Log(0x19, EOM, more=(("-s", "1"), ("-c", "5")), only=("sample", *ZEROS)),
    "persistent-event-log": Log(
        0x0D,
        PERSISTENT,
        ("-a", "0"),
        more=(("-a", "1"), ("-a", "2"), ("-l", "512"), ("-l", "600")),
        raw=True,
        only=("sample", *ZEROS),
    ),
}
