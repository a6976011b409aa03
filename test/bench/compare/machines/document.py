# SPDX-License-Identifier: GPL-2.0-or-later
"""The document of two real machines: what was measured on what, and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..campaign import Campaign
from ..figures import Figure
from ..page import NONE, View, table
from .possible import absent

#: The document and, next to it, the results.
NAME = "compare-machines"

TEXT = """\
# NVMe over MPTCP compared with TCP and native multipath on two real machines

Written by

    {command}

Links are as they are: nothing delays, loses or limits them on purpose, and no number is scaled.
Each number is a median of {runs} runs, each over connections of its own. Lowest and highest runs,
latencies and counters: [results.csv]({name}/results.csv).

## Machines

{machines}
{links}
The target's disk is {disk} MiB of memory (brd). Host and target have the endpoints and limits that
`nvme mptcp setup` plans for these links, in addition to their own. fio runs on the host with
direct I/O.

{sections}
## Not possible on these machines

{absent}
## Limits

- What else the machines and their network do is included. Idle is that of the busier machine.
- Processor time and memory are those of all programs on both machines.
- TCP remembers what it learned of an address: runs are less independent than in the lab.
- Rows of one TCP controller use the first link. A disk of memory has no latency of its own.
"""


@dataclass(frozen=True)
class Machines:
    """A pair: names as given, what both reported, links, disk."""

    host: str
    target: str
    traddrs: tuple[str, ...]
    disk_mib: int
    facts: Mapping[str, Mapping[str, Any]]

    def as_json(self) -> dict[str, Any]:
        return {
            "host": self.host, "target": self.target, "traddrs": list(self.traddrs),
            "disk_mib": self.disk_mib, "facts": self.facts,
        }  # fmt: skip

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Machines:
        """Return what ``as_json`` wrote."""
        facts: dict[str, Any] = {**document, "traddrs": tuple(document["traddrs"])}
        return cls(**facts)

    @property
    def speeds(self) -> list[int]:
        """Return the rate of each link's slower end in Mbit/s, 0 if not known."""
        ends = zip(*(self.facts[side]["links"] for side in ("host", "target")), strict=True)
        return [min(int(end["speed"]) for end in link) for link in ends]

    @property
    def command(self) -> str:
        return f"make compare HOST={self.host} TARGET={self.target}"


SHOWN: Mapping[str, str] = {
    "name": "name", "system": "system", "kernel": "kernel", "model": "processors",
    "scheduler": "MPTCP's scheduler",
}  # fmt: skip


def write(top: Path, campaign: Campaign, machines: Machines, figures: Iterable[Figure]) -> Path:
    """Write the document and the results; return the document."""
    view = View(campaign.data, campaign.series)
    found = [(figure, [row for row in campaign.rows(figure) if view.find(row)])
             for figure in figures]  # fmt: skip
    runs = [int(view.data.find(view.series, row)["runs"]) for _, rows in found for row in rows]  # type: ignore[index]
    campaign.data.write(top / NAME / "results.csv")
    path = top / f"{NAME}.md"
    path.write_text(TEXT.format(
        command=machines.command, runs=min(runs, default=0), name=NAME, disk=machines.disk_mib,
        machines=_machines(machines), links=_links(machines),
        sections="\n".join(_section(view, figure, rows) for figure, rows in found if rows),
        absent="".join(f"- {a.name}: {a.reason}\n" for a in absent(len(machines.traddrs))),
    ))  # fmt: skip
    return path


def _section(view: View, figure: Figure, rows: Iterable[Any]) -> str:
    lines = [
        [row.setup.title, row.load.name, view.text(row, "mib_s", 2),
         view.of_links(row) if row.links.rate and row.kind == "fio" else NONE,
         *(view.text(row, name, digits) for name, digits in
           (("p50_ms", 2), ("p99_ms", 2), ("cpu_s_per_gib", 1), ("connect_ms", 1)))]
        for row in rows
    ]  # fmt: skip
    head = ["", "load", "MiB/s", "% of the links", "p50, ms", "p99, ms", "CPU s/GiB", "connect, ms"]
    return f"## {figure.question}\n\n{table(head, lines)}"


def _machines(machines: Machines) -> str:
    both = [machines.facts[side] for side in ("host", "target")]
    lines = [[title, *(str(facts[name]) for facts in both)] for name, title in SHOWN.items()]
    lines[3] = ["processors", *(f"{facts['cpus']}, {facts['model']}" for facts in both)]
    modules = [facts["modules"].values() for facts in both]
    lines.append(["modules", *(", ".join(m["file"] for m in found) for found in modules)])
    names = dict.fromkeys(name for facts in both for name in facts["versions"])
    lines += [[name, *(facts["versions"].get(name) or NONE for facts in both)] for name in names]
    return table(["", "host", "target"], lines)


def _links(machines: Machines) -> str:
    ends = zip(*(machines.facts[side]["links"] for side in ("host", "target")), strict=True)
    lines = [[str(link), *(_end(end) for end in pair)] for link, pair in enumerate(ends, 1)]
    return table(["link", "host", "target"], lines)


def _end(end: Mapping[str, Any]) -> str:
    speed = f"{end['speed']} Mbit/s" if end["speed"] else "of unknown speed"
    driver = f" ({end['driver']})" if end["driver"] else ""
    return f"{end['source']}, {end['dev']}{driver}, {speed}, MTU {end['mtu']}"
