# SPDX-License-Identifier: GPL-2.0-or-later
"""Show progress: a live line on a terminal, a plain line per step in a pipe."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


def elapsed(seconds: float) -> str:
    """Return a duration as text: "0.4 s", "12 s", "3 min 05 s"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def failure(program: str, error: Exception, way_out: str) -> str:
    """Return the message about the error that ended a program.

    Below the output of a tool, it repeats what failed.
    """
    text = f"{program}: {error}".rstrip()
    first, *rest = text.splitlines()
    return f"{text}\n{first.rstrip(':')}; {way_out}" if rest else f"{text}; {way_out}"


class Ui:
    """Print progress on standard error, so that standard output contains only the guest's."""

    TICK = 0.5

    def __init__(self, stream: TextIO | None = None, verbose: bool = False) -> None:
        self.stream = stream or sys.stderr
        self.verbose = verbose
        self.live = self.stream.isatty()

    def say(self, text: str) -> None:
        """Print one plain line."""
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def detail(self, text: str) -> None:
        """Print a line with -v only."""
        if self.verbose:
            self.say(text)

    @contextmanager
    def step(self, what: str) -> Iterator[Step]:
        """Announce a step, and report its duration, whether it succeeds or fails."""
        step = Step(self, what)
        step.start()
        try:
            yield step
        except BaseException:
            step.finish("failed after")
            raise
        step.finish(Step.DONE)


class Step:
    """A running step; ``note`` shows its current activity."""

    DONE = "done in"
    WORTH_A_LINE = 1.0

    def __init__(self, ui: Ui, what: str) -> None:
        self.ui = ui
        self.what = what
        self.busy_with = ""
        self.began = time.monotonic()
        self._over = threading.Event()
        self._ticker: threading.Thread | None = None

    def start(self) -> None:
        """Show the step; on a terminal, a thread updates its clock."""
        if self.ui.live:
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()

    def note(self, text: str) -> None:
        """Show the current activity: live on a terminal, as a line of its own with -v."""
        self.busy_with = text
        if not self.ui.live or self.ui.verbose:
            self.ui.detail(f"  {text}")

    def finish(self, outcome: str) -> None:
        """End the step with a permanent line; very short steps have none."""
        self._over.set()
        if self._ticker:
            self._ticker.join()
        took = time.monotonic() - self.began
        if self.ui.live:
            self.ui.stream.write("\r\033[K")
        if took >= self.WORTH_A_LINE or self.ui.verbose or outcome != self.DONE:
            self.ui.say(f"{self.what:<44} {outcome} {elapsed(took)}")

    def _tick(self) -> None:
        while True:
            busy = f"  {self.busy_with}" if self.busy_with else ""
            line = f"{self.what:<44} {elapsed(time.monotonic() - self.began)}{busy}"
            self.ui.stream.write(f"\r\033[K{line[:100]}")
            self.ui.stream.flush()
            if self._over.wait(self.ui.TICK):
                return
