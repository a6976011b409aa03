# SPDX-License-Identifier: GPL-2.0-or-later
"""Find Debian's Prometheus, promtool and node_exporter, unpacked in the cache, never installed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from nvmetools.archive import Machine
from nvmetools.cache import Cache, key_of
from nvmetools.debian import run, suite

PACKAGES = ("prometheus", "prometheus-node-exporter")

#: Debian 12 has promtool in the package prometheus, later releases in a package of its own.
APART = "promtool"


@dataclass(frozen=True)
class Monitor:
    """Location of the programs."""

    top: Path

    def program(self, name: str) -> str:
        """Return the path of prometheus, promtool or prometheus-node-exporter."""
        return str(self.top / "usr/bin" / name)

    def promtool(self, *args: str, text: str | None = None) -> str:
        """Run promtool, which must succeed, and return its output."""
        done = subprocess.run([self.program("promtool"), *args], input=text, capture_output=True,
                              text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


def find(cache: Cache) -> Monitor:
    """Return the programs of the machine's own release, downloaded if needed.

    They link to the C library only, so the other dependencies of their packages are omitted.
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
