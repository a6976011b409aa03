# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's transport as a module: beside the distribution's own, loaded and removed at will."""

import contextlib
import errno
import os
import re
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from lab import Lab, Port, Subsystem, Target, Topology, wait_until
from lab.readers import readers
from lab.system import KernelLog, network_namespace, unload_module

NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"

MODULES = Path("/sys/module")

#: `queue_addrs`: a queue's number, its local and its remote address and port, and padding.
LINE = re.compile(r"(\d+) (\S+):(\d+) (\S+):(\d+) *")

#: How often a controller is reset under readers; the lock that each connection initialised
#: again stopped the kernel within the first few.
RESETS = 20

pytestmark = [pytest.mark.every_kernel, pytest.mark.topology(Topology.one_per_link(2))]


def remove_module() -> str:
    """Removes nvme-mptcp; returns what the kernel had against it, "" if nothing."""
    done = subprocess.run(
        ["rmmod", "nvme_mptcp"], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stderr if done.returncode else ""


def removed() -> bool:
    """Remove nvmet-tcp, which the last connections may still use."""
    with contextlib.suppress(OSError):
        unload_module("nvmet_tcp")
    return not (MODULES / "nvmet_tcp").exists()


def queues(controller: str) -> dict[int, tuple[str, str]]:
    text = Path("/sys/class/nvme", controller, "queue_addrs").read_text()
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    assert all(found), text
    return {int(m[1]): (f"{m[2]}:{m[3]}", f"{m[4]}:{m[5]}") for m in found if m}


def connections(lab: Lab) -> set[tuple[str, str]]:
    lines = lab.network.run("host", "ss", "-HMn", "state", "established").splitlines()
    return {(words[2], words[3]) for words in map(str.split, lines)}


def test_the_distributions_modules_are_as_they_were(lab: Lab) -> None:
    lab.connect(NQN)
    for name in ("nvme_core", "nvme_fabrics"):
        assert (MODULES / name / "taint").read_text().strip() == "", name
    assert "O" in (MODULES / "nvme_mptcp/taint").read_text()
    for name in ("nvme-core", "nvme-fabrics", "nvme-tcp"):
        path = lab.network.run("host", "modinfo", "-n", name).strip()
        assert "/kernel/drivers/nvme/host/" in path
    assert "/updates/" in lab.network.run("host", "modinfo", "-n", "nvme-mptcp")


def test_a_connect_loads_it_and_it_comes_and_goes(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    for _ in range(5):
        if (MODULES / "nvme_mptcp").exists():
            assert remove_module() == ""
        assert not (MODULES / "nvme_mptcp").exists()
        controller = lab.host.connect(NQN)
        assert controller.attribute("transport") == "mptcp"
        lab.host.write(lab.host.disk(NQN), bytes(64 << 10))
        lab.host.disconnect_all()


def test_modprobe_loads_it_by_its_name_again_and_again(lab: Lab) -> None:
    if (MODULES / "nvme_mptcp").exists():
        assert remove_module() == ""
    for _ in range(10):
        lab.network.run("host", "modprobe", "nvme-mptcp")
        assert (MODULES / "nvme_mptcp").exists()
        assert remove_module() == ""
        assert not (MODULES / "nvme_mptcp").exists()


def test_it_cannot_be_removed_under_a_controller(lab: Lab) -> None:
    controller = lab.connect(NQN, reconnect_delay=1, ctrl_loss_tmo=600)
    assert "is in use" in remove_module()
    lab.host.disk(NQN)
    lab.target.clear()
    controller.wait_for("connecting")
    assert "is in use" in remove_module()
    lab.host.disconnect_all()
    wait_until(lambda: remove_module() == "", "nvme-mptcp removed")


def test_a_connect_that_fails_does_not_hold_it(lab: Lab) -> None:
    with pytest.raises(OSError, match="refused|reset"):
        lab.host.connect(NQN, trsvcid=4999)
    with pytest.raises(OSError, match="Invalid argument"):
        lab.host.connect(NQN, traddr="10.1.1")
    with pytest.raises(OSError, match="No such device"):
        lab.host.connect(NQN, host_iface="nowhere0")
    assert remove_module() == ""


def test_tcp_and_mptcp_controllers_are_no_duplicates_of_each_other(lab: Lab) -> None:
    ports = (Port(1, "mptcp"), Port(2, "tcp", trsvcid=4421))
    lab.target.configure(Target((Subsystem(NQN),), ports))
    lab.host.connect(NQN)
    # one and the same portal: stock nvme-tcp keeps a list of its own
    with pytest.raises(OSError, match=os.strerror(errno.EALREADY)):
        lab.host.connect(NQN)
    lab.host.connect(NQN, "tcp", trsvcid=4421)
    lab.host.connect(NQN, "mptcp", trsvcid=4421)
    assert [c.attribute("transport") for c in lab.host.controllers()] == ["mptcp", "tcp", "mptcp"]


def test_queue_addrs_names_the_connections_of_each_controller(lab: Lab) -> None:
    """Two subsystems behind one portal: what the addresses alone leave open."""
    lab.target.configure(Target((Subsystem(NQN), Subsystem(OTHER)), (Port(1, "mptcp"),)))
    names = [lab.host.connect(nqn).name for nqn in (NQN, OTHER)]
    owned = [queues(name) for name in names]
    for each in owned:
        assert sorted(each) == list(range(len(each)))
        assert {remote for _, remote in each.values()} == {"10.1.1.1:4420"}
    first, second = (set(each.values()) for each in owned)
    assert len(first) == len(second) == 3
    assert not first & second
    assert first | second == connections(lab)


def test_queue_addrs_follows_a_reconnection(lab: Lab) -> None:
    controller = lab.connect(NQN, reconnect_delay=1, ctrl_loss_tmo=600)
    lab.host.disk(NQN)
    before = queues(controller.name)
    (controller.directory / "reset_controller").write_text("1")
    wait_until(
        lambda: controller.state == "live" and set(queues(controller.name)) == set(before),
        "all queues are back",
    )
    after = queues(controller.name)
    assert set(after.values()) == connections(lab)
    assert not set(after.values()) & set(before.values())
    lab.target.clear()
    controller.wait_for("connecting")
    assert queues(controller.name) == {}


@pytest.mark.limit(240)
def test_readers_of_attributes_survive_resets(lab: Lab) -> None:
    """Readers wait for the lock of a queue that is freed and connected again meanwhile."""
    controller = lab.connect(NQN, reconnect_delay=1, ctrl_loss_tmo=600)
    lab.host.disk(NQN)
    with readers():
        for _ in range(RESETS):
            (controller.directory / "reset_controller").write_text("1")
            controller.wait_for("live")
    assert set(queues(controller.name).values()) == connections(lab)
    lab.host.disconnect_all()


@pytest.mark.parametrize(
    ("traddr", "local"), [("fd00:1:1::1", "[fd00:1:1::2]"), ("::ffff:10.1.1.1", None)]
)
def test_queue_addrs_of_ipv6(lab: Lab, traddr: str, local: str | None) -> None:
    lab.target.configure(Target.simple(NQN, adrfam="ipv6"))
    controller = lab.host.connect(NQN, traddr=traddr)
    found = queues(controller.name)
    assert len(found) == 3
    assert set(found.values()) == connections(lab)
    if local:
        assert {ends[0].rpartition(":")[0] for ends in found.values()} == {local}


def test_a_small_read_gets_the_same_text_piece_by_piece(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    path = lab.host.connect(NQN).directory / "queue_addrs"
    with path.open("rb", buffering=0) as stream:
        pieces = list(iter(lambda: stream.read(7), b""))
    assert b"".join(pieces) == path.read_bytes()
    assert len(pieces) > 3


@pytest.mark.limit(240)
def test_reads_get_whole_lines_while_queues_come_and_go(lab: Lab) -> None:
    """What sysfs reads at a time is a page; here it is two lines and a half."""
    lab.target.configure(Target.simple(NQN, adrfam="ipv6"))
    controller = lab.host.connect(NQN, traddr="fd00:1:1::1", nr_write_queues=2, nr_poll_queues=2,
                                  reconnect_delay=1, ctrl_loss_tmo=600)  # fmt: skip
    lab.host.disk(NQN)
    path = controller.directory / "queue_addrs"
    size = len(path.read_bytes().splitlines(keepends=True)[0])
    assert path.stat().st_size == 0
    assert len(path.read_bytes()) == 7 * size
    assert 4096 % size == 0
    seen = set()

    def reset() -> None:
        for _ in range(RESETS):
            controller.wait_for("live")
            # one that has to connect again later ends with ENETRESET
            with contextlib.suppress(OSError):
                (controller.directory / "reset_controller").write_text("1")
        controller.wait_for("live")

    with ThreadPoolExecutor(1) as pool:
        resets = pool.submit(reset)
        while not resets.done():
            with path.open("rb", buffering=0) as stream:
                pieces = list(iter(lambda: stream.read(size * 5 // 2), b""))
            assert all(LINE.fullmatch(p.decode()) for x in pieces for p in x.splitlines()), pieces
            seen.add(sum(map(len, pieces)) // size)
        resets.result()
    assert len(seen) > 1, "no read met queues that came or went"
    wait_until(lambda: set(queues(controller.name).values()) == connections(lab), "all queues")


@pytest.mark.parametrize(("family", "traddr"), [("ipv4", "10.1.1.1"), ("ipv6", "fd00:1:1::1")])
def test_plain_tcp_hosts_are_served_on_one_path(lab: Lab, family: str, traddr: str) -> None:
    lab.target.configure(Target.simple(NQN, adrfam=family))
    controllers = [lab.host.connect(NQN, name, traddr=traddr) for name in ("tcp", "mptcp")]
    disk = lab.host.disk(NQN)
    data = os.urandom(1 << 20)
    lab.host.write(disk, data)
    for controller in controllers:
        lab.host.write(disk, data)
        assert lab.host.read(disk, len(data)) == data
        controller.delete()
        wait_until(lambda: len(lab.host.controllers()) < 2, "one controller less")
    wait_until(lambda: not lab.host.controllers(), "no controller")


def test_plain_tcp_connections_are_logged_once(lab: Lab) -> None:
    """And not as a lack of memory; the module is loaded again, since the limit is a minute's."""
    lab.target.clear()
    wait_until(removed, "nvmet-tcp removed")
    lab.target.configure(Target.simple(NQN))
    log = KernelLog()
    with network_namespace(lab.topology.namespace("host")):
        for _ in range(50):
            socket.create_connection(("10.1.1.1", 4420), timeout=10).close()
        lab.host.connect(NQN, "tcp")
    lines = [line for line in log.read() if "nvmet_tcp:" in line and "port" in line]
    log.close()
    assert lines == ["nvmet_tcp: port 1: a host connected over TCP, not MPTCP: it has one path"]


@pytest.mark.topology(replace(Topology.one_per_link(2), host_namespace="host"))
def test_a_controller_reconnects_in_its_own_namespace(lab: Lab) -> None:
    controller = lab.connect(NQN, reconnect_delay=1, ctrl_loss_tmo=600)
    lab.host.disk(NQN)
    (controller.directory / "reset_controller").write_text("1")
    wait_until(lambda: controller.state == "live" and len(queues(controller.name)) == 3, "live")
    assert set(queues(controller.name).values()) == connections(lab)
