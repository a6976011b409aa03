# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp keep on the MPTCP of this machine's kernel, in namespaces of their own."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pytest
from conftest import NVME, TOP, Nvme
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import conforms, live, run
from test_mptcp_setup import (
    LINKS,
    TARGETS,
    actions,
    carried,
    endpoints,
    kill,
    proves,
    subflows,
    wait_for,
)

SCHEMA = json.loads((TOP / "doc/schema/mptcp-keep.json").read_text())
PLAN_SCHEMA = json.loads((TOP / "doc/schema/mptcp-plan.json").read_text())
AUTO = ["--auto", "--config", "none"]
HOST = [*AUTO, "--role", "host", "--traddr", "10.77.1.1"]
JOURNAL = Path("/run/systemd/journal/socket")
# More than it takes, on a machine that does much else.
LONG = 30


@pytest.fixture
def net() -> Iterator[Network]:
    """Four links between two namespaces with the limits that the kernel starts with."""
    with Network() as network:
        network.limits(2, 0)
        yield network


@pytest.fixture
def controller(host: FakeHost) -> FakeHost:
    """A controller of three queues."""
    host.subsystem(0, "nqn.2024-01.lab:disk").controller(
        0, "mptcp", "traddr=10.77.1.1,trsvcid=4420", queue_count="3"
    )
    return host


class Keep:
    """A keeper that runs, and what it reports."""

    def __init__(
        self,
        side: str,
        *options: str,
        host: FakeHost | None = None,
        prefix: tuple[str, ...] = (),
        **env: str,
    ) -> None:
        self.log = Path(f"/tmp/nvme-keep-{os.getpid()}-{random.getrandbits(32):08x}")
        # Where it sees no other process, sockets look like the kernel's.
        hide = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] if host else []
        self.hidden = bool(host)
        environment = {
            "PATH": os.environ["PATH"],
            "ASAN_OPTIONS": "exitcode=97",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98",
            "LIBNVME_SYSFS_PATH": str(host.root / "sysfs") if host else "/nonexistent",
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", side, *hide, *prefix, NVME, "mptcp", "keep", "-o", "json",
                 *options],
                stdout=log, stderr=subprocess.STDOUT, env=environment | env,
            )  # fmt: skip

    def __enter__(self) -> Keep:
        wait_for(lambda: bool(self.entries("status", "failure")) or self.ended(), LONG)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        if error:
            print(self.log.read_text())
        self.log.unlink()

    def ended(self) -> bool:
        return self.process.poll() is not None

    def documents(self) -> list[Any]:
        found = []
        for line in self.log.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            found.append(json.loads(line))
            conforms(found[-1], SCHEMA)
        return found

    def entries(self, *events: str) -> list[Any]:
        return [d for d in self.documents() if d["event"] in events]

    def status(self) -> str:
        return str(self.entries("status")[-1]["text"])

    def done(self) -> list[tuple[str, str | None]]:
        return [(d["action"], d["link"]) for d in self.entries("step") if d["state"] == "done"]

    def send(self, number: int) -> None:
        """A signal, past the process that hides others from it."""
        pid = self.process.pid
        if self.hidden:
            pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text())
        os.kill(pid, number)

    def end(self) -> int:
        self.send(signal.SIGTERM)
        return self.process.wait(LONG)


def keep(side: str, *options: str, status: int = 0, host: FakeHost | None = None) -> Any:
    """One that ends by itself, and its documents."""
    command = ["mptcp", "keep", *options, "-o", "json"]
    where = [] if host else ["--netns", side]
    result = run(*command, *where, host=host, unseen=side if host else None)
    assert result.status == status, result
    return [json.loads(line) for line in result.out.splitlines()]


def addresses(side: str) -> list[str]:
    return sorted(e["address"] for e in endpoints(side)["endpoints"])


def limits(side: str) -> tuple[int, int]:
    found = endpoints(side)["limits"]
    return found["subflows"], found["add_addr_accepted"]


def all_there(side: str, *missing: int) -> Callable[[], bool]:
    wanted = [f"10.77.{i}.2" for i in range(1, 5) if i not in missing]
    return lambda: bool(addresses(side) == wanted)


