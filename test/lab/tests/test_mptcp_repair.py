# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp repair while fio verifies: all links carry every connection again."""

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from failover import NQN, Writer
from lab import Lab, LabTimeout, Limits, Topology, wait_until
from lab.network import SIDES, address

LINKS = ["h1", "h2", "h3", "h4"]
ON_HOST = Topology(limits={"host": Limits(2, 0), "target": Limits(8, 0)})
#: What check finds of connections that lack subflows.
LOST = {"C05", "C06", "C13"}
TARGET = "mptcp repair --role target --netns target --wait 15"

pytestmark = [pytest.mark.limit(120), pytest.mark.topology(ON_HOST)]


def locals_on(lab: Lab, *links: int) -> set[str]:
    """Local ends of the subflows on some links, as ss sees them."""
    prefixes = tuple(f"10.1.{link}.2" for link in links)
    return {s.local for s in lab.host.subflows() if s.local.startswith(prefixes)}


def destroy(lab: Lab, *links: int) -> None:
    for link in links:
        lab.network.run("host", "ss", "-K", "src", f"10.1.{link}.2")
    wait_until(lambda: not locals_on(lab, *links), "destroyed sockets", 10)


def connect(lab: Lab) -> None:
    """Connects, with a patience of TCP that a test can wait for."""
    lab.network.changed = True
    for side in SIDES:
        lab.network.sysctl(side, "ipv4.tcp_retries2", 3)
    lab.connect(NQN, nr_io_queues=2)
    wait_until(lambda: is_whole(lab), "one subflow on each link", 20)


def is_whole(lab: Lab) -> bool:
    return lab.host.carried() == [LINKS] * 3


@pytest.fixture
def on_host(lab: Lab) -> Iterator[Lab]:
    """A controller whose subflows the host starts, and fio that writes and verifies."""
    lab.network.changed = True
    lab.host.nvme("mptcp setup --role host --traddr 10.1.1.1 --apply")
    connect(lab)
    with Writer(lab) as writer:
        yield lab
    assert writer.rounds
    assert [c.state for c in lab.host.controllers()] == ["live"]


def test_sockets_that_were_destroyed(on_host: Lab) -> None:
    for links, others in (((3, 4), (1, 2)), ((1,), (2, 3, 4))):
        living = locals_on(on_host, *others)
        destroy(on_host, *links)
        on_host.host.nvme("mptcp repair --wait 15")
        assert is_whole(on_host)
        assert living <= locals_on(on_host, *others), "living subflows were disturbed"
    assert on_host.host.nvme("mptcp repair -o json")["missing"] == []


def test_a_link_that_was_down_for_long(on_host: Lab) -> None:
    living = locals_on(on_host, 1, 2, 4)
    on_host.network.set_link("target", 3, False)
    wait_until(lambda: not is_whole(on_host), "subflows that died of time-outs", 40)
    assert "no carrier" in on_host.host.command("nvme mptcp repair", status=1).stdout
    on_host.network.set_link("target", 3, True)
    wait_until(lambda: _repairs(on_host), "the link repaired", 90, pause=1)
    assert living <= locals_on(on_host, 1, 2, 4), "living subflows were disturbed"


def test_an_address_that_was_gone(on_host: Lab) -> None:
    living = locals_on(on_host, 1, 3, 4)
    on_host.network.ip("host", "address delete 10.1.2.2/24 dev h2")
    wait_until(lambda: not is_whole(on_host), "subflows that died of time-outs", 40)
    said = on_host.host.command("nvme mptcp repair", status=1).stdout
    assert "no interface has its address any more" in said
    on_host.network.ip(
        "host",
        "address add 10.1.2.2/24 dev h2",
        "route replace default via 10.1.2.1 dev h2 metric 20",
    )
    wait_until(lambda: _repairs(on_host), "the link repaired", 90, pause=1)
    assert living <= locals_on(on_host, 1, 3, 4), "living subflows were disturbed"


def _repairs(lab: Lab) -> bool:
    """One repair: whether all is there. What still retransmits, for up to 50 s, is in use."""
    lab.host.command("nvme mptcp repair --wait 5", status=None)
    return is_whole(lab)


def flap(lab: Lab, *links: int) -> int:
    """Takes links down for as long as it takes more subflows to die, then up; how many are left."""
    before = count(lab)
    for link in links:
        lab.network.set_link("target", link, False)
    with contextlib.suppress(LabTimeout):
        wait_until(lambda: count(lab) < before, "subflows that died of time-outs", 10)
    for link in links:
        lab.network.set_link("target", link, True)
        traddr = address("target", link)
        wait_until(partial(lab.network.reaches, "host", traddr), f"an answer of {traddr}", 20)
    return count(lab)


def count(lab: Lab) -> int:
    return sum(map(len, lab.host.carried()))


