# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme zns: documents, reports in pieces, answers that cannot be, and what is refused.

What it sends and prints otherwise is compared with the original, see test/oracle/test_plugins.py.
"""

import json

import plugin_cases
import pytest
from device_data import u64
from golden_cases import IMAGE
from plugin_cases import CAPACITY, ID_NS, IDENTIFY, ZONE, ZONE_RECEIVE, report, zone

NS = "/dev/nvme0n1"

SHOWN = {
    "id-ctrl": ([NS], "zns-id-ctrl"),
    "id-ns": ([NS], "zns-id-ns"),
    "report-zones": ([NS], "zns-report-zones"),
    "changed-zone-list": ([NS], "zns-changed-zone-list"),
}
#: What succeeds, with the action and the option that it sends in dword 13.
SENT = {
    "reset-zone": (["-s", "256"], 0x4),
    "close-zone": (["-s", "256"], 0x1),
    "finish-zone": (["-s", "256"], 0x2),
    "open-zone": (["-s", "256", "-r"], 0x203),
    "offline-zone": (["-a"], 0x105),
    "set-zone-desc": (["-s", "256", "-d", IMAGE], 0x10),
    "zrwa-flush-zone": (["-l", "256"], 0x11),
    "zone-mgmt-send": (["-z", "2", "-s", "256"], 0x2),
}


@pytest.fixture
def zoned(host):
    """A namespace with zones."""
    plugin_cases.sample(host)
    return host


def refused(nvme, host, *args):
    """The message of a command that fails and has sent nothing that changes something."""
    said = nvme.error("zns", *args)
    assert [line for line in host.written if " io " in line] == []
    [line] = said.splitlines()
    return line


@pytest.mark.parametrize("name", SHOWN)
def test_documents(nvme, zoned, valid, name):
    args, schema = SHOWN[name]
    valid(schema, nvme.ok("zns", name, *args, "-o", "json").json)


@pytest.mark.parametrize("name", SENT)
def test_actions(nvme, zoned, valid, name):
    args, action = SENT[name]
    valid("result", nvme.ok("zns", name, NS, *args, "--output-format", "json").json)
    number = [i for i, line in enumerate(zoned.written) if "io opcode=79" in line]
    assert len(number) == 1
    assert f" cdw13={action:x} " in zoned.written[number[0] + 1]


@pytest.mark.parametrize("name", [*SHOWN, *SENT])
def test_dry_run(nvme, zoned, name):
    args = SENT[name][0] if name in SENT else []
    result = nvme("zns", name, NS, *args, "--dry-run")
    assert (result.status, result.err, zoned.written) == (0, "", [])


@pytest.mark.parametrize("options", [[], ["-o", "json"]])
def test_list(nvme, zoned, valid, options):
    subsystem = zoned.subsystem(1, "nqn.2025-01.test:zoned")
    subsystem.controller(1, "mptcp")
    zones = subsystem.directory / subsystem.namespace(1) / "queue/zoned"
    zones.write_text("host-managed\n")
    result = nvme.ok("zns", "list", *options)
    assert ("nvme1n1" in result.out, "nvme0n1" in result.out) == (True, False)
    if options:
        valid("list", result.json)
    zones.write_text("none\n")
    assert "nvme1n1" not in nvme("zns", "list", *options).out


def test_changed_zones_overflow(nvme, zoned, valid):
    zoned.command("nvme0n1", "admin", 0x02, 0xBF, b"\xff" * 4096)
    document = nvme("zns", "changed-zone-list", NS, "-o", "json").json
    assert document["Result"].startswith("Too many zones")
    valid("zns-changed-zone-list", document)


def test_changed_zones_beyond_the_log(nvme, zoned):
    zoned.command("nvme0n1", "admin", 0x02, 0xBF, b"\x00\x02" + bytes(4094))
    said = nvme("zns", "changed-zone-list", NS, status=1).err
    assert "zone 512 of 512 goes beyond the log's 4096 bytes" in said


def test_extensions(nvme, zoned, valid):
    """They stand behind the descriptors, which --extended alone asks for."""
    text = nvme("zns", "report-zones", NS, "-s", "0x20", "-e").out
    assert text.count("Extension Data: ") == 2
    document = nvme("zns", "report-zones", NS, "-s", "0x20", "-e", "-o", "json").json
    valid("zns-report-zones", document)
    lines = [zone["ext_data"] for zone in document["zone_list"]]
    assert [len(line) for line in lines if line != "Not valid"] == [8, 8]


def test_a_report_in_pieces(nvme, host):
    """100 000 zones are read once each, in pieces of bounded size."""
    total = 100_000
    plugin_cases.pieces(host, total)
    lines = nvme("zns", "report-zones", NS).out.splitlines()
    assert lines[0] == f"nr_zones: {total}"
    starts = [int(line.split()[1], 16) for line in lines[1:]]
    assert starts == [number * ZONE for number in range(total)]
    read = [line for line in host.written if "io opcode=7a" in line]
    assert len(read) == 1 + -(-total // 1024)
    assert max(int(line.split("len=")[1]) for line in read) == 64 + 1024 * 64


def test_pieces_as_they_are(nvme, host):
    plugin_cases.pieces(host, 1500)
    written = nvme.raw("zns", "report-zones", NS, "-o", "binary")
    assert (written.status, written.out) == (0, report([zone(number) for number in range(1500)]))


def answering(host, size, *answers):
    """A namespace of this many blocks whose reports are these, one after the other."""
    plugin_cases.pieces(host, 1)
    host.command("nvme0n1", "admin", IDENTIFY, 0, u64(size) + ID_NS[8:])
    for nth, answer in enumerate(answers, start=1):
        host.command("nvme0n1", "io", ZONE_RECEIVE, 0, answer, nth=nth)


def test_more_zones_than_have_room(nvme, host):
    answering(host, 10 * ZONE, report([], 2**60))
    said = nvme("zns", "report-zones", NS, status=1).err
    assert f"{2**60} zones of {ZONE} blocks do not fit into the namespace" in said


def test_fewer_zones_than_counted(nvme, host):
    answering(host, 10 * ZONE, report([], 4), report([zone(0)]))
    assert "1 zones reported from block 0, not 4" in nvme("zns", "report-zones", NS, status=1).err


def test_the_same_zones_again(nvme, host):
    again = report([zone(0)] * 1024, 5000)
    answering(host, 5000 * ZONE, report([], 5000), again, again, again)
    said = nvme("zns", "report-zones", NS, status=1).err
    assert "the report from block 0x100 does not advance: it ends at 0" in said
    document = nvme("zns", "report-zones", NS, "-o", "json", status=1)
    assert "ends at 0" in document.json["error"]


def test_zones_without_size(nvme, host):
    answering(host, 10 * ZONE, report([], 3))
    host.command("nvme0n1", "admin", IDENTIFY, 5, bytes(4096))
    assert nvme("zns", "report-zones", NS).status == 1


@pytest.mark.parametrize("name", ["reset-zone", "close-zone", "finish-zone", "open-zone",
                                  "offline-zone"])  # fmt: skip
def test_one_zone_or_all(nvme, zoned, name):
    """No zone is meant because none was named."""
    line = refused(nvme, zoned, name, NS)
    assert line == f"zns {name}: no zone given: use --start-lba or --select-all"
    line = refused(nvme, zoned, name, NS, "-s", "0", "-a")
    assert line == f"zns {name}: --start-lba and --select-all exclude each other"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["set-zone-desc", NS, "-d", IMAGE], "--start-lba is missing"),
        (["set-zone-desc", NS, "-s", "0", "-d", "/dev/null"], "/dev/null"),
        (["set-zone-desc", NS, "-s", "0", "-d", "/nonexistent"], "No such file"),
        (["zrwa-flush-zone", NS], "--lba is missing"),
        (["zone-mgmt-send", NS], "zone send action must be specified"),
        (["zone-mgmt-send", NS, "-z", "4"], "no zone given"),
        (["zone-mgmt-send", NS, "-z", "16", "-a"], "action 16 does not support --select-all"),
        (["zone-mgmt-send", NS, "-z", "17", "-a"], "action 17 does not support --select-all"),
        (["zone-mgmt-send", NS, "-z", "4", "-s", "0", "-l", "0"], "only valid with"),
        (["zone-mgmt-send", NS, "-z", "16", "-s", "0", "-l", "16321"], "invalid data-len:16321"),
        (["zone-mgmt-recv", NS], "data len is needed"),
        (["zone-mgmt-recv", NS, "-l", "0x1000004"], "invalid data-len:16777220"),
        (["report-zones", NS, "-S", "256"], "state"),
        (["zone-append", NS], "Append size not provided"),
        (["zone-append", NS, "-z", "512"], "no zone given"),
        (["zone-append", NS, "-s", "0", "-z", "32Mi"], "Invalid size 33554432"),
        (["zone-append", NS, "-s", "0", "-z", "513"], "Data size:0x201 not aligned"),
        (["zone-append", NS, "-s", "0", "-z", "512", "-y", "8"], "1 blocks have 0 bytes"),
        (["zone-append", NS, "-s", "0", "-z", "512", "-p", "16"], "Invalid value for prinfo:0x10"),
        (["zone-append", NS, "-s", "0", "-z", "512", "-d", "/dev/null"], "/dev/null"),
    ],
)
def test_refused(nvme, zoned, args, words):
    assert words in refused(nvme, zoned, *args)


def test_no_extensions(nvme, zoned):
    zoned.command("nvme0n1", "admin", IDENTIFY, 5, bytes(4096))
    line = refused(nvme, zoned, "set-zone-desc", NS, "-s", "0", "-d", IMAGE)
    assert line == "zns set-zone-desc: namespace 1 has no zone descriptor extensions"


def with_metadata(flbas, size):
    """The namespace with formats of 512 bytes and metadata."""
    data = bytearray(ID_NS)
    data[26] = flbas
    data[132:136] = bytes([size, 0, 9, 0])
    return bytes(data)


@pytest.mark.parametrize(
    ("flbas", "args", "sizes"),
    [
        (0x01, ["-z", "1024", "-y", "16"], (1024, 16)),
        (0x11, ["-z", "1040"], (1040, 0)),
        (0x11, ["-z", "1024", "-p", "8"], (1024, 0)),
        (0x01, ["-z", "1024", "-p", "8"], (1024, 0)),
    ],
)
def test_metadata(nvme, zoned, flbas, args, sizes):
    """Beside the blocks, behind each of them, or made by the controller."""
    zoned.command("nvme0n1", "admin", IDENTIFY, 0, with_metadata(flbas, 8))
    result = nvme("zns", "zone-append", NS, "-s", "256", "-d", IMAGE, *args, "-t", status=0)
    assert "Success appended data to LBA 1201" in result.out
    assert " latency: zone append: " in result.out
    *_, command, more = zoned.written
    assert f"len={sizes[0]}" in command
    assert "cdw12=" in command
    assert f"metadata={sizes[1]} " in more
    assert int(command.split("cdw12=")[1].split()[0], 16) & 0xFFFF == 1


def test_append_document(nvme, zoned, valid):
    args = ["-s", "256", "-z", "512", "-d", IMAGE, "-t", "-o", "json"]
    result = nvme("zns", "zone-append", NS, *args)
    valid("result", json.loads(result.out))
    assert "latency" in result.err


@pytest.mark.parametrize("options", [["-o", "json"], []])
def test_receive(nvme, zoned, valid, options):
    result = nvme("zns", "zone-mgmt-recv", NS, "-l", "128", *options)
    words = result.json["result"] if options else result.out.strip()
    assert words == "zone-mgmt-recv: Success, action:0 zone:0 nsid:1"


def test_receive_bytes(nvme, zoned):
    written = nvme.raw("zns", "zone-mgmt-recv", NS, "-l", "128", "-o", "binary")
    assert written.out == report(plugin_cases.ZONES)[:128]
    assert CAPACITY.to_bytes(8, "little") in written.out
