# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme disconnect and disconnect-all."""

import errno
import os
import pty
import subprocess

import pytest
from conftest import NVME, read_to_end

ONE, TWO = "nqn.2025-01.test:one", "nqn.2025-01.test:two"


@pytest.fixture
def connected(host):
    """Two subsystems over fabrics, nvme0 and nvme1 in the first, and a local drive."""
    one = host.subsystem(0, ONE)
    one.controller(0, "tcp")
    one.controller(1, "mptcp", "traddr=10.1.2.1,trsvcid=4420")
    host.subsystem(2, TWO).controller(2, "rdma", "traddr=10.1.3.1,trsvcid=4420")
    host.subsystem(3, "nqn.local").controller(3, "pcie", "0000:00:04.0")
    return host


def test_several_nqns(nvme, connected):
    result = nvme("disconnect", "--nqn", f"{ONE},{TWO}")
    assert (result.status, result.out) == (0, f"NQN:{ONE},{TWO} disconnected 3 controller(s)\n")


def test_missing_device(nvme, connected):
    assert nvme.error("disconnect", "-d", "nvme9,nvme0") == "Did not find device nvme9\n"
    assert connected.deleted == ["nvme0"], "one missing device does not save the others"


@pytest.mark.parametrize("device", ["", ","])
def test_no_device(nvme, connected, device):
    """As where a script's variable is empty."""
    assert nvme.error("disconnect", "-d", device) == f"Did not find device '{device}'\n"
    assert connected.deleted == []


def test_kernel_refuses(nvme, connected):
    (connected.fake / "delete-errno").write_text(str(errno.EACCES))
    said = "Failed to disconnect nvme{}: Permission denied\n"
    result = nvme("disconnect", "-d", "nvme0")
    assert (result.status, result.err) == (1, said.format(0))
    result = nvme("disconnect", "-n", ONE)
    assert result.err == said.format(0) + said.format(1)
    assert (result.status, result.out) == (1, f"NQN:{ONE} disconnected 0 controller(s)\n")


def test_a_closed_connection_ends_no_command(nvme, connected):
    """The kernel's send raises SIGPIPE in the thread that writes to delete_controller."""
    (connected.fake / "delete-errno").write_text(str(errno.EPIPE))
    result = nvme("disconnect", "-d", "nvme0")
    assert (result.status, result.err) == (1, "Failed to disconnect nvme0: Broken pipe\n")


def test_arguments(nvme, connected):
    said = nvme.error("disconnect")
    assert "Neither device name [--device | -d] nor NQN [--nqn | -n] provided" in said
    said = nvme.error("disconnect", "-n", ONE, "-d", "nvme0")
    assert "Both device name [--device | -d] and NQN [--nqn | -n] are specified" in said
    assert connected.written == []


def test_all_fails(nvme, connected):
    (connected.fake / "delete-errno").write_text(str(errno.EACCES))
    said = nvme.error("disconnect-all")
    assert said.splitlines()[0] == "failed to disconnect nvme0: Permission denied"
    assert len(connected.deleted) == 3, "a failure does not end the work"


def mount(host, name, point="/srv"):
    """Mounts a block device."""
    number = (host.sys / "class/block" / name / "dev").read_text().strip()
    with host.mountinfo.open("a") as file:
        file.write(f"36 35 {number} / {point} rw,noatime shared:1 - ext4 /dev/x rw\n")


@pytest.fixture
def disk(host):
    """A disk with a partition through nvme0 and nvme1, and another one through nvme2."""
    one = host.subsystem(0, ONE)
    one.controller(0, "tcp")
    one.controller(1, "tcp", "traddr=10.1.2.1,trsvcid=4420,host_iface=eth1")
    one.namespace(1)
    host.partition("nvme0n1", 1)
    two = host.subsystem(1, TWO)
    two.controller(2, "rdma", "traddr=fd00::1,trsvcid=4420,host_traddr=fd00::2")
    two.namespace(1)
    return host


