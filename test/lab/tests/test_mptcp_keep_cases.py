# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad cases for nvme mptcp keep: what else happens while links die.

After each: no I/O error, every usable link carries again, and what others made is as it was.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import failover
import pytest
from keeping import Keeper
from lab import Lab, Port, Subsystem, Target, Topology, wait_until
from lab.network import SIDES, Side
from test_mptcp_keep_fast import (
    ANNOUNCED,
    LINKS,
    OWN,
    PAUSE,
    _connect,
    _endpoints,
    _impair,
    _keep,
    _load,
    _outage,
    _pause,
    _silence,
)

pytestmark = [pytest.mark.icount, pytest.mark.limit(900), pytest.mark.topology(OWN)]


def test_one_that_is_stopped_puts_back(lab: Lab) -> None:
    """While a link is out, keep ends as systemd ends it, and begins again."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab) as keeper, failover.Writer(lab) as writer:
        lab.network.set_link("target", 2, False)
        wait_until(lambda: len(_endpoints(lab)) == 3, "the endpoint out of use", 5)
        assert keeper.end() == 0
        assert _endpoints(lab) == before
        assert keeper.steps()[-1] == "ip mptcp endpoint add 10.1.2.2 dev h2 id 12 subflow"
        # the kernel gives up its joins after some seconds, and does not try again
        time.sleep(8)
        writer.wait("I/O by three links", 60)
        with Keeper("--role", "host") as again:
            wait_until(lambda: "h2 has no carrier" in again.status(), "the status", 10)
            lab.network.set_link("target", 2, True)
            wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 10)
            assert not [d for d in again.documents() if d["priority"] < 4]
        assert _endpoints(lab) == before
    assert [c.state for c in lab.host.controllers()] == ["live"]


def test_a_stop_ends_with_every_link_for_later_connections(lab: Lab) -> None:
    """Nobody starts keep again: a connection made once the cable is back has all links."""
    _connect(lab)
    with _keep(lab) as keeper:
        lab.network.set_link("target", 2, False)
        wait_until(lambda: len(_endpoints(lab)) == 3, "the endpoint out of use", 5)
        assert keeper.end() == 0
    lab.network.set_link("target", 2, True)
    lab.host.nvme(f"disconnect -n {failover.NQN}")
    lab.host.connect(failover.NQN, "mptcp", "10.1.1.1", nr_io_queues=1)
    wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links", 20)


def test_a_cable_is_pulled_while_a_round_has_a_pause(lab: Lab) -> None:
    """Subflows that died are brought back by renewing endpoints, which takes its time."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab, "--role", "host", "--adopt"):
        for link in (1, 2):
            source = f"10.1.{link}.2"
            lab.network.run("host", "ss", "-K", "src", source, "dport", "=", "4420")
        wait_until(lambda: len(_endpoints(lab)) == 3, "an endpoint that is renewed", 15, pause=0.01)
        begin = time.monotonic()
        lab.network.set_link("target", 4, False)
        wait_until(lambda: "10.1.4.2" not in [e["address"] for e in _endpoints(lab)],
                   "the dead link out of use", 5, pause=0.01)  # fmt: skip
        took = time.monotonic() - begin
        print(f"after {took * 1000:.0f} ms")
        lab.network.set_link("target", 4, True)
        wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 20)
        wait_until(lambda: _endpoints(lab) == before, "all endpoints", 5)
    assert took < 0.2  # each renewal takes that long


def test_the_link_with_the_default_route(lab: Lab) -> None:
    """The first link has the route to everything else, and nothing but that link dies."""
    _connect(lab)
    route = "default via 10.1.1.1 dev h1 metric 50"
    lab.network.ip("host", f"route add {route}")
    before = lab.network.run("host", "ip", "route", "show", "default")
    assert "dev h1" in before
    endpoints = _endpoints(lab)
    with _keep(lab):
        _outage(lab, lambda up: lab.network.set_link("target", 1, up))
        assert _endpoints(lab) == endpoints
    after = lab.network.run("host", "ip", "route", "show", "default")
    assert after.split() == before.split()
    lab.network.ip("host", f"route delete {route}")


OTHER = "nqn.2024-01.lab:other"


