# SPDX-License-Identifier: LGPL-2.1-or-later
"""What this is called: the same files make the module libnvme.mptcp and the package nvme_mptcp."""

from __future__ import annotations

#: The public module: where its classes are found, by pickle for example.
MODULE = "libnvme.mptcp" if __package__ == "libnvme" else str(__package__)

#: The name of its logger.
LOGGER = str(__package__)
