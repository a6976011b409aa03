# SPDX-License-Identifier: GPL-2.0-or-later
"""Two complete Debian machines, connected by links only; see test/machines/README.md."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.extend([str(TOP / "test/lab"), str(TOP / "tools")])