def test_several_controllers(lab: Lab) -> None:
    """The endpoints are those of all: both controllers lose the link, and get it back."""
    lab.network.changed = True
    target = Target((Subsystem(failover.NQN), Subsystem(OTHER)), (Port(),), ramdisk_mib=64)
    lab.target.configure(target)
    for nqn in (failover.NQN, OTHER):
        lab.host.connect(nqn, "mptcp", "10.1.1.1", nr_io_queues=1)
    wait_until(lambda: lab.host.carried() == [LINKS] * 4, "all links", 30)
    before = _endpoints(lab)
    with Keeper("--role", "host") as keeper, failover.Writer(lab) as writer:
        wait_until(lambda: keeper.status() == "4 links carry 2 controllers", "keep at work", 20)
        with _load(lab, 8, nqn=OTHER) as done:
            begin = time.monotonic()
            time.sleep(3)
            lab.network.set_link("target", 3, False)
            pulled = (time.monotonic() - begin) * 1000
            wait_until(lambda: len(_endpoints(lab)) == 3, "the endpoint out of use", 5)
            rest = [link for link in LINKS if link != "h3"]
            wait_until(lambda: lab.host.carried() == [rest] * 4, "three links", 5)
            time.sleep(2)
            lab.network.set_link("target", 3, True)
        wait_until(lambda: lab.host.carried() == [LINKS] * 4, "all links again", 20)
        writer.wait("I/O by all links", 60)
        assert _endpoints(lab) == before
    pause = _pause(done, pulled, pulled + 2000)
    print(f"pause {pause:.0f} ms")
    assert pause <= 2 * PAUSE  # two controllers share the links
    assert [c.state for c in lab.host.controllers()] == ["live", "live"]


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    """Others want all processors, and keep is no more to the kernel than they are."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_a_busy_processor_is_no_silence(lab: Lab) -> None:
    """A busy processor makes no path look silent; a dead link is still found."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab) as keeper, _busy(8):
        with _load(lab, 10):
            time.sleep(9)
        assert not [d for d in keeper.documents() if d["rule"] == "C17"]
        lab.network.set_link("target", 2, False)
        begin = time.monotonic()
        wait_until(lambda: "ip mptcp endpoint delete id 12" in keeper.steps(), "the deletion", 5)
        print(f"after {(time.monotonic() - begin) * 1000:.0f} ms")
        lab.network.set_link("target", 2, True)
        wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 20)
        assert _endpoints(lab) == before


