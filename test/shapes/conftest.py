# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes: networks of this machine's kernel on which setup, check and repair have to agree."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from shape_net import Net, why_not
from shape_nvme import Machines

REASON = why_not()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all where no shape can be built."""
    if REASON:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=f"skipped: {REASON}"))


@pytest.fixture
def net() -> Iterator[Net]:
    """Namespaces host and target with nothing between them."""
    with Net() as made:
        yield made


@pytest.fixture
def machines(net: Net, tmp_path: Path) -> Machines:
    """The nvme command on both sides."""
    return Machines(net, tmp_path)
