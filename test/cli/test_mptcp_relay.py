# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: two of them between plain TCP sockets, its rules, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, schema
from mptcp_net import LISTEN, PORT, Network, enter, killed
from test_mptcp import conforms, environment, run
from test_mptcp_setup import wait_for

SCHEMA = schema("mptcp-relay")
PORTAL = f"10.77.1.1:{PORT}"
TCP = 6
LINKS = 4
LONG = 30


#: A plain TCP server. The first byte of a connection says what it does.
SERVER = rf"""
import hashlib, socket, struct, sys, threading
def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()
def serve(c):
    what = c.recv(1)
    if what == b"e":  # echo
        while data := c.recv(65536):
            c.sendall(data)
    elif what == b"d":  # digest of all, once the other side has ended its direction
        digest = hashlib.sha256()
        while data := c.recv(65536):
            digest.update(data)
        c.sendall(digest.digest() + b"x" * 5000)
    elif what == b"s":  # reads only when it is told so
        go.wait()
        n = 0
        while data := c.recv(65536):
            n += len(data)
        c.sendall(str(n).encode())
    elif what == b"r":
        reset(c)
        return
    elif what == b"w":  # how does it end?
        try:
            c.sendall(b"w")
            while c.recv(65536):
                pass
            print("end", flush=True)
        except ConnectionResetError:
            print("reset", flush=True)
    c.close()
go = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), go.set()), daemon=True).start()
{LISTEN}"""

CLIENT = r"""
import hashlib, json, os, socket, struct, sys, threading, time
address, port = sys.argv[1], int(sys.argv[2])
def connect(what, source=None):
    c = socket.create_connection((address, port), 20, (source, 0) if source else None)
    c.settimeout(20)
    c.sendall(what)
    return c
def read(c, n=1 << 30):
    data = b""
    while len(data) < n and (more := c.recv(min(n - len(data), 65536))):
        data += more
    return data
def tell(**what):
    print(json.dumps(what), flush=True)
"""


class Relay:
    """A relay that runs in a network namespace."""

    def __init__(self, side: str, *options: str, prefix: tuple[str, ...] = (), **env: str) -> None:
        self.process = subprocess.Popen(
            enter(side, *prefix, NVME, "mptcp", "relay", "-o", "json", *options),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**env),
        )  # fmt: skip
        self.entries: list[Any] = []
        assert self.process.stdout
        for line in self.process.stdout:
            self.entries.append(json.loads(line))
            conforms(self.entries[-1], SCHEMA)
            if self.entries[-1].get("text") == "Relaying":
                break

    def texts(self) -> list[str]:
        """What it reported, up to its end."""
        self.end()
        return [entry["text"] for entry in self.entries]

    def end(self) -> int:
        """End it and read what it still reports."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=LONG)
        self.entries += [json.loads(line) for line in (out or "").splitlines()]
        return self.process.returncode

    def __enter__(self) -> Relay:
        assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


class Pair(Network):
    """Four links, which every connection uses, and a server behind them."""

    server: subprocess.Popen[str]

    def __enter__(self) -> Pair:
        super().__enter__()
        self.announce("10.77.{}.1")
        return self

    def __exit__(self, *error: object) -> None:
        for side in (self.host, self.target):
            for path in self.notes(side, "relay"):
                path.unlink()  # of a relay that was killed
        super().__exit__(*error)

    def announce(self, address: str) -> None:
        """Announce the addresses of all links but the first, and no others."""
        self.ip("mptcp", "endpoint", "flush", netns=self.target)
        for i in range(2, LINKS + 1):
            self.endpoint(self.target, address.format(i), "signal")

    def listen(self, address: str = "10.77.1.1", port: int = PORT) -> subprocess.Popen[str]:
        """Start the server on the target."""
        return self._start(self.target, SERVER, address, str(TCP), str(port))

    @contextmanager
    def relays(self, *more: str) -> Iterator[tuple[Relay, Relay]]:
        """Run a relay on the host, with these options as well, and one on the target."""
        with (
            Relay(self.target, "--port", str(PORT)) as target,
            Relay(self.host, "--portal", PORTAL, *more) as host,
        ):
            yield host, target

    @contextmanager
    def stays(self, script: str = "c = connect(b'e1'); read(c, 1)", *where: str) -> Iterator[str]:
        """Run a client that stays when its script is done; its port."""
        hold = "print(c.getsockname()[1], flush=True)\ntime.sleep(60)"
        with killed(self.client(f"{script}\n{hold}", *where)) as client:
            assert client.stdout
            yield client.stdout.readline().strip()

    def run(self, script: str, address: str = "10.77.1.1", uid: int = 0, port: int = PORT) -> Any:
        """Run a client on the host and return what it tells."""
        process = self.client(script, address, uid, port)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return json.loads(out)

    def client(
        self, script: str, address: str = "10.77.1.1", uid: int = 0, port: int = PORT
    ) -> subprocess.Popen[str]:
        """Start one."""
        return subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.host}",
             *(["setpriv", f"--reuid={uid}", "--clear-groups"] if uid else []),
             sys.executable, "-c", CLIENT + script, address, str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def nft(self, side: str, *what: str) -> str:
        """Run nft(8)."""
        return subprocess.check_output(enter(side, "nft", *what), text=True)


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two namespaces with the links of this file."""
    with Pair(LINKS, 8, 8) as net:
        yield net


