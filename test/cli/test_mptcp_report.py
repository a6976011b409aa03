# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp report, and check --peer: what one side's report shows the other one."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Nvme, Result, network_of, schema
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import OTHER_USER, conforms, needs_readable_build, run
from test_mptcp import SCHEMA as SNAPSHOT

SCHEMA = schema("mptcp-report")
FINDINGS = schema("mptcp-findings")
QUICK = ("--interval", "0")
ADDRESS = "10.77.1.1"


class Sides:
    """Two namespaces; the target's ports are of a made-up configfs."""

    def __init__(self, net: Network, host: FakeHost, directory: Path) -> None:
        self.net = net
        self.machine = host
        self.directory = directory
        self.port("mptcp")

    def port(self, trtype: str, traddr: str = "0.0.0.0") -> None:
        """The target's only port."""
        self.machine.target_port(1, trtype, traddr, "nqn.2026-01.org.example:disk")

    def nvme(self, side: str, *arguments: str) -> Result:
        """A command on one side; only the target sees the ports."""
        netns = self.net.host if side == "host" else self.net.target
        machine = self.machine if side == "target" else None
        return run("mptcp", *arguments, "--netns", netns, *QUICK, host=machine)

    def report(self, side: str) -> Path:
        path = self.directory / f"{side}.json"
        result = self.nvme(side, "report", "-O", str(path))
        assert (result.status, result.err) == (0, ""), result
        return path

    def check(self, side: str, *arguments: str) -> Any:
        """The findings of a side that has the other one's report."""
        other = self.report("target" if side == "host" else "host")
        if side == "host" and "--traddr" not in arguments:
            arguments = ("--traddr", ADDRESS, "--no-trial", *arguments)
        result = self.nvme(
            side, "check", "--role", side, "--peer", str(other), *arguments, "-o", "json"
        )
        document = conforms(result.json, FINDINGS)
        assert document["roles"] == ["host", "target"]
        assert document["peer"] == os.uname().nodename
        return document

    def rules(self, side: str, *arguments: str) -> list[str]:
        """Rules of what is wrong."""
        found = self.check(side, *arguments)["findings"]
        return sorted(f["rule"] for f in found if f["severity"] != "info")


network = network_of(3, scope="module")


@pytest.fixture
def sides(network: Network, host: FakeHost, tmp_path: Path) -> Iterator[Sides]:
    """Endpoints of the host for the second and third link, and a target that listens."""
    network.limits(8, 8)
    network.subflows_by(2, 3)
    network.answer()
    yield Sides(network, host, tmp_path)
    network.stop()


def announce(net: Network) -> None:
    """The target's addresses instead of the host's endpoints."""
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.announce_by(2, 3)


def test_the_document(sides: Sides) -> None:
    net, way = sides.net, "10.88.0.0/16 via 10.77.2.1 dev eth2 table 77"
    with (
        net.changed(net.host, "rule add from 10.77.2.0/24 table 77"),
        net.changed(net.host, f"route add {way}"),
    ):
        document = conforms(json.loads(sides.report("host").read_text()), SCHEMA)
    conforms(document["snapshot"], SNAPSHOT)
    conforms(document["findings"], FINDINGS)
    assert document["kernel"]["release"] == os.uname().release
    assert document["missing"] == []
    assert [e["address"] for e in document["snapshot"]["endpoints"]] == ["10.77.2.2", "10.77.3.2"]
    assert document["snapshot"]["limits"] == {"subflows": 8, "add_addr_accepted": 8}
    assert document["counters"]["MPTcpExt"]["MPCapableSYNTX"] >= 0
    assert document["sysctls"]["net/ipv4/conf/eth2/rp_filter"] == 0
    assert {a["address"] for a in document["addresses"]} >= {"10.77.1.2", "fd77:3::2", "127.0.0.1"}
    (route,) = (r for r in document["routes"] if r["table"] == 77)
    assert (route["dst"], route["gateway"], route["link"]) == ("10.88.0.0/16", "10.77.2.1", "eth2")
    (rule,) = (r for r in document["rules"] if r["table"] == 77)
    assert (rule["from"], rule["to"], rule["other_selectors"]) == ("10.77.2.0/24", "default", False)

    document = conforms(json.loads(sides.report("target").read_text()), SCHEMA)
    (port,) = document["ports"]
    assert (port["trtype"], port["traddr"], port["trsvcid"]) == ("mptcp", "0.0.0.0", 4420)
    assert port["subsystems"] == ["nqn.2026-01.org.example:disk"]
    assert document["listeners"] == [{"local": "0.0.0.0:4420", "link": None}]
    assert document["findings"]["roles"] == ["target"]


