# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp keep as a service: its manager, journal, configuration, privileges and failures."""

import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from conftest import NVME, TOP, Nvme, network_of
from fake_sysfs import HOSTNQN
from keeping import (
    AUTO,
    HOST,
    LONG,
    PLAN_SCHEMA,
    SCHEMA,
    Keep,
    addresses,
    all_there,
    configure,
    delete,
    keep,
    limits,
    touch,
)
from mptcp_net import Network, enter
from test_mptcp import conforms, environment, run
from test_mptcp_setup import LINKS, actions, wait_for

JOURNAL = Path("/run/systemd/journal/socket")


net = network_of(4, 2, 0)


NOTIFIED = """
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("\\0" + sys.argv[1][1:] if sys.argv[1][0] == "@" else sys.argv[1])
print("ready", flush=True)
while True:
    print(manager.recv(65536).decode(), flush=True)
"""


@pytest.mark.parametrize("abstract", [False, True])
def test_service_manager(net: Network, tmp_path: Path, abstract: bool) -> None:
    """What sd_notify(3) would send; abstract sockets are those of the network namespace."""
    name = f"@nvme-keep-{os.getpid()}" if abstract else str(tmp_path / "notify")
    manager = net._start(net.host, NOTIFIED, name).stdout

    def until(word: str) -> list[str]:
        lines: list[str] = []
        while not lines or not lines[-1].startswith(word):
            lines.append(manager.readline().rstrip("\n"))
        return lines

    with Keep(net.host, *HOST, NOTIFY_SOCKET=name, WATCHDOG_USEC="400000") as keeper:
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


def falls_silent(manager: socket.socket, many: int) -> bool:
    """Does nothing come any more, before so many messages have come?"""
    manager.settimeout(0.5)
    try:
        for _ in range(many):
            manager.recv(65536)
    except TimeoutError:
        return True
    return False


@pytest.mark.parametrize(
    ("watchdog", "fed"),
    [
        ({"WATCHDOG_USEC": "2000"}, True),
        ({"WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"}, False),
        ({"WATCHDOG_USEC": "2000x"}, False),
        ({"WATCHDOG_USEC": "0"}, False),
    ],
)
def test_watchdog_of_another(
    net: Network, tmp_path: Path, watchdog: dict[str, str], fed: bool
) -> None:
    """It is fed in between where it is this process's, and has an interval."""
    many = 200
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(LONG)
        with Keep(net.host, *HOST, NOTIFY_SOCKET=str(tmp_path / "notify"), **watchdog):
            while b"READY=1" not in manager.recv(65536):
                pass
            # Where there is no interval, nothing happens sooner or later.
            assert fed or falls_silent(manager, many)
            fed_times = 0
            while fed and fed_times < many:
                fed_times += manager.recv(65536) == b"WATCHDOG=1"


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
        done = subprocess.run(
            enter(net.host, NVME, "mptcp", "keep", *HOST, "--once"), stdout=log, stderr=log,
            env=environment(JOURNAL_STREAM=f"{st.st_dev}:{st.st_ino}"), timeout=60,
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
        wait_for(lambda: any("is invalid" in d["text"] for d in keeper.entries("failure")), LONG)
        delete(net, "10.77.1.2")
        touch(net)
        wait_for(lambda: "10.77.1.2" in addresses(net.host), LONG)
        assert keeper.end() == 0


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
        keeper.send(signal.SIGSTOP)  # or it would take the identifier again at once
        net.ip("mptcp", "endpoint", "flush", netns=net.host)
        net.endpoint(net.host, "192.0.2.9", "id", "5", "signal")
        keeper.send(signal.SIGCONT)
        touch(net)
        wait_for(lambda: len(keeper.entries("failure")) == 2, LONG)


def test_without_the_privilege(net: Network) -> None:
    """What is refused is named with its command, once, and the way out."""
    without = ("setpriv", "--bounding-set", "-all,+dac_override")
    options = (*HOST, "--once", "-o", "json")
    result = run("mptcp", "keep", *options, side=net.host, prefix=without, status=1)
    documents = [json.loads(line) for line in result.out.splitlines()]
    (failure,) = (d["text"] for d in documents if d["event"] == "failure")
    assert failure == (
        "Some changes failed: ip mptcp limits set subflows 8: "
        "Operation not permitted: CAP_NET_ADMIN is required in this network namespace"
    )
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)


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


