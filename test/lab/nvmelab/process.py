# SPDX-License-Identifier: GPL-2.0-or-later
"""What a process of the lab does before exec, so that it does not outlive the lab."""

from __future__ import annotations

import ctypes
import os
import signal

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
