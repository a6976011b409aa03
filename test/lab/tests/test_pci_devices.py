# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated devices are there, as the lab describes them, and nvmet's beside them."""

from typing import Any

import pytest
from lab import Lab, Pci, Target
from lab.pci import NQN
from nvmelab.pci import MIB, SUBSYSTEMS

pytestmark = pytest.mark.pci

FABRICS_NQN = "nqn.2024-01.lab:disk"


def paths(pci: Pci) -> dict[str, list[str]]:
    """The transports of each subsystem's controllers."""
    (entry,) = pci.host.nvme("list-subsys -o json")
    return {sub["NQN"]: [p["Transport"] for p in sub["Paths"]] for sub in entry["Subsystems"]}


LOCAL = {NQN.format(s.name): ["pcie"] * s.controllers for s in SUBSYSTEMS}


def test_subsystems_have_their_controllers(pci: Pci) -> None:
    assert paths(pci) == LOCAL


def test_namespaces_have_their_sizes(pci: Pci) -> None:
    listed: list[dict[str, Any]] = pci.host.nvme("list -o json")["Devices"]
    found = {
        d["DevicePath"]: (d["NameSpace"], d["PhysicalSize"], d["SerialNumber"]) for d in listed
    }
    wanted = {
        pci.namespace(subsystem.name, n.nsid): (n.nsid, n.size * MIB, subsystem.serial)
        for subsystem in SUBSYSTEMS
        for n in subsystem.namespaces
        if "detached" not in n.options
    }
    # metadata takes its part of the disk
    protected = pci.namespace("lab", 3)
    nsid, size, serial = wanted.pop(protected)
    assert found.pop(protected) == (nsid, size // (4096 + 8) * 4096, serial)
    assert found == wanted


def test_disconnect_all_leaves_local_controllers(pci: Pci, lab: Lab) -> None:
    lab.target.configure(Target.simple(FABRICS_NQN, trtype="tcp"))
    lab.host.connect(FABRICS_NQN, "tcp")
    lab.host.disk(FABRICS_NQN)
    assert paths(pci) == LOCAL | {FABRICS_NQN: ["tcp"]}
    lab.host.nvme("disconnect-all")
    assert paths(pci) == LOCAL
