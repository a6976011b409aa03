# SPDX-License-Identifier: LGPL-2.1-or-later
"""keep and repair close no connection's last working subflow, of whatever program."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from shape_build import Step, both, endpoint, joined, limits, nft
from shape_damages import PORTAL
from shape_net import Net
from shape_nvme import Machines
from shape_pool import at_once

LINKS = ("eth1", "eth2")
ADDRESSES = ("10.1.1.2", "10.1.2.2")
BOTH = dict.fromkeys(LINKS, 1)

KEEP = ("keep", "--auto", "--config", "none", "--role", "host", "--traddr", PORTAL, "--adopt")
ONCE = (*KEEP, "--once")

#: How a target takes no further subflows.
REFUSALS: dict[str, Step] = {
    "limit-of-0": limits("target", 0, 0),
    "firewall": nft("target", "input", "tcp flags & (syn | ack) == syn drop"),
}

#: Where another program listens.
OTHER = 4421

Carried = dict[str, Counter[str]]


def two_links(net: Net) -> None:
    both(joined(2), endpoint("host", ADDRESSES[0], "dev", "eth1", "subflow", "id", "1"))(net)


def connect(net: Net, machines: Machines, count: int) -> Carried:
    """Connections that have a subflow on both links."""
    two_links(net)
    machines.connect(PORTAL, count)
    now = net.settles(LINKS, lambda now: len(now) == count and all(c == BOTH for c in now.values()))
    assert [dict(c) for c in now.values()] == [BOTH] * count, now
    return now


def lose(net: Net, token: str, link: int) -> None:
    (port,) = (
        s.local_port
        for s in net.subflows(LINKS)
        if s.token == token and s.local == ADDRESSES[link - 1]
    )
    net.run("host", "ss", "-K", "src", ADDRESSES[link - 1], "sport", "=", str(port))


def idle(net: Net, right: Callable[[Carried], bool]) -> Carried:
    """What is carried once nothing has been sent for more than a second."""
    now = net.settles(LINKS, right)
    assert right(now), now
    time.sleep(1.2)
    return now


def commands() -> Iterator[tuple[str, ...]]:
    yield ONCE
    yield ("repair", "--wait", "0.5")
    yield ("repair", "--force", "--wait", "0.5")


def assert_unchanged(net: Net, machines: Machines, before: Carried) -> None:
    """Neither keep nor repair takes a subflow, and each reports that something is missing."""
    for words in commands():
        result = machines.nvme("host", *words)
        assert net.settles(LINKS, before.__eq__, 2) == before, (words, result)
        assert words[0] == "keep" or result.status == 1, (words, result)


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS)
@at_once
def test_each_of_two_lost_another(refuse: Step, net: Net, machines: Machines) -> None:
    """Three connections; renewing one endpoint after the other would end two of them."""
    first, second, _ = connect(net, machines, 3)
    refuse(net)
    lose(net, first, 1)
    lose(net, second, 2)
    before = idle(net, lambda now: now[first] == {"eth2": 1} and now[second] == {"eth1": 1})
    assert_unchanged(net, machines, before)


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS)
@at_once
def test_one_of_eight_is_lost(refuse: Step, net: Net, machines: Machines) -> None:
    """The other connections keep the link, and get it back for the one once that is possible."""
    first, *_ = connect(net, machines, 4)
    refuse(net)
    lose(net, first, 2)
    before = idle(net, lambda now: now[first] == {"eth1": 1})
    assert_unchanged(net, machines, before)


@at_once
def test_what_would_end_is_named(net: Net, machines: Machines) -> None:
    """Also where the target accepts joins: a connection without any subflow is not risked."""
    first, second, _ = connect(net, machines, 3)
    lose(net, first, 1)
    lose(net, second, 2)
    idle(net, lambda now: now[first] == {"eth2": 1} and now[second] == {"eth1": 1})
    plan = machines.nvme("host", "repair", "--force", "--dry-run", "-o", "json").json
    assert plan["steps"] == [], plan
    said = [n["text"] for n in plan["notes"] if "only working subflow of 1 connection" in n["text"]]
    assert len(said) == 2, plan


@pytest.mark.parametrize("words", [ONCE, ("repair", "--wait", "0.5")], ids=["keep", "repair"])
@at_once
def test_a_join_that_is_never_confirmed(
    words: tuple[str, ...], net: Net, machines: Machines
) -> None:
    """The third packet of the handshake is lost: such a subflow is missing, and comes back."""
    two_links(net)
    nft("target", "input", 'iifname "eth2" tcp flags & (syn | ack) == ack drop')(net)
    machines.connect(PORTAL)
    assert all(c == BOTH for c in net.settles(LINKS, lambda now: False, 1.5).values())
    gaps = machines.nvme("host", "repair", "--dry-run", "-o", "json").json["missing"]
    assert [(gap["link"], gap["missing"]) for gap in gaps] == [("eth2", 2)], gaps
    result = machines.nvme("host", *words)
    assert words[0] == "keep" or result.status == 1, result
    assert all(c["eth1"] == 1 for c in net.carried(LINKS).values()), result
    assert [line.split()[0] for line in net.endpoints("host")] == list(ADDRESSES), result
    net.run("target", "nft", "delete", "table", "inet", "shape")
    result = machines.nvme("host", *words)
    now = net.settles(LINKS, lambda now: all(c == BOTH for c in now.values()))
    assert [dict(c) for c in now.values()] == [BOTH] * 2, result
    time.sleep(1)
    assert machines.nvme("host", "repair", "--dry-run", "-o", "json").json["missing"] == []
    assert machines.check("host")[0] == 0


@at_once
def test_a_trial_comes_before(net: Net, machines: Machines) -> None:
    """What works on an endpoint is closed once a trial has shown that it can be formed again."""
    first, *_ = connect(net, machines, 4)
    lose(net, first, 2)
    idle(net, lambda now: now[first] == {"eth1": 1})
    (step,) = machines.nvme("host", "repair", "--dry-run", "-o", "json").json["steps"]
    assert step["why"].endswith("; closes 3 working subflows"), step
    result = machines.nvme("host", "repair")
    assert result.status == 0, result
    now = net.carried(LINKS)
    assert [dict(c) for c in now.values()] == [BOTH] * 4, (now, result)


@pytest.mark.parametrize("links", [{"eth2": 1}, BOTH], ids=["its-only-link", "one-of-two"])
@at_once
def test_another_program_is_there(links: dict[str, int], net: Net, machines: Machines) -> None:
    """A connection that began on the link that those of a controller have lost."""
    connect(net, machines, 2)
    net.listen("10.1.2.1", port=OTHER)
    if links != BOTH:
        limits("target", 0, 0)(net)
    net.connect("10.1.2.1", 1, port=OTHER, source=ADDRESSES[1])
    limits("target", 0, 0)(net)
    net.run("host", "ss", "-K", "src", ADDRESSES[1], "dport", "=", "4420")
    before = idle(net, lambda now: all(c == {"eth1": 1} for c in now.values()))
    theirs = net.carried(LINKS, port=OTHER)
    assert [dict(c) for c in theirs.values()] == [links], theirs
    for words in commands():
        result = machines.nvme("host", *words)
        assert net.settles(LINKS, before.__eq__, 1) == before, (words, result)
        assert net.carried(LINKS, port=OTHER) == theirs, (words, result)


@at_once
def test_a_link_without_carrier_carries_nothing(net: Net, machines: Machines) -> None:
    """What is established there is not what a connection has left."""
    first, second, *_ = connect(net, machines, 3)
    lose(net, second, 2)
    before = idle(net, lambda now: now[second] == {"eth1": 1})
    net.ip("target", "link set eth1 down")
    for words in commands():
        result = machines.nvme("host", *words)
        assert {s.token for s in net.subflows() if s.local == ADDRESSES[1]} == {
            token for token, links in before.items() if "eth2" in links
        }, (words, result)
    assert first in net.carried(LINKS)


@at_once
def test_keep_forms_all_again_after_a_link_was_down(net: Net, machines: Machines) -> None:
    before = connect(net, machines, 3)
    machines.nvme("host", *ONCE)
    assert net.carried(LINKS) == before
    net.ip("target", "link set eth2 down")
    machines.nvme("host", *ONCE)
    now = net.settles(LINKS, lambda now: all(c == {"eth1": 1} for c in now.values()))
    assert [dict(c) for c in now.values()] == [{"eth1": 1}] * 3, now
    net.ip("target", "link set eth2 up")
    machines.nvme("host", *ONCE)
    now = net.settles(LINKS, before.__eq__)
    assert now == before, now
