# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes importable: nvmelab (the lab's host), lab (its guest, which takes libnvme), and thread."""

import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BUILD", TOP / "build"))
PLACES = (TOP / "test/lab", TOP / "test/lab/guest", BUILD / "python", TOP / "test/bench")
sys.path[:0] = map(str, PLACES)
sys.path.append(str(TOP / "python"))
