# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel whose nvme-tcp has no mptcp transport: what works works, the rest is explained."""

import pytest
from lab import Lab, Port, Subsystem, Target

NQN = "nqn.2024-01.lab:disk"

pytestmark = pytest.mark.stock


def test_the_kernel_has_no_mptcp_target(lab: Lab) -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        lab.target.configure(Target((Subsystem(NQN),), (Port(1, "mptcp"),)))


def test_the_kernel_has_no_mptcp_host(lab: Lab) -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        lab.host.connect(NQN, "mptcp")


def test_nvme_connects_over_tcp(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN, trtype="tcp"))
    said = lab.host.nvme(f"connect -t tcp -a 10.1.1.1 -s 4420 -n {NQN} -o json")
    assert said == {"device": "nvme0"}
    said = lab.host.nvme(f"disconnect -n {NQN}")
    assert said == f"NQN:{NQN} disconnected 1 controller(s)\n"


def test_nvme_says_that_the_transport_is_missing(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN, trtype="tcp"))
    said = lab.host.nvme_fails(f"connect -t mptcp -a 10.1.1.1 -s 4420 -n {NQN}")
    assert "this kernel has no mptcp transport (modprobe nvme-mptcp)" in said
    assert "Invalid argument" not in said
