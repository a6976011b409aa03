# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the lab's two packages importable: nvmelab (host) and lab (guest)."""

import sys
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(LAB), str(LAB / "guest")]
