# SPDX-License-Identifier: LGPL-2.1-or-later
"""get-feature and set-feature: what values and data mean."""

import pytest
from feature_data import FEATURES, METADATA, TIMESTAMP

GET, SET = 0x0A, 0x09


def hexadecimal(number):
    return f"0x{number:02x}"


@pytest.mark.parametrize("fid", FEATURES, ids=hexadecimal)
def test_data(nvme, host, golden, valid, fid):
    data, value = FEATURES[fid]
    more = ["-c", "1"] if fid == 0x81 else []
    host.command("nvme0", "admin", GET, fid, data, result=value)
    args = ["get-feature", "/dev/nvme0", "-f", hex(fid), *more]
    text = nvme(*args, "-H")
    assert (text.status, text.err) == (0, "")
    # What follows the dump of the bytes.
    dump = [line for line in text.out.splitlines() if line.startswith("\t")]
    golden(f"features/{fid:02x}.txt", "\n".join(dump) + "\n")
    assert not any(line.startswith("\t") for line in nvme(*args).out.splitlines())
    assert nvme(*args, "-v").out == text.out
    document = nvme(*args, "-o", "json")
    assert (document.status, document.err) == (0, "")
    valid("get-feature", document.json)
    golden(f"features/{fid:02x}.json", document.out)


def test_truncated_data(nvme, host):
    host.command("nvme0", "admin", GET, 0x7E, METADATA)
    for length in range(1, 40):
        result = nvme("get-feature", "/dev/nvme0", "-f", "0x7e", "-l", str(length), "-H")
        assert result.status == 0
        assert "\033" not in result.out
    assert "Operating System Controller Name: nvme0\n" in result.out


def test_hostile_metadata(nvme, host):
    for data in (b"\xff" * 4096, bytes([255, 0]) + b"\x01\x00\xff\xff" * 1000):
        host.command("nvme0", "admin", GET, 0x7F, data.ljust(4096, b"\xff"))
        for fmt in ("normal", "json"):
            result = nvme("get-feature", "/dev/nvme0", "-f", "0x7f", "-H", "-o", fmt)
            assert result.status == 0


def test_set(nvme, host, valid, tmp_path):
    host.command("nvme0", "admin", SET, 0x0E)
    file = tmp_path / "data"
    file.write_bytes(TIMESTAMP)
    args = ["set-feature", "/dev/nvme0", "-f", "0x0e", "-V", "0", "-d", str(file)]
    plain = nvme(*args)
    assert (plain.status, plain.err) == (0, "")
    assert plain.out.startswith(
        "set-feature:0x0e (Timestamp), value:0x00000000, cdw12:00000000, save:0\n"
    )
    assert "\tTimestamp" not in plain.out
    human = nvme(*args, "-H")
    line = "\tTimestamp in milliseconds: 1767225600123 (2026-01-01 00:00:00.123 UTC)\n"
    assert line in human.out
    assert nvme(*args, "-v").out == human.out
    document = nvme(*args, "-o", "json")
    valid("set-feature", document.json)
    assert document.json["bits"] == {"timestamp": 1767225600123, "origin": 1, "synch": 1}


def test_host_memory_needs_no_data(nvme, host):
    """The host sets it by address; only reading it returns data."""
    host.command("nvme0", "admin", SET, 0x0D)
    assert nvme("set-feature", "/dev/nvme0", "-f", "0x0d", "-V", "0").status == 0
    assert host.written[-1].endswith(" len=0")
