# SPDX-License-Identifier: GPL-2.0-or-later
"""Features, firmware, self-tests, sanitizing and logs of a real controller."""

import re
from pathlib import Path

import pytest
from alike import require_alike
from lab import Pci

pytestmark = pytest.mark.pci

NO_OPCODE = "NVMe status: Invalid Command Opcode(0x4001)\n"
INVALID_FIELD = "NVMe status: Invalid Field in Command(0x4002)\n"


@pytest.fixture
def controller(pci: Pci) -> str:
    """A controller whose namespaces are those of another, too."""
    return pci.controller("lab")


def value(pci: Pci, controller: str, fid: int) -> int:
    """A feature's value."""
    said = pci.host.nvme(f"get-feature {controller} -f {fid}")
    return int(said.rpartition(":")[2], 0)


def test_a_feature_that_can_be_set(pci: Pci, controller: str) -> None:
    """The temperature threshold, and back; the other controller has its own."""
    before = value(pci, controller, 4)
    said = pci.host.nvme(f"set-feature {controller} -f 4 -V 0x150")
    assert said.startswith("set-feature:0x04 (Temperature Threshold), value:0x00000150")
    try:
        assert value(pci, controller, 4) == 0x150
        assert value(pci, pci.controller("lab", 1), 4) == before
        require_alike(pci, "get-feature", controller, "-f", "4", "-H")
    finally:
        pci.host.nvme(f"set-feature {controller} -f 4 -V {before}")
    assert value(pci, controller, 4) == before


def test_the_write_cache(pci: Pci, controller: str) -> None:
    """Turned off, it is off in words as well."""
    pci.host.nvme(f"set-feature {controller} -f 6 -V 0")
    try:
        said = pci.host.nvme(f"get-feature {controller} -f 6 -H")
        assert "Volatile Write Cache Enable (WCE): Disabled" in said
    finally:
        pci.host.nvme(f"set-feature {controller} -f 6 -V 1")
    assert value(pci, controller, 6) == 1


def test_features_that_cannot_be_set(pci: Pci, controller: str) -> None:
    said = pci.host.nvme_fails(f"set-feature {controller} -f 0x0a -V 1 -s")
    assert said == "NVMe status: Feature Identifier Not Saveable(0x410d)\n"
    said = pci.host.nvme_fails(f"set-feature {controller} -f 0x7b -V 1")
    assert said == INVALID_FIELD
    # the kernel's own refusal, to everybody
    said = pci.host.nvme_fails(f"set-feature {controller} -f 7 -V 0x10001")
    assert said == "set-feature: Permission denied (the kernel refuses this even to root here)\n"


def test_firmware(pci: Pci, controller: str, tmp_path: Path) -> None:
    """There is one slot, and nothing to load into it."""
    log = pci.host.nvme(f"fw-log {controller} -o json")
    ((_, slots),) = log.items()
    assert slots["Active Firmware Slot (afi)"] == 1
    image = tmp_path / "image"
    image.write_bytes(bytes(4096))
    said = pci.host.nvme_fails(f"fw-download {controller} -f {image}")
    assert said.splitlines()[-1] + "\n" == NO_OPCODE
    assert pci.host.nvme_fails(f"fw-commit {controller} -s 1 -a 1") == NO_OPCODE


@pytest.mark.parametrize(
    "line",
    ["device-self-test {} -n 1 -s 1", "device-self-test {} -s 0xf", "sanitize {} -a 2",
     "security-recv {} -x 8 -t 8 -p 0", "lockdown {} -f 1 -s 0"],
)  # fmt: skip
def test_what_the_controller_has_not_is_refused(pci: Pci, controller: str, line: str) -> None:
    assert pci.host.nvme_fails(line.format(controller)) == NO_OPCODE
    words = line.format(controller).split()
    assert pci.original(*words).status == 1


def test_the_smart_log_counts(pci: Pci) -> None:
    """Every read and write of the zoned controller, which nobody else uses."""
    disk, controller = pci.namespace("zoned"), pci.controller("zoned")

    def reads() -> int:
        found = re.search(
            r"host_read_commands\s*: ([\d,.]+)", pci.host.nvme(f"smart-log {controller}")
        )
        assert found
        return int(found[1].replace(",", ""))

    before = reads()
    for _ in range(3):
        pci.host.read(Path(disk), 4096)
    assert reads() == before + 3


def test_the_error_log_is_empty(pci: Pci, controller: str) -> None:
    """QEMU counts no errors; the entry that it has is of none."""
    log = pci.host.nvme(f"error-log {controller} -o json")
    assert [entry["error_count"] for entry in log["errors"]] == [0]


def test_registers_are_the_drivers_alone(pci: Pci, controller: str) -> None:
    """Debian's kernel maps no registers for programs; without them command sets must be named."""
    for command in ("show-regs", "effects-log"):
        said = pci.host.nvme_fails(f"{command} {controller}")
        assert said.startswith(f"Failed to map /sys/class/nvme/{controller[5:]}/device/resource0: ")
        assert "iomem=relaxed" in said
    effects = pci.host.nvme(f"effects-log {controller} -c 0")
    assert re.search(r"^ACS128 +\[Format NVM *\]", effects, re.MULTILINE)
