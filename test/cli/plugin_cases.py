# SPDX-License-Identifier: LGPL-2.1-or-later
"""A zoned namespace, and an Endurance Group with data placement: what the devices answer."""

from collections.abc import Callable

import golden_cases
from device_data import place, u16, u32, u64, u128
from fake_sysfs import FakeHost

GET_LOG, IDENTIFY, ZONE_SEND, ZONE_RECEIVE, APPEND = 0x02, 0x06, 0x79, 0x7A, 0x7D
PLACEMENT_RECEIVE, PLACEMENT_SEND = 0x12, 0x1D
DEVICES = ("nvme0", "nvme0n1")
SIZE = 16384
ZONE, CAPACITY = 0x100, 0x80

#: Two formats of 512 bytes, the second one in use; zones of 256 blocks, extensions of 128 bytes.
ID_NS = place(
    4096, {0: u64(0x100000, 0x100000, 0x100000), 25: bytes([1, 1]), 128: u32(9 << 16, 9 << 16)}
)
ID_ZNS = place(
    4096,
    {
        0: u16(0x1235, 0x5A3E) + u32(9, 7) + u32(60, 0, 1, 2, 3, 4, 0, 6),
        44: u32(0x77) + u16(8, 16) + bytes([0x35]),
        2816: u64(0x80, 0, ZONE, 2),
        3840: b"vendor",
    },
)
ID_CTRL_ZNS = place(4096, {0: bytes([5])})


def zone(number: int, state: int = 1, attributes: int = 0, info: int = 0, kind: int = 2) -> bytes:
    """The descriptor of a zone, written up to 5 blocks."""
    start = number * ZONE
    return place(
        64,
        {
            0: bytes([kind, state << 4, attributes, info]),
            8: u64(CAPACITY, start, start + 5 * (state != 1)),
        },
    )


#: Every state, attribute and limit, and what there is not.
ZONES = [
    zone(0),
    zone(1, 2, 0x01),
    zone(2, 3, 0x83, 0x01),
    zone(3, 4, 0x04, 0x09),
    zone(4, 13, 0x02, 0x0F),
    zone(5, 14, 0x87, 0xFF),
    zone(6, 15),
    zone(7, 0, 0x70),
    zone(8, 9, 0x06, 0x06, kind=5),
]
EXTENSION = bytes(range(0x18, 0x98))


def report(zones: list[bytes], total: int | None = None, extension: bytes = b"") -> bytes:
    """Zones with a head, which counts them unless it has another number."""
    head = u64(len(zones) if total is None else total)
    return head + bytes(56) + b"".join(zone + extension for zone in zones)


CHANGED = place(4096, {0: u16(3), 8: u64(0x100, 0x2000, 2**64 - 1)})


def configuration(attributes: int, types: list[int], vendor: int = 0) -> bytes:
    """A descriptor of the FDP Configurations log."""
    size = 64 + 4 * len(types) + vendor
    head = u16(size) + bytes([attributes, vendor]) + u32(4) + u16(len(types), 7) + u32(256)
    fixed = place(64, {0: head + u64(6 << 20) + u32(3600)})
    return fixed + b"".join(bytes([kind, 0, 0, 0]) for kind in types) + bytes(vendor)


def configurations(*descriptors: bytes) -> bytes:
    """The FDP Configurations log."""
    body = b"".join(descriptors)
    return u16(len(descriptors) - 1) + bytes(2) + u32(16 + len(body)) + bytes(8) + body


CONFIGS = configurations(configuration(0x93, [1, 2, 2]), configuration(0, [2, 3], 16))
USAGE = u16(4) + bytes(6) + b"".join(bytes([user]) + bytes(7) for user in range(4))
STATS = u128(2**70) + u128(5) + u128(6) + bytes(16)


def event(kind: int, flags: int, specific: bytes = b"") -> bytes:
    """An entry of the FDP Events log."""
    return place(
        64,
        {
            0: bytes([kind, flags]) + u16(0x11) + (1_700_000_000_123).to_bytes(6, "little"),
            12: u32(7) + specific,
            32: u16(3) + bytes([4]),
        },
    )


