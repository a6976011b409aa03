# SPDX-License-Identifier: GPL-2.0-or-later
"""A sample of the healthy shapes of test/shapes, with nvme connect: set up, connected, clean.

Link i joins h<i> and t<i>, of the networks 10.1.i.0/24 and fd00:1:i::/64 as elsewhere in the lab.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from lab import Lab, Limits, Link, Target, Topology, wait_until
from lab.network import SIDES, Family, Side, address, interface

NQN = "nqn.2024-01.lab:disk"
QUICK = "--interval 0.1 -o json"


@dataclass(frozen=True)
class Shape:
    """What ip(8) builds on each side of bare links, and which link carries which address."""

    name: str
    links: int
    host: tuple[str, ...]
    target: tuple[str, ...]
    #: Links of the host that carry one subflow of each connection, and where it starts.
    carries: Mapping[str, str]
    #: Addresses that the host is told of, the one to connect to first.
    traddrs: tuple[str, ...]
    #: Further words of setup on the target.
    setup: str = ""
    family: Family = "ipv4"

    def __str__(self) -> str:
        return self.name


def on_link(side: Side, link: int, family: Family = "ipv4") -> str:
    """A line that gives a side its address on a link."""
    tail = "/24" if family == "ipv4" else "/64 nodad"
    return f"address add {address(side, link, family)}{tail} dev {interface(side, link)}"


def lines(side: Side, links: range, family: Family = "ipv4") -> tuple[str, ...]:
    return tuple(on_link(side, link, family) for link in links)


def carrying(links: range, family: Family = "ipv4") -> dict[str, str]:
    return {f"h{link}": address("host", link, family) for link in links}


def targets(links: range, family: Family = "ipv4") -> tuple[str, ...]:
    return tuple(address("target", link, family) for link in links)


def vlan(side: Side) -> tuple[str, str, str]:
    """A VLAN on a side's first link, with the address of a third one."""
    name = f"{interface(side, 1)}.103"
    return (
        f"link add link {interface(side, 1)} name {name} type vlan id 103",
        f"link set {name} up",
        on_link(side, 3).replace(f"dev {interface(side, 3)}", f"dev {name}"),
    )


TWO, THREE, FOUR = range(1, 3), range(1, 4), range(1, 5)

SHAPES = [
    # The main table knows one way to all of them: the target's addresses are behind gateways.
    Shape("policy-routing", 3,
          (*lines("host", THREE), "route add default via 10.1.1.1 dev h1",
           *(f"route add default via 10.1.{i}.1 dev h{i} table {100 + i}" for i in THREE),
           *(f"rule add from 10.1.{i}.2 table {100 + i}" for i in THREE)),
          (*(f"address add 10.2.{i}.1/24 dev t{i}" for i in THREE),
           *(f"address add 10.1.{i}.1/32 dev lo" for i in THREE),
           *(f"route add 10.1.{i}.0/24 dev t{i} src 10.2.{i}.1" for i in THREE)),
          carrying(THREE), tuple(f"10.2.{i}.1" for i in THREE)),
    Shape("management-link", 3,
          (*lines("host", TWO), "address add 192.168.7.2/24 dev h3",
           "route add default via 192.168.7.1 dev h3"),
          (*lines("target", TWO), "address add 192.168.7.1/24 dev t3"), carrying(TWO), targets(TWO),
          setup="--dev t1,t2"),
    Shape("vlan-on-a-link", 2, (*lines("host", TWO), *vlan("host")),
          (*lines("target", TWO), *vlan("target")), carrying(TWO), targets(THREE)),
    Shape("backup-on-purpose", 3,
          (*lines("host", THREE),
           *(f"route add 10.1.1.1/32 via 10.1.{i}.1 dev h{i} metric {2000 + i}" for i in (2, 3)),
           "mptcp endpoint add 10.1.3.2 dev h3 subflow backup"),
          lines("target", THREE), carrying(THREE), targets(range(1, 2)), setup="--dev t1"),
    Shape("ipv6", 3, lines("host", THREE, "ipv6"), lines("target", THREE, "ipv6"),
          carrying(THREE, "ipv6"), targets(THREE, "ipv6"), family="ipv6"),
    Shape("one-link-to-four", 4, lines("host", range(1, 2)), lines("target", FOUR),
          carrying(range(1, 2)), targets(FOUR)),
]  # fmt: skip


def bare(shape: Shape) -> Any:
    """The row on links without addresses, between namespaces as the kernel makes them."""
    topology = Topology(
        links=(Link.both(rate=""),) * shape.links,
        families=(),
        limits={side: Limits(2, 0) for side in SIDES},
        add_addr_timeout=120,
        host_namespace="host",
    )
    return pytest.param(shape, id=str(shape), marks=pytest.mark.topology(topology))


def settle(lab: Lab, shape: Shape) -> None:
    """Both sides set up, after which there is nothing to do."""
    words = {
        "target": f"--netns target --traddr {shape.traddrs[0]} {shape.setup}",
        "host": f"--traddr {','.join(shape.traddrs)}",
    }
    for side, more in words.items():
        done = lab.host.nvme(f"mptcp setup --role {side} {more} --apply -o json")
        assert {step["state"] for step in done["steps"]} <= {"done"}, done
    for side, more in words.items():
        again = lab.host.nvme(f"mptcp setup --role {side} {more} -o json")
        assert again["steps"] == [], f"a second setup of the {side} has something to do"


def started(lab: Lab) -> list[list[str]]:
    """Where the established subflows of each connection start, as ss shows them."""
    found: dict[str, list[str]] = {}
    for subflow in lab.host.subflows():
        end = subflow.local.rpartition(":")[0].partition("%")[0].strip("[]")
        found.setdefault(subflow.token, []).append(end)
    return sorted(sorted(ends) for ends in found.values())


def carried(lab: Lab) -> list[dict[str, str]]:
    return [
        {s["link"]: s["local"].rpartition(":")[0].strip("[]") for s in connection["subflows"]}
        for connection in lab.host.connections()
    ]


def is_clean(lab: Lab) -> None:
    """Each side's check finds nothing with the other's report, nor does repair."""
    netns = {"host": "", "target": "--netns target"}
    for side, where in netns.items():
        lab.host.nvme(f"mptcp report {where} --interval 0.1 -O /tmp/{side}.json")
    for side, other in (("host", "target"), ("target", "host")):
        lab.host.nvme(f"mptcp check --role {side} {netns[side]} --peer /tmp/{other}.json {QUICK}")
    assert lab.host.nvme("mptcp repair -o json")["steps"] == []


@pytest.mark.parametrize("shape", map(bare, SHAPES))
def test_one_subflow_on_each_usable_link(lab: Lab, shape: Shape) -> None:
    lab.network.changed = True
    lab.network.ip("host", *shape.host)
    lab.network.ip("target", *shape.target)
    lab.target.configure(Target.simple(NQN, adrfam=shape.family))
    settle(lab, shape)
    portal = shape.traddrs[0]
    lab.host.nvme(f"mptcp check --role host --traddr {portal} {QUICK}")
    lab.host.nvme(f"connect -t mptcp -a {portal} -s 4420 -n {NQN} --nr-io-queues 1")
    wanted = [sorted(shape.carries.values())] * 2
    wait_until(lambda: started(lab) == wanted, f"one subflow on each of {shape.carries}", 20)
    assert carried(lab) == [dict(shape.carries)] * 2
    lab.host.read(lab.host.disk(NQN), 1 << 20)
    is_clean(lab)
    assert started(lab) == wanted, "a check or repair changed something"
