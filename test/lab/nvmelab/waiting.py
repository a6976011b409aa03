# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for things to happen, in the guest and on the host."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

#: How many times as long everything may take: a kernel that checks itself is slow where it is
#: emulated. One with kmemleak has KASAN and lockdep as well.
PATIENCE = 8 if Path("/sys/kernel/debug/kmemleak").exists() else 1


class LabTimeout(AssertionError):
    """Something that had to happen did not happen in time."""


def wait_until(
    condition: Callable[[], T | None], what: str, timeout: float = 10.0, pause: float = 0.02
) -> T:
    """Waits until ``condition()`` is true and returns its value; the message says ``what``."""
    timeout *= PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise LabTimeout(f"{what}: not within {timeout:g} s (last value: {value!r})")
        time.sleep(pause)
