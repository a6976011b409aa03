# SPDX-License-Identifier: GPL-2.0-or-later
"""Disturb a lab on purpose: random disturbances that undo themselves, repeatable by a seed.

Each kind of disturbance has a thread, which chooses its actions from the seed and its name: with
the same seed, each thread does the same, however the threads interleave.
"""

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

#: Minimum and maximum duration of a disturbance, and of the pause after it, in ms.
LASTS_MS = (100, 3000)
RESTS_MS = (50, 1500)

#: Seconds after which a command of nvme counts as hung.
COMMAND_S = 120

#: Seconds for which a step is retried that repair or the kernel may interfere with.
INSIST_S = 10

#: Disturbed and normal behaviour of links.
SHAPES = (
    Shape(rate="20mbit", loss="1%"), Shape(rate="20mbit", delay="20ms"),
    Shape(rate="2mbit"), Shape(rate="20mbit", delay="5ms", loss="0.5%"),
)  # fmt: skip
USUAL = Shape(rate="20mbit")


class Disturber(threading.Thread):
    """A thread with one kind of disturbance, repeated until ``ending`` is set."""

    def __init__(self, lab: Lab, seed: int, ending: threading.Event) -> None:
        super().__init__(name=type(self).__name__.lower())
        self.lab = lab
        self.random = random.Random(f"{seed} {self.name}")
        self.ending = ending
        self.done: Counter[str] = Counter()
        self.error: BaseException | None = None

    def actions(self) -> tuple[Callable[[], None], ...]:
        """Return the actions to choose from; each restores the state from before."""
        raise NotImplementedError

    def run(self) -> None:
        """Run actions; the first exception ends this thread and all others."""
        try:
            while not self.ending.is_set():
                action = self.random.choice(self.actions())
                action()
                self.done[action.__name__] += 1
                self.pause(RESTS_MS)
        except BaseException as error:  # raised again after join()
            self.error = error
            self.ending.set()

    def pause(self, least_most: tuple[int, int] = LASTS_MS) -> None:
        """Wait for a random time in ms, or until the end."""
        self.ending.wait(self.random.randint(*least_most) / 1000)

    def link(self) -> int:
        """Return a random link."""
        return self.random.randint(1, len(self.lab.topology.links))


class Links(Disturber):
    """Take links down, and make them slow or lossy."""

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.flap, self.flap, self.shape)

    def flap(self) -> None:
        """Take one end of a link down for a while."""
        side, link = self.random.choice(SIDES), self.link()
        self.lab.network.set_link(side, link, False)
        self.pause()
        self.lab.network.set_link(side, link, True)

    def shape(self) -> None:
        """Make a link slow, late or lossy for a while."""
        link = self.link()
        self.lab.network.shape(link, self.random.choice(SHAPES))
        self.pause()
        self.lab.network.shape(link, USUAL)


class Addresses(Disturber):
    """Add, delete and change addresses and endpoints."""

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.address, self.signal, self.backup, self.subflow)

    def address(self) -> None:
        """Delete an address of the host for a while."""
        link = self.link()
        line = f"{address('host', link)}/24 dev {interface('host', link)}"
        self.lab.network.ip("host", f"address delete {line}")
        self.pause()
        self.lab.network.ip("host", f"address add {line}")

    def signal(self) -> None:
        """Delete an announced endpoint of the target for a while."""
        endpoint = Endpoint(self.link(), ("signal",))
        self._take_away("target", endpoint)
        self.pause()
        self._give("target", endpoint)

    def backup(self) -> None:
        """Make an endpoint of the target a backup for a while."""
        number = self._number("target", address("target", self.link()))
        self.lab.network.ip("target", f"mptcp endpoint change id {number} backup")
        self.pause()
        self.lab.network.ip("target", f"mptcp endpoint change id {number} nobackup")

    def subflow(self) -> None:
        """Give the host an endpoint for a while."""
        endpoint = Endpoint(self.link(), ("subflow",))
        self._give("host", endpoint)
        self.pause()
        self._take_away("host", endpoint)

    # The kernel adds "implicit" endpoints for addresses that receive subflows. An added endpoint
    # replaces an implicit one, but not if it has an id. On the host, repair may just have deleted
    # or added an endpoint.

    def _give(self, side: Side, endpoint: Endpoint) -> None:
        self._insist(lambda: self.lab.network.add_endpoint(side, endpoint))

    def _take_away(self, side: Side, endpoint: Endpoint) -> None:
        at = address(side, endpoint.link)
        self._insist(lambda: self.lab.network.delete_endpoint(side, self._number(side, at)))

    def _insist(self, action: Callable[[], None]) -> None:
        """Retry an action for a while if it fails."""
        until = time.monotonic() + INSIST_S
        while True:
            try:
                return action()
            except RuntimeError:
                if time.monotonic() > until:
                    raise
            time.sleep(0.1)

    def _number(self, side: Side, wanted: str) -> int:
        """Return the id of a side's endpoint."""

        def find() -> int | None:
            found = self.lab.network.endpoints(side)
            return next((int(e["id"]) for e in found if e["address"] == wanted), None)

        return wait_until(find, f"endpoint {wanted}")


