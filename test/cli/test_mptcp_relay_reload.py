# SPDX-License-Identifier: LGPL-2.1-or-later
"""A reload of nvme mptcp relay: the program is executed anew, and every connection goes on."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import NVME
from mptcp_net import PORT
from test_mptcp import run
from test_mptcp_relay import LINKS, LONG, PORTAL, Pair, Relay, pair
from test_mptcp_relay_status import status_of

__all__ = ["pair"]

RELOADS = 20
STREAMS = 6

#: Random data there and back, compared by its digest, until a file is there. Half of the streams
#: write as much as fits before they read anything: bytes wait in both relays.
BUSY = """
rounds, wrong = [0] * STREAMS, []
def stream(i):
    c = connect(b"e")
    while not os.path.exists(STOP):
        data = os.urandom((3 << 20) if i % 2 else 50000 + i)
        sender = threading.Thread(target=c.sendall, args=(data,))
        sender.start()
        if i % 2:
            time.sleep(0.2)
        digest, left = hashlib.sha256(), len(data)
        while left:
            got = c.recv(min(left, 65536))
            if not got:
                wrong.append("end")
                return
            digest.update(got)
            left -= len(got)
        sender.join()
        if digest.digest() != hashlib.sha256(data).digest():
            wrong.append("digest")
        rounds[i] += 1
threads = [threading.Thread(target=stream, args=(i,)) for i in range(STREAMS)]
for t in threads: t.start()
for t in threads: t.join()
tell(rounds=rounds, wrong=wrong)
"""


#: A stream that is fast there and back for some seconds. Then nothing is read, until a word from
#: the test: relays hold as much as they ever do.
STALLED = """
c = connect(b"e")
block, stops, sent, got = os.urandom(1 << 20), threading.Event(), hashlib.sha256(), hashlib.sha256()
def send():
    while not stops.is_set():
        c.sendall(block)
        sent.update(block)
    c.shutdown(1)
sender = threading.Thread(target=send)
sender.start()
start, n = time.monotonic(), 0
while time.monotonic() - start < 3:
    data = c.recv(1 << 20)
    got.update(data)
    n += len(data)
time.sleep(0.5)
print(n, flush=True)
sys.stdin.read(1)
stops.set()
while data := c.recv(1 << 20):
    got.update(data)
