# SPDX-License-Identifier: LGPL-2.1-or-later
"""The file of a target's configuration, and the module as a program."""

import json
import os
import stat
from pathlib import Path

import pytest
from conftest import run_python

from libnvme import nvmet


def test_store_replaces_modes_and_follows_links(tmp_path: Path) -> None:
    """Whatever was there before, keys are for their owner; temporaries cannot be foreseen."""
    file = tmp_path / "config.json"
    file.write_text("old")
    file.chmod(0o644)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".config.json.{os.getpid()}").symlink_to(victim)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    nvmet.store({"hosts": []}, link)
    assert link.is_symlink() and json.loads(file.read_text()) == {"hosts": []}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert victim.read_text() == "precious"
    with pytest.raises(IsADirectoryError) as error:
        nvmet.store({}, tmp_path)
    assert error.value.filename == str(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_module_runs(tmp_path: Path) -> None:
    done = run_python("-m", "libnvme.nvmet", "clear", "--root", tmp_path / "none")
    assert done.returncode == 1
    assert "load the module nvmet and mount configfs" in done.stderr
