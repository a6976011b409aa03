# SPDX-License-Identifier: GPL-2.0-or-later
"""`compare --host H --target T`: the rows that two real machines can have, over ssh.

The rows, the driving of a run, the store, the analysis and the tables are those of the lab. Here is
what differs: ssh, an agent at each end (``remote``, sent over the connection), what has to be there
before anything begins (preflight), which rows are possible (possible), and the document.
"""
