# SPDX-License-Identifier: GPL-2.0-or-later
"""`make compare`: measure NVMe over MPTCP and its alternatives, and write doc/performance.md.

A figure is a list of rows; a row is a set-up, links and a load. Rows are measured in the lab's
guest by test/lab/measure.py, or on two real machines (machines).
"""
