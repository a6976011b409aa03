# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs on the machines that are measured, as root, with Python's standard library.

It is sent over the connection and never lies on a disk there. An agent notes what it is about to
make before it makes it (journal), and takes back exactly that when it ends, whatever ends it
(undo).
"""