class Targets(Disturber):
    """Remove and restore the target's ports, or the whole target.

    Each port offers one subsystem, see chaos.target().
    """

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.port, self.target)

    def port(self) -> None:
        """Remove and restore the ports: all controllers lose their connections."""

        def remove(top: nvmet.Target) -> None:
            for port in top.ports():
                port.delete()

        self._without(remove)

    def target(self) -> None:
        """Remove and restore everything; the data on the ramdisks stays."""
        self._without(nvmet.Target.clear)

    def _without(self, remove: Callable[[nvmet.Target], None]) -> None:
        top = nvmet.Target(NVMET)
        config = top.save()
        remove(top)
        self.pause()
        # the socket is in the network namespace of the thread that enables the port
        with network_namespace(self.lab.target.namespace):
            top.restore(config)
        self.ending.wait(3)


class Hosts(Disturber):
    """Reset, connect and disconnect controllers, and run commands that only read."""

    nqn = ""
    port = 4420
    kept: frozenset[str] = frozenset()

    def actions(self) -> tuple[Callable[[], None], ...]:
        return (self.reset, self.connect, self.check, self.repair, self.show)

    def nvme(self, arguments: str, *statuses: int) -> None:
        """Run nvme, which must end with one of these statuses, in time and not by a signal."""
        done = self.lab.host.command(f"nvme {arguments}", status=None, timeout=COMMAND_S)
        if done.returncode not in statuses:
            raise AssertionError(f"nvme {arguments}: status {done.returncode}: {done.stderr}")

    def reset(self) -> None:
        """Reset a controller; one that is reconnecting refuses."""
        name = self.random.choice(sorted(self.kept))
        with contextlib.suppress(OSError):
            Path("/sys/class/nvme", name, "reset_controller").write_text("1")

    def connect(self) -> None:
        """Connect and disconnect another controller; this fails if the target is unreachable."""
        traddr = address("target", self.link())
        self.nvme(f"connect -t mptcp -a {traddr} -s {self.port} -n {self.nqn} -l 5 -c 1", 0, 1)
        self.pause()
        self.nvme(f"disconnect -n {self.nqn}", 0, 1)

    def check(self) -> None:
        """Run check: any findings are allowed, but it must return a verdict."""
        self.nvme("mptcp check -o json", 0, 1, 2)

    def repair(self) -> None:
        """Run repair; while links are down, subflows may stay missing."""
        self.nvme("mptcp repair --wait 1", 0, 1)

    def show(self) -> None:
        """Show all connections and endpoints."""
        self.nvme("mptcp show-subflows -o json", 0)
        self.nvme("mptcp show-endpoints", 0)


DISTURBERS: tuple[type[Disturber], ...] = (Links, Addresses, Targets, Hosts)

#: Slabs whose objects must be freed: those of connections and of their subflows.
SOCKETS = ("MPTCP", "MPTCPv6", "TCP", "TCPv6")


def sockets_in_use() -> dict[str, int]:
    """Return the number of objects in the sockets' slabs, after freeing unused ones."""
    found = {}
    for name in SOCKETS:
        directory = Path("/sys/kernel/slab", name)
        if directory.exists():
            (directory / "shrink").write_text("1")
            found[name] = int((directory / "objects").read_text().split()[0])
    return found


def settled(before: dict[str, int], slack: int, timeout: float) -> dict[str, int]:
    """Wait until each slab has at most ``slack`` more objects than before; return the numbers."""

    def back() -> dict[str, int] | None:
        now = sockets_in_use()
        return now if all(now[name] <= before[name] + slack for name in now) else None

    return wait_until(back, f"slabs back at {before}", timeout, pause=1.0)
