# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp check: faults built on this machine's kernel, found, fixed as printed, and gone."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Nvme, live, schema
from fake_sysfs import FakeHost
from mptcp_net import Network, enter
from test_mptcp import conforms, run

SCHEMA = schema("mptcp-findings")


def endpoints(net: Network, *links: int) -> None:
    """One endpoint per link, as it should be."""
    for i in links:
        net.endpoint(net.host, f"10.77.{i}.2", "dev", f"eth{i}", "subflow", "id", str(i))


def connect(net: Network, host: FakeHost, count: int = 2) -> None:
    """A controller whose queues are the sockets of a process that the command does not see."""
    host.disk(queue_count=count)
    net.connections(count)


def check(net: Network, host: FakeHost, *arguments: str) -> Any:
    """The findings on the host's side, and the exit status that belongs to them."""
    quick = ["--interval", "0.1", "-o", "json"]
    if "--traddr" in arguments:
        quick.append("--no-trial")
    result = run("mptcp", "check", *arguments, *quick, host=host, unseen=net.host)
    document = conforms(result.json, SCHEMA)
    severities = {finding["severity"] for finding in document["findings"]}
    expected = 2 if "error" in severities else 1 if "warning" in severities else 0
    assert result.status == expected, result
    return document["findings"]


def rules(findings: Any) -> list[str]:
    return [finding["rule"] for finding in findings]


def faults(findings: Any) -> Any:
    """What is wrong, without what is only worth knowing."""
    return [finding for finding in findings if finding["severity"] != "info"]


def apply_fix(net: Network, finding: Any, host: FakeHost | None = None) -> None:
    """Run what a finding says, on the side that it says; nvme itself on @host."""
    for fix in finding["fix"]:
        side = net.host if fix["side"] == "host" else net.target
        command = shlex.split(fix["command"])
        assert not any(word.isupper() and word.isalpha() for word in command), command
        if command[0] == "nvme":
            assert host, command
            run(*command[1:], host=host, unseen=side, status=0)
            continue
        subprocess.run(enter(side, *command), check=True)


def fixed(net: Network, host: FakeHost, rule: str, *arguments: str, wait_s: float = 0) -> Any:
    """The only finding, which is gone once what it says was run."""
    (finding,) = check(net, host, *arguments)
    assert finding["rule"] == rule
    apply_fix(net, finding, host)
    time.sleep(wait_s)
    assert check(net, host, *arguments) == []
    return finding


