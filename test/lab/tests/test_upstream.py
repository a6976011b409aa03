# SPDX-License-Identifier: GPL-2.0-or-later
"""The reproducers of doc/upstream run and clean up; that of `address` stops the kernel."""

import os
import re
import subprocess
import threading
from pathlib import Path

import pytest
from lab import WAYS, Lab, Subsystem, Topology, Way

NOTES = Path("/project/doc/upstream")
COUNTER = re.compile(r'packets (\d+) .* comment "([^"]+)"')
NQN = "nqn.2024-01.lab:upstream"


def reproduce(script: str, *arguments: str) -> str:
    """Run a reproducer, which must succeed; return what it printed."""
    return subprocess.run(
        ["sh", NOTES / script, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def names() -> list[set[str]]:
    nvmet = Path("/sys/kernel/config/nvmet")
    return [
        {path.name for path in directory.glob("*")}
        for directory in (
            Path("/run/netns"), nvmet / "ports", nvmet / "subsystems", Path("/sys/class/nvme")
        )
    ]  # fmt: skip


def test_the_network_namespace_of_reconnects(lab: Lab) -> None:
    before = names()
    said = reproduce("nvme-tcp-namespace.sh").splitlines()
    assert said[0] == "before the reset: live"
    # 6.12 reconnects in the initial namespace, which has no route to the target
    assert said[1:] == ["after the reset: connecting"]
    assert names() == before


@pytest.mark.topology(Topology.one_per_link(1))
@pytest.mark.parametrize("way", [way for way in WAYS if way.family == "ipv4"], ids=str)
def test_the_traffic_class_of_answers(lab: Lab, way: Way) -> None:
    lab.target.configure(way.target(Subsystem(NQN)))
    lab.host.nvme(f"connect {way.portal()} -n {NQN} --tos=0x10")
    disk = os.open(lab.host.disk(NQN), os.O_RDONLY)
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            os.posix_fadvise(disk, 0, 0, os.POSIX_FADV_DONTNEED)
            os.pread(disk, 4096, 0)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        said = reproduce("nvmet-tcp-traffic-class.sh", "h1", way.trsvcid)
    finally:
        over.set()
        reader.join()
        os.close(disk)
    counted = {what: int(count) for count, what in COUNTER.findall(said)}
    assert counted["class 16"] > counted["other classes"]