sender.join()
tell(same=sent.digest() == got.digest())
"""


@contextmanager
def across(pair: Pair, host: Relay) -> Iterator[None]:
    """One connection, whose bytes go on after what happens to the relay, which ends then."""
    client = pair.client(
        "c = connect(b'e1'); read(c, 1); print(flush=True); sys.stdin.read(1);"
        "c.sendall(b'2'); tell(got=len(read(c, 1)))"
    )
    assert client.stdout and client.stdout.readline()
    yield
    out, err = client.communicate("x", timeout=30)
    assert json.loads(out) == {"got": 1}, err
    assert host.end() == 0


def reload(relay: Relay) -> int:
    """Reload it, and return how many connections it goes on with."""
    relay.process.send_signal(signal.SIGHUP)
    n = 0
    assert relay.process.stdout
    for line in relay.process.stdout:
        text = json.loads(line)["text"]
        assert "Not reloaded" not in text and "not kept" not in text, text
        found = re.match(r"Reloaded with (\d+) connection", text)
        if found:
            n = int(found[1])
        if text == "Relaying":
            break
    return n


def tables(pair: Pair, side: str) -> list[str]:
    """Names of the tables of the packet filter."""
    return re.findall(r"^table inet (\S+)", pair.nft(side, "list", "tables"), re.M)


def test_connections_outlive_reloads(pair: Pair, tmp_path: Path) -> None:
    pair.listen()
    stop = tmp_path / "stop"
    with pair.relays() as (host, target):
        pids = [r.process.pid for r in (host, target)]
        client = pair.client(f"STREAMS, STOP = {STREAMS}, {str(stop)!r}" + BUSY)
        pair.wait_for_subflows(LINKS * STREAMS)
        before = [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids]
        for _ in range(RELOADS):
            for relay in (host, target):
                assert reload(relay) == STREAMS
        for side in (pair.host, pair.target):
            assert len(tables(pair, side)) == 1
        assert [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids] == before
        assert pair.subflows(pair.host) == LINKS * STREAMS
        stop.touch()
        out, err = client.communicate(timeout=60)
        told = json.loads(out)
        assert not told["wrong"] and min(told["rounds"]) > 0, (told, err)
        # new ones are taken, and the end is as it was
        assert pair.run("c = connect(b'e1'); tell(got=len(read(c, 1)))") == {"got": 1}
        assert host.end() == 0 and target.end() == 0
    assert tables(pair, pair.host) == tables(pair, pair.target) == []


def test_a_fast_connection_that_stalls_outlives_a_reload(pair: Pair) -> None:
    """Its relays have borrowed larger buffers, which are full."""
    pair.listen()
    with pair.relays() as (host, target):
        client = pair.client(STALLED)
        assert client.stdout and client.stdin
        assert int(client.stdout.readline()) > 3 << 20
        for relay in (host, target):
            assert reload(relay) == 1
        out, err = client.communicate("\n", timeout=60)
        assert json.loads(out) == {"same": True}, err


def test_a_configuration_is_read_again(pair: Pair, tmp_path: Path) -> None:
    path = tmp_path / "c.json"

    def configure(*portals: str) -> None:
        path.write_text(
            json.dumps([{"hostnqn": "nqn.h", "mptcp": {"relay": {"portals": portals}}}])
        )

    def served() -> set[str]:
        result = run("mptcp", "relay", "--status", "--netns", pair.host, "-o", "json")
        return {p["portal"] for p in json.loads(result.out)["portals"] if p["steered"]}

    configure(PORTAL)
    pair.listen()
    with Relay(pair.host, "--config", str(path)) as host, across(pair, host):
        other = f"10.77.2.1:{PORT}"
        configure(PORTAL, other)
        assert reload(host) == 1
        assert served() == {PORTAL, other}
        # one that is wrong leaves everything as it is
        path.write_text("[")
        host.process.send_signal(signal.SIGHUP)
        assert host.process.stdout
        text = json.loads(host.process.stdout.readline())["text"]
        assert text.startswith("Not reloaded: ") and str(path) in text
        assert served() == {PORTAL, other}
        assert len(tables(pair, pair.host)) == 1


def configure(path: Path, **relay: object) -> Path:
    """Write a configuration."""
    path.write_text(json.dumps([{"hostnqn": "nqn.h", "mptcp": {"relay": relay}}]))
    return path


def next_text(relay: Relay) -> str:
    """The next entry that it reports."""
    assert relay.process.stdout
    return str(json.loads(relay.process.stdout.readline())["text"])


def test_a_configuration_that_cannot_be_opened(pair: Pair, tmp_path: Path) -> None:
    """A port that another program has ends no connection."""
    pair.listen()
    pair.listen("0.0.0.0", 4500)
    pair.listen("0.0.0.0", 14500)
    path = configure(tmp_path / "c.json", ports=[PORT])
    with Relay(pair.target, "--config", str(path)) as target, across(pair, target):
        configure(path, ports=[PORT, 4500])
        for _ in range(2):
            target.process.send_signal(signal.SIGHUP)
            text = next_text(target)
            assert text.startswith("Not reloaded: listening on 0.0.0.0:14500 (MPTCP): Address")
        configure(path, ports=[PORT, 4501])
        assert reload(target) == 1
        assert "127.77.0.1:4501" in pair.ss(pair.target, "-ltn")


def test_a_portal_is_removed(pair: Pair, tmp_path: Path) -> None:
    """Its connections end on both sides at once, and others go on."""
    pair.listen()
    pair.listen("10.77.2.1")
    path = configure(tmp_path / "c.json", portals=[PORTAL, "10.77.2.1"])
    wait = "c = connect(b'w'); read(c, 1); print(flush=True)\ntell(got=repr(read(c, 1)))"
    with (
        Relay(pair.target, "--port", str(PORT)) as target,
        Relay(pair.host, "--config", str(path)) as host,
        across(pair, host),
    ):
        client = pair.client(wait, "10.77.2.1")
        assert client.stdout and client.stdout.readline()
        configure(path, portals=[PORTAL])
        assert reload(host) == 1
        assert "ConnectionResetError" in client.communicate(timeout=LONG)[1]
        for side in (pair.host, pair.target):
            [left] = status_of(side)["connections"]
            assert left["portal"] == PORTAL
        assert target.process.poll() is None


@pytest.mark.parametrize("later", [{"ports": [PORT]}, {"portals": [PORTAL], "mode": "address"}])
def test_steering_is_removed(pair: Pair, tmp_path: Path, later: dict[str, object]) -> None:
    """A relay that steers no longer leaves no routes, and connections cannot go on."""
    pair.listen()
    path = configure(tmp_path / "c.json", portals=[PORTAL])

    def routes() -> str:
        return subprocess.check_output(["ip", "-n", pair.host, "rule"], text=True)

    with Relay(pair.host, "--config", str(path)) as host, pair.stays():
        assert "44200" in routes()
        configure(path, **later)
        host.process.send_signal(signal.SIGHUP)
        texts = [next_text(host)]
        while texts[-1] != "Relaying":
            texts.append(next_text(host))
        said = "1 connection to portals that are no longer relayed ends; controllers reconnect"
        assert any(text.startswith(said) for text in texts), texts
        assert "44200" not in routes()
        assert status_of(pair.host)["connections"] == []
        assert host.end() == 0
    with Relay(pair.host, "--portal", PORTAL):
        pass  # killed
    assert "44200" in routes()
    with Relay(pair.host, "--port", str(PORT)):
        assert "44200" not in routes()


def test_a_state_of_others_is_not_used(pair: Pair) -> None:
    words = ("mptcp", "relay", "--portal", PORTAL)
    done = run(*words, side=pair.host, NVME_MPTCP_RELAY_STATE="0", status=1)
    assert "after a reload: Bad file descriptor" in done.err


def copied(pair: Pair, program: Path) -> Relay:
    """A relay whose program is a copy, which may be replaced."""
    shutil.copy(NVME, program)
    start = ("sh", "-c", f'shift; exec {program} "$@"', "sh")
    library_path = f"{Path(NVME).parent.parent}/libnvme"
    return Relay(pair.host, "--portal", PORTAL, prefix=start, LD_LIBRARY_PATH=library_path)


def test_an_upgraded_program_is_executed(pair: Pair, tmp_path: Path) -> None:
    """It replaces the file as dpkg does: the earlier one has two names until it has none."""
    program, new, old = (tmp_path / name for name in ("nvme", "nvme.dpkg-new", "nvme.dpkg-tmp"))
    pair.listen()
    with copied(pair, program) as host, across(pair, host):
        shutil.copy(NVME, new)
        inode = new.stat().st_ino
        old.hardlink_to(program)
        new.replace(program)
        old.unlink()
        assert reload(host) == 1
        assert Path(f"/proc/{host.process.pid}/exe").stat().st_ino == inode


def test_a_program_that_cannot_be_executed(pair: Pair, tmp_path: Path) -> None:
    """The relay goes on with the threads and connections that it has."""
    program = tmp_path / "nvme"
    pair.listen()
    with copied(pair, program) as host, across(pair, host):
        threads = Path(f"/proc/{host.process.pid}/task")
        before = {path.name for path in threads.iterdir()}
        program.unlink()
        for script, reason in (
            (None, "No such file or directory"),
            (None, "No such file or directory"),
            ("exit 127", "Can not access a needed shared library"),  # what the loader does
            ("kill -SEGV $$", "Exec format error"),
            ("exec sleep 60", "Timer expired"),
        ):
            if script:
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
            host.process.send_signal(signal.SIGHUP)
            assert host.process.stdout
            text = json.loads(host.process.stdout.readline())["text"]
            assert text == f"Not reloaded: the program cannot be executed: {reason}"
        # A thread that was ended might not start again.
        assert {path.name for path in threads.iterdir()} == before