def test_another_program_takes_address_and_endpoint_away(lab: Lab) -> None:
    """As NetworkManager does on a link without carrier; later it adds an endpoint of its own."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab) as keeper, failover.Writer(lab) as writer:
        # with the endpoint, before keep can
        lab.network.ip("host", "mptcp endpoint delete id 12", "address delete 10.1.2.2/24 dev h2")
        wait_until(lambda: all("h2" not in links for links in lab.host.carried()), "h2 unused", 10)
        # after keep has taken it out of use
        lab.network.set_link("target", 3, False)
        wait_until(lambda: len(_endpoints(lab)) == 2, "the endpoint out of use", 5)
        lab.network.ip("host", "address delete 10.1.3.2/24 dev h3")
        writer.wait("I/O by two links", 60)
        lab.network.set_link("target", 3, True)
        lab.network.ip("host", "address add 10.1.2.2/24 dev h2",
                       "mptcp endpoint add 10.1.2.2 dev h2 id 12 subflow",
                       "address add 10.1.3.2/24 dev h3")  # fmt: skip
        wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 20)
        assert _endpoints(lab) == before
        assert not [d for d in keeper.documents() if d["priority"] < 4]
    assert [c.state for c in lab.host.controllers()] == ["live"]


# Who needs keep for what: the table of nvme-mptcp-keep(1)

ROLE = {"host": ("--role", "host"), "target": ("--role", "target", "--netns", "target")}


def _cell(topology: Topology, link: int, cut: tuple[Side, ...], keeps: tuple[Side, ...]) -> Any:
    """Where the cable of a link is out, and who keeps."""
    name = "endpoints" if topology is OWN else "announced"
    ends, sides = ("both" if len(who) > 1 else who[0] for who in (cut, keeps))
    return pytest.param(link, cut, keeps, marks=pytest.mark.topology(topology),
                        id=f"{name}-{link}-cut-{ends}-keep-{sides}")  # fmt: skip


# test_mptcp_keep_fast.py has the rows of keep on a host with endpoints
@pytest.mark.parametrize(
    ("link", "cut", "keeps"),
    [
        _cell(OWN, 2, ("target",), SIDES),
        _cell(OWN, 1, ("host",), SIDES),
        _cell(ANNOUNCED, 2, ("host",), ("host",)),
        _cell(ANNOUNCED, 1, ("host",), ("host",)),
        _cell(ANNOUNCED, 2, SIDES, ("host",)),
        _cell(ANNOUNCED, 1, ("host",), ("target",)),
        _cell(ANNOUNCED, 2, ("target",), ("target",)),
        _cell(ANNOUNCED, 2, SIDES, ("target",)),
        _cell(ANNOUNCED, 2, ("host",), SIDES),
        _cell(ANNOUNCED, 1, ("target",), SIDES),
    ],
)
def test_keep_helps(lab: Lab, link: int, cut: tuple[Side, ...], keeps: tuple[Side, ...]) -> None:
    """Endpoints that were there are there again, even those that keep took away."""
    _connect(lab)
    before = {side: _endpoints(lab, side) for side in SIDES}

    def pull(up: bool) -> None:
        for side in cut:
            lab.network.set_link(side, link, up)

    with ExitStack() as running:
        for side in keeps:
            running.enter_context(_keep(lab, *ROLE[side]))
        _outage(lab, pull)
        for side in SIDES:
            after = _endpoints(lab, side)
            assert [e for e in before[side] if e not in after] == []


def test_a_target_can_do_nothing_for_a_host_with_endpoints(lab: Lab) -> None:
    """The host starts the subflows: what the target announces is not missing where none follow."""
    _connect(lab)
    before = _endpoints(lab, "host")
    with _keep(lab, *ROLE["target"]) as keeper:
        with failover.Writer(lab) as writer:
            lab.network.set_link("host", 3, False)
            time.sleep(3)
            lab.network.set_link("host", 3, True)
            writer.wait("I/O", 120)
        wait_until(lambda: keeper.status().startswith("4 links carry 2"), "four links", 20)
        assert len(keeper.steps()) == 4 and all(" add " in step for step in keeper.steps())
    assert _endpoints(lab, "host") == before
    assert [c.state for c in lab.host.controllers()] == ["live"]


#: With the capabilities of nvme-mptcp.service on the target: it cannot read what others have open.
CONFINED = (
    "nsenter", "--net=/run/netns/target", "setpriv", "--bounding-set=-all,+net_admin",
    "--inh-caps=-all",
)  # fmt: skip
OTHER_USER = ("setpriv", "--reuid=65534", "--clear-groups", "sleep", "600")


@pytest.mark.topology(ANNOUNCED)
def test_a_service_that_cannot_search_processes(lab: Lab) -> None:
    """It knows the connections that nvmet has accepted, and announces an address again for them."""
    _connect(lab)
    other = subprocess.Popen(OTHER_USER)
    with Keeper("--role", "target", "--adopt", prefix=CONFINED) as keeper:
        wait_until(lambda: keeper.status().startswith("4 links carry 2"), "keep at work", 20)
        lab.host.command("ss -K dst 10.1.2.1")
        wait_until(lambda: lab.host.carried() == [["h1", "h3", "h4"]] * 2, "h2 unused", 10)
        wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 30)
    assert other.poll() is None
    other.kill()
    other.wait()


@pytest.mark.topology(ANNOUNCED)
@pytest.mark.parametrize("link", [2, 1])
@pytest.mark.parametrize("keeps", SIDES)
def test_a_silent_path_of_a_host_that_follows_announcements(
    lab: Lab, keeps: Side, link: int
) -> None:
    """No side sees that the cable is out, behind a switch: one that keeps finds it."""
    _connect(lab)
    before = _endpoints(lab, "target")
    with _keep(lab, *ROLE[keeps]):
        _silence(lab, link, 30)
    assert _endpoints(lab, "target") == before


def test_a_path_that_dies_while_nothing_is_sent(lab: Lab) -> None:
    """It is found within a second once there are data, and the others carry them."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab) as keeper:
        _impair(lab, 2, loss="100%")
        time.sleep(20)  # the host's keep-alive goes by another link, or finds it
        print(f"found while idle: {keeper.steps()}")
        with _load(lab, 8) as done:
            begin = time.monotonic()
            time.sleep(2)
            took = "ip mptcp endpoint delete id 12" in keeper.steps()
            time.sleep(2)
            _impair(lab, 2)
            returned = (time.monotonic() - begin) * 1000
            wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 30)
    pause = _pause(done, 0, returned)
    print(f"pause {pause:.0f} ms")
    assert took
    assert pause <= 1100
    assert _endpoints(lab) == before
