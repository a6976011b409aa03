# SPDX-License-Identifier: GPL-2.0-or-later
"""End the lab's processes: none survives the lab, and the lab cleans up."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
#: Loaded here, because nothing may be imported between fork and exec with other threads running.
_libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Let the kernel send SIGTERM to this tool when the lab dies, so that it cleans up."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def die_with_parent() -> None:
    """Let the kernel kill QEMU, in a session of its own, when the lab dies for any reason."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die_with_parent_in_session() -> None:
    """Do the same for an interactive QEMU, which must stay on the terminal."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _leave(number: int, _: object) -> None:
    sys.exit(128 + number)


def leave_on_signals() -> None:
    """Turn signals that end a program into an exit that cleans up; called by main()."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
