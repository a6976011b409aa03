# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools/fresh and tools/deb are made of, and the lab and other tests use, too.

``debian`` knows the machine's release, archives and tools, ``cache`` keeps what takes long to make,
``fresh`` makes roots of bare Debian releases, ``packages`` builds Debian packages in them. Python
3.11's standard library is enough.
"""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class ToolError(Exception):
    """Something the user must know: the thing, the value and the way out in one sentence."""
