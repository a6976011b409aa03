# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme fdp: documents, logs that count what cannot be, and what is refused.

What it sends and prints otherwise is compared with the original, see test/oracle/test_plugins.py.
"""

import plugin_cases
import pytest
from device_data import u16, u32
from plugin_cases import EVENTS, GET_LOG, configuration, configurations, events, handles

CTRL, NS = "/dev/nvme0", "/dev/nvme0n1"

SHOWN = {
    "configs": ([CTRL, "-e", "1"], "fdp-configs"),
    "usage": ([CTRL, "-e", "1"], "fdp-usage"),
    "stats": ([CTRL, "-e", "1"], "fdp-stats"),
    "events": ([CTRL, "-e", "1"], "fdp-events"),
    "status": ([NS], "fdp-status"),
    "feature": ([CTRL, "-e", "1"], "fdp-feature"),
}
SENT = {
    "update": [NS, "-p", "1,2"],
    "set-events": [NS, "-t", "0,0x81", "-e"],
    "feature": [CTRL, "-e", "1", "-c", "2"],
}


@pytest.fixture(autouse=True)
def _machine(host):
    """An Endurance Group with data placement."""
    plugin_cases.sample(host)


@pytest.mark.parametrize("name", SHOWN)
def test_documents(nvme, valid, name):
    args, schema = SHOWN[name]
    valid(schema, nvme.ok("fdp", name, *args, "-o", "json").json)


@pytest.mark.parametrize("name", SENT)
def test_results(nvme, valid, name):
    result = nvme.ok("fdp", name, *SENT[name], "-o", "json")
    valid("fdp-feature" if name == "feature" else "result", result.json)


@pytest.mark.parametrize(
    "args", [[name, *words] for name, (words, _) in SHOWN.items()]
    + [[name, *words] for name, words in SENT.items()]
)  # fmt: skip
def test_dry_run(nvme, host, args):
    result = nvme("fdp", *args, "--dry-run")
    assert (result.status, result.err, host.written) == (0, "", [])


def test_events_are_whole(nvme):
    """Each part is there exactly where its flag is."""
    found = nvme("fdp", "events", CTRL, "-e", "1", "-o", "json").json["events"]
    assert [event["type"] for event in found] == [0, 1, 2, 3, 0x80, 0x80, 0x81, 0x50]
    assert {event["timestamp"] for event in found} == {1_700_000_000_123}
    assert [event.get("lba") for event in found[4:6]] == [0x1234567890ABCDEF, None]
    assert [event.get("rgid") for event in found[:5]] == [3, None, None, 3, None]


def test_index_has_eight_bits(nvme, host):
    (host.fake / "nvme0/otherwise.result").write_text(str(0xAB01))
    assert nvme("fdp", "feature", CTRL, "-e", "1", "-o", "json").json == {
        "endgrp": 1,
        "fdpe": 1,
        "fdpcidx": 0xAB,
    }


LONG = configurations(configuration(0x80, [1, 2]))


@pytest.mark.parametrize(
    ("name", "lid", "answer", "words"),
    [
        ("configs", 0x20, u16(0xFFFF) + LONG[2:], "configuration 2 of 65536 goes beyond the log"),
        ("configs", 0x20, LONG[:4] + u32(40) + LONG[8:], "configuration 1 of 1 goes beyond"),
        ("configs", 0x20, LONG[:16] + u16(8) + LONG[18:], "configuration 1 of 1 goes beyond"),
        ("configs", 0x20, LONG[:24] + u16(5000) + LONG[26:], "configuration 1 of 1 goes beyond"),
        ("configs", 0x20, LONG[:4] + u32(2**31) + LONG[8:], "a length of 2147483648 bytes"),
        ("configs", 0x20, bytes(16), "configuration 1 of 1 goes beyond the log's 16 bytes"),
        ("events", 0x23, events(EVENTS, 2**32 - 1), "event 64 of 4294967295 goes beyond"),
    ],
)
def test_beyond_the_log(nvme, host, name, lid, answer, words):
    host.command("nvme0", "admin", GET_LOG, lid, answer)
    assert words in nvme("fdp", name, CTRL, "-e", "1", status=1).err
    document = nvme("fdp", name, CTRL, "-e", "1", "-o", "json", status=1)
    assert words in document.json["error"]


def test_handles_that_change(nvme, host):
    """More of them in the second answer than there was room for."""
    host.command("nvme0n1", "io", 0x12, 1, handles(1), nth=1)
    host.command("nvme0n1", "io", 0x12, 1, handles(1, 9), nth=2)
    assert "now 9 reclaim unit handles instead of 1; try again" in nvme.error("fdp", "status", NS)


def test_all_handles(nvme, host):
    host.command("nvme0n1", "io", 0x12, 1, handles(65535))
    found = nvme("fdp", "status", NS, "-o", "json").json
    assert [entry["pid"] for entry in found["ruhss"]] == [*range(65535)]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["configs", CTRL], "endurance group identifier required"),
        (["stats", CTRL], "endurance group identifier required"),
        (["events", CTRL], "endurance group identifier required"),
        (["update", NS], "no placement identifiers set"),
        (["update", NS, "-p", ""], "no placement identifiers set"),
        (["update", NS, "-p", "1,x"], "could not parse pids: '1,x'"),
        (["update", NS, "-p", "65536"], "could not parse pids: '65536'"),
        (["update", NS, "-p", "1,,2"], "could not parse pids: '1,,2'"),
        (["update", NS, "-p", ",".join(["1"] * 257)], "more than 256 placement identifiers"),
        (["set-events", NS], "no event types set"),
        (["set-events", NS, "-t", "256"], "could not parse event types: '256'"),
        (["set-events", NS, "-t", "1,-1"], "could not parse event types: '1,-1'"),
        (["set-events", NS, "-t", ",".join(["1"] * 256)], "more than 255 event types"),
        (["feature", CTRL, "-c", "1", "-d"], "Cannot enable and disable at the same time"),
        (["feature", CTRL, "-c", "256"], "enable-conf-idx"),
    ],
)
def test_refused(nvme, host, args, words):
    result = nvme("fdp", *args)
    assert (result.status, result.out, host.written) == (1, "", [])
    [line] = result.err.splitlines()
    assert words in line
