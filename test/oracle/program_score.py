# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of what the original prints ours prints as well, by command and kind of output."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from differences import HOSTILE, Case, Difference, Run
from program_exceptions import Exception_

#: Differences that change what a script finds in a document where it looks for it.
OF_KEYS = ("missing", "type", "length", "order")


def kind(case: Case) -> str:
    """The kind of output that a command line asks for."""
    form = next((f for f in ("json", "binary") if f in case.args), "text")
    flags = ("-H", "-v", "-b") if case.command == "set-feature" else ("-H", "-v", "-V", "-b")
    more = [flag for flag in flags if flag in case.args]
    return " ".join([form, *more])


def size(case: Case, run: Run) -> int:
    """How much there is to compare: lines, keys and elements, or one."""
    if run.status or (case.is_json and not run.is_document):
        return 1
    if case.is_json:
        return _elements(run.document)
    return 1 if {"binary", "-b"} & set(case.args) else max(1, len(run.lines))


def _elements(value: Any) -> int:
    if isinstance(value, dict):
        return sum(1 + _elements(below) for below in value.values())
    if isinstance(value, list):
        return sum(1 + _elements(below) for below in value)
    return 0


def lost(case: Case, difference: Difference) -> int:
    """How much of what there is to compare a difference takes away, of the original's side."""
    if difference.theirs is None:
        return 0
    return 1 + (_elements(difference.theirs) if case.is_json else 0)


@dataclass
class Score:
    """Of the cases of one command and kind.

    What a listed defect of the original is about counts neither as the same nor as unlike. Nor do
    data that no specification allows: there the original prints what is behind its buffers.
    """

    cases: int = 0
    all: int = 0
    unlike: int = 0  # lines, or keys and types of a document
    values: int = 0  # of a document
    more: int = 0  # keys that the original has not
    defects: int = 0  # of the original: lines, keys and values
    hostile: int = 0  # all that differs where the data are
    listed: int = 0  # among all of those
    other: int = 0  # statuses and commands sent

    def add(
        self, case: Case, run: Run, differences: Iterable[tuple[Difference, list[Exception_]]]
    ) -> None:
        """Counts a case: the original's run, and what differs, with what is listed of it."""
        is_hostile = case.data in HOSTILE
        self.cases += 1
        self.all += 0 if is_hostile else size(case, run)
        for difference, exceptions in differences:
            if difference.kind in ("status", "sent"):
                self.other += 1
            elif is_hostile:
                self.hostile += 1
            elif any(exception.is_defect for exception in exceptions):
                self.defects += 1
                self.all -= lost(case, difference)
            elif difference.kind == "extra":
                self.more += 1
            elif case.is_json and difference.kind not in OF_KEYS:
                self.values += 1
            else:
                self.unlike += 1
            self.listed += bool(exceptions)

    @property
    def rate(self) -> float:
        """Per cent that are the same."""
        return 100 * max(0, self.all - self.unlike) / self.all if self.all > 0 else 100


Scores = dict[tuple[str, str], Score]


def below(scores: Scores, least: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """What is less than it ought to be: 99 per cent of lines, every key and type of a document.

    @least has the commands of which less is the same, and how much that is.
    """
    return {
        (command, what): score.rate
        for (command, what), score in scores.items()
        if score.rate < least.get(command, 100 if what.startswith("json") else 99)
    }


def table(scores: Scores) -> Iterator[str]:
    """The lines of a table, one for each command and kind of output."""
    yield (
        f"{'COMMAND':33}{'OUTPUT':13}{'CASES':>6}{'LINES/KEYS':>12}{'SAME':>9}{'UNLIKE':>8}"
        f"{'VALUES':>8}{'MORE':>6}{'DEFECTS':>9}{'HOSTILE':>9}{'LISTED':>8}{'STATUS/SENT':>13}"
    )
    for (command, what), score in sorted(scores.items()):
        yield (
            f"{command:33}{what:13}{score.cases:6}{score.all:12}{score.rate:8.2f}%{score.unlike:8}"
            f"{score.values:8}{score.more:6}{score.defects:9}{score.hostile:9}{score.listed:8}"
            f"{score.other:13}"
        )
