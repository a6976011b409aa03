# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp setup --relay: what it writes to config.json, and what it asks of systemctl."""

import fcntl
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, Nvme, Result
from fake_sysfs import HOSTID, HOSTNQN, FakeHost
from mptcp_net import Network
from test_mptcp import conforms, endpoints
from test_mptcp_config import net, network
from test_mptcp_relay import Pair, Relay, pair
from test_mptcp_setup import SCHEMA, actions

__all__ = ["net", "network", "pair"]

UNIT = "nvme-mptcp-relay.service"
KEEP = "nvme-mptcp.service"
PORTAL = "10.77.1.1:4420"
HOST = ("--role", "host", "--traddr", "10.77.1.1", "--relay")
TARGET = ("--role", "target", "--relay")
OTHER = "nqn.2026-01.org.example:other"

#: Nothing of it is as a program would lay it out or order it.
LAID_OUT = """[
	{ "zebra": [null, true, {}, []], "hostnqn": "nqn.2026-01.org.example:other",
	"numbers": [1.10, 1e3, 2.0, -9223372036854775808, 9223372036854775807, 0.1000000000000000055],
	"\\u0061": "\\/]}\\"\\u0001 \\u00e9" },
	{
		"later": "x",   "hostnqn": "NQN",   "dhchap_key": "DHHC-1:00:AAAA:",
		"mptcp": {
			"relay": {
				"portals": [
					"10.77.9.1"
				]
			}
		},
		"subsystems": []
	}
]

"""

#: Notes what it is asked, and answers from the files beside it. The relay's unit wants keep's.
SYSTEMCTL = """#!/bin/sh
here=${0%/*}
echo "$*" >>$here/asked
case "$1 $2" in
cat*) [ -e $here/unit ] ;;
"is-active nvme-mptcp.service") [ -e $here/keeps ] ;;
is-active*) [ -e $here/active ] ;;
is-enabled*) [ -e $here/enabled ] ;;
"enable --now")
	touch $here/enabled
	[ ! -e $here/broken ] || { echo "Job for $3 failed" >&2; exit 1; }
	echo started
	touch $here/active
	[ -e $here/masked ] || touch $here/keeps ;;
start*) [ -e $here/masked ] || touch $here/keeps ;;
enable*) touch $here/enabled ;;
reload*) ;;
show*) [ ! -e $here/environment ] || cat $here/environment ;;
*) exit 64 ;;
esac
"""


def in_order(text: str) -> str:
    """Drop the layout: keys stay in their order, and whole numbers differ from others."""
    return json.dumps(json.loads(text))


class Machine:
    """A side of the network with a systemd of its own, whose systemctl is a stand-in."""

    def __init__(self, nvme: Nvme, net: Network, side: str, tmp_path: Path) -> None:
        self.nvme, self.net, self.side = nvme, net, side
        self.config = nvme.host.etc / "config.json"
        self.programs = tmp_path / "programs"
        self.programs.mkdir()
        program = self.programs / "systemctl"
        program.write_text(SYSTEMCTL)
        program.chmod(0o755)
        self.has("unit")

    def has(self, *states: str) -> None:
        """The unit is so."""
        for state in states:
            (self.programs / state).touch()

    def asked(self) -> list[str]:
        """What systemctl was asked to change since the last time."""
        path = self.programs / "asked"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        looks = ("cat", "is-active", "is-enabled", "show")
        return [line for line in lines if line.split()[0] not in looks]

    def setup(self, *options: str, systemd: bool = True, uid: int | None = None) -> Result:
        """Run nvme mptcp setup there, where /run is empty but for the mark of systemd."""
        environment = self.nvme.environment()
        environment["PATH"] = f"{self.programs}:{environment['PATH']}"
        preload = environment.pop("LD_PRELOAD")
        mark = "mkdir -p /run/systemd/system; " if systemd else ""
        script = f'mount -t tmpfs tmpfs /run; {mark}exec env LD_PRELOAD="$0" "$@"'
        user = ["setpriv", f"--reuid={uid}", "--clear-groups"] if uid else []
        done = subprocess.run(
            ["nsenter", f"--net=/run/netns/{self.side}", "unshare", "--mount", "sh", "-ec", script,
             preload, *user, NVME, "mptcp", "setup", *options],
            capture_output=True, text=True, timeout=60, env=environment, check=False,
        )  # fmt: skip
        assert 0 <= done.returncode < 90, done
        assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def plan(self, *options: str, status: int = 0) -> Any:
        """The plan, as JSON."""
        result = self.setup("-o", "json", *options)
        assert result.status == status, result
        return conforms(result.json, SCHEMA)

    def document(self) -> Any:
        """The configuration."""
        return json.loads(self.config.read_text())

    def refusal(self, *options: str) -> str:
        """What setup says that changes nothing."""
        before = self.config.read_text() if self.config.is_file() else None
        result = self.setup(*options, "--apply")
        assert (result.status, self.asked(), self.endpoints()) == (1, [], []), result
        assert before == (self.config.read_text() if self.config.is_file() else None)
        return result.err

    def endpoints(self) -> Any:
        """Endpoints of the side."""
        return endpoints(self.side)["endpoints"]


