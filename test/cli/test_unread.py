# SPDX-License-Identifier: LGPL-2.1-or-later
"""What cannot be read below /sys is an error or unknown, neither 0 nor absent."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from open_metrics import Family, parse

if TYPE_CHECKING:
    from conftest import Nvme
    from fake_sysfs import FakeHost


@pytest.fixture
def machine(host: FakeHost) -> FakeHost:
    """A controller with a namespace."""
    subsystem = host.subsystem(0, "nqn.2025-01.test:one")
    subsystem.controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2")
    subsystem.namespace(1)
    return host


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("list", "size"),
        ("list", "nsid"),
        ("list -v -o json", "model"),
        ("list-subsys", "transport"),
        ("list-subsys", "state"),
        ("list-subsys -o json", "subsysnqn"),
        ("show-topology", "ana_state"),
        ("mptcp show-subflows", "queue_count"),
        ("mptcp repair --dry-run", "transport"),
        ("mptcp metrics", "state"),
        ("mptcp check --interval 0", "transport"),
    ],
)
def test_an_attribute_that_cannot_be_read(
    nvme: Nvme, machine: FakeHost, line: str, attribute: str, number: int
) -> None:
    assert os.strerror(number) not in nvme(*line.split()).err
    (machine.fake / "unreadable").write_text(f"{attribute} {number}\n")
    done = nvme(*line.split())
    assert done.status in (1, 3)
    assert os.strerror(number) in done.err + done.out


@pytest.fixture
def without_sysfs(host: FakeHost) -> FakeHost:
    """A place where /sys is not mounted."""
    shutil.rmtree(host.sys)
    return host


@pytest.mark.parametrize(
    "line",
    [
        "mptcp repair",
        "mptcp repair --dry-run -o json",
        "mptcp keep --once --dry-run --auto -J none",
        "mptcp show-subflows",
        "mptcp check --interval 0",
    ],
)
def test_without_sysfs(nvme: Nvme, without_sysfs: FakeHost, line: str) -> None:
    """That nothing is missing does not follow from what nobody could look at."""
    done = nvme(*line.split(), status=3)
    assert "class/nvme: No such file or directory (is /sys mounted?)" in done.err + done.out


def test_metrics_without_sysfs(nvme: Nvme, without_sysfs: FakeHost) -> None:
    families = parse(nvme("mptcp", "metrics").out)
    assert families["nvme_mptcp_part_complete"].samples[("part", "controllers"),] == 0
    for name in ("controllers", "connections", "connections_fallback", "subflows_missing"):
        assert not families.get(f"nvme_mptcp_{name}", Family(name)).samples, name
    assert all(families.get("nvme_mptcp_findings", Family("")).samples.values())


def test_no_modules_are_no_controllers(nvme: Nvme, without_sysfs: FakeHost) -> None:
    """With a /sys, a class that is not there has no controllers."""
    (without_sysfs.sys / "class").mkdir(parents=True)
    assert nvme("mptcp", "repair").status == 0
    families = parse(nvme("mptcp", "metrics").out)
    assert families["nvme_mptcp_controllers"].samples == {(): 0}
