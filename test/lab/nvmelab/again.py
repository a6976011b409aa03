# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests of an emulated guest get a second try, with nothing else beside it.

Emulated, a guest shares the machine's processors with other boots and with whoever else is there. A
test that waits for seconds may then wait in vain, and nothing is wrong. A second failure is none of
that; nor is a complaint of the kernel, or a boot that did not end: those are failures at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from . import junit
from .runner import Result

S = TypeVar("S")

#: pytest's exit status if tests failed, and nothing worse.
TESTS_FAILED = 1

#: More than these are no accident.
MOST = 5


@dataclass(frozen=True)
class Failed(Generic[S]):
    """Tests of one suite that failed, by the names that a tally has."""

    suite: S
    tests: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """The tests as pytest is given them."""
        return [name.replace("::", ".py::", 1) for name in self.tests]


def to_repeat(boots: Sequence[tuple[S, Result, junit.Tally]]) -> list[Failed[S]]:
    """Returns the tests that get a second try by suite: none if there are too many of them."""
    found: dict[S, list[str]] = {}
    for suite, result, tally in boots:
        if not tally.failed or not result.is_emulated:
            continue
        if result.status != TESTS_FAILED or result.findings or not tally.names:
            return []
        found.setdefault(suite, []).extend(tally.failed)
    if sum(map(len, found.values())) > MOST:
        return []
    return [Failed(suite, tuple(tests)) for suite, tests in found.items()]


def forgive(total: junit.Tally, failed: Failed[S], second: junit.Tally) -> None:
    """Counts tests that passed at the second try as passed, and as repeated."""
    passed = [
        name for name in failed.tests if name in second.names - {*second.failed, *second.skipped}
    ]
    for name in passed:
        total.failed.remove(name)
    total.passed += len(passed)
    total.repeated += passed
