# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay and connections that go past it: they live on while it comes and goes."""

import json
import re
import subprocess
import sys

import pytest
from conftest import NVME
from mptcp_net import PORT, enter
from test_mptcp_relay import CLIENT, LINKS, LONG, PORTAL, Pair, Relay, pair
from test_mptcp_relay_status import status_of
from test_mptcp_setup import wait_for

__all__ = ["pair"]

#: Sends each line that it is given, and prints what comes back. The source port is its own.
TALK = """
c = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, PROTO)
c.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
c.settimeout(20)
c.bind(("", SOURCE))
c.connect((address, port))
c.sendall(b"e")
for line in sys.stdin:
    try:
        c.sendall(line.encode())
        print(read(c, len(line)).decode().strip(), flush=True)
    except OSError as error:
        print(error, flush=True)
"""
SOURCE = 40771


def talk(
    pair: Pair, address: str = "10.77.1.1", source: int = 0, protocol: int = 0
) -> subprocess.Popen[str]:
    """A client that stays."""
    script = TALK.replace("PROTO", str(protocol)).replace("SOURCE", str(source))
    client = subprocess.Popen(
        ["nsenter", f"--net=/run/netns/{pair.host}", sys.executable, "-c", CLIENT + script,
         address, str(PORT)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    says(client, "begin")
    return client


def says(client: subprocess.Popen[str], word: str) -> None:
    """What it sends comes back."""
    assert client.stdin and client.stdout
    client.stdin.write(word + "\n")
    client.stdin.flush()
    assert client.stdout.readline() == word + "\n"


def end(client: subprocess.Popen[str]) -> None:
    """Close its connection."""
    client.communicate(timeout=LONG)


def relayed(side: str) -> list[str]:
    """Ends of the connections of a relay."""
    return [str(c["peer"]) for c in status_of(side)["connections"]]


@pytest.mark.parametrize("address", ["10.77.1.1", "fd77:1::1"])
def test_a_direct_connection_lives_on(pair: Pair, address: str) -> None:
    pair.listen(address)
    portal = f"[{address}]:{PORT}" if ":" in address else f"{address}:{PORT}"
    direct = talk(pair, address, SOURCE)
    with Relay(pair.target, "--port", str(PORT)) as target:
        says(direct, "the target's relay is there")
        with Relay(pair.host, "--portal", portal) as host:
            says(direct, "the host's relay is there")
            assert relayed(pair.host) == relayed(pair.target) == []
            later = talk(pair, address)
            assert len(relayed(pair.host)) == len(relayed(pair.target)) == 1
            says(direct, "another is relayed")
            end(direct)
            # The next one from its port is relayed like any other.
            direct = talk(pair, address, SOURCE)
            assert sum(end.endswith(f":{SOURCE}") for end in relayed(pair.host)) == 1
            end(direct)
            end(later)
            direct = talk(pair, address, source=0)
            wait_for(lambda: len(relayed(pair.host)) == 1, LONG)
            assert host.end() == 0
        end(direct)
        direct = talk(pair, address)
        with Relay(pair.host, "--portal", portal):
            says(direct, "a relay is back")
            later = talk(pair, address)
            assert len(relayed(pair.host)) == 1
        says(direct, "the host's relay is killed")
        end(later)
        assert target.end() == 0
    end(direct)


@pytest.mark.parametrize("bound", ["10.77.1.1", "0.0.0.0"])
def test_a_direct_connection_to_a_target(pair: Pair, bound: str) -> None:
    pair.listen(bound)
    direct = talk(pair)
    for _ in range(2):
        with Relay(pair.target, "--port", str(PORT)) as target:
            says(direct, "the target's relay is there")
            later = talk(pair)
            # A host without a relay: it works, as plain TCP.
            [found] = status_of(pair.target)["connections"]
            assert (found["portal"], found["state"]) == (PORTAL, "tcp")
            says(direct, "another is relayed")
            end(later)
            assert target.end() == 0
        says(direct, "the target's relay is gone")
    end(direct)


def squeezed(rules: str) -> list[str]:
    """Lines as both nft(8) and the relay have them, without routes, comments and ages."""
    rules = re.sub(r" expires 4d23h59m\w+", "", rules)
    rules = rules.replace("tcp flags & (syn | ack) == syn", "tcp flags syn / syn,ack")
    lines = [line.partition(" # ")[0].strip() for line in rules.splitlines()]
    return [line for line in lines if line and not line.startswith(("#", "ip -"))]


@pytest.mark.parametrize("bound", ["10.77.1.1", "0.0.0.0", "::"])
def test_a_dry_run_prints_what_is_done(pair: Pair, bound: str) -> None:
    """That depends on what is there: nvmet's ports, and connections to a portal."""
    pair.listen(bound)
    direct = talk(pair)
    for side, *options in ((pair.target, "--port", str(PORT)), (pair.host, "--portal", PORTAL)):
        ask = enter(side, NVME, "mptcp", "relay", "--dry-run", *options)
        before = subprocess.check_output(ask, text=True)
        with Relay(side, *options) as relay:
            done = pair.nft(side, "list", "ruleset")
            assert squeezed(before) == squeezed(done)
            notes = [entry["text"] for entry in relay.entries if entry["event"] == "note"]
            for line in before.splitlines():
                assert not line.startswith("# ") or line[2:] in notes
            assert ("is in use on all addresses" in before) == (
                side == pair.target and bound != "10.77.1.1"
            )
            # What a reload would do.
            assert subprocess.check_output(ask, text=True) == before
            assert relay.end() == 0
    end(direct)


def test_mptcp_goes_past_the_relay_of_a_host(pair: Pair) -> None:
    pair.listen()
    mptcp = 262
    with Relay(pair.target, "--port", str(PORT)):
        before = talk(pair, protocol=mptcp)
        with Relay(pair.host, "--portal", PORTAL):
            later = talk(pair, protocol=mptcp)
            wait_for(lambda: pair.subflows(pair.host) == 2 * LINKS, LONG)
            assert relayed(pair.host) == []
            says(before, "before")
            says(later, "later")
        says(before, "before")
        says(later, "later")
        end(later)
        end(before)


@pytest.mark.parametrize("address", ["10.77.1.1", "fd77:1::1"])
def test_a_program_falls_back_past_the_relay(pair: Pair, address: str) -> None:
    """The SYN that the kernel sends without the option goes where those with it went."""
    pair.listen(address)
    portal = f"[{address}]:{PORT}" if ":" in address else f"{address}:{PORT}"
    pair.nft(pair.target, "add table inet drops")
    pair.nft(pair.target, "add chain inet drops in { type filter hook input priority -300; }")
    pair.nft(pair.target, "add rule inet drops in tcp option mptcp exists drop")
    with Relay(pair.host, "--portal", portal):
        # Without the relay's mark, and as a user whose connections are not relayed.
        script = CLIENT + TALK.replace("PROTO", "262").replace("SOURCE", str(SOURCE))
        client = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{pair.host}", "setpriv", "--reuid=65534",
             "--clear-groups", sys.executable, "-c", script, address, str(PORT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        says(client, "fell back")
        assert relayed(pair.host) == []
        end(client)
        # It was answered: the next connection from its port is relayed like any other.
        later = talk(pair, address, SOURCE)
        assert len(relayed(pair.host)) == 1
        end(later)


def test_a_flush_of_all_rules(pair: Pair) -> None:
    """The rules that a firewall loads, as at its restart, remove none of the relay's."""
    pair.listen()
    chain = "chain input { type filter hook input priority 0; }"
    rules = f"flush ruleset\ntable inet filter {{ {chain}; }}"
    direct = talk(pair)
    with pair.relays():
        through = talk(pair)
        for side in (pair.host, pair.target):
            subprocess.run(enter(side, "nft", "-f", "-"), input=rules, text=True, check=True)
            assert "table inet nvme_mptcp_relay" in pair.nft(side, "list", "ruleset")
            says(direct, "straight on")
            says(through, "and by the relay")
        later = talk(pair)
        assert len(relayed(pair.host)) == 2
        for client in (later, through, direct):
            end(client)
    assert json.loads(pair.nft(pair.host, "-j", "list", "tables"))["nftables"][1:] == [
        {"table": {"family": "inet", "name": "filter", "handle": 2}}
    ]


def test_without_nftables(pair: Pair) -> None:
    """What is missing is named, with the way without it, and nothing is left behind."""
    pair.listen()
    hide = 'for f in /usr/lib/*/libnftables.so.1; do mount --bind /dev/null $f; done; exec "$@"'
    hidden = ("unshare", "-m", "sh", "-c", hide, "sh")
    direct = talk(pair)
    for side, *options in ((pair.host, "--portal", PORTAL), (pair.target, "--port", str(PORT))):
        relay = Relay(side, *options, prefix=hidden)
        assert relay.end() == 3
        entry = relay.entries[-1]
        assert "libnftables.so.1 cannot be loaded: install libnftables1" in entry["error"]
        assert "--mode address" in entry["error"]
        rules = subprocess.check_output(["ip", "-n", side, "rule"], text=True)
        assert "44200" not in rules and "127.77" not in pair.ss(side, "-ltn")
        says(direct, "on")
    with Relay(pair.host, "--portal", PORTAL, "--mode", "address", prefix=hidden):
        through = talk(pair, "127.77.1.1")
        assert len(relayed(pair.host)) == 1
        end(through)
    end(direct)


def test_the_routing_rule_comes_first(pair: Pair) -> None:
    """Another one for the source address would take the connection past the relay; nor does it
    stay away when a program removes it."""
    pair.listen()
    own = ("ip", "-n", pair.host, "rule", "show", "table", "44200")
    for before in (True, False):
        rule = "rule add from 10.77.1.2 table 101"
        pair.ip("route", "replace", "10.77.1.0/24", "dev", "eth1", "table", "101", netns=pair.host)
        if before:
            pair.ip(*rule.split(), "priority", "100", netns=pair.host)
        with pair.relays() as (host, _):
            if not before:
                pair.ip(*rule.split(), netns=pair.host)
            with pair.stays():
                pair.wait_for_subflows(LINKS)
            pair.ip("rule", "delete", "table", "44200", netns=pair.host)
            wait_for(lambda: bool(subprocess.check_output(own)), LONG)
            assert host.end() == 0
        assert subprocess.check_output(own) == b""
        pair.ip("rule", "delete", "table", "101", netns=pair.host)
