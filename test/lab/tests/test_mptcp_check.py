# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp check and monitor on the kernel's own NVMe over MPTCP connections, on both sides."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest
from lab import Lab, Limits, Port, Subsystem, Target, Topology
from lab.system import network_namespace

NQN = "nqn.2024-01.lab:disk"


def check(lab: Lab, side: str = "host", arguments: str = "") -> Any:
    """The findings on one side."""
    namespace = lab.topology.namespace("host" if side == "host" else "target")
    command = ["nvme", "mptcp", "check", "--interval", "0.2", "-o", "json", *arguments.split()]
    command += ["--role", side]
    with network_namespace(namespace):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1, 2), done
    document = json.loads(done.stdout)
    assert document["roles"] == [side]
    worst = {f["severity"] for f in document["findings"]}
    assert done.returncode == (2 if "error" in worst else 1 if "warning" in worst else 0)
    return document["findings"]


def rules(findings: Any, *severities: str) -> list[str]:
    wanted = severities or ("error", "warning", "info")
    return sorted({f["rule"] for f in findings if f["severity"] in wanted})


def connect(lab: Lab, subflows: int = 4) -> None:
    lab.target.configure(Target.simple(NQN))
    lab.host.connect(NQN, nr_io_queues=2)
    lab.host.wait_for_subflows(subflows, 3)


def test_one_subflow_per_link_is_clean(lab: Lab) -> None:
    connect(lab)
    assert rules(check(lab), "error", "warning") == []
    assert rules(check(lab, "target"), "error", "warning") == []


@pytest.mark.topology(Topology.selftest())
def test_selftest_topology_has_no_error(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    lab.host.connect(NQN, nr_io_queues=2)
    time.sleep(3)
    findings = check(lab)
    assert rules(findings, "error") == []
    assert "H07" in rules(findings, "warning")
    assert rules(check(lab, "target"), "error") == []


@pytest.mark.topology(Topology.single_path())
def test_a_fresh_system_says_what_to_type(lab: Lab) -> None:
    connect(lab, 1)
    findings = check(lab)
    assert rules(findings, "error") == ["H01", "H05"]
    assert rules(check(lab, "target")) == ["T01"]


def test_fallback(lab: Lab) -> None:
    lab.target.configure(
        Target(subsystems=(Subsystem(NQN),), ports=(Port(1, "tcp", "ipv4", trsvcid=4420),))
    )
    lab.host.connect(NQN, nr_io_queues=1)
    assert "C01" in rules(check(lab), "error")
    assert rules(check(lab, "target"), "warning") == ["T08"]


def test_target_bound_to_one_address(lab: Lab) -> None:
    lab.target.configure(
        Target(
            subsystems=(Subsystem(NQN),),
            ports=(Port(1, "mptcp", "ipv4", traddr="10.1.1.1", trsvcid=4420),),
        )
    )
    lab.host.connect(NQN, nr_io_queues=1)
    assert "T03" in rules(check(lab, "target"), "error")


def test_target_without_room(lab: Lab) -> None:
    lab.network.set_limits("target", Limits(0, 0))
    lab.target.configure(Target.simple(NQN))
    lab.host.connect(NQN, nr_io_queues=1)
    assert "T06" in rules(check(lab, "target"), "error")


def test_wrong_device(lab: Lab) -> None:
    connect(lab)
    lab.network.run("host", "ip", "mptcp", "endpoint", "add", "10.1.3.2", "dev", "h4", "subflow")
    assert "H08" in rules(check(lab), "error")


def test_monitor_names_the_controller(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    with network_namespace(lab.topology.namespace("host")):
        monitor = subprocess.Popen(
            ["nvme", "mptcp", "monitor", "-o", "json"], stdout=subprocess.PIPE, text=True
        )
    try:
        time.sleep(1)
        controller = lab.host.connect(NQN, nr_io_queues=1)
        lab.host.wait_for_subflows(4, 2)
        lab.host.disconnect_all()
        time.sleep(1)
    finally:
        monitor.terminate()
    assert monitor.stdout
    events = [json.loads(line) for line in monitor.stdout]
    monitor.wait()
    assert {e["controller"] for e in events} == {controller.name}
    kinds = [e["event"] for e in events]
    assert kinds.count("created") == kinds.count("established") == kinds.count("closed") == 2
    assert kinds.count("subflow-established") == 6
