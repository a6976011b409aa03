# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme dim and nvme config."""

import json
import socket
import subprocess
from uuid import UUID

import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN


@pytest.fixture
def controller(host):
    address = "traddr=10.1.1.1,trsvcid=8009,src_addr=10.1.1.2"
    host.subsystem(0, DISCOVERY_NQN).controller(0, "mptcp", address, dctype="cdc")
    host.command("nvme0", "admin", 0x21, 0)
    host.command("nvme0", "admin", 0x21, 1)
    return host


@pytest.mark.parametrize("which", [["-d", "nvme0"], ["-d", "/dev/nvme0"], ["-n", DISCOVERY_NQN]])
def test_register(nvme, controller, which):
    for task, name in (("reg", "register"), ("deregister", "deregister")):
        result = nvme("dim", *which, "-t", task)
        assert (result.status, result.out) == (0, f"nvme0 DIM {name} command success\n"), result


def test_refused(nvme, controller):
    controller.command("nvme0", "admin", 0x21, 0, status=0x4002)
    said = nvme.error("dim", "-d", "nvme0", "-t", "register")
    assert "nvme0 DIM register command error. Status:0x4002 - " in said


@pytest.mark.parametrize("refusing", ["nvme0", "nvme1"])
def test_one_of_two_refuses(nvme, host, refusing):
    subsystem = host.subsystem(0, DISCOVERY_NQN)
    for i in range(2):
        address = f"traddr=10.1.{i}.1,trsvcid=8009,src_addr=10.1.{i}.2"
        subsystem.controller(i, "mptcp", address, dctype="cdc")
        status = 0x4002 if refusing == f"nvme{i}" else 0
        host.command(f"nvme{i}", "admin", 0x21, 0, status=status)
    result = nvme("dim", "-n", DISCOVERY_NQN, "-t", "register", status=1)
    assert f"{refusing} DIM register command error. Status:0x4002 - " in result.err
    assert result.out.count("DIM register command success") == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "Neither device name"),
        (["-d", "nvme0"], "Task [--task | -t] must be specified"),
        (["-d", "nvme0", "-t", "x"], "Invalid --task: x"),
        (["-d", "nvme7", "-t", "reg"], "Did not find device nvme7"),
        (["-n", "nqn.none", "-t", "reg"], "nqn.none"),
    ],
)
def test_bad_arguments(nvme, controller, args, words):
    assert words in nvme.error("dim", *args)
    assert controller.written == []


def text(data, at, size):
    """A string of a structure."""
    return data[at : at + size].partition(b"\0")[0].decode()


def number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


@pytest.mark.parametrize(
    ("transport", "traddr", "dctype", "task", "expected"),
    [
        ("mptcp", "192.0.2.1", "cdc", "register", (0, 4, 1)),
        ("tcp", "2001:db8::1", "ddc", "deregister", (1, 3, 2)),
        ("tcp", "192.0.2.1", None, "register", (0, 3, 1)),
    ],
)
def test_what_is_sent(nvme, host, transport, traddr, dctype, task, expected):
    """Who this host is, in NVM Express Base 2.1, "Discovery Information Management command"."""
    address = f"traddr={traddr},trsvcid=8009"
    attributes = {"dctype": dctype} if dctype else {}
    host.subsystem(0, DISCOVERY_NQN).controller(0, transport, address, **attributes)
    if not dctype:  # an older kernel: Identify Controller tells
        (host.sys / "class/nvme/nvme0/dctype").unlink(missing_ok=True)
        host.command("nvme0", "admin", 0x06, 1, (bytes(1806) + b"\2").ljust(4096, b"\0"))
    tas, trtype, adrfam = expected
    host.command("nvme0", "admin", 0x21, tas)
    assert nvme("dim", "-d", "nvme0", "-t", task).status == 0
    sent = (host.fake / f"nvme0/admin-21-{tas:02x}.got").read_bytes()
    assert [number(sent, *at) for at in ((0, 4), (8, 8), (16, 2), (18, 2), (22, 2))] == [
        1024 + 1032 + 20, 1, 2, 1, 0x5f,
    ]  # fmt: skip
    assert text(sent, 24, 256) == HOSTNQN and text(sent, 280, 256) == socket.gethostname()
    system = "$(uname -sr) $NAME $VERSION_ID"
    shell = f'. /etc/os-release 2>/dev/null; printf %s "$(echo {system})"'
    assert text(sent, 536, 64) == subprocess.check_output(["sh", "-c", shell], text=True)[:63]
    entry = sent[1024:]
    assert (entry[0], entry[1], text(entry, 512, 256)) == (trtype, adrfam, "")
    assert text(entry, 256, 256) == HOSTNQN
    assert (number(entry, 1024, 4), number(entry, 1028, 2)) == (1032 + 20, 1)
    assert (number(entry, 1032, 2), number(entry, 1034, 2)) == (1, 16)
    assert entry[1036:] == UUID(HOSTID).bytes


@pytest.mark.parametrize(
    ("transport", "dctype", "said"),
    [("tcp", "none", "not supported"), ("rdma", "cdc", "Invalid argument")],
)
def test_nothing_is_sent(nvme, host, transport, dctype, said):
    address = "traddr=192.0.2.1,trsvcid=8009"
    host.subsystem(0, DISCOVERY_NQN).controller(0, transport, address, dctype=dctype)
    result = nvme("dim", "-d", "nvme0", "-t", "register", status=1)
    assert said in result.err
    assert host.written == []


def test_config_modify(nvme, host):
    path = host.etc / "config.json"
    args = ["config", "-J", str(path), "-M", "-t", "mptcp", "-n", "nqn.s"]
    nvme.ok(*args, "-a", "10.1.1.1", "-s", "4420", "-i", "3", "-U")
    document = json.loads(path.read_text())
    assert document[0]["hostnqn"] == HOSTNQN
    port = document[0]["subsystems"][0]["ports"][0]
    assert (port["transport"], port["traddr"], port["nr_io_queues"]) == ("mptcp", "10.1.1.1", 3)
    assert nvme(*args, "-a", "10.1.2.1", "-s", "4420", "-U").status == 0
    dumped = nvme("config", "-J", str(path), "--dump")
    assert len(json.loads(dumped.out)[0]["subsystems"][0]["ports"]) == 2
    assert host.written == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-M"], "required argument [--nqn | -n] needed with --modify"),
        (["-M", "-n", "nqn.s"], "required argument [--transport | -t] needed with --modify"),
        (["-M", "-n", "nqn.s", "-t", "tcp"], "traddr"),
        (["-M", "-n", "nqn.s", "-t", "nope"], "nope"),
        (["-J", "/nonexistent/config.json", "-O"], "/nonexistent/config.json"),
    ],
)
def test_config_bad_arguments(nvme, host, args, words):
    assert words in nvme.error("config", *args)
