# SPDX-License-Identifier: GPL-2.0-or-later
"""Flexible data placement, where QEMU has it (8.0 and newer); its refusal where it has not."""

import pytest
from lab import Pci

pytestmark = pytest.mark.pci

PAGE = 4096
READING = ("configs {controller} -e 1", "usage {controller} -e 1", "stats {controller} -e 1",
           "events {controller} -e 1", "events {controller} -e 1 -E", "status {disk}",
           "feature {controller} -e 1")  # fmt: skip


@pytest.fixture
def controller(pci: Pci) -> str:
    """The controller that has endurance groups, if any has."""
    return pci.controller("placement")


@pytest.fixture
def disk(pci: Pci) -> str:
    """Its namespace."""
    return pci.namespace("placement")


def test_without_data_placement_everything_is_refused(pci: Pci, controller: str, disk: str) -> None:
    """The controller's own word on it: the bit of CTRATT."""
    refused = {
        line: pci.ours("fdp", *line.format(controller=controller, disk=disk).split()).status
        for line in (*READING, "update {disk} -p 0", "set-events {disk} -p 0 -e -t 0")
    }
    assert set(refused.values()) == {int(not pci.has_placement)}, refused


def test_configurations(pci: Pci, controller: str) -> None:
    if not pci.has_placement:
        assert "Invalid Field" in pci.host.nvme_fails(f"fdp configs {controller} -e 1")
        return
    (config,) = pci.host.nvme(f"fdp configs {controller} -e 1 -o json")["configs"]
    assert (config["rgs"] if "rgs" in config else config["nrg"], config["nruh"]) == (1, 4)
    assert config["runs"] == 1 << 20