def test_mptcp_is_switched_off(net: Network, tmp_path: Path) -> None:
    """What is kept serves nobody then, which somebody has to be told."""
    path = tmp_path / "config.json"
    configure(path, "10.77.1.2 eth1", "10.77.2.2 eth2")
    net.sysctl(net.host, "net.mptcp.enabled=0")
    for options in (HOST, ["--config", str(path)]):
        [plan] = keep(net.host, *options, "--dry-run")
        [note] = plan["notes"]
        command = f"ip netns exec {net.host} sysctl -w net.mptcp.enabled=1"
        assert (note["side"], note["command"]) == (None, command)
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        assert keeper.status().startswith("No connection yet. MPTCP is disabled")
        net.sysctl(net.host, "net.mptcp.enabled=1")
        wait_for(lambda: keeper.status() == "No connection yet", 2 * LONG)


def test_one_privilege_is_enough(net: Network) -> None:
    only = ("setpriv", "--bounding-set", "-all,+net_admin", "--no-new-privs")
    with Keep(net.host, *HOST, prefix=only) as keeper:
        wait_for(all_there(net.host), LONG)
        assert limits(net.host) == (8, 0)
        assert keeper.end() == 0
    without = ("setpriv", "--bounding-set", "-all")
    assert "CAP_NET_ADMIN" in run("mptcp", "keep", *HOST, side=net.host, prefix=without).refused()


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


def test_one_family_in_two_notations(net: Network) -> None:
    """As setup does: an IPv4 address that IPv6 maps is one of IPv4."""
    addresses = "::ffff:10.77.1.1,10.77.2.1"
    options = [*AUTO, "--role", "host", "--traddr", addresses, "--once", "--dry-run", "-o", "json"]
    result = run("mptcp", "keep", "--netns", net.host, *options, status=0)
    conforms(result.json, PLAN_SCHEMA)
    assert [link["link"] for link in result.json["links"]] == ["eth1", "eth2"]


def test_portals_of_the_configuration(net: Network, tmp_path: Path) -> None:
    """Those over MPTCP, as addresses, of the first one's family."""
    path = tmp_path / "config.json"
    portals = [
        ("tcp", "10.77.3.1"), ("mptcp", "disk.example"), ("mptcp", "10.77.1.1"),
        ("mptcp", "fd00::1"), ("mptcp", "10.77.2.1"),
    ]  # fmt: skip
    ports = [{"transport": name, "traddr": traddr} for name, traddr in portals]
    subsystems = [{"nqn": "nqn.2025-01.test:disk", "ports": ports}]
    path.write_text(json.dumps([{"hostnqn": HOSTNQN, "subsystems": subsystems}]))
    options = ["--auto", "--role", "host", "--once", "--dry-run", "-o", "json"]
    found = run("mptcp", "keep", "--netns", net.host, *options, "--config", str(path))
    given = run(
        "mptcp", "keep", "--netns", net.host, *options,
        "--config", "none", "--traddr", "10.77.1.1,10.77.2.1",
    )  # fmt: skip
    assert (found.status, found.err) == (0, ""), found
    assert found.json == given.json
    assert [link["link"] for link in found.json["links"]] == ["eth1", "eth2"]


def test_metrics_are_no_pipe(nvme: Nvme, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said = nvme.error("mptcp", "keep", *AUTO, "--metrics", str(pipe))
    assert f"--metrics={pipe}: not a regular file" in said


def full_pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, b"\n" * 4096)
    return reader, writer


