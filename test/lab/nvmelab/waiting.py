# SPDX-License-Identifier: GPL-2.0-or-later
"""Wait for conditions, in the guest and on the host."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

#: Factor for all timeouts: an emulated debug kernel is slow. A kernel with kmemleak has KASAN and
#: lockdep as well.
PATIENCE = 8 if Path("/sys/kernel/debug/kmemleak").exists() else 1


class LabTimeout(AssertionError):
    """Something that must happen did not happen in time."""


def wait_until(
    condition: Callable[[], T | None], what: str, timeout: float = 10.0, pause: float = 0.02
) -> T:
    """Wait until ``condition()`` is true and return its value; ``what`` is for the message."""
    timeout *= PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise LabTimeout(f"{what}: not within {timeout:g} s (last value: {value!r})")
        time.sleep(pause)