@pytest.fixture
def host_side(nvme: Nvme, net: Network, tmp_path: Path) -> Machine:
    return Machine(nvme, net, net.host, tmp_path)


@pytest.fixture
def target_side(nvme: Nvme, net: Network, tmp_path: Path) -> Machine:
    return Machine(nvme, net, net.target, tmp_path)


def test_a_host_from_nothing(host_side: Machine) -> None:
    plan = host_side.plan(*HOST)
    config, service = plan["steps"][-2:]
    assert (config["action"], service["action"]) == ("config", "command")
    assert config["command"] == (
        f'# /etc/nvme/config.json: "mptcp":{{"relay":{{"portals":["{PORTAL}"]}}}}'
    )
    assert service["command"] == f"systemctl enable --now {UNIT}"
    assert {step["state"] for step in plan["steps"]} == {"planned"}
    assert not host_side.config.exists() and host_side.asked() == []
    assert host_side.endpoints() == []

    result = host_side.setup(*HOST, "--apply")
    assert (result.status, "all steps are done" in result.out) == (0, True), result
    # What systemctl prints is no part of a document.
    assert "started" in result.err and "started" not in result.out
    connect = "host# nvme connect -t tcp -a 10.77.1.1 -s 4420 -n NQN --reconnect-delay=1"
    assert connect in result.out, result
    mptcp = {"relay": {"portals": [PORTAL]}}
    written = [{"hostnqn": HOSTNQN, "hostid": HOSTID, "mptcp": mptcp}]
    assert host_side.document() == written
    assert host_side.asked() == [f"enable --now {UNIT}"]
    assert len(host_side.endpoints()) == 2

    written, inode = host_side.config.read_bytes(), host_side.config.stat().st_ino
    assert host_side.plan(*HOST, "--apply")["steps"] == []
    assert (host_side.config.read_bytes(), host_side.config.stat().st_ino) == (written, inode)
    assert host_side.asked() == []


def test_the_rest_of_the_file_stays_as_it_is(host_side: Machine) -> None:
    before = LAID_OUT.replace("NQN", HOSTNQN)
    host_side.config.write_text(before)
    host_side.config.chmod(0o640)
    os.chown(host_side.config, 7, 8)
    host_side.has("active", "enabled", "keeps")
    plan = host_side.plan(*HOST, "--trsvcid", "4421", "--apply")
    assert plan["steps"][-1]["command"] == f"systemctl reload {UNIT}"
    assert {step["state"] for step in plan["steps"]} == {"done"}
    assert host_side.asked() == [f"reload {UNIT}"]
    wanted = before.replace('"10.77.9.1"', '"10.77.9.1", "10.77.1.1:4421"')
    assert in_order(host_side.config.read_text()) == in_order(wanted)
    found = host_side.config.stat()
    assert (found.st_mode & 0o777, found.st_uid, found.st_gid) == (0o640, 7, 8)
    # Several accumulate.
    host_side.plan(*HOST, "--apply")
    assert host_side.document()[1]["mptcp"]["relay"]["portals"] == [
        "10.77.9.1", "10.77.1.1:4421", PORTAL,
    ]  # fmt: skip


