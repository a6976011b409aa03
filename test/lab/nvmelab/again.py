# SPDX-License-Identifier: GPL-2.0-or-later
"""Run failed tests of an emulated guest once more, with nothing else running.

An emulated guest shares the machine's CPUs with other boots and other users. A test that waits for
seconds may then time out although nothing is wrong. A test that fails twice is a failure. A kernel
complaint, or a boot that did not end, is a failure at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from . import junit
from .runner import Result

S = TypeVar("S")

#: pytest's exit status if tests failed.
TESTS_FAILED = 1

#: Maximum number of tests to repeat; more failures have a common cause.
MOST = 5


@dataclass(frozen=True)
class Failed(Generic[S]):
    """Failed tests of one suite, named as in a tally."""

    suite: S
    tests: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """Return the tests as arguments of pytest."""
        return [name.replace("::", ".py::", 1) for name in self.tests]


def to_repeat(boots: Sequence[tuple[S, Result, junit.Tally]]) -> list[Failed[S]]:
    """Return the tests to repeat, by suite; none if there are too many."""
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
    """Count tests that passed the second time as passed and repeated."""
    passed = [
        name for name in failed.tests if name in second.names - {*second.failed, *second.skipped}
    ]
    for name in passed:
        total.failed.remove(name)
    total.passed += len(passed)
    total.repeated += passed
