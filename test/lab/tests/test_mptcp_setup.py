# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp setup and repair: every link carries every connection, and does so again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from lab import Lab, Limits, Target, Topology, wait_until

NQN = "nqn.2024-01.lab:disk"
TARGETS = ",".join(f"10.1.{i}.1" for i in range(1, 5))
LINKS = ["h1", "h2", "h3", "h4"]

#: Links and addresses, and what the path manager has after boot: no endpoints, limits 2 and 0.
BARE = Topology(limits={"host": Limits(2, 0), "target": Limits(2, 0)})

pytestmark = pytest.mark.topology(BARE)


def plan(lab: Lab, arguments: str) -> Any:
    """What setup plans."""
    lab.network.changed = True
    return lab.host.nvme(f"mptcp setup {arguments} -o json")


def carried(lab: Lab) -> list[list[str]]:
    """The links on which each connection has an established subflow."""
    document = lab.host.nvme("mptcp show-subflows -o json")
    return [
        sorted(s["link"] for s in connection["subflows"] if s["state"] == "ESTAB")
        for ctrl in document["controllers"]
        for connection in ctrl["connections"]
    ]


def connect(lab: Lab) -> None:
    """Connects, and sees one subflow of each connection on each link."""
    lab.target.configure(Target.simple(NQN))
    lab.host.connect(NQN, nr_io_queues=2)
    wait_until(lambda: carried(lab) == [LINKS] * 3, "one subflow on each link", 20)
    lab.host.read(lab.host.disk(NQN), 1 << 20)
    assert carried(lab) == [LINKS] * 3


def test_target_announces(lab: Lab) -> None:
    planned = plan(lab, "--role target --netns target --apply")
    assert {step["state"] for step in planned["steps"]} == {"done"}
    planned = plan(lab, f"--role host --traddr {TARGETS} --apply")
    assert planned["way"] == "announced"
    assert plan(lab, "--role target --netns target")["steps"] == []
    assert plan(lab, f"--role host --traddr {TARGETS}")["steps"] == []
    connect(lab)


def test_target_with_one_address(lab: Lab) -> None:
    plan(lab, "--role target --netns target --apply")
    planned = plan(lab, "--role host --traddr 10.1.1.1 --apply")
    assert planned["way"] == "subflow"
    assert plan(lab, "--role host --traddr 10.1.1.1")["steps"] == []
    connect(lab)


@pytest.mark.limit(120)
def test_repair_while_fio_verifies(lab: Lab) -> None:
    plan(lab, "--role target --netns target --apply")
    plan(lab, "--role host --traddr 10.1.1.1 --apply")
    connect(lab)
    disk = lab.host.disk(NQN)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(
            lab.host.fio, disk, rw="randwrite", bs="16k", iodepth=16, size="16m", loops=2,
            runtime=None, time_based=None, verify="crc32c", verify_fatal=1,
        )  # fmt: skip
        living = {s.local for s in lab.host.subflows() if not s.local.startswith("10.1.3.2")}
        lab.network.run("host", "ss", "-K", "src", "10.1.3.2")
        wait_until(lambda: carried(lab) == [["h1", "h2", "h4"]] * 3, "no subflow on link 3", 20)
        lab.host.nvme("mptcp repair --wait 15")
        wait_until(lambda: carried(lab) == [LINKS] * 3, "subflows on all links again", 20)
        after = {s.local for s in lab.host.subflows()}
        result = job.result()
    assert living <= after, "living subflows were disturbed"
    assert result["error"] == 0
    assert result["write"]["io_bytes"] >= 2 * (16 << 20)
    assert lab.host.nvme("mptcp repair -o json")["missing"] == []
