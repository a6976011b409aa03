# SPDX-License-Identifier: GPL-2.0-or-later
"""Build and load the modules for every kernel of Debian's archive.

Prints a table for doc/packages.md. Built modules are cached like the lab's kernels.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nvmetools import PROJECT, ToolError
from nvmetools.cache import Cache
from nvmetools.ui import Ui

from . import kernel, releases
from .releases import Progress, Release, Series

#: Script that loads the modules and prints which of them the kernel accepted.
SCRIPT = PROJECT / "test/lab/loads.py"

HEAD = "| Debian | kernel | package | modules build | and load |\n|-|-|-|-|-|"


@dataclass(frozen=True)
class Place:
    """A part of Debian's archive: its name in the table, and where apt finds it.

    Without a codename, it is the machine's own release.
    """

    shown: str
    codename: str = ""
    backports: bool = False

    def series(self, name: str, versions: str) -> Series:
        """Return a series of the kernels with these versions, with the edits of another series."""
        return Series(name, versions, self.codename, plain=not self.backports)


PLACES = (
    Place("12"), Place("13 and its backports", "trixie", backports=True),
    Place("testing", "forky"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One kernel of one version."""

    place: Place
    series: Series
    release: Release

    def line(self, built: str, loads: str) -> str:
        """Return its line of the table."""
        release = self.release
        cells = (self.place.shown, release.name, release.package_version, built, loads)
        return f"| {' | '.join(cell or '-' for cell in cells)} |"


def bases() -> dict[str, str]:
    """Return the directory of edits for each version that modules are built for."""
    text = (kernel.KERNEL / "series").read_text()
    return dict(re.findall(r"^(\d\S*)\s+(\S+)\s", text, re.M))


def rows(store: Cache, words: Sequence[str], progress: Progress) -> Iterator[Row]:
    """Yield the kernels of the archive whose versions start with one of the words."""
    for place in PLACES:
        for base, directory in bases().items():
            series = place.series(directory, rf"{re.escape(base)}\.\d+")
            for release in releases.every(store, series, progress):
                if not words or any(release.package_version.startswith(word) for word in words):
                    yield Row(place, series, release)


def show(
    store: Cache, ui: Ui, words: Sequence[str], load: Callable[[kernel.Kernel], int] | None
) -> int:
    """Print the table line by line as results arrive; return the number of kernels that failed."""
    failed = 0
    print(HEAD, flush=True)
    for row in rows(store, words, ui.say):
        loads = ""
        try:
            with ui.step(f"{row.release.name} {row.release.package_version}") as step:
                made = kernel.prepare_release(store, row.series, row.release, step.note)
            built = "yes"
            if load:
                loads = "no" if load(made) else "yes"
        except ToolError as error:
            # the last lines are make's own, and have no information
            lines = [line for line in str(error).splitlines() if not line.startswith("make")]
            built = f"no: {lines[-1]}"
        failed += built != "yes" or loads == "no"
        print(row.line(built, loads), flush=True)
    return failed