@pytest.mark.parametrize("spelling", ["10.77.1.1", PORTAL])
def test_what_is_there_is_not_added(host_side: Machine, spelling: str) -> None:
    """Whichever host has it, and however it is written."""
    relay = {"relay": {"portals": [spelling]}}
    host_side.config.write_text(json.dumps([{"hostnqn": OTHER, "mptcp": relay}]))
    host_side.has("active", "keeps")
    plan = host_side.plan(*HOST)
    assert "config" not in actions(plan)
    assert plan["steps"][-1]["command"] == f"systemctl enable {UNIT}"


def test_the_document_may_be_an_object(host_side: Machine) -> None:
    document: Any = {"version": 1, "hosts": [{"hostnqn": HOSTNQN, "mptcp": {"ignore": ["H14"]}}]}
    host_side.config.write_text(json.dumps(document))
    host_side.plan(*HOST, "--apply")
    document["hosts"][0]["mptcp"]["relay"] = {"portals": [PORTAL]}
    assert host_side.document() == document


def test_auto_is_left_alone(host_side: Machine) -> None:
    before = json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"relay": {"portals": "auto"}}}])
    host_side.config.write_text(before)
    plan = host_side.plan(*HOST, "--apply")
    assert "config" not in actions(plan)
    assert any('"auto"' in note["text"] and PORTAL in note["text"] for note in plan["notes"])
    assert host_side.config.read_text() == before


def test_a_target(target_side: Machine) -> None:
    result = target_side.setup(*TARGET)
    assert (result.status, "nvmet has no port with trtype tcp" in result.err) == (1, True), result
    plan = target_side.plan(*TARGET, "--port", "4420,4421", "--dev", "eth1,eth2", "--apply")
    assert plan["steps"][-1]["command"] == f"systemctl enable --now {UNIT}"
    relay = target_side.document()[0]["mptcp"]["relay"]
    assert relay == {"ports": [4420, 4421], "links": ["eth1", "eth2"]}
    assert target_side.plan(*TARGET, "--port", "4421", "--dev", "eth1,eth2")["steps"] == []


def test_links_of_the_configuration(target_side: Machine) -> None:
    """The relay takes connections on no others, so that nothing is announced there."""
    relay = {"ports": [4420], "links": ["eth2", "gone0"]}
    target_side.config.write_text(json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"relay": relay}}]))
    plan = target_side.plan(*TARGET, "--port", "4420", "--apply")
    assert [link["link"] for link in plan["links"]] == ["eth2"]
    notes = " ".join(note["text"] for note in plan["notes"])
    assert "link gone0 for the relay, which does not exist" in notes and "--dev LINK" in notes
    assert target_side.document()[0]["mptcp"]["relay"] == relay
    relay["links"] = ["gone0"]
    target_side.config.write_text(json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"relay": relay}}]))
    assert "none of them exists" in target_side.setup(*TARGET, "--port", "4420").err


def test_the_family_of_ports_to_relay(target_side: Machine, host: FakeHost) -> None:
    """It is the same before the relay runs as afterwards."""
    host.target_port(1, "tcp", "::", trsvcid=4420)
    plan = target_side.plan(*TARGET)
    assert {link["address"] for link in plan["links"]} == {"fd77:1::1", "fd77:2::1"}


def test_ports_of_nvmet(target_side: Machine, host: FakeHost) -> None:
    """Those of tcp, each once; the file of another host gets what it has not."""
    for name, trtype, address, port in (
        (1, "tcp", "10.77.1.1", 4420), (2, "tcp", "10.77.2.1", 4420),
        (3, "rdma", "10.77.1.1", 4422), (4, "mptcp", "10.77.1.1", 4423),
    ):  # fmt: skip
        host.target_port(name, trtype, address, trsvcid=port)
    target_side.config.write_text(json.dumps([{"hostnqn": OTHER}]))
    target_side.plan(*TARGET, "--apply")
    assert target_side.document() == [
        {"hostnqn": OTHER},
        {"hostnqn": HOSTNQN, "hostid": HOSTID, "mptcp": {"relay": {"ports": [4420]}}},
    ]


def test_a_name_that_is_no_utf8(host_side: Machine, host: FakeHost) -> None:
    (host.etc / "hostnqn").write_bytes(b"nqn.2026-01.org.example:\xff\n")
    assert "not UTF-8" in host_side.refusal(*HOST)


