# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: plain TCP for a path that drops SYNs with the MPTCP option, and only there."""

import json
import subprocess
import time
from typing import Any

from mptcp_net import PORT
from test_mptcp_relay import PORTAL, Pair, Relay, pair
from test_mptcp_relay_status import status_of

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
    counted = subprocess.check_output(
        ["ip", "netns", "exec", pair.host, "nstat", "-asz", "MPTcpExtBlackhole"], text=True
    )
    assert [line.split()[1] for line in counted.splitlines()[1:]] == ["0"], counted


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
        end = time.monotonic() + 20
        while pair.nft(pair.target, "list table inet drops").count("packets 0 ") > 0:
            assert time.monotonic() < end
            time.sleep(0.02)
        pair.nft(pair.target, "delete table inet drops")
        assert client.stdout and '"got": "1"' in client.stdout.readline()
        assert states(pair) == ["mptcp"]
        client.communicate("\n")
        assert not any(PLAIN in text for text in host.texts())
