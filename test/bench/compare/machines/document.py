# SPDX-License-Identifier: GPL-2.0-or-later
"""The document of two real machines: what was measured on what, and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..document import Facts, Writer
from ..figures import Figure
from ..results import Results
from ..tables import table
from .possible import absent

TOP = """\
# NVMe over MPTCP beside tcp and native multipath, on two real machines

Written by

    {command}

from what was measured on these two machines, over their links as they are: nothing delays, loses
or limits by intent, and no number is scaled. {number}
each run over connections of its own; each row says why, from what both kernels counted in the same
runs. All runs, with all counters: [results.json]({name}/results.json); as a table:
[results.csv]({name}/results.csv). Links that are made slow, lossy or unequal, bonds, and cables
that are pulled are measured in the lab (`make compare`), which needs nobody's network.
"""

SEVERAL = "Each number is a median of {runs} runs with the least and the most of them,"
ONE = "Each number is of one run,"

SET_UP = """\
## Machines

{machines}
{links}
The target's disk is {disk} MiB of memory (brd), written once. Host and target have the endpoints
and limits that `nvme mptcp setup` plans for these links, beside what they had before. Controllers
are connected by `nvme-mptcp connect`, one for each link where there are several. fio runs on the
host, with direct I/O by libaio; latency is from submitting a request until it is completed.
"""

LIMITS = """\
## Limits

- Whatever else these machines and their network did meanwhile is in the numbers. Idle is the part
  of the time of all processors of the busier machine; one processor that is the limit does not
  show in it.
- Processor time is that of all that both machines did, and memory is what less was to be had on
  both: on machines that do something else, both mean little.
- Runs are not kept apart as in the lab: TCP remembers what it learned of an address.
- The time to connect has the program's in it, and the rows of one controller use one link with
  tcp, the first one.
- A disk of memory has no latency of its own, and nothing is said of real disks.
"""


@dataclass(frozen=True)
class Machines:
    """What is known of a pair: names as they were given, what both said, links, ports, disk."""

    host: str
    target: str
    traddrs: tuple[str, ...]
    disk_mib: int
    facts: Mapping[str, Mapping[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """As ``of_json`` takes it."""
        return {
            "host": self.host, "target": self.target, "traddrs": list(self.traddrs),
            "disk_mib": self.disk_mib, "facts": self.facts,
        }  # fmt: skip

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Machines:
        """What ``as_json`` gave."""
        facts: dict[str, Any] = {**document, "traddrs": tuple(document["traddrs"])}
        return cls(**facts)

    @property
    def speeds(self) -> list[int]:
        """What each link carries in Mbit/s as its slower end has it; 0 where one does not know."""
        ends = zip(*(self.facts[side]["links"] for side in ("host", "target")), strict=True)
        return [min(int(end["speed"]) for end in link) for link in ends]

    @property
    def command(self) -> str:
        """What measures them."""
        return f"make compare HOST={self.host} TARGET={self.target}"


#: Of a machine, by what the table calls it.
SHOWN: Mapping[str, str] = {
    "name": "name", "system": "system", "kernel": "kernel", "model": "processors",
    "scheduler": "MPTCP's scheduler",
}  # fmt: skip


class MachinesWriter(Writer):
    """Writes compare-machines.md; doc/compare.md is the lab's."""

    name = "compare-machines"

    def __init__(
        self, top: Path, results: Results, machines: Machines, long: bool, runs: int | None
    ) -> None:
        self.machines = machines
        self.command = machines.command
        cpus = int(machines.facts["host"]["cpus"])
        super().__init__(top, [results], Facts("", cpus, long, runs))

    def _top(self, figures: Sequence[Figure]) -> str:
        rows = [row for f in figures for row in self.campaigns[0].rows(f)]
        runs = self.facts.runs or min((row.runs for row in rows), default=0)
        text = ONE if runs == 1 else SEVERAL.format(runs=runs)
        return TOP.format(command=self.command, number=text, name=self.name)

    def _set_up(self, figures: Sequence[Figure]) -> str:
        return SET_UP.format(
            machines=self._machines(), links=self._links(), disk=self.machines.disk_mib
        )

    def _machines(self) -> str:
        both = [self.machines.facts[side] for side in ("host", "target")]
        lines = [[title, *(str(facts[name]) for facts in both)] for name, title in SHOWN.items()]
        lines[3] = ["processors", *(f"{facts['cpus']}, {facts['model']}" for facts in both)]
        modules = [facts["modules"].values() for facts in both]
        lines.append(["modules", *(", ".join(m["file"] for m in found) for found in modules)])
        names = dict.fromkeys(name for facts in both for name in facts["versions"])
        lines += [[name, *(facts["versions"].get(name) or "-" for facts in both)] for name in names]
        return table(["", "host", "target"], lines)

    def _links(self) -> str:
        lines = []
        ends = zip(*(self.machines.facts[side]["links"] for side in ("host", "target")),
                   strict=True)  # fmt: skip
        for link, pair in enumerate(ends, 1):
            lines.append([str(link), *(_end(end) for end in pair)])
        return table(["link", "host", "target"], lines)

    def _scaling(self) -> str:
        return ""

    def _limits(self) -> str:
        links = len(self.machines.traddrs)
        lines = [f"- {a.name}: {a.reason}\n" for a in absent(links, self.facts.long)]
        return f"## Not possible on these machines\n\n{''.join(lines)}\n{LIMITS}"


def _end(end: Mapping[str, Any]) -> str:
    speed = f"{end['speed']} Mbit/s" if end["speed"] else "of unknown speed"
    driver = f" ({end['driver']})" if end["driver"] else ""
    return f"{end['source']}, {end['dev']}{driver}, {speed}, MTU {end['mtu']}"


__all__ = ["Machines", "MachinesWriter"]
