# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the lab's two packages importable: nvmelab (host) and lab (guest), which takes libnvme."""

import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BUILD", TOP / "build"))
sys.path[:0] = [str(TOP / "test/lab"), str(TOP / "test/lab/guest"), str(BUILD / "python")]
sys.path.append(str(TOP / "python"))
