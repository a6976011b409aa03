# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that are printed may be pasted: they name their namespace, and take nothing away."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    defaults,
    endpoint,
    ip,
    joinable,
    joined,
    known_neighbour,
    limits,
    nft,
    pairs,
    sysctl,
    ways_to,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, Named, announce, on, one_each
from shape_net import Net
from shape_nvme import HIDE, NVME, QUICK, Finding, Machines, shown
from shape_pool import at_once, require
from shape_rows import behind, span

OTHER = ("10.1.2.2", "10.1.3.2")


def stale(net: Net) -> None:
    """Links with an endpoint of a device that has not its address, and one of no address."""
    joinable()(net)
    endpoint("host", "10.1.2.2", "dev", "eth3", "subflow", "id", "2")(net)
    endpoint("host", "10.1.99.2", "subflow", "id", "3")(net)


@pytest.mark.parametrize("form", ["name", "path"])
@pytest.mark.parametrize("what", ["check", "repair", "setup"])
@at_once
def test_the_namespace_is_named(form: str, what: str, net: Net, machines: Machines) -> None:
    """Pasted in namespace A, what was printed on B mends B and leaves A as it was."""
    stale(net)
    net.add("a")
    for i, address in ((2, "10.7.2.2"), (3, "10.7.3.2")):
        net.ip(
            "a", f"link add eth{i} type veth peer name peer{i}", f"addr add {address}/24 dev eth{i}"
        )
        net.ip("a", f"mptcp endpoint add {address} dev eth{i} subflow id {i}")
    before = net.endpoints("a"), net.limits("a")
    machines.offer("0.0.0.0")
    if what == "repair":
        net.ip("host", "mptcp endpoint flush")
        for i in (2, 3):
            net.ip("host", f"mptcp endpoint add 10.1.{i}.2 dev eth{i} subflow id {i}")
        machines.attach(PORTAL)
        net.settles(LINKS, on(3))
        net.run("host", "ss", "-K", "src", "10.1.3.2")
    name = net.name("host") if form == "name" else f"/run/netns/{net.name('host')}"
    words = {
        "check": ["check", "--role", "host", "--traddr", PORTAL, "--no-trial", *QUICK],
        "repair": ["repair", "--dry-run"],
        "setup": ["setup", "--role", "host", "--traddr", PORTAL, "--replace"],
    }[what]
    done = subprocess.run(
        [*HIDE, NVME, "mptcp", *words, "--netns", name, "-o", "json"],
        capture_output=True, text=True, timeout=30, env=machines.environment("host"),
    )  # fmt: skip
    document = json.loads(done.stdout)
    if what == "check":
        printed = [c for s, c in machines.commands(document["findings"]) if s == "host"]
    else:
        printed = [step["command"] for step in document["steps"]]
    assert printed, done.stdout
    for command in printed:
        if command.startswith("nvme reset"):
            continue
        run = subprocess.run(
            ["ip", "netns", "exec", net.name("a"), "sh", "-ec", command],
            capture_output=True, text=True, timeout=30, env=machines.environment("host"),
        )  # fmt: skip
        assert run.returncode == 0, f"{command}: {run.stderr or run.stdout}"
    assert (net.endpoints("a"), net.limits("a")) == before, printed
    assert all(net.name("host") in command for command in printed), printed


@dataclass(frozen=True)
class Unreachable(Named):
    """Why a join ends with EHOSTUNREACH although its endpoint is right, and what ends that."""

    mend: Step
    #: Words of which the findings have to hold one.
    words: tuple[str, ...]
    needs: str = "veth"


REJECTS = (
    "meta nfproto ipv4 ip saddr 10.1.3.2 tcp dport 4420 reject with icmp type host-unreachable",
)

UNREACHABLE = [
    Unreachable("silent-neighbour",
                both(ip("target", "link set eth3 arp off"), ip("host", "neigh flush dev eth3")),
                ip("target", "link set eth3 arp on"), ("neighbour", "next hop", "does not answer")),
    Unreachable("missing-carrier", ip("target", "link set eth3 down"),
                both(ip("target", "link set eth3 up"),
                     ip("host", f"route replace {PORTAL} via 10.1.3.1 dev eth3 metric 2003")),
                ("carrier", "cable")),
    Unreachable("unreachable-by-a-router",
                both(sysctl("target", "net.ipv4.ip_forward=1"),
                     ip("target", "rule add pref 10 table local", "rule del pref 0",
                        "rule add iif eth3 pref 5 type unreachable"),
                     known_neighbour),
                ip("target", "rule del iif eth3 pref 5 type unreachable"),
                ("reject", "REJECT", "refus", "firewall", "router", "unreachable")),
    Unreachable("rejected-by-the-target", nft("target", "input", *REJECTS),
                lambda net: net.run("target", "nft", "delete", "table", "inet", "shape") and None,
                ("reject", "REJECT", "refus", "firewall"), "nft"),
    Unreachable("rejected-by-the-host", nft("host", "output", *REJECTS),
                lambda net: net.run("host", "nft", "delete", "table", "inet", "shape") and None,
                ("firewall", "nft"), "nft"),
    # Without a route IPv4 takes the portal for a neighbour, for which eth3 answers.
    *(
        Unreachable(f"{kind}-route-of-the-host",
                    both(ip("host", f"rule add from 10.1.3.2 pref 5 type {kind}"),
                         sysctl("target", "net.ipv4.conf.all.arp_ignore=1")),
                    lambda net: net.run("host", "sh", "-c", "ip rule del pref 5; true") and None,
                    ("route", "rule"))
        for kind in ("unreachable", "prohibit", "blackhole")
    ),
]  # fmt: skip


