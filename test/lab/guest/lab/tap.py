# SPDX-License-Identifier: GPL-2.0-or-later
"""Write results in the Test Anything Protocol, version 13, like the kernel's selftests."""

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO


class Report:
    """Report of numbered points, written to several streams as they pass or fail."""

    def __init__(self, streams: Sequence[TextIO]) -> None:
        self.streams = streams
        self.number = 0
        self.failed = 0

    def _write(self, text: str) -> None:
        for stream in self.streams:
            stream.write(text + "\n")
            stream.flush()

    def plan(self, count: int) -> None:
        """Write the number of points."""
        self._write(f"TAP version 13\n1..{count}")

    def point(self, passed: bool, name: str, directive: str = "") -> None:
        """Write one point; a directive is the text after a hash."""
        self.number += 1
        self.failed += not passed
        end = f" # {directive}" if directive else ""
        self._write(f"{'ok' if passed else 'not ok'} {self.number} {name}{end}")

    def points(self, names: Sequence[str], perform: Callable[[], Iterable[str]]) -> None:
        """Write the points of one run; ``perform`` yields their names in order as they pass.

        If it raises, the current point fails, with the reason in comment lines, and so do the
        points after it, which were not reached.
        """
        left = list(names)
        try:
            for name in perform():
                if name != left[0]:
                    raise AssertionError(f"{name} passed before {left[0]}")
                self.point(True, left.pop(0))
            if left:
                raise AssertionError(f"ended before {left[0]}")
        except Exception:
            reason = traceback.format_exc().rstrip().splitlines()
            for i, name in enumerate(left or ["the end"]):
                self.point(False, name, "not reached" if i else "")
                if not i:
                    self._write("\n".join(f"# {line}" for line in reason))
