# SPDX-License-Identifier: GPL-2.0-or-later
"""libnvme.nvmet on the kernel's configfs: save, restore, rolling back and clear."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab import Lab
from lab.host import HOST_NQN
from lab.nvmet import NVMET
from lab.nvmet import Target as Description
from lab.system import network_namespace

from libnvme import nvmet

NQN = "nqn.2024-01.lab:disk"
KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
LOOP_HOSTID = "1ab00000-0000-4000-8000-0000000000ff"

#: What a user of nvmetcli may have: a host, a port without an address, a namespace.
LOOP: dict[str, Any] = {
    "hosts": [{"nqn": "hostnqn"}],
    "ports": [
        {
            "addr": {
                "adrfam": "", "traddr": "", "treq": "not specified", "trsvcid": "",
                "trtype": "loop",
            },
            "portid": 1,
            "referrals": [],
            "subsystems": ["testnqn"],
        }
    ],
    "subsystems": [
        {
            "allowed_hosts": ["hostnqn"],
            "attr": {"allow_any_host": "0"},
            "namespaces": [
                {
                    "device": {
                        "nguid": "ef90689c-6c46-d44c-89c1-4067801309a8", "path": "/dev/ram0",
                    },
                    "enable": 1,
                    "nsid": 1,
                }
            ],
            "nqn": "testnqn",
        }
    ],
}  # fmt: skip


@pytest.fixture
def target(lab: Lab) -> nvmet.Target:
    """An empty target beside two ramdisks."""
    lab.target.configure(Description(subsystems=(), ports=()))
    lab.target._make_ramdisks(2, 16)
    return nvmet.Target()


def build(target: nvmet.Target) -> None:
    host = target.create_host(HOST_NQN, dhchap_key=KEY)
    subsystem = target.create_subsystem(NQN, allow_any_host=False, serial="S1", model="lab disk")
    subsystem.allow(host)
    uuid = "8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57"
    subsystem.create_namespace("/dev/ram0", uuid=uuid, ana_group=2)
    subsystem.create_namespace("/dev/ram1", 7)
    for portid, trtype in ((1, "mptcp"), (2, "tcp")):
        port = target.create_port(portid, trtype=trtype, traddr="0.0.0.0", trsvcid=4419 + portid)
        port.set_ana(2, "non-optimized")
        port.create_referral(
            f"other{portid}",
            trtype="mptcp",
            adrfam="ipv4",
            traddr="10.1.1.1",
            trsvcid=8009,
            portid=3,
        )
        port.add(subsystem)
    loop = target.create_port(3, trtype="loop")
    loop.add(subsystem)


@pytest.mark.every_kernel
def test_a_port_of_mptcp_cannot_require_tls(target: nvmet.Target) -> None:
    """No kernel has TLS over MPTCP: the refusal comes when the port is made, not with a host."""
    port = target.create_port(7, trtype="mptcp", traddr="0.0.0.0", trsvcid=4420).path
    for name, value in (("addr_treq", "required"), ("addr_tsas", "tls1.3")):
        with pytest.raises(OSError, match="Invalid argument"):
            (port / name).write_text(value)
    (port / "addr_treq").write_text("not required")
    for trtype, treq, left in (("tcp", "required", "required"), ("mptcp", "", "not specified")):
        (port / "addr_trtype").write_text(trtype)
        if treq:
            (port / "addr_treq").write_text(treq)
        assert (port / "addr_treq").read_text() == f"{left}\n"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line where the target's links are."""
    with network_namespace("target"):
        return subprocess.run(
            [sys.executable, "-m", "libnvme.nvmet", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


def connects(lab: Lab) -> None:
    """The host gets in with its key, over MPTCP, and finds both namespaces."""
    controller = lab.host.connect(NQN, dhchap_secret=KEY)
    assert controller.state == "live"
    lab.host.write(lab.host.disk(NQN), bytes(4096))
    assert lab.host.disk(NQN, 7)
    assert controller.attribute("model") == "lab disk"
    lab.host.disconnect_all()


def test_a_saved_target_is_restored(lab: Lab, target: nvmet.Target, tmp_path: Path) -> None:
    with network_namespace("target"):
        build(target)
    connects(lab)
    file = tmp_path / "config.json"
    assert run("save", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    saved = json.loads(file.read_text())
    assert saved["hosts"][0]["dhchap"]["key"] == KEY
    assert [port["addr"]["trtype"] for port in saved["ports"]] == ["mptcp", "tcp", "loop"]
    assert saved["ports"][0]["ana_groups"][1] == {"ana": {"state": "non-optimized"}, "grpid": 2}
    assert saved["ports"][0]["referrals"][0]["addr"]["traddr"] == "10.1.1.1"
    assert run("clear").returncode == 0
    assert [list((NVMET / d).iterdir()) for d in ("ports", "subsystems", "hosts")] == [[], [], []]
    done = run("restore", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert nvmet.Target().save() == saved
    connects(lab)


def test_what_stays_is_left_alone(lab: Lab, target: nvmet.Target, tmp_path: Path) -> None:
    """A restore beside a host: what is equal serves on, and one absent address stops nothing."""
    with network_namespace("target"):
        build(target)
    controller = lab.host.connect(NQN, dhchap_secret=KEY)
    links = [NVMET / f"ports/{portid}/subsystems/{NQN}" for portid in (1, 2, 3)]
    before = [link.lstat().st_ino for link in links]
    saved = target.save()
    config = copy.deepcopy(saved)
    config["subsystems"][0]["namespaces"][1]["device"]["path"] = "/dev/ram0"
    config["subsystems"][0]["namespaces"][0]["shade"] = {"of": "grey"}
    config["subsystems"].append({"nqn": "nqn.2024-01.lab:new", "attr": {"serial": "S9"}})
    config["ports"] += [
        {
            "portid": portid,
            "addr": {"trtype": "tcp", "adrfam": "ipv4", "traddr": traddr, "trsvcid": "4422"},
            "subsystems": ["nqn.2024-01.lab:new"],
        }
        for portid, traddr in ((8, "192.0.2.77"), (9, "0.0.0.0"))
    ]
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    for _ in range(2):
        done = run("restore", str(file))
        assert done.returncode == 1
        warning, error = done.stderr.splitlines()
        assert warning.endswith(
            "/namespaces/1/shade_of is not set: this kernel has no such attribute"
        )
        assert error == (
            "nvmet: restore: port 8, tcp 192.0.2.77:4422: Cannot assign requested address;"
            " everything else is restored"
        )
    assert (NVMET / "ports/9/subsystems/nqn.2024-01.lab:new").is_symlink()
    assert (NVMET / f"subsystems/{NQN}/namespaces/7/device_path").read_text() == "/dev/ram0\n"
    assert [link.lstat().st_ino for link in links] == before
    assert controller.state == "live"
    lab.host.write(lab.host.disk(NQN), bytes(4096))
    config["ports"][-2]["addr"] |= {"traddr": "10.1.1.1", "trsvcid": "4423"}
    config["subsystems"][0]["attr"]["serial"] = "S2"  # taken before a host has seen it only
    file.write_text(json.dumps(config))
    done = run("restore", str(file))
    assert (done.returncode, len(done.stderr.splitlines())) == (0, 1)
    assert (NVMET / f"subsystems/{NQN}/attr_serial").read_text().split() == ["S2"]
    file.write_text(json.dumps(saved))
    assert run("restore", str(file)).returncode == 0
    assert target.save() == saved
    lab.host.disconnect_all()
    connects(lab)


def test_files_of_nvmetcli(lab: Lab, target: nvmet.Target, tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    file.write_text(json.dumps(LOOP))
    done = run("restore", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    saved = target.save()
    assert saved["subsystems"][0]["namespaces"][0]["device"]["path"] == "/dev/ram0"
    assert saved["ports"][0]["subsystems"] == ["testnqn"]
    with open("/dev/nvme-fabrics", "r+b", buffering=0) as fabrics:
        fabrics.write(f"nqn=testnqn,transport=loop,hostnqn=hostnqn,hostid={LOOP_HOSTID}".encode())
    assert [c.attribute("transport") for c in lab.host.controllers()] == ["loop"]
    lab.host.disconnect_all()
    file.write_text(json.dumps({**LOOP, "ports": "many"}))
    done = run("restore", str(file))
    assert done.returncode == 1
    assert done.stderr == f"nvmet: restore: {file}: ports: not a list\n"
    assert target.save() == saved
