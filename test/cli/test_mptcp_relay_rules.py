# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: what it refuses, and the rules that --dry-run prints."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import schema
from mptcp_net import why_not
from test_mptcp import conforms, run

SCHEMA = schema("mptcp-relay")


def rules(*options: str, status: int = 0) -> str:
    result = run("mptcp", "relay", "--dry-run", *options, status=status)
    return result.out if not status else result.err


def test_dry_run_of_a_host() -> None:
    said = rules("--portal", "198.51.100.1,198.51.100.2:4421,[2001:db8::1]:4420,2001:db8::2")
    assert "ip daddr . tcp dport { 198.51.100.1 . 4420, 198.51.100.2 . 4421 } goto steer4" in said
    assert "ip6 daddr . tcp dport { 2001:db8::1 . 4420, 2001:db8::2 . 4420 } goto steer6" in said
    assert "flags owner" in said
    assert "tproxy ip to 127.77.0.2:4421 accept" in said
    assert "ip -6 rule add fwmark 0x4e4d5001 table 44200 priority 950" in said


def test_dry_run_of_a_target() -> None:
    said = rules("--port", "4420,8009", "--dev", "lo")
    assert 'iifname { "lo" } fib daddr type local' in said
    assert "tcp dport 8009 tproxy ip6 to [::1]:8009 accept" in said
    assert "ip rule" not in said and "output" not in said


def test_dry_run_as_json() -> None:
    result = run("mptcp", "relay", "--dry-run", "--portal", "198.51.100.1", "-o", "json")
    document = conforms(json.loads(result.out), SCHEMA)
    assert "table inet nvme_mptcp_relay" in document["rules"]


def test_nft_takes_the_rules() -> None:
    if why_not():
        pytest.skip(str(why_not()))
    said = rules("--portal", "198.51.100.1,2001:db8::1", "--port", "4420", "--dev", "lo")
    table = said[said.index("table") : said.index("\n}\n") + 3]
    subprocess.run(["unshare", "-n", "nft", "-c", "-f", "-"], input=table, text=True, check=True)


def test_by_address_needs_no_rules() -> None:
    said = rules("--portal", "198.51.100.1,[2001:db8::1]:8009", "--mode", "address")
    assert "table" not in said
    assert "Connect to 127.51.100.1:4420 for portal 198.51.100.1:4420" in said
    assert "Connect to 127.0.0.1:8009 for portal [2001:db8::1]:8009" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--portal", "198.51.100.1,198.51.100.1:4420"], "portal 198.51.100.1:4420 is given twice"),
        (["--portal", "target.example"], "portal target.example: not an address and port"),
        (["--portal", "198.51.100.1:0"], "portal 198.51.100.1:0: not an address and port"),
        (["--portal", "198.51.100.1:70000"], "portal 198.51.100.1:70000: not an address and port"),
        (["--portal", "[2001:db8::1]4420"], "portal [2001:db8::1]4420: not an address and port"),
        (["--portal", "[fe80::1%lo]:4420"], "portal [fe80::1]:4420: it is link-local"),
        (
            ["--portal", "2001:db8::1%lo"],
            "it has connections that are bound to a network interface",
        ),
        (
            ["--portal", "[2001:db8::1%lo]:8009"],
            "portal [2001:db8::1]:8009: it has connections that",
        ),
        (["--portal", "127.0.0.1"], "portal 127.0.0.1:4420: it is a loopback address"),
        (["--portal", "0.0.0.0"], "portal 0.0.0.0:4420: it is not a unicast address"),
        (["--portal", "224.0.0.1"], "portal 224.0.0.1:4420: it is not a unicast address"),
        (["--port", "0"], "port 0: not a number from 1 to 65535"),
        (["--port", "4420,4420"], "port 4420 is given twice"),
        (["--port", "4420", "--dev", "nonesuch0"], "link nonesuch0: no such network interface"),
        (["--dev", "lo"], "--dev=lo requires --port"),
        (["--portal", "198.51.100.1", "--dev", "lo"], "--dev=lo requires --port"),
        (["--port", "4420", "--mode", "address"], "mode address is for hosts"),
        (["--portal", "198.51.100.1", "--mode", "x"], "--mode=x: use steer or address"),
        (["--portal", "198.51.100.1", "--send-buffer", "1"], "--send-buffer=1: 16Ki to 1Gi"),
        (["--portal", "198.51.100.1", "--connections", "0"], "--connections=0: 1 to 1000000"),
        (
            ["--port", "4420", "--per-source", "1000001"],
            "--per-source=1000001: the maximum is 1000000",
        ),
        (["--portal", "198.51.100.1", "--threads", "257"], "--threads=257: the maximum is 256"),
        (["--port", "4420", "--netns", "x"], "--netns is for --status"),
        (
            ["--portal", "198.51.100.1,203.51.100.1", "--mode", "address"],
            "would both have the loopback address 127.51.100.1:4420",
        ),
    ],
)
def test_errors(options: list[str], said: str) -> None:
    assert said in rules(*options, status=1)


