# SPDX-License-Identifier: GPL-2.0-or-later
"""The command for two machines: preflight, what is missing, and the document."""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from pathlib import Path

from nvmetools import ToolError
from nvmetools.ui import Ui

from ..campaign import Campaign, Store, minutes, say_failures
from ..data import Data
from ..drive import perform_all
from ..figures import FIGURES, Figure
from ..rows import LINKS, Links
from . import document
from .document import Machines
from .possible import absent, possible_figures, real_links, why_no_figure
from .preflight import Wanted
from .site import MachineStand, Pair, connected
from .ssh import machine_name

#: The subsystem says by its name what it is for.
NQN = "nqn.2026-01.nvme-mptcp:compare"

#: Of the target's disk: more than a processor's cache has.
DISK_MIB = 512

#: What the ports begin with, unless another one is named: mptcp, and tcp on the next.
PORT = 24420

#: Beside the runs: the machines that they are of.
MACHINES = "machines.json"

#: What only the lab has.
OF_THE_LAB = ("series", "jobs")


def measure(campaign: Campaign, figure: Figure, stand: MachineStand, ui: Ui) -> int:
    """Measure the missing runs of a figure; return how many there were.

    Machines and networks change with the time of day, so the runs of a row lie apart.
    """
    rows = campaign.rows(figure)
    todo = sorted(campaign.todo(rows), key=lambda pair: pair[1])
    if todo:
        about = minutes((row for row, _ in todo), 1)
        ui.say(f"{figure.name}: {len(todo)} runs to measure, about {about} min")
        perform_all(stand, todo, campaign.store.top)
    campaign.add_results(rows)
    return len(todo)


def add_options(top: argparse.ArgumentParser) -> None:
    """Adds what is about real machines."""
    group = top.add_argument_group(
        "two real machines, over ssh",
        "measures there instead of in the lab what needs no other links than theirs, and touches "
        "nothing that others made: see test/bench/compare/README.md",
    )
    group.add_argument("--host", metavar="[USER@]H", help="where fio runs")
    group.add_argument("--target", metavar="[USER@]T", help="what has the disk")
    group.add_argument(
        "--traddr", action="append", metavar="A", default=[],
        help="the target's address on a link; repeated, one for each link (what "
        "`nvme mptcp setup --role target` would announce there)",
    )  # fmt: skip
    group.add_argument(
        "--port", type=int, metavar="N",
        help=f"the target listens on N, and on N+1 for tcp ({PORT})",
    )  # fmt: skip


def check(args: argparse.Namespace) -> None:
    """Refuses what does not fit together, before anything is done."""
    if not args.host or not args.target:
        if args.host or args.target or args.traddr or args.port is not None:
            raise ToolError("two machines are needed: --host and --target (HOST= and TARGET=)")
        return
    for name in OF_THE_LAB:
        if getattr(args, name):
            option = "--kernel-series" if name == "series" else f"--{name}"
            raise ToolError(f"{option} is for the lab, and not for --host and --target")
    try:
        for machine in (args.host, args.target):
            machine_name(machine)
        families = {ip_address(address).version for address in args.traddr}
    except ValueError as error:
        raise ToolError(str(error)) from None
    if args.host == args.target:
        raise ToolError(f"{args.host} is named as both: host and target are to be two machines")
    if len(families) > 1:
        raise ToolError("--traddr: addresses are to be all IPv4 or all IPv6")
    if len(set(args.traddr)) != len(args.traddr):
        raise ToolError("--traddr: the same address is there twice")
    if args.port is not None and not 1 <= args.port < 65535:
        raise ToolError(f"--port {args.port}: a number from 1 to 65534")
    for name in args.figure:
        reason = why_no_figure(FIGURES[name])
        if reason:
            raise ToolError(f"figure {name} is not possible on real machines: {reason}")


