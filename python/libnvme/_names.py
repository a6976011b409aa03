# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of this module: the same files form the module libnvme.mptcp and the package nvme_mptcp."""

from __future__ import annotations

#: The public module, where pickle, for example, finds its classes.
MODULE = "libnvme.mptcp" if __package__ == "libnvme" else str(__package__)

#: Name of its logger.
LOGGER = str(__package__)
