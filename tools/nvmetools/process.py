# SPDX-License-Identifier: GPL-2.0-or-later
"""How processes of the lab end: none outlives it, and it cleans up behind itself."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
#: Looked up here: between fork and exec, with other threads around, nothing may be imported.
_libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """For tools: the kernel asks them to end, and to clean up, when the lab dies."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def die_with_parent() -> None:
    """For QEMU, in a session of its own: the kernel kills it when the lab dies, however it dies."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die_with_parent_in_session() -> None:
    """The same for an interactive QEMU, which must stay on the terminal."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _leave(number: int, _: object) -> None:
    sys.exit(128 + number)


def leave_on_signals() -> None:
    """For main(): the signals that end a program become an exit that cleans up behind itself."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
