# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp report on both sides, and what both reports together show that one side cannot."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab import Endpoint, Lab, Target, Topology
from lab.network import Side

NQN = "nqn.2024-01.lab:disk"
OWN = Topology(endpoints={"host": tuple(Endpoint(i, ("subflow",), dev=True) for i in range(2, 5))})


class Reports:
    """Takes reports of both sides and checks one side with the other's."""

    def __init__(self, lab: Lab, directory: Path) -> None:
        self.lab = lab
        self.directory = directory

    def write(self, side: Side) -> Path:
        path = self.directory / f"{side}.json"
        # On both: the target's own namespace is entered by the command.
        netns = ["--netns", "target"] if side == "target" else []
        words = ["nvme", "mptcp", "report", "--interval", "0.1", *netns, "-O", str(path)]
        assert self.lab.host.command(words).stderr == ""
        return path

    def check(self, side: Side, peer: Path) -> Any:
        """What a side finds with the report of the other one."""
        netns = ["--netns", "target"] if side == "target" else []
        quick = ["--interval", "0.1", "-o", "json", "--role", side, "--peer", str(peer)]
        words = ["nvme", "mptcp", "check", *netns, *quick]
        done = self.lab.host.command(words, status=None)
        assert done.returncode in (0, 1, 2), done.stderr
        document = json.loads(done.stdout)
        assert set(document["roles"]) == {"host", "target"}
        return document

    def both(self) -> tuple[set[str], set[str]]:
        """Rules that the host finds with the target's report, and the reverse."""
        host, target = self.write("host"), self.write("target")
        found = self.check("host", target), self.check("target", host)
        first, second = (
            {f["rule"] for f in document["findings"] if f["severity"] != "info"}
            for document in found
        )
        return first, second


@pytest.fixture
def reports(lab: Lab, tmp_path: Path) -> Reports:
    return Reports(lab, tmp_path)


def test_both_sides_are_clean(lab: Lab, reports: Reports) -> None:
    lab.connect(NQN, nr_io_queues=1, subflows=4)
    assert reports.both() == (set(), set())
    host = json.loads(reports.write("host").read_text())
    assert "host" in host["findings"]["roles"]
    (ctrl,) = host["snapshot"]["controllers"]
    assert ctrl["subflows_found"] == 8
    target = json.loads(reports.write("target").read_text())
    assert [port["trtype"] for port in target["ports"]] == ["mptcp"]
    assert target["ports"][0]["subsystems"] == [NQN]
    assert {e["address"] for e in target["snapshot"]["endpoints"]} == {
        f"10.1.{i}.1" for i in range(1, 5)
    }
    assert target["missing"] == []


@pytest.mark.topology(OWN)
@pytest.mark.limit(120)  # three runs on the host wait for what routers may report
def test_the_way_back(lab: Lab, reports: Reports) -> None:
    lab.target.configure(Target.simple(NQN))
    lab.network.ip("target", "route add 10.1.3.2/32 dev t1")
    lab.network.sysctl("target", "ipv4.conf.t3.rp_filter", 1)
    lab.host.connect(NQN, nr_io_queues=1)
    host, target = reports.both()
    assert {"R05", "R06"} <= host
    assert {"R05", "R06"} <= target
    document = reports.check("host", reports.write("target"))
    (finding,) = (f for f in document["findings"] if f["rule"] == "R06")
    assert finding["side"] == "target"
    assert finding["fix"][0] == {
        "side": "target",
        "command": "ip netns exec target sysctl -w net.ipv4.conf.t3.rp_filter=2",
    }
