# SPDX-License-Identifier: LGPL-2.1-or-later
"""get-feature and set-feature: what values and data mean."""

import errno
import json

import golden_cases
import pytest
from feature_data import FEATURES, METADATA, TIMESTAMP

GET, SET = 0x0A, 0x09


def hexadecimal(number):
    return f"0x{number:02x}"


@pytest.mark.parametrize("fid", [fid for fid in FEATURES if fid != 0x0C], ids=hexadecimal)
def test_data(nvme, host, golden, valid, fid):
    """Metadata that 2.16 reads past is compared with files, all others by test/oracle."""
    data, value = FEATURES[fid]
    more = ["-c", "1"] if fid == 0x81 else []
    host.command("nvme0", "admin", GET, fid, data, result=value)
    args = ["get-feature", "/dev/nvme0", "-f", hex(fid), *more]
    text = nvme.ok(*args, "-H")
    # What follows the dump of the bytes.
    dump = [line for line in text.out.splitlines() if line.startswith("\t")]
    assert dump
    if fid == 0x7E:
        golden("features/7e.txt", "\n".join(dump) + "\n")
    assert not any(line.startswith("\t") for line in nvme(*args).out.splitlines())
    assert nvme(*args, "-v").out == text.out
    document = nvme.ok(*args, "-o", "json")
    valid("get-feature", document.json)
    if fid == 0x7E:
        golden("features/7e.json", document.out)


def test_power_state_transitions(nvme, host, valid):
    """32 entries, of which two say something."""
    data, value = FEATURES[0x0C]
    host.command("nvme0", "admin", GET, 0x0C, data, result=value)
    args = ["get-feature", "/dev/nvme0", "-f", "0x0c"]
    entries = [(100, 3), (2000, 4), *[(0, 0)] * 30]
    rule = f"\t{'.' * 17}\n"
    dump = "\tAutonomous Power State Transition Enable (APSTE): Enabled\n\tAuto PST Entries" + rule
    for number, (idle, state) in enumerate(entries):
        dump += f"\tEntry[{number:2}]\n{rule}"
        dump += f"\tIdle Time Prior to Transition (ITPT): {idle} ms\n"
        dump += f"\tIdle Transition Power State   (ITPS): {state}\n{rule}"
    text = nvme.ok(*args, "-H")
    assert text.out.endswith(f"\n{dump}")
    document = valid("get-feature", nvme(*args, "-o", "json").json)
    (explained,) = document["Feature: 0x0c"]
    assert explained == {
        "Autonomous Power State Transition Enable (APSTE)": "Enabled",
        "Auto PST Entries": [
            {
                "entry": f"{number:2}",
                "Idle Time Prior to Transition (ITPT)": f"{idle} ms",
                "Idle Transition Power State (ITPS)": state,
            }
            for number, (idle, state) in enumerate(entries)
        ],
    }


def test_truncated_data(nvme, host):
    host.command("nvme0", "admin", GET, 0x7E, METADATA)
    for length in range(1, 40):
        result = nvme("get-feature", "/dev/nvme0", "-f", "0x7e", "-l", str(length), "-H", status=0)
        assert "\033" not in result.out
    assert "(Operating System Controller Name)\n" in result.out
    assert "\t\tValue    : nvme0\n" in result.out


def test_hostile_metadata(nvme, host):
    for data in (b"\xff" * 4096, bytes([255, 0]) + b"\x01\x00\xff\xff" * 1000):
        host.command("nvme0", "admin", GET, 0x7F, data.ljust(4096, b"\xff"))
        for fmt in ("normal", "json"):
            nvme("get-feature", "/dev/nvme0", "-f", "0x7f", "-H", "-o", fmt, status=0)


def test_what_nobody_explains(nvme, host):
    """Bytes are shown unless they are explained; -b without any prints the value."""
    host.command("nvme0", "admin", GET, 0xC0, b"vendor specific.", result=5)
    args = ["get-feature", "/dev/nvme0", "-f", "0xc0"]
    assert '"vendor.specific."' in nvme(*args, "-l", "16", "-H").out
    assert nvme(*args, "-l", "16", "-b").out == "vendor specific."
    assert nvme(*args, "-b").out == "get-feature:0xc0 (Unknown), Current value:0x00000005\n"


def test_all_features(nvme, host, valid):
    """Each of the 256 is asked for; those that are refused are left out."""
    host.command("nvme0", "admin", GET, 0x06, result=1)
    host.command("nvme0", "admin", GET, 0xD0, result=7)
    text = nvme.ok("get-feature", "/dev/nvme0")
    assert text.out == (
        "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n"
        "get-feature:0xd0 (Unknown), Current value:0x00000007\n"
    )
    assert [line.split()[4] for line in host.written] == [f"cdw10={fid:x}" for fid in range(256)]
    host.command("nvme0", "admin", GET, 0x08, errno=5)
    assert nvme("get-feature", "/dev/nvme0", status=1).err == "get-feature: Input/output error\n"
    (host.fake / "nvme0/otherwise").write_bytes(bytes(range(256)) * 16)
    (host.fake / "nvme0/admin-0a-08.errno").unlink()
    valid("get-feature", nvme("get-feature", "/dev/nvme0", "-o", "json").json)


