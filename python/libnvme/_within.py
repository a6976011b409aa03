# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run calls that block in the kernel with a time limit."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ._errors import Error, error_of
from ._times import positive

_T = TypeVar("_T")

LONGEST_MS = 2**32 - 1


def module() -> Any:
    """Return libnvme.nvme, which imports this module; the stub omits its private names."""
    from . import nvme

    return nvme


def milliseconds(timeout: float | None) -> int:
    """Convert a timeout in seconds to milliseconds; None becomes 0."""
    if timeout is None:
        return 0
    return min(max(1, round(positive(timeout, "timeout") * 1000)), LONGEST_MS)


def within(
    abandon: Callable[[], object],
    ends: float,
    call: Callable[[], _T],
    undo: Callable[[_T], None],
    late: str,
) -> _T:
    """Run a call that blocks in the kernel, and wait for it until the time ends.

    Then it is abandoned: abandon() blocks all use of its root until the call's effect is undone.
    """
    lock, done = threading.Lock(), threading.Event()
    results: list[_T] = []
    failures: list[BaseException] = []
    given_up = False

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # raised in the waiting thread
            failures.append(error)
        with lock:
            done.set()
            if not given_up or not results:
                return
        try:
            undo(results[0])
        except (Error, AttributeError, ReferenceError) as error:
            logging.getLogger("libnvme").error("%s, and then not undone: %s", late, error)

    def give_up() -> bool:
        nonlocal given_up
        with lock:
            given_up = not done.is_set()
            if given_up:
                abandon()
            return given_up

    try:
        threading.Thread(target=work, daemon=True).start()
        over = done.wait(max(0.0, ends - time.monotonic()))
    except RuntimeError:  # no thread could be started
        raise
    except BaseException:
        give_up()
        raise
    if not over and give_up():
        raise error_of(errno.ETIMEDOUT, late)
    if failures:
        raise failures[0]
    return results[0]