BAD_FILES = {
    "[{]": r"config.json:1: .*expected a key in quotes",
    "": r"config.json:1: .*the file ends",
    "{}": r"the array of hosts is missing",
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": []}}]': r"\$\[0\].mptcp: must be an object",
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": null}}]': r"\$\[0\].mptcp: must be an object",
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": {{"relay": 1}}}}]': r"mptcp.relay: must be an object",
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": {{"relay": {{"portals": {{}}}}}}}}]': r"must be an array",
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": {{"relay": {{"portals": ["10.77.1.2"]}}}}}}]': (
        r"portal 10.77.1.2:4420: it is an address of this machine"
    ),
    f'[{{"hostnqn": "{HOSTNQN}", "mptcp": {{"relay": {{"mode": "address", '
    '"portals": ["11.77.1.1"]}}}]': r"would both have the loopback address 127.77.1.1:4420",
}


@pytest.mark.parametrize("content", BAD_FILES)
def test_a_wrong_file_is_refused(host_side: Machine, content: str) -> None:
    host_side.config.write_text(content)
    assert re.search(BAD_FILES[content], host_side.refusal(*HOST))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((*HOST[:2], "--relay"), "--traddr is required"),
        ((*HOST, "--port", "4420"), "--port applies to targets"),
        ((*HOST, "--trsvcid", "0"), "portal 10.77.1.1:0: not an address and port"),
        ((*HOST, "--netns", "x"), "--netns=x: the relay's service"),
        ((*TARGET, "--trsvcid", "4420"), "--trsvcid applies to hosts"),
        ((*TARGET, "--port", "70000"), "port 70000: not a number from 1 to 65535"),
        ((*HOST[:4], "--trsvcid", "4420"), "--trsvcid requires --relay"),
    ],
)
def test_wrong_options(host_side: Machine, options: tuple[str, ...], reason: str) -> None:
    assert reason in host_side.refusal(*options)


def test_no_name_of_this_host(host_side: Machine, host: FakeHost) -> None:
    (host.etc / "hostnqn").unlink()
    assert "gen-hostnqn >/etc/nvme/hostnqn" in host_side.refusal(*HOST)
    shutil.rmtree(host.etc)
    assert "mkdir -p /etc/nvme && nvme gen-hostnqn" in host_side.refusal(*HOST)


def test_a_file_that_cannot_be_written(host_side: Machine) -> None:
    host_side.config.mkdir()
    assert "/etc/nvme/config.json: " in host_side.refusal(*HOST)


def test_another_program_has_the_file(host_side: Machine) -> None:
    """What was planned before is undone, and the service does not start."""
    lock = host_side.config.parent / ".config.json.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        plan = host_side.plan(*HOST, "--apply", status=1)
    states = [step["state"] for step in plan["steps"]]
    assert states == ["undone"] * (len(states) - 2) + ["failed", "planned"]
    assert "locked" in plan["steps"][-2]["error"]
    assert not host_side.config.exists()
    assert host_side.asked() == [] and host_side.endpoints() == []


def test_the_service_fails(host_side: Machine) -> None:
    host_side.has("broken")
    plan = host_side.plan(*HOST, "--apply", status=1)
    assert plan["steps"][-1]["state"] == "failed"
    assert plan["steps"][-1]["error"].startswith("exit status 1")
    # What is configured remains, and the next run starts it.
    assert host_side.config.exists()
    (host_side.programs / "broken").unlink()
    assert actions(host_side.plan(*HOST, "--apply")) == ["command"]


@pytest.mark.parametrize("what", ["systemd", "unit", "systemctl"])
def test_no_service_to_start(host_side: Machine, what: str) -> None:
    if what != "systemd":
        (host_side.programs / what).unlink()
    if what == "systemctl":
        (host_side.programs / what).write_text("#!/none\n")
    result = host_side.setup(*HOST, "--apply", systemd=what != "systemd")
    assert result.status == 0 and "\nnvme mptcp relay\n" in result.out, result
    assert "\nnvme mptcp keep --auto\n" in result.out, result
    assert host_side.config.exists() and host_side.asked() == []


