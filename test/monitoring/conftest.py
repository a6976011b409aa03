# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Prometheus and node_exporter, from the cache of the lab."""

import os
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / path) for path in ("test/lab", "test/cli", "tools")]

from mptcp_net import why_not  # noqa: E402
from nvmelab import prometheus  # noqa: E402
from nvmelab.prometheus import Monitor  # noqa: E402
from nvmetools import ToolError  # noqa: E402
from nvmetools.cache import Cache, default_dir  # noqa: E402

__all__ = ["NVME", "TOP", "Monitor", "live"]

NVME = Path(os.environ.get("BUILD", TOP / "build")).resolve() / "nvme-cli/nvme"
REASON = why_not()
live = pytest.mark.skipif(REASON is not None, reason=f"skipped: {REASON}")


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