def test_a_clean_setup(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    connect(net, host)
    assert check(net, host) == []
    text = run("mptcp", "check", "--interval", "0", host=host, unseen=net.host)
    assert (text.status, text.out) == (0, "host: nothing found\n")
    # And before connecting.
    net.stop()
    endpoints(net, 2, 3)
    assert check(net, host, "--traddr", "10.77.1.1", "--trsvcid", "4420") == []


def test_selftest_topology_gives_warnings_only(net: Network, host: FakeHost) -> None:
    for i in (1, 2, 3):
        net.endpoint(net.host, f"10.77.{i}.2", "subflow")
        net.endpoint(net.target, f"10.77.{i}.1", "signal")
    connect(net, host)
    findings = check(net, host)
    # What the target announces is joined by each link: none of them stays idle (H07).
    assert {finding["rule"] for finding in faults(findings)} == {"C14"}
    assert {f["severity"] for f in findings} <= {"warning", "info"}


@pytest.mark.parametrize(
    ("rule", "arguments"),
    [
        ("H07", ["10.77.2.2", "subflow"]),
        ("H08", ["10.77.2.2", "dev", "eth3", "subflow"]),
        ("H17", ["10.77.99.2", "subflow"]),
        ("H02", ["10.77.2.2", "dev", "eth2", "signal"]),
    ],
)
def test_an_endpoint_that_is_wrong(
    net: Network, host: FakeHost, rule: str, arguments: list[str]
) -> None:
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow", "id", "3")
    net.endpoint(net.host, *arguments)
    address = ("--traddr", "10.77.1.1")
    (finding,) = faults(check(net, host, *address))
    assert finding["rule"] == rule
    apply_fix(net, finding)
    assert faults(check(net, host, *address)) == []


def test_laminar_endpoints_are_clean(host: FakeHost) -> None:
    """They wait for announcements, and the kernel does not count them as tried."""
    release = tuple(map(int, Path("/proc/sys/kernel/osrelease").read_text().split(".")[:2]))
    if release < (6, 18):
        pytest.skip("skipped: this kernel has no laminar endpoints")
    with Network(3, 8, 0) as net:
        for i in (1, 2, 3):
            net.ip("addr", "add", f"10.78.{i}.1/32", "dev", f"eth{i}", netns=net.target)
            net.endpoint(net.target, f"10.78.{i}.1", "dev", f"eth{i}", "signal")
        targets = "10.78.1.1,10.78.2.1,10.78.3.1"
        words = ("--role", "host", "--netns", net.host, "--traddr", targets, "--apply")
        plan = run("mptcp", "setup", *words, "-o", "json").json
        assert plan["method"] == "laminar"
        host.disk(0, "mptcp", "traddr=10.78.1.1,trsvcid=4420,src_addr=10.77.1.2")
        net.serve()
        net.connect("10.78.1.1", 2)
        assert check(net, host) == []


def test_no_room(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    net.ip("mptcp", "limits", "set", "subflows", "1", netns=net.host)
    connect(net, host)
    finding = fixed(net, host, "H05", wait_s=0.5)
    assert finding["evidence"]["full_connections"] == "2"
    # Existing connections do not notice a limit: the last command makes them look.
    assert finding["fix"][-1]["command"] == "nvme mptcp repair"


def test_nothing_starts_subflows(host: FakeHost) -> None:
    """In namespaces where no address was ever announced."""
    with Network(2, 8, 0) as net:
        connect(net, host)
        finding = fixed(net, host, "H01", wait_s=0.3)
        assert [fix["side"] for fix in finding["fix"]] == ["host"]


def test_announcements_are_ignored(net: Network, host: FakeHost) -> None:
    net.limits(8, 0)
    net.announce_by(2)
    connect(net, host)
    findings = {f["rule"]: f for f in check(net, host)}
    assert set(findings) == {"H01", "H06"}
    printed = [fix["command"] for f in findings.values() for fix in f["fix"]]
    assert len(set(printed)) == len(printed)
    for finding in findings.values():
        apply_fix(net, finding)
    time.sleep(0.3)
    assert not {"H01", "H06"} & set(rules(check(net, host)))


def test_links_that_are_down(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    with (
        net.changed(net.host, "link set eth2 down", "link set eth2 up"),
        net.changed(net.target, "link set eth3 down", "link set eth3 up"),
    ):
        findings = {f["rule"]: f for f in check(net, host, "--traddr", "10.77.1.1")}
        assert set(findings) == {"A06", "A07"}
        assert findings["A06"]["evidence"]["link"] == "eth2"
        assert findings["A07"]["evidence"]["link"] == "eth3"
        apply_fix(net, findings["A06"])
    time.sleep(0.3)
    assert check(net, host, "--traddr", "10.77.1.1") == []


def test_strict_reverse_path_filter(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    setting = "net.ipv4.conf.eth2.rp_filter="
    with net.changed(net.host, f"{setting}1", f"{setting}0"):
        fixed(net, host, "R06", "--traddr", "10.77.1.1")


def test_no_route_by_the_link(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    way = "default via 10.77.2.1 dev eth2 metric 102"
    with net.changed(net.host, f"route del {way}", f"route add {way}"):
        (finding,) = check(net, host, "--traddr", "10.77.1.1")
        assert (finding["rule"], finding["evidence"]["link"]) == ("R01", "eth2")
    assert check(net, host, "--traddr", "10.77.1.1") == []


def test_a_link_that_is_not_used(net: Network, host: FakeHost) -> None:
    endpoints(net, 3)
    assert fixed(net, host, "A11", "--traddr", "10.77.1.1")["subject"] == "eth2"


def test_the_way_that_connections_start_by(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    ways = " ".join(f"nexthop via 10.77.{i}.1 dev eth{i}" for i in (2, 3))
    there = "10.77.99.1/32 dev lo"
    with (
        net.changed(net.host, f"route add 10.77.99.1 {ways}", "route del 10.77.99.1"),
        net.changed(net.target, f"addr add {there}"),
    ):
        findings = check(net, host, "--traddr", "10.77.99.1")
        assert "R09" in rules(findings)
        assert faults(findings) == []


def test_a_next_hop_that_is_silent(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    # A datagram makes the kernel look for the next hop, which takes it three seconds to give up.
    send = (
        "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM);"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'eth3');"
        "s.sendto(b'x', ('10.77.1.1', 9)); time.sleep(0.2)"
    )
    way = "route replace 10.77.1.1 via 10.77.3.77 dev eth3 metric 900"
    with net.changed(net.host, way, "route del 10.77.1.1"):
        subprocess.run(enter(net.host, sys.executable, "-c", send), check=True)
        (finding,) = faults(check(net, host, "--traddr", "10.77.1.1"))
        assert finding["rule"] == "R08"
        assert finding["evidence"] == {"next_hop": "10.77.3.77", "link": "eth3"}
    assert check(net, host, "--traddr", "10.77.1.1") == []


def test_a_rule_that_wants_no_device(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    net.batch(
        net.host, "route del default dev eth2",
        "route add default via 10.77.2.1 dev eth2 table 77",
        "rule add not oif eth2 to 10.77.1.0/24 table 77",
    )  # fmt: skip
    try:
        found = check(net, host, "--traddr", "10.77.1.1")
        (finding,) = (f for f in found if f["subject"] == "endpoint 2 (10.77.2.2)")
        assert finding["rule"] == "R04"
        apply_fix(net, finding)
        assert "R04" not in rules(check(net, host, "--traddr", "10.77.1.1"))
    finally:
        net.batch(net.host, "rule flush", "rule add lookup main", "rule add lookup default")
        net.repair_routes()


def test_controllers_over_one_link(net: Network, host: FakeHost) -> None:
    host.disk(0, "tcp", queue_count=1)
    (finding,) = check(net, host)
    assert (finding["rule"], finding["subject"]) == ("N01", "nvme0")
    (fix,) = finding["fix"]
    assert fix["command"] == "nvme mptcp check --traddr 10.77.1.1 --trsvcid 4420"


def test_fallback(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    host.disk(queue_count=1)
    net.connections(protocol=6)
    (finding,) = check(net, host)
    assert finding["rule"] == "C01"
    assert "plain TCP" in finding["why"]


def test_a_join_that_nothing_answers(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    with net.changed(net.target, "route add blackhole 10.77.3.2"):
        connect(net, host)
        time.sleep(1.5)
        findings = check(net, host)
        # All queues take the same way: one finding.
        assert rules(findings) == ["R05"]
        assert findings[0]["subject"] == "10.77.3.2 -> 10.77.1.1"
        assert findings[0]["evidence"]["answered_from"] == "10.77.1.2"


def test_subflows_that_are_gone(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    connect(net, host)
    net.ss(net.host, "-K", "src", "10.77.3.2")
    time.sleep(0.3)
    # What listens there is no target, as a trial would find.
    (finding,) = check(net, host, "--no-trial")
    assert finding["rule"] == "C05"
    assert finding["subject"] == "endpoint 3 (10.77.3.2)"
    apply_fix(net, finding, host)
    time.sleep(0.5)
    assert check(net, host) == []


def test_switched_off(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    with net.changed(net.host, "net.mptcp.enabled=0", "net.mptcp.enabled=1"):
        fixed(net, host, "K02", "--traddr", "10.77.1.1")


def test_connected_elsewhere(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    # An address that no namespace of this machine has, so that none is named.
    address = "traddr=10.77.99.1,trsvcid=4420,src_addr=10.77.99.2"
    host.subsystem(0, "nqn.2026-01.org.example:disk").controller(0, "mptcp", address)
    (finding,) = check(net, host)
    assert finding["rule"] == "N04"
    assert "--netns" not in str(finding["fix"])


def test_target(net: Network, host: FakeHost) -> None:
    """The other side, with ports of a made-up configfs."""
    # Where a test beside this one listened as well, no namespace would be named.
    number = 20000 + os.getpid() % 10000
    port = host.target_port(trsvcid=number)

    def judge() -> Any:
        quick = ["--interval", "0", "-o", "json"]
        return run("mptcp", "check", *quick, host=host, unseen=net.target).json

    net.serve(port=number)
    document = judge()
    assert document["roles"] == ["target"]
    assert rules(document["findings"]) == ["T01"]
    net.announce_by(2, 3)
    assert judge()["findings"] == []

    # Its host sees the port as well, in a namespace that is no target.
    offered = port / "subsystems/nqn.2026-01.org.example:disk"
    offered.mkdir(parents=True)
    (note,) = (f for f in check(net, host) if f["rule"].startswith("T"))
    assert (note["rule"], note["severity"]) == ("T14", "info")
    assert f"check --role target --netns {net.target}" in str(note["fix"])
    host.subsystem(0, "nqn.2026-01.org.example:disk").controller(0, "mptcp", state="connecting")
    assert rules(faults(check(net, host))) == ["N02"]
    assert "T14" not in rules(check(net, host))
    shutil.rmtree(host.sys / "class/nvme")
    offered.rmdir()

    net.stop()
    net.announce_by(2)
    net.serve("10.77.1.1", port=number)
    (port / "addr_traddr").write_text("10.77.1.1\n")
    assert rules(judge()["findings"]) == ["T03"]

    net.stop()
    net.endpoint(net.target, "10.77.2.1", "dev", "eth2", "subflow")
    net.endpoint(net.target, "10.77.88.1", "signal")
    net.serve(port=number)
    assert rules(judge()["findings"]) == ["T02", "T04"]


def test_findings_are_paragraphs(net: Network, nvme: Nvme) -> None:
    """An empty line sets each apart from the next one, and all of them from how many they are."""
    net.endpoint(net.target, "10.77.2.1", "dev", "eth2", "subflow")
    net.endpoint(net.target, "10.77.88.1", "signal")
    ask = ("mptcp", "check", "--role", "target", "--netns", net.target, "--interval", "0")
    found = nvme(*ask, "-o", "json").json["findings"]
    assert len(found) > 1
    *paragraphs, count = nvme(*ask).out.split("\n\n")
    assert [text.split()[:2] for text in paragraphs] == [[f["severity"], f["rule"]] for f in found]
    assert count.startswith("target: ")


@live
def test_wrong_questions(nvme: Nvme, host: FakeHost) -> None:
    for arguments, message in (
        (("--role", "both"), "--role=both: use host, target or auto"),
        (("--traddr", "nowhere"), "--traddr=nowhere"),
        (("--traddr", "10.1.1.1", "--trsvcid", "x"), "--trsvcid=x"),
        (("-a", "10.1.1.1", "-s", "70000"), "--trsvcid=70000: a port from 1 to 65535 is needed"),
        (("nvme7",), "nvme7: no controller of that name"),
        ((), "no controller is connected over MPTCP, and this machine is not a target"),
    ):
        result = nvme("mptcp", "check", "--interval", "0", *arguments, status=3)
        assert message in result.err
        assert result.out == ""


@pytest.mark.parametrize("how", [["--brief"], ["-o", "json"], []], ids=" ".join)
def test_what_did_not_work_is_no_warning_about_the_system(nvme: Nvme, how: list[str]) -> None:
    """A monitoring program takes 1 for a warning and 3 for no answer."""
    for words in (["--bogus"], ["-o", "bogus"], ["--interval", "x"], ["--netns", "none-such"]):
        assert nvme("mptcp", "check", *how, *words).status == 3, words
    with open("/dev/full", "wb") as full:
        done = nvme.raw("mptcp", "check", "--interval", "0", *how, stdout=full.fileno())
    assert done.status == 3


@pytest.mark.parametrize("used", [(1,), (1, 2, 3)], ids=["the only link", "two of three"])
def test_large_packets_are_lost(net: Network, host: FakeHost, used: tuple[int, ...]) -> None:
    """Of the links that take less than they say each is named; what fits arrives."""

    def loses(findings: Any) -> Any:
        return [f for f in findings if "loses packets of" in f["why"]]

    endpoints(net, *used[1:])
    connect(net, host)
    assert loses(check(net, host)) == []
    with (
        net.changed(net.target, "link set eth1 mtu 1300", "link set eth1 mtu 1500"),
        net.changed(net.target, "link set eth2 mtu 1300", "link set eth2 mtu 1500"),
    ):
        findings = check(net, host)
    lost = loses(findings)
    assert sorted(f["subject"] for f in lost) == [f"eth{i}" for i in used[:2]], findings
    assert {f["evidence"]["size"] for f in lost} == {"1500"}
