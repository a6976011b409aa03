# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detect two distributions whose package libnvme is installed over one another."""

from __future__ import annotations

import os
from importlib import metadata
from typing import NoReturn

_NAMES = ("libnvme", "nvme-mptcp")


def _distributions(directory: str) -> list[str]:
    """Return the distributions in a directory that have, or may have, files of the package."""
    found = set()
    for distribution in metadata.distributions(path=[directory]):
        name = distribution.metadata["Name"]
        files = {str(file) for file in distribution.files or ()}
        if name in _NAMES or "libnvme/__init__.py" in files:
            found.add(f"{name} {distribution.version}")
    return sorted(found)


def complain(package: str) -> NoReturn:
    """Raise ImportError with the names of the distributions."""
    directory = os.path.dirname(package)
    names = _distributions(directory)
    both = " and ".join(names) if len(names) > 1 else "nvme-mptcp and another distribution"
    raise ImportError(
        f"{package} has files of {both}, which replace one another: uninstall both "
        "(pip uninstall libnvme nvme-mptcp), then install one of them",
        name="libnvme",
        path=package,
    )
