# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers that a relay carries, and those that go past it, in what commands show."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Nvme
from fake_sysfs import HOSTNQN, FakeHost
from keeping import AUTO, Keep
from mptcp_net import ICRESP, LISTEN, PORT
from test_mptcp import OTHER_USER, conforms, run
from test_mptcp_relay import CLIENT, LINKS, LONG, PORTAL, TCP, Pair, Relay, pair
from test_mptcp_setup import wait_for

__all__ = ["pair"]

#: Answers ICReq and Connect; numbers controllers from 1 on. What begins otherwise is echoed.
SERVER = f"""
import itertools, socket, sys, threading
numbers = itertools.count(1)
def serve(c):
    first = c.recv(1)
    if first != b"\\0":
        while data := c.recv(65536):
            c.sendall(data)
        return
    whole = c.makefile("rb")
    whole.read(127)
    c.sendall(bytes.fromhex("{ICRESP.hex()}"))
    head = whole.read(8)
    whole.read(head[3] - 8)
    data = whole.read(1024)
    number = int.from_bytes(data[16:18], "little")
    if number == 0xffff:
        number = next(numbers)
    refused = b"refused" in data
    c.sendall(bytes([5, 0, 24, 0, 24, 0, 0, 0]) + number.to_bytes(4, "little") + bytes(10)
              + (b"\\x82\\x41" if refused else b"\\0\\0"))
    while whole.read(1):
        pass
{LISTEN}"""

#: Connects the queues of a controller as nvme-tcp does, in pieces; or hides them, as TLS does.
QUEUES = """
def queue(number, piece, pdo):
    c = socket.create_connection((address, port), 20)
    c.settimeout(20)
    c.setsockopt(socket.SOL_TCP, socket.TCP_NODELAY, 1)
    if HIDDEN:
        c.sendall(b"\\x16" + bytes(3000))
        read(c, 3000)
        return c, 0
    icreq = bytes([0, 0, 128, 0, 128, 0, 0, 0]) + bytes(120)
    command = bytes([4, 0, 72, pdo]) + (pdo + 1024).to_bytes(4, "little")
    command += bytes([0x7f, 0, 0, 0, 1]) + bytes(59)
    data = bytes(16) + number.to_bytes(2, "little") + bytes(238) + NQN.encode().ljust(256, b"\\0")
    c.sendall(icreq)
    read(c, 128)
    stream = command.ljust(pdo, b"\\0") + data.ljust(1024, b"\\0")
    for at in range(0, len(stream), piece):
        c.sendall(stream[at:at + piece])
        if piece < 100:
            time.sleep(0.002)
    answer = read(c, 24)
    return c, int.from_bytes(answer[8:10], "little")
made = [queue(0xffff, 4096, 72)]
number = made[0][1]
made += [queue(number, *how) for how in HOWS]
print(number, flush=True)
sys.stdin.read()
"""
NQNS = ["nqn.2026-01.org.example:a", "nqn.2026-01.org.example:b"]


