# SPDX-License-Identifier: GPL-2.0-or-later
"""What one measurement is made of. Both sides use this: the guest reads rows that the host wrote.

Only the standard library is imported: the guest has nothing else.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

#: Links between host and target, unless a row has others.
LINKS = 4

#: What a link carries, in bit/s: slow, so that the links are the limit and not the emulated
#: processors, at least half of which stay idle.
RATE = 10_000_000


@dataclass(frozen=True)
class Shape:
    """What a link does to packets, in each direction.

    rate in bit/s (0: nobody knows, of a real link), delay in ms, loss in percent; ``down`` seconds
    out of every ``period`` it is without a carrier (0: never).
    """

    rate: int = RATE
    delay: float = 0
    loss: float = 0
    down: float = 0
    period: float = 0


@dataclass(frozen=True)
class Links:
    """Links by a name that tells what is special about them."""

    name: str
    shapes: tuple[Shape, ...]
    title: str = ""

    @property
    def rate(self) -> int:
        """What all of them carry together, in bit/s; 0 if that of one is not known."""
        rates = [shape.rate for shape in self.shapes]
        return sum(rates) if all(rates) else 0

    @property
    def fastest(self) -> int:
        """What the fastest of them carries, in bit/s."""
        return max(shape.rate for shape in self.shapes)


@dataclass(frozen=True)
class Setup:
    """How the host reaches the target.

    ``paths`` controllers, one for each link, by a policy of native multipath ("" where there is
    one); ``endpoints`` of MPTCP: none, planner (those that `nvme mptcp setup` plans) or selftest
    (those of the kernel series' own test); ``bond`` is a mode of bonding over all links ("" for
    none); ``queues`` I/O queues for each controller, 0 for one per processor; ``keep``: `nvme mptcp
    keep` runs beside it; ``rmem`` and ``wmem`` are net.ipv4.tcp_rmem and tcp_wmem of both sides, ""
    for the kernel's own; ``backup`` is the link whose endpoint is a backup (0: none); ``options``
    are what else connect is told, NAME=NUMBER with commas between them; ``inline`` is how many
    bytes of a write the target's port takes with its command (0: the kernel's 16 KiB); ``relay``:
    a relay runs on each side, and the kernel's transport is tcp.
    """

    name: str
    title: str
    transport: str = "tcp"
    paths: int = 1
    policy: str = ""
    endpoints: str = "none"
    bond: str = ""
    multipath: bool = True
    queues: int = 0
    keep: bool = False
    rmem: str = ""
    wmem: str = ""
    backup: int = 0
    options: str = ""
    inline: int = 0
    relay: bool = False

    @property
    def has_subflows(self) -> bool:
        """Whether its connections are MPTCP's, by the kernel or by a relay."""
        return self.relay or self.transport == "mptcp"

    def connect_options(self) -> dict[str, int]:
        """What else connect is told, by name."""
        pairs = (word.split("=") for word in self.options.split(",") if word)
        return {name: int(value) for name, value in pairs}


#: Seconds of fio's that do not count yet, and as many as it takes one connection alone until its
#: windows have grown: reads that were looked at for a minute carried 3.95, 4.00, 4.50 and then
#: 4.40 MiB/s in steps of five seconds.
RAMP_S = 2
GROWN_S = 15

#: Percent of the requests that are reads where both are.
READS = 70

#: What rows have since there were runs: at these values they are the same as before.
LATER: Mapping[str, Mapping[str, object]] = {
    "setup": {"backup": 0, "options": "", "wmem": "", "inline": 0, "relay": False},
    "load": {"ramp": RAMP_S},
}  # fmt: skip


@dataclass(frozen=True)
class Load:
    """What fio does: ``depth`` is that of all ``jobs`` together, ``bs`` KiB a request.

    It does so for ``ramp`` seconds before ``seconds`` that count.
    """

    rw: str = "read"
    bs: int = 128
    depth: int = 32
    jobs: int = 1
    seconds: int = 8
    ramp: int = RAMP_S

    @property
    def name(self) -> str:
        """Short, for keys and tables."""
        return f"{self.rw}-{self.bs}k-d{self.depth}-j{self.jobs}"

    @property
    def title(self) -> str:
        """As a sentence has it, without its direction."""
        by = f" by {self.jobs} jobs" if self.jobs > 1 else ""
        order = "at random places" if self.rw.startswith("rand") else "in sequence"
        return f"{self.bs} KiB {order}, {self.depth} at a time{by}; {self.time}"

    @property
    def time(self) -> str:
        """How long, and after what where that is more than usual."""
        after = f", after {self.ramp} s" if self.ramp > RAMP_S else ""
        return f"{self.seconds} s a run{after}"

    @property
    def part(self) -> float:
        """Which part of the bytes goes in the direction that has most of them."""
        return READS / 100 if len(self.directions()) > 1 else 1.0

    def directions(self) -> tuple[str, ...]:
        """The parts of fio's result that this load fills."""
        if self.rw in ("rw", "randrw"):
            return ("read", "write")
        return ("write",) if self.rw.endswith("write") else ("read",)


@dataclass(frozen=True)
class Row:
    """One measurement, done ``runs`` times.

    kind: fio (how fast), pull (how fast over time, the cable of link 1 out at PULL_S and back at
    RETURN_S), slow (the same, but link 1 has a SLOWER part of its rate then), connect (how long it
    takes to connect ``setup.paths`` controllers, and their memory).
    """

    setup: Setup
    links: Links
    load: Load = field(default_factory=Load)
    kind: str = "fio"
    runs: int = 3

    @property
    def key(self) -> str:
        """Names the row in files: the same whatever figure it is in, another if anything differs.

        Titles and the number of runs are no part of what is measured.
        """
        facts = asdict(self)
        del facts["runs"], facts["setup"]["title"], facts["links"]["title"]
        for part, names in LATER.items():
            for name, value in names.items():
                if facts[part][name] == value:
                    del facts[part][name]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:8]
        return f"{self.kind}.{self.setup.name}.{self.links.name}.{self.load.name}-{digest}"

    @property
    def place(self) -> tuple[Links, str, str, str, str, int, int, bool]:
        """What is set up before a run: it can stay for the next one that wants the same."""
        setup = self.setup
        buffers = (setup.rmem, setup.wmem)
        return (
            self.links, setup.endpoints, setup.bond, *buffers, setup.backup, setup.inline,
            setup.relay,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Returns it as ``row_of`` takes it."""
        return asdict(self)


#: Seconds after the start of a row of kind pull or slow.
PULL_S = 5.0
RETURN_S = 10.0

#: Kinds that are measured over time.
OVER_TIME = ("pull", "slow")

#: What a slow link's rate is divided by.
SLOWER = 10


def row_of(document: Mapping[str, Any]) -> Row:
    """Returns the row that ``as_json`` wrote; an unknown or missing field is a TypeError."""
    links = dict(document["links"])
    links["shapes"] = tuple(Shape(**shape) for shape in links["shapes"])
    rest = {k: v for k, v in document.items() if k not in ("setup", "links", "load")}
    return Row(Setup(**document["setup"]), Links(**links), Load(**document["load"]), **rest)
