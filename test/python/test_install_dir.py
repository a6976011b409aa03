# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package is installed where this Python looks for it."""

import site
import subprocess
import sys

import pytest
from conftest import TOP


def directory(prefix: str) -> str:
    """What the build uses for a prefix."""
    command = [sys.executable, str(TOP / "python/install-dir.py"), prefix]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local"])
def test_prefixes_of_the_system(prefix: str) -> None:
    own = [path for path in site.getsitepackages() if path.startswith(f"{prefix}/lib")]
    if not own:
        pytest.skip(f"skipped: this Python has no packages below {prefix}")
    assert directory(prefix) in own


def test_other_prefix() -> None:
    assert directory("/opt/nvme/").startswith("/opt/nvme/lib")
