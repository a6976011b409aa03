# SPDX-License-Identifier: LGPL-2.1-or-later
"""Log pages that are short, cut off, or count what cannot be: an error, nothing beyond is read."""

import pytest
from device_data import place, u16, u32, u64
from log_cases import AVES, EOM, HOSTS, LOGS, PERSISTENT, REACHABILITY

GET_LOG = 0x02
SET_FEATURE, GET_FEATURE = 0x09, 0x0A
HOST_BEHAVIOR = 0x16
CONTROLLER = "/dev/nvme0"


@pytest.fixture(autouse=True)
def _controller(host):
    """A controller that answers."""
    host.subsystem(0, "nqn.2025-01.test:one").controller(0, "mptcp")


# Two lanes with two rows of four columns each, and no eye data.
EYES = EOM[:4] + u32(80) + EOM[8:10] + b"\1" + EOM[11:20] + u32(40) + EOM[24:64] + b"".join(
    bytes([0, 1, lane, 2]) + u16(3, 4, 5, 6, 2, 4, 0) + bytes(14) + eye
    for lane, eye in ((1, b"<##>[==]"), (2, b"(--){~~}"))
)  # fmt: skip


def answers(nvme, host, name, answer, *more):
    """What a command prints over an answer."""
    host.command("nvme0", "admin", 0x06, 0x01, bytes(4096))
    host.command("nvme0", "admin", 0x7F, 1, result=1 << 37 | 1 << 43)
    for log in LOGS[name].lid, 0x08:
        host.command("nvme0", "admin", GET_LOG, log, answer)
    return nvme(name, CONTROLLER, *LOGS[name].args, *more)


def persistent(changes):
    """The sample with other bytes."""
    data = bytearray(PERSISTENT)
    for offset, value in changes.items():
        data[offset : offset + len(value)] = value
    return bytes(data)


CUT_OFF = [
    ("lba-status-log", u32(16, 1), "namespace element 1 of 1 goes beyond the log's 16 bytes"),
    (
        "lba-status-log",
        place(64, {0: u32(64, 2), 16: u32(1, 0x10000000)}),
        "namespace element 1 of 2 goes beyond the log's 64 bytes",
    ),
    ("lba-status-log", u32(0xFFFFFFF0), "a length of 4294967280 bytes"),
    ("dispersed-ns-participating-nss-log", u64(1, 2**40), "a length of 18446744073709551615 bytes"),
    ("reachability-groups-log", u64(1, 1) + u32(1, 0xFFFFFFFF), "a part of 17179869180 bytes"),
    (
        "reachability-associations-log",
        u64(1, 1) + u32(1, 0x3FFFFFF),
        "bytes, more than the maximum of",
    ),
    ("host-discovery-log", place(1028, {8: u64(1), 20: u32(1028)}), "entry 1 of 1 goes beyond"),
    ("host-discovery-log", place(2056, {8: u64(1), 20: u32(2056)}), "entry 1 of 1 goes beyond"),
    (
        "host-discovery-log",
        place(3088, {8: u64(2), 20: u32(3088)})[:1024] + HOSTS[1024:2056] + place(1032, {}),
        "entry 2 of 2 goes beyond the log's 3088 bytes",
    ),
    (
        "ave-discovery-log",
        place(1528, {8: u64(2), 20: u32(1528)})[:1024] + AVES[1024:1296] + place(232, {}),
        "entry 2 of 2 goes beyond the log's 1528 bytes",
    ),
    (
        "ave-discovery-log",
        place(1256, {8: u64(2**63), 20: u32(1256)}),
        "entry 1 of 9223372036854775808",
    ),
    (
        "ave-discovery-log",
        place(1256, {8: u64(1), 20: u32(1256), 1024: u32(232), 1252: b"\xff"}),
        "entry 1 of 1 goes beyond",
    ),
    ("pull-model-ddc-req-log", u32(1, 0xFFFFFFFF), "a length of 4294967295 bytes"),
    ("phy-rx-eom-log", EOM[:20] + u32(0) + EOM[24:], "descriptors of only 0 bytes"),
    ("phy-rx-eom-log", EOM[:20] + u32(0xFFFFFF) + EOM[24:], "descriptor 1 of"),
    ("phy-rx-eom-log", EOM[:4] + u32(0xFFFFFFFF) + EOM[8:], "a length of 4294967359 bytes"),
    ("boot-part-log", u32(0x15, 0x7FFF), "a length of 4294836240 bytes"),
    ("persistent-event-log", persistent({8: u64(2**60)}), "a length of 1152921504606846976 bytes"),
    ("persistent-event-log", persistent({4: u32(0xFFFFFFFF), 514: b"\0"}), "event 1 of 4294967295"),
    ("persistent-event-log", persistent({534: u16(0xFFFF)}), "event 1 of 15 goes beyond"),
    ("persistent-event-log", persistent({532: u16(0xFFFF)}), "event 1 of 15 goes beyond"),
]


@pytest.mark.parametrize(("name", "answer", "words"), CUT_OFF)
def test_what_goes_beyond(nvme, host, valid, name, answer, words):
    result = answers(nvme, host, name, answer)
    assert result.status == 1
    assert words in result.err
    assert len(result.err.splitlines()) == 1
    result = answers(nvme, host, name, answer, "-o", "json")
    assert (result.status, result.err) == (1, "")
    valid("error", result.json)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("answer", [b"", b"\xff", b"\1\0\0\0" * 3], ids=["empty", "byte", "dwords"])