def deletes(machines: Machines, findings: list[Finding], *addresses: str) -> list[str]:
    """Printed commands that take an endpoint of these addresses away, by address or id."""
    pattern = re.compile(r"mptcp endpoint (?:delete|del|flush|replace)\b(?: id (\d+))?(.*)")
    return [
        command
        for _, command in machines.commands(findings)
        if (match := pattern.search(command))
        and (match[1] in (None, "2", "3") or any(a in match[2] for a in addresses))
    ]


@pytest.mark.parametrize("how", ["trial", "connected", "later"])
@pytest.mark.parametrize("fault", UNREACHABLE, ids=str)
@at_once
def test_a_good_endpoint_stays(fault: Unreachable, how: str, net: Net, machines: Machines) -> None:
    require(fault.needs)
    joined()(net)
    before = net.endpoints("host")
    machines.offer("0.0.0.0")
    if how == "later":
        machines.attach(PORTAL)
        net.settles(LINKS, one_each)
    fault.build(net)
    if how == "trial":
        findings, _ = machines.trial(PORTAL)
    else:
        if how == "later":
            net.run("host", "ss", "-K", "src", "10.1.3.2")
        else:
            machines.attach(PORTAL)
        net.settles(LINKS, lambda now: False, 0.5)
        status, findings = machines.check("host")
        assert status, f"nothing is found:\n{shown(findings)}"
    assert deletes(machines, findings, *OTHER) == [], shown(findings)
    assert any(word in f["why"] for f in findings for word in fault.words), shown(findings)
    assert "another network" not in shown(findings)
    for side, command in machines.commands(findings):
        if re.match(r"(ip|sysctl) ", command) and "show" not in command:
            net.run(side, "sh", "-ec", command)
    fault.mend(net)
    net.ip("host", "neigh flush dev eth3")
    assert [e for e in net.endpoints("host") if "eth" in e] == before
    if how == "trial":
        machines.attach(PORTAL)
    else:
        machines.reattach()
    assert one_each(net.settles(LINKS, one_each))


