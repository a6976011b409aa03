# SPDX-License-Identifier: GPL-2.0-or-later
"""Writeback through relays while memory is short: only completed writes free any.

The clock counts instructions, so that no keep-alive is late because the machine is busy.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab import Lab, Port, Subsystem, Target
from lab.relay import relays

NQN = "nqn.2024-01.lab:disk"
DISK_MIB = 96
#: What is left to everything else, relays and kernel included.
LEFT_MIB = 64
#: Share of it that may be dirty before who writes has to wait, and before writeback begins.
DIRTY = {"dirty_ratio": 80, "dirty_background_ratio": 70}
MINUTES = 1

#: Takes memory that nothing can take back, and is the first to go.
HOG = """
import pathlib, sys
pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
mib = 1 << 20
taken = []
while True:
    words = (line.split() for line in open("/proc/meminfo"))
    left = next(int(w[1]) // 1024 for w in words if w[0] == "MemAvailable:")
    if left <= int(sys.argv[1]):
        break
    taken.append(bytearray(b"x") * mib * max(1, (left - int(sys.argv[1])) // 2))
print("ready", flush=True)
sys.stdin.read()
"""

pytestmark = [pytest.mark.icount, pytest.mark.stock, pytest.mark.limit(60 * MINUTES + 900)]


def vm(name: str, value: int | None = None) -> int:
    """Return a setting of the kernel's memory, and set it."""
    file = Path("/proc/sys/vm") / name
    before = int(file.read_text())
    if value is not None:
        file.write_text(str(value))
    return before


@contextmanager
def short_memory() -> Iterator[None]:
    """Leave little memory, most of which may be dirty."""
    before = {name: vm(name, value) for name, value in DIRTY.items()}
    hog = subprocess.Popen([sys.executable, "-c", HOG, str(LEFT_MIB)], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        assert hog.stdout
        assert hog.stdout.readline() == "ready\n"
        yield
        assert hog.poll() is None, "the kernel had to end a program"
    finally:
        hog.kill()
        hog.wait()
        for name, value in before.items():
            vm(name, value)


def dirty_mib() -> int:
    """Return how much is waiting to be written, or being written."""
    words = [line.split() for line in Path("/proc/meminfo").read_text().splitlines()]
    return sum(int(w[1]) for w in words if w[0] in ("Dirty:", "Writeback:")) // 1024


def test_writeback_with_little_memory(lab: Lab) -> None:
    lab.target.configure(
        Target((Subsystem(NQN),), (Port(trtype="tcp", traddr="10.1.1.1"),), ramdisk_mib=DISK_MIB)
    )
    with relays(lab):
        lab.host.connect(NQN, "tcp", "10.1.1.1", nr_io_queues=1, queue_size=16)
        disk = lab.host.disk(NQN)
        # The target has its memory from the same machine: what it needs for requests stays small.
        for queue in Path("/sys/block").glob("nvme*/queue/max_sectors_kb"):
            queue.write_text("64")
        options = {
            "rw": "randwrite", "bs": "64k", "size": f"{DISK_MIB}m", "direct": 0,
            "runtime": None, "time_based": None, "verify": "crc32c", "verify_fatal": 1,
        }  # fmt: skip
        lab.host.fio(disk, **options | {"direct": 1})  # now the ramdisk has all its memory
        most = rounds = 0
        with short_memory(), ThreadPoolExecutor(1) as other:
            end = time.monotonic() + 60 * MINUTES
            while time.monotonic() < end:
                writing = other.submit(lab.host.fio, disk, **options)
                while not writing.done():
                    most = max(most, dirty_mib())
                    time.sleep(0.1)
                assert (
                    writing.result()["read"]["io_bytes"] >= DISK_MIB << 20
                ), "not all was verified"
                rounds += 1
        print(f"{rounds} rounds of {DISK_MIB} MiB, up to {most} MiB dirty")
        assert most >= 0.5 * LEFT_MIB
        assert [c.state for c in lab.host.controllers()] == ["live"]
