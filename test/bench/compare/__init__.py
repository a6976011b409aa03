# SPDX-License-Identifier: GPL-2.0-or-later
"""`make compare`: what MPTCP gives where native multipath, bonding or plain tcp are the alternative.

A figure is a list of rows; a row is a set-up, links and a load, measured some times in the lab's
guest by test/lab/measure.py, or on two real machines (machines). What was measured is kept run by
run (store), summed up (analysis), explained by its counters (reasons), and written as doc/compare.md
with pictures and raw data.
"""
