# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes: networks of this machine's kernel on which setup, check and repair have to agree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from shape_net import why_not
from shape_pool import proofs

__all__ = ["proofs"]

REASON = why_not()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all where no shape can be built."""
    if REASON:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=f"skipped: {REASON}"))
