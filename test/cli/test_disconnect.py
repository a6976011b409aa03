# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme disconnect and disconnect-all."""

import errno

import pytest

ONE, TWO = "nqn.2025-01.test:one", "nqn.2025-01.test:two"


@pytest.fixture
def connected(host):
    """Two subsystems over fabrics, nvme0 and nvme1 in the first, and a local drive."""
    one = host.subsystem(0, ONE)
    one.controller(0, "tcp")
    one.controller(1, "mptcp", "traddr=10.1.2.1,trsvcid=4420")
    host.subsystem(2, TWO).controller(2, "rdma", "traddr=10.1.3.1,trsvcid=4420")
    host.subsystem(3, "nqn.local").controller(3, "pcie", "0000:00:04.0")
    return host


def test_by_nqn(nvme, connected):
    result = nvme("disconnect", "-n", ONE)
    assert (result.status, result.err) == (0, "")
    assert result.out == f"NQN:{ONE} disconnected 2 controller(s)\n"
    assert sorted(connected.deleted) == ["nvme0", "nvme1"]


def test_several_nqns(nvme, connected):
    result = nvme("disconnect", "--nqn", f"{ONE},{TWO}")
    assert result.status == 0
    assert result.out == f"NQN:{ONE},{TWO} disconnected 3 controller(s)\n"


def test_unknown_nqn(nvme, connected):
    result = nvme("disconnect", "-n", "nqn.none")
    assert (result.status, result.out) == (0, "NQN:nqn.none disconnected 0 controller(s)\n")
    assert connected.deleted == []


@pytest.mark.parametrize("device", ["nvme1", "/dev/nvme1"])
def test_by_device(nvme, connected, device):
    result = nvme("disconnect", "-d", device)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert connected.deleted == ["nvme1"]


def test_missing_device(nvme, connected):
    result = nvme("disconnect", "-d", "nvme9,nvme0")
    assert result.status == 1
    assert result.err == "Did not find device nvme9\n"
    assert connected.deleted == ["nvme0"], "one missing device does not save the others"


def test_kernel_refuses(nvme, connected):
    (connected.fake / "delete-errno").write_text(str(errno.EBUSY))
    result = nvme("disconnect", "-d", "nvme0")
    assert result.status == 1
    assert "Failed to disconnect nvme0: Device or resource busy" in result.err
    result = nvme("disconnect", "-n", ONE)
    assert result.status == 1
    assert result.out == f"NQN:{ONE} disconnected 0 controller(s)\n"


def test_arguments(nvme, connected):
    result = nvme("disconnect")
    assert result.status == 1
    assert "Neither device name [--device | -d] nor NQN [--nqn | -n] provided" in result.err
    result = nvme("disconnect", "-n", ONE, "-d", "nvme0")
    assert result.status == 1
    assert "Both device name [--device | -d] and NQN [--nqn | -n] are specified" in result.err
    assert connected.written == []


def test_all(nvme, connected):
    result = nvme("disconnect-all")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert sorted(connected.deleted) == ["nvme0", "nvme1", "nvme2"]


def test_all_of_one_transport(nvme, connected):
    assert nvme("disconnect-all", "-r", "mptcp").status == 0
    assert connected.deleted == ["nvme1"]


def test_all_fails(nvme, connected):
    (connected.fake / "delete-errno").write_text(str(errno.EPERM))
    result = nvme("disconnect-all")
    assert result.status == 1
    assert "failed to disconnect nvme0" in result.err
    assert len(connected.deleted) == 3, "a failure does not end the work"
