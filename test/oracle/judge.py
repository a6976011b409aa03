# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs, held against a list of exceptions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from differences import Case, Difference, Run
from program_exceptions import Exception_
from program_score import Score, Scores, kind


@dataclass
class Judge:
    """A family's exceptions, which of them were needed, and how much of it is the same."""

    exceptions: Sequence[Exception_]
    needed: set[Exception_] = field(default_factory=set)
    scores: Scores = field(default_factory=dict)
    #: What no exception covers, once for a place of a command: in the sample, and in other data.
    wrong: dict[tuple[str, str, str, bool], str] = field(default_factory=dict)

    def add(self, case: Case, original: Run, differing: Iterable[Difference]) -> None:
        """Counts a case: the original's run, and what differs from it."""
        found = [(d, [e for e in self.exceptions if e.covers(case, d)]) for d in differing]
        self.scores.setdefault((case.command, kind(case)), Score()).add(case, original, found)
        for d, covering in found:
            self.needed.update(covering)
            if not covering:
                self.wrong[case.command, d.kind, d.place, case.data == "sample"] = (
                    f"{case}: {d.kind} {d.place}\n"
                    f"  here:     {d.ours!r:.300}\n  original: {d.theirs!r:.300}"
                )

    def complaint(self, command: str | None = None) -> str:
        """What nothing covers, of one command or of all, as a person reads it; or nothing."""
        wrong = [text for (of, *_), text in self.wrong.items() if command in (None, of)]
        return f"{len(wrong)} differences:\n" + "\n".join(wrong[:30]) if wrong else ""

    def idle(self, compared: Iterable[str] | None = None) -> list[str]:
        """The exceptions that nothing needed, of all commands or of those that were compared."""
        there = None if compared is None else set(compared)
        return [
            str(e)
            for e in self.exceptions
            if e not in self.needed and not e.is_chance and (there is None or e.command in there)
        ]
