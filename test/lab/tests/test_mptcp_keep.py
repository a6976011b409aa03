# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp keep while cables are pulled at random and fio verifies, and while nothing happens.

Cables for a minute by default, and longer by `lab test test_mptcp_keep.py --cable-seconds 600`;
nothing for a virtual hour, and longer by `--idle-hours 24`; links that flap, by `--flap-hours 24`.
"""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import failover
import pytest
from keeping import Keeper
from lab import Lab, Limits, Target, wait_until
from lab.network import SIDES
from lab.system import mark

#: How soon a link that returned carries every connection again: seconds where the machine that
#: emulates this one has time for it, else as many looks at all subflows.
SOON = 10.0
LOOKS = 20

#: A link that dies again within this time has to be well for longer before it is used again.
FLAP_SECONDS = 10

#: It is woken so often, since the kernel reports no changes of endpoints, and so many times a
#: second, since it reports no path that falls silent.
INSPECT_SECONDS, PULSES = 20, 2

#: A link flaps every ten minutes; memory counts once each of three did so twice; a flap is worth so
#: many lines. What the allocator holds goes up and down from one flap to the next, mostly by 20 KiB
#: and at times by 230 KiB: the lowest of the latest readings tells whether memory is lost.
FLAP_EACH, WARM, FLAP_LINES, FLAP_KIB, LATEST = 600, 6, 6, 64, 3

#: How much more it may hold: after connections that came and went, and after nothing at all.
BUSY_KIB, FEW_KIB = 256, 16


def _carries(lab: Lab, link: int) -> bool:
    found = lab.host.carried()
    return len(found) == 2 and all(f"h{link}" in connection for connection in found)


def _soon(lab: Lab) -> float:
    """By how long a look takes at present."""
    begin = time.monotonic()
    lab.host.carried()
    return max(SOON, LOOKS * (time.monotonic() - begin))


def _is_left(keeper: Keeper, link: int, since: int) -> bool:
    """Did it say that a subflow of another connection lived through this link's outage?

    It closes none that works to bring back one that is missing.
    """
    stays = rf"endpoint \d+ \(10\.1\.{link}\.2\) is unchanged: 1 subflow works on it"
    return any(re.match(stays, d["text"]) for d in keeper.documents()[since:])


def _pull(lab: Lab, keeper: Keeper, chance: random.Random) -> dict[int, float]:
    """Some of three cables, out and in again: how long each needed until it carried everything."""
    soon, since = _soon(lab), len(keeper.documents())
    links = chance.sample((2, 3, 4), chance.randint(1, 3))
    for link in links:
        lab.network.set_link("target", link, False)
    time.sleep(chance.uniform(0.5, 8))
    back = {}
    for link in chance.sample(links, len(links)):
        lab.network.set_link("target", link, True)
        back[link] = time.monotonic()
        time.sleep(chance.uniform(0, 1))
    took: dict[int, float] = {}
    while len(took) < len(back):
        for link in set(back) - set(took):
            if _carries(lab, link) or _is_left(keeper, link, since):
                took[link] = time.monotonic() - back[link]
        late = [link for link in set(back) - set(took) if time.monotonic() - back[link] > soon]
        assert not late, (late, soon, took)
    return took


@pytest.mark.limit(1500)
@pytest.mark.topology(failover.TOPOLOGY)
def test_cables_are_pulled_at_random(lab: Lab, request: pytest.FixtureRequest) -> None:
    lab.network.changed = True
    chance = random.Random(15)
    for side in SIDES:
        lab.network.sysctl(side, "ipv4.tcp_retries2", 3)
    lab.target.configure(Target.simple(failover.NQN))
    with Keeper("--role", "host", "--traddr", "10.1.1.1") as keeper:
        lab.network.set_limits("target", Limits(8, 0))
        wait_until(lambda: len(_endpoints(lab)) == 4, "endpoints before the first connection", 30)
        lab.host.nvme(f"connect -t mptcp -a 10.1.1.1 -s 4420 -n {failover.NQN} -i 1")
        wait_until(lambda: lab.host.carried() == [failover.LINKS] * 2, "all links", 20)
        wait_until(lambda: keeper.status() == "4 links carry 1 controller", "the status", 20)
        took: list[float] = []
        with failover.Writer(lab) as writer:
            end = time.monotonic() + request.config.getoption("--cable-seconds")
            memory = keeper.memory()
            while time.monotonic() < end:
                took += _pull(lab, keeper, chance).values()
                time.sleep(FLAP_SECONDS)
                mark(f"{keeper.memory() - memory} KiB more after {len(took)} returns")
            print(f"{len(took)} returns, {max(took):.1f} s at most; {writer.rounds} rounds of fio")
            assert keeper.memory() <= memory + BUSY_KIB, "its memory grows"
        assert writer.rounds
        assert [c.state for c in lab.host.controllers()] == ["live"]
        assert keeper.end() == 0
        assert not [d for d in keeper.documents() if d["priority"] < 4]
    # While the controller is connected, endpoints that it needs would stay.
    lab.host.nvme(f"disconnect -n {failover.NQN}")
    lab.host.nvme("mptcp keep --config none --restore")
    assert _endpoints(lab) == []


def _subflows(lab: Lab) -> list[tuple[int, str, str]]:
    """Those that there are; one that was made anew has another port."""
    return sorted(
        (connection["token"], subflow["link"], subflow["local"])
        for connection in lab.host.connections()
        for subflow in connection["subflows"]
    )


@contextmanager
def _kept(lab: Lab) -> Iterator[Keeper]:
    """Four links that carry a controller, two minutes after the last of them was set up."""
    lab.target.configure(Target.simple(failover.NQN))
    lab.network.set_limits("target", Limits(8, 0))
    with Keeper("--role", "host", "--traddr", "10.1.1.1") as keeper:
        wait_until(lambda: len(_endpoints(lab)) == 4, "endpoints before the first connection", 30)
        lab.host.nvme(f"connect -t mptcp -a 10.1.1.1 -s 4420 -n {failover.NQN} -i 1")
        wait_until(lambda: keeper.status() == "4 links carry 1 controller", "the status", 60)
        time.sleep(120)  # the last round after what happened is long over
        yield keeper
        assert keeper.end() == 0
    lab.host.nvme("mptcp keep --config none --restore")


def _same_files(keeper: Keeper, files: list[str]) -> bool:
    if keeper.files() != files:
        time.sleep(1)  # a socket is open while it looks
    return keeper.files() == files


@pytest.mark.icount
@pytest.mark.limit(7 * 24 * 3600)
@pytest.mark.topology(failover.TOPOLOGY)
def test_idle(lab: Lab, request: pytest.FixtureRequest) -> None:
    """It does nothing, and holds no more memory; a clock of instructions skips idle time."""
    hours = request.config.getoption("--idle-hours")
    with _kept(lab) as keeper:

        def state() -> tuple[object, ...]:
            return _subflows(lab), _endpoints(lab), len(keeper.documents())

        before, files = state(), keeper.files()
        memory, wakeups, begin = keeper.memory(), keeper.wakeups(), time.monotonic()
        assert len(_subflows(lab)) == 8
        while time.monotonic() < begin + hours * 3600:
            time.sleep(360)
            passed = (time.monotonic() - begin) / 3600
            mark(f"idle for {passed:.1f} hours, {keeper.memory() - memory} KiB more")
        looks = (time.monotonic() - begin) / INSPECT_SECONDS
        print(
            f"{hours} hours: {keeper.memory() - memory} KiB more, "
            f"{keeper.wakeups() - wakeups} wakeups, {looks:.0f} looks at endpoints"
        )
        assert state() == before
        assert _same_files(keeper, files)
        # a page of the stack or of the heap may be touched for the first time, whatever the hours
        assert keeper.memory() - memory <= FEW_KIB, "its memory grows"
        assert keeper.wakeups() - wakeups <= (2 + PULSES * INSPECT_SECONDS) * looks + 10


@pytest.mark.icount
@pytest.mark.limit(7 * 24 * 3600)
@pytest.mark.topology(failover.TOPOLOGY)
def test_links_flap(lab: Lab, request: pytest.FixtureRequest) -> None:
    """One link after another goes for half a minute, over `--flap-hours`: it holds no more."""
    lab.network.changed = True
    hours = request.config.getoption("--flap-hours")
    with _kept(lab) as keeper:
        files, begin = keeper.files(), time.monotonic()
        said: list[int] = []
        memory: list[int] = []
        while time.monotonic() < begin + hours * 3600 or len(said) < WARM:
            link, since = 2 + len(said) % 3, len(keeper.documents())
            lab.network.set_link("target", link, False)
            time.sleep(30)
            lab.network.set_link("target", link, True)
            time.sleep(FLAP_EACH - 30)
            assert lab.host.carried() == [failover.LINKS] * 2
            said.append(len(keeper.documents()) - since)
            memory.append(keeper.memory())
            mark(f"{len(said)} flaps, {memory[-1] - memory[0]} KiB more, {said[-1]} lines")
        more = min(memory[-LATEST:]) - memory[WARM - 1]
        print(
            f"{hours} hours: {len(said)} flaps, {more} KiB more, "
            f"{min(said)} to {max(said)} lines each"
        )
        assert _same_files(keeper, files)
        assert more <= FLAP_KIB, "its memory grows"
        assert min(said) > 0 and max(said) <= FLAP_LINES
        assert not [d for d in keeper.documents() if d["priority"] < 4]
        assert [c.state for c in lab.host.controllers()] == ["live"]


def _endpoints(lab: Lab) -> Any:
    return lab.host.nvme("mptcp show-endpoints -o json")["endpoints"]