def test_files_are_whole(sides: Sides, tmp_path: Path) -> None:
    path = sides.report("host")
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["host.json"]
    first = path.read_text()
    text = sides.nvme("host", "report", "-O", str(path)).out
    assert "take it to the other side: nvme mptcp check --peer" in text
    assert json.loads(path.read_text())["report"] == json.loads(first)["report"] == "nvme-mptcp"
    failed = sides.nvme("host", "report", "-O", str(tmp_path / "none/x.json"))
    assert failed.status == 1 and "none/x.json: No such file or directory" in failed.err
    assert sides.nvme("host", "report", "-o", "json").json["version"] == 1
    summary = sides.nvme("host", "report").out
    assert "endpoints   2; limits: subflows 8, add_addr_accepted 8" in summary
    assert "findings    no errors or warnings\n" in summary
    assert max(map(len, summary.splitlines())) <= 100


def test_without_privileges(sides: Sides) -> None:
    needs_readable_build()
    report = ("mptcp", "report", *QUICK, "-o", "json")
    document = conforms(run(*report, side=sides.net.host, prefix=OTHER_USER).json, SCHEMA)
    assert len(document["snapshot"]["endpoints"]) == 2 and document["routes"]


def test_clean_on_both_sides(sides: Sides) -> None:
    assert sides.rules("host") == []
    assert sides.rules("target") == []
    announce(sides.net)
    assert sides.rules("host") == []
    assert sides.rules("target") == []
    # Together with a trial.
    document = sides.check("host", "--traddr", ADDRESS)
    assert document["trial"]["subflows_established"] == 3
    assert [f for f in document["findings"] if f["severity"] != "info"] == []


def test_limits(sides: Sides) -> None:
    sides.net.ip("mptcp", "limits", "set", "subflows", "1", netns=sides.net.target)
    for side in ("host", "target"):
        (finding,) = (f for f in sides.check(side)["findings"] if f["severity"] == "error")
        assert (finding["rule"], finding["side"]) == ("T06", "target")
        (fix,) = finding["fix"]
        assert fix["side"] == "target"
        limits = f"ip -n {sides.net.target} mptcp limits set subflows 8"
        assert fix["command"].startswith(limits), fix
    sides.net.limits(8, 0)
    announce(sides.net)
    for side in ("host", "target"):
        (finding,) = (f for f in sides.check(side)["findings"] if f["severity"] == "error")
        assert (finding["rule"], finding["side"]) == ("H06", "host")


def test_the_way_back(sides: Sides) -> None:
    net = sides.net
    setting = "net.ipv4.conf.eth3.rp_filter="
    with (
        net.changed(net.target, "route add 10.77.3.2/32 dev eth1"),
        net.changed(net.target, f"{setting}1", f"{setting}0"),
    ):
        for side in ("host", "target"):
            assert sides.rules(side) == ["R05", "R06"]
        (finding,) = (f for f in sides.check("host")["findings"] if f["rule"] == "R06")
        assert (finding["side"], finding["subject"]) == ("target", "10.77.3.2")
        command = finding["fix"][0]["command"]
        where = f"ip netns exec {net.target} "
        assert command == f"{where}sysctl -w {setting}2"
        subprocess.run(command.split(), check=True)
        assert sides.rules("host") == ["R05"]
    assert sides.rules("host") == []


def test_no_way_back(sides: Sides) -> None:
    way = "unreachable 10.77.2.2"
    with sides.net.changed(sides.net.target, f"route add {way}"):
        for side in ("host", "target"):
            (finding,) = (f for f in sides.check(side)["findings"] if f["rule"] == "R05")
            assert (finding["severity"], finding["subject"]) == ("error", "10.77.2.2")


def test_ports(sides: Sides) -> None:
    sides.port("tcp")
    (finding,) = (f for f in sides.check("host")["findings"] if f["severity"] != "info")
    assert (finding["rule"], finding["severity"], finding["side"]) == ("T08", "error", "target")
    sides.port("mptcp", "10.77.2.1")
    assert "C09" in sides.rules("host")
    # Between a port that is right and a host that falls back is something else.
    sides.port("mptcp")
    sides.net.stop()
    sides.net.subflows_by(2, 3)
    sides.net.answer(protocol=6)
    assert "F04" in sides.rules("host", "--traddr", ADDRESS)


def test_packet_sizes(sides: Sides) -> None:
    with sides.net.changed(sides.net.host, "link set eth2 mtu 9000", "link set eth2 mtu 1500"):
        for side in ("host", "target"):
            subjects = {f["subject"] for f in sides.check(side)["findings"] if f["rule"] == "A09"}
            assert "eth2 of the host, eth2 of the target" in subjects


