# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp show-subflows and show-endpoints on the kernel's own NVMe over MPTCP connections."""

import os
from typing import Any

from lab import Lab, Port, Subsystem, Target, wait_until

NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"


def snapshot(lab: Lab, arguments: str = "") -> Any:
    return lab.host.nvme(f"mptcp show-subflows {arguments} -o json")


def connect(lab: Lab, *nqns: str, queues: int = 2, **options: Any) -> list[str]:
    """Connects over MPTCP and waits until every connection has a subflow on every link."""
    lab.target.configure(Target.simple(*nqns))
    names = [lab.host.connect(nqn, nr_io_queues=queues, **options).name for nqn in nqns]
    lab.host.wait_for_subflows(4, len(nqns) * (queues + 1))
    return names


def test_every_queue_on_every_link(lab: Lab) -> None:
    (name,) = connect(lab, NQN)
    lab.host.read(lab.host.disk(NQN), 1 << 20)
    document = snapshot(lab)
    assert document["problems"] == []
    assert document["shared"] == []
    (ctrl,) = document["controllers"]
    assert (ctrl["name"], ctrl["transport"], ctrl["state"]) == (name, "mptcp", "live")
    assert ctrl["subsysnqn"] == NQN
    assert (ctrl["connections_expected"], ctrl["connections_found"]) == (3, 3)
    assert (ctrl["subflows_found"], ctrl["fallback"]) == (12, 0)
    assert [link["subflows"] for link in ctrl["links"]] == [3, 3, 3, 3]
    assert len({link["link"] for link in ctrl["links"]}) == 4
    for connection in ctrl["connections"]:
        assert connection["attribution"] == "exact"
        assert connection["pid"] == 0
        assert connection["remote"] == "10.1.1.1:4420"
        initial = connection["subflows"][0]
        assert (initial["id_local"], initial["id_remote"]) == (0, 0)
        assert initial["remote"] == "10.1.1.1:4420"
    assert sum(link["bytes_received"] for link in ctrl["links"]) > 1 << 20

    # As ss sees the same subflows.
    seen = {(s.local, s.remote) for s in lab.host.subflows()}
    ours = {(s["local"], s["remote"]) for c in ctrl["connections"] for s in c["subflows"]}
    assert ours == seen


def test_fallback_is_reported(lab: Lab) -> None:
    lab.target.configure(
        Target(subsystems=(Subsystem(NQN),), ports=(Port(1, "tcp", "ipv4", trsvcid=4420),))
    )
    lab.host.connect(NQN, nr_io_queues=1)
    (ctrl,) = snapshot(lab)["controllers"]
    assert (ctrl["connections_found"], ctrl["fallback"]) == (2, 2)
    assert "2 fell back to plain TCP" in lab.host.nvme("mptcp show-subflows")


def test_a_link_that_goes_down_stays_listed(lab: Lab) -> None:
    connect(lab, NQN, queues=1)
    lab.network.set_link("host", 3, False)
    try:
        lab.host.read(lab.host.disk(NQN), 1 << 20)
        endpoints = lab.host.nvme("mptcp show-endpoints -o json")
        (ctrl,) = snapshot(lab)["controllers"]
    finally:
        lab.network.set_link("host", 3, True)
    assert ctrl["state"] == "live"
    assert ctrl["connections_found"] == 2
    assert endpoints["limits"] == {"subflows": 8, "add_addr_accepted": 8}


def test_target_gone(lab: Lab) -> None:
    (name,) = connect(lab, NQN, queues=1)
    lab.host.disk(NQN)
    lab.target.clear()
    wait_until(lambda: bool(snapshot(lab)["controllers"][0]["state"] != "live"), "reconnecting", 30)
    (ctrl,) = snapshot(lab)["controllers"]
    assert ctrl["name"] == name
    assert ctrl["connections_expected"] == 2
    assert os.path.exists(f"/sys/class/nvme/{name}")
