# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme nbft show: tables of the firmware, good and bad."""

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
