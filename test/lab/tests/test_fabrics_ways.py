# SPDX-License-Identifier: GPL-2.0-or-later
"""Every fabrics command over every way: tcp, mptcp and loop; IPv4, IPv6 and v4-mapped."""

from pathlib import Path
from typing import Any

import pytest
from lab import WAYS, Host, Lab, Subsystem, Way, wait_until

ONE, TWO = "nqn.2024-01.lab:one", "nqn.2024-01.lab:two"
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"
#: Without disks, where none is needed: they take time to come and go.
BOTH = (Subsystem(ONE, namespaces=()), Subsystem(TWO, namespaces=()))

pytestmark = pytest.mark.parametrize("way", WAYS, ids=str)


def listed(host: Host) -> list[dict[str, Any]]:
    """The controllers that `nvme list-subsys` shows, each with the NQN of its subsystem."""
    return [
        {"NQN": subsystem["NQN"], **path}
        for entry in host.nvme("list-subsys -o json")
        for subsystem in entry["Subsystems"]
        for path in subsystem["Paths"]
    ]


def leads(way: Way, transport: str, address: str) -> bool:
    """Tells whether a controller of this transport and address is connected over a way."""
    begin = f"traddr={way.traddr()},trsvcid={way.trsvcid}" if way.family else ""
    return transport == way.transport and address.startswith(begin)


def connected(host: Host, way: Way) -> list[str]:
    """The NQNs of all controllers there are, which must be connected over a way."""
    for controller in host.controllers():
        assert leads(way, controller.attribute("transport"), controller.attribute("address"))
    return sorted(controller.attribute("subsysnqn") for controller in host.controllers())


def test_discover(lab: Lab, way: Way, tmp_path: Path) -> None:
    lab.target.configure(way.target(*BOTH))
    log = lab.host.nvme(f"discover {way.portal()} -o json")
    entries = [entry for entry in log["records"] if entry["subtype"] == "nvme subsystem"]
    assert {entry["subnqn"] for entry in entries} == {ONE, TWO}
    assert {entry["trtype"] for entry in entries} == {way.transport}
    if way.family:
        where = {(entry["adrfam"], entry["traddr"], entry["trsvcid"]) for entry in entries}
        assert where == {(way.adrfam, way.traddr(), way.trsvcid)}
    raw = tmp_path / "log"
    said = lab.host.nvme(f"discover {way.portal()} -r {raw}")
    assert said == f"Discovery log is saved to {raw}\n"
    assert raw.stat().st_size == 1024 * (1 + len(log["records"]))
    assert lab.host.controllers() == []


def test_persistent_discovery(lab: Lab, way: Way) -> None:
    lab.target.configure(way.target(*BOTH))
    text = lab.host.nvme(f"discover {way.portal()} --persistent")
    assert f"trtype:  {way.transport}\n" in text
    assert ("sectype: none\n" in text) == bool(way.family)
    (controller,) = lab.host.controllers()
    assert controller.attribute("cntrltype") == "discovery"
    assert controller.attribute("kato") == "30"
    # The kernel's target takes no registrations, and says so before a command is sent.
    said = lab.host.nvme_fails(f"dim -d {controller.name} -t register")
    assert said.startswith(f"{controller.name} DIM register command error")

    assert lab.host.nvme(f"connect-all -d {controller.name}") == ""
    assert connected(lab.host, way) == [DISCOVERY, ONE, TWO]
    said = lab.host.nvme(f"disconnect -n {DISCOVERY}")
    assert said == f"NQN:{DISCOVERY} disconnected 1 controller(s)\n"
    assert lab.host.nvme(f"disconnect-all -r {way.transport}") == ""
    assert lab.host.controllers() == []


def test_connect(lab: Lab, way: Way) -> None:
    lab.target.configure(way.target(Subsystem(ONE)))
    said = lab.host.nvme(f"connect {way.portal()} -n {ONE}")
    assert said == "connecting to device: nvme0\n"
    lab.host.verify(lab.host.disk(ONE), 256 << 10)

    said = lab.host.nvme_fails(f"connect {way.portal()} -n {ONE}")
    assert "already connected" in said
    assert len(lab.host.controllers()) == 1
    said = lab.host.nvme(f"connect {way.portal()} -n {ONE} --duplicate-connect -i 1 -o json")
    assert said == {"device": "nvme1"}
    paths = listed(lab.host)
    assert [(path["Name"], path["NQN"], path["State"]) for path in paths] == [
        ("nvme0", ONE, "live"),
        ("nvme1", ONE, "live"),
    ]
    assert all(leads(way, path["Transport"], path["Address"]) for path in paths), paths
    assert lab.host.nvme("disconnect -d nvme0") == ""
    assert lab.host.nvme(f"disconnect -n {ONE}") == f"NQN:{ONE} disconnected 1 controller(s)\n"
    assert lab.host.controllers() == []


def test_connect_all(lab: Lab, way: Way) -> None:
    lab.target.configure(way.target(*BOTH))
    said = lab.host.nvme(f"connect-all {way.portal()} -v")
    lines = [line for line in said.splitlines() if line.endswith(": connected")]
    assert len(lines) == 2 and all(f" {way.transport} " in line for line in lines), said
    assert connected(lab.host, way) == [ONE, TWO]
    # What is there is left alone.
    before = lab.host.controllers()
    assert lab.host.nvme(f"connect-all {way.portal()}") == ""
    assert lab.host.controllers() == before
    assert lab.host.nvme("disconnect-all") == ""
    wait_until(lambda: lab.host.controllers() == [], "all controllers gone", 1)


def test_configuration(lab: Lab, way: Way, tmp_path: Path) -> None:
    lab.target.configure(way.target(*BOTH))
    path = tmp_path / "config.json"
    lab.host.nvme(f"config -J {path} -M {way.portal()} -n {ONE} -i 1 -U")
    assert lab.host.nvme(f"connect -J {path}") == ""
    assert connected(lab.host, way) == [ONE]
    # one I/O queue beside the admin queue
    assert lab.host.controllers()[0].attribute("queue_count") == "2"
    scanned = lab.host.nvme("config -J none --scan --dump")
    assert f'"transport":"{way.transport}"' in scanned.replace(" ", "")
    assert lab.host.nvme(f"disconnect -n {ONE},{TWO}").endswith("disconnected 1 controller(s)\n")
