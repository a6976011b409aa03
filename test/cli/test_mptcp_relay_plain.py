# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: plain TCP for a path that drops SYNs with the MPTCP option, and only there."""

import json
import re
import subprocess
from typing import Any

import pytest
from mptcp_net import PORT, enter
from test_mptcp import run
from test_mptcp_relay import LONG, PORTAL, Pair, Relay, pair
from test_mptcp_relay_status import status_of
from test_mptcp_setup import wait_for

__all__ = ["pair"]

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


def has_dropped(pair: Pair) -> bool:
    """True if each rule with a counter has dropped a packet."""
    counters = re.findall(r"packets (\d+) ", pair.nft(pair.target, "list table inet drops"))
    return min(int(counter) for counter in counters) > 0


def suspended(side: str) -> int:
    """How often the kernel suspended MPTCP for all programs."""
    counted = subprocess.check_output(enter(side, "nstat", "-asz", "MPTcpExtBlackhole"), text=True)
    return int(counted.splitlines()[1].split()[1])


def states(pair: Pair) -> list[Any]:
    """The states of the host's relayed connections."""
    return [c["state"] for c in status_of(pair.host)["connections"]]


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
            result = status_of(pair.host)["portals"][0]
            assert result["errno"] == 93 and result["error"] == PLAIN
            # The proof holds for a minute: others do not wait for it.
            with pair.client(HELD) as second:
                assert second.stdout
                told = json.loads(second.stdout.readline())
                assert told["got"] == "1" and told["seconds"] < 2, told
                assert states(pair) == ["tcp", "tcp"]
                second.communicate("\n")
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
