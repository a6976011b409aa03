# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme nbft show: tables of the firmware, good and bad."""

import os
import shutil

import pytest
from conftest import TOP

TABLES = TOP / "test/fuzz/corpus/nbft"


@pytest.fixture
def directory(tmp_path):
    """A directory of ACPI tables; two of them are boot tables."""
    path = tmp_path / "tables"
    path.mkdir()
    shutil.copy(TABLES / "good", path / "NBFT")
    shutil.copy(TABLES / "good", path / "NBFT1")
    (path / "DSDT").write_bytes(b"DSDT")
    return path


def test_golden(nvme, directory, golden, valid):
    (directory / "NBFT1").unlink()
    text = nvme.ok("nbft", "show", "--nbft-path", str(directory))
    golden("commands/nbft-show.txt", text.out.replace(str(directory), "TABLES"))
    document = nvme.ok("nbft-show", "--nbft-path", str(directory), "-o", "json")
    valid("nbft-show", document.json)
    golden("commands/nbft-show.json", document.out.replace(str(directory), "TABLES"))


@pytest.mark.parametrize(
    ("option", "title", "key"),
    [
        ("-s", "NBFT Subsystems:", "subsystem"),
        ("--hfi", "NBFT HFIs:", "hfi"),
        ("-d", "NBFT Discovery Controllers:", "discovery"),
    ],
)
def test_sections(nvme, directory, valid, option, title, key):
    args = ["nbft", "show", option, "--nbft-path", str(directory)]
    text = nvme(*args).out
    assert [line for line in text.splitlines() if line.startswith("NBFT")] == [title] * 2
    document = valid("nbft-show", nvme(*args, "-o", "json").json)
    assert all(set(table) == {"filename", "host", key} for table in document)


def test_nothing_there(nvme, tmp_path, valid):
    path = str(tmp_path)
    text = nvme.ok("nbft", "show", "--nbft-path", path)
    assert text.out == f"No NBFT in {path}: the firmware did not boot over a fabric\n"
    document = nvme("nbft", "show", "--nbft-path", path, "-o", "json")
    assert (document.status, document.json) == (0, [])
    valid("nbft-show", document.json)


@pytest.mark.parametrize(
    ("path", "why"),
    [("/nonexistent", "No such file or directory"), ("/dev/null", "Not a directory")],
)
def test_no_directory(nvme, path, why):
    assert nvme.error("nbft", "show", "--nbft-path", path) == f"Failed to read {path}: {why}\n"


def test_empty_sections(nvme, tmp_path):
    shutil.copy(TABLES / "control-only", tmp_path / "NBFT")
    result = nvme("nbft", "show", "--nbft-path", str(tmp_path))
    if result.status == 0:
        assert result.out.count("(empty)") == 3


@pytest.mark.parametrize("name", sorted(p.name for p in TABLES.iterdir()))
def test_hostile_tables(nvme, tmp_path, valid, name):
    """The good one beside it is shown whatever the bad one holds."""
    shutil.copy(TABLES / name, tmp_path / "NBFT0")
    shutil.copy(TABLES / "good", tmp_path / "NBFT1")
    text = nvme("nbft", "show", "--nbft-path", str(tmp_path))
    assert f"{tmp_path}/NBFT1:\n" in text.out
    assert all(0x20 <= ord(c) <= 0x7E or c == "\n" for c in text.out + text.err)
    document = nvme("nbft", "show", "--nbft-path", str(tmp_path), "-o", "json")
    assert document.status == text.status
    valid("nbft-show", document.json)
    if text.status:
        assert f"{tmp_path}/NBFT0: not an NVMe Boot Firmware Table\n" in text.err


def patched(*changes):
    """The good table with other bytes at some offsets, and its checksum right."""
    table = bytearray((TABLES / "good").read_bytes())
    for offset, value in changes:
        table[offset : offset + len(value)] = value
    table[9] = 0
    table[9] = -sum(table) & 0xFF
    return bytes(table)


def number(value):
    return value.to_bytes(4, "little")


