#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure and write doc/performance.md. See test/bench/compare --help."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(HERE.parent), str(HERE.parents[1] / "lab"), str(HERE.parents[2] / "tools")]

from compare.cli import main  # noqa: E402

sys.exit(main())