ECHO = """
c = connect(b"e")
data = os.urandom(3 << 20)
ends = {"peer": c.getpeername()[0], "own": c.getsockname()[0]}
threading.Thread(target=lambda: (c.sendall(data), c.shutdown(1)), daemon=True).start()
got = read(c)
tell(same=got == data, **ends)
"""


@pytest.mark.parametrize("address", ["10.77.1.1", "fd77:1::1"])
def test_bytes_cross_two_relays(pair: Pair, address: str) -> None:
    pair.listen(address)
    portal = f"[{address}]:{PORT}" if ":" in address else f"{address}:{PORT}"
    pair.announce("fd77:{}::1" if ":" in address else "10.77.{}.1")
    with Relay(pair.target, "--port", str(PORT)) as target:
        with Relay(pair.host, "--portal", portal) as host:
            told = pair.run(ECHO, address)
            own = address[:-1] + "2"
            assert told == {"same": True, "peer": address, "own": own}
            with pair.stays("c = connect(b'e1'); read(c, 1)", address):
                pair.wait_for_subflows(LINKS)
                assert pair.subflows(pair.target) == LINKS
            assert host.end() == 0
        assert target.end() == 0
    for side in (pair.host, pair.target):
        assert pair.nft(side, "list", "ruleset") == ""
        rules = subprocess.check_output(["ip", "-n", side, "rule"], text=True)
        assert "950" not in rules


def test_half_close_and_reset(pair: Pair) -> None:
    pair.listen()
    with pair.relays():
        told = pair.run("""
data = os.urandom(1000)
c = connect(b"d")
c.sendall(data)
c.shutdown(socket.SHUT_WR)
got = read(c)
tell(digest=got[:32] == hashlib.sha256(data).digest(), more=len(got) - 32)
""")
        assert told == {"digest": True, "more": 5000}
        told = pair.run("""
c = connect(b"r")
try:
    tell(got=len(read(c)))
except ConnectionResetError:
    tell(reset=True)
""")
        assert told == {"reset": True}


def test_urgent_data_stops_nothing(pair: Pair) -> None:
    """A read ends at the urgent byte, which nvmet does not read either, and more follows."""
    pair.listen()
    with pair.relays():
        told = pair.run("""
c = connect(b"")
for data, flags in ((b"eabc", 0), (b"d", socket.MSG_OOB), (b"efgh", 0)):
    c.send(data, flags)
tell(got=read(c, 7).decode())
""")
        assert told == {"got": "abcefgh"}


