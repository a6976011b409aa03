# SPDX-License-Identifier: GPL-2.0-or-later
"""Two full Debian machines that share nothing but four links; see test/machines/README.md."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.extend([str(TOP / "test/lab"), str(TOP / "tools")])