@contextmanager
def controller(
    pair: Pair, nqn: str, queues: int = 3, *, hidden: bool = False, address: str = "10.77.1.1"
) -> Iterator[int]:
    """The connections of a controller; its number."""
    hows = [(4096, 72), (7, 76), (1, 72), (1000, 72)][: queues - 1]
    script = f"NQN, HIDDEN, HOWS = {nqn!r}, {hidden}, {hows}\n" + QUEUES
    with subprocess.Popen(
        ["nsenter", f"--net=/run/netns/{pair.host}", sys.executable, "-c", CLIENT + script,
         address, str(PORT)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


def answer(pair: Pair) -> None:
    """Start a target without a relay."""
    pair._start(pair.target, SERVER, "10.77.1.1", str(TCP), str(PORT))


@pytest.fixture
def served(pair: Pair) -> Iterator[Pair]:
    """A target that runs a relay."""
    answer(pair)
    with Relay(pair.target, "--port", str(PORT)):
        yield pair


def show(pair: Pair, host: FakeHost) -> Any:
    """The document of show-subflows."""
    options = ("--netns", pair.host, "--userspace", "-o", "json")
    return conforms(run("mptcp", "show-subflows", *options, host=host, status=0).json)


def text_of(pair: Pair, host: FakeHost) -> str:
    """What it prints."""
    return run("mptcp", "show-subflows", "--netns", pair.host, host=host).out


def offer(host: FakeHost, *, address: str = "10.77.1.1", count: int = 2) -> None:
    """So many controllers to one portal; their numbers are 1 and 2."""
    for i, nqn in enumerate(NQNS[:count]):
        portal = f"traddr={address},trsvcid={PORT}"
        host.subsystem(i, nqn).controller(i, "tcp", portal, queue_count=3)


def all_carry(net: Pair, queues: int = 3) -> None:
    """Wait until so many queues have a subflow on each link."""
    wait_for(lambda: net.subflows(net.host) == queues * LINKS, LONG)


def test_two_controllers_to_one_portal(served: Pair, host: FakeHost) -> None:
    offer(host)
    with Relay(served.host, "--portal", PORTAL):
        with controller(served, NQNS[0]) as one, controller(served, NQNS[1], 2) as two:
            assert (one, two) == (1, 2)
            all_carry(served, 5)
            document = show(served, host)
            first, second = document["controllers"]
            assert [c["name"] for c in (first, second)] == ["nvme0", "nvme1"]
            assert [c["connections_found"] for c in (first, second)] == [3, 2]
            for found in (first, second):
                assert found["relay"] and not found["bypassed"]
                assert found["transport"] == "tcp"
                assert {c["attribution"] for c in found["connections"]} == {"exact"}
                assert [u["subflows"] for u in found["links"]] == [found["connections_found"]] * 4
            assert document["shared"] == []
            assert document["userspace"]["connections_found"] == 0
            text = text_of(served, host)
            assert f"nvme0  live, relay  {PORTAL}  {NQNS[0]}" in text
            assert "3 of 3 connections, 12 subflows over 4 links, none in fallback" in text
        wait_for(lambda: not served.subflows(served.host), LONG)
        first, second = show(served, host)["controllers"]
        # Live by what /sys says, and not connected at all.
        assert (first["relay"], first["bypassed"], first["connections_found"]) == (True, False, 0)


def test_a_refused_controller_owns_nothing(served: Pair, host: FakeHost) -> None:
    host.subsystem(0, NQNS[0]).controller(0, "tcp", f"traddr=10.77.1.1,trsvcid={PORT}")
    with (
        Relay(served.host, "--portal", PORTAL),
        controller(served, "nqn.2026-01.org.example:other", 2),
        controller(served, "nqn.2026-01.org.example:refused", 1),
    ):
        all_carry(served)
        document = show(served, host)
        assert document["userspace"]["connections_found"] == 2
        (found,) = document["controllers"]
        assert found["connections_found"] == 1  # it may be its: nothing names another


@pytest.mark.parametrize("count", [1, 2])
def test_encrypted_connections_are_told_by_address(
    served: Pair, host: FakeHost, count: int
) -> None:
    offer(host, count=count)
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0], hidden=True):
        all_carry(served)
        document = show(served, host)
        assert all(c["relay"] and not c["bypassed"] for c in document["controllers"])
        if count == 1:
            (found,) = document["controllers"]
            assert [c["attribution"] for c in found["connections"]] == ["exact"] * 3
        else:
            (shared,) = document["shared"]
            assert shared["controllers"] == ["nvme0", "nvme1"]


def test_fallback_is_attributed(pair: Pair, host: FakeHost) -> None:
    answer(pair)
    offer(host)
    with Relay(pair.host, "--portal", PORTAL), controller(pair, NQNS[0]):
        wait_for(lambda: show(pair, host)["controllers"][0]["fallback"] == 3, LONG)
        first = show(pair, host)["controllers"][0]
        assert (first["relay"], first["connections_found"]) == (True, 3)


