# SPDX-License-Identifier: GPL-2.0-or-later
"""Rule C15, which shows only under load: one link of four is slow, and the buffer overruns."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import unequal
from lab import Lab, Link, wait_until
from nvmelab.fio import command

pytestmark = pytest.mark.icount

#: fio runs for as long as the test does.
HOURS = 24

#: A check that saw less of the load in its second says nothing; the slowest links carry 1.2 MiB/s.
LOADED = 256 << 10

#: Checks within which drops are met, within which the buffer has grown after the fix until
#: nothing is dropped, and in which nothing is found then.
FINDING, GROWING, CALM = 90, 80, 8

EQUAL = replace(unequal.topology(), links=(Link.both(rate=unequal.RATE),) * unequal.LINKS)


@contextmanager
def reading(lab: Lab) -> Iterator[None]:
    """Reads over one connection, as deep as reads overrun the buffer, by one fio until it is ended.

    The clock leaps while the guest waits for the machine's disk, for instance to run fio once more:
    what needs load counts checks that had some, and no seconds.
    """
    lab.target.configure(unequal.TARGET)
    lab.host.connect(unequal.NQN, "mptcp", trsvcid=4420, nr_io_queues=1)
    lab.host.wait_for_subflows(unequal.LINKS, 2)
    disk = lab.host.disk(unequal.NQN)
    options = {"rw": "read", "iodepth": unequal.DEPTH, "runtime": HOURS * 3600}
    fio = subprocess.Popen(command(disk, options), stdout=subprocess.DEVNULL)
    try:
        begun = received()
        wait_until(lambda: received() > begun + LOADED, "fio at work", 600)
        yield
        assert fio.poll() is None, f"fio ended with status {fio.returncode}"
    finally:
        fio.terminate()
        fio.wait(30)


def received() -> int:
    links = (Path(f"/sys/class/net/h{i}/statistics/rx_bytes") for i in range(1, unequal.LINKS + 1))
    return sum(int(link.read_text()) for link in links)


def slow_links(lab: Lab, checks: int) -> Iterator[dict[str, Any] | None]:
    """What C15 finds in each of so many checks that had load for their second."""
    while checks:
        before = received()
        findings = lab.host.check("nvme0 --role host --interval 1 --no-trial")
        found = [f for f in findings if f["rule"] == "C15"]
        if received() - before >= LOADED:
            checks -= 1
            yield found[0] if found else None


@pytest.mark.limit(900)
@pytest.mark.topology(unequal.topology())
def test_a_slow_link_is_found_and_mended_under_load(lab: Lab) -> None:
    """Bursts of drops need not meet each check; once mended, and the buffer has grown, none are.

    Each wait ends as soon as that is seen.
    """
    lab.network.changed = True
    with reading(lab):
        found = next(filter(None, slow_links(lab, FINDING)), None)
        assert found, f"not found by {FINDING} checks under load"
        assert found["subject"] == "h4", found
        for fix in found["fix"]:
            assert fix["side"] == "host", found
            lab.host.command(fix["command"])
        calm = 0
        for after in slow_links(lab, GROWING):
            calm = 0 if after else calm + 1
            if calm == CALM:
                break
        assert calm == CALM, after


@pytest.mark.limit(300)
@pytest.mark.topology(EQUAL)
def test_equal_links_are_none_under_load(lab: Lab) -> None:
    with reading(lab):
        assert not any(slow_links(lab, CALM))