def is_dark(net: Network, link: str) -> Callable[[], bool]:
    """Does no connection use the link?"""
    return lambda: not any(link in links for links in carried(net))


@live
def test_once_and_back(net: Network) -> None:
    [plan] = keep(net.host, *HOST, "--dry-run")
    conforms(plan, PLAN_SCHEMA)
    assert actions(plan) == ["limits"] + ["add"] * 4
    assert addresses(net.host) == [], "--dry-run changes nothing"
    documents = keep(net.host, *HOST, "--once")
    for document in documents:
        conforms(document, SCHEMA)
    assert [(d["action"], d["rule"]) for d in documents if d["event"] == "step"] == [
        ("limits", "H05")
    ] + [("add", "H01")] * 4
    assert all_there(net.host)() and limits(net.host) == (8, 0)
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]
    [plan] = keep(net.host, *AUTO, "--restore", "--dry-run")
    assert actions(plan) == ["delete"] * 4 + ["limits"]
    assert all_there(net.host)()
    [plan] = keep(net.host, *AUTO, "--restore")
    assert {step["state"] for step in plan["steps"]} == {"done"}
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)
    [plan] = keep(net.host, *AUTO, "--restore")
    assert plan["steps"] == []


@live
def test_a_second_one_is_refused(net: Network) -> None:
    with Keep(net.host, *HOST) as first:
        again = run("mptcp", "keep", *HOST, "--once", "--netns", net.host)
        assert again.status == 1
        assert f"Process {first.process.pid} keeps the network namespace" in again.err
        wait_for(all_there(net.host), LONG)
        [plan] = keep(net.host, *HOST, "--dry-run")
        assert plan["steps"] == [], "what is kept already is known"
        [plan] = keep(net.host, *AUTO, "--restore", "--dry-run")
        assert actions(plan) == ["delete"] * 4 + ["limits"]
        keep(net.target, *AUTO, "--role", "target", "--once")
        assert first.end() == 0
    assert all_there(net.host)(), "what was made outlives it"
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]


@live
def test_a_cable_that_is_pulled(net: Network, controller: FakeHost) -> None:
    keep(net.target, *AUTO, "--role", "target", "--once")
    with Keep(net.host, *AUTO, host=controller) as keeper:
        wait_for(all_there(net.host), LONG)
        proves(net)
        for link in (3, 1):
            net.ip("link", "set", f"eth{link}", "down", netns=net.target)
            kill(net.host, "src", f"10.77.{link}.2")
            wait_for(is_dark(net, f"eth{link}"), LONG)
            time.sleep(3)
            living = {s["local"] for s in subflows(net)}
            net.ip("link", "set", f"eth{link}", "up", netns=net.target)
            net.repair_routes()
            back = time.monotonic()
            wait_for(lambda: carried(net) == [LINKS] * 3, LONG)
            print(f"eth{link} carries everything again after {time.monotonic() - back:.1f} s")
            assert living < {s["local"] for s in subflows(net)}, "living subflows were disturbed"
        wait_for(lambda: keeper.status() == "4 links carry 1 controller", LONG)
        assert ("renew", "eth3") in keeper.done() and ("renew", "eth1") in keeper.done()
        renewed = next(d for d in keeper.entries("step") if d["action"] == "renew")
        assert renewed["controllers"] == ["nvme0"] and renewed["rule"] == "C05"
        said = [d["text"] for d in keeper.entries("status")]
        assert any("3 subflows missing on eth3" in text for text in said), said
        assert all(d["priority"] > 3 for d in keeper.documents())


