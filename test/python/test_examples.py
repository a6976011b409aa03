# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import discovery_log as dl
import pytest
from conftest import BUILD, TOP, Python
from fake_configfs import FakeConfigfs
from fake_sysfs import DISCOVERY_NQN, FakeHost

sys.path.insert(0, str(BUILD / "python"))
sys.path.insert(0, str(TOP / "doc/examples"))

import build_target

from libnvme import nvmet

EXAMPLES = TOP / "doc/examples"
NQN = "nqn.2025-01.test:one"


def test_connect_all(python: Python, host: FakeHost) -> None:
    """What the log lists is connected, and the discovery controller is not kept."""
    found = host.subsystem(0, DISCOVERY_NQN).controller(
        0, "mptcp", connected=False, cntrltype="discovery"
    )
    host.answer_connected(found)
    host.command(
        "nvme0",
        "admin",
        0x02,
        0x70,
        dl.log(dl.entry(trtype=dl.MPTCP), dl.entry(subtype=dl.CURRENT)),
    )
    host.answer_connected(host.subsystem(1, NQN).controller(1, "mptcp", connected=False))
    out = python(
        f"""
        import sys
        sys.path.insert(0, {str(EXAMPLES)!r})
        import connect_all
        print(connect_all.main("mptcp", "10.1.1.1"))
        """
    )
    assert out.splitlines() == [f"{NQN}: nvme1", "0"]
    assert len(host.connects) == 2
    assert f"nqn={NQN},transport=mptcp,traddr=10.1.1.1" in host.connects[1]
    assert host.deleted == ["nvme0"]


def test_build_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target has the subsystem on both ports."""
    configfs = FakeConfigfs(tmp_path / "nvmet")
    monkeypatch.setattr(nvmet, "_mkdir", configfs.mkdir)
    build_target.main(NQN, "/dev/ram0", "::", root=str(configfs.root))
    for port, trtype in ((1, "mptcp"), (2, "tcp")):
        top = configfs.root / "ports" / str(port)
        assert (top / "addr_trtype").read_text() == trtype
        assert (top / "subsystems" / NQN).is_symlink()


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_usage(name: str) -> None:
    """Called without arguments, an example says how it is to be called."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        env=os.environ | {"PYTHONPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"Usage: {name}")
