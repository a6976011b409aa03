# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes wrong on purpose: disturbances of a lab that each mend themselves, by a seed.

Every kind of disturbance is done by a thread of its own, which draws what it does next from the
seed and its name: with the same seed each of them does the same, however they fall together.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from nvmelab.waiting import wait_until

from libnvme import nvmet

from .bench import Lab
from .network import SIDES, Endpoint, Shape, Side, address, interface
from .nvmet import NVMET
from .system import network_namespace

#: Milliseconds that a disturbance lasts, and that its thread rests afterwards.
LASTS_MS = (100, 3000)
RESTS_MS = (50, 1500)

#: Seconds after which a command of nvme is taken to hang.
COMMAND_S = 120

#: Seconds for which what repair or the kernel may be in the way of is tried again.
INSIST_S = 10

#: What links are made to do, and what they do otherwise.
SHAPES = (
    Shape(rate="20mbit", loss="1%"), Shape(rate="20mbit", delay="20ms"),
    Shape(rate="2mbit"), Shape(rate="20mbit", delay="5ms", loss="0.5%"),
)  # fmt: skip
USUAL = Shape(rate="20mbit")


class Disturber(threading.Thread):
    """One kind of disturbance, again and again until it is told to end."""

    def __init__(self, lab: Lab, seed: int, ending: threading.Event) -> None:
        super().__init__(name=type(self).__name__.lower())
        self.lab = lab
        self.random = random.Random(f"{seed} {self.name}")
        self.ending = ending
        self.done: Counter[str] = Counter()
        self.error: BaseException | None = None

    def actions(self) -> tuple[Callable[[], None], ...]:
        """What there is to choose from; each leaves things as they were."""
        raise NotImplementedError

    def run(self) -> None:
        """Disturbs; the first exception ends it, and everything else."""
        try:
            while not self.ending.is_set():
                action = self.random.choice(self.actions())
                action()
                self.done[action.__name__] += 1
                self.pause(RESTS_MS)
        except BaseException as error:  # raised again where it is waited for
            self.error = error
            self.ending.set()

    def pause(self, least_most: tuple[int, int] = LASTS_MS) -> None:
        """Lets time go by, less of it if the end has come."""
        self.ending.wait(self.random.randint(*least_most) / 1000)

    def link(self) -> int:
        """Any of the links."""
        return self.random.randint(1, len(self.lab.topology.links))


class Links(Disturber):
    """Links that go down, lose and delay."""

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.flap, self.flap, self.shape)

    def flap(self) -> None:
        """A link is down for a while, at either end."""
        side, link = self.random.choice(SIDES), self.link()
        self.lab.network.set_link(side, link, False)
        self.pause()
        self.lab.network.set_link(side, link, True)

    def shape(self) -> None:
        """A link is slow, late or loses packets for a while."""
        link = self.link()
        self.lab.network.shape(link, self.random.choice(SHAPES))
        self.pause()
        self.lab.network.shape(link, USUAL)


class Addresses(Disturber):
    """Addresses and endpoints that come, go and change."""

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.address, self.signal, self.backup, self.subflow)

    def address(self) -> None:
        """An address of the host is gone for a while."""
        link = self.link()
        line = f"{address('host', link)}/24 dev {interface('host', link)}"
        self.lab.network.ip("host", f"address delete {line}")
        self.pause()
        self.lab.network.ip("host", f"address add {line}")

    def signal(self) -> None:
        """The target takes an announcement back, and makes it again."""
        self._without("target", Endpoint(self.link(), ("signal",)))

    def backup(self) -> None:
        """The target has an endpoint as a backup for a while."""
        number = self._number("target", address("target", self.link()))
        self.lab.network.ip("target", f"mptcp endpoint change id {number} backup")
        self.pause()
        self.lab.network.ip("target", f"mptcp endpoint change id {number} nobackup")

    def subflow(self) -> None:
        """The host has an endpoint of its own for a while."""
        endpoint = Endpoint(self.link(), ("subflow",))
        self._give("host", endpoint)
        self.pause()
        self._take_away("host", endpoint)

    def _without(self, side: Side, endpoint: Endpoint) -> None:
        self._take_away(side, endpoint)
        self.pause()
        self._give(side, endpoint)

    # The kernel makes endpoints of its own ("implicit") for addresses that subflows come to. One
    # that is added takes the place of such, but not with an id. On the host repair may have taken
    # one away, or given it back, just now.

    def _give(self, side: Side, endpoint: Endpoint) -> None:
        self._insist(lambda: self.lab.network.add_endpoint(side, endpoint))

    def _take_away(self, side: Side, endpoint: Endpoint) -> None:
        at = address(side, endpoint.link)
        self._insist(lambda: self.lab.network.delete_endpoint(side, self._number(side, at)))

    def _insist(self, action: Callable[[], None]) -> None:
        """Does it again for a while if it fails."""
        until = time.monotonic() + INSIST_S
        while True:
            try:
                return action()
            except RuntimeError:
                if time.monotonic() > until:
                    raise
            time.sleep(0.1)

    def _number(self, side: Side, wanted: str) -> int:
        """The id of a side's endpoint."""

        def find() -> int | None:
            found = self.lab.network.endpoints(side)
            return next((int(e["id"]) for e in found if e["address"] == wanted), None)

        return wait_until(find, f"endpoint {wanted}")


