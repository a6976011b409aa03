# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Prometheus and node_exporter, unpacked in the cache and never installed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test/lab"), str(TOP / "test/cli")]

from nvmelab import LabError  # noqa: E402
from nvmelab.archive import Machine  # noqa: E402
from nvmelab.cache import Cache, default_dir, key_of  # noqa: E402
from nvmelab.debian import run, suite  # noqa: E402

PACKAGES = ("prometheus", "prometheus-node-exporter")

#: What Debian 12 has in the package prometheus, and later releases apart.
APART = "promtool"


@dataclass(frozen=True)
class Monitor:
    """Where the programs are."""

    top: Path

    def program(self, name: str) -> str:
        """The path of prometheus, promtool or prometheus-node-exporter."""
        return str(self.top / "usr/bin" / name)

    def promtool(self, *args: str, text: str | None = None) -> str:
        """Runs promtool, which must be content; returns what it printed."""
        done = subprocess.run(
            [self.program("promtool"), *args],
            input=text, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


def find_monitor() -> Monitor:
    """The programs of the machine's own release, downloaded when they are not in the cache.

    They link to the C library alone, so that what else the packages need is left out.
    """
    cache = Cache(default_dir())
    top = cache.top / f"monitor-{suite()}-{key_of(*PACKAGES, APART)}"
    with cache.lock("monitor"):
        if not top.exists():
            with cache.scratch() as scratch:
                (scratch / "archives").mkdir()
                packages = [*PACKAGES, *Machine().apt_cache("pkgnames", APART).split()]
                Machine().apt_get("download", *packages, directory=scratch / "archives")
                for package in sorted((scratch / "archives").glob("*.deb")):
                    run(["dpkg-deb", "-x", package, scratch / "tree"], f"unpacking {package.name}")
                (scratch / "tree").rename(top)
    return Monitor(top)


@pytest.fixture(scope="session")
def monitor() -> Monitor:
    """The same; skips where that is impossible, but not in CI."""
    try:
        return find_monitor()
    except LabError as error:
        if os.environ.get("CI"):
            raise
        reason = str(error).splitlines()[0]
        pytest.skip(f"skipped: Prometheus is not in the cache and cannot be downloaded: {reason}")
