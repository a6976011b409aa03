# SPDX-License-Identifier: GPL-2.0-or-later
"""What nvme mptcp keep does when a link becomes slow, by a clock that counts instructions."""

import time
from pathlib import Path

import pytest
import test_mptcp_keep_fast as fast
from lab import Lab, wait_until

pytestmark = [pytest.mark.icount, pytest.mark.limit(900), pytest.mark.topology(fast.OWN)]

transport = fast.transport

BACKUP, NO_BACKUP = (f"ip mptcp endpoint change id 12 {flag}" for flag in ("backup", "nobackup"))
#: Of an endpoint that a program made: what waits there goes out over the other links.
REPLACED = (
    "ip mptcp endpoint delete id 12 && ip mptcp endpoint add 10.1.2.2 dev h2 id 12 subflow backup"
)
#: A tenth of its rate.
SLOW = "1mbit"

READS = ("16k", 8, "read")
WRITES = ("128k", 32, "write")


def _is_backup(lab: Lab, link: int) -> bool:
    endpoints = lab.network.endpoints("host")
    return any(e.get("backup") for e in endpoints if e["address"] == f"10.1.{link}.2")


def _sent() -> dict[str, int]:
    """Bytes that the host has sent on each link."""
    counter = "/sys/class/net/{}/statistics/tx_bytes"
    return {link: int(Path(counter.format(link)).read_text()) for link in fast.LINKS}


@pytest.mark.parametrize(
    ("transport", "load", "settled"),
    [
        pytest.param("mptcp", READS, 1.5, id="read"),
        pytest.param("mptcp", WRITES, 2.0, id="write"),
        pytest.param("tcp", READS, 1.5, id="relay-read", marks=pytest.mark.stock),
    ],
    indirect=["transport"],
)
def test_a_link_at_a_tenth(
    lab: Lab, transport: str, load: tuple[str, int, str], settled: float
) -> None:
    """It becomes a backup within a second, and is none any more after ten.

    Writes of 128 KiB come in rounds of up to 1.6 s, in which all links are busy and then wait; at
    times they stay busy, which is a quarter more. So rates of writes prove little: after its return
    the link has to carry at all. It had 0.29 to 1.01 of another link's share: its subflow formed
    while the link was slow, with a round trip of up to 3.3 s, and the scheduler avoids that. A link
    that has just run dry at the end of a round is found in the next.
    """
    bs, depth, rw = load
    end = 27
    fast._connect(lab, transport=transport)
    before = fast._endpoints(lab)
    with fast._keep(lab) as keeper, fast._load(lab, end, bs, depth, rw) as done:
        begin = time.monotonic()
        time.sleep(6)
        fast._impair(lab, 2, rate=SLOW)
        slow = time.monotonic() - begin
        wait_until(lambda: _is_backup(lab, 2), "the endpoint as a backup", 5, pause=0.02)
        found = time.monotonic() - begin
        wait_until(lambda: "h2 is slow" in keeper.status(), "the status", 5)
        time.sleep(begin + slow + settled + 6 - time.monotonic())
        fast._impair(lab, 2)
        well = time.monotonic() - begin
        wait_until(lambda: not _is_backup(lab, 2), "the endpoint in use", 15, pause=0.05)
        back = time.monotonic() - begin
        time.sleep(1)
        sent = _sent()
        time.sleep(begin + end - 1 - time.monotonic())
        moved = {link: now - sent[link] for link, now in _sent().items()}
    rate = fast._rate(done, 1000, slow * 1000)
    meanwhile = fast._rate(done, (slow + settled) * 1000, well * 1000) / rate
    after = fast._rate(done, (back + 1) * 1000, end * 1000 - 200) / rate
    share = 3 * moved["h2"] / sum(n for link, n in moved.items() if link != "h2")
    print(f"found after {found - slow:.2f} s, {meanwhile:.2f}, then {after:.2f}, share {share:.2f}")
    assert found - slow <= (1.1 if rw == "read" else 3.5)
    assert meanwhile >= (fast.SHARE if rw == "read" else 0.5)
    assert 9.5 <= back - found <= 11
    assert after >= 0.93 if rw == "read" else share >= 0.05
    assert keeper.steps().count(REPLACED) == keeper.steps().count(NO_BACKUP) == 1
    assert fast._endpoints(lab) == before


def test_check_names_a_link_at_a_tenth(lab: Lab) -> None:
    """Without keep, by C15 or C18; as a backup it is no longer slow."""

    def slow_links() -> set[str]:
        return {f["subject"] for f in lab.host.check() if f["rule"] in ("C15", "C18")}

    fast._connect(lab)
    with fast._load(lab, 40):
        time.sleep(1)
        assert not slow_links()
        fast._impair(lab, 2, rate=SLOW)
        time.sleep(2)
        wait_until(lambda: slow_links() == {"h2"}, "the slow link", 10)
        lab.host.command(BACKUP)
        time.sleep(2)
        assert not slow_links()


@pytest.mark.topology(fast.ANNOUNCED)
def test_a_host_that_follows_announcements(lab: Lab) -> None:
    """The kernel's own endpoint becomes the backup."""
    fast._connect(lab)
    with fast._keep(lab), fast._load(lab, 18) as done:
        begin = time.monotonic()
        time.sleep(3)
        fast._impair(lab, 2, rate=SLOW)
        slow = (time.monotonic() - begin) * 1000
        wait_until(lambda: _is_backup(lab, 2), "the endpoint as a backup", 5, pause=0.02)
        time.sleep(3)
        fast._impair(lab, 2)
        well = (time.monotonic() - begin) * 1000
        wait_until(lambda: not _is_backup(lab, 2), "the endpoint in use", 15, pause=0.05)
    rate = fast._rate(done, 1000, slow)
    assert fast._rate(done, slow + 1500, well) / rate >= fast.SHARE


@pytest.mark.parametrize(
    ("shape", "rw"),
    [
        ({"delay": "32ms"}, "read"),
        ({"delay": "32ms"}, "write"),
        ({"delay": "302ms"}, "read"),
        ({"delay": "302ms"}, "write"),
        ({"loss": "3%"}, "read"),
        ({"loss": "3%"}, "write"),
        ({}, "read"),
        ({}, "write"),
    ],
    ids=str,
)
def test_what_is_no_slow_link(lab: Lab, shape: dict[str, str], rw: str) -> None:
    """With deep queues all links help, however late; a lossy one does more than a quarter."""
    fast._connect(lab)
    with fast._keep(lab) as keeper:
        with fast._load(lab, 30, "128k", 32, rw):
            time.sleep(2)
            fast._impair(lab, 2, **shape)
        assert not [d for d in keeper.documents() if d["rule"] == "C18"]


def test_keep_is_killed_meanwhile(lab: Lab) -> None:
    fast._connect(lab)
    before = fast._endpoints(lab)

    def make_slow() -> None:
        with fast._keep(lab) as keeper, fast._load(lab, 5):
            fast._impair(lab, 2, rate=SLOW)
            wait_until(lambda: _is_backup(lab, 2), "the endpoint as a backup", 5)
            keeper.kill()
        fast._impair(lab, 2)
        assert fast._endpoints(lab) != before

    make_slow()
    lab.host.command("nvme mptcp keep --config none --restore")
    assert fast._endpoints(lab) == before
    make_slow()
    with fast._keep(lab):
        wait_until(lambda: fast._endpoints(lab) == before, "the endpoint in use", 5)
