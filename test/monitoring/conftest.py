# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Prometheus and node_exporter, from the cache of the lab."""

import os
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / path) for path in ("test/lab", "test/cli", "tools")]

from nvmelab import prometheus  # noqa: E402
from nvmelab.prometheus import Monitor  # noqa: E402
from nvmetools import ToolError  # noqa: E402
from nvmetools.cache import Cache, default_dir  # noqa: E402

__all__ = ["TOP", "Monitor"]


@pytest.fixture(scope="session")
def monitor() -> Monitor:
    """The programs; skips where they cannot be had, but not in CI."""
    try:
        return prometheus.find(Cache(default_dir()))
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        reason = str(error).splitlines()[0]
        pytest.skip(f"skipped: Prometheus is not in the cache and cannot be downloaded: {reason}")