@pytest.mark.limit(180)
def test_links_that_flapped(on_host: Lab) -> None:
    """Half of all subflows and more are gone while every link works: check and repair agree."""
    wait_until(lambda: flap(on_host, 2, 3, 4) <= 6, "half of the subflows gone", 90)
    found = on_host.host.check("--role host")
    assert LOST & {f["rule"] for f in found if f["severity"] != "info"}, found
    commands = on_host.host.command("nvme mptcp check --role host --commands", status=None).stdout
    assert commands.splitlines() == ["nvme mptcp repair"]
    # the target may still count what died
    wait_until(lambda: _repairs(on_host), "all links repaired", 40, pause=1)
    found = on_host.host.check("--role host")
    assert not LOST & {f["rule"] for f in found}, found


def _tokens_on(lab: Lab) -> dict[int, list[str]]:
    return {c["token"]: sorted(s["link"] for s in c["subflows"]) for c in lab.host.connections()}


def _lose(lab: Lab, token: int, link: str) -> None:
    (local,) = (
        subflow["local"]
        for connection in lab.host.connections()
        for subflow in connection["subflows"]
        if (connection["token"], subflow["link"]) == (token, link)
    )
    source, port = local.rsplit(":", 1)
    lab.network.run("host", "ss", "-K", "src", source, "sport", "=", port)
    wait_until(lambda: link not in _tokens_on(lab)[token], "the subflow gone", 10)


#: How a target takes no further subflows.
REFUSALS: dict[str, Callable[[Lab], None]] = {
    "limit": lambda lab: lab.network.set_limits("target", Limits(0, 0)),
    "firewall": lambda lab: lab.network.drop("target", "tcp flags & (syn | ack) == syn"),
}


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS)
def test_nothing_disconnects_a_working_controller(lab: Lab, refuse: Callable[[Lab], None]) -> None:
    """Each of two connections has lost another link, and the target takes no more subflows."""
    keep = "nvme mptcp keep --auto --config none --role host --traddr 10.1.1.1 --dev h1,h2 --once"
    lab.network.changed = True
    lab.host.command(keep, status=None)
    lab.connect(NQN, nr_io_queues=2)
    wait_until(lambda: lab.host.carried() == [LINKS[:2]] * 3, "a subflow on each of two links", 20)
    refuse(lab)
    first, second, _ = _tokens_on(lab)
    _lose(lab, first, "h1")
    _lose(lab, second, "h2")
    before = _tokens_on(lab)
    # Nothing else is idle for so long that it may be formed again.
    time.sleep(1.2)
    for command in (keep, "nvme mptcp repair --wait 1", "nvme mptcp repair --force --wait 1"):
        done = lab.host.command(command, status=None)
        assert _tokens_on(lab) == before, done
        assert command == keep or done.returncode == 1, done
        assert [c.state for c in lab.host.controllers()] == ["live"], done
    with Writer(lab) as writer:
        wait_until(lambda: writer.rounds or writer.error, "data written and verified", 60)
    assert _tokens_on(lab) == before
    lab.host.command("nvme mptcp keep --config none --restore", status=None)
    assert _tokens_on(lab) == before, "what keep made is what the connections have left"


def test_a_lost_subflow_costs_the_others_no_link(on_host: Lab) -> None:
    """One of three, with I/O: the link is renewed only if the target takes the subflows back."""
    refuse = REFUSALS["limit"]
    refuse(on_host)
    first, *_ = _tokens_on(on_host)
    _lose(on_host, first, "h3")
    before = _tokens_on(on_host)
    done = on_host.host.command("nvme mptcp repair --force --wait 1", status=1)
    assert "a trial connection to 10.1.1.1:4420 got no subflow" in done.stdout, done
    assert _tokens_on(on_host) == before, done
    on_host.network.set_limits("target", Limits(8, 0))
    wait_until(lambda: _repairs_by_force(on_host), "all links", 40, pause=1)


def _repairs_by_force(lab: Lab) -> bool:
    lab.host.command("nvme mptcp repair --force --wait 5", status=None)
    return is_whole(lab)


@pytest.mark.topology(Topology.one_per_link())
def test_what_the_target_announced(lab: Lab) -> None:
    connect(lab)
    with Writer(lab) as writer:
        living = locals_on(lab, 1, 2)
        destroy(lab, 3, 4)
        said = lab.host.command("nvme mptcp repair", status=1).stdout
        assert "target# nvme mptcp repair --role target" in said
        lab.host.nvme(TARGET)
        assert is_whole(lab)
        assert living <= locals_on(lab, 1, 2), "living subflows were disturbed"
        # Two were followed again; three more use up the limit of eight.
        for _ in range(3):
            destroy(lab, 4)
            lab.host.nvme(TARGET)
        assert is_whole(lab)
        destroy(lab, 4)
        assert (
            "on the host, nvme mptcp repair explains it"
            in lab.host.command("nvme mptcp repair --role target --netns target", status=1).stdout
        )
        said = lab.host.command("nvme mptcp repair", status=1).stdout
        assert "nvme reset /dev/nvme0" in said
    assert writer.rounds
    lab.host.nvme("reset /dev/nvme0")
    wait_until(lambda: is_whole(lab), "all links after the reset", 30)
