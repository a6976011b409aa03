# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs $BUILD (default: build/) once, below a directory of the tests."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from command_table import TOP, CommandTable
from installed import Installation

BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()


@pytest.fixture(scope="session")
def build() -> Path:
    return BUILD


@pytest.fixture(scope="session")
def table() -> CommandTable:
    """The commands of the program."""
    return CommandTable.load(BUILD / "nvme-cli/commands.json")


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """What `make install DESTDIR=…` makes."""
    return Installation.make(BUILD, tmp_path_factory.mktemp("root"))
