# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel series' own test, call by call: see lab.selftest. `lab sweep` runs all of it.

Of its arguments, every kind of address, transport and links, every number of paths and every I/O
policy is here, over IPv4 in every combination.
"""

import pytest
from lab import Lab, Way
from lab.selftest import NQN, RUNS, Run, offer, perform

pytestmark = pytest.mark.limit(120)

#: All over IPv4, and over other addresses two paths of links that lose packets.
CHOSEN = [run for run in RUNS if run.way.family == "ipv4"] + [
    Run(run.way, run.links, paths=2)
    for run in RUNS
    if run.way.family != "ipv4" and run.links == "lossy"
]


@pytest.mark.parametrize(
    "run",
    [pytest.param(run, id=str(run), marks=pytest.mark.topology(run.topology())) for run in CHOSEN],
)
def test_sequence(lab: Lab, run: Run) -> None:
    assert list(perform(lab, run)) == run.points()


@pytest.mark.topology(RUNS[0].topology())
def test_fio(lab: Lab) -> None:
    """The load of the test itself, shorter: fio's libaio, four jobs, 128 KiB at random places."""
    for portal in offer(lab, Way("mptcp", "ipv4"), 2):
        lab.host.nvme(f"connect {portal} -n {NQN} --iopolicy=round-robin")
    job = lab.host.fio(lab.host.disk(NQN), rw="randrw", numjobs=4, iodepth=8, runtime=1)
    assert min(job[direction]["io_bytes"] for direction in ("read", "write")) > 1 << 20
    lab.host.nvme(f"disconnect -n {NQN}")
