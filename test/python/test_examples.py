# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples do what they say."""

import sys
from pathlib import Path

import discovery_log as dl
import pytest
from conftest import BUILD, TOP, Python, run_python
from fake_configfs import FakeConfigfs
from fake_sysfs import DISCOVERY_NQN, FakeHost

sys.path.insert(0, str(BUILD / "python"))
sys.path.insert(0, str(TOP / "doc/examples"))

import build_target

from libnvme import nvmet

EXAMPLES = TOP / "doc/examples"
NQN = "nqn.2025-01.test:one"


def test_connect_all(python: Python, host: FakeHost) -> None:
    found = host.subsystem(0, DISCOVERY_NQN).controller(
        0, "mptcp", connected=False, cntrltype="discovery"
    )
    host.answer_connected(found)
    log = dl.log(dl.entry(trtype=dl.MPTCP), dl.entry(subtype=dl.CURRENT))
    host.command("nvme0", "admin", 0x02, 0x70, log)
    host.answer_connected(host.subsystem(1, NQN).controller(1, "mptcp", connected=False))
    out = python(f"""
        import sys
        sys.path.insert(0, {str(EXAMPLES)!r})
        import connect_all
        print(connect_all.main("mptcp", "10.1.1.1"))
    """)
    assert out.splitlines() == [f"{NQN}: nvme1", "0"]
    assert len(host.connects) == 2
    assert f"nqn={NQN},transport=mptcp,traddr=10.1.1.1" in host.connects[1]
    assert host.deleted == ["nvme0"]


def test_build_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    done = run_python(EXAMPLES / name)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Usage: {name}")
