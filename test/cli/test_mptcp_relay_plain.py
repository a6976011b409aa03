# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: plain TCP for a path that drops SYNs with the MPTCP option, and only there."""

import json
import os
import re
import subprocess
import time
from typing import Any

import pytest
from fake_sysfs import FakeHost
from keeping import AUTO, Keep
from mptcp_net import PORT, enter
from test_mptcp import run
from test_mptcp_relay import LONG, PORTAL, Pair, Relay, pair
from test_mptcp_relay_controllers import (
    NQNS,
    controller,
    findings,
    noted,
    offer,
    reset,
    served,
)
from test_mptcp_relay_reload import reload
from test_mptcp_relay_status import status_of
from test_mptcp_setup import wait_for

__all__ = ["pair", "served"]

#: Make a connection, and keep it until a line is written to the client.
HELD = """
start = time.monotonic()
c = connect(b"e1")
got = read(c, 1)
tell(got=got.decode(), seconds=time.monotonic() - start)
sys.stdin.readline()
"""
PLAIN = "plain TCP over one link: SYNs with the MPTCP option get no reply"


def drop(pair: Pair, *rules: str) -> None:
    """Add rules for packets that reach the target."""
    pair.nft(pair.target, "add table inet drops")
    pair.nft(pair.target, "add chain inet drops in { type filter hook input priority -300; }")
    for rule in rules:
        pair.nft(pair.target, f"add rule inet drops in {rule}")


def pass_all(pair: Pair) -> None:
    """Take the rules of drop() back."""
    pair.nft(pair.target, "delete table inet drops")


def has_dropped(pair: Pair, count: int = 1) -> bool:
    """True if each rule with a counter has dropped so many packets."""
    counters = re.findall(r"packets (\d+) ", pair.nft(pair.target, "list table inet drops"))
    return min(int(counter) for counter in counters) >= count


def suspended(side: str) -> int:
    """How often the kernel suspended MPTCP for all programs."""
    counted = subprocess.check_output(enter(side, "nstat", "-asz", "MPTcpExtBlackhole"), text=True)
    return int(counted.splitlines()[1].split()[1])


def descriptors(relay: Relay) -> int:
    """Descriptors that the relay has open."""
    return len(os.listdir(f"/proc/{relay.process.pid}/fd"))


def states(pair: Pair, side: str = "") -> list[Any]:
    """The states of relayed connections, of the host unless a side is named."""
    return [c["state"] for c in status_of(side or pair.host)["connections"]]


def test_a_path_that_drops_the_option(pair: Pair) -> None:
    pair.listen()
    drop(pair, "tcp option mptcp exists drop")
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL) as host,
    ):
        with pair.client(HELD) as first:
            assert first.stdout and '"got": "1"' in first.stdout.readline()
            assert states(pair) == ["tcp"]
            text = run("mptcp", "relay", "--status", "--netns", pair.host).out
            assert "\n1 of 1 connections use plain TCP, over one link each\n" in text
            result = status_of(pair.host)["portals"][0]
            assert result["errno"] == 93 and result["error"] == PLAIN
            # The proof holds for a minute: others do not wait for it.
            with pair.client(HELD) as second:
                assert second.stdout
                told = json.loads(second.stdout.readline())
                assert told["got"] == "1" and told["seconds"] < 2, told
                assert states(pair) == ["tcp", "tcp"]
                second.communicate("\n")
            # Nor do they stay without MPTCP for a minute once the path lets the option through.
            pass_all(pair)
            with pair.client(HELD) as third:
                assert third.stdout and '"got": "1"' in third.stdout.readline()
                assert sorted(states(pair)) == ["mptcp", "tcp"]
                assert status_of(pair.host)["portals"][0]["errno"] == 0
                third.communicate("\n")
            first.communicate("\n")
        texts = host.texts()
    [said] = [t for t in texts if PLAIN in t]
    assert said.startswith(f"{PORTAL} for 10.77.1.2:"), said
    assert f"mptcp check --traddr 10.77.1.1 --trsvcid {PORT} finds where" in said
    assert suspended(pair.host) == 0


def test_a_target_that_returns_while_tcp_is_tried(pair: Pair) -> None:
    """TCP connects first, but MPTCP works by then."""
    pair.listen()
    drop(pair, "tcp option mptcp exists counter drop",
         f"tcp dport {PORT} tcp flags & (syn | ack) == syn counter drop")  # fmt: skip
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL) as host,
        pair.client(HELD) as client,
    ):
        wait_for(lambda: has_dropped(pair), LONG)
        pass_all(pair)
        assert client.stdout and '"got": "1"' in client.stdout.readline()
        assert states(pair) == ["mptcp"]
        client.communicate("\n")
        assert not any(PLAIN in text for text in host.texts())


