# SPDX-License-Identifier: GPL-2.0-or-later
"""Formatting for real: the size of blocks changes, a pause can be ended, what is in use is safe."""

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from lab import Pci, wait_until

pytestmark = pytest.mark.pci

PAGE = 4096
DATA = b"precious" * (PAGE // 8)
BLKRRPART = 0x125F
#: Commands that are refused where a namespace is in use, and those that are not for partitions.
ERASING = ("format {disk}", "write-uncor {disk} -s 0 -c 0", "copy {disk} -d 0 -s 64 -b 7")
NO_PARTITION = (*(f"{line} --force" for line in ERASING), "write-zeroes {disk} -s 0 -c 7",
                "dsm {disk} -d -s 0 -b 8", "write {disk} -s 0 -c 0 -z 512 -d /dev/zero --force",
                "write {disk} -s 0 -c 0 -z 512 -d /dev/zero")  # fmt: skip


@pytest.fixture
def disk(pci: Pci) -> Iterator[Path]:
    """A namespace with blocks of 512 bytes and a page of data, which it gets back."""
    path = Path(pci.namespace("lab"))
    pci.host.write(path, DATA)
    yield path
    if block_size(path) != 512:
        pci.host.nvme(f"format {path} -l 0 --force")


def block_size(disk: Path) -> int:
    """The size of its blocks, as the kernel sees it."""
    return int(Path("/sys/block", disk.name, "queue/logical_block_size").read_text())


@pytest.mark.parametrize("option", ["-l 4", "-b 4096"])
def test_another_size_of_blocks(pci: Pci, disk: Path, option: str) -> None:
    """The data are gone, and the kernel knows of the blocks when the command ends."""
    said = pci.host.nvme(f"format {disk} {option} --force")
    assert said == "Success formatting namespace:1\n"
    assert block_size(disk) == 4096
    assert pci.host.read(disk, PAGE) == bytes(PAGE)
    in_use = [
        line
        for line in pci.host.nvme(f"id-ns {disk} -H").splitlines()
        if line.startswith("LBA Format") and "(in use)" in line
    ]
    assert [line.split(":")[0] for line in in_use] == ["LBA Format  4 "]


def test_the_format_that_is_not_there(pci: Pci, disk: Path) -> None:
    said = pci.host.nvme_fails(f"format {disk} -l 9 --force")
    assert said == "NVMe status: Invalid Format(0x410a)\n"
    said = pci.host.nvme_fails(f"format {disk} -b 1024 --force")
    assert "1024" in said
    assert pci.host.read(disk, PAGE) == DATA


def test_a_namespace_that_is_not_attached(pci: Pci) -> None:
    said = pci.host.nvme_fails(f"format {pci.controller('lab')} -n 2 --force")
    assert said == "NVMe status: Invalid Field in Command(0x4002)\n"


@pytest.mark.limit(120)
def test_the_pause(pci: Pci, disk: Path) -> None:
    """Ten seconds in which Ctrl-C leaves everything as it was; then it begins."""
    process = subprocess.Popen(
        ["nvme", "format", str(disk)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr
    warning = process.stderr.readline()
    assert warning == f"You are about to format {disk.name}, namespace 0x1.\n"
    time.sleep(1)
    assert pci.host.read(disk, PAGE) == DATA
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode
    assert pci.host.read(disk, PAGE) == DATA
    began = time.monotonic()
    done = pci.ours("format", str(disk))
    assert (done.status, done.out) == (0, b"Success formatting namespace:1\n")
    assert time.monotonic() - began >= 10
    assert done.err.endswith("Sending format operation ...\n")
    assert pci.host.read(disk, PAGE) == bytes(PAGE)


# What is in use


@contextlib.contextmanager
def mounted(disk: Path) -> Iterator[str]:
    """A file system on it, in use."""
    point = Path("/tmp/mounted")
    point.mkdir(exist_ok=True)
    subprocess.run(["modprobe", "ext4"], check=True)
    subprocess.run(["mkfs.ext4", "-qF", str(disk)], check=True)
    subprocess.run(["mount", str(disk), str(point)], check=True)
    try:
        yield f"{disk.name} is in use: mounted on {point} (unmount it, or use --force)\n"
    finally:
        subprocess.run(["umount", str(point)], check=True)


@contextlib.contextmanager
def swap(disk: Path) -> Iterator[str]:
    """Pages of memory on it."""
    subprocess.run(["mkswap", "-q", str(disk)], check=True, capture_output=True)
    subprocess.run(["swapon", str(disk)], check=True)
    try:
        yield f"{disk.name} is in use: it holds swap (run swapoff, or use --force)\n"
    finally:
        subprocess.run(["swapoff", str(disk)], check=True)


@contextlib.contextmanager
def mapped(disk: Path) -> Iterator[str]:
    """A device of device mapper on it."""
    subprocess.run(["modprobe", "dm_mod"], check=True)
    table = f"0 1024 linear {disk} 0"
    subprocess.run(["dmsetup", "create", "lab", "--noudevsync", "--table", table], check=True)
    try:
        yield f"{disk.name} is in use: held by dm-0 (remove the holder, or use --force)\n"
    finally:
        subprocess.run(["dmsetup", "remove", "--noudevsync", "lab"], check=True)


@contextlib.contextmanager
def opened(disk: Path) -> Iterator[str]:
    """Another program has it for itself."""
    fd = os.open(disk, os.O_RDONLY | os.O_EXCL)
    try:
        yield (
            f"{disk.name} is in use: claimed by the kernel or another program "
            "(release it there, or use --force)\n"
        )
    finally:
        os.close(fd)


@pytest.mark.parametrize("use", [mounted, swap, mapped, opened])
def test_what_is_in_use_is_refused(
    pci: Pci, disk: Path, use: Callable[[Path], AbstractContextManager[str]]
) -> None:
    """By its block device, its generic one and its controller: the namespace is the same."""
    generic = disk.parent / disk.name.replace("nvme", "ng")
    with use(disk) as message:
        before = pci.host.read(disk, PAGE, PAGE)
        for line in ERASING:
            assert pci.host.nvme_fails(line.format(disk=disk)) == message
        assert pci.host.nvme_fails(f"format {generic}") == message
        assert pci.host.nvme_fails(f"format {pci.controller('lab')} -n 1") == message
        assert pci.host.read(disk, PAGE, PAGE) == before


def test_force_does_it_all_the_same(pci: Pci, disk: Path) -> None:
    with opened(disk):
        pci.host.nvme(f"copy {disk} -d 0 -s 64 -b 7 --force")
    assert pci.host.read(disk, PAGE) == pci.host.read(disk, PAGE, 64 * 512)


@contextlib.contextmanager
def partitioned(disk: Path) -> Iterator[Path]:
    """One partition from block 2048 on, in a table of the oldest kind."""
    entry = struct.pack("<B3sB3sII", 0, bytes(3), 0x83, bytes(3), 2048, 4096)
    table = (bytes(446) + entry).ljust(510, b"\0") + b"\x55\xaa"

    def read_again() -> None:
        with open(disk, "rb", buffering=0) as device:
            fcntl.ioctl(device, BLKRRPART)

    with open(disk, "r+b") as device:
        device.write(table)
    read_again()
    partition = disk.with_name(f"{disk.name}p1")
    wait_until(partition.exists, f"{partition}")
    try:
        yield partition
    finally:
        with open(disk, "r+b") as device:
            device.write(bytes(512))
        read_again()


def test_a_partition_is_refused(pci: Pci, disk: Path) -> None:
    with partitioned(disk) as partition:
        pci.host.write(partition, DATA)
        for line in NO_PARTITION:
            said = pci.host.nvme_fails(line.format(disk=partition))
            assert f"{partition} is a partition" in said
            assert said.endswith(f"needs the whole namespace: use {disk}\n")
        assert pci.host.read(disk, PAGE, 2048 * 512) == DATA
        assert pci.host.read(disk, PAGE)[510:512] == b"\x55\xaa"


def test_a_mounted_partition_keeps_its_namespace(pci: Pci, disk: Path) -> None:
    with partitioned(disk) as partition, mounted(partition) as message:
        assert pci.host.nvme_fails(f"format {disk}") == message
        assert pci.host.nvme_fails(f"format {pci.controller('lab', 1)} -n 1") == message


def test_what_is_no_nvme_device_is_refused(pci: Pci) -> None:
    said = pci.host.nvme_fails("format /dev/vdb --force")
    assert said == (
        "get-namespace-id: Inappropriate ioctl for device (is /dev/vdb an NVMe device?)\n"
    )