def test_controllers_by_address(served: Pair, host: FakeHost) -> None:
    offer(host, address="127.77.1.1")
    with (
        Relay(served.host, "--portal", PORTAL, "--mode", "address"),
        controller(served, NQNS[0], address="127.77.1.1"),
    ):
        all_carry(served)
        first, _ = show(served, host)["controllers"]
        assert (first["relay"], first["connections_found"]) == (True, 3)
        assert first["traddr"] == "127.77.1.1"


def test_without_a_relay_they_are_plain(served: Pair, host: FakeHost, nvme: Nvme) -> None:
    offer(host)
    with controller(served, NQNS[0]):
        assert show(served, host)["controllers"] == []
        assert run("mptcp", "show-subflows", "--netns", served.host, host=host).refused(3) == (
            "no controller is connected over MPTCP: nvme0 and others use tcp, and no relay is "
            f"running, nor does config.json have one for portal {PORTAL}: nvme mptcp setup "
            "--relay configures one\n"
        )
        port = {"transport": "tcp", "traddr": PORTAL.partition(":")[0]}
        configured = {"subsystems": [{"nqn": NQNS[0], "ports": [port]}]}
        for portals, more in (("auto", configured), ([PORTAL], {})):
            entry = {"hostnqn": HOSTNQN, "mptcp": {"relay": {"portals": portals}}, **more}
            (host.etc / "config.json").write_text(json.dumps([entry]))
            stopped = nvme("mptcp", "show-subflows", "--netns", served.host, status=3)
            assert stopped.err.endswith(
                f"no relay is running, although config.json has one for portal {PORTAL}: systemctl "
                "start nvme-mptcp-relay, then nvme reset /dev/nvme0\n"
            ), stopped.err
        with Relay(served.host, "--portal", "10.77.2.1"):
            assert show(served, host)["controllers"] == []
            other = nvme("mptcp", "show-subflows", "--netns", served.host, status=3)
            text = f"and the running relay has no portal {PORTAL}, although config.json has one: "
            assert text in other.err
            assert "systemctl reload nvme-mptcp-relay" in other.err
            (host.etc / "config.json").unlink()
            other = run("mptcp", "show-subflows", "--netns", served.host, host=host)
            assert f"and the running relay has no portal {PORTAL} (" in other.err


def test_a_user_is_told_that_the_relay_answers_root(served: Pair) -> None:
    ask = ("mptcp", "show-subflows", "--userspace", "-ojson")
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]):
        done = run(*ask, side=served.host, prefix=OTHER_USER)
        text = "connections of the relay: Permission denied (it answers only root)"
        assert text in done.out, done


