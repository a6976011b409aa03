# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times that a caller gives in seconds, and waiting with a time limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

POLL_MS = 2**31 - 1  # the maximum for poll()


def _number(value: float, name: str) -> float:
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except TypeError:
        pass
    raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")


def seconds(value: float, name: str) -> float:
    """Return a number of seconds, which may be infinite; errors name the argument."""
    number = _number(value, name)
    if math.isnan(number):
        raise ValueError(f"{name} is {value!r}, not a number of seconds")
    return number


def positive(value: float, name: str) -> float:
    """Return a positive, finite number of seconds; errors name the argument."""
    number = _number(value, name)
    if not number > 0 or math.isinf(number):
        raise ValueError(f"{name} is {value!r}, not a positive number of seconds")
    return number


def interval_ms(value: float) -> int:
    """Return the time between two readings in milliseconds; 0 for a single reading."""
    number = _number(value, "interval")
    if not number >= 0 or math.isinf(number):
        raise ValueError(f"interval is {value!r}, not a number of seconds from 0 on")
    return min(round(number * 1000), POLL_MS)


def wait(
    look: Callable[[int], _T | None], timeout: float | None, is_over: Callable[[], bool]
) -> _T | None:
    """Return the result of look() within timeout seconds, or None; without a timeout, wait for it.

    look() waits for the given number of milliseconds, -1: for ever. It returns None early if a
    signal handler ran meanwhile, or if the event is irrelevant. None is also returned once
    is_over().
    """
    limit = math.inf if timeout is None else seconds(timeout, "timeout")
    ends = time.monotonic() + max(0.0, limit)
    found = look(_milliseconds(limit))
    while found is None and not is_over() and time.monotonic() < ends:
        try:
            found = look(_milliseconds(ends - time.monotonic()))
        except ValueError:  # closed meanwhile
            if not is_over():
                raise
    return found


def _milliseconds(left: float) -> int:
    return -1 if math.isinf(left) and left > 0 else math.ceil(min(max(0.0, left * 1000), POLL_MS))