@live
def test_links_that_are_renumbered_and_plugged_in(net: Network) -> None:
    with Keep(net.host, *AUTO, "--role", "host", "--traddr", "10.77.1.1",
              "--dev", "eth1,eth2,eth3,eth4,eth5") as keeper:  # fmt: skip
        wait_for(all_there(net.host), LONG)
        net.ip("addr", "del", "10.77.3.2/24", "dev", "eth3", netns=net.host)
        net.ip("addr", "add", "10.77.3.7/24", "dev", "eth3", netns=net.host)
        net.ip("route", "add", "default", "via", "10.77.3.1", "dev", "eth3", "metric", "103",
               netns=net.host)  # fmt: skip
        wait_for(lambda: "10.77.3.7" in addresses(net.host), LONG)
        assert "10.77.3.2" not in addresses(net.host)
        peer = ["type", "veth", "peer", "name", "eth5", "netns", net.target]
        net.ip("link", "add", "eth5", "netns", net.host, *peer)
        net.ip("addr", "add", "10.77.5.2/24", "dev", "eth5", netns=net.host)
        for side in (net.host, net.target):
            net.ip("link", "set", "eth5", "up", netns=side)
        net.ip("route", "add", "default", "via", "10.77.5.1", "dev", "eth5", "metric", "105",
               netns=net.host)  # fmt: skip
        wait_for(lambda: "10.77.5.2" in addresses(net.host), LONG)
        net.ip("link", "del", "eth5", netns=net.host)
        wait_for(lambda: "10.77.5.2" not in addresses(net.host), LONG)
        assert keeper.end() == 0
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == []


@live
def test_address_that_moves_to_another_link(net: Network) -> None:
    """The address that the other link has been used with stays the one that it is used with."""
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        net.ip("addr", "del", "10.77.3.2/24", "dev", "eth3", netns=net.host)
        net.ip("addr", "add", "10.77.3.2/24", "dev", "eth4", netns=net.host)
        wait_for(all_there(net.host, 3), LONG)
        assert keeper.done()[5:] == [("delete", "eth3")]
        net.ip("addr", "del", "10.77.3.2/24", "dev", "eth4", netns=net.host)
        net.ip("addr", "add", "10.77.3.2/24", "dev", "eth3", netns=net.host)
        net.repair_routes()
        wait_for(all_there(net.host), LONG)


@live
def test_what_the_other_side_has_to_do(net: Network, controller: FakeHost) -> None:
    """A target that nothing is connected to may announce already: it is asked once links lack."""
    options = [*AUTO, "--role", "host", "--traddr", TARGETS]
    [plan] = keep(net.host, *options, "--dry-run")
    assert [note["side"] for note in plan["notes"]] == ["target"]

    def asked() -> list[str]:
        return [d["text"] for d in keeper.entries("note") if d["side"] == "target"]

    with Keep(net.host, *options, host=controller) as keeper:
        wait_for(lambda: limits(net.host)[1] > 0, LONG)
        touch(net)
        time.sleep(4)
        assert keeper.status().startswith("No connection yet") and asked() == []
        assert "announce" not in keeper.status()
        net.serve()
        net.connect("10.77.1.1", count=3)
        touch(net)
        wait_for(lambda: bool(asked()), LONG)
        assert asked()[0].startswith("The target has to announce its addresses")
        keep(net.target, *AUTO, "--role", "target", "--once")
        wait_for(lambda: carried(net) == [LINKS] * 3, LONG)
        wait_for(lambda: keeper.status() == "4 links carry 1 controller", LONG)


def touch(net: Network) -> None:
    """Something that a keeper hears of: the kernel reports no changes of endpoints."""
    net.ip("addr", "add", "192.0.2.1/32", "dev", "lo", netns=net.host)
    net.ip("addr", "del", "192.0.2.1/32", "dev", "lo", netns=net.host)


def delete(net: Network, address: str) -> None:
    found = [e["id"] for e in endpoints(net.host)["endpoints"] if e["address"] == address]
    net.ip("mptcp", "endpoint", "delete", "id", str(found[0]), netns=net.host)