def test_settings_of_the_other_side(sides: Sides) -> None:
    net = sides.net
    announce(net)
    with net.changed(net.target, "net.mptcp.add_addr_timeout=0", "net.mptcp.add_addr_timeout=120"):
        (finding,) = (f for f in sides.check("host")["findings"] if f["severity"] != "info")
        assert (finding["rule"], finding["side"]) == ("K09", "target")
    net.endpoint(net.target, "10.77.88.1", "signal")
    assert "T04" in sides.rules("host")


BROKEN = [
    ("", "1: expected a value, but the file ends"),
    ("[]", "1: this is not a report"),
    ('{"hosts": []}', "1: not written by nvme mptcp report"),
    ('{"report": "other"}', "1: not written by nvme mptcp report"),
    ('{"report": "nvme-mptcp", "version": 2}', "has version 2, and this program reads version 1"),
    ('{"report": "nvme-mptcp",\n "version": 1}', "1: $.taken_s: a whole number is expected"),
    ('{"report": "nvme-mptcp", "report": 1}', "$.report: the key is given twice"),
    ("\x7fELF", "expected a value"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_files_that_are_none(nvme: Nvme, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "peer.json"
    path.write_text(text)
    said = nvme("mptcp", "check", "--peer", str(path)).refused(3)
    assert said.startswith(f"--peer: {path}:") and message in said


def test_a_report_of_the_same_side(sides: Sides) -> None:
    path = sides.report("host")
    said = sides.nvme(
        "host", "check", "--traddr", ADDRESS, "--no-trial", "--peer", str(path)
    ).refused(3)
    assert f"--peer={path}: this is a report of this side" in said


def put(document: Any, path: str, value: Any) -> None:
    """Sets what stands at "a.0.b" of a document."""
    *way, last = (int(key) if key.isdigit() else key for key in path.split("."))
    for key in way:
        document = document[key]
    document[last] = value


HOSTILE = [
    ("addresses.0.address", "10.1.1.1; reboot", "$.addresses[0].address: an IP address is"),
    ("addresses.0.prefix", 129, "$.addresses[0].prefix: a number within its range"),
    ("snapshot.links.0.name", "$(reboot)", "$.snapshot.links[0].name: a name of letters"),
    ("snapshot.links.0.name", "x" * 16, "$.snapshot.links[0].name: a shorter string"),
    ("snapshot.endpoints.0.id", 0, "$.snapshot.endpoints[0].id: a number within"),
    ("snapshot.endpoints.0.flags", ["sig nal"], "flags: a list of known names"),
    ("snapshot.limits.subflows", "8", "$.snapshot.limits.subflows: a whole number"),
    ("snapshot.settings.enabled", 1, "$.snapshot.settings.enabled: a string"),
    ("ports.0.name", "../../etc", "$.ports[0].name: a name of letters"),
    ("ports.0.subsystems", ["a b"], "$.ports[0].subsystems: a list of names"),
    ("listeners.0.local", "1.2.3.4:99999", "$.listeners[0].local: an IP address with a port"),
    ("routes.0.dst", "10.0.0.0/33", "$.routes[0].dst: an address with the length"),
    ("rules.0.family", "ipx", "the family is ipv4 or ipv6"),
    ("counters.MPTcpExt.MPJoinSynTx", -5, "MPJoinSynTx: a number within its range"),
    ("counters.Tcp", [], "$.counters.Tcp: an object is"),
    ("sysctls", None, "$.sysctls: an object is expected, but it is missing"),
    ("missing", [7], "$.missing[0]: an object is expected"),
]


@pytest.mark.parametrize(("place", "value", "message"), HOSTILE)
def test_hostile_values(sides: Sides, place: str, value: Any, message: str) -> None:
    announce(sides.net)
    path = sides.report("target")
    document = json.loads(path.read_text())
    put(document, place, value)
    path.write_text(json.dumps(document, indent=1))
    said = sides.nvme(
        "host", "check", "--traddr", ADDRESS, "--no-trial", "--peer", str(path)
    ).refused(3)
    assert message in said


def test_strings_reach_no_terminal_as_they_are(sides: Sides) -> None:
    sides.net.ip("mptcp", "limits", "set", "subflows", "0", netns=sides.net.target)
    path = sides.report("target")
    document = json.loads(path.read_text())
    document["hostname"] = "evil\x1b[2Jhost"
    document["missing"] = [{"part": "owners", "errno": 1, "text": "\x1b]0;x\x07 words"}]
    path.write_text(json.dumps(document))
    result = sides.nvme("host", "check", "--traddr", ADDRESS, "--no-trial", "--peer", str(path))
    assert "\x1b" not in result.out and "\x07" not in result.out
    assert result.out.startswith("report: evil\\x1b[2Jhost, of 20")
    assert "T06" in result.out
