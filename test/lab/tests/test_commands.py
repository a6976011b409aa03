# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme's fabrics, listing and device commands on a real kernel, over tcp, mptcp and loop."""

import pytest
from lab import Host, Lab, Namespace, Subsystem, Way, both_transports

ONE, TWO = "nqn.2024-01.lab:one", "nqn.2024-01.lab:two"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])


@pytest.fixture
def host(lab: Lab) -> Host:
    """Two subsystems, the first with two namespaces, on a port of each transport."""
    lab.target.configure(
        both_transports(
            Subsystem(ONE, (Namespace(1), Namespace(2)), serial="LAB0001", model="Lab disk"),
            Subsystem(TWO),
        )
    )
    return lab.host


def portal(transport: str, link: int = 1) -> str:
    return Way(transport, "ipv4").portal(link)


@TRANSPORTS
def test_persistent_discovery_is_reused(host: Host, transport: str) -> None:
    host.nvme(f"discover {portal(transport)} --persistent")
    (controller,) = host.controllers()
    assert controller.attribute("cntrltype") == "discovery"
    host.nvme(f"discover {portal(transport)}")
    assert host.controllers() == [controller]
    text = host.nvme(f"discover -d {controller.name}")
    assert f"subnqn:  {ONE}" in text
    assert host.controllers() == [controller]
    assert host.nvme("disconnect-all") == ""
    assert host.controllers() == []


@TRANSPORTS
def test_device_commands(host: Host, transport: str) -> None:
    host.nvme(f"connect {portal(transport)} -n {ONE}")
    disk = host.disk(ONE, 1)
    host.disk(ONE, 2)
    identity = host.nvme("id-ctrl /dev/nvme0 -o json")
    assert (identity["subnqn"], identity["sn"].strip()) == (ONE, "LAB0001")
    assert f"subnqn    : {ONE}\n" in host.nvme(f"id-ctrl {disk}")
    assert host.nvme(f"id-ns {disk} -o json")["nsze"] * 512 in (64 << 20, 8 * (64 << 20))
    assert host.nvme("list-ns /dev/nvme0 -o json") == {"nsid_list": [{"nsid": 1}, {"nsid": 2}]}
    assert host.nvme(f"get-ns-id {disk}").endswith("namespace-id:1\n")
    assert host.nvme(f"ns-descs {disk} -o json")["ns-descs"]
    assert "critical_warning" in host.nvme("smart-log /dev/nvme0")
    assert host.nvme("ana-log /dev/nvme0 -o json")["ngrps"] >= 1
    assert "Number of Queues" in host.nvme("get-feature /dev/nvme0 -f 7 -H")
    assert host.nvme("set-feature /dev/nvme0 -f 0x0f -V 30000").startswith("set-feature:0x0f")
    version = host.nvme("get-property /dev/nvme0 -O 8 -o json")
    assert int(version["value"], 16) >> 16 >= 1
    registers = host.nvme("show-regs /dev/nvme0 -o json")
    assert registers["csts"] & 1 == 1
    assert host.nvme(f"flush {disk}") == "NVMe Flush: success\n"
    assert "non-zero" in host.nvme_fails("get-log /dev/nvme0 -i 2")
    assert host.nvme("get-log /dev/nvme0 -i 2 -l 512").startswith("Device:nvme0 log-id:2")
    raw = host.command("nvme admin-passthru /dev/nvme0 -O 6 --cdw10=1 -l 4096 -r -s")
    assert raw.stderr == "Admin Command Identify is Success and result: 0x00000000\n"


def test_reset(host: Host) -> None:
    host.nvme(f"connect {portal('mptcp')} -n {ONE}")
    (controller,) = host.controllers()
    host.disk(ONE, 2)
    host.nvme("reset /dev/nvme0")
    controller.wait_for("live")
    host.nvme("ns-rescan /dev/nvme0")
    assert host.disk(ONE, 2)


@TRANSPORTS
def test_iopolicy_and_traffic_class(lab: Lab, host: Host, transport: str) -> None:
    said = host.nvme(f"connect {portal(transport)} -n {ONE} --tos=0x10 --iopolicy round-robin")
    assert said == "connecting to device: nvme0\n"
    assert "iopolicy=round-robin" in host.nvme("list-subsys")
    refused = host.nvme_fails(f"connect {portal(transport, 2)} -n {ONE} --iopolicy bogus")
    assert refused == "nvme1 is connected, but the kernel has no I/O policy 'bogus'\n"