EVENTS = [
    event(0, 7),
    event(1, 1),
    event(2, 2),
    event(3, 4),
    event(0x80, 0, bytes([1, 0]) + u16(5) + u64(0x1234567890ABCDEF)),
    event(0x80, 7, bytes([0, 0]) + u16(6) + u64(9)),
    event(0x81, 7),
    event(0x50, 0, bytes(range(16))),
]


def events(entries: list[bytes], total: int | None = None) -> bytes:
    """The FDP Events log."""
    number = len(entries) if total is None else total
    return place(4096, {0: u32(number), 64: b"".join(entries)})


def handles(number: int, total: int | None = None) -> bytes:
    """The status of reclaim unit handles."""
    entries = [u16(i, i + 1) + u32(100 * i) + u64(1000 * i) + bytes(16) for i in range(number)]
    return bytes(14) + u16(number if total is None else total) + b"".join(entries)


LOGS = {0x20: CONFIGS, 0x21: USAGE, 0x22: STATS, 0x23: events(EVENTS), 0xBF: CHANGED}


def sample(host: FakeHost) -> None:
    """The devices with all of it, which answer everything else with nothing, and success."""
    golden_cases.answering(host)
    (host.fake / "whole-commands").write_text("")
    for device in DEVICES:
        for path in (host.fake / device).iterdir():
            if path.name != "nsid":
                path.unlink()
        host.command(device, "admin", IDENTIFY, 0, ID_NS)
        host.command(device, "admin", IDENTIFY, 5, ID_ZNS)
        host.command(device, "admin", IDENTIFY, 6, ID_CTRL_ZNS)
        for lid, log in LOGS.items():
            host.command(device, "admin", GET_LOG, lid, log)
        host.command(device, "io", ZONE_RECEIVE, 0, report(ZONES))
        host.command(device, "io", ZONE_RECEIVE, 0x20, report(ZONES, extension=EXTENSION))
        host.command(device, "io", PLACEMENT_RECEIVE, 1, handles(3))
        (host.fake / device / "otherwise").write_bytes(bytes(SIZE))
        (host.fake / device / "otherwise.result").write_text(str(0x1201))


def filled(make: Callable[[int], bytes], result: int) -> Callable[[FakeHost], None]:
    """The same with other answers, of which counts and lengths are as they were."""
    heads = {0x20: 16, 0x21: 2, 0x23: 4, 0xBF: 2}

    def prepare(host: FakeHost) -> None:
        sample(host)
        for device in DEVICES:
            host.command(device, "admin", IDENTIFY, 0, ID_NS)
            for cns in (5, 6):
                host.command(device, "admin", IDENTIFY, cns, make(4096))
            for lid, log in LOGS.items():
                head = log[: heads.get(lid, 0)]
                if lid != 0x20:
                    answer = head + make(len(log) - len(head))
                    host.command(device, "admin", GET_LOG, lid, answer)
            status = handles(3)[:16] + make(96)
            host.command(device, "io", PLACEMENT_RECEIVE, 1, status)
            (host.fake / device / "otherwise.result").write_text(str(result))

    return prepare


def pieces(host: FakeHost, total: int, piece: int = 1024) -> None:
    """A namespace whose report has to be read in pieces."""
    sample(host)
    device = host.fake / "nvme0n1"
    for path in device.glob("io-7a-00*"):
        path.unlink()
    large = bytearray(ID_NS)
    large[0:8] = u64(total * ZONE)
    host.command("nvme0n1", "admin", IDENTIFY, 0, bytes(large))
    host.command("nvme0n1", "io", ZONE_RECEIVE, 0, report([], total), nth=1)
    for nth, first in enumerate(range(0, total, piece), start=2):
        zones = [zone(number) for number in range(first, min(first + piece, total))]
        answer = report(zones, total - first)
        host.command("nvme0n1", "io", ZONE_RECEIVE, 0, answer, nth=nth)
