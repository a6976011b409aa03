# SPDX-License-Identifier: GPL-2.0-or-later
"""A configuration's mptcp object, and what a terminal is told when links are missing."""

import contextlib
import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab import Endpoint, Lab, Limits, Subsystem, Target, Topology, both_transports, wait_until
from lab.host import HOST_ID, HOST_NQN

NQN = "nqn.2024-01.lab:disk"
LINKS = ["h1", "h2", "h3", "h4"]
CONFIG = Path("/tmp/config.json")
RECORDS = Path("/run/nvme/mptcp")

#: Links and addresses, and what the path manager has after boot: no endpoints, limits 2 and 0.
BARE = Topology(limits={"host": Limits(2, 0), "target": Limits()})

#: Each connection starts a subflow on three more links.
JOINING = Topology(
    endpoints={"host": tuple(Endpoint(i, ("subflow",), dev=True) for i in (2, 3, 4))}
)


def write(mptcp: Any, discovery: bool = False) -> None:
    """A configuration of one controller, perhaps of one for discovery beside it."""
    address = {"transport": "mptcp", "traddr": "10.1.1.1"}
    host = {"hostnqn": HOST_NQN, "hostid": HOST_ID, "mptcp": mptcp}
    subsystems: list[Any] = [{"nqn": NQN, "ports": [{**address, "nr_io_queues": 1}]}]
    if discovery:
        stays = {**address, "trsvcid": "4420", "discovery": True, "persistent": True}
        subsystems.append({"nqn": "nqn.2014-08.org.nvmexpress.discovery", "ports": [stays]})
    CONFIG.write_text(json.dumps([{**host, "subsystems": subsystems}]))


@pytest.mark.topology(BARE)
def test_configuration_is_applied(lab: Lab) -> None:
    lab.network.changed = True
    lab.target.configure(Target.simple(NQN))
    endpoints = [
        {"address": f"10.1.{i}.2", "dev": f"h{i}", "flags": ["subflow"]} for i in (2, 3, 4)
    ]
    write({"limits": {"subflows": 4}, "endpoints": endpoints})

    # A target that refuses: the path manager is set up, and stays so.
    said = lab.host.nvme_fails(["connect", "-J", str(CONFIG), "-S", "DHHC-1:00:x,y:"])
    assert "dhchap-secret" in said
    assert lab.host.nvme("mptcp show-endpoints -o json")["endpoints"] == []

    said = lab.host.nvme(["connect", "-J", str(CONFIG), "-v"])
    assert [line.partition(" (")[0] for line in said.splitlines()] == [
        "ip mptcp limits set subflows 4",
        *(f"ip mptcp endpoint add 10.1.{i}.2 dev h{i} subflow" for i in (2, 3, 4)),
    ]
    wait_until(lambda: lab.host.carried() == [LINKS] * 2, "one subflow on each link", 20)
    assert NQN in (RECORDS / "nvme0").read_text(), "connect --config records what it made"

    # The second time nothing is left to do, neither for endpoints nor for controllers.
    assert lab.host.nvme(["connect", "-J", str(CONFIG), "-v"]) == ""
    assert lab.host.carried() == [LINKS] * 2


@pytest.mark.topology(BARE)
def test_connect_all_of_a_configuration(lab: Lab) -> None:
    lab.network.changed = True
    lab.target.configure(Target.simple(NQN))
    write({"endpoints": [{"address": "10.1.2.2", "dev": "h2"}]}, discovery=True)
    made = lab.host.nvme(["connect-all", "-J", str(CONFIG), "-o", "json"])
    assert [(entry["subnqn"], entry["result"]) for entry in made] == [
        (NQN, "connected"),
        (NQN, "already connected"),
    ]
    # One more look makes no second controller, and the discovery controller stays.
    names = [c.name for c in lab.host.controllers()]
    assert len(names) == 2
    again = lab.host.nvme(["connect-all", "-J", str(CONFIG), "-o", "json"])
    assert {entry["result"] for entry in again} == {"already connected"}
    assert [c.name for c in lab.host.controllers()] == names


@pytest.mark.topology(BARE)
def test_what_cannot_be_applied_connects_nothing(lab: Lab) -> None:
    lab.network.changed = True
    lab.target.configure(Target.simple(NQN))
    # No kernel keeps as many beside the one that is there; those before it are taken back.
    lab.network.ip("host", "mptcp endpoint add 10.1.4.2 dev h4 subflow")
    many = [{"address": f"10.1.{i // 200}.{i % 200 + 1}", "dev": "h2"} for i in range(400, 655)]
    write({"limits": {"subflows": 4, "add_addr_accepted": 1}, "endpoints": many})
    said = lab.host.nvme_fails(["connect", "-J", str(CONFIG)])
    assert said.endswith("nothing is changed and nothing is connected\n")
    shown = lab.host.nvme("mptcp show-endpoints -o json")
    assert [e["address"] for e in shown["endpoints"]] == ["10.1.4.2"]
    assert shown["limits"] == {"subflows": 2, "add_addr_accepted": 0}
    assert lab.host.controllers() == []


def at_terminal(arguments: list[str]) -> str:
    """What stderr shows when it is a terminal."""
    ours, theirs = pty.openpty()
    try:
        command = ["nvme", *arguments]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=60)
    finally:
        os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while more := os.read(ours, 4096):
            said += more
    os.close(ours)
    return said.decode().replace("\r", "")


@pytest.mark.topology(JOINING)
def test_hint_at_a_terminal(lab: Lab) -> None:
    lab.network.changed = True
    lab.target.configure(both_transports(Subsystem(NQN)))
    full = ["connect", "-t", "mptcp", "-a", "10.1.1.1", "-s", "4421", "-n", NQN, "-i", "1"]
    assert at_terminal(full) == ""
    lab.host.disconnect_all()

    plain = ["connect", "-t", "mptcp", "-a", "10.1.1.1", "-s", "4420", "-n", NQN, "-i", "1"]
    assert at_terminal(plain) == (
        "nvme0: 2 of 2 connections fell back to plain TCP: see nvme mptcp check nvme0\n"
    )
    lab.host.disconnect_all()
    assert at_terminal([*plain, "-o", "json"]) == ""
    lab.host.disconnect_all()

    lab.network.set_limits("target", Limits(0, 0))
    assert at_terminal(full) == "nvme0 uses only 1 of 4 links: see nvme mptcp check nvme0\n"
    lab.host.disconnect_all()
    said = at_terminal(["connect-all", "-t", "mptcp", "-a", "10.1.1.1", "-s", "4421", "-i", "1"])
    assert " uses only 1 of 4 links: see nvme mptcp check nvme" in said
    assert len(said.splitlines()) == 1
