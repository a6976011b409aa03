# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times that a caller gives in seconds, and waiting for no longer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

POLL_MS = 2**31 - 1  # the longest that poll() takes


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
    """A number of seconds, which may be infinite; TypeError or ValueError, which name it, else."""
    number = _number(value, name)
    if math.isnan(number):
        raise ValueError(f"{name} is {value!r}, not a number of seconds")
    return number


def positive(value: float, name: str) -> float:
    """How long something may take."""
    number = _number(value, name)
    if not number > 0 or math.isinf(number):
        raise ValueError(f"{name} is {value!r}, not a positive number of seconds")
    return number


def interval_ms(value: float) -> int:
    """The time between two looks, in milliseconds; 0 for one look."""
    number = _number(value, "interval")
    if not number >= 0 or math.isinf(number):
        raise ValueError(f"interval is {value!r}, not a number of seconds from 0 on")
    return min(round(number * 1000), POLL_MS)


def wait(
    look: Callable[[int], _T | None], timeout: float | None, is_over: Callable[[], bool]
) -> _T | None:
    """What look() has within timeout seconds, None: at any time; or None, also once it is over.

    look() waits for as many milliseconds, -1: for ever. It returns None early if a handler of a
    signal ran meanwhile, or if what happened concerns nobody.
    """
    limit = math.inf if timeout is None else seconds(timeout, "timeout")
    ends = time.monotonic() + max(0.0, limit)
    found = look(_milliseconds(limit))
    while found is None and not is_over() and time.monotonic() < ends:
        try:
            found = look(_milliseconds(ends - time.monotonic()))
        except ValueError:  # closed since
            if not is_over():
                raise
    return found


def _milliseconds(left: float) -> int:
    return -1 if math.isinf(left) and left > 0 else math.ceil(min(max(0.0, left * 1000), POLL_MS))
