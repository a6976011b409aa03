# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of figures: which rows answer which question."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .rows import GROWN_S, LINKS, RATE, SLOWER, Links, Load, Row, Setup, Shape
from .scaling import DELAYS, LOSS

POLICIES = ("numa", "round-robin", "queue-depth")

TCP = Setup("tcp", "tcp")
MPTCP = Setup("mptcp", "mptcp, planned endpoints", "mptcp", endpoints="planner")
SELFTEST = Setup("mptcp-selftest", "mptcp, the selftest's endpoints", "mptcp", endpoints="selftest")
RELAY = Setup("relay", "relay", endpoints="planner", relay=True)
BOND_HASH = Setup("bond-802.3ad", "tcp over a bond, 802.3ad layer3+4", bond="802.3ad")
BOND_RR = Setup("bond-balance-rr", "tcp over a bond, balance-rr", bond="balance-rr")
NATIVE = {
    policy: Setup(f"native-{policy}", f"four tcp controllers, {policy}", paths=LINKS, policy=policy)
    for policy in POLICIES
}
#: What rule C15 advises for links of different rates, first and where that is not enough.
ADVISED = replace(
    MPTCP, name="mptcp-rmem", title="mptcp, tcp_rmem as advised", rmem="4096 131072 33554432"
)


def one_queue(setup: Setup) -> Setup:
    """All requests over one connection, whatever processor they come from."""
    title = f"{setup.title}, one I/O queue"
    return replace(setup, name=f"{setup.name}-1q", title=title, queues=1)


#: What four of these links carry in a tenth of a second: buffers do not shrink with links that are
#: a hundred times slower than real ones.
SHORT_SEND = one_queue(replace(
    MPTCP, name="mptcp-wmem", title="mptcp, a send buffer of 512 KiB", wmem="4096 16384 524288"
))  # fmt: skip
#: A write of the usual size goes at once, and is not asked for (R2T).
INLINE = one_queue(replace(
    MPTCP, name="mptcp-inline", title="mptcp, a write's data goes with its command", inline=131072
))  # fmt: skip
BACKUP = replace(MPTCP, name="mptcp-backup", title="mptcp, the slow link is a backup", backup=4)

ALTERNATIVES = (TCP, MPTCP, SELFTEST, BOND_HASH, BOND_RR, *NATIVE.values())

CLEAN = Links("clean", (Shape(),) * LINKS, "four equal links")

#: One link of these carries what four of the others do.
FAST = Links("fast", (Shape(rate=LINKS * RATE),) * LINKS, "links of four times the rate")


def _one_differs(name: str, title: str, shape: Shape, links: int = LINKS) -> Links:
    return Links(name, (Shape(),) * (links - 1) + (shape,), title)


