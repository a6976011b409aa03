# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O commands: what nvme writes the kernel reads, and the other way round."""

import random
from pathlib import Path

import pytest
from lab import Pci
from lab.pci import Ended

pytestmark = pytest.mark.pci

BLOCK = 512
PAGE = 4096
DATA = random.Random(16).randbytes(2 * PAGE)
#: A place of its own for every test, in blocks.
PLACES = iter(range(0, 1 << 14, 256))


@pytest.fixture
def disk(pci: Pci) -> Path:
    """The namespace with blocks of 512 bytes."""
    return Path(pci.namespace("lab"))


@pytest.fixture
def lba() -> int:
    """A block that no other test uses, nor the 255 that follow."""
    return next(PLACES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with two pages of data."""
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


def test_write(pci: Pci, disk: Path, lba: int, file: Path) -> None:
    words = f"write {disk} -s {lba} -c 15 -z {2 * PAGE} -d {file}".split()
    assert pci.ours(*words) == Ended(0, b"", "write: Success\n")
    assert pci.host.read(disk, 2 * PAGE, lba * BLOCK) == DATA


def test_read(pci: Pci, disk: Path, lba: int, tmp_path: Path) -> None:
    pci.host.write(disk, DATA, lba * BLOCK)
    target = tmp_path / "read"
    pci.host.nvme(f"read {disk} -s {lba + 3} -c 4 -z {5 * BLOCK} -d {target}")
    assert target.read_bytes() == DATA[3 * BLOCK : 8 * BLOCK]


def test_compare(pci: Pci, disk: Path, lba: int, file: Path) -> None:
    pci.host.write(disk, DATA, lba * BLOCK)
    compare = f"compare {disk} -c 15 -z {2 * PAGE} -d {file} -s"
    assert pci.ours(*compare.split(), str(lba)) == Ended(0, b"", "compare: Success\n")
    # with Do Not Retry, or without: QEMU 10 and QEMU 7.2
    known = [f"NVMe status: Compare Failure({status})\n" for status in ("0x4285", "0x285")]
    assert pci.host.nvme_fails(f"{compare} {lba + 1}") in known


@pytest.mark.parametrize("deallocate", ["", " -d"])
def test_write_zeroes(pci: Pci, disk: Path, lba: int, deallocate: str) -> None:
    pci.host.write(disk, DATA, lba * BLOCK)
    said = pci.host.nvme(f"write-zeroes {disk} -s {lba} -c 7{deallocate}")
    assert said == "NVME Write Zeroes Success\n"
    assert pci.host.read(disk, 2 * PAGE, lba * BLOCK) == bytes(PAGE) + DATA[PAGE:]


def test_copy(pci: Pci, disk: Path, lba: int) -> None:
    """Two ranges go to one place, in their order."""
    pci.host.write(disk, DATA, lba * BLOCK)
    line = f"copy {disk} -d {lba + 64} -s {lba + 8},{lba} -b 7,7"
    assert pci.host.nvme(line) == "NVMe Copy: success\n"
    assert pci.host.read(disk, 2 * PAGE, (lba + 64) * BLOCK) == DATA[PAGE:] + DATA[:PAGE]


def test_copy_of_more_than_the_controller_takes(pci: Pci, disk: Path, lba: int) -> None:
    """The longest range is of 128 blocks (MSSRL); QEMU 7.2 has another status for it."""
    pci.host.write(disk, DATA, (lba + 64) * BLOCK)
    said = pci.host.nvme_fails(f"copy {disk} -d {lba} -s {lba + 64} -b 128")
    known = ("Command Size Limit Exceeded(0x4183)", "Internal Error(0x6)")
    assert said in [f"NVMe status: {status}\n" for status in known]
    assert pci.host.read(disk, PAGE, lba * BLOCK) != DATA[:PAGE]


def test_dsm(pci: Pci, disk: Path, lba: int) -> None:
    """What is deallocated reads as zeroes here (DLFEAT)."""
    pci.host.write(disk, DATA, lba * BLOCK)
    assert pci.host.nvme(f"dsm {disk} -d -s {lba} -b 8") == "NVMe DSM: success\n"
    assert pci.host.read(disk, 2 * PAGE, lba * BLOCK) == bytes(PAGE) + DATA[PAGE:]


def test_flush_and_verify(pci: Pci, disk: Path, lba: int) -> None:
    assert pci.host.nvme(f"flush {disk}") == "NVMe Flush: success\n"
    assert pci.host.nvme(f"verify {disk} -s {lba} -c 7") == "NVME Verify Success\n"


def test_protection_information(pci: Pci, tmp_path: Path, file: Path) -> None:
    """The controller makes it and checks it; a reference tag that does not follow is refused."""
    disk = pci.namespace("lab", 3)
    place = "-s 16 -c 0"
    pci.host.nvme(f"write {disk} {place} -z {PAGE} -p 8 -r 16 -d {file}")
    read = tmp_path / "read"
    pci.host.nvme(f"read {disk} {place} -z {PAGE} -p 15 -r 16 -d {read}")
    assert read.read_bytes() == DATA[:PAGE]
    assert pci.host.nvme(f"verify {disk} {place} -p 7 -r 16") == "NVME Verify Success\n"
    said = pci.host.nvme_fails(f"verify {disk} {place} -p 1 -r 17")
    assert said == "NVMe status: Invalid Protection Information(0x4181)\n"


@pytest.mark.parametrize("command", ["read", "write", "verify", "write-zeroes", "compare"])
def test_blocks_behind_the_end_are_refused(
    pci: Pci, disk: Path, command: str, file: Path, tmp_path: Path
) -> None:
    data = f"-z {BLOCK} -d {tmp_path / 'read' if command == 'read' else file}"
    more = data if command in ("read", "write", "compare") else ""
    said = pci.host.nvme_fails(f"{command} {disk} -s {1 << 16} -c 0 {more}")
    assert said == "NVMe status: LBA Out of Range(0x4080)\n"


def test_what_the_controller_has_not_is_refused(pci: Pci, disk: Path) -> None:
    refusal = "NVMe status: Invalid Command Opcode(0x4001)\n"
    assert pci.host.nvme_fails(f"write-uncor {disk} -s 0 -c 0") == refusal
    assert pci.host.nvme_fails(f"resv-report {disk}") == refusal
    assert pci.host.nvme_fails(f"get-lba-status {disk} -s 0 -m 10 -a 16 -l 0") == refusal


@pytest.mark.parametrize("length", [1, 64, 511])
def test_buffers_that_are_too_short(pci: Pci, disk: Path, lba: int, length: int) -> None:
    """The controller transfers 512 or 4096 bytes all the same; they went over the heap."""
    controller = pci.controller("lab")
    pci.host.write(disk, DATA, lba * BLOCK)
    known = {
        f"admin-passthru {controller} -O 6 --cdw10=1 -r": pci.ours("id-ctrl", controller, "-b").out,
        f"io-passthru {disk} -O 2 -n 1 --cdw10={lba} -r": DATA,
        # the kernel sets LBAFEE, which is byte 2
        f"get-feature {controller} -f 0x16": bytes([0, 0, 1]) + bytes(BLOCK - 3),
    }
    for _ in range(3):
        for line, data in known.items():
            ended = pci.ours(*line.split(), "-l", str(length), "-b")
            assert (ended.status, ended.out) == (0, data[:length]), (line, ended)
