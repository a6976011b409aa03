# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp setup: one subflow of each connection on each link, none that crosses."""

from typing import Any

import pytest
from lab import Lab, Limits, Port, Subsystem, Target, Topology, wait_until
from lab.network import Family, Link, address
from lab.nvmet import NVMET
from lab.system import network_namespace

from libnvme import nvmet

NQN = "nqn.2024-01.lab:disk"


def bare(links: int) -> Topology:
    """Links and addresses, and the path manager as it is after boot."""
    return Topology(
        links=(Link(),) * links,
        limits={"host": Limits(2, 0), "target": Limits(2, 0)},
        add_addr_timeout=120,
    )


def case(links: int, family: Family, addresses: int) -> Any:
    """So many links, and so many addresses of the target that the host is told."""
    return pytest.param(links, family, addresses, id=f"{links}-{family}-{addresses}",
                        marks=pytest.mark.topology(bare(links)))  # fmt: skip


def plan(lab: Lab, arguments: str) -> Any:
    lab.network.changed = True
    return lab.host.nvme(f"mptcp setup {arguments} -o json")


def without_port(end: str) -> str:
    return end.rsplit(":", 1)[0].strip("[]")


def ends(lab: Lab) -> list[list[tuple[str, str, str]]]:
    """Link, local and remote address of the established subflows of each connection."""
    return [
        sorted(
            (str(s["link"]), without_port(s["local"]), without_port(s["remote"]))
            for s in connection["subflows"]
            if s["state"] == "ESTAB"
        )
        for connection in lab.host.connections()
    ]


@pytest.mark.parametrize(
    ("links", "family", "addresses"),
    [
        case(1, "ipv4", 1),
        case(2, "ipv4", 2),
        case(2, "ipv6", 1),
        case(4, "ipv4", 4),
        case(4, "ipv4", 1),
        case(4, "ipv6", 4),
        case(8, "ipv4", 8),
        case(8, "ipv6", 1),
    ],
)
def test_one_subflow_on_each_link(lab: Lab, links: int, family: Family, addresses: int) -> None:
    targets = [address("target", i, family) for i in range(1, addresses + 1)]
    target = f"--role target --netns target --traddr {targets[0]}"
    host = f"--role host --traddr {','.join(targets)}"
    planned = plan(lab, f"{target} --apply")
    assert {step["state"] for step in planned["steps"]} <= {"done"}
    planned = plan(lab, f"{host} --apply")
    assert planned["method"] == (
        "single" if links == 1 else "announced" if addresses > 1 else "subflow"
    )
    assert {step["state"] for step in planned["steps"]} <= {"done"}
    for again in (target, host):
        assert plan(lab, again)["steps"] == [], "a set-up that is there was planned again"

    lab.target.configure(Target.simple(NQN, adrfam=family))
    lab.host.connect(NQN, traddr=targets[0], nr_io_queues=1)
    # Each link's own addresses, or the one that the target has: nothing crosses.
    wanted = [
        (f"h{i}", address("host", i, family), address("target", i if addresses > 1 else 1, family))
        for i in range(1, links + 1)
    ]
    wait_until(lambda: ends(lab) == [wanted] * 2, "one subflow on each link", 30)
    lab.host.read(lab.host.disk(NQN), 1 << 20)
    assert ends(lab) == [wanted] * 2


@pytest.mark.topology(bare(2))
def test_a_port_takes_writes_with_the_command(lab: Lab) -> None:
    """A port without a subsystem; what hosts are told is what they send."""
    arguments = "--role target --netns target"
    lab.target.configure(Target((Subsystem(NQN),), ()))
    lab.target.add_port(Port(), [])
    (step,) = (s for s in plan(lab, f"{arguments} --apply")["steps"]
               if "param_inline_data_size" in s["command"])  # fmt: skip
    assert step["state"] == "done"
    again = plan(lab, arguments)
    assert again["steps"] == [] and not [n for n in again["notes"] if n["text"].startswith("port")]
    top = nvmet.Target(NVMET)
    (port,), (subsystem,) = top.ports(), top.subsystems()
    with network_namespace("target"):
        port.add(subsystem)
    lab.host.connect(NQN, traddr=address("target", 1), nr_io_queues=1)
    # 16 bytes each: 64 of a command and its data
    assert lab.host.nvme("id-ctrl /dev/nvme0 -o json")["ioccsz"] == (64 + 131072) // 16

    # one that is in use stays as it is
    lab.target.add_port(Port(id=2, trsvcid=4421), [NQN])
    used = plan(lab, f"{arguments} --apply")
    assert used["steps"] == []
    (note,) = (n["text"] for n in used["notes"] if n["text"].startswith("port"))
    assert note.startswith("port 2 accepts 16384 bytes of a write with the command")
