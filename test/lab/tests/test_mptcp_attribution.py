# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose connections they are: as the controllers show it, and as it follows without that."""

import fcntl
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab import Controller, Lab, Port, Target, wait_until
from lab.system import copy_sysfs

NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"


def snapshot(lab: Lab) -> Any:
    return lab.host.nvme("mptcp show-subflows -o json")


def shown(name: str) -> set[tuple[str, str]]:
    lines = Path("/sys/class/nvme", name, "queue_addrs").read_text().splitlines()
    return {(local, remote) for _, local, remote in map(str.split, lines)}


def agrees(document: Any) -> bool:
    """Whether every controller has the three connections that it shows, and no other."""
    assert document["problems"] == []
    assert document["shared"] == []
    for ctrl in document["controllers"]:
        found = {(c["local"], c["remote"]) for c in ctrl["connections"]}
        if found != shown(ctrl["name"]) or len(found) != 3:
            return False
        assert {c["attribution"] for c in ctrl["connections"]} == {"exact"}
    return True


def connect_both(lab: Lab, **options: Any) -> tuple[Controller, Controller]:
    """Two subsystems behind one portal, without a record of connecting."""
    lab.target.configure(Target.simple(NQN, OTHER))
    first, second = (
        lab.host.connect(nqn, nr_io_queues=2, reconnect_delay=1, ctrl_loss_tmo=600, **options)
        for nqn in (NQN, OTHER)
    )
    lab.host.wait_for_subflows(4, 6)
    for nqn in (NQN, OTHER):
        lab.host.disk(nqn)
    return first, second


@pytest.mark.every_kernel
def test_two_subsystems_behind_one_portal(lab: Lab) -> None:
    first, second = connect_both(lab)
    document = snapshot(lab)
    assert [ctrl["name"] for ctrl in document["controllers"]] == [first.name, second.name]
    assert agrees(document)
    assert not shown(first.name) & shown(second.name)
    # each link's sum is then each controller's own
    assert [[link["subflows"] for link in c["links"]] for c in document["controllers"]] == [
        [3, 3, 3, 3], [3, 3, 3, 3],
    ]  # fmt: skip


@pytest.mark.every_kernel
def test_after_reconnecting(lab: Lab) -> None:
    first, second = connect_both(lab)
    before = shown(first.name) | shown(second.name)
    (first.directory / "reset_controller").write_text("1")
    (second.directory / "reset_controller").write_text("1")
    wait_until(
        lambda: len(shown(first.name)) == len(shown(second.name)) == 3
        and not before & (shown(first.name) | shown(second.name)),
        "both have new queues",
    )
    assert agrees(snapshot(lab))


@pytest.mark.every_kernel
def test_nothing_is_shared_while_both_reconnect(lab: Lab) -> None:
    first, second = connect_both(lab)
    lab.target.remove_port(1)
    for ctrl in (first, second):
        ctrl.wait_for("connecting")
    for _ in range(5):
        assert snapshot(lab)["shared"] == []
    lab.target.add_port(Port(1, "mptcp"), [NQN, OTHER])
    wait_until(lambda: first.state == second.state == "live", "both are back", 30)
    wait_until(lambda: agrees(snapshot(lab)), "all connections are attributed", 30)


# As on a kernel whose controllers show nothing


@pytest.fixture
def hide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets nvme see /sys as it is when this is called, without the attribute."""
    numbers = itertools.count()

    def copy() -> None:
        top = tmp_path / str(next(numbers))
        copy_sysfs(top, without="queue_addrs")
        monkeypatch.setenv("LIBNVME_SYSFS_PATH", str(top))

    return copy


def test_addresses_alone_leave_two_behind_one_portal_open(
    lab: Lab, hide: Callable[[], None]
) -> None:
    first, second = connect_both(lab)
    hide()
    document = snapshot(lab)
    (shared,) = document["shared"]
    assert [c for ctrl in document["controllers"] for c in ctrl["connections"]] == []
    assert shared["controllers"] == [first.name, second.name]
    assert shared["connections_found"] == 6
    assert {c["attribution"] for c in shared["connections"]} == {"shared"}


def test_addresses_alone_decide_two_portals(lab: Lab, hide: Callable[[], None]) -> None:
    lab.target.configure(Target.simple(NQN, OTHER))
    lab.host.connect(NQN, nr_io_queues=2)
    lab.host.connect(OTHER, nr_io_queues=2, traddr="10.1.2.1")
    lab.host.wait_for_subflows(4, 6)
    hide()
    assert agrees(snapshot(lab))


def test_connecting_records_whose_they_are(
    lab: Lab, hide: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.target.configure(Target.simple(NQN, OTHER))
    for nqn in (NQN, OTHER):
        lab.host.nvme(f"connect -t mptcp -a 10.1.1.1 -s 4420 -n {nqn} -i 2")
    lab.host.wait_for_subflows(4, 6)
    hide()
    document = snapshot(lab)
    assert document["problems"] == []
    assert document["shared"] == []
    first, second = document["controllers"]
    assert (first["connections_found"], second["connections_found"]) == (3, 3)
    assert {c["attribution"] for c in first["connections"]} == {"recorded"}
    lab.host.disk(OTHER)
    # A controller that reconnects has new connections; what is left over is its.
    lab.host.nvme(f"reset /dev/{second['name']}")
    lab.host.wait_for_subflows(4, 6)
    hide()
    _, second = snapshot(lab)["controllers"]
    assert second["connections_found"] == 3
    assert {c["attribution"] for c in second["connections"]} == {"inferred"}
    monkeypatch.delenv("LIBNVME_SYSFS_PATH")
    assert agrees(snapshot(lab))
    lab.host.nvme("disconnect-all")
    lab.host.nvme(f"connect -t mptcp -a 10.1.2.1 -s 4420 -n {NQN} -i 1")
    assert sorted(p.name for p in Path("/run/nvme/mptcp").iterdir()) == ["nvme0"]


@pytest.mark.every_kernel
def test_no_connect_waits_for_another(lab: Lab) -> None:
    """The kernel shows whose a connection is, so that a boot connects all at once."""
    lab.target.configure(Target.simple(NQN, OTHER))
    command = "connect -t mptcp -a 10.1.1.1 -s 4420 -i 2 -n"
    lab.host.nvme(f"{command} {NQN}")
    with Path("/run/nvme/mptcp/.lock-10.1.1.1-4420").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = lab.host.command(["nvme", *command.split(), OTHER])
    assert "another process" not in done.stderr
    lab.host.wait_for_subflows(4, 6)
    assert agrees(snapshot(lab))
