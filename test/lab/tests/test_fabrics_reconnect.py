# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that are lost and come back, or do not: targets restarted, links down and up."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread

import pytest
from lab import Controller, Lab, Subsystem, Topology, Way, wait_until
from lab.network import address

NQN = "nqn.2024-01.lab:disk"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])
LINKS = (1, 2)

pytestmark = [
    pytest.mark.every_kernel,
    pytest.mark.topology(Topology.one_per_link(2)),
    pytest.mark.limit(120),
]


class Writer:
    """Writes blocks and reads them back, again and again; counts how often, and keeps errors."""

    def __init__(self, lab: Lab) -> None:
        self.rounds = 0
        self.errors: list[BaseException] = []
        self._lab = lab
        self._disk = lab.host.disk(NQN)
        self._stop = Event()

    def run(self) -> None:
        try:
            while not self._stop.is_set():
                self._lab.host.verify(self._disk, 16 << 10)
                self.rounds += 1
                self._stop.wait(0.05)
        except BaseException as error:
            self.errors.append(error)

    def stop(self) -> None:
        self._stop.set()

    def goes_on(self, timeout: float = 30) -> None:
        """Waits until it has done three more rounds."""
        goal = self.rounds + 3
        wait_until(lambda: self.rounds >= goal or self.errors, "I/O goes on", timeout)
        assert self.errors == []


@contextmanager
def writing(lab: Lab) -> Iterator[Writer]:
    """I/O that must not fail while the block runs."""
    writer = Writer(lab)
    thread = Thread(target=writer.run)
    thread.start()
    try:
        yield writer
    finally:
        writer.stop()
        thread.join(60)
    assert not thread.is_alive()
    assert writer.errors == []


def connect(lab: Lab, transport: str, options: str) -> Controller:
    way = Way(transport, "ipv4")
    lab.target.configure(way.target(Subsystem(NQN)))
    lab.host.nvme(f"connect {way.portal()} -n {NQN} {options}")
    (controller,) = lab.host.controllers()
    return controller


@TRANSPORTS
def test_target_restarted(lab: Lab, transport: str) -> None:
    """The whole target goes and comes: I/O waits, nothing fails, the controller is the same."""
    controller = connect(lab, transport, "-k 2 -c 1")
    target = Way(transport, "ipv4").target(Subsystem(NQN))
    with writing(lab) as writer:
        writer.goes_on()
        lab.target.remove_port(1)
        controller.wait_for("connecting", timeout=30)
        lab.target.add_port(target.ports[0], [NQN])
        controller.wait_for("live", timeout=30)
        writer.goes_on()
    assert lab.host.controllers() == [controller]


@TRANSPORTS
def test_target_gone_for_good(lab: Lab, transport: str) -> None:
    """After --ctrl-loss-tmo the kernel removes the controller, and connecting is a new one."""
    controller = connect(lab, transport, "-k 1 -c 1 -l 2")
    lab.host.disk(NQN)
    lab.target.remove_port(1)
    wait_until(lambda: not controller.exists, "the controller removed", 30)
    assert lab.host.nvme("list-subsys") == ""
    way = Way(transport, "ipv4")
    assert "refused" in lab.host.nvme_fails(f"connect {way.portal()} -n {NQN}")


def test_link_down_and_up_over_tcp(lab: Lab) -> None:
    """TCP has the one link: the controller is lost with it, reconnects, and I/O only waits."""
    controller = connect(lab, "tcp", "-k 1 -c 1")
    with writing(lab) as writer:
        writer.goes_on()
        lab.network.set_link("target", 1, up=False)
        controller.wait_for("connecting", timeout=30)
        lab.network.set_link("target", 1, up=True)
        controller.wait_for("live", timeout=30)
        writer.goes_on()


def test_link_down_and_up_over_mptcp(lab: Lab) -> None:
    """MPTCP has two: with one down I/O goes on in the same connection; with both, it waits."""
    controller = connect(lab, "mptcp", "-k 10 -c 1")
    lab.host.wait_for_subflows(len(LINKS), connections=1 + (os.cpu_count() or 1), port=4421)
    tokens = set(lab.host.subflows_per_connection(4421))
    with writing(lab) as writer:
        for link in LINKS:
            lab.network.set_link("target", link, up=False)
            writer.goes_on()
            lab.network.set_link("target", link, up=True)
            writer.goes_on()
        assert set(lab.host.subflows_per_connection(4421)) == tokens
    assert controller.state == "live"


def raise_in_turn(lab: Lab) -> None:
    """Raises the links, the one that connections begin with last.

    While a link was down, the kernel looked for its neighbour in vain. If a new connection joins
    over it before that search has ended, the join fails with the search, and is not tried again.
    """
    for link in reversed(LINKS):
        lab.network.set_link("target", link, up=True)
        traddr = address("target", link)
        wait_until(partial(lab.network.reaches, "host", traddr), f"an answer from {traddr}", 20)


def test_all_links_down_and_up_over_mptcp(lab: Lab) -> None:
    controller = connect(lab, "mptcp", "-k 1 -c 1")
    with writing(lab) as writer:
        writer.goes_on()
        for link in LINKS:
            lab.network.set_link("target", link, up=False)
        controller.wait_for("connecting", timeout=30)
        raise_in_turn(lab)
        controller.wait_for("live", timeout=30)
        writer.goes_on()
    lab.host.wait_for_subflows(len(LINKS), connections=1 + (os.cpu_count() or 1), port=4421)
