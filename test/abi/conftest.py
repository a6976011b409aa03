# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the library and its headers are: in BUILD, the build directory, or at LIBNVME_SO."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the top of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the directory that describes the interface."""
    return ROOT / "test" / "data" / "abi"


@pytest.fixture(scope="session")
def build() -> Path:
    path = Path(os.environ.get("BUILD", ROOT / "build"))
    assert path.is_dir(), f"{path}: no build directory; run make, or set BUILD"
    return path.resolve()


@pytest.fixture(scope="session")
def library(request: pytest.FixtureRequest) -> Path:
    named = os.environ.get("LIBNVME_SO")
    build: Path = request.getfixturevalue("build")
    path = Path(named) if named else build / "libnvme" / "libnvme.so.1"
    assert path.exists(), f"{path}: no library; run make, or set LIBNVME_SO"
    return path.resolve()


@pytest.fixture(scope="session")
def mptcp_library(build: Path) -> Path:
    path = build / "libnvme" / "libnvme-mptcp.so.0"
    assert path.exists(), f"{path}: no library; run make"
    return path.resolve()


@pytest.fixture(scope="session")
def include(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an include directory laid out as installed, and holding nothing else."""
    installed = json.loads((build / "meson-info" / "intro-installed.json").read_text())
    top = tmp_path_factory.mktemp("include")
    for source, target in installed.items():
        before, found, below = target.partition("/include/")
        if found and target.endswith(".h"):
            place = top / below
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(source)
    assert (top / "libnvme.h").exists(), f"{build}: libnvme.h is not among the installed headers"
    return top
