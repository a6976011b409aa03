# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that may open few files only: what they print is complete, or an error says why not."""

from collections.abc import Iterator

import pytest
from conftest import Nvme
from fake_sysfs import FakeHost
from mptcp_net import Network, why_not
from test_alloc import UNKNOWN, digits, machine

FEWEST = 4  # the next one that is opened is the last; with fewer no program starts
ENOUGH = 24

LINES = [
    "list", "list -v", "list -o json", "list -v -o json", "list-subsys -o json",
    "list-subsys -v -o json", "zns list -o json", "show-topology -o json",
    "config --scan --dump -J none", "mptcp show-subflows -o json", "mptcp show-endpoints -o json",
    "mptcp check --role host --interval 0 -o json", "mptcp report --interval 0", "mptcp metrics",
]  # fmt: skip


@pytest.fixture(scope="module")
def netns() -> Iterator[str | None]:
    """A network namespace without links, where possible: other tests change nothing there."""
    if why_not():
        yield None
        return
    with Network(0) as net:
        yield net.host


@pytest.mark.parametrize("line", LINES)
def test_few_files(nvme: Nvme, host: FakeHost, netns: str | None, line: str) -> None:
    machine(host)
    words = line.split()
    complete = nvme.raw(*words, netns=netns)
    assert complete.out and complete.status != UNKNOWN
    failed = 0
    for number in range(FEWEST, ENOUGH):
        result = nvme.raw(*words, files=number, netns=netns)
        if (result.status, digits(result.out)) == (complete.status, digits(complete.out)):
            continue
        failed += 1
        assert result.status == (UNKNOWN if words[:2] == ["mptcp", "check"] else 1), result
        assert b"Too many open files" in result.out + result.err, result
    assert failed
