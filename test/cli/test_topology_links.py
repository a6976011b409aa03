# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme show-topology: the links that carry a controller, as text."""

import json
import re
from collections.abc import Iterator

import pytest
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import run

LINK = "\x1b[2J;&"


@pytest.fixture
def net(host: FakeHost) -> Iterator[Network]:
    """Two controllers, one of them with two connections over three links; one has an odd name."""
    first = host.subsystem(0, "nqn.2026-01.org.example:disk")
    first.controller(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2", queue_count=2)
    first.controller(1, "tcp", "traddr=10.77.2.1,trsvcid=4420,src_addr=10.77.2.2")
    first.namespace(1)
    with Network(3, 8, 8) as net:
        net.rename("eth3", LINK)
        net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow", "backup")
        net.endpoint(net.host, "10.77.3.2", "dev", LINK, "subflow")
        net.connections(2)
        yield net


def lines(net: Network, host: FakeHost, *options: str) -> list[str]:
    result = run("show-topology", *options, host=host, unseen=net.host)
    assert (result.status, result.err) == (0, ""), result
    return result.out.splitlines()


@pytest.mark.parametrize("ranking", ["namespace", "ctrl", "multipath"])
def test_links_follow_their_controller(net: Network, host: FakeHost, ranking: str) -> None:
    """Below the controller that they carry, and in what nothing else stands."""
    shown = lines(net, host, "-r", ranking)
    at = next(n for n, line in enumerate(shown) if re.search(r"\bnvme0 mptcp\b", line))
    odd = next(line for line in shown if "2J;&" in line)
    assert [line.split("+- ")[1] for line in shown[at + 1 : at + 3]] == [
        "eth1 2 subflows", "eth2 2 subflows, 2 backup",
    ]  # fmt: skip
    assert shown[at + 3] == odd and odd.endswith(" 2 subflows") and "\x1b" not in odd
    indent = shown[at + 1].index("+-")
    assert indent > shown[at].index("+-")
    tcp = next(n for n, line in enumerate(shown) if re.search(r"\bnvme1 tcp\b", line))
    assert not any("subflow" in line for line in shown[tcp + 1 :]) or tcp < at


def test_a_lost_link(net: Network, host: FakeHost) -> None:
    net.ip("link", "set", "eth2", "down", netns=net.target)
    net.ip("link", "set", "eth2", "down", netns=net.host)
    shown = [line for line in lines(net, host) if "+- eth2 " in line]
    assert shown and all(line.endswith(", down") for line in shown)


@pytest.mark.parametrize("ranking", [(), ("-r", "multipath"), ("-r", "ctrl")])
def test_a_controller_without_namespaces(host: FakeHost, ranking: tuple[str, ...]) -> None:
    """It is there, once, whatever is on top, and its links with it."""
    bare = host.subsystem(0, "nqn.2026-01.org.example:bare")
    bare.controller(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2", queue_count=2)
    bare.controller(1, "tcp", "traddr=10.77.2.1,trsvcid=4420,src_addr=10.77.2.2")
    with Network(1) as net:
        net.connections(2)
        shown = lines(net, host, *ranking)
        tabular = lines(net, host, "-o", "tabular")
    assert [line.strip() for line in shown if "nvme0" in line or "eth1" in line] == [
        "+- nvme0 mptcp traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2"
        + (" live" if "ctrl" not in ranking else ""),
        "+- eth1 2 subflows",
    ]
    assert any("nvme1" in line for line in shown) == ("ctrl" in ranking), "as nvme-cli 2.x"
    assert not any("eth1" in line for line in tabular)


def test_json_is_as_before(net: Network, host: FakeHost) -> None:
    result = run("show-topology", "-o", "json", host=host, unseen=net.host)
    assert "subflows" not in result.out and "eth1" not in result.out
    assert json.loads(result.out)[0]["Subsystems"][0]["Namespaces"]


def test_without_connections(host: FakeHost) -> None:
    """Nothing is made up where nothing is seen."""
    host.subsystem(0, "nqn.2026-01.org.example:disk").controller(0, "mptcp", queue_count=2)
    with Network(1) as net:
        shown = lines(net, host, "-r", "ctrl")
    assert not any("subflow" in line for line in shown) and any("nvme0" in line for line in shown)