@pytest.mark.parametrize("returns", [True, False])
def test_a_reload_during_the_second_attempt(pair: Pair, returns: bool) -> None:
    """It goes on over TCP, to a connection or to an end."""
    pair.listen()
    drop(pair, "tcp option mptcp exists drop",
         f"tcp dport {PORT} tcp flags & (syn | ack) == syn counter drop")  # fmt: skip
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL) as host,
    ):
        before = descriptors(host)
        with pair.client(HELD) as client:
            wait_for(lambda: has_dropped(pair), LONG, 0.02)
            if returns:
                pass_all(pair)
            assert reload(host) == 1
            if returns:
                assert client.stdout and '"got": "1"' in client.stdout.readline()
                assert states(pair) == ["mptcp"]
                assert descriptors(host) == before + 2
                client.communicate("\n")
            else:
                _, err = client.communicate(timeout=LONG)
                assert "ConnectionResetError" in err
                assert status_of(pair.host)["portals"][0]["error"] == "Connection timed out"
        wait_for(lambda: descriptors(host) == before, LONG)


def test_a_reload_during_the_third_attempt(pair: Pair) -> None:
    """The TCP connection that was set aside ends. The attempts go on with MPTCP."""
    pair.listen()
    drop(pair, "tcp option mptcp exists counter drop")
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL) as host,
    ):
        before = descriptors(host)
        with pair.client(HELD) as client:
            # The first attempt sends two SYNs.
            wait_for(lambda: has_dropped(pair, 3), LONG, 0.02)
            assert reload(host) == 1
            assert client.stdout and '"got": "1"' in client.stdout.readline()
            for side in (pair.host, pair.target):
                assert states(pair, side) == ["tcp"]
            assert descriptors(host) == before + 2
            client.communicate("\n")
        wait_for(lambda: descriptors(host) == before, LONG)


def test_a_controller_returns_to_mptcp(served: Pair, host: FakeHost) -> None:
    """As others in fallback, once the path lets the option through."""
    offer(host, count=1)
    drop(served, "tcp option mptcp exists drop")
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]):
        found = findings(served, host)
        assert "N04" not in found
        assert "drops packets that have the MPTCP option" in found["C01"]["why"]
        assert "nvme reset" not in json.dumps(found["C01"])
        options = ("--netns", served.host, "--dry-run", "-o", "json")
        plan = run("mptcp", "repair", *options, host=host, status=1).json
        [note] = plan["notes"]
        assert note["command"].startswith("nvme mptcp check nvme0 --netns ")
        text = run("mptcp", "metrics", "--netns", served.host, host=host).out
        assert re.search(r'nvme_mptcp_connections_fallback\{.*controller="nvme0".*\} 3\b', text)
        with Keep(served.host, *AUTO, host=host) as keeper:
            wait_for(lambda: "3 connections without MPTCP" in keeper.status(), LONG)
            wait_for(lambda: "nvme mptcp check nvme0" in noted(keeper), LONG)
            time.sleep(6)
            assert reset(host) == [""]
            pass_all(served)
            found = findings(served, host)["C01"]
            assert "so a reset brings MPTCP back" in found["why"]
            assert "nvme reset /dev/nvme0" in json.dumps(found)
            wait_for(lambda: len(keeper.entries("reset")) > 0, LONG)
            assert reset(host) == ["1"]
        # No connection at all would be worse than one without MPTCP.
        drop(served, f"tcp dport {PORT} tcp flags & (syn | ack) == syn drop")
        found = findings(served, host)["C01"]
        assert "accepts no new connections now" in found["why"]
        assert "nvme reset" not in json.dumps(found)


def test_mptcp_was_disabled(served: Pair, host: FakeHost) -> None:
    offer(host, count=1)
    served.sysctl(served.host, "net.mptcp.enabled=0")
    with Relay(served.host, "--portal", PORTAL), controller(served, NQNS[0]):
        found = findings(served, host)
        assert "MPTCP is disabled on this host" in found["C01"]["why"]
        commands = [fix["command"] for f in found.values() for fix in f["fix"]]
        enables, resets = (
            next(i for i, command in enumerate(commands) if command.endswith(end))
            for end in ("sysctl -w net.mptcp.enabled=1", "nvme reset /dev/nvme0")
        )
        assert enables < resets
        served.sysctl(served.host, "net.mptcp.enabled=1")
        found = findings(served, host)["C01"]
        assert [fix["command"] for fix in found["fix"]] == ["nvme reset /dev/nvme0"]


@pytest.mark.parametrize("how", ["drop", "reject with tcp reset"])
def test_a_trial_is_not_relayed(pair: Pair, how: str) -> None:
    """The relay accepts connections of this host even if the target does not."""
    drop(pair, f"tcp dport {PORT} {how}")
    ask = ("mptcp", "check", "-a", "10.77.1.1", "-s", str(PORT), "--config", "none",
           "--netns", pair.host, "-o", "json")  # fmt: skip
    without = run(*ask).json
    with Relay(pair.host, "--portal", PORTAL):
        relayed = run(*ask).json
    for document in (without, relayed):
        rules = {f["rule"] for f in document["findings"] if f["severity"] != "info"}
        assert rules == {"C09"}, document
    # What answers a SYN without the option after some with it makes the kernel do that.
    assert suspended(pair.host) == 0
