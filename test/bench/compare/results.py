# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured on a kernel, in this run of the command or in one before."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from . import figures, scaling
from .analysis import Summary, summarize
from .figures import Figure
from .rows import Row
from .store import Store, StoreError

#: Beside a kernel's runs: what they were measured on.
IDENTITY = "kernel"

#: Beside a kernel's runs: the rows of which those in the document do not count any more.
ANEW = "anew"


@dataclass
class Kernel:
    """A kernel with the runs that were measured on it; ``modules`` names our patches of it.

    ``older`` are the same kernel with earlier patches: a document has their rows until they are
    measured again.
    """

    series: str
    version: str
    modules: str
    store: Store
    older: tuple[Kernel, ...] = ()

    def holder(self, row: Row) -> Kernel:
        """Return the kernel whose runs of a row are all there: this one or an older one."""
        return next((k for k in (self, *self.older) if not k.store.missing(row)), self)

    def summary(self, row: Row) -> Summary | None:
        """What its runs come to; None as long as one is missing."""
        store = self.holder(row).store
        return None if store.missing(row) else summarize(row, store.runs(row))

    def summaries(self, rows: Iterable[Row]) -> dict[str, Summary]:
        """Those of these rows that were measured, by key."""
        pairs = ((row, self.summary(row)) for row in rows)
        return _as_one_kernel({row.key: summary for row, summary in pairs if summary})

    def delay(self, runs: int | None = None) -> float | None:
        """The delay of the links with loss; None until calibration has been measured."""
        rows = {d: limited(row, runs) for d, row in figures.calibration().items()}
        clean = self.summary(limited(figures.calibration_clean(), runs))
        found = {delay: self.summary(row) for delay, row in rows.items()}
        if clean is None or not clean.total:
            return None
        shares = {delay: s.total / clean.total for delay, s in found.items() if s}
        return (
            scaling.delay_for(scaling.PUBLISHED_SHARE, shares) if len(shares) == len(rows) else None
        )


def _as_one_kernel(found: dict[str, Summary]) -> dict[str, Summary]:
    """A kernel that noticed no work in most rows has not noticed all of it in the others."""
    blind = [s for s in found.values() if s.row.kind != "connect" and s.idle is None]
    if 2 * len(blind) <= len(found):
        return found
    return {k: dataclasses.replace(s, idle=None, cpu_per_gib=None) for k, s in found.items()}


def limited(row: Row, runs: int | None) -> Row:
    """The row with another number of runs, if there is to be one."""
    return dataclasses.replace(row, runs=runs) if runs else row


def kernel_in(top: Path, series: str, version: str, modules: str) -> Kernel:
    """Returns the kernel whose runs are kept below a directory, and notes which one it is."""
    place = top / f"{version}-{modules}"
    store = Store(place)
    if not (note := place / IDENTITY).exists():
        note.write_text(json.dumps({"series": series, "version": version, "modules": modules}))
    return Kernel(series, version, modules, store)


def bring_in(top: Path, document: Path) -> int:
    """Keeps the runs of a document's raw data below a directory, as if they were measured here.

    So whoever has the sources goes on from what others have measured on the same kernel and
    modules. Rows that are measured anew are left out; returns how many runs came in.
    """
    if not document.exists():
        return 0
    try:
        kernels = json.loads(document.read_text())
        count = 0
        for version, facts in kernels.items():
            series, newest = facts["series"], facts["modules"]
            # the newest patches come last, which is how `earlier` knows them
            modules = {found.get("modules", newest) for found in facts["rows"].values()}
            kernels = {name: kernel_in(top, series, version, name)
                       for name in (*sorted(modules - {newest}), newest)}  # fmt: skip
            last = kernels[newest]
            for key, found in facts["rows"].items():
                kernel = kernels[found.get("modules", newest)]
                if key not in _forgotten(kernel.store.top) | _forgotten(last.store.top):
                    count += kernel.store.take(key, found["row"], found["runs"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{document}: not what `make compare` writes ({error!r}): restore or delete it"
        ) from None
    return count


def start_anew(kernel: Kernel, rows: Iterable[Row]) -> None:
    """Forgets what was measured of these rows on a kernel, here and in the document."""
    keys = {row.key for row in rows}
    kernel.store.forget(keys)
    note = kernel.store.top / ANEW
    note.write_text("".join(f"{key}\n" for key in sorted(keys | _forgotten(kernel.store.top))))


def _forgotten(place: Path) -> set[str]:
    note = place / ANEW
    return set(note.read_text().split()) if note.exists() else set()


class Results:
    """The rows of figures on one kernel, and why some have none."""

    def __init__(self, kernel: Kernel, long: bool, runs: int | None) -> None:
        self.kernel = kernel
        self.long = long
        self.runs = runs
        self.failed: dict[str, list[str]] = {}

    def rows(self, figure: Figure) -> tuple[Row, ...]:
        """The rows of a figure as far as they are known."""
        return self._rows(figure, self.long)

    def combinations(self, figure: Figure) -> tuple[Row, ...]:
        """Those and the rows of a long run."""
        return tuple({r.key: r for r in (*self.rows(figure), *self._rows(figure, True))}.values())

    def _rows(self, figure: Figure, long: bool) -> tuple[Row, ...]:
        delay = self.kernel.delay(self.runs)
        return tuple(limited(row, self.runs) for row in figure.rows(delay, long))


def earlier(top: Path, series: Collection[str], long: bool, runs: int | None) -> list[Results]:
    """What was measured before on kernels of other series than these, the last one of each.

    So a figure that is measured again on one kernel does not take the others' out of the document.
    """
    found: dict[str, Kernel] = {}
    for kernel in _kernels(top):
        if kernel.series not in series:
            found.setdefault(kernel.series, kernel)
    return [Results(kernel, long, runs) for _, kernel in sorted(found.items())]


def with_older(top: Path, kernel: Kernel) -> None:
    """Lets a kernel have the rows that only its earlier patches were measured with."""
    kernel.older = tuple(
        k for k in _kernels(top) if k.version == kernel.version and k.modules != kernel.modules
    )


def _kernels(top: Path) -> list[Kernel]:
    """All that there are, the last one first."""
    notes = sorted(top.glob(f"*/{IDENTITY}"), key=lambda note: -note.stat().st_mtime)
    return [Kernel(**json.loads(note.read_text()), store=Store(note.parent)) for note in notes]
