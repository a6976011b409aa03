# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme list-subsys."""

import pytest
from fake_sysfs import HOSTNQN


@pytest.fixture
def machine(host):
    """A subsystem with two paths, one of another transport, a local drive, an empty subsystem."""
    one = host.subsystem(0, "nqn.2025-01.test:one", iopolicy="round-robin")
    one.controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2")
    one.controller(1, "tcp", "traddr=fe80::1%eth1,trsvcid=4420", state="connecting")
    one.namespace(1)
    host.subsystem(2, "nqn.2025-01.test:two").controller(2, "loop", None)
    host.subsystem(3, "nqn.2014.08.org.nvmexpress:drive").controller(3, "pcie", "0000:00:04.0")
    host.subsystem(4, "nqn.2025-01.test:empty")
    return host


def test_nothing(nvme):
    result = nvme("list-subsys")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert nvme("list-subsys", "-o", "json").out == "[]\n"


@pytest.mark.parametrize("verbose", [False, True])
def test_golden(nvme, machine, golden, valid, verbose):
    more = ["-v"] if verbose else []
    name = "list-subsys-v" if verbose else "list-subsys"
    text = nvme("list-subsys", *more)
    assert text.status == 0
    golden(f"{name}.txt", text.out)
    valid("list-subsys", nvme("list-subsys", "-o", "json", *more).json)


@pytest.mark.parametrize("device", ["/dev/nvme0n1", "nvme0n1"])
def test_namespace(nvme, machine, golden, valid, device):
    golden("list-subsys-ns.txt", nvme("list-subsys", device).out)
    valid("list-subsys", nvme("list-subsys", device, "-o", "json").json)


def test_unknown_namespace(nvme, machine):
    result = nvme("list-subsys", "/dev/nvme7n1")
    assert (result.status, result.out) == (0, "")


@pytest.mark.parametrize("device", ["nvme0", "nvme0n1p1", "sda", "/dev/nvme0c0n1", "nvme0n1\033"])
def test_bad_device(nvme, machine, device):
    result = nvme("list-subsys", device)
    assert result.status == 1
    assert result.err == f"Invalid device name {device}\n".replace("\033", "\\x1b")


def test_hostile_attributes(nvme, host):
    subsystem = host.subsystem(0, "nqn.\033]0;x\007\u00ff")
    subsystem.controller(0, "tcp", "traddr=\033[2J", model="\x9b")
    result = nvme("list-subsys", "-v")
    assert "\033" not in result.out
    assert "NQN=nqn.\\x1b]0;x\\x07\\xc3\\xbf" in result.out
    document = nvme("list-subsys", "-o", "json").json
    assert document[0]["Subsystems"][0]["NQN"].startswith("nqn.\033]0;x\007\u00ff")


def test_two_hosts(nvme, host):
    other = HOSTNQN.replace("1111", "2222")
    subsystem = host.subsystem(0, "nqn.2025-01.test:one")
    subsystem.controller(0)
    subsystem.controller(1, hostnqn=other, hostid="22222222-2222-3333-4444-555555555555")
    document = nvme("list-subsys", "-o", "json").json
    assert {entry["HostNQN"] for entry in document} == {HOSTNQN, other}
    assert nvme("list-subsys").out.count("nvme-subsys0 - NQN=") == 2