def test_a_reader_that_does_not_read(net: Network) -> None:
    """SIGTERM ends it all the same."""
    reader, writer = full_pipe()
    command = enter(net.host, NVME, "mptcp", "keep", *HOST)
    with subprocess.Popen(command, stdout=writer, env=environment()) as process:
        os.close(writer)
        wait_for(all_there(net.host), LONG)
        process.terminate()
        assert process.wait(LONG) == 0
    os.close(reader)


def test_a_reader_that_reads_late(net: Network) -> None:
    """Nothing waits for it, and what was dropped meanwhile is counted."""
    reader, writer = full_pipe()
    command = enter(net.host, NVME, "mptcp", "keep", "-o", "json", *HOST)
    with subprocess.Popen(command, stdout=writer, env=environment()) as process:
        try:
            wait_for(all_there(net.host), LONG)
            time.sleep(2)
            delete(net, "10.77.3.2")
            touch(net)
            wait_for(all_there(net.host), LONG)
            text = b""
            while b'"lost"' not in text or not text.endswith(b"\n"):
                assert select.select([reader], [], [], LONG)[0], text
                text += os.read(reader, 65536)
        finally:
            process.terminate()
        assert process.wait(LONG) == 0
    os.close(writer)
    os.close(reader)
    entry = conforms(json.loads(text.lstrip().splitlines()[0]), SCHEMA)
    assert entry["event"] == "lost"
    # endpoints and limits, and the endpoint once more
    assert int(entry["text"].split()[0]) >= 5, entry


def test_metrics_that_become_a_pipe(net: Network, tmp_path: Path) -> None:
    path = tmp_path / "keep.prom"
    with Keep(net.host, *HOST, "--metrics", str(path), "--metrics-interval", "1") as keeper:
        wait_for(path.exists, LONG)
        path.unlink()
        os.mkfifo(path)
        wait_for(lambda: bool(keeper.entries("failure")), LONG)
        [failure] = keeper.entries("failure")
        assert failure["text"].endswith("keep.prom: it is not a regular file")
        assert keeper.end() == 0


@pytest.mark.parametrize("only", [(), ("setpriv", "--bounding-set", "-all,+net_admin")])
def test_limits_above_the_kernels(net: Network, tmp_path: Path, only: tuple[str, ...]) -> None:
    """They become what the kernel takes, which a note has once."""
    path = tmp_path / "config.json"
    mptcp = {"limits": {"subflows": 200, "add_addr_accepted": 1}}
    path.write_text(json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": mptcp}]))
    with Keep(net.host, "--config", str(path), prefix=only) as keeper:
        wait_for(lambda: limits(net.host)[1] == 1, LONG)
        greatest = limits(net.host)[0]
        assert 8 <= greatest < 200
        touch(net)
        time.sleep(7)
        touch(net)
        time.sleep(3)
        assert [d[0] for d in keeper.done()] == ["limits"]
        [command] = [d["command"] for d in keeper.entries("step")]
        assert command == f"ip mptcp limits set subflows {greatest} add_addr_accepted 1"
        notes = [d["text"] for d in keeper.entries("note")]
        assert any(f"becomes {greatest}" in text or "200 becomes" in text for text in notes)
        assert not keeper.entries("failure")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--config", "none"], "--auto keeps what nvme mptcp setup plans"),
        (["--auto", "--role", "both"], "--role=both: use host or target"),
        (["--auto", "--restore", "--once"], "cannot be combined"),
        (["--auto", "--config", "none", "--dev", "eth1,,eth2"], "separated by commas"),
        (["--auto", "--config", "/nonexistent"], "/nonexistent"),
        (["--auto", "--traddr", "disk.example"], "disk.example is not an IP address"),
        (
            ["--auto", "--traddr", "10.1.1.1,fd00::1"],
            "10.1.1.1 and fd00::1 belong to different address families",
        ),
    ],
)
def test_keep_refuses(nvme: Nvme, options: list[str], message: str) -> None:
    assert message in nvme.error("mptcp", "keep", *options)
