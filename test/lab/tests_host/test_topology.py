# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that make a topology, as a plain value they come from."""

from __future__ import annotations

import pytest
from lab.network import DEEP_QUEUE, Endpoint, Limits, Link, Shape, Topology, address


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Shape(), f"rate 100mbit limit {DEEP_QUEUE}"),
        (Shape(delay="5ms", loss="0.5%"), f"rate 100mbit delay 5ms loss 0.5% limit {DEEP_QUEUE}"),
        (Shape(rate="", delay="5ms", limit=7), "delay 5ms limit 7"),
        (Shape(rate=""), ""),
    ],
)
def test_netem_gets_what_the_shape_says(shape: Shape, words: str) -> None:
    assert shape.netem() == words


def test_each_direction_has_its_own_shape() -> None:
    link = Link(to_host=Shape(rate="10mbit"), to_target=Shape(rate="", loss="1%"))
    topology = Topology(links=(link, Link.both(rate="")))
    tail = f"limit {DEEP_QUEUE}"
    assert topology.shaping_commands("host") == [f"qdisc replace dev h1 root netem loss 1% {tail}"]
    assert topology.shaping_commands("target") == [
        f"qdisc replace dev t1 root netem rate 10mbit {tail}"
    ]


def test_links_have_addresses_of_both_families_and_rising_metrics() -> None:
    topology = Topology(links=(Link(), Link()))
    assert topology.namespace_commands() == [
        "netns add target",
        "link add h1 type veth peer name t1 netns target",
        "link add h2 type veth peer name t2 netns target",
    ]
    host = topology.address_commands("host")
    assert "address add 10.1.2.2/24 dev h2" in host
    assert "address add fd00:1:2::2/64 nodad dev h2" in host
    assert "route add 0.0.0.0/0 via 10.1.2.1 dev h2 metric 20" in host
    assert "route add ::/0 via fd00:1:1::1 dev h1 metric 10" in host
    target = topology.address_commands("target")
    assert target[0] == "link set lo up"
    assert "address add 10.1.1.1/24 dev t1" in target
    assert not [line for line in target if line.startswith("route")]


def test_the_host_may_have_a_namespace_of_its_own() -> None:
    topology = Topology(links=(Link(),), host_namespace="host")
    assert topology.namespace_commands() == [
        "netns add host",
        "netns add target",
        "link add h1 netns host type veth peer name t1 netns target",
    ]
    assert topology.address_commands("host")[0] == "link set lo up"


def test_one_per_link_announces_on_the_target_only() -> None:
    topology = Topology.one_per_link(2, "ipv6", rate="10mbit")
    assert topology.path_manager_commands("host") == [
        "mptcp endpoint flush",
        "mptcp limits set subflows 8 add_addr_accepted 8",
    ]
    assert topology.path_manager_commands("target")[2:] == [
        "mptcp endpoint add fd00:1:1::1 signal",
        "mptcp endpoint add fd00:1:2::1 signal",
    ]


def test_the_selftests_set_up_has_subflow_endpoints_on_the_host() -> None:
    topology = Topology.selftest(2)
    assert topology.path_manager_commands("host")[2:] == [
        "mptcp endpoint add 10.1.1.2 subflow",
        "mptcp endpoint add 10.1.2.2 subflow",
    ]


def test_an_endpoint_says_all_that_it_has() -> None:
    endpoint = Endpoint(3, ("subflow", "backup"), dev=True, id=9)
    assert endpoint.words("host") == "10.1.3.2 dev h3 id 9 subflow backup"
    assert Endpoint(1, ("signal",), "ipv6", port=4422).words("target") == (
        "fd00:1:1::1 signal port 4422"
    )


def test_single_path_leaves_no_room_for_subflows() -> None:
    topology = Topology.single_path(1)
    assert topology.limits["host"] == Limits(0, 0)
    assert topology.path_manager_commands("target") == [
        "mptcp endpoint flush",
        "mptcp limits set subflows 0 add_addr_accepted 0",
    ]


def test_equal_topologies_are_equal() -> None:
    assert Topology.one_per_link() == Topology.one_per_link()
    assert Topology.one_per_link() != Topology.one_per_link(rate="20mbit")
    assert address("target", 4, "ipv6") == "fd00:1:4::1"
