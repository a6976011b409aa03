# SPDX-License-Identifier: GPL-2.0-or-later
"""A short one of `lab chaos`: it comes to its end, and sees what goes wrong on its own account."""

import subprocess
from pathlib import Path

import chaos
import pytest
from lab import Lab
from lab.disturb import settled, sockets_in_use

pytestmark = [pytest.mark.topology(chaos.topology()), pytest.mark.limit(300)]


def test_all_comes_back(lab: Lab) -> None:
    lab.network.changed = True
    result = chaos.chaos(lab, 10, 1)
    assert {name.split()[0] for name in result["done"]} == {
        "links", "addresses", "targets", "hosts",
    }  # fmt: skip


def test_a_mismatch_is_seen(lab: Lab) -> None:
    """Somebody else writes to the disk that fio verifies."""
    lab.target.configure(chaos.target())
    lab.host.connect(chaos.NQN)
    load = chaos.Load(lab, 120, 1)  # at most: it ends with the first mismatch
    load.start()
    while load.is_alive():
        with Path("/dev/ram0").open("r+b", buffering=0) as disk:
            for offset in range(0, chaos.DISK_MIB << 20, 1 << 20):
                disk.seek(offset)
                disk.write(bytes(1 << 20))
            subprocess.run(["blockdev", "--flushbufs", "/dev/ram0"], check=True)
    assert "verify" in str(load.error) or "error" in str(load.error)


def test_a_leak_is_seen(lab: Lab) -> None:
    """Connections of a controller that stays are objects that are not given back."""
    lab.target.configure(chaos.target())
    before = sockets_in_use()
    assert set(before) >= {"MPTCP", "TCP"}
    lab.host.connect(chaos.NQN, nr_io_queues=2)
    lab.host.wait_for_subflows(4, 3)
    with pytest.raises(AssertionError, match="slabs back at"):
        settled(before, 2, 1.0)
    lab.host.disconnect_all()
    settled(before, chaos.SLAB_SLACK, chaos.SLAB_WAIT_S)
