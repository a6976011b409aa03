# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults put into single lines of the C code, and the suites that ought to notice them."""