def identity(machines: Machines) -> str:
    """What runs depend on, short: other machines, kernels, programs or links are another one."""
    parts = []
    for side in ("host", "target"):
        facts = machines.facts[side]
        names = ("name", "kernel", "model", "cpus", "versions", "modules")
        parts.append([facts[name] for name in names])
        parts.append([[link["dev"], link["speed"], link["mtu"]] for link in facts["links"]])
    text = json.dumps([parts, list(machines.traddrs), machines.disk_mib], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _campaign(machines: Machines, top: Path, args: argparse.Namespace) -> Campaign:
    key = identity(machines)
    kernel = machines.facts["host"]["kernel"]
    store = Store(top / f"{kernel}-{key}")
    store.top.mkdir(parents=True, exist_ok=True)
    (store.top / MACHINES).write_text(json.dumps(machines.as_json()))
    data = Data.read((args.output or top) / document.NAME / "results.csv")
    return Campaign(data, key, kernel, "", store, args.runs)


def _known(top: Path, args: argparse.Namespace) -> Machines:
    """Return the pair as it was measured last."""
    found = sorted(top.glob(f"*/{MACHINES}"), key=lambda path: path.stat().st_mtime)
    for path in reversed(found):
        machines = Machines.of_json(json.loads(path.read_text()))
        if (machines.host, machines.target) == (args.host, args.target):
            return machines
    raise ToolError(f"{top}: no runs of {args.host} and {args.target} there")


def chosen(links: Links, names: Sequence[str]) -> list[Figure]:
    """Return the figures to measure: those that were named, or all that are possible."""
    figures = possible_figures(links)
    return [figures[name] for name in figures if not names or name in names]


def listed(
    args: argparse.Namespace, table_of: Callable[[Campaign, Iterable[Figure], float], Iterable[str]]
) -> Iterable[str]:
    """Yield what would be measured: of new machines, all of it; nobody is asked anything."""
    links = real_links([0] * (len(args.traddr) or LINKS))
    count = len(links.shapes)
    yield f"from {args.host} to {args.target}, over {count} link{'s' if count > 1 else ''}"
    campaign = Campaign(Data(), "", "", "", Store(Path("/nonexistent")), args.runs)
    yield from table_of(campaign, chosen(links, args.figure), 1)
    yield from (f"left out: {left.name}: {left.reason}" for left in absent(count))


def _measured(pair: Pair, args: argparse.Namespace, ui: Ui) -> tuple[Campaign, Machines]:
    machines = Machines(args.host, args.target, tuple(pair.wanted.traddrs), DISK_MIB, pair.facts)
    campaign = _campaign(machines, args.build / document.NAME, args)
    figures = chosen(real_links(machines.speeds), args.figure)
    for left in absent(len(machines.traddrs)):
        ui.say(f"left out: {left.name}: {left.reason}")
    rows = [row for figure in figures for row in campaign.rows(figure)]
    if args.anew:
        campaign.forget(rows)
    if not campaign.todo(rows):
        ui.say("all of it was measured before; --anew (make compare ANEW=1) measures it again")
        campaign.add_results(rows)
        return campaign, machines
    pair.set_up()
    stand = MachineStand(pair)
    for figure in figures:
        measure(campaign, figure, stand, ui)
    return campaign, machines


def run(args: argparse.Namespace, ui: Ui) -> int:
    """Measure what is missing and write the document; return 1 if a row failed."""
    top, trouble = args.build / document.NAME, list[str]()
    if args.write_only:
        machines = _known(top, args)
        campaign = _campaign(machines, top, args)
    else:
        port = PORT if args.port is None else args.port
        wanted = Wanted(NQN, tuple(args.traddr), {"mptcp": port, "tcp": port + 1}, DISK_MIB)
        with connected(args.host, args.target, wanted, ui.say) as pair:
            campaign, machines = _measured(pair, args, ui)
        trouble = pair.trouble
    figures = possible_figures(real_links(machines.speeds)).values()
    ui.say(f"written: {document.write(args.output or top, campaign, machines, figures)}")
    return int(bool(say_failures(campaign, ui) or trouble))