KEPT = [
    ("wrong-device", ("10.1.2.2", "dev", "eth3", "subflow", "backup", "id", "77"),
     r"10\.1\.2\.2 id 77 subflow backup dev eth2"),
    ("no-device", ("10.1.2.2", "subflow", "backup", "id", "78"),
     r"10\.1\.2\.2 id 78 subflow backup dev eth2"),
    ("fullmesh", ("10.1.2.2", "dev", "eth3", "subflow", "fullmesh", "id", "79"),
     r"10\.1\.2\.2 id 79 subflow fullmesh dev eth2"),
    ("everything", ("10.1.2.2", "dev", "eth3", "subflow", "backup", "fullmesh", "id", "80"),
     r"10\.1\.2\.2 id 80 subflow backup fullmesh dev eth2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "words", "kept"), KEPT, ids=[row[0] for row in KEPT])
@at_once
def test_what_is_replaced_keeps_its_properties(
    name: str, words: tuple[str, ...], kept: str, net: Net, machines: Machines
) -> None:
    joinable()(net)
    endpoint("host", *words)(net)
    (line,) = net.endpoints("host")
    assert all(word in line for word in words), line
    endpoint("host", "10.1.3.2", "dev", "eth3", "subflow", "id", "3")(net)
    machines.connect(PORTAL)
    net.settles(LINKS, lambda now: False, 0.3)
    _, findings = machines.check("host")
    replacing = [f for f in findings if "10.1.2.2" in f["subject"] and f["rule"] in ("H07", "H08")]
    assert replacing, shown(findings)
    machines.obey(replacing)
    assert re.search(kept, "\n".join(net.endpoints("host"))), net.endpoints("host")


@at_once
def test_laminar_is_kept(net: Net, machines: Machines) -> None:
    """Setup makes such endpoints where the target's addresses are all behind the first link."""
    both(pairs(span(2)), defaults(span(2)), behind(2))(net)
    machines.setup("host", "--traddr", "10.78.1.1,10.78.2.1")
    endpoints = machines.nvme("host", "show-endpoints", "-o", "json").json["endpoints"]
    laminar = {e["address"]: e["id"] for e in endpoints if "laminar" in e["flags"]}
    if not laminar:
        pytest.skip("skipped: this kernel has no laminar endpoints")
    net.ip("host", "addr del 10.1.2.2/24 dev eth2", "addr add 10.1.2.2/24 dev eth1")
    words = ("--traddr", "10.78.1.1", "--no-trial")
    _, findings = machines.check("host", *words)
    added = [c for _, c in machines.commands(findings) if "endpoint add 10.1.2.2" in c]
    assert added, shown(findings)
    assert all("laminar" in c and f"id {laminar['10.1.2.2']}" in c for c in added), added


@at_once
def test_an_announced_port_is_kept(net: Net, machines: Machines) -> None:
    pairs(span(2))(net)
    words = ("10.1.2.1", "port", "4421", "dev", "eth1", "signal", "backup", "id", "81")
    endpoint("target", *words)(net)
    machines.offer("0.0.0.0")
    _, findings = machines.check("target")
    replacing = [f for f in findings if f["rule"] == "H08"]
    assert replacing, shown(findings)
    machines.obey(replacing)
    (line,) = net.endpoints("target")
    for word in ("10.1.2.1", "id 81", "signal", "backup", "port 4421", "dev eth2"):
        assert word in line, line


def both_wrong(side: str, net: Net, machines: Machines) -> str:
    """Connect where both sides have faults; the name of the other side."""
    both(joinable(), limits("host", 2, 0), limits("target", 0, 0))(net)
    endpoint("target", "10.1.2.1", "dev", "eth3", "signal")(net)
    machines.connect(PORTAL)
    net.settles(LINKS, lambda now: False, 0.3)
    return "target" if side == "host" else "host"


@pytest.mark.parametrize("side", ["host", "target"])
@at_once
def test_commands_alone(side: str, net: Net, machines: Machines) -> None:
    """--commands prints only this side's, one a line, ready for a shell."""
    other = both_wrong(side, net, machines)
    peer = ["--peer", str(machines.report(other))]
    _, findings = machines.check(side, *peer)
    expected = [command for where, command in machines.commands(findings) if where == side]
    assert expected, shown(findings)
    result = machines.nvme(side, "check", "--role", side, *QUICK, *peer, "--commands")
    assert result.out.splitlines() == expected
    script = "\n".join(line for line in expected if not line.startswith("nvme reset"))
    net.run(side, "sh", "-en", stdin=script)
    net.run(side, *HIDE, "env", *(f"{k}={v}" for k, v in machines.environment(side).items()),
            "sh", "-e", stdin=script)  # fmt: skip


@pytest.mark.parametrize("side", ["host", "target"])
@at_once
def test_commands_for_the_other_side_name_its_namespace(
    side: str, net: Net, machines: Machines
) -> None:
    """Its report was made from outside; one whose name a shell would take apart is not printed."""
    other = both_wrong(side, net, machines)
    path = machines.report(other, outside=True)
    _, findings = machines.check(side, "--peer", str(path))
    printed = [command for where, command in machines.commands(findings) if where == other]
    assert printed, shown(findings)
    for command in printed:
        assert net.name(other) in command or command.startswith("nvme reset"), command
    path.write_text(path.read_text().replace(f'"netns":"{net.name(other)}"', '"netns":"a;b"'))
    assert "a;b" in path.read_text()
    _, findings = machines.check(side, "--peer", str(path))
    assert not [command for _, command in machines.commands(findings) if "a;b" in command]


@at_once
def test_the_text_names_the_side(net: Net, machines: Machines) -> None:
    both(joinable(), limits("host", 2, 0))(net)
    machines.connect(PORTAL)
    _, findings = machines.check("host")
    result = machines.nvme("host", "check", "--role", "host", *QUICK)
    for side, command in machines.commands(findings):
        assert re.search(rf"{side} *# {re.escape(command)}\n", result.out), result.out


@pytest.mark.parametrize("accepted", [0, 8])
@at_once
def test_announcements_instead_of_endpoints_do_not_double(
    accepted: int, net: Net, machines: Machines
) -> None:
    """H01 with T01, or with H06: five subflows on three links, then nothing found."""
    both(pairs(span(3)), ways_to(PORTAL, span(3)), limits("host", 2, accepted),
         announce(*(() if accepted else span(3))))(net)  # fmt: skip
    findings = machines.found_by("peer", PORTAL, 0.3)
    findings += machines.check("target", "--peer", str(machines.report("host")))[1]
    machines.obey(findings)
    assert one_each(net.settles(LINKS, one_each)), shown(findings)
