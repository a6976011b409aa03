# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules of tools/fresh and tools/deb, which the lab and other tests use as well.

``debian`` knows the machine's release, archives and tools, ``cache`` keeps results that take long
to make, ``fresh`` makes roots of bare Debian releases, ``packages`` builds Debian packages in them.
Only the standard library of Python 3.11 is needed.
"""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class ToolError(Exception):
    """An error for the user: the object, the value and the remedy in one sentence."""
