# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Prometheus, promtool and node_exporter, unpacked in the cache and never installed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from nvmetools.archive import Machine
from nvmetools.cache import Cache, key_of
from nvmetools.debian import run, suite

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


def find(cache: Cache) -> Monitor:
    """Returns the programs of the machine's own release, downloaded when they are not there yet.

    They link to the C library alone, so that what else the packages need is left out.
    """
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
