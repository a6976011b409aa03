# SPDX-License-Identifier: GPL-2.0-or-later
"""Zones: every command of nvme zns changes them, and the kernel reports what has become of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alike import require_alike
from lab import Pci
from lab.pci import CLOSED, EMPTY, EXPLICITLY_OPEN, FULL, IMPLICITLY_OPEN, reset_zones, zones

pytestmark = pytest.mark.pci

#: Blocks of a zone, those that can be written, and of the namespace.
SIZE, CAPACITY, BLOCKS = 4096, 2048, 1 << 16
PAGE = 4096
DATA = bytes(range(256)) * (PAGE // 256)


@pytest.fixture
def disk(pci: Pci) -> Iterator[str]:
    """A zoned namespace, empty before and after."""
    device = pci.namespace("zoned")
    reset_zones(device, BLOCKS)
    yield device
    reset_zones(device, BLOCKS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a page of data."""
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


def conditions(disk: str) -> list[int]:
    """The condition of each zone."""
    return [zone.condition for zone in zones(disk)]


def test_the_kernel_sees_the_zones(disk: str) -> None:
    assert [zone.start for zone in zones(disk)] == list(range(0, BLOCKS, SIZE))
    assert conditions(disk) == [EMPTY] * 16


def test_open_close_finish_reset(pci: Pci, disk: str) -> None:
    zone = f"{disk} -s {SIZE}"
    for command, condition in (
        ("open-zone", EXPLICITLY_OPEN),
        ("close-zone", CLOSED),
        ("finish-zone", FULL),
        ("reset-zone", EMPTY),
    ):
        said = pci.host.nvme(f"zns {command} {zone}")
        assert said.startswith(f"zns-{command}: Success")
        assert conditions(disk) == [EMPTY, condition, *[EMPTY] * 14]


def test_append(pci: Pci, disk: str, file: Path) -> None:
    """The controller names the block that it wrote to."""
    for number in range(2):
        said = pci.host.nvme(f"zns zone-append {disk} -s {SIZE} -z {PAGE} -d {file}")
        assert said == f"Success appended data to LBA {SIZE + number * 8:x}\n"
    assert zones(disk)[1].write_pointer == SIZE + 16
    assert conditions(disk)[:3] == [EMPTY, IMPLICITLY_OPEN, EMPTY]
    assert pci.host.read(Path(disk), 2 * PAGE, SIZE * 512) == 2 * DATA


def test_writes_that_break_a_zones_rules_are_refused(pci: Pci, disk: str, file: Path) -> None:
    write = f"write {disk} -c 7 -z {PAGE} -d {file} -s"
    pci.host.nvme(f"{write} 0")
    for place in (0, 16, CAPACITY - 4):
        said = pci.host.nvme_fails(f"{write} {place}")
        assert said == "NVMe status: Zone Invalid Write(0x41bc)\n"
    pci.host.nvme(f"zns finish-zone {disk} -s 0")
    assert pci.host.nvme_fails(f"{write} 8") == "NVMe status: Zone Is Full(0x41b9)\n"


def test_no_more_zones_are_open_than_may_be(pci: Pci, disk: str) -> None:
    for number in range(4):
        pci.host.nvme(f"zns open-zone {disk} -s {number * SIZE}")
    said = pci.host.nvme_fails(f"zns open-zone {disk} -s {4 * SIZE}")
    assert said == "NVMe status: Too Many Open Zones(0x41be)\n"
    assert conditions(disk) == [EXPLICITLY_OPEN] * 4 + [EMPTY] * 12
    pci.host.nvme(f"zns close-zone {disk} -a")
    assert conditions(disk) == [CLOSED] * 4 + [EMPTY] * 12
    pci.host.nvme(f"zns reset-zone {disk} -a")
    assert conditions(disk) == [EMPTY] * 16


def test_transitions_that_there_are_not(pci: Pci, disk: str) -> None:
    refusal = "NVMe status: Invalid Zone State Transition(0x41bf)\n"
    assert pci.host.nvme_fails(f"zns close-zone {disk} -s 0") == refusal
    assert pci.host.nvme_fails(f"zns offline-zone {disk} -s 0") == refusal
    said = pci.host.nvme_fails(f"zns open-zone {disk} -s 5")
    assert said == "NVMe status: Invalid Field in Command(0x4002)\n"


def test_a_zones_description(pci: Pci, disk: str, tmp_path: Path) -> None:
    """It is kept until the zone is reset."""
    extension = tmp_path / "extension"
    extension.write_bytes(b"written by the lab".ljust(64, b"."))
    pci.host.nvme(f"zns set-zone-desc {disk} -s {2 * SIZE} -d {extension}")
    assert conditions(disk)[1:4] == [EMPTY, CLOSED, EMPTY]
    said = pci.host.nvme(f"zns report-zones {disk} -s {2 * SIZE} -d 1 -e")
    assert "written.by.the.l" in said
    require_alike(pci, "zns report-zones", disk, "-d", "3", "-e")


def test_a_random_write_area(pci: Pci, disk: str, file: Path) -> None:
    """The write pointer moves when blocks are flushed, or behind those that leave the area."""
    pci.host.nvme(f"zns open-zone {disk} -s 0 --zrwaa")
    write = f"write {disk} -c 7 -z {PAGE} -d {file} -s"
    for place in (8, 0, 8):
        pci.host.nvme(f"{write} {place}")
    assert zones(disk)[0].write_pointer == 0
    pci.host.nvme(f"zns zrwa-flush-zone {disk} -l 7")
    assert zones(disk)[0].write_pointer == 8
    assert pci.host.read(Path(disk), 2 * PAGE) == 2 * DATA


def test_reports_of_zones_in_every_state_are_alike(pci: Pci, disk: str, file: Path) -> None:
    pci.host.nvme(f"zns zone-append {disk} -s 0 -z {PAGE} -d {file}")
    for number, command in enumerate(("open-zone", "finish-zone"), 1):
        pci.host.nvme(f"zns {command} {disk} -s {number * SIZE}")
    pci.host.nvme(f"zns open-zone {disk} -s {3 * SIZE}")
    pci.host.nvme(f"zns close-zone {disk} -s {3 * SIZE}")
    assert conditions(disk)[:5] == [IMPLICITLY_OPEN, EXPLICITLY_OPEN, FULL, CLOSED, EMPTY]
    for more in ((), ("-v",), ("-o", "json"), ("-S", "2"), ("-S", "5"), ("-d", "3", "-p")):
        require_alike(pci, "zns report-zones", disk, *more)
    require_alike(pci, "zns zone-mgmt-recv", disk, "-z", "0", "-S", "0", "-l", "512")
    require_alike(pci, "zns changed-zone-list", disk)
