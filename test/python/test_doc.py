# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site of all documents builds without a warning, and the API pages leave nothing out."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from conftest import BUILD, TOP

from libnvme import mptcp, nvmet


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the Python package as text, those of a site with everything else."""
    lacking = [
        name for name in ("sphinx", "furo", "myst_parser") if not importlib.util.find_spec(name)
    ]
    if lacking or not shutil.which("mandoc"):
        pytest.skip(f"skipped: {' '.join(lacking) or 'mandoc'} is missing (tools/setup doc)")
    out = tmp_path_factory.mktemp("pages") / "text"
    command = [sys.executable, TOP / "tools/gen-site.py", "--builder", "text", "--strict"]
    done = subprocess.run(
        [*command, "--build", BUILD, "--output", out],
        env=os.environ | {"LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "python"


@pytest.mark.parametrize("module", [mptcp, nvmet])
def test_everything_public_is_there(pages: Path, module: object) -> None:
    """Every name of __all__ has an entry, and every class a text of its own."""
    name = module.__name__  # type: ignore[attr-defined]
    text = (pages / f"{name.rpartition('.')[2]}.txt").read_text()
    for member in module.__all__:  # type: ignore[attr-defined]
        assert re.search(rf"^(class|exception|{re.escape(name)}).*\b{member}\b", text, re.M), member
        value = getattr(module, member)
        assert get_args(value) or value.__doc__, member


def test_surface_is_there(pages: Path) -> None:
    text = (pages / "nvme.txt").read_text()
    for line in (TOP / "test/data/python-surface.txt").read_text().splitlines():
        name = line.split("(")[0].split(" ")[0]
        if line.startswith(("#", "class ")) or " = " in line or ".__" in name:
            continue
        short = name.rpartition(".")[2]
        assert short in text, name


def test_examples_are_shown(pages: Path) -> None:
    text = (pages / "examples.txt").read_text()
    for example in (TOP / "doc/examples").glob("*.py"):
        assert f"{example.name} " in text, example.name