#: The header is at 0, the control descriptor at 64, the host at 128, interfaces of 32 bytes at 160,
#: the subsystem at 352, heap objects from 480.
WRAPS, EXTENDED = number(0xFFFFFFF0), int.from_bytes(patched()[412:416], "little")
BAD = [
    (0, b"X"), (4, number(1505)), (4, number(64)), (8, b"\2"), (36, WRAPS), (40, WRAPS),
    (64, b"\2"), (70, b"\0"), (72, WRAPS), (76, b"\x08\0"), (146, WRAPS),
]  # fmt: skip


@pytest.mark.parametrize("change", BAD, ids=str)
def test_refused_tables(nvme, tmp_path, change):
    (tmp_path / "NBFT").write_bytes(patched(change))
    result = nvme("nbft", "show", "--nbft-path", str(tmp_path), "-o", "json", status=1)
    assert result.json == []
    assert f"{tmp_path}/NBFT: not an NVMe Boot Firmware Table\n" in result.err


def shown(nvme, directory, table):
    (directory / "NBFT").write_bytes(table)
    (document,) = nvme("nbft", "show", "--nbft-path", str(directory), "-o", "json", status=0).json
    return document


@pytest.mark.parametrize(
    ("changes", "empty"),
    [
        ([(80, WRAPS)], {"hfi"}),
        ([(87, b"\xff"), (84, b"\xff\xff")], {"hfi"}),
        ([(212, b"\2\0"), (227, b"\x63"), (162, b"\0")], {"hfi"}),
        ([(104, number(1504))], {"discovery"}),
        ([(92, b"\x08\0")], {"subsystem"}),
        ([(366, b"\4\0")], {"subsystem"}),
        ([(400, number(0))], {"subsystem"}),
        ([(416, b"\2\0"), (360, b"\x09"), (397, b"\x09"), (96, WRAPS)], set()),
    ],
    ids=str,
)
def test_what_is_wrong_is_left_out(nvme, tmp_path, changes, empty):
    document = shown(nvme, tmp_path, patched(*changes))
    assert {key for key in ("subsystem", "hfi", "discovery") if not document[key]} == empty
    if "hfi" in empty:
        assert document["subsystem"][0]["num_hfis"] == 0


def test_interfaces_named_twice_or_missing(nvme, tmp_path):
    listed = bytes([9, 2, 0, 2, 77, 1, 3])
    document = shown(nvme, tmp_path, patched((1400, listed), (400, number(1400) + b"\7\0")))
    assert document["subsystem"][0]["hfis"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("at", "value", "valid"),
    [(0, 5, False), (1, 2, False), (2, 2, False), (4, 2, False), (4, 1, True)],
)
def test_extended_information(nvme, tmp_path, at, value, valid):
    """It is used if it is of this kind, version and subsystem, and valid."""
    document = shown(nvme, tmp_path, patched((EXTENDED + at, bytes([value]))))
    (subsystem,) = document["subsystem"]
    assert ("dhcp_root_path_string" in subsystem) == valid
    assert (subsystem.get("controller_id", 0), subsystem.get("asqsz", 0)) == (5 * valid, 0)


def test_what_is_no_table(nvme, tmp_path):
    """Bytes that follow a table are ignored."""
    (tmp_path / "NBFT0").write_bytes(patched() + b"padding")
    (tmp_path / "NBFT1").touch()
    os.mkfifo(tmp_path / "NBFT2")
    (tmp_path / "NBFT3").mkdir()
    (tmp_path / "NBFT4").touch()
    os.truncate(tmp_path / "NBFT4", (1 << 20) + 1)
    (tmp_path / "NBFT5").write_bytes(patched()[:9] + b"\x5c" + patched()[10:])
    result = nvme("nbft", "show", "--nbft-path", str(tmp_path), status=1)
    assert [line for line in result.out.splitlines() if "/NBFT" in line] == [f"{tmp_path}/NBFT0:"]
    assert {line.split(":")[0][-1] for line in result.err.splitlines()} == set("12345")