def test_one_past_the_relay(served: Pair, host: FakeHost, tmp_path: Path) -> None:
    offer(host)
    with controller(served, NQNS[0], 3) as one:
        assert one == 1
        with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[1], 3) as two:
            assert two == 2
            all_carry(served)
            first, second = show(served, host)["controllers"]
            assert (first["relay"], first["bypassed"]) == (False, True)
            assert (second["relay"], second["bypassed"]) == (True, False)
            assert first["connections_found"] == 0
            text = text_of(served, host)
            assert f"nvme0  live, bypassed  {PORTAL}" in text
            assert "bypassing the relay: nvme reset /dev/nvme0" in text
            found = findings(served, host)
            assert "N09" in found and "N07" not in found
            assert found["N09"]["subject"] == "nvme0"
            assert "nvme reset /dev/nvme0" in json.dumps(found["N09"])
            options = ("--netns", served.host, "--dry-run", "-o", "json")
            plan = run("mptcp", "repair", *options, host=host).json
            assert "nvme reset /dev/nvme0" in {note["command"] for note in plan["notes"]}
            samples = run("mptcp", "metrics", "--netns", served.host, host=host).out.splitlines()
            assert sample(samples, "controller_bypassed") == {"nvme0": "1", "nvme1": "0"}
            assert sample(samples, "controller_relay") == {"nvme0": "0", "nvme1": "1"}
            path = tmp_path / "page.html"
            run("mptcp", "report", "--html", str(path), "--netns", served.host, host=host)
            page = path.read_text()
            assert "live, bypassed" in page and "live, relay" in page
            assert "bypassing the relay: nvme reset /dev/nvme0<" in page
            with Keep(served.host, *AUTO, "--no-reset", host=host) as keeper:
                wait_for(lambda: "nvme reset /dev/nvme0" in noted(keeper), LONG)
                assert "nvme reset /dev/nvme1" not in noted(keeper)
                time.sleep(4)
                assert reset(host) == ["", ""]
            with Keep(served.host, *AUTO, host=host) as keeper:
                # the relay would use plain TCP, too
                served.nft(served.target, "add table inet middle")
                served.nft(served.target, "add chain inet middle in { type filter hook input "
                           "priority 0; tcp flags & (syn|ack) == syn tcp option mptcp exists "
                           "drop; }")  # fmt: skip
                time.sleep(6)
                assert reset(host) == ["", ""]
                served.nft(served.target, "delete table inet middle")
                wait_for(lambda: len(keeper.entries("reset")) > 0, LONG)
                assert reset(host) == ["1", ""]
                [said] = keeper.entries("reset")
                assert said["text"] == "nvme0: reset, to connect it through the relay"
        assert show(served, host)["controllers"] == []


@contextmanager
def kept(served: Pair, host: FakeHost) -> Iterator[Keep]:
    """A relayed controller, and a keeper that has found all its subflows."""
    with (
        Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]),
        Keep(served.host, *AUTO, host=host) as keeper,
    ):  # fmt: skip
        all_carry(served)
        keeper.until_status(f"{LINKS} links carry 1 controller")
        yield keeper


def reset(host: FakeHost) -> list[str]:
    """What was written to have each controller reset."""
    found = sorted(host.sys.glob("class/nvme/nvme*/reset_controller"))
    return [attribute.read_text() for attribute in found]


def test_a_slow_reset_delays_nothing(served: Pair, host: FakeHost) -> None:
    """The kernel answers when the controller is back: a target may take minutes for that."""
    offer(host)
    attribute = host.sys / "class/nvme/nvme0/reset_controller"
    attribute.unlink()
    os.mkfifo(attribute)
    with (
        controller(served, NQNS[0]),
        Relay(served.host, "--portal", PORTAL),
        Keep(served.host, *AUTO, host=host) as keeper,
    ):
        wait_for(lambda: len(keeper.children()) == 1, LONG)
        time.sleep(1)
        assert len(keeper.children()) == 1 and not keeper.entries("reset", "failure")
        served.ip("link", "set", "eth2", "down", netns=served.host)
        wait_for(lambda: "eth2" in keeper.status(), LONG)
        assert keeper.end() == 0
        # The next keep does not wait for it.
        with Keep(served.host, *AUTO, "--no-reset", host=host) as again:
            assert not again.ended()


def test_check_of_one_past_the_relay(served: Pair, host: FakeHost) -> None:
    """Until it is reset, nothing that MPTCP needs is missing: others had all subflows."""
    served.ip("mptcp", "limits", "set", "add_addr_accepted", "0", netns=served.host)
    served.subflows_by(2, 3, 4)
    offer(host, count=1)
    with controller(served, NQNS[0]), Relay(served.host, "--portal", PORTAL):
        with controller(served, NQNS[1], 2):
            all_carry(served, 2)
            assert findings(served, host).keys() == {"N09"}
        wait_for(lambda: not served.subflows(served.host), LONG)
        assert findings(served, host).keys() == {"N09"}


