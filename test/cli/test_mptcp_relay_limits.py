# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: limits of connections, in total, from one address and without an answer."""

import re
import subprocess

from conftest import NVME, sanitizer_library
from mptcp_net import PORT, enter
from test_mptcp_relay import PORTAL, Pair, Relay, pair

__all__ = ["pair"]

#: Try to make connections, and return how many are not reset.
TRY = """
def attempt(n, source):
    there = 0
    for _ in range(n):
        try:
            c = connect(b"e1", source)
            read(c, 1)
            made.append(c)
            there += 1
        except ConnectionResetError:
            pass
    return there
made = []
"""


def refused(texts: list[str]) -> tuple[int, list[str]]:
    """Connections that were refused, and why."""
    found = [re.match(r"(\d+) connections? refused, the last one from (.*)", t) for t in texts]
    return sum(int(m[1]) for m in found if m), [m[2] for m in found if m]


def test_each_address_has_a_share(pair: Pair) -> None:
    pair.listen()
    with Relay(pair.target, "--port", str(PORT), "--per-source", "3") as target:
        with Relay(pair.host, "--portal", PORTAL):
            told = pair.run(f"""{TRY}
first, second = attempt(8, "10.77.1.2"), attempt(2, "10.77.2.2")
for c in made[:2]:
    c.close()
time.sleep(1)
tell(first=first, second=second, again=attempt(3, "10.77.1.2"))
""")
        texts = target.texts()
    assert told == {"first": 3, "second": 2, "again": 2}
    count, reasons = refused(texts)
    assert count == 6, texts
    # The first one at once, the others at the end, which comes within the minute.
    assert len(reasons) == 2, texts
    why = re.compile(r"10\.77\.1\.2:\d+: its address has 3 connections \(--per-source\)")
    assert all(why.fullmatch(reason) for reason in reasons)
    assert not any("answers again" in text for text in texts), texts


def silence(pair: Pair) -> None:
    """Make the target drop all packets."""
    pair.nft(pair.target, "add table inet silent")
    pair.nft(
        pair.target, "add chain inet silent in { type filter hook input priority 0; policy drop; }"
    )


def test_a_target_that_was_silent_is_reached_over_mptcp(pair: Pair) -> None:
    """No SYN without the option is sent: the answer would suspend MPTCP for an hour."""
    pair.listen()
    with pair.relays():
        silence(pair)
        told = pair.run("""
c = connect(b"")
try:
    tell(got=len(c.recv(1)))
except ConnectionResetError:
    tell(got="reset")
""")
        assert told == {"got": "reset"}
        pair.nft(pair.target, "delete table inet silent")
        assert pair.run(TRY + "tell(there=attempt(1, None))") == {"there": 1}
        names = (f"MPTcpExtMPCapableSYNTX{what}" for what in ("Drop", "Disabled"))
        counted = subprocess.check_output(enter(pair.host, "nstat", "-asz", *names), text=True)
    assert [line.split()[1] for line in counted.splitlines()[1:]] == ["0", "0"], counted


def test_a_target_that_does_not_answer(pair: Pair) -> None:
    """Half of all connections may wait for it."""
    silence(pair)
    with Relay(pair.host, "--portal", PORTAL, "--connections", "140") as host:
        told = pair.run("""
made = [connect(b"") for _ in range(76)]
reset = set()
end = time.monotonic() + 1
while time.monotonic() < end:
    for c in made:
        c.setblocking(False)
        try:
            c.recv(1)
        except ConnectionResetError:
            reset.add(c)
        except BlockingIOError:
            pass
    time.sleep(0.1)
tell(reset=len(reset))
""")
        texts = host.texts()
    assert told == {"reset": 6}
    count, reasons = refused(texts)
    assert count == 6, texts
    waiting = ": 70 are waiting for the other side to answer (--connections)"
    assert reasons[0].endswith(waiting), texts


def test_a_limit_of_locked_memory(pair: Pair) -> None:
    """Memory that cannot all be locked is not locked, and does not end at the limit."""
    pair.listen()
    few = ("setpriv", "--bounding-set=-ipc_lock,-sys_resource", "--inh-caps=-ipc_lock",
           "prlimit", f"--memlock={8 << 20}")  # fmt: skip
    with (
        Relay(pair.target, "--port", str(PORT)),
        Relay(pair.host, "--portal", PORTAL, "--threads", "1", prefix=few) as host,
    ):
        # With a sanitizer, which reserves terabytes, no memory is locked.
        told = any(e["text"].startswith("Memory is not locked") for e in host.entries)
        assert told != bool(sanitizer_library(NVME))
        assert pair.run(TRY + "tell(there=attempt(300, None))") == {"there": 300}
        assert host.end() == 0


def test_connections_in_all(pair: Pair) -> None:
    pair.listen()
    with pair.relays("--connections", "4") as (host, _):
        assert pair.run(TRY + "tell(there=attempt(6, None))") == {"there": 4}
        texts = host.texts()
    count, reasons = refused(texts)
    assert count == 2, texts
    assert reasons[0].endswith(": all 4 are in use (--connections, limit of open files)"), texts
