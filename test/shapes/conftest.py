# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes: networks of this machine's kernel on which setup, check and repair have to agree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from shape_net import missing_tools, why_not
from shape_pool import proofs

__all__ = ["proofs"]

HERE = Path(__file__).parent
#: The exit status of a run that was not possible on this machine, as test/run knows it.
SKIPPED = 77

REASON = why_not()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all where no shape can be built; what is only not installed is a failure."""
    ours = [item for item in items if HERE in item.path.parents]
    if ours and not REASON and (missing := missing_tools()):
        raise pytest.UsageError(f"there is no {', '.join(missing)}: tools/setup test installs it")
    for item in ours if REASON else ():
        item.add_marker(pytest.mark.skip(reason=f"skipped: {REASON}"))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run that proved nothing is no success."""
    if REASON and not exitstatus and all(HERE in item.path.parents for item in session.items):
        session.exitstatus = SKIPPED