def test_capabilities(nvme, host, valid):
    host.command("nvme0", "admin", GET, 0x06, result=5)
    args = ["get-feature", "/dev/nvme0", "-f", "6", "-s", "3"]
    assert nvme(*args).out.splitlines()[1:] == ["  Feature is saveable", "  Feature is changeable"]
    document = valid("get-feature", nvme(*args, "-o", "json").json)
    assert document["Feature: 0x06: select"] == ["saveable", "changeable"]


def test_placement_events(nvme, host):
    """As many as there are bytes for, whatever the value claims; in JSON a type is a key, once."""
    host.command("nvme0", "admin", GET, 0x1E, b"\x80\1\x80\0\x44\1\x45\1", result=2**32 - 1)
    args = ["get-feature", "/dev/nvme0", "-f", "0x1e"]
    lines = nvme(*args, "-H").out.splitlines()[1:]
    assert lines[:3] == [
        f"\t{'Media Reallocated':53}: Enabled",
        f"\t{'Media Reallocated':53}: Not Enabled",
        f"\t{'Unknown':53}: Enabled",
    ]
    assert len(lines) == 255
    objects = []
    json.loads(nvme(*args, "-o", "json").out, object_pairs_hook=objects.append)
    assert sorted(key for key, _ in objects[1]) == [
        "Media Reallocated",
        "Reclaim Unit Not Fully Written",
        "Unknown (0x44)",
        "Unknown (0x45)",
    ]
    assert "cdw11=ff0000 " in host.written[-1]


@pytest.mark.parametrize("command", ["get-feature", "set-feature"])
def test_namespace(nvme, host, command):
    """That of the device; all for a controller, which has none; a broken device is an error."""
    host.command("nvme0", "admin", GET, 0x06)
    host.command("nvme0", "admin", SET, 0x06)
    more = [] if command == "get-feature" else ["-V", "1"]
    args = [command, "/dev/nvme0", "-f", "6", *more]
    (host.fake / "nvme0/nsid").write_text("9")
    for number, sent in ((0, "9"), (errno.ENOTTY, "ffffffff")):
        (host.fake / "nvme0/nsid.errno").write_text(str(number))
        assert nvme(*args).status == 0
        assert f" nsid={sent} " in host.written[-1]
        assert nvme(*args, "-n", "0").status == 0
        assert " nsid=0 " in host.written[-1]
    (host.fake / "nvme0/nsid.errno").write_text(str(errno.EIO))
    assert nvme.error(*args) == "get-namespace-id: Input/output error\n"


def test_set_the_time(nvme, host):
    """The time is the value; it goes out as data."""
    host.command("nvme0", "admin", SET, 0x0E)
    now = int.from_bytes(TIMESTAMP[:6], "little")
    result = nvme("set-feature", "/dev/nvme0", "-f", "0x0e", "-V", str(now))
    assert result.out.startswith(
        f"set-feature:0x0e (Timestamp), value:{now:#x}, cdw12:00000000, save:0\n"
    )
    assert (host.fake / "nvme0/admin-09-0e.got").read_bytes() == TIMESTAMP[:6] + b"\0\0"
    large = nvme("set-feature", "/dev/nvme0", "-f", "0x06", "-V", str(now))
    said = f"Invalid --value {now:#x}: a feature's value has 32 bits\n"
    assert (large.status, large.err) == (1, said)


def test_set(nvme, host, valid, tmp_path):
    host.command("nvme0", "admin", SET, 0x0E)
    file = tmp_path / "data"
    file.write_bytes(TIMESTAMP)
    args = ["set-feature", "/dev/nvme0", "-f", "0x0e", "-V", "0", "-d", str(file)]
    plain = nvme.ok(*args)
    assert plain.out.startswith(
        "set-feature:0x0e (Timestamp), value:00000000, cdw12:00000000, save:0\n"
    )
    assert "\tThe timestamp" not in plain.out
    assert nvme(*args, "-v").out == plain.out
    line = "\tThe timestamp is : 1767225600123 (Thu Jan  1 00:00:00 2026 UTC)\n"
    assert line in nvme(*args, "-H").out
    document = nvme(*args, "-o", "json")
    valid("set-feature", document.json)
    assert document.json["bits"]["timestamp"] == 1767225600123
    assert document.json["bits"]["timestamp string"] == "Thu Jan  1 00:00:00 2026 UTC"


def test_host_memory_needs_no_data(nvme, host):
    """The host sets it by address; only reading it returns data."""
    host.command("nvme0", "admin", SET, 0x0D)
    assert nvme("set-feature", "/dev/nvme0", "-f", "0x0d", "-V", "0").status == 0
    assert host.written[-1].endswith(" len=0")


@pytest.mark.parametrize("command", ["get-feature", "set-feature"])
def test_features_by_name(nvme, host, command):
    """The 44 words of 2.16 stand for numbers; an unknown one is refused before anything is sent."""
    golden_cases.answering(host)
    more = ["-V", "1"] if command == "set-feature" else []
    for word, fid in (("arbitration", 1), ("temp-thresh", 4), ("kato", 0x0F),
                      ("sw-progress", 0x80), ("bp-write-protect", 0x85)):  # fmt: skip
        (host.fake / "written").unlink(missing_ok=True)
        nvme(command, "/dev/nvme0", "-f", word, *more)
        assert f"cdw10={fid:x} " in host.written[-1]
    (host.fake / "written").unlink()
    said = nvme.error(command, "/dev/nvme0", "-f", "temp_thresh", *more)
    assert "argument for 'feature-id' but got 'temp_thresh'" in said
    assert host.written == []