@live
def test_whoever_deletes_twice_is_not_fought(net: Network) -> None:
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        time.sleep(4)  # until they have been seen as they were made
        delete(net, "10.77.2.2")
        touch(net)
        wait_for(all_there(net.host), LONG)
        time.sleep(4)
        delete(net, "10.77.2.2")
        touch(net)

        def is_reported() -> bool:
            notes = [d["text"] for d in keeper.entries("note")]
            return len([t for t in notes if "twice in a minute" in t]) == 1

        wait_for(is_reported, LONG)
        touch(net)
        time.sleep(4)
        assert all_there(net.host, 2)() and is_reported()
        assert "10.77.2.2" in next(
            d["text"] for d in keeper.entries("note") if "twice" in d["text"]
        )
        # Asked to begin anew, it does.
        keeper.send(signal.SIGHUP)
        wait_for(all_there(net.host), LONG)
        assert keeper.end() == 0


@live
def test_nobody_has_to_tell_it(net: Network) -> None:
    """An endpoint that vanishes without any event is found to be gone."""
    with Keep(net.host, *HOST):
        wait_for(all_there(net.host), LONG)
        time.sleep(4)
        delete(net, "10.77.4.2")
        wait_for(all_there(net.host), 2 * LONG)


@live
def test_what_others_made_stays(net: Network, controller: FakeHost) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow", "backup")
    before = endpoints(net.host)["endpoints"]
    documents = keep(net.host, *HOST, "--once")
    assert [d["link"] for d in documents if d["action"] == "add"] == ["eth1", "eth4"]
    assert any("other settings" in d["text"] for d in documents if d["event"] == "note")
    [plan] = keep(net.host, *AUTO, "--restore")
    assert endpoints(net.host)["endpoints"] == before
    # Adopted, it is renewed to bring back its subflows, and still not taken back.
    net.ip("mptcp", "endpoint", "delete", "id", "2", netns=net.host)
    keep(net.target, *AUTO, "--role", "target", "--once")
    keep(net.host, *HOST, "--once")
    proves(net)
    kill(net.host, "src", "10.77.2.2")
    wait_for(lambda: carried(net) == [["eth1", "eth3", "eth4"]] * 3)
    documents = keep(net.host, *AUTO, "--once", host=controller)
    assert any("--adopt" in d["text"] for d in documents), documents
    assert carried(net) == [["eth1", "eth3", "eth4"]] * 3
    documents = keep(net.host, *AUTO, "--adopt", "--once", host=controller)
    assert [(d["action"], d["link"]) for d in documents if d["event"] == "step"] == [
        ("renew", "eth2")
    ]
    wait_for(lambda: carried(net) == [LINKS] * 3)
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == ["10.77.2.2"]


@live
def test_killed_at_any_point(net: Network) -> None:
    chance = random.Random(15)
    for _ in range(12):
        keeper = Keep(net.host, *HOST)
        time.sleep(chance.uniform(0, 0.4))
        keeper.process.kill()
        keeper.process.wait()
        keeper.log.unlink()
    keep(net.host, *HOST, "--once")
    assert all_there(net.host)() and limits(net.host) == (8, 0)
    keeper = Keep(net.host, *AUTO, "--restore")
    time.sleep(0.05)
    keeper.process.kill()
    keeper.process.wait()
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)


@live
def test_damaged_notes_are_nobodys(net: Network) -> None:
    there = set(Path("/run/nvme-mptcp").glob("netns-*"))
    keep(net.host, *HOST, "--once")
    [state] = [p for p in set(Path("/run/nvme-mptcp").glob("netns-*")) - there if not p.suffix]
    state.write_bytes(b"endpoint \xff\n" + os.urandom(512))
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]
    [plan] = keep(net.host, *AUTO, "--restore")
    assert plan["steps"] == []
    assert all_there(net.host)()


NOTIFIED = """
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("\\0" + sys.argv[1][1:] if sys.argv[1][0] == "@" else sys.argv[1])
print("ready", flush=True)
while True:
    print(manager.recv(65536).decode(), flush=True)
"""