#: A table of another program, after which a connection does not reach the relay.
IN_THE_WAY = {
    "bypassed": "type route hook output priority mangle + 1; meta mark set 0",
    "dropped": "type filter hook input priority 0; iifname lo drop",
}


@pytest.mark.parametrize("how", IN_THE_WAY)
def test_a_relay_that_gets_no_connections(served: Pair, host: FakeHost, how: str) -> None:
    """A reset would not help."""
    with Relay(served.host, "--portal", PORTAL):
        served.nft(served.host, "add table inet other")
        served.nft(served.host, f"add chain inet other out {{ {IN_THE_WAY[how].split(';')[0]}; }}")
        served.nft(served.host, f"add rule inet other out {IN_THE_WAY[how].split(';')[1]}")
        if how == "dropped":
            portal = f"traddr=10.77.1.1,trsvcid={PORT}"
            host.subsystem(0, NQNS[0]).controller(0, "tcp", portal, state="connecting")
            found = faults(served, host)
            assert list(found) == ["N02"] and "firewall stops packets" in found["N02"]["why"]
        else:
            offer(host, count=1)
            with controller(served, NQNS[0]):
                found = faults(served, host)
            assert list(found) == ["N09"] and "bypasses the relay as well" in found["N09"]["why"]
    [fix] = found.popitem()[1]["fix"]
    assert fix["command"].endswith("nft list ruleset")


def test_why_a_controller_is_not_live(pair: Pair, host: FakeHost) -> None:
    """The target's relay has accepted the connection, before it found no port of nvmet."""
    portal = f"traddr=10.77.1.1,trsvcid={PORT}"
    for number in range(2):
        host.subsystem(number, NQNS[number]).controller(number, "tcp", portal, state="connecting")
    with Relay(pair.target, "--port", str(PORT)), Relay(pair.host, "--portal", PORTAL):
        result = run("mptcp", "check", "--netns", pair.host, "-o", "json", host=host)
    found = [finding for finding in result.json["findings"] if finding["severity"] != "info"]
    assert [(f["rule"], f["subject"]) for f in found] == [("N02", "nvme0"), ("N02", "nvme1")]
    for finding in found:
        assert finding["why"].count("is a port of a target enabled there?") == 1
    # A command that is repeated is printed once.
    assert [fix["side"] for finding in found for fix in finding["fix"]] == ["target"]


def test_links_and_ports_of_a_targets_relay(pair: Pair, host: FakeHost) -> None:
    """Joins on other links are refused, and so are hosts where nvmet has no port."""
    host.target_port(1, "tcp", "10.77.1.1")
    with Relay(pair.target, "--port", str(PORT), "--dev", "eth1,eth2,eth3"):
        options = ("--role", "target", "--interval", "0", "-o", "json", "--netns", pair.target)
        found = run("mptcp", "check", *options, host=host).json["findings"]
    worst = {f["rule"]: f for f in found if f["severity"] == "error"}
    assert list(worst) == ["T03", "T14"], found
    assert "takes no connections on eth4" in worst["T03"]["why"]
    assert "--dev eth1,eth2,eth3,eth4 --apply" in worst["T03"]["fix"][0]["command"]


def test_controllers_beside_a_relay(served: Pair, host: FakeHost, nvme: Nvme) -> None:
    """One of plain tcp is a fault only if the relay is meant for it."""
    relay = {"portals": [PORTAL]}
    offer(host, count=1)
    ask = ("mptcp", "check", "--netns", served.host, "--role", "host", "--interval", "0",
           "-o", "json")  # fmt: skip
    with controller(served, NQNS[0]):
        for portals, config, words in (
            ("", None, None),
            ("", relay, "no relay is running"),
            ("10.77.2.1", None, "no controller is connected to any of its portals"),
            ("10.77.2.1", relay, "was started without it"),
        ):
            (host.etc / "config.json").write_text(
                json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"relay": config}}] if config else [])
            )
            with ExitStack() as stack:
                if portals:
                    stack.enter_context(Relay(served.host, "--portal", portals))
                [found] = [f for f in nvme(*ask).json["findings"] if f["rule"] == "N01"]
            assert found["severity"] == ("warning" if words else "info")
            assert not words or words in found["why"], found
    host.subsystem(1, NQNS[1]).controller(
        1, "tcp", f"traddr=10.77.1.1,trsvcid={PORT},host_iface=eth1", state="connecting"
    )
    with Relay(served.host, "--portal", PORTAL):
        found = findings(served, host)["N01"]
    assert found["severity"] == "warning" and "nvme1 is bound to an interface" in found["why"]


