# SPDX-License-Identifier: LGPL-2.1-or-later
"""A configuration's mptcp object is applied before connecting, to the MPTCP of this machine."""

import errno
import json
from typing import Any

import discovery_log as dl
import pytest
from conftest import Nvme, network_of
from fake_sysfs import HOSTID, HOSTNQN, FakeHost
from mptcp_net import Network
from test_mptcp import endpoints

NQN = "nqn.2025-01.test:one"
WANTED = {
    "limits": {"subflows": 7, "add_addr_accepted": 3},
    "endpoints": [
        {"address": "10.77.1.2", "dev": "eth1", "flags": ["subflow"]},
        {"address": "fd77:2::2", "dev": "eth2", "flags": ["subflow", "backup"]},
    ],
}
MADE = [("10.77.1.2", "eth1", ["subflow"]), ("fd77:2::2", "eth2", ["subflow", "backup"])]


network = network_of(2, scope="module")


@pytest.fixture
def net(network: Network) -> Network:
    """Without endpoints, and with the limits that the kernel starts with."""
    network.stop()
    network.limits(2, 0)
    return network


def write(host: FakeHost, mptcp: Any, **more: Any) -> str:
    """A configuration of one port with an mptcp object."""
    port = {"transport": "mptcp", "traddr": "10.77.1.1", "trsvcid": "4420"}
    entry = {"hostnqn": HOSTNQN, "hostid": HOSTID, "mptcp": mptcp}
    entry["subsystems"] = [{"nqn": NQN, "ports": [port | more]}]
    path = host.etc / "config.json"
    path.write_text(json.dumps([entry], indent=1))
    return str(path)


def found(net: Network) -> list[tuple[str, str | None, list[str]]]:
    return [(e["address"], e["dev"], e["flags"]) for e in endpoints(net.host)["endpoints"]]


def limits(net: Network) -> Any:
    return endpoints(net.host)["limits"]


def test_connect(nvme: Nvme, host: FakeHost, net: Network) -> None:
    path = write(host, WANTED)
    host.answer_new(NQN, "10.77.1.1")
    assert nvme.ok("connect", "-J", path, netns=net.host).out == ""
    assert found(net) == MADE
    assert limits(net) == WANTED["limits"]
    assert len(host.connects) == 1
    # What is there is kept, and there is nothing to tell about it.
    result = nvme("connect", "-J", path, "-v", netns=net.host)
    assert (result.status, result.out) == (0, "")
    assert len(host.connects) == 1
    assert found(net) == MADE


def test_verbose_shows_changes(nvme: Nvme, host: FakeHost, net: Network) -> None:
    path = write(host, WANTED)
    host.answer_new(NQN, "10.77.1.1")
    result = nvme("connect", "-J", path, "-v", netns=net.host, status=0)
    lines = result.out.splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        "ip mptcp limits set subflows 7 add_addr_accepted 3",
        "ip mptcp endpoint add 10.77.1.2 dev eth1 subflow",
        "ip mptcp endpoint add fd77:2::2 dev eth2 subflow backup",
    ]
    assert lines[1].endswith(f" ({path}:11: $[0].mptcp.endpoints[0] requires it)")


def test_connect_all(nvme: Nvme, host: FakeHost, net: Network) -> None:
    write(host, WANTED)
    dl.controller(host, dl.log(), address="traddr=10.77.1.1")
    asked = ["-t", "mptcp", "-a", "10.77.1.1"]
    result = nvme("connect-all", *asked, "-o", "json", "-v", netns=net.host)
    assert (result.status, result.json) == (0, []), result
    assert found(net) == MADE
    assert len(host.connects) == 1


@pytest.mark.parametrize(
    "args",
    [
        ["discover", "-t", "mptcp", "-a", "10.77.1.1"],
        ["connect", "-t", "mptcp", "-a", "10.77.1.1", "-n", NQN],
        ["connect-all", "-t", "mptcp", "-a", "10.77.1.1", "-J", "none"],
        ["config", "--dump"],
        ["config", "--update"],
    ],
    ids=lambda args: " ".join(args[:1] + args[-1:]),
)
def test_nothing_else_applies_it(nvme: Nvme, host: FakeHost, net: Network, args: list[str]) -> None:
    write(host, WANTED)
    host.answer_error(errno.ECONNREFUSED)
    nvme(*args, netns=net.host)
    assert found(net) == []
    assert limits(net) == {"subflows": 2, "add_addr_accepted": 0}


