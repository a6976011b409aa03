# SPDX-License-Identifier: LGPL-2.1-or-later
"""States that lack subflows or have too many, on three links that all lead to 10.1.1.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from shape_build import (
    Step,
    both,
    endpoint,
    flapped,
    ip,
    joinable,
    joined,
    killed,
    limits,
    pairs,
    sysctl,
)  # fmt: skip
from shape_net import Net

LINKS = ("eth1", "eth2", "eth3")
PORTAL = "10.1.1.1"
#: How findings come about, see Machines.found_by().
HOWS = ("trial", "connected", "peer")
#: Limits that leave nothing out.
ROOM = both(limits("host", 8, 8), limits("target", 8, 8))

Carried = dict[str, Counter[str]]


def nothing(_net: Net) -> None:
    """Breaks nothing."""


@dataclass(frozen=True)
class Named:
    """A row of a table of networks, by whose name tests are known."""

    name: str
    build: Step

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Damage(Named):
    """What is wrong before the controller connects, and what goes wrong afterwards."""

    late: Step = nothing
    #: Links that connections have too many subflows on, rather than too few.
    superfluous: bool = False


def one_each(carried: Carried) -> bool:
    """Each of two connections has one subflow on each link."""
    return len(carried) == 2 and all(c == dict.fromkeys(LINKS, 1) for c in carried.values())


def on(links: int) -> Callable[[Carried], bool]:
    """Each connection has subflows on so many links."""
    return lambda now: all(len(c) == links for c in now.values())


def announce(*links: int, place: str = "10.1.{}.1") -> Step:
    return both(*(endpoint("target", place.format(i), "dev", f"eth{i}", "signal") for i in links))


def announcing(links: int = 3, families: str = "4") -> Step:
    """A target that announces each of its addresses, and a host that follows."""
    span = range(1, links + 1)
    return both(pairs(span, families), limits("host", 8, 8), limits("target", 8, 0),
                announce(*span))  # fmt: skip


def start(*links: int, words: str = "subflow", dev: bool = True) -> Step:
    return both(
        *(
            endpoint("host", f"10.1.{i}.2", *(("dev", f"eth{i}") if dev else ()), *words.split())
            for i in links
        )
    )


DAMAGES = [
    Damage("nothing-set-up", both(joinable(), limits("host", 2, 0), limits("target", 2, 0))),
    Damage("roomy-and-no-endpoint", joinable()),
    Damage("announced-and-ignored", both(joinable(), limits("host", 2, 0), announce(2, 3))),
    Damage("all-announced-and-ignored", both(joinable(), limits("host", 2, 0), announce(1, 2, 3))),
    Damage("no-room", both(joinable(), start(2, 3), limits("host", 0, 0))),
    Damage("room-for-one", both(joinable(), start(2, 3), limits("host", 1, 0))),
    Damage("wrong-device",
           both(joinable(), start(3), endpoint("host", "10.1.2.2", "dev", "eth3", "subflow"))),
    Damage("no-device", both(joinable(), start(2, 3, dev=False))),
    Damage("stale", both(joinable(), start(3), endpoint("host", "10.1.99.2", "subflow"))),
    Damage("announced-by-the-host", both(joinable(), start(2, 3, words="signal"))),
    Damage("started-by-the-target",
           both(joinable(),
                *(endpoint("target", f"10.1.{i}.1", "dev", f"eth{i}", "subflow") for i in (2, 3)))),
    Damage("target-without-room", both(joinable(), start(2, 3), limits("target", 0, 0))),
    Damage("no-joins-to-the-portal",
           both(joinable(), start(2, 3),
                sysctl("target", "net.mptcp.allow_join_initial_addr_port=0"))),
    Damage("only-the-initial-address", both(joinable(), start(1))),
    Damage("one-link-without-endpoint", both(joinable(), start(2))),
    Damage("backups-only", both(joinable(), start(2, 3, words="subflow backup"))),
    Damage("eight-endpoints",
           both(joinable(), start(2),
                *(endpoint("host", f"10.99.0.{i}", "subflow") for i in range(1, 8)))),
    Damage("endpoints-on-both-sides", both(joinable(), start(2, 3), announce(2, 3)),
           superfluous=True),
    Damage("endpoint-twice-on-a-link", both(
        joined(), ip("host", "addr add 10.1.3.3/24 dev eth3"),
        endpoint("host", "10.1.3.3", "dev", "eth3", "subflow"),
    ), superfluous=True),
    Damage("died-on-a-link", joined(), killed("src", "10.1.3.2")),
    Damage("first-died", both(joined(), start(1)), killed("src", "10.1.1.2")),
    Damage("first-died-and-no-room", both(joined(), start(1), limits("host", 2, 0)),
           killed("src", "10.1.1.2")),
    Damage("died-on-two-links", joined(), both(killed("src", "10.1.2.2"),
                                               killed("src", "10.1.3.2"))),
    Damage("flapped", joined(), flapped("eth2", "eth3")),
    Damage("renumbered", joined(),
           both(ip("host", "addr del 10.1.2.2/24 dev eth2", "addr add 10.1.2.9/24 dev eth2",
                   "route add 10.1.1.1/32 via 10.1.2.1 dev eth2 metric 2002"),
                killed("src", "10.1.2.2"))),
    Damage("died-announced", both(joinable(), announce(2, 3)), killed("dst", "10.1.3.1")),
    Damage("died-announced-at-the-limit", both(joinable(), announce(2, 3), limits("host", 2, 8)),
           killed("src", "10.1.3.2")),
    Damage("room-made-later", both(joinable(), start(2, 3), limits("host", 0, 0)),
           limits("host", 8, 0)),
]  # fmt: skip
