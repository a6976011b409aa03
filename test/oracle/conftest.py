# SPDX-License-Identifier: GPL-2.0-or-later
"""The original: Debian 13's nvme-cli and libnvme, unpacked and run by their own loader."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test/lab"))

from nvmelab import LabError  # noqa: E402
from nvmelab.archive import unpacked  # noqa: E402
from nvmelab.cache import Cache, default_dir  # noqa: E402

BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()

RELEASE = "trixie"
PACKAGES = ("nvme-cli", "libnvme1t64")


@dataclass(frozen=True)
class Original:
    """Where the original's files are."""

    top: Path

    @property
    def libraries(self) -> Path:
        """Its libraries, with the C library that they were built for."""
        return self.top / "usr/lib/x86_64-linux-gnu"

    @property
    def nvme(self) -> Path:
        """Its command."""
        return self.top / "usr/sbin/nvme"

    def command(self, program: Path, *args: str) -> list[str]:
        """Returns what runs a program over these libraries."""
        loader = self.top / "usr/lib64/ld-linux-x86-64.so.2"
        return [str(loader), "--library-path", str(self.libraries), str(program), *args]


def find_original() -> Original:
    """The original, downloaded when it is not in the cache."""
    return Original(unpacked(Cache(default_dir()), RELEASE, PACKAGES, print))


@pytest.fixture(scope="session")
def original() -> Original:
    """The same; skips where that is impossible."""
    try:
        return find_original()
    except LabError as error:
        if os.environ.get("CI"):
            raise
        reason = str(error).splitlines()[0]
        pytest.skip(f"the original is not in the cache and cannot be downloaded: {reason}")


def run(command: list[str], env: dict[str, str]) -> str:
    """Returns what a program recorded; it must end well."""
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    complaints = done.stderr.decode(errors="backslashreplace")
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{complaints}"
    return done.stdout.decode(errors="backslashreplace")