def test_short_answers(nvme, host, name, answer):
    """What the device did not fill in is zero, and there is always an end."""
    for more in ((), ("-v",), ("-o", "json")):
        result = answers(nvme, host, name, answer, *more)
        assert result.status in (0, 1)
        assert result.status == 0 or "json" in more or len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [
        ("telemetry-log", [], "Please provide an output file!"),
        ("telemetry-log", ["-O", "/dev/null", "-d", "5"], "Invalid data area parameter - 5"),
        ("boot-part-log", [], "Please provide an output file!"),
        ("boot-part-log", ["-f", "/no/such/file"], "Failed to write /no/such/file: No such file"),
        ("persistent-event-log", ["-a", "3"], "Invalid --action 3: use 0, 1 or 2"),
        ("persistent-event-log", ["-l", "100"], "Invalid --log_len 100: use 0, or at least 512"),
        ("effects-log", ["-c", "-2"], "Invalid --csi -2: use 0 to 255"),
        ("pred-lat-event-agg-log", ["-e", "0"], "non-zero log-entries is required param"),
    ],
)
def test_options_that_cannot_be(nvme, host, name, args, words):
    answer = bytes(512)
    host.command("nvme0", "admin", GET_LOG, LOGS[name].lid, answer)
    assert words in nvme.error(name, CONTROLLER, *args)


def test_a_printable_eye(nvme, host):
    """The picture of each lane stands below words that tell where it begins."""
    lines = answers(nvme, host, "phy-rx-eom-log", EYES).out.splitlines()
    at = [i for i, line in enumerate(lines) if line == "Printable Eye:"]
    assert [lines[i + 1 : i + 3] for i in at] == [["<##>", "[==]"], ["(--)", "{~~}"]]


def test_telemetry_without_data(nvme, host):
    """A controller that captured nothing by itself, and one that announces too much."""

    def refused(*options):
        result = nvme("telemetry-log", CONTROLLER, "-O", "/dev/null", *options, status=1)
        return result.err

    host.command("nvme0", "admin", GET_LOG, 0x08, bytes(512))
    assert refused("-c") == "telemetry log: the controller has not captured data on its own\n"
    host.command("nvme0", "admin", GET_LOG, 0x07, place(512, {16: u32(0xFFFFFFFF)}))
    host.command("nvme0", "admin", 0x06, 1, bytes(4096))
    said = "Telemetry data area 4 not supported by device (-d 3 reads up to area 3)\n"
    assert refused("-d", "4") == f"get_telemetry_log: {said}"
    host.command("nvme0", "admin", 0x06, 1, place(4096, {261: bytes([0x40])}))
    assert refused("-d", "4") == "get_telemetry_log: Failed to set ETDAS bit\n"
    host.command("nvme0", "admin", GET_FEATURE, HOST_BEHAVIOR, place(512, {1: bytes([1])}))
    assert refused("-d", "4") == "telemetry log: too long, 4294967296 blocks of 512 bytes\n"


@pytest.mark.parametrize("was", [0, 1])
@pytest.mark.parametrize("blocks", [1, 0xFFFFFFFF])
def test_telemetry_area_4(nvme, host, was, blocks):
    """The host asks for data area 4, for as long as the log is read, also if that fails."""
    host.command("nvme0", "admin", 0x06, 1, place(4096, {261: bytes([0x40])}))
    host.command("nvme0", "admin", GET_FEATURE, HOST_BEHAVIOR, place(512, {1: bytes([was])}))
    on = place(512, {1: bytes([1])})
    host.command("nvme0", "admin", GET_FEATURE, HOST_BEHAVIOR, on, nth=2)
    host.command("nvme0", "admin", SET_FEATURE, HOST_BEHAVIOR)
    host.command("nvme0", "admin", GET_LOG, 0x07, place(512, {16: u32(blocks)}))
    result = nvme("telemetry-log", CONTROLLER, "-O", "/dev/null", "-d", "4")
    assert result.status == (blocks != 1)
    opcodes = [line.split()[2] for line in host.written if line.startswith("nvme0 admin")]
    assert opcodes[:2] == ["opcode=06", "opcode=0a"]
    assert opcodes.count("opcode=09") == (0 if was else 2)


@pytest.mark.parametrize(
    ("name", "group", "member"),
    [
        ("reachability-groups-log", "rgid: 2", "nsid"),
        ("reachability-associations-log", "rasid: 2", "rgid"),
    ],
)
def test_members_are_numbered(nvme, host, name, group, member):
    """Each has a line and a key of its own below what it belongs to."""
    members = {f"{member} 0": 7, f"{member} 1": 8}
    lines = answers(nvme, host, name, REACHABILITY).out.splitlines()
    at = lines.index(group)
    assert lines[-2:] == [f"{key}: {value}" for key, value in members.items()]
    assert at < len(lines) - 2
    found = answers(nvme, host, name, REACHABILITY, "-o", "json").json[group]
    assert {key: found[key] for key in found if key.startswith(f"{member} ")} == members


def test_entries_have_a_headline(nvme, host):
    """Which host the lines below are about."""
    text = answers(nvme, host, "host-discovery-log", HOSTS).out
    assert [line for line in text.splitlines() if line.startswith("host entry")]
