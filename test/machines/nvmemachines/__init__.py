# SPDX-License-Identifier: GPL-2.0-or-later
"""Two full Debian machines that share nothing but four links; see test/machines/README.md."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
