# SPDX-License-Identifier: GPL-2.0-or-later
"""Rule C15, which shows only under load: one link of four is slow, and the buffer overruns."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import unequal
from lab import Lab, Link

pytestmark = pytest.mark.icount

#: One run of fio, after which the next one begins.
SECONDS = 10

EQUAL = replace(unequal.topology(), links=(Link.both(rate=unequal.RATE),) * unequal.LINKS)


@contextmanager
def reading(lab: Lab) -> Iterator[None]:
    """Reads over one connection, as deep as reads overrun the buffer, for as long as it takes.

    The clock leaps while the guest waits for the machine's disk: fio ran once before that counts.
    """
    lab.target.configure(unequal.TARGET)
    lab.host.connect(unequal.NQN, "mptcp", trsvcid=4420, nr_io_queues=1)
    lab.host.wait_for_subflows(unequal.LINKS, 2)
    disk = lab.host.disk(unequal.NQN)
    lab.host.fio(disk, rw="read", iodepth=unequal.DEPTH, runtime=1)
    failures: list[BaseException] = []
    ending = threading.Event()

    def read() -> None:
        try:
            while not ending.is_set():
                lab.host.fio(disk, rw="read", iodepth=unequal.DEPTH, runtime=SECONDS)
        except BaseException as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        ending.set()
        reader.join()
    assert not failures, failures


def unequal_links(lab: Lab, seconds: float) -> dict[str, Any] | None:
    """What the first check of these seconds that finds a slow link found."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done = lab.host.command(
            "nvme mptcp check nvme0 --role host --interval 1 --no-trial -o json", status=None
        )
        for finding in json.loads(done.stdout)["findings"]:
            if finding["rule"] == "C15":
                found: dict[str, Any] = finding
                return found
    return None


#: Windows of load in which the buffer of a mended connection grows until nothing is dropped.
GROWING = 12


@pytest.mark.limit(900)
@pytest.mark.topology(unequal.topology())
def test_a_slow_link_is_found_and_mended_under_load(lab: Lab) -> None:
    """Bursts of drops need not meet each check; once mended, and the buffer has grown, none are.

    Each wait ends as soon as that is seen.
    """
    lab.network.changed = True
    with reading(lab):
        found = unequal_links(lab, 180)
        assert found, "not found in 180 s of load"
        assert found["subject"] == "h4", found
        for fix in found["fix"]:
            assert fix["side"] == "host", found
            lab.host.command(fix["command"])
        time.sleep(4)
        after: list[dict[str, Any] | None] = [found]
        while after[-1] and len(after) <= GROWING:
            after.append(unequal_links(lab, 12))
        assert after[-1] is None, after


@pytest.mark.limit(300)
@pytest.mark.topology(EQUAL)
def test_equal_links_are_none_under_load(lab: Lab) -> None:
    with reading(lab):
        assert unequal_links(lab, 12) is None
