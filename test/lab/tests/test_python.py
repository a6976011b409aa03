# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python package on a real kernel: connecting, options, threads, and MPTCP."""

import threading
import time
from pathlib import Path

import pytest
from lab import Lab, Port, Subsystem, Target, wait_until
from lab.system import copy_sysfs

from libnvme import mptcp, nvme

NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"
RECORDS = Path("/run/nvme/mptcp")


def connect(nqn: str = NQN, **cfg: object) -> nvme.ctrl:
    """Connects over MPTCP; the object keeps its root."""
    root = nvme.root()
    ctrl = nvme.ctrl(root, nqn, "mptcp", traddr="10.1.1.1", trsvcid="4420")
    ctrl.connect(nvme.host(root), cfg)
    return ctrl


def test_options_reach_the_kernel(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    ctrl = connect(
        host_iface="h1", host_traddr="10.1.1.2", queue_size=32, nr_io_queues=1, ctrl_loss_tmo=60,
        reconnect_delay=5, fast_io_fail_tmo=7, keep_alive_tmo=9, hdr_digest=True,
    )  # fmt: skip
    with ctrl:
        assert (ctrl.transport, ctrl.state) == ("mptcp", "live")
        assert (ctrl.host_iface, ctrl.host_traddr, ctrl.sqsize) == ("h1", "10.1.1.2", "31")
        assert (ctrl.subsysnqn, ctrl.queue_count) == (NQN, "2")
        directory = Path(str(ctrl.sysfs_dir))
        read = {
            name: (directory / name).read_text().strip()
            for name in ("ctrl_loss_tmo", "reconnect_delay", "fast_io_fail_tmo", "kato")
        }
        assert read == {
            "ctrl_loss_tmo": "60", "reconnect_delay": "5", "fast_io_fail_tmo": "7", "kato": "9",
        }  # fmt: skip
        assert ctrl.subsystem
        host = ctrl.subsystem.host
        with pytest.raises(AttributeError, match="Existing controller connection"):
            ctrl.connect(host)
    assert lab.host.controllers() == []


def test_refusals_carry_the_kernels_words(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    with pytest.raises(nvme.Error, match=r"10\.1\.1\.1:4420.*has no subsystem.*kernel: ") as caught:
        connect("nqn.2024-01.lab:nosuch")
    assert caught.value.errno
    assert isinstance(caught.value, RuntimeError)
    lab.target.clear()
    with pytest.raises(nvme.Error, match="connection refused"):
        connect()
    with pytest.raises(nvme.Error, match="304 bytes"):
        connect("nqn." + "x" * 300)
    assert lab.host.controllers() == []


@pytest.mark.parametrize(
    ("hidden", "attributions"), [(False, ("exact", "exact")), (True, ("recorded", "inferred"))]
)
def test_whose_connections_they_are(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hidden: bool,
    attributions: tuple[str, str],
) -> None:  # fmt: skip
    """Two subsystems behind one portal: the kernel shows it, and where not, what was noted does.

    Only the first is noted: from then on the kernel is known to show it.
    """
    lab.target.configure(Target.simple(NQN, OTHER))
    first, second = connect(NQN, nr_io_queues=1), connect(OTHER, nr_io_queues=1)
    assert (RECORDS / str(first.name)).exists()
    if hidden:
        copy_sysfs(tmp_path, without="queue_addrs")
        monkeypatch.setenv("LIBNVME_SYSFS_PATH", str(tmp_path))
    snapshot = mptcp.snapshot()
    monkeypatch.undo()
    for ctrl, attribution in zip((first, second), attributions, strict=True):
        connections = snapshot.controller(str(ctrl.name)).connections
        assert {connection.attribution for connection in connections} == {attribution}
        assert len(connections) == 2
    first.disconnect()
    second.disconnect()


def test_threads_connect_at_the_same_time(lab: Lab) -> None:
    """The interpreter goes on while the kernel waits for an answer that never comes."""
    lab.target.configure(Target((Subsystem(NQN),), ports=(Port(), Port(2, trsvcid=4421))))
    lab.network.drop("target", "tcp dport { 4421 }")
    outcomes: list[str] = []

    def work() -> None:
        root = nvme.root()
        ctrl = nvme.ctrl(root, NQN, "mptcp", traddr="10.1.1.1", trsvcid="4421")
        try:
            ctrl.connect(nvme.host(root))
            outcomes.append("connected")
        except nvme.Error:
            outcomes.append("failed")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    longest, looks, last = 0.0, 0, time.monotonic()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
        now = time.monotonic()
        longest, looks, last = max(longest, now - last), looks + 1, now
    for thread in threads:
        thread.join()
    assert outcomes == ["failed", "failed"]
    assert looks > 20, "the connects did not wait"
    assert longest < 1.0, "this thread stood still meanwhile"


def test_a_lost_subflow_is_found_and_repaired(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    lab.network.changed = True
    # what follows a target's announcements can only be repaired there
    lab.network.run("target", "ip", "mptcp", "endpoint", "flush")
    assert mptcp.setup("host", traddr="10.1.1.1", apply=True).method == "subflow"
    assert mptcp.setup("host", traddr="10.1.1.1").steps == ()
    with connect(nr_io_queues=1) as ctrl:
        name = str(ctrl.name)

        def links() -> set[str | None]:
            found = mptcp.snapshot().controller(name).connections
            each = [{s.link for s in c.subflows if s.state == "ESTAB"} for c in found]
            return set.intersection(*each) if each else set()

        everywhere: set[str | None] = {"h1", "h2", "h3", "h4"}
        wait_until(lambda: links() == everywhere, "a subflow on each link", 20)
        lab.network.run("host", "ss", "-K", "src", "10.1.2.2")
        wait_until(lambda: "h2" not in links(), "no subflow on link 2")
        plan = mptcp.repair(name)
        assert [(gap.subject, gap.link) for gap in plan.missing or ()] == [(name, "h2")]
        wait_until(lambda: links() == everywhere, "link 2 is back", 20)
        assert mptcp.repair([name], apply=False).missing == ()


def test_both_sides_at_once(lab: Lab, tmp_path: Path) -> None:
    """A connection is tried before there is a controller; the target's report is read here."""
    lab.target.configure(Target.simple(NQN))
    trial = mptcp.check(traddr="10.1.1.1", trsvcid="4420").trial
    assert trial
    assert (trial.outcome, trial.fallback, trial.reason) == ("mptcp", False, None)
    assert trial.subflows_established == trial.subflows_expected == 4
    assert {subflow.link for subflow in trial.subflows} == {"h1", "h2", "h3", "h4"}
    file = tmp_path / "target.json"
    there = mptcp.report(file, netns="target", interval=0)
    assert [port.trtype for port in there.ports] == ["mptcp"]
    assert there.ports[0].subsystems == (NQN,)
    assert mptcp.read_report(file) == there
    found = mptcp.check(peer=file, role="host", interval=0)
    assert found.peer == there.hostname
    assert not [finding for finding in found if finding.severity == "error"]
