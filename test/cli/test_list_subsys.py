# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme list-subsys."""

import pytest


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
    assert nvme.ok("list-subsys").out == ""
    assert nvme("list-subsys", "-o", "json").out == "[]\n"


def test_golden(nvme, machine, golden, valid):
    """The rest is compared by test/oracle."""
    text = nvme("list-subsys", status=0)
    golden("list-subsys.txt", text.out)
    for more in ([], ["-v"], ["/dev/nvme0n1"], ["nvme0n1"], ["/dev/nvme7n1"]):
        valid("list-subsys", nvme("list-subsys", "-o", "json", *more).json)


@pytest.mark.parametrize("device", ["nvme0", "nvme0n1p1", "sda", "/dev/nvme0c0n1", "nvme0n1\033"])
def test_bad_device(nvme, machine, device):
    said = nvme.error("list-subsys", device)
    assert said == f"Invalid device name {device}\n".replace("\033", "\\x1b")


def test_hostile_attributes(nvme, host):
    subsystem = host.subsystem(0, "nqn.\033]0;x\007\u00ff")
    subsystem.controller(0, "tcp", "traddr=\033[2J", model="\x9b")
    result = nvme("list-subsys", "-v")
    assert "\033" not in result.out
    assert "NQN=nqn.\\x1b]0;x\\x07\\xc3\\xbf" in result.out
    document = nvme("list-subsys", "-o", "json").json
    assert document[0]["Subsystems"][0]["NQN"].startswith("nqn.\033]0;x\007\u00ff")