def test_keep_starts_with_a_relay_that_runs(host_side: Machine) -> None:
    """By the relay's unit, which wants it; nothing is left to do afterwards."""
    host_side.has("active", "enabled")
    host_side.plan(*HOST, "--apply")
    assert host_side.asked() == [f"reload {UNIT}", f"start {UNIT}"]
    assert host_side.plan(*HOST, "--apply")["steps"] == []


def test_keep_that_does_not_run_is_reported(host_side: Machine) -> None:
    host_side.has("masked")
    result = host_side.setup(*HOST, "--apply")
    assert (result.status, f"{KEEP} is not running" in result.err) == (0, True), result
    assert host_side.asked() == [f"enable --now {UNIT}"]


def test_keep_uses_the_links_that_are_named(host_side: Machine) -> None:
    """A keep that runs reads them; one that starts plans for them alone."""
    host_side.has("keeps")
    host_side.plan(*HOST, "--dev", "eth1", "--apply")
    relay = host_side.document()[0]["mptcp"]["relay"]
    assert relay == {"portals": [PORTAL], "links": ["eth1"]}
    assert host_side.asked() == [f"enable --now {UNIT}", f"reload {KEEP}"]
    keep = ("--auto", "--role", "host", "--traddr", "10.77.1.1", "--netns", host_side.side)
    for more, links in (((), ["eth1"]), (("--dev", "eth2"), ["eth2"])):
        plan = host_side.nvme("mptcp", "keep", "--dry-run", "-o", "json", *keep, *more).json
        assert [link["link"] for link in plan["links"]] == links


#: The property Environment as systemctl prints it, and what of it replaces config.json.
SERVICE_OPTIONS = (
    ('A=b "RELAY_OPTIONS=--threads 2 --port 4420" C=d\n', "--threads 2 --port 4420"),
    ("RELAY_OPTIONS=--portal=10.77.9.1 C=d\n", "--portal=10.77.9.1"),
    ('"RELAY_OPTIONS=-J /etc/other.json"\n', "-J /etc/other.json"),
    ('"RELAY_OPTIONS=--send-buffer 1M --threads 2"\n', None),
    ("RELAY_OPTIONS=\n", None),
    ("\n", None),
)


@pytest.mark.parametrize(("environment", "options"), SERVICE_OPTIONS)
def test_options_of_the_service(host_side: Machine, environment: str, options: str | None) -> None:
    """They replace config.json, so that nothing is written there or changed."""
    (host_side.programs / "environment").write_text(environment)
    if options is None:
        host_side.plan(*HOST, "--apply")
    else:
        said = host_side.refusal(*HOST)
        assert f'RELAY_OPTIONS="{options}" of {UNIT} replaces /etc/nvme/config.json' in said
        assert f"systemctl edit {UNIT}" in said
    assert host_side.config.exists() == (options is None)


#: config.json, options, the variable of the unit, and is that reported?
IGNORED = (
    ({"relay": {"portals": ["10.77.2.1"]}}, ("--portal", PORTAL), f"--portal {PORTAL}", True),
    ({"relay": {"portals": ["10.77.2.1"]}}, ("--portal", PORTAL), "", False),
    ({}, ("--portal", PORTAL), f"--portal {PORTAL}", False),
    ({"relay": {"portals": [PORTAL]}}, ("--threads", "1"), "--threads 1", False),
)


@pytest.mark.parametrize(("mptcp", "options", "variable", "is_reported"), IGNORED)
def test_options_of_the_service_replace_the_configuration(
    pair: Pair,
    tmp_path: Path,
    mptcp: object,
    options: tuple[str, ...],
    variable: str,
    is_reported: bool,
) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": mptcp}]))
    script = f'mount -t tmpfs tmpfs /etc; mkdir /etc/nvme; cp {config} /etc/nvme/; exec "$@"'
    own_etc = ("unshare", "--mount", "sh", "-ec", script, "sh")
    with Relay(pair.host, *options, prefix=own_etc, RELAY_OPTIONS=variable) as host:
        texts = [text for text in host.texts() if "RELAY_OPTIONS" in text]
    assert len(texts) == is_reported, texts
    if is_reported:
        said = f'RELAY_OPTIONS="{variable}" replaces the object "relay" of /etc/nvme/config.json'
        assert texts[0].startswith(said) and "systemctl edit nvme-mptcp-relay" in texts[0]
