# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay --status: the connections of a relay that runs."""

import errno
import re
from typing import Any

from test_mptcp import conforms, run
from test_mptcp_relay import LINKS, LONG, PORTAL, SCHEMA, Pair, Relay, pair
from test_mptcp_setup import wait_for

__all__ = ["pair"]


def status_of(side: str, code: int = 0) -> Any:
    """What the relay of a namespace says of itself."""
    words = ("--status", "--netns", side, "-o", "json")
    return conforms(run("mptcp", "relay", *words, status=code).json, SCHEMA)


def test_status(pair: Pair) -> None:
    assert "no relay runs" in status_of(pair.host, 3)["error"]
    with pair.relays() as (host, _):
        portal = {"portal": PORTAL, "peer": None, "steered": True, "errno": 0, "error": None}
        assert status_of(pair.host) == {"connections": [], "portals": [portal]}
        assert status_of(pair.target) == {"connections": [], "portals": []}
        # the reset may be there before connect() has returned
        pair.run("try: read(connect(b'e'))\nexcept OSError: pass\ntell()")
        [result] = status_of(pair.target)["portals"]
        assert (result["portal"], result["errno"]) == (PORTAL, errno.ECONNREFUSED)
        assert not result["steered"]
        [result] = status_of(pair.host)["portals"]
        assert result["steered"] and result["peer"]
        pair.listen()
        with pair.stays("c = connect(b'e' + b'1' * 999); read(c, 999)") as port:
            peer = f"10.77.1.2:{port}"
            pair.wait_for_subflows(LINKS)
            for side, name in ((pair.host, "host"), (pair.target, "target")):
                [found] = status_of(side)["connections"]
                assert (found["portal"], found["side"], found["state"]) == (PORTAL, name, "mptcp")
                assert found["subflows"] == LINKS
                assert re.search(rf"/0*{found['token']:x}\(", pair.ss(side, "-tniO"))
                if name == "host":
                    assert found["peer"] == peer
                    assert (found["to_mptcp"], found["from_mptcp"]) == (1000, 999)
                else:
                    assert (found["to_mptcp"], found["from_mptcp"]) == (999, 1000)
            text = run("mptcp", "relay", "--status", "--netns", pair.host).out
            row = rf"^{PORTAL} +{peer} +host +mptcp +[0-9a-f]{{8}} +{LINKS} "
            assert re.search(row, text, re.M)
            # As keep does when the link of the first subflow fails.
            pair.ip("mptcp", "endpoint", "delete", "id", "0", "10.77.1.2", netns=pair.host)
            wait_for(lambda: pair.subflows(pair.host) == LINKS - 1, LONG)
            for side in (pair.host, pair.target):
                [found] = status_of(side)["connections"]
                assert found["subflows"] == LINKS - 1
        assert host.end() == 0
    assert "no relay runs" in status_of(pair.host, 3)["error"]


def test_status_of_a_fallback(pair: Pair) -> None:
    pair.listen()
    with Relay(pair.host, "--portal", PORTAL), pair.stays():
        wait_for(lambda: status_of(pair.host)["connections"][0]["state"] == "tcp", LONG)


def test_mptcp_is_disabled_and_enabled(pair: Pair) -> None:
    """Connections are plain TCP meanwhile, and a relay that starts then says so."""
    pair.listen()
    pair.sysctl(pair.host, "net.mptcp.enabled=0")
    with pair.relays() as (host, _):
        for number, state in enumerate(("tcp", "mptcp")):
            with pair.stays():
                for side in (pair.host, pair.target):
                    [found] = status_of(side)["connections"]
                    assert found["state"] == state
            wait_for(lambda: not status_of(pair.host)["connections"], LONG)
            wait_for(lambda: not status_of(pair.target)["connections"], LONG)
            if not number:
                pair.sysctl(pair.host, "net.mptcp.enabled=1")
        texts = host.texts()
    assert any("sysctl net.mptcp.enabled=1" in text for text in texts), texts
