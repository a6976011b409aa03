# SPDX-License-Identifier: GPL-2.0-or-later
"""The raw data: every run as JSON, and a line for each run and direction as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .analysis import AGAIN, MIB, NO_ROOM, PERCENTILES, REINJECTED, SENT, TIMEOUTS, idle_of
from .results import Kernel
from .rows import Row
from .store import Run

#: The file of all runs, beside the document's pictures.
RAW = "results.json"

COLUMNS = (
    "kernel", "row", "run", "kind", "setup", "transport", "paths", "policy", "endpoints", "bond",
    "multipath", "links", "rw", "bs_kib", "depth", "jobs", "seconds", "direction", "mib_s",
    *(f"p{p}_ms" for p in PERCENTILES), "idle", "link_shares", SENT, AGAIN, TIMEOUTS, REINJECTED,
    NO_ROOM, "subflows",
)  # fmt: skip


def as_json(kernels: Sequence[Kernel], rows: Sequence[Row]) -> str:
    """Every run as the guest wrote it, by kernel and row; a line for each row and run."""
    return _object({k.version: _of_kernel(k, rows) for k in kernels})


def _of_kernel(kernel: Kernel, rows: Sequence[Row]) -> str:
    found = {r.key: _of_row(kernel, r) for r in rows if kernel.holder(r).store.runs(r)}
    facts = {"modules": kernel.modules, "series": kernel.series}
    return _object({**{name: _line(fact) for name, fact in facts.items()}, "rows": _object(found)})


def _of_row(kernel: Kernel, row: Row) -> str:
    holder = kernel.holder(row)
    runs = ",\n".join(_line(_bare(run)) for run in holder.store.runs(row))
    older = "" if holder is kernel else f'"modules": {_line(holder.modules)},\n'
    return f'{{{older}"row": {_line(row.as_json())},\n"runs": [\n{runs}\n]}}'


def _object(members: Mapping[str, str]) -> str:
    """JSON of an object whose members are JSON already."""
    lines = ",\n".join(f"{json.dumps(name)}: {text}" for name, text in sorted(members.items()))
    return f"{{\n{lines}\n}}\n"


def _line(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _bare(run: Run) -> Run:
    """The row stands beside its runs, once."""
    return {name: value for name, value in run.items() if name != "row"}


def as_csv(kernels: Sequence[Kernel], rows: Sequence[Row]) -> str:
    """What tables are made of, as a table."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for kernel in kernels:
        for row in rows:
            for run in kernel.holder(row).store.runs(row):
                writer.writerows(_lines(kernel.version, row, run))
    return text.getvalue()


def _lines(kernel: str, row: Row, run: Run) -> Iterator[dict[str, Any]]:
    if row.kind != "fio":
        return
    setup, load = row.setup, row.load
    volumes = [link["rx"] + link["tx"] for link in run["links"]]
    common = {
        "kernel": kernel, "row": row.key, "run": run["run"], "kind": row.kind,
        "setup": setup.name, "transport": setup.transport, "paths": setup.paths,
        "policy": setup.policy, "endpoints": setup.endpoints, "bond": setup.bond,
        "multipath": "Y" if setup.multipath else "N", "links": row.links.name, "rw": load.rw,
        "bs_kib": load.bs, "depth": load.depth, "jobs": load.jobs, "seconds": load.seconds,
        "idle": round(idle_of(run), 4),
        "link_shares": " ".join(f"{v / max(1, sum(volumes)):.3f}" for v in volumes),
        "subflows": " ".join(str(n) for n in run["subflows"]),
        **{name: _count(run, "tcp", name) for name in (SENT, AGAIN, TIMEOUTS)},
        **{name: _count(run, "mptcp", name) for name in (REINJECTED, NO_ROOM)},
    }  # fmt: skip
    for way in load.directions():
        found = run["fio"][way]
        yield {
            **common, "direction": way, "mib_s": round(found["bw"] / MIB, 4),
            **{f"p{p}_ms": round(found["latency"][p] / 1e6, 3) for p in PERCENTILES},
        }  # fmt: skip


def _count(run: Run, family: str, name: str) -> int:
    """Of both sides together."""
    return sum(int(side.get(name, 0)) for side in run[family].values())