@live
@pytest.mark.parametrize("abstract", [False, True])
def test_service_manager(net: Network, tmp_path: Path, abstract: bool) -> None:
    """What sd_notify(3) would send; abstract sockets are those of the network namespace."""
    name = f"@nvme-keep-{os.getpid()}" if abstract else str(tmp_path / "notify")
    manager = subprocess.Popen(
        ["ip", "netns", "exec", net.host, sys.executable, "-c", NOTIFIED, name],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert manager.stdout
        assert manager.stdout.readline() == "ready\n"
        talk(net, manager.stdout, name)
    finally:
        manager.kill()
        manager.wait()


def talk(net: Network, manager: IO[str], name: str) -> None:
    def until(word: str) -> list[str]:
        lines: list[str] = []
        while not lines or not lines[-1].startswith(word):
            lines.append(manager.readline().rstrip("\n"))
        return lines

    keeper = Keep(net.host, *HOST, NOTIFY_SOCKET=name, WATCHDOG_USEC="400000")
    with keeper:
        first = until("READY=1")
        assert "STATUS=No connection yet" in first
        begin = time.monotonic()
        for _ in range(3):
            assert until("WATCHDOG=1")
        assert time.monotonic() - begin < LONG
        keeper.send(signal.SIGHUP)
        until("RELOADING=1")
        assert until("READY=1")[0].startswith("MONOTONIC_USEC=")
        keeper.send(signal.SIGTERM)
        assert until("STOPPING=1")
        assert keeper.process.wait(LONG) == 0


@live
def test_journal(net: Network) -> None:
    """Entries with fields, where standard error leads to the journal: a socket of the test."""
    if JOURNAL.exists():
        pytest.skip("skipped: this machine has a journal, which the test would speak to")
    made = [d for d in (JOURNAL.parent, JOURNAL.parent.parent) if not d.exists()]
    JOURNAL.parent.mkdir(parents=True, exist_ok=True)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
            journal.bind(str(JOURNAL))
            journal.settimeout(LONG)
            log, status = journal_of(net, journal)
    finally:
        JOURNAL.unlink()
        for directory in made:
            directory.rmdir()
    assert log == b"", "nothing is reported twice"
    assert status == 0


def journal_of(net: Network, journal: socket.socket) -> tuple[bytes, int]:
    with open(f"/tmp/nvme-keep-journal-{os.getpid()}", "w+b") as log:
        os.unlink(log.name)
        st = os.fstat(log.fileno())
        environment = {
            "PATH": os.environ["PATH"],
            "LIBNVME_SYSFS_PATH": "/nonexistent",
            "JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}",
        }
        done = subprocess.run(
            ["ip", "netns", "exec", net.host, NVME, "mptcp", "keep", *HOST, "--once"],
            stdout=log, stderr=log, env=environment, check=False, timeout=60,
        )  # fmt: skip
        found = []
        for _ in range(6):
            fields = [line.partition("=") for line in journal.recv(65536).decode().splitlines()]
            found.append({key: value for key, _, value in fields})
        log.seek(0)
        assert [entry["EVENT"] for entry in found] == ["step"] * 5 + ["status"]
        assert [entry.get("LINK") for entry in found] == [None, *LINKS, None]
        assert [entry.get("RULE") for entry in found] == ["H05", *["H01"] * 4, None]
        assert {entry["SYSLOG_IDENTIFIER"] for entry in found} == {"nvme-mptcp"}
        assert found[1]["COMMAND"] == "ip mptcp endpoint add 10.77.1.2 dev eth1 subflow"
        assert found[1]["MESSAGE"].startswith(found[1]["COMMAND"] + ": done: ")
        assert [entry["PRIORITY"] for entry in found] == ["5"] * 5 + ["6"]
        return log.read(), done.returncode


def configure(path: Path, *endpoints: str) -> None:
    wanted = [{"address": e.split()[0], "dev": e.split()[1]} for e in endpoints]
    mptcp = {"limits": {"subflows": 4}, "endpoints": wanted}
    path.write_text(json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": mptcp}]))


@live
def test_configuration(net: Network, tmp_path: Path) -> None:
    """What the object names is kept; what is not there yet is waited for; SIGHUP reads it again."""
    path = tmp_path / "config.json"
    configure(path, "10.77.1.2 eth1", "10.77.2.2 eth2", "10.77.9.2 eth9")
    with Keep(net.host, "--config", str(path)) as keeper:
        wait_for(lambda: addresses(net.host) == ["10.77.1.2", "10.77.2.2"], LONG)
        assert limits(net.host)[0] == 4
        assert any("waits for network interface eth9" in d["text"] for d in keeper.entries("note"))
        peer = ["type", "veth", "peer", "name", "eth9", "netns", net.target]
        net.ip("link", "add", "eth9", "netns", net.host, *peer)
        net.ip("addr", "add", "10.77.9.2/24", "dev", "eth9", netns=net.host)
        wait_for(lambda: "10.77.9.2" in addresses(net.host), LONG)
        configure(path, "10.77.1.2 eth1", "10.77.3.2 eth3", "10.77.9.2 eth9")
        keeper.send(signal.SIGHUP)
        wait_for(lambda: addresses(net.host) == ["10.77.1.2", "10.77.3.2", "10.77.9.2"], LONG)
        path.write_text("[{")
        keeper.send(signal.SIGHUP)
        wait_for(lambda: any("is wrong" in d["text"] for d in keeper.entries("failure")), LONG)
        delete(net, "10.77.1.2")
        touch(net)
        wait_for(lambda: "10.77.1.2" in addresses(net.host), LONG)
        assert keeper.end() == 0


@live
def test_a_failure_is_reported_once(net: Network, tmp_path: Path) -> None:
    """Whatever goes on failing is tried again, and does not fill the journal."""
    path = tmp_path / "config.json"
    taken = {"address": "10.77.1.2", "dev": "eth1", "id": 5}
    path.write_text(json.dumps([{"hostnqn": "nqn.host", "mptcp": {"endpoints": [taken]}}]))
    net.endpoint(net.host, "192.0.2.9", "id", "5", "signal")
    with Keep(net.host, "--config", str(path)) as keeper:
        time.sleep(7)  # for the pauses of two and four seconds
        (failure,) = keeper.entries("failure")
        assert "5 is the identifier of endpoint 192.0.2.9" in failure["text"]
        net.ip("mptcp", "endpoint", "delete", "id", "5", netns=net.host)
        wait_for(lambda: addresses(net.host) == ["10.77.1.2"], LONG)
        wait_for(lambda: bool(keeper.entries("status")), LONG)
        net.ip("mptcp", "endpoint", "flush", netns=net.host)
        net.endpoint(net.host, "192.0.2.9", "id", "5", "signal")
        touch(net)
        wait_for(lambda: len(keeper.entries("failure")) == 2, LONG)


@live
def test_without_the_privilege(net: Network) -> None:
    """What is refused is named with its command, once, and the way out."""
    documents = keep_without(net, "-all,+dac_override", "--once")
    (failure,) = (d["text"] for d in documents if d["event"] == "failure")
    assert failure == (
        "Not everything was done: ip mptcp limits set subflows 8 add_addr_accepted 0: "
        "Operation not permitted: it takes CAP_NET_ADMIN in this network namespace"
    )
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)


def keep_without(net: Network, capabilities: str, *options: str) -> list[Any]:
    inside = ["ip", "netns", "exec", net.host, "setpriv", "--bounding-set", capabilities]
    done = subprocess.run(
        [*inside, NVME, "mptcp", "keep", *HOST, "-o", "json", *options],
        capture_output=True, text=True, timeout=LONG, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@live
def test_example(net: Network) -> None:
    """doc/examples/keep.json, on a machine whose addresses are still to come."""
    options = ["--config", str(TOP / "doc/examples/keep.json"), "--dry-run"]
    [plan] = keep(net.host, *options)
    assert (plan["method"], actions(plan)) == ("config", ["limits"])
    assert len([n for n in plan["notes"] if "waits for its address" in n["text"]]) == 4
    for i in range(1, 5):
        net.ip("addr", "add", f"10.1.{i}.2/24", "dev", f"eth{i}", netns=net.host)
    [plan] = keep(net.host, *options)
    assert actions(plan) == ["limits"] + ["add"] * 4
    assert plan["steps"][4]["command"].endswith("10.1.4.2 dev eth4 subflow backup")


@live
def test_path_manager_in_user_space(net: Network) -> None:
    setting = Path("/proc/sys/net/mptcp/path_manager")
    name = "path_manager" if setting.exists() else "pm_type"
    values = ("userspace", "kernel") if setting.exists() else ("1", "0")
    net.sysctl(net.host, f"net.mptcp.{name}={values[0]}")
    with Keep(net.host, *HOST) as keeper:
        assert addresses(net.host) == [] and limits(net.host) == (2, 0)
        touch(net)
        time.sleep(3)
        assert len([d for d in keeper.entries("note") if "in user space" in d["text"]]) == 1
        net.sysctl(net.host, f"net.mptcp.{name}={values[1]}")
        wait_for(all_there(net.host), 2 * LONG)


@live
def test_mptcp_is_switched_off(net: Network, tmp_path: Path) -> None:
    """What is kept serves nobody then, which somebody has to be told."""
    path = tmp_path / "config.json"
    configure(path, "10.77.1.2 eth1", "10.77.2.2 eth2")
    net.sysctl(net.host, "net.mptcp.enabled=0")
    for options in (HOST, ["--config", str(path)]):
        [plan] = keep(net.host, *options, "--dry-run")
        assert [(note["side"], note["command"]) for note in plan["notes"]] == [
            (None, f"ip netns exec {net.host} sysctl -w net.mptcp.enabled=1")
        ]
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        assert keeper.status().startswith("No connection yet. MPTCP is switched off")
        net.sysctl(net.host, "net.mptcp.enabled=1")
        wait_for(lambda: keeper.status() == "No connection yet", 2 * LONG)


@live
def test_target(net: Network) -> None:
    options = [*AUTO, "--role", "target"]
    with Keep(net.target, *options) as keeper:
        wait_for(lambda: len(addresses(net.target)) == 4, LONG)
        keep(net.host, *AUTO, "--role", "host", "--traddr",
             ",".join(f"10.77.{i}.1" for i in range(1, 5)), "--once")  # fmt: skip
        proves(net)
        assert keeper.end() == 0
    keep(net.target, *AUTO, "--restore")
    assert addresses(net.target) == []
    assert endpoints(net.target)["settings"]["add_addr_timeout"] == "120"


@live
def test_one_privilege_is_enough(net: Network) -> None:
    only = ("setpriv", "--bounding-set", "-all,+net_admin", "--no-new-privs")
    with Keep(net.host, *HOST, prefix=only) as keeper:
        wait_for(all_there(net.host), LONG)
        assert limits(net.host) == (8, 0)
        assert keeper.end() == 0
    without = ["ip", "netns", "exec", net.host, "setpriv", "--bounding-set", "-all"]
    done = subprocess.run(
        [*without, NVME, "mptcp", "keep", *HOST], capture_output=True, text=True, timeout=LONG
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "CAP_NET_ADMIN" in done.stderr


@live
def test_idle_it_sleeps(net: Network) -> None:
    """Connections of other programs are none of its concern."""
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        time.sleep(4)
        stat = Path(f"/proc/{keeper.process.pid}/status")

        def switches() -> int:
            lines = stat.read_text().splitlines()
            return sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)

        before, count = switches(), len(keeper.documents())
        time.sleep(10)
        assert switches() - before < 20
        assert len(keeper.documents()) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--config", "none"], "--auto keeps what nvme mptcp setup plans"),
        (["--auto", "--role", "both"], "--role=both: it is host or target"),
        (["--auto", "--restore", "--once"], "one takes back what the other makes"),
        (["--auto", "--config", "none", "--dev", "eth1,,eth2"], "separated by commas"),
        (["--auto", "--config", "/nonexistent"], "/nonexistent"),
        (["--auto", "--traddr", "disk.example"], "disk.example is no IP address"),
        (["--auto", "--traddr", "10.1.1.1,fd00::1"], "10.1.1.1 and fd00::1 are of two families"),
    ],
)
def test_keep_refuses(nvme: Nvme, options: list[str], message: str) -> None:
    result = nvme("mptcp", "keep", *options)
    assert result.status == 1
    assert message in result.err
