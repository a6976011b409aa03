# SPDX-License-Identifier: GPL-2.0-or-later
"""Namespaces come and go with attach-ns and detach-ns; what QEMU cannot make is refused."""

import contextlib
from pathlib import Path

import pytest
from lab import Pci, wait_until
from lab.pci import NQN

pytestmark = pytest.mark.pci

NO_OPCODE = "NVMe status: Invalid Command Opcode(0x4001)\n"


def nodes(pci: Pci) -> set[int]:
    """The namespaces of the subsystem that the kernel has block devices of.

    One that goes away between the two looks is gone.
    """
    (subsystem,) = (
        path
        for path in Path("/sys/class/nvme-subsystem").iterdir()
        if (path / "subsysnqn").read_text().strip() == NQN.format("lab")
    )
    found = set()
    for head in subsystem.glob("nvme*n*"):
        with contextlib.suppress(OSError):
            found.add(int((head / "nsid").read_text()))
    return found


def test_attach_and_detach(pci: Pci) -> None:
    """To one controller of two, to both, and away again: list-ctrl and the kernel agree."""
    controller = pci.controller("lab")
    assert nodes(pci) == {1, 3}
    assert pci.host.nvme(f"list-ctrl {controller} -n 2") == "num of ctrls present: 0\n"
    said = pci.host.nvme(f"attach-ns {controller} -n 2 -c 1")
    assert said == "attach-ns: success\nnsid: 2\n"
    pci.host.disk(NQN.format("lab"), 2)
    listed = pci.host.nvme(f"list-ctrl {controller} -n 2")
    assert listed == "num of ctrls present: 1\n[   0]:0x1\n"
    pci.host.nvme(f"attach-ns {controller} -n 2 -c 0")
    said = pci.host.nvme_fails(f"attach-ns {controller} -n 2 -c 0,1")
    assert said == "NVMe status: Namespace Already Attached(0x4118)\n"
    said = pci.host.nvme(f"detach-ns {controller} -n 2 -c 0,1")
    assert said == "detach-ns: success\nnsid: 2\n"
    wait_until(lambda: nodes(pci) == {1, 3}, "namespace 2 gone")
    said = pci.host.nvme_fails(f"detach-ns {controller} -n 2 -c 0")
    assert said == "NVMe status: Namespace Not Attached(0x411a)\n"


def test_the_controller_of_the_device_is_meant(pci: Pci) -> None:
    second = pci.controller("lab", 1)
    pci.host.nvme(f"attach-ns {second} -n 2")
    try:
        assert "]:0x1\n" in pci.host.nvme(f"list-ctrl {second} -n 2")
        assert "changed" not in pci.host.nvme(f"list-ns {second} -a")
    finally:
        pci.host.nvme(f"detach-ns {second} -n 2")
    wait_until(lambda: nodes(pci) == {1, 3}, "namespace 2 gone")


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("attach-ns {} -n 2 -c 7", "NVMe status: Controller List Invalid(0x411c)\n"),
        ("attach-ns {} -n 99 -c 0", "NVMe status: Invalid Field in Command(0x4002)\n"),
        ("create-ns {} -s 100 -c 100 -f 0", NO_OPCODE),
        ("delete-ns {} -n 2", NO_OPCODE),
    ],
)
def test_refusals(pci: Pci, line: str, refusal: str) -> None:
    assert pci.host.nvme_fails(line.format(pci.controller("lab"))) == refusal


def test_a_reset_keeps_the_namespaces(pci: Pci) -> None:
    assert pci.host.nvme(f"reset {pci.controller('lab')}") == ""
    assert pci.host.nvme(f"ns-rescan {pci.controller('lab')}") == ""
    pci.wait()
    assert nodes(pci) == {1, 3}
    said = pci.host.nvme_fails(f"subsystem-reset {pci.controller('lab')}")
    assert said == "Subsystem-reset: NVM Subsystem Reset not supported.\n"
