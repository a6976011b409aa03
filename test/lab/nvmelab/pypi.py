# SPDX-License-Identifier: GPL-2.0-or-later
"""Install programs that PyPI has and Debian does not, each in an environment in the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nvmetools.cache import Cache, default_dir, key_of

INSTALL_S = 600


def programs(name: str, *packages: str) -> Path:
    """Return the directory of the packages' programs, downloaded if needed.

    If that is impossible, the test is skipped, except in CI.
    """
    cache = Cache(default_dir())
    release = f"{sys.version_info.major}.{sys.version_info.minor}"
    top = cache.top / f"{name}-{key_of(release, *packages)}"
    with cache.lock(name):
        if not (top / "complete").exists():
            try:
                subprocess.run([sys.executable, "-m", "venv", "--clear", str(top)], check=True)
                pip = [str(top / "bin/pip"), "-q", "--disable-pip-version-check", "install"]
                subprocess.run([*pip, *packages], check=True, timeout=INSTALL_S)
            except (OSError, subprocess.SubprocessError) as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(f"skipped: {name} is not in the cache and cannot be installed: {error}")
            (top / "complete").touch()
    return top / "bin"