def noted(keeper: Keep) -> set[str | None]:
    """Commands that keep has named."""
    return {entry["command"] for entry in keeper.entries("note")}


def findings(pair: Pair, host: FakeHost, *options: str) -> dict[str, Any]:
    """What check finds, by rule."""
    result = run("mptcp", "check", "--netns", pair.host, "-o", "json", *options, host=host)
    return {finding["rule"]: finding for finding in result.json["findings"]}


def faults(pair: Pair, host: FakeHost) -> dict[str, Any]:
    """The errors and warnings among them."""
    found = findings(pair, host)
    return {rule: f for rule, f in found.items() if f["severity"] != "info"}


def sample(lines: list[str], name: str) -> dict[str, str]:
    """A series of controllers."""
    return {
        re.search(r'controller="(\w+)"', line)[1]: line.split()[-1]  # type: ignore[index]
        for line in lines
        if line.startswith(f"nvme_mptcp_{name}{{")
    }


def test_rules_take_them_for_controllers_of_mptcp(served: Pair, host: FakeHost) -> None:
    offer(host, count=1)
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]):
        all_carry(served)
        assert not findings(served, host).keys() & {"K06", "N01", "N04", "N07", "N09"}
        text = run("mptcp", "metrics", "--netns", served.host, host=host).out
        for link in range(1, LINKS + 1):
            labels = f'.*controller="nvme0".*link="eth{link}".*'
            assert re.search(rf"nvme_mptcp_subflows{{{labels}}} 3\b", text)
        topology = run("show-topology", side=served.host, host=host).out
        assert topology.count("3 subflows") == LINKS, topology
        line = re.compile(r"\+- nvme0 tcp traddr=.* live.*, relay$", re.MULTILINE)
        assert line.search(topology), topology


def test_keep_takes_a_dead_link_out_and_puts_it_back(served: Pair, host: FakeHost) -> None:
    """For relayed controllers as for others, and at once: their own connections are not foreign."""
    offer(host, count=1)
    with kept(served, host) as keeper:
        for link in ("eth3", "eth1"):
            served.ip("link", "set", link, "down", netns=served.target)
            wait_for(lambda: served.subflows(served.host) == 3 * (LINKS - 1), 5)
            keeper.until_status(f"{LINKS - 1} links carry 1 controller, {link} has no carrier")
            served.ip("link", "set", link, "up", netns=served.target)
            served.repair_routes()
            all_carry(served)
            assert [a for a, on in keeper.done() if on == link][:2] == ["add", "delete"]
        # Joins that are lost before the target's route is back are tried again after a second.
        steps = [d for d in keeper.entries("step") if d["action"] != "renew"]
        assert all(d["rule"] == "A07" for d in steps)


@pytest.mark.parametrize("first", ["announcement", "link"])
def test_keep_is_content_with_what_the_target_restores(
    served: Pair, host: FakeHost, first: str
) -> None:
    """The kernel has made an endpoint for the join, and refuses one of that address with an id."""
    offer(host, count=1)

    def announce() -> None:
        for link in range(2, LINKS + 1):
            served.endpoint(served.target, f"10.77.{link}.1", "signal")

    with kept(served, host) as keeper:
        served.ip("link", "set", "eth3", "down", netns=served.target)
        keeper.until_status(f"{LINKS - 1} links carry 1 controller, eth3 has no carrier")
        served.ip("mptcp", "endpoint", "flush", netns=served.target)
        if first == "announcement":
            announce()
        served.ip("link", "set", "eth3", "up", netns=served.target)
        served.repair_routes()
        if first == "link":
            announce()
        wait_for(lambda: served.subflows(served.host) >= 3 * LINKS, LONG)
        keeper.until_status(f"{LINKS} links carry 1 controller")
        assert all(d["state"] == "done" for d in keeper.entries("step"))