def on_terminal(nvme, *args, answer=""):
    """Run it on a terminal, where this is typed. Returns the exit status and the screen."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer.encode())
        done = subprocess.run(
            [NVME, *args], stdin=theirs, stdout=theirs, stderr=theirs, timeout=60, check=False,
            env=nvme.environment(),
        )  # fmt: skip
    finally:
        os.close(theirs)
    return done.returncode, read_to_end(ours)


WARNING = "nvme0n1p1 is in use: mounted on /srv"


@pytest.mark.parametrize(
    "args", [["-n", ONE], ["-n", f"{TWO},{ONE}"], ["-d", "nvme1,nvme0"], ["-n", ONE, "-t", "tcp"]]
)
def test_warns_of_a_mounted_disk(nvme, disk, args):
    """Scripts go on, as with 2.x."""
    mount(disk, "nvme0n1p1")
    result = nvme("disconnect", *args, status=0)
    assert WARNING in result.err and len(result.err.splitlines()) == 1
    assert {"nvme0", "nvme1"} <= set(disk.deleted)


@pytest.mark.parametrize("args", [["-d", "nvme0"], ["-n", ONE, "-a", "10.1.1.1"], ["-n", TWO]])
def test_another_path_stays(nvme, disk, args):
    mount(disk, "nvme0n1p1")
    nvme.ok("disconnect", *args)
    assert len(disk.deleted) == 1


def test_all_warns_of_a_mounted_disk(nvme, disk):
    """Once, although two controllers lead to it; the other transport's disk stays."""
    mount(disk, "nvme0n1p1")
    result = nvme("disconnect-all", "-r", "rdma")
    assert (result.status, result.err, disk.deleted) == (0, "", ["nvme2"])
    result = nvme("disconnect-all")
    assert (result.status, len(result.err.splitlines())) == (0, 1)
    assert WARNING in result.err and sorted(disk.deleted)[:2] == ["nvme0", "nvme1"]


def test_warns_of_a_held_disk(nvme, disk):
    (disk.sys / "class/block/nvme0n1/holders/dm-3").mkdir(parents=True)
    assert "nvme0n1 is in use: held by dm-3" in nvme("disconnect", "-n", ONE, status=0).err


def test_unknown_mounts_are_no_warning(nvme, disk):
    disk.mountinfo.unlink()
    nvme.ok("disconnect", "-n", ONE)


@pytest.mark.parametrize("args", [["disconnect", "-n", ONE], ["disconnect-all", "-r", "tcp"]])
@pytest.mark.parametrize(("answer", "goes"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_asks_on_a_terminal(nvme, disk, args, answer, goes):
    mount(disk, "nvme0n1p1")
    status, said = on_terminal(nvme, *args, answer=answer)
    assert WARNING in said and "[y/N]" in said
    assert (status, sorted(disk.deleted)) == ((0, ["nvme0", "nvme1"]) if goes else (1, []))
    assert ("Nothing was disconnected" in said) != goes


def test_asks_nothing_without_a_need(nvme, disk):
    status, said = on_terminal(nvme, "disconnect", "-n", ONE)
    assert (status, "[y/N]" in said) == (0, False)


@pytest.mark.parametrize(
    ("args", "gone"),
    [
        (["-n", ONE, "-a", "10.1.2.1"], ["nvme1"]),
        (["-n", ONE, "-f", "eth1"], ["nvme1"]),
        (["-n", ONE, "-t", "rdma"], []),
        (["-n", ONE, "-s", "4421"], []),
        (["-a", "10.1.2.1", "-t", "tcp", "-s", "4420"], ["nvme1"]),
        (["-a", "fd00:0::1"], ["nvme2"]),
        (["-a", "fd00::1", "-w", "fd00:0::2"], ["nvme2"]),
        (["-a", "fd00::1", "-w", "fd00::3"], []),
        (["-n", ONE, "-w", "10.1.1.2"], ["nvme0"]),
        (["-n", ONE, "-w", "10.1.1.1"], []),
        (["-a", "10.9.9.9"], []),
    ],
)
def test_by_address(nvme, disk, args, gone):
    result = nvme("disconnect", *args)
    assert (result.status, result.err, disk.deleted) == (0, "", gone)
    assert result.out.endswith(f"disconnected {len(gone)} controller(s)\n")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-t", "tcp"], "disconnect-all --transport disconnects all controllers of a transport"),
        (["-s", "4420"], "required argument [--traddr | -a] or [--nqn | -n] not specified"),
        (["-d", "nvme0", "-a", "10.1.1.1"], "Both device name [--device | -d] and an address"),
    ],
)
def test_address_arguments(nvme, disk, args, words):
    result = nvme("disconnect", *args)
    assert (result.status, words in result.err, disk.written) == (1, True, [])