HALF = _one_differs("half", "one link at half of the rate", Shape(rate=RATE // 2))
QUARTER = _one_differs("quarter", "one link at a quarter of the rate", Shape(rate=RATE // 4))
UNEQUAL = (
    HALF,
    QUARTER,
    _one_differs("delay30", "one link with 30 ms more", Shape(delay=30)),
    _one_differs("delay300", "one link with 300 ms more", Shape(delay=300)),
    _one_differs("loss3", "one link that loses 3 %", Shape(loss=3)),
    _one_differs("flaps", "one link down for 1 s of every 5 s", Shape(down=1, period=5)),
)
TWO = Links("two", (Shape(),) * 2, "two equal links")
TWO_UNEQUAL = _one_differs("two-delay30", "two links, one with 30 ms more", Shape(delay=30), 2)
TWO_FAR = _one_differs("two-delay300", "two links, one with 300 ms more", Shape(delay=300), 2)

#: Four jobs, so that a controller's queues all have something to do.
MAIN = Load(jobs=4, depth=32)
READ_WRITE = ("read", "write")

#: One job, whose windows have grown before it counts.
GOAL_DEPTHS = (8, 32)


def goal_load(rw: str, depth: int) -> Load:
    """What the goals of clean links are about: 128 KiB in sequence."""
    return Load(rw, depth=depth, ramp=GROWN_S)


#: Longer where chance decides more.
LOSSY_S = 20
FAILOVER_S = 45
STEADY_S = 120

#: While a cable is out, by which a connection that knows no other link is given up.
PULLED = replace(MAIN, seconds=FAILOVER_S)

#: The cable is back after ten of these; the slowest alternative needs two more.
OUTAGE_S = 14
OUTAGE_RUNS = 5

#: KiB and depth of the requests while a link is out, with a job for each I/O queue.
OUTAGE_REQUESTS = ((16, 8), (128, 32))

#: Time limits of connect that might matter then.
TIME_LIMITS = (
    (MPTCP, "", ""),
    (MPTCP, "-loss", "ctrl_loss_tmo=10,fast_io_fail_tmo=1"),
    (NATIVE["round-robin"], "", ""),
    (NATIVE["round-robin"], "-loss", "ctrl_loss_tmo=10,fast_io_fail_tmo=1"),
    (NATIVE["round-robin"], "-kato", "keep_alive_tmo=1,reconnect_delay=1"),
)


def lossy(delay: float) -> Links:
    """The links of the published table, at a delay."""
    return Links(f"lossy{delay:g}", (Shape(delay=delay, loss=LOSS),) * LINKS,
                 f"{delay:g} ms and {LOSS:g} % of loss")  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A table, and the bars of a picture: rows under labels, compared with one of them.

    ``base`` is the label of the row that is 1, "" if it is what the links can carry together.
    """

    name: str
    title: str
    cells: tuple[tuple[str, Row], ...]
    base: str = ""


@dataclass(frozen=True)
class Figure:
    """A question and the blocks that answer it.

    ``blocks`` gets the delay that calibration found (None as long as it has not) and whether
    every combination is wanted.
    """

    name: str
    title: str
    question: str
    blocks: Callable[[float | None, bool], tuple[Block, ...]]

    def rows(self, delay: float | None, long: bool) -> tuple[Row, ...]:
        """All rows, each once."""
        cells = itertools.chain.from_iterable(b.cells for b in self.blocks(delay, long))
        return tuple({row.key: row for _, row in cells}.values())


def _blocks(
    name: str, setups: tuple[Setup, ...], links: Links, load: Load, base: str = ""
) -> tuple[Block, ...]:
    """A block for each direction: these set-ups on these links."""
    made = []
    for rw in READ_WRITE:
        cells = tuple((s.title, Row(s, links, replace(load, rw=rw))) for s in setups)
        made.append(Block(f"{name}-{rw}", f"{rw}s, {links.title or links.name}", cells, base))
    return tuple(made)


# published

#: One I/O queue for each controller: see scaling.
ORIGINAL_TCP = {p: replace(s, name=f"{s.name}-1q", queues=1) for p, s in NATIVE.items()}
ORIGINAL_MPTCP = {
    p: Setup(f"mptcp4-selftest-{p}-1q", f"four mptcp controllers, {p}", "mptcp", LINKS, p,
             "selftest", queues=1)
    for p in POLICIES
}  # fmt: skip
PLANNED_MPTCP = replace(
    ORIGINAL_MPTCP["round-robin"], name="mptcp4-planner-round-robin-1q",
    title="four mptcp controllers, round-robin, planned endpoints", endpoints="planner",
)  # fmt: skip

#: MiB/s as published, reads and writes, by links, policy and transport.
PUBLISHED: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]] = {
    ("clean", "numa"): {"tcp": (114, 114), "mptcp": (445, 443)},
    ("clean", "round-robin"): {"tcp": (456, 455), "mptcp": (446, 445)},
    ("clean", "queue-depth"): {"tcp": (456, 455), "mptcp": (446, 445)},
    ("lossy", "round-robin"): {"tcp": (106, 98.5), "mptcp": (426, 428)},
    ("lossy", "queue-depth"): {"tcp": (168, 128), "mptcp": (425, 414)},
}


def calibration() -> dict[float, Row]:
    """The rows that find the delay: reads over tcp by round-robin, by delay."""
    load = replace(MAIN, seconds=LOSSY_S)
    return {d: Row(ORIGINAL_TCP["round-robin"], lossy(d), load) for d in DELAYS}


def calibration_clean() -> Row:
    """What the rows of calibration are shares of."""
    return Row(ORIGINAL_TCP["round-robin"], CLEAN, MAIN)


def _published(delay: float | None, long: bool) -> tuple[Block, ...]:
    setups = tuple(s for p in POLICIES for s in (ORIGINAL_TCP[p], ORIGINAL_MPTCP[p]))
    base = ORIGINAL_TCP["round-robin"].title
    found = [(f"{d:g} ms", row) for d, row in calibration().items()]
    cells = (("no delay, no loss", calibration_clean()), *found)
    blocks = [
        Block("calibration", "calibration: tcp reads by round-robin", cells, "no delay, no loss"),
        *_blocks("published-clean", (*setups, PLANNED_MPTCP), CLEAN, MAIN, base),
    ]
    if delay is not None:
        load = replace(MAIN, seconds=LOSSY_S)
        blocks += _blocks("published-lossy", (*setups, PLANNED_MPTCP), lossy(delay), load, base)
    return tuple(blocks)


#: A proposed policy of native multipath beside the others, two tcp paths of which one has 30 ms
#: more: MiB/s as published, reads and writes.
ADAPTIVE: Mapping[str, tuple[float, float]] = {
    "numa": (50, 65.9), "round-robin": (105, 125), "queue-depth": (230, 385),
    "adaptive": (350, 446),
}  # fmt: skip


# the others


def _alone(delay: float | None, long: bool) -> tuple[Block, ...]:
    off = tuple(
        replace(s, name=f"{s.name}-n", title=f"{s.title}, multipath=n", multipath=False)
        for s in (TCP, MPTCP)
    )
    return _blocks("alone", (*ALTERNATIVES, *off), CLEAN, MAIN, TCP.title)


def _goals(delay: float | None, long: bool) -> tuple[Block, ...]:
    blocks = []
    for rw, depth in itertools.product(READ_WRITE, GOAL_DEPTHS):
        more = (SHORT_SEND, INLINE) if rw == "write" else ()
        setups = (TCP, MPTCP, *map(one_queue, (MPTCP, RELAY)), *more)
        cells = tuple((s.title, Row(s, CLEAN, goal_load(rw, depth))) for s in setups)
        title = f"{rw}s of one job, {depth} at a time, {CLEAN.title}"
        blocks.append(Block(f"goals-{rw}-{depth}", title, cells, TCP.title))
    return tuple(blocks)


def _asymmetric(delay: float | None, long: bool) -> tuple[Block, ...]:
    # one controller of tcp is over the first link, which is as it was: `alone` has it
    setups = (MPTCP, BOND_HASH, *NATIVE.values())
    blocks: list[Block] = []
    for links in UNEQUAL:
        seconds = MAIN.seconds if not links.shapes[-1].period else 3 * int(links.shapes[-1].period)
        wanted = (*setups, ADVISED) if links in (HALF, QUARTER) else setups
        both = _blocks(f"asymmetric-{links.name}", wanted, links, replace(MAIN, seconds=seconds))
        blocks += both if long else both[:1]
    for links in (TWO_UNEQUAL, TWO_FAR):
        two = tuple(
            replace(s, name=f"{s.name}-2", title=s.title.replace("four", "two"), paths=2)
            for s in NATIVE.values()
        )
        blocks += _blocks(f"adaptive-{links.name}", (*two, MPTCP), links, MAIN, two[0].title)
    return tuple(blocks)


def _settings(delay: float | None, long: bool) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for links in (QUARTER, HALF) if long else (QUARTER,):
        for rw in READ_WRITE:
            load = replace(MAIN, rw=rw)
            rows = [(s.title, Row(s, links, load)) for s in (MPTCP, ADVISED, BACKUP)]
            rows += [(f"mptcp, {depth} requests at a time", Row(MPTCP, links,
                      replace(load, depth=depth))) for depth in (16, 8)]  # fmt: skip
            name = f"settings-{links.name}-{rw}"
            blocks.append(Block(name, f"{rw}s, {links.title}", tuple(rows), MPTCP.title))
    one = one_queue(MPTCP)
    load = Load(ramp=GROWN_S)
    setups = (one, *map(one_queue, (ADVISED, BACKUP)))
    rows = [(s.title, Row(s, QUARTER, load)) for s in setups]
    rows += [(f"{one.title}, {depth} requests at a time", Row(one, QUARTER,
              replace(load, depth=depth))) for depth in (16, 8)]  # fmt: skip
    title = f"reads of one job, {QUARTER.title}"
    blocks.append(Block("settings-one-queue", title, tuple(rows), one.title))
    for depth in GOAL_DEPTHS:
        rows = [
            (s.title, Row(s, CLEAN, goal_load("write", depth))) for s in (one, SHORT_SEND, INLINE)
        ]
        title = f"writes of one job, {depth} at a time, {CLEAN.title}"
        blocks.append(Block(f"settings-send-{depth}", title, tuple(rows), one.title))
    if delay is not None:
        load = replace(MAIN, seconds=LOSSY_S)
        setups = (one, one_queue(SELFTEST))
        blocks += _blocks("settings-loss", setups, lossy(delay), load, one.title)
    cells = tuple((f"{s.title}{f', {options}' if options else ''}",
                   Row(replace(s, name=f"{s.name}{suffix}", options=options), CLEAN, PULLED,
                       kind="pull"))
                  for s, suffix, options in TIME_LIMITS)  # fmt: skip
    blocks.append(Block("settings-failover", "reads while a cable is out", cells))
    return tuple(blocks)


def _limited(policy: str) -> Setup:
    """Return native multipath that notices a dead path as soon as it can."""
    native, options = NATIVE[policy], "keep_alive_tmo=1,reconnect_delay=1"
    title = f"{native.title}, {options.replace(',', ', ')}"
    return replace(native, name=f"{native.name}-best", title=title, options=options)


def _outage(kind: str, what: str, load: Load, setups: tuple[Setup, ...]) -> Block:
    cells = tuple((s.title, Row(s, CLEAN, load, kind=kind, runs=OUTAGE_RUNS)) for s in setups)
    title = f"{load.rw}s of {load.bs} KiB, {load.depth} at a time, {what}"
    return Block(f"failover-{kind}-{load.rw}-{load.bs}", title, cells)


def _failover(delay: float | None, long: bool) -> tuple[Block, ...]:
    kept = replace(MPTCP, name="mptcp-keep", title="mptcp with keep", keep=True)
    given = replace(
        kept, name="mptcp-keep-inline", inline=INLINE.inline,
        title="mptcp with keep, a write's data goes with its command",
    )  # fmt: skip

    relayed = replace(RELAY, name="relay-keep", title="relay with keep", keep=True)

    def own_setups(bs: int) -> tuple[Setup, ...]:
        """Return mptcp at its best: small requests on several queues leave links empty."""
        return tuple(one_queue(s) if bs <= 16 else s for s in (MPTCP, kept, relayed))

    native, bonds = tuple(map(_limited, ("queue-depth", "round-robin"))), (BOND_HASH, BOND_RR)
    blocks = []
    for rw, (bs, depth) in itertools.product(READ_WRITE, OUTAGE_REQUESTS):
        load = replace(MAIN, rw=rw, bs=bs, depth=depth, seconds=OUTAGE_S)
        own = own_setups(bs)
        if rw == "write" and bs > 16:
            own += (given,)
        more = (TCP, NATIVE["numa"]) if long else ()
        blocks.append(_outage("pull", "while a cable is out", load, (*own, *native, *bonds, *more)))
    for rw, (bs, depth) in zip(READ_WRITE, OUTAGE_REQUESTS, strict=True):
        load = replace(MAIN, rw=rw, bs=bs, depth=depth, seconds=OUTAGE_S)
        what = f"while a link has 1/{SLOWER} of its rate"
        blocks.append(_outage("slow", what, load, (*own_setups(bs), native[0], *bonds)))
    return tuple(blocks)


SIZES = (4, 8, 32, 128)
DEPTHS = (1, 8, 32, 128)


def _sizes(delay: float | None, long: bool) -> tuple[Block, ...]:
    def pair(name: str, title: str, loads: list[tuple[str, Load]]) -> Block:
        cells = [(f"{s.name}, {label}", Row(s, CLEAN, load))
                 for label, load in loads for s in (TCP, MPTCP)]  # fmt: skip
        return Block(name, title, tuple(cells))

    blocks = []
    for rw in READ_WRITE:
        sizes = [(f"{bs} KiB", goal_load(rw, 32) if bs == 128 else Load(rw, bs))
                 for bs in SIZES]  # fmt: skip
        # a row that the goals have is theirs
        depths = [(f"depth {depth}", goal_load(rw, depth) if depth in GOAL_DEPTHS
                   else Load(rw, depth=depth)) for depth in DEPTHS]  # fmt: skip
        blocks.append(pair(f"sizes-{rw}", f"{rw}s at depth 32, by size", sizes))
        blocks.append(pair(f"depths-{rw}", f"{rw}s of 128 KiB, by queue depth", depths))
    small = [(rw, Load(rw, 4)) for rw in ("randread", "randwrite")]
    blocks.append(pair("random", "4 KiB at random places, at depth 32", small))
    mixed = [(f"{bs} KiB", Load("randrw", bs)) for bs in (SIZES if long else (4, 128))]
    blocks.append(pair("mixed", "random, 70 % reads, at depth 32", mixed))
    if long:
        every = itertools.product(("read", "randread", "write", "randwrite", "randrw"), DEPTHS)
        for rw, depth in every:
            loads = [(f"{bs} KiB", Load(rw, bs, depth)) for bs in SIZES]
            blocks.append(pair(f"every-{rw}-{depth}", f"{rw} at depth {depth}", loads))
    return tuple(blocks)


COUNTS = (1, 16, 64)


def _cost(delay: float | None, long: bool) -> tuple[Block, ...]:
    cells = []
    for transport, count in itertools.product((TCP, MPTCP), COUNTS):
        setup = replace(transport, name=f"{transport.name}-{count}", paths=count)
        cells.append((f"{transport.name}, {count}", Row(setup, CLEAN, kind="connect")))
    # what a second costs however little is moved in it would count four times for one slow link
    fast = replace(TCP, name="tcp-fast", title="tcp over one link of four times the rate")
    compared = ((fast, FAST), (MPTCP, CLEAN), (NATIVE["round-robin"], CLEAN))
    moved = [(f"{s.title}, {rw}s", Row(s, links, replace(MAIN, rw=rw)))
             for rw in READ_WRITE for s, links in compared]  # fmt: skip
    return (
        Block("cost-cpu", "processor time for each GiB, at the same speed", tuple(moved)),
        Block(
            "cost-connect",
            "controllers connected one after another; memory is that of both sides",
            tuple(cells),
        ),
    )


def _steady(delay: float | None, long: bool) -> tuple[Block, ...]:
    load = replace(MAIN, seconds=STEADY_S)
    setups = (TCP, MPTCP, BOND_HASH, NATIVE["queue-depth"])
    return _blocks("steady", setups, CLEAN, load, TCP.title)


FIGURES = {
    figure.name: figure
    for figure in (
        Figure(
            "published", "What was published, measured again",
            "Do the ratios that were published hold, and where do they come from?", _published,
        ),
        Figure(
            "alone", "One controller, beside what else spreads it over links",
            "What carries most over four links: MPTCP, a bond, or native multipath?", _alone,
        ),
        Figure(
            "goals", "One job over one controller",
            "Do four links carry four times what one does, whatever the queue depth?", _goals,
        ),
        Figure(
            "asymmetric", "Links that are not alike",
            "What is left when one link is slower, farther away, or flaky?", _asymmetric,
        ),
        Figure(
            "failover", "A link fails at 5 s and is back at 10 s",
            "How long does I/O pause, how fast is it until the cable is back, and when is "
            "it as fast as before?", _failover,
        ),
        Figure(
            "settings", "Settings",
            "What can be set where links differ, lose packets, or go away, and what does it give?",
            _settings,
        ),
        Figure(
            "sizes", "Sizes of requests and queue depths",
            "Does it hold for small requests and for shallow queues?", _sizes,
        ),
        Figure(
            "cost", "What it costs",
            "How much processor time, memory and time to connect does MPTCP take?", _cost,
        ),
        Figure(
            "steady", "Two minutes",
            "Does it stay as it is in the first seconds?", _steady,
        ),
    )
}  # fmt: skip


def usual(long: bool) -> list[str]:
    """The figures of a run that names none: two minutes of each row are part of a long one only."""
    return [name for name in FIGURES if long or name != "steady"]
