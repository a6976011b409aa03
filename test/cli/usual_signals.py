# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals as a terminal's programs have them."""

import signal


def restore() -> None:
    """Lets signals count again that a background job begins without, and its programs would."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, usual)