class Targets(Disturber):
    """The target's ports, and the target itself, go and come back.

    Each port offers one subsystem: see chaos.target().
    """

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.port, self.target)

    def port(self) -> None:
        """The ports are disabled and enabled again: all controllers lose their connections."""

        def remove(top: nvmet.Target) -> None:
            for port in top.ports():
                port.delete()

        self._without(remove)

    def target(self) -> None:
        """Everything is removed and restored; what lies on the ramdisks stays."""
        self._without(nvmet.Target.clear)

    def _without(self, remove: Callable[[nvmet.Target], None]) -> None:
        top = nvmet.Target(NVMET)
        config = top.save()
        remove(top)
        self.pause()
        # the socket belongs to the network namespace of whoever enables the port
        with network_namespace(self.lab.target.namespace):
            top.restore(config)
        self.ending.wait(3)


class Hosts(Disturber):
    """Controllers that are reset, connected and disconnected, and tools that look on."""

    nqn = ""
    port = 4420
    kept: frozenset[str] = frozenset()

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.reset, self.connect, self.check, self.repair, self.show)

    def nvme(self, arguments: str, *statuses: int) -> None:
        """Runs nvme, which may end with one of these, and never by a signal or not at all."""
        done = self.lab.host.command(f"nvme {arguments}", status=None, timeout=COMMAND_S)
        if done.returncode not in statuses:
            raise AssertionError(f"nvme {arguments}: status {done.returncode}: {done.stderr}")

    def reset(self) -> None:
        """A controller is reset; one that reconnects already refuses."""
        name = self.random.choice(sorted(self.kept))
        with contextlib.suppress(OSError):
            Path("/sys/class/nvme", name, "reset_controller").write_text("1")

    def connect(self) -> None:
        """Another controller comes and goes, if the target can be reached just now."""
        traddr = address("target", self.link())
        self.nvme(f"connect -t mptcp -a {traddr} -s {self.port} -n {self.nqn} -l 5 -c 1", 0, 1)
        self.pause()
        self.nvme(f"disconnect -n {self.nqn}", 0, 1)

    def check(self) -> None:
        """Nothing is required of the findings; that there is a verdict is."""
        self.nvme("mptcp check -o json", 0, 1, 2)

    def repair(self) -> None:
        """While links are gone, something may stay missing."""
        self.nvme("mptcp repair --wait 1", 0, 1)

    def show(self) -> None:
        """All connections and endpoints."""
        self.nvme("mptcp show-subflows -o json", 0)
        self.nvme("mptcp show-endpoints", 0)


DISTURBERS: tuple[type[Disturber], ...] = (Links, Addresses, Targets, Hosts)

#: Whose objects must be given back: those of connections and of their subflows.
SOCKETS = ("MPTCP", "MPTCPv6", "TCP", "TCPv6")


def sockets_in_use() -> dict[str, int]:
    """Objects of the sockets' slabs, after the slabs have given back what is free."""
    found = {}
    for name in SOCKETS:
        directory = Path("/sys/kernel/slab", name)
        if directory.exists():
            (directory / "shrink").write_text("1")
            found[name] = int((directory / "objects").read_text().split()[0])
    return found


def settled(before: dict[str, int], slack: int, timeout: float) -> dict[str, int]:
    """Waits until the slabs are back at their level but for ``slack`` objects; returns them."""

    def back() -> dict[str, int] | None:
        now = sockets_in_use()
        return now if all(now[name] <= before[name] + slack for name in now) else None

    return wait_until(back, f"slabs back at {before}", timeout, pause=1.0)
