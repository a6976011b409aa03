# SPDX-License-Identifier: GPL-2.0-or-later
"""The thin line: discover, connect, list and disconnect with the project's nvme."""

import time
from typing import Any

import pytest
from lab import Host, Lab, Subsystem, Target, Way, both_transports

NQN = "nqn.2024-01.lab:disk"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])
FAMILIES = pytest.mark.parametrize("family", ["ipv4", "ipv6"])

pytestmark = pytest.mark.every_kernel


def offered(family: str = "ipv4") -> Target:
    """A disk behind a tcp and an mptcp port."""
    return both_transports(Subsystem(NQN), adrfam=family)


def portal(transport: str, link: int = 1) -> str:
    return Way(transport, "ipv4").portal(link)


def paths(host: Host) -> list[dict[str, Any]]:
    """The disk's controllers, as `nvme list-subsys` tells them."""
    subsystems = [sub for entry in host.nvme("list-subsys -o json") for sub in entry["Subsystems"]]
    return [path for sub in subsystems if sub["NQN"] == NQN for path in sub["Paths"]]


@TRANSPORTS
def test_four_controllers(lab: Lab, transport: str) -> None:
    lab.target.configure(offered())
    for link in range(1, 5):
        lab.host.nvme(f"connect {portal(transport, link)} -n {NQN}")
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
    lab.target.configure(offered(family))
    address = Way(transport, family).traddr()
    said = lab.host.nvme_fails(f"connect -t {transport} -a {address} -s 4999 -n {NQN}")
    assert "refused" in said
    assert address in said
    assert "4999" in said
    assert lab.host.controllers() == []


@TRANSPORTS
def test_unreachable_address(lab: Lab, transport: str) -> None:
    lab.target.configure(offered())
    began = time.monotonic()
    said = lab.host.nvme_fails(f"connect -t {transport} -a 10.1.1.77 -s 4420 -n {NQN}")
    assert "10.1.1.77" in said
    assert time.monotonic() - began < 20
    assert lab.host.controllers() == []


@TRANSPORTS
@pytest.mark.limit(120)
def test_silent_address(lab: Lab, transport: str) -> None:
    """A firewall that drops makes the kernel wait, but not for minutes."""
    lab.target.configure(offered())
    lab.network.drop("target", "tcp dport 4420-4421")
    began = time.monotonic()
    said = lab.host.nvme_fails(f"connect {portal(transport)} -n {NQN}", timeout=110)
    assert "10.1.1.1" in said
    assert "timed out" in said.lower(), said
    assert time.monotonic() - began < 60


@TRANSPORTS
@pytest.mark.limit(120)
def test_disconnect_while_the_target_is_gone(lab: Lab, transport: str) -> None:
    lab.target.configure(offered())
    lab.host.nvme(f"connect {portal(transport)} -n {NQN} --reconnect-delay 1 -k 3")
    (controller,) = lab.host.controllers()
    lab.host.disk(NQN)
    lab.target.remove_port(1 if transport == "tcp" else 2)
    controller.wait_for("connecting", timeout=30)
    said = lab.host.nvme(f"disconnect -n {NQN}")
    assert said == f"NQN:{NQN} disconnected 1 controller(s)\n"
    assert lab.host.controllers() == []
