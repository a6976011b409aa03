# SPDX-License-Identifier: GPL-2.0-or-later
"""Every kernel of Debian's archive that modules are built for: do they build, do they load?

Prints a table for doc/packages.md. What is built is kept in the cache, as the lab's kernels are.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nvmetools import PROJECT, ToolError
from nvmetools.cache import Cache
from nvmetools.ui import Ui

from . import kernel, releases
from .releases import Progress, Release, Series

#: Loads the modules, and shows which of them the kernel took.
SCRIPT = PROJECT / "test/lab/loads.py"

HEAD = "| Debian | kernel | package | modules build | and load |\n|-|-|-|-|-|"


@dataclass(frozen=True)
class Place:
    """A part of Debian's archive: by which name it is shown, and where apt finds it.

    Without a codename it is the machine's own.
    """

    shown: str
    codename: str = ""
    backports: bool = False

    def series(self, name: str, versions: str) -> Series:
        """Return the kernels of these versions, whose edits are those of a series."""
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
        cells = (
            self.place.shown, self.release.name, self.release.package_version, built, loads,
        )  # fmt: skip
        return "| " + " | ".join(cell or "-" for cell in cells) + " |"


def bases() -> dict[str, str]:
    """Return the directory of edits of each version that modules are built for."""
    text = (kernel.KERNEL / "series").read_text()
    return dict(re.findall(r"^(\d\S*)\s+(\S+)\s", text, re.M))


def rows(store: Cache, words: Sequence[str], progress: Progress) -> Iterator[Row]:
    """Yield what the archive has, of the versions that begin with one of the words."""
    for place in PLACES:
        for base, directory in bases().items():
            series = place.series(directory, rf"{re.escape(base)}\.\d+")
            for release in releases.every(store, series, progress):
                if not words or any(release.package_version.startswith(word) for word in words):
                    yield Row(place, series, release)


def show(
    store: Cache, ui: Ui, words: Sequence[str], load: Callable[[kernel.Kernel], int] | None
) -> int:
    """Print the table, a line as soon as it is known; return how many kernels failed."""
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
            # make ends with lines of its own, which say nothing
            lines = [line for line in str(error).splitlines() if not line.startswith("make")]
            built = f"no: {lines[-1]}"
        failed += built != "yes" or loads == "no"
        print(row.line(built, loads), flush=True)
    return failed