def test_a_reset_of_the_host_reaches_the_target(pair: Pair) -> None:
    server = pair.listen()
    with pair.relays():
        pair.run("""
c = connect(b"w")
read(c, 1)
c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
c.close()
tell()
""")
        assert server.stdout and server.stdout.readline() == "reset\n"
        pair.run("c = connect(b'w'); read(c, 1); c.close(); tell()")
        assert server.stdout.readline() == "end\n"


def test_three_hundred_connections(pair: Pair) -> None:
    pair.listen()
    with pair.relays() as (host, _):
        before = len(os.listdir(f"/proc/{host.process.pid}/fd"))
        told = pair.run("""
made = [connect(b"e" + i.to_bytes(2, "big")) for i in range(300)]
tell(right=[int.from_bytes(read(c, 2), "big") for c in made] == list(range(300)))
""")
        assert told == {"right": True}
        wait_for(lambda: len(os.listdir(f"/proc/{host.process.pid}/fd")) == before, LONG)
        wait_for(lambda: not pair.subflows(pair.host), LONG)


def test_a_slow_reader_stops_the_writer(pair: Pair) -> None:
    server = pair.listen()
    size = 256 << 20
    with pair.relays() as (host, target):
        rss = [memory(r) for r in (host, target)]
        client = pair.client(f"""
c = connect(b"s")
sent, size = 0, {size}
c.settimeout(3)
chunk = bytes(1 << 16)
try:
    while sent < size:
        sent += c.send(chunk)
except TimeoutError:
    pass
held = sent
print(held, flush=True)
c.settimeout(60)
while sent < size:
    sent += c.send(chunk[:size - sent])
c.shutdown(1)
print(read(c).decode(), flush=True)
""")
        assert client.stdout and server.stdin
        held = int(client.stdout.readline())
        # The kernel's buffers take what their limits admit, the relays' two buffers 32 KiB.
        assert held < size / 2, "the writer was not stopped"
        assert all(memory(r) <= kib + 1024 for r, kib in zip((host, target), rss, strict=True))
        server.stdin.write("go\n")
        server.stdin.flush()
        assert int(client.stdout.readline()) == size
        client.communicate(timeout=LONG)


def memory(relay: Relay) -> int:
    """KiB that a process has in memory."""
    status = Path(f"/proc/{relay.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s*(\d+)", status)
    assert found
    return int(found[1])


def test_rules_outlive_a_flush_and_end_with_the_process(pair: Pair) -> None:
    pair.listen()
    with pair.relays() as (host, _):
        pair.nft(pair.host, "flush", "ruleset")
        pair.nft(pair.target, "flush", "ruleset")
        assert pair.run(ECHO)["same"]
        assert "nvme_mptcp_relay" in pair.nft(pair.host, "list", "ruleset")
        host.process.kill()
        host.process.wait()
        assert pair.nft(pair.host, "list", "ruleset") == ""
        # Straight to the target then, as plain TCP; and the routes of the dead one are no obstacle.
        assert pair.run(ECHO)["same"]
        with Relay(pair.host, "--portal", PORTAL) as again:
            assert pair.run(ECHO)["same"]
            assert again.end() == 0


@pytest.mark.parametrize("out", ["closed pipe", "/dev/full"])
def test_a_log_that_cannot_be_written(pair: Pair, out: str) -> None:
    """It ends no connection, and no reload."""
    pair.listen()
    with Relay(pair.target, "--port", str(PORT)) as target:
        command = enter(pair.host, NVME, "mptcp", "relay", "--portal", f"{PORTAL},10.77.2.1")
        if out == "/dev/full":
            with open(out, "w") as full:
                process = subprocess.Popen(command, stdout=full, stderr=subprocess.DEVNULL)
            wait_for(lambda: "output" in pair.nft(pair.host, "list", "ruleset"), LONG)
        else:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert process.stdout and process.stdout.readline()
            process.stdout.close()
            process.stdout = None
        with killed(process), pair.stays():
            wait_for(lambda: pair.subflows(pair.host) == LINKS, LONG)
            told = pair.run("try: read(connect(b'e1'))\nexcept OSError: pass\ntell()", "10.77.2.1")
            assert told == {}
            process.send_signal(signal.SIGHUP)
            time.sleep(1)
            assert process.poll() is None
            assert pair.run(ECHO)["same"]
            assert pair.subflows(pair.host) == LINKS
        assert target.process.poll() is None


