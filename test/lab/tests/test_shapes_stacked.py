# SPDX-License-Identifier: GPL-2.0-or-later
"""The networks of test/shapes on VLANs, bonds and VRFs, which not every kernel has."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.stock, pytest.mark.limit(600)]

SHAPES = "/project/test/shapes"


def test_each_of_them() -> None:
    # Without the check of conftest.py for tools that other shapes need.
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"),
            *("-p", "shape_pool", "-rs", f"{SHAPES}/test_seen_stacked.py"),
        ],
        env={**os.environ, "BUILD": "/build", "SHAPES_AT_ONCE": "4", "PYTHONPATH": SHAPES},
        capture_output=True,
        text=True,
        cwd="/tmp",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout), done.stdout
    assert "skipped" not in done.stdout, done.stdout