def test_nothing_to_relay() -> None:
    """The unit tells this status from a failure, which another start may not have."""
    assert "Nothing to relay: a host takes --portal" in rules("--config", "none", status=6)


@pytest.mark.parametrize(
    ("relay", "said"),
    [
        ({"portals": "all"}, '.portals: must be an array of portals, or "auto"'),
        ({"portals": [1]}, ".portals[0]: must be a portal"),
        ({"ports": [0]}, ".ports[0]: must be a whole number from 1 to 65535"),
        ({"ports": ["4420"]}, ".ports[0]: must be a whole number from 1 to 65535"),
        ({"links": ["eth0eth0eth0eth0"]}, ".links[0]: must be the name of a network interface"),
        ({"mode": "fast"}, '.mode: must be "steer" or "address"'),
        ({"portal": []}, ".portal: unknown key; use portals, ports, links or mode"),
        ([], ".relay: must be an object"),
        ({"portals": ["198.51.100.1", "198.51.100.1"]}, "portal 198.51.100.1:4420 is given twice"),
    ],
)
def test_errors_of_the_configuration(tmp_path: Path, relay: object, said: str) -> None:
    config = tmp_path / "config.json"
    host = {"hostnqn": "nqn.2024-01.lab:host", "mptcp": {"relay": relay}}
    config.write_text(json.dumps([host]))
    assert said in rules("--config", str(config), status=1)


def test_hosts_of_one_target(tmp_path: Path) -> None:
    """Objects of several hosts may name the same portal and port, and a card that is missing."""
    relay: dict[str, Any] = {"portals": ["198.51.100.1"], "ports": [4420], "links": ["gone0", "lo"]}
    hosts = [{"hostnqn": f"nqn.2024-01.lab:{n}", "mptcp": {"relay": relay}} for n in "ab"]
    config = tmp_path / "config.json"
    config.write_text(json.dumps(hosts))
    said = rules("--config", str(config))
    assert said.count("198.51.100.1 . 4420") == 1
    assert 'iifname { "gone0", "lo" } fib' in said
    assert "# Link gone0: no such network interface, until it appears" in said


def test_automatic_portals(tmp_path: Path) -> None:
    def port(transport: str, traddr: str, **more: str) -> dict[str, str]:
        return {"transport": transport, "traddr": traddr} | more

    ports = [
        port("tcp", "198.51.100.1", trsvcid="4420"),
        port("mptcp", "2001:db8::1"),
        port("mptcp", "198.51.100.1"),
        port("rdma", "198.51.100.9"),
        port("tcp", "target.example"),
        port("tcp", "127.0.0.1"),
        port("tcp", "198.51.100.7", host_iface="eth9"),
        port("tcp", "2001:db8::7", host_iface="eth9", trsvcid="8009"),
    ]
    host: dict[str, Any] = {
        "hostnqn": "nqn.2024-01.lab:host",
        "mptcp": {"relay": {"portals": "auto"}},
        "subsystems": [{"nqn": "nqn.2024-01.lab:disk", "ports": ports}],
    }
    config = tmp_path / "config.json"
    config.write_text(json.dumps([host]))
    said = rules("--config", str(config))
    assert "ip daddr . tcp dport { 198.51.100.1 . 4420 }" in said
    assert "ip6 daddr . tcp dport { 2001:db8::1 . 4420 }" in said
    assert "198.51.100.9" not in said
    assert "# Portal 127.0.0.1:4420 is not relayed: it is a loopback address" in said
    # Rules would take their packets away from the interface.
    for portal in ("198.51.100.7:4420", "[2001:db8::7]:8009"):
        assert f"# Portal {portal} is not relayed: it has connections that are bound" in said
    assert "# Portal target.example:4420 is not relayed: names are not resolved" in said
    host["subsystems"][0]["ports"] = ports[-3:]
    config.write_text(json.dumps([host]))
    said = rules("--config", str(config), status=6)
    assert "none of them is an address that can be relayed" in said