def test_keep_of_a_target_finds_a_relay_that_starts_later(pair: Pair, host: FakeHost) -> None:
    """As at boot. Its ports of nvmet-tcp are those of a target with MPTCP from then on."""
    host.target_port(1, "tcp", "10.77.1.1", "nqn.2024-01.lab:disk")
    pair.ip("mptcp", "endpoint", "flush", netns=pair.target)
    pair.listen()
    with Keep(pair.target, *AUTO, host=host) as keeper:
        assert "either a controller nor a target port" in keeper.status()
        with Relay(pair.target, "--port", str(PORT)):
            wait_for(lambda: len(keeper.done()) > LINKS, LONG)
            added = {link for action, link in keeper.done() if action == "add"}
            assert added == {"eth1", "eth2", "eth3", "eth4"}


def test_fallback_names_the_relay_of_the_target(pair: Pair, host: FakeHost) -> None:
    answer(pair)
    offer(host)
    with Relay(pair.host, "--portal", PORTAL), controller(pair, NQNS[0]):
        wait_for(lambda: show(pair, host)["controllers"][0]["fallback"] == 3, LONG)
        found = findings(pair, host)["C01"]
        assert "check that a relay for this port runs there" in found["why"]
        commands = [fix["command"] for fix in found["fix"]]
        assert commands[0].endswith("nvme mptcp setup --role target --relay --apply")
        assert commands[1:] == ["nvme reset /dev/nvme0"]
        with Keep(pair.host, *AUTO, host=host) as keeper:
            wait_for(lambda: "3 connections without MPTCP" in keeper.status(), LONG)
            time.sleep(6)
            assert reset(host) == ["", ""]
            with Relay(pair.target, "--port", str(PORT)):
                wait_for(lambda: len(keeper.entries("reset")) > 0, LONG)
            assert reset(host) == ["1", ""]
            [said] = keeper.entries("reset")
            assert said["text"].startswith("nvme0: reset, since it used plain TCP, and the target ")


def test_hosts_of_a_target(served: Pair, host: FakeHost) -> None:
    """What hosts connect to a target's relay is the target's, and no process's."""
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]):
        wait_for(lambda: served.subflows(served.target) == 3 * LINKS, LONG)
        report = run("mptcp", "report", "--netns", served.target, "-o", "json", host=host)
        snapshot = report.json["snapshot"]
        assert snapshot["other"]["connections_found"] == 3
        assert snapshot["other"]["fallback"] == 0
        assert snapshot["userspace"]["connections_found"] == 0


def test_hosts_of_a_target_over_plain_tcp(served: Pair, host: FakeHost, tmp_path: Path) -> None:
    """Without a relay on the host, they are shown as one link and no MPTCP."""
    with controller(served, NQNS[0]):
        snapshot = run(
            "mptcp", "report", "--netns", served.target, "-o", "json", host=host
        ).json["snapshot"]  # fmt: skip
        assert not snapshot["problems"], snapshot["problems"]
        assert snapshot["other"]["connections_found"] == snapshot["other"]["fallback"] == 3
        text = run("mptcp", "metrics", "--netns", served.target, host=host).out
        assert re.search(r"nvme_mptcp_connections_fallback\{.*\} 3\b", text), text
        report = ("mptcp", "report", "--netns", served.target, "-O", str(tmp_path / "target"))
        run(*report, host=host)
        assert "O1" not in findings(served, host, "--peer", str(tmp_path / "target"))