def test_few_descriptors(pair: Pair) -> None:
    pair.listen()
    few = ("prlimit", "--nofile=160")
    ask = """
made = []
for i in range(20):
    try:
        c = connect(b"e1")
        read(c, 1) and made.append(c)
    except ConnectionResetError:
        pass
tell(made=len(made))
"""
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL, prefix=few) as host,
    ):
        assert pair.run(ask) == {"made": 16}
        wait_for(lambda: not pair.subflows(pair.host), LONG)
        # One that is asked for without a descriptor waits, and costs no processor time.
        pid = str(host.process.pid)
        subprocess.run(["prlimit", f"--pid={pid}", "--nofile=7:160"], check=True)
        client = pair.client("c = connect(b'e1'); tell(got=read(c, 1).decode())")
        time.sleep(1)
        before = processor_time(pid)
        time.sleep(1)
        assert processor_time(pid) - before < 20
        subprocess.run(["prlimit", f"--pid={pid}", "--nofile=160:160"], check=True)
        assert json.loads(client.communicate(timeout=LONG)[0]) == {"got": "1"}
        texts = host.texts()
    assert any(text.startswith("at most 16 connections instead of 8192") for text in texts)


def processor_time(pid: str) -> int:
    """Of a process, in hundredths of a second."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_ipv6_is_switched_off(pair: Pair) -> None:
    for side in (pair.host, pair.target):
        pair.sysctl(side, "net.ipv6.conf.all.disable_ipv6=1")
    pair.listen()
    with pair.relays():
        assert pair.run(ECHO)["same"]


def test_a_stop_says_what_it_drops(pair: Pair) -> None:
    pair.listen()
    with pair.relays() as (host, _):
        client = pair.client("""
c = connect(b"e1")
read(c, 1)
print("there", flush=True)
try:
    read(c, 1)
    print("ended")
except ConnectionResetError:
    print("reset")
""")
        assert client.stdout and client.stdout.readline() == "there\n"
        assert any(t.startswith("Stopped: 1 connection ends") for t in host.texts())
        assert client.communicate(timeout=LONG)[0] == "reset\n"


def test_only_the_kernel_and_root_are_relayed(pair: Pair) -> None:
    pair.listen()
    ask = """
try:
    c = connect(b"e1")
    tell(got=read(c, 1).decode())
except ConnectionResetError:
    tell(reset=True)
"""
    with pair.relays() as (host, _):
        assert pair.run(ask) == {"got": "1"}
        assert pair.run(ask, uid=65534) == {"reset": True}
        # What does not come by steering would lead back to the relay.
        assert pair.run(ask, "127.77.0.2", port=4421) == {"reset": True}
        texts = host.texts()
    assert any("a process of user 65534" in text for text in texts), texts


def test_failures_are_reported_once(pair: Pair) -> None:
    ask = """
for _ in range(3):
    try:
        read(connect(b"e1"), 1)
    except OSError:
        pass
