# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes importable: nvmelab (the lab's host), lab (its guest, which takes libnvme), and compare."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from compare_machines import Network

TOP = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BUILD", TOP / "build"))
PLACES = (TOP / "test/lab", TOP / "test/lab/guest", BUILD / "python", TOP / "test/bench")
sys.path[:0] = map(str, PLACES)
sys.path.append(str(TOP / "python"))


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Network:
    """Two machines that are directories, with programs of their own and a small disk."""
    from compare.machines import run as machines
    from compare_machines import Network

    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(machines, "DISK_MIB", 1)
    return Network(tmp_path)
