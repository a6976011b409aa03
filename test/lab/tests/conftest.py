# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the lab's tests, which run in the guest, all in one process.

A test asks for ``lab`` and gets links that are up, an empty target and a host without
controllers. The links stand from test to test while they are the same and nobody changed them.
After every test the kernel log is judged, and what the test left behind is removed.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab import Lab, LabTimeout, Pci, Topology
from lab.system import KernelLog, mark
from nvmelab import klog
from nvmelab.waiting import PATIENCE

TEST_SECONDS = 60

_standing: list[Lab] = []


def _take_down() -> None:
    while _standing:
        _standing.pop().down()


def _lab_for(topology: Topology) -> Lab:
    """Returns a lab of that topology: the standing one if it is as it should be."""
    if _standing and _standing[0].topology == topology and not _standing[0].network.changed:
        return _standing[0]
    _take_down()
    _standing.append(Lab(topology).up())
    return _standing[0]


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A lab that is up, of the topology that the test is marked with."""
    marker = request.node.get_closest_marker("topology")
    value = _lab_for(marker.args[0] if marker else Topology.one_per_link())
    try:
        yield value
    finally:
        value.reset()


@pytest.fixture(scope="session")
def pci() -> Pci:
    """The emulated devices, of tests with that mark; these leave them as they found them."""
    return Pci()


@pytest.fixture
def _no_lab() -> None:
    """For tests that set labs up themselves: nothing stands."""
    _take_down()


@pytest.fixture(autouse=True)
def _judge_kernel_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Marks the kernel log for every test and fails the test if the kernel complained."""
    log = KernelLog()
    mark(f"begin {request.node.name}")
    try:
        yield
        lines = log.read()
    finally:
        log.close()
    findings = klog.findings(lines)
    if findings:
        pytest.fail("the kernel complained:\n" + "\n".join(map(str, findings)), pytrace=False)


@pytest.fixture(autouse=True)
def _in_memory(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a clock that counts instructions, the command and its libraries lie in memory.

    That clock leaps while the guest waits for the machine around it: to read the program from its
    disk may take 20 s of a test.
    """
    if not request.node.get_closest_marker("icount"):
        return
    shutil.copy(str(shutil.which("nvme")), tmp_path)
    for name in ("libnvme.so.1", "libnvme-mptcp.so.0"):
        shutil.copy(Path(os.environ["LD_LIBRARY_PATH"], name).resolve(), tmp_path / name)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))


_LOGS = pytest.StashKey[KernelLog]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Ends a test that takes too long, and keeps what the kernel said meanwhile."""
    marker = item.get_closest_marker("limit")
    seconds = PATIENCE * (marker.args[0] if marker else TEST_SECONDS)

    def expire(_number: int, _frame: Any) -> None:
        raise LabTimeout(f"the test took longer than {seconds} s")

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    item.stash[_LOGS] = KernelLog()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Shows with a failure what the kernel logged during the test."""
    outcome: Any = yield
    report = outcome.get_result()
    log = item.stash.get(_LOGS, None)
    if call.when == "call" and log:
        if report.failed:
            report.sections.append(("kernel log", "\n".join(log.read()) or "(nothing)"))
        log.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Lets several boots share the tests."""
    parser.addoption("--cable-seconds", type=float, default=60, help="how long cables are pulled")
    parser.addoption("--idle-hours", type=float, default=1, help="how long nothing happens")
    parser.addoption("--flap-hours", type=float, default=2, help="how long links flap")
    parser.addoption("--part", metavar="I/N", help="run the I-th of N parts of the tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests of the wanted part: neighbours, which often stand on the same links."""
    part = config.getoption("--part")
    if not part:
        return
    number, parts = map(int, part.split("/"))
    begin, end = (number - 1) * len(items) // parts, number * len(items) // parts
    config.hook.pytest_deselected(items=items[:begin] + items[end:])
    items[:] = items[begin:end]


def pytest_sessionfinish() -> None:
    _take_down()