tell()
"""
    with Relay(pair.host, "--portal", PORTAL) as host:
        pair.run(ask)
        pair.listen()
        pair.run(ECHO)
        texts = host.texts()
    refused = [text for text in texts if "Connection refused" in text]
    assert len(refused) == 1, texts
    assert refused[0].startswith(f"{PORTAL} for 10.77.1.2:"), texts
    assert f"{PORTAL} answers again" in texts


@pytest.mark.parametrize("bound", ["0.0.0.0", "::"])
def test_a_port_on_all_addresses(pair: Pair, bound: str) -> None:
    pair.listen(bound)
    with Relay(pair.target, "--port", str(PORT)) as target:
        notes = [e["text"] for e in target.entries if e["event"] == "note"]
        assert any(f"Port {PORT} is in use on all addresses" in note for note in notes)
        with Relay(pair.host, "--portal", PORTAL):
            assert pair.run(ECHO)["same"]
            with pair.stays():
                pair.wait_for_subflows(LINKS)


def test_links_of_a_target(pair: Pair) -> None:
    pair.listen()
    with (
        Relay(pair.target, "--port", str(PORT), "--dev", "eth2,eth3"),
        Relay(pair.host, "--portal", PORTAL),
        pair.stays(),
    ):
        # It came by eth1, past the relay: plain TCP.
        wait_for(lambda: PORTAL in pair.ss(pair.host, "-tn"), LONG)
        time.sleep(0.5)
        assert pair.subflows(pair.host) == 1
        assert pair.subflows(pair.target) == 0


def test_by_address(pair: Pair) -> None:
    pair.listen()
    with pair.relays("--mode", "address") as (host, _):
        notes = [e["text"] for e in host.entries if e["event"] == "note"]
        assert f"Connect to 127.77.1.1:{PORT} for portal {PORTAL}" in notes
        assert pair.nft(pair.host, "list", "ruleset") == ""
        told = pair.run(ECHO, "127.77.1.1")
        assert told["same"]


def test_one_in_each_namespace(pair: Pair) -> None:
    with Relay(pair.host, "--portal", PORTAL) as first, Relay(pair.target, "--port", str(PORT)):
        # As often as a service manager starts it again: more often than a queue has places.
        for _ in range(12):
            second = Relay(pair.host, "--portal", "10.77.2.1", "--mode", "address")
            assert second.end() == 1
            error = second.entries[-1]["error"]
            assert f"process {first.process.pid} already runs a relay" in error


def test_a_port_that_is_in_use(pair: Pair) -> None:
    pair.listen("0.0.0.0")
    pair.listen("0.0.0.0", 14420)
    relay = Relay(pair.target, "--port", str(PORT))
    assert relay.end() == 1
    said = relay.entries[-1]["error"]
    assert said.startswith("listening on 0.0.0.0:14420 (MPTCP): Address already in use (ss -ltnp")
    assert pair.nft(pair.target, "list", "ruleset") == ""


def test_without_privileges(pair: Pair) -> None:
    Relay(pair.host, "--portal", PORTAL).end()
    without = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
    result = run("mptcp", "relay", "--portal", PORTAL, side=pair.host, prefix=without, status=1)
    assert "CAP_NET_ADMIN" in result.err


def test_without_mptcp(pair: Pair) -> None:
    pair.sysctl(pair.target, "net.mptcp.enabled=0")
    relay = Relay(pair.target, "--port", str(PORT))
    assert relay.end() == 1
    assert "MPTCP is missing or disabled" in relay.entries[-1]["error"]


def test_the_configuration(pair: Pair, tmp_path: Path) -> None:
    pair.listen()
    config = tmp_path / "config.json"

    def configure(relay: object) -> list[str]:
        host = {"hostnqn": "nqn.2024-01.lab:host", "mptcp": {"relay": relay}}
        config.write_text(json.dumps([host]))
        return ["--config", str(config)]

    with (
        Relay(pair.target, *configure({"ports": [PORT], "links": ["eth1", "eth2"]})),
        Relay(pair.host, *configure({"portals": [PORTAL, "10.77.2.1"]})),
    ):
        assert pair.run(ECHO)["same"]


def test_the_service_manager(pair: Pair, tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(LONG)
        with Relay(pair.host, "--portal", PORTAL, NOTIFY_SOCKET=str(tmp_path / "notify")) as host:
            told = []
            while "READY=1" not in told:
                told += manager.recv(4096).decode().splitlines()
            host.end()
            while "STOPPING=1" not in told:
                told += manager.recv(4096).decode().splitlines()


def test_a_local_portal(pair: Pair) -> None:
    relay = Relay(pair.target, "--portal", PORTAL)
    assert relay.end() == 1
    error = relay.entries[-1]["error"]
    assert "is an address of this machine: for a target, name its ports (--port) (eth1)" in error