def test_dump_writes_it_back(nvme: Nvme, host: FakeHost) -> None:
    write(host, WANTED)
    result = nvme("config", "--dump", status=0)
    assert result.json[0]["mptcp"] == WANTED


def test_what_differs_is_changed_and_others_stay(nvme: Nvme, host: FakeHost, net: Network) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "signal")
    net.endpoint(net.host, "10.77.1.2", "dev", "eth1", "signal")
    net.endpoint(net.host, "fd77:2::2", "dev", "eth2", "subflow")
    path = write(host, WANTED)
    host.answer_new(NQN, "10.77.1.1")
    result = nvme("connect", "-J", path, "-v", netns=net.host, status=0)
    assert "ip mptcp endpoint delete id 2 && ip mptcp endpoint add 10.77.1.2" in result.out
    assert "ip mptcp endpoint change id 3 backup" in result.out
    assert sorted(found(net)) == sorted([("10.77.2.2", "eth2", ["signal"]), *MADE])


def test_ports_of_endpoints(nvme: Nvme, host: FakeHost, net: Network) -> None:
    """An address may be announced with a port, beside an endpoint of its own without one."""
    own = {"address": "10.77.2.2", "dev": "eth2"}
    announced = {**own, "port": 4421, "flags": ["signal"]}
    path = write(host, {"endpoints": [own, announced]})
    host.answer_new(NQN, "10.77.1.1")

    def ports() -> list[tuple[str, int, list[str]]]:
        there = endpoints(net.host)["endpoints"]
        return sorted((e["address"], e["port"] or 0, e["flags"]) for e in there)

    result = nvme("connect", "-J", path, "-v", netns=net.host, status=0)
    assert "ip mptcp endpoint add 10.77.2.2 dev eth2 signal port 4421 (" in result.out
    assert ports() == [("10.77.2.2", 0, ["subflow"]), ("10.77.2.2", 4421, ["signal"])]
    assert nvme("connect", "-J", path, "-v", netns=net.host).out == ""
    write(host, {"endpoints": [own, announced | {"port": 4422}]})
    assert nvme("connect", "-J", path, netns=net.host).status == 0
    assert ports() == [
        ("10.77.2.2", 0, ["subflow"]), ("10.77.2.2", 4421, ["signal"]),
        ("10.77.2.2", 4422, ["signal"]),
    ]  # fmt: skip


def test_failure_undoes_everything(nvme: Nvme, host: FakeHost, net: Network) -> None:
    """More endpoints than this kernel keeps."""
    many = [{"address": f"10.77.1.{i}", "dev": "eth1"} for i in range(2, 202)]
    path = write(host, {"limits": {"subflows": 4}, "endpoints": many})
    (last,) = nvme.error("connect", "-J", path, "--nr-io-queues=1", netns=net.host).splitlines()
    assert last.startswith(path) and "$[0].mptcp.endpoints[" in last
    assert "ip mptcp endpoint add 10.77.1." in last
    assert last.endswith("nothing is changed and nothing is connected")
    assert found(net) == []
    assert limits(net) == {"subflows": 2, "add_addr_accepted": 0}
    assert host.written == []


def test_unknown_interface(nvme: Nvme, host: FakeHost, net: Network, valid: Any) -> None:
    path = write(host, {"endpoints": [{"address": "10.77.1.2", "dev": "nosuch0"}]})
    (line,) = nvme.error("connect", "-J", path, netns=net.host).splitlines()
    assert line.startswith(f"{path}:") and line.endswith(
        '$[0].mptcp.endpoints[0].dev: no such network interface: "nosuch0" '
        "(ip link lists them); nothing is connected"
    )
    assert host.written == []
    in_json = nvme("connect", "-J", path, "-o", "json", netns=net.host)
    assert (in_json.status, in_json.err) == (1, "")
    valid("error", in_json.json)


def test_strange_address_is_told(nvme: Nvme, host: FakeHost, net: Network) -> None:
    path = write(host, {"endpoints": [{"address": "192.0.2.77"}]})
    host.answer_new(NQN, "10.77.1.1")
    result = nvme("connect", "-J", path, netns=net.host, status=0)
    assert "192.0.2.77 is not an address of this host: no subflow can start from it" in result.err
    assert len(host.connects) == 1
