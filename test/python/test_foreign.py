# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another distribution's package libnvme, installed over this one or below it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, run_python

FOREIGN = 'from . import _nvme\n\nclass root:\n    """Of another package."""\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory with both distributions, and this one's files."""
    shutil.copytree(
        BUILD / "python/libnvme",
        tmp_path / "libnvme",
        ignore=shutil.ignore_patterns("*.p", "__pycache__", "*.c"),
    )
    for name, version in (("libnvme", "1.16.2"), ("nvme_mptcp", "0.3.0")):
        directory = tmp_path / f"{name}-{version}.dist-info"
        directory.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
        (directory / "METADATA").write_text(text)
    return tmp_path


def importing(site: Path, module: str) -> subprocess.CompletedProcess[str]:
    return run_python("-c", f"from libnvme import {module}; print({module}.__file__)", path=site)


BOTH = "has files of libnvme 1.16.2 and nvme-mptcp 0.3.0, which replace one another"


@pytest.mark.parametrize("module", ["nvme", "mptcp", "nvmet"])
def test_its_module_over_ours(site: Path, module: str) -> None:
    """Whatever is imported, both are named, and what to do."""
    (site / "libnvme/nvme.py").write_text(FOREIGN)
    said = importing(site, module)
    assert said.returncode == 1
    assert f"ImportError: {site}/libnvme {BOTH}: uninstall both" in said.stderr


def test_its_package_over_ours(site: Path) -> None:
    """What is left of ours does not go with it."""
    (site / "libnvme/__init__.py").write_text('__version__ = "1.16.2"\n')
    said = importing(site, "mptcp")
    assert said.returncode == 1
    assert BOTH in said.stderr


def test_an_unknown_one(site: Path) -> None:
    """Where no name is found, the reason is."""
    shutil.rmtree(site / "libnvme-1.16.2.dist-info")
    (site / "libnvme/nvme.py").write_text(FOREIGN)
    assert "nvme-mptcp and another distribution, which replace" in importing(site, "nvme").stderr
