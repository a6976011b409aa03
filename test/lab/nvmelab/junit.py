# SPDX-License-Identifier: GPL-2.0-or-later
"""Read pytest's JUnit XML files, and add up the results of several boots."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """Results of tests."""

    passed: int = 0
    repeated: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    slowest: list[tuple[float, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.repeated += other.repeated
        self.failed += other.failed
        self.skipped += other.skipped
        self.names |= other.names
        self.slowest = sorted(self.slowest + other.slowest, reverse=True)

    def line(self) -> str:
        """Return the last line of a test run; tests that passed when repeated count as passed."""
        again = f" ({len(self.repeated)} at the second attempt)" if self.repeated else ""
        return (
            f"{self.passed} passed{again}, {len(self.failed)} failed, {len(self.skipped)} skipped"
        )


def _name(case: ElementTree.Element) -> str:
    module = case.get("classname", "").rpartition(".")[2]
    return f"{module}::{case.get('name', '')}" if module else case.get("name", "")


def read(path: Path) -> Tally:
    """Count the results of one file. A test whose teardown failed, too, counts once."""
    outcome: dict[str, str] = {}
    tally = Tally()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = _name(case)
        if case.find("failure") is not None or case.find("error") is not None:
            outcome[name] = "failed"
        elif case.find("skipped") is not None:
            outcome.setdefault(name, "skipped")
        else:
            outcome.setdefault(name, "passed")
        tally.slowest.append((float(case.get("time", "0")), name))
    tally.passed = sum(result == "passed" for result in outcome.values())
    tally.failed = [name for name, result in outcome.items() if result == "failed"]
    tally.skipped = [name for name, result in outcome.items() if result == "skipped"]
    tally.names = set(outcome)
    tally.slowest.sort(reverse=True)
    return tally


def of_boot(directory: Path, name: str, status: int) -> Tally:
    """Count the results of a boot. A boot that ended before its tests is a failure of its own."""
    report = directory / "junit.xml"
    if report.exists():
        return read(report)
    return Tally(
        failed=[f"{name} ended with status {status} before its tests finished"] * bool(status)
    )
