# SPDX-License-Identifier: GPL-2.0-or-later
"""The thin line: discover, connect, list and disconnect with the project's nvme."""

import time
from typing import Any

import pytest
from lab import Host, Lab, Port, Subsystem, Target

NQN = "nqn.2024-01.lab:disk"
PORT = {"tcp": 4420, "mptcp": 4421}
ADDRESS = {"ipv4": "10.1.{}.1", "ipv6": "fd00:1:{}::1"}

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])
FAMILIES = pytest.mark.parametrize("family", ["ipv4", "ipv6"])

pytestmark = pytest.mark.every_kernel


def both_transports(family: str = "ipv4", *nqns: str) -> Target:
    """A tcp and an mptcp port that offer the same subsystems."""
    return Target(
        subsystems=tuple(Subsystem(nqn) for nqn in nqns or (NQN,)),
        ports=(
            Port(1, "tcp", family, trsvcid=PORT["tcp"]),
            Port(2, "mptcp", family, trsvcid=PORT["mptcp"]),
        ),
    )


def portal(transport: str, family: str = "ipv4", link: int = 1) -> str:
    """The options that lead to the target over a link."""
    return f"-t {transport} -a {ADDRESS[family].format(link)} -s {PORT[transport]}"


def subsystems(listing: Any) -> list[dict[str, Any]]:
    """The subsystems of all hosts in the output of `nvme list-subsys -o json`."""
    return [subsystem for host in listing for subsystem in host["Subsystems"]]


def paths(host: Host, nqn: str = NQN) -> list[dict[str, Any]]:
    """The controllers of a subsystem, as `nvme list-subsys` tells them."""
    found = subsystems(host.nvme("list-subsys -o json"))
    return [path for sub in found if sub["NQN"] == nqn for path in sub["Paths"]]


@TRANSPORTS
def test_four_controllers(lab: Lab, transport: str) -> None:
    lab.target.configure(both_transports())
    for link in range(1, 5):
        lab.host.nvme(f"connect {portal(transport, link=link)} -n {NQN}")
    found = paths(lab.host)
    assert [path["Name"] for path in found] == ["nvme0", "nvme1", "nvme2", "nvme3"]
    addresses = [path["Address"].split(",")[0] for path in found]
    assert addresses == [f"traddr=10.1.{link}.1" for link in range(1, 5)]
    assert {path["State"] for path in found} == {"live"}

    assert lab.host.nvme("disconnect -d nvme2") == ""
    assert [path["Name"] for path in paths(lab.host)] == ["nvme0", "nvme1", "nvme3"]
    said = lab.host.nvme(f"disconnect -n {NQN}")
    assert said == f"NQN:{NQN} disconnected 3 controller(s)\n"


@TRANSPORTS
@FAMILIES
def test_refused_port(lab: Lab, transport: str, family: str) -> None:
    lab.target.configure(both_transports(family))
    address = ADDRESS[family].format(1)
    said = lab.host.nvme_fails(f"connect -t {transport} -a {address} -s 4999 -n {NQN}")
    assert "refused" in said
    assert address in said
    assert "4999" in said
    assert lab.host.controllers() == []


@TRANSPORTS
def test_unreachable_address(lab: Lab, transport: str) -> None:
    lab.target.configure(both_transports())
    began = time.monotonic()
    said = lab.host.nvme_fails(f"connect -t {transport} -a 10.1.1.77 -s 4420 -n {NQN}")
    assert "10.1.1.77" in said
    assert time.monotonic() - began < 20
    assert lab.host.controllers() == []


@TRANSPORTS
@pytest.mark.limit(120)
def test_silent_address(lab: Lab, transport: str) -> None:
    """A firewall that drops makes the kernel wait, but not for minutes."""
    lab.target.configure(both_transports())
    lab.network.drop("target", "tcp dport 4420-4421")
    began = time.monotonic()
    said = lab.host.nvme_fails(f"connect {portal(transport)} -n {NQN}", timeout=110)
    assert "10.1.1.1" in said
    assert "timed out" in said.lower(), said
    assert time.monotonic() - began < 60


@TRANSPORTS
@pytest.mark.limit(120)
def test_disconnect_while_the_target_is_gone(lab: Lab, transport: str) -> None:
    lab.target.configure(both_transports())
    lab.host.nvme(f"connect {portal(transport)} -n {NQN} --reconnect-delay 1 -k 3")
    (controller,) = lab.host.controllers()
    lab.host.disk(NQN)
    lab.target.remove_port(1 if transport == "tcp" else 2)
    controller.wait_for("connecting", timeout=30)
    said = lab.host.nvme(f"disconnect -n {NQN}")
    assert said == f"NQN:{NQN} disconnected 1 controller(s)\n"
    assert lab.host.controllers() == []
