# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab itself: links, endpoints, target and clean-up, with nothing of the project in between."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from lab import (
    AllowedHost,
    Endpoint,
    Lab,
    Limits,
    Link,
    Shape,
    Subsystem,
    Target,
    Topology,
    wait_until,
)
from lab.network import address
from lab.nvmet import NVMET
from lab.system import KernelLog, mark, network_namespace

NQN = "nqn.2024-01.lab:disk"


@pytest.mark.every_kernel
def test_links_carry_both_families(lab: Lab) -> None:
    for link in range(1, 5):
        assert lab.network.reaches("host", address("target", link))
        assert lab.network.reaches("target", address("host", link, "ipv6"))


@pytest.mark.every_kernel
def test_limits_and_endpoints_are_those_of_the_topology(lab: Lab) -> None:
    assert [e["address"] for e in lab.network.endpoints("target")] == [
        "10.1.1.1", "10.1.2.1", "10.1.3.1", "10.1.4.1",
    ]  # fmt: skip
    assert all(e["signal"] for e in lab.network.endpoints("target"))
    assert lab.network.endpoints("host") == []
    said = lab.network.run("host", "ip", "mptcp", "limits", "show")
    assert said.split() == ["add_addr_accepted", "8", "subflows", "8"]


@pytest.mark.every_kernel
@pytest.mark.topology(
    Topology(
        links=(Link.both(rate="10mbit"), Link(Shape(delay="40ms"), Shape(rate="", delay="20ms"))),
        families=("ipv4",),
        limits={"host": Limits(3, 1), "target": Limits(2, 0)},
        endpoints={"host": (Endpoint(2, ("subflow", "backup"), dev=True, id=7),)},
    )
)
def test_a_topology_may_be_asymmetric(lab: Lab) -> None:
    (endpoint,) = lab.network.endpoints("host")
    assert (endpoint["id"], endpoint["dev"]) == (7, "h2")
    assert endpoint["backup"]
    assert lab.network.endpoints("target") == []
    began = time.monotonic()
    assert lab.network.reaches("host", "10.1.2.1")
    assert time.monotonic() - began >= 0.060
    assert "rate 10Mbit" in lab.network.run("target", "tc", "qdisc", "show", "dev", "t1")


@pytest.mark.every_kernel
def test_a_lowered_link_carries_nothing(lab: Lab) -> None:
    lab.network.set_link("target", 2, up=False)
    assert not lab.network.reaches("host", "10.1.2.1", timeout=0.5)
    assert Path("/sys/class/net/h2/carrier").read_text().strip() == "0"
    lab.network.set_link("target", 2, up=True)
    wait_until(lambda: Path("/sys/class/net/h2/carrier").read_text().strip() == "1", "carrier")


@pytest.mark.every_kernel
def test_changed_links_are_made_anew(lab: Lab) -> None:
    assert Path("/sys/class/net/h2/carrier").read_text().strip() == "1"
    assert not lab.network.changed


@pytest.mark.every_kernel
def test_the_firewall_drops_what_it_is_told(lab: Lab) -> None:
    lab.network.drop("target", "tcp dport 9")
    assert not lab.network.reaches("host", "10.1.1.1", timeout=0.5)
    lab.network.undrop("target")
    assert lab.network.reaches("host", "10.1.1.1")


@pytest.mark.every_kernel
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
@pytest.mark.parametrize("transport", ["tcp", "mptcp"])
def test_data_written_is_data_read(lab: Lab, transport: str, family: str) -> None:
    lab.target.configure(Target.simple(NQN, trtype=transport, adrfam=family))
    controller = lab.host.connect(NQN, transport, "10.1.1.1" if family == "ipv4" else "fd00:1:1::1")
    assert controller.state == "live"
    assert controller.attribute("transport") == transport
    lab.host.verify(lab.host.disk(NQN), offset=1 << 20)


@pytest.mark.every_kernel
def test_endpoints_of_the_kernels_own_making_go_with_the_test(lab: Lab) -> None:
    lab.connect(NQN)
    lab.host.wait_for_subflows(4, connections=1 + (os.cpu_count() or 1))
    assert lab.network.endpoints("host")
    lab.reset()
    assert lab.network.endpoints("host") == []


@pytest.mark.every_kernel
def test_every_connection_gets_a_subflow_per_link(lab: Lab) -> None:
    lab.connect(NQN)
    # the admin queue and one I/O queue for each CPU
    lab.host.wait_for_subflows(4, connections=1 + (os.cpu_count() or 1))
    links = {flow.remote.rpartition(":")[0] for flow in lab.host.subflows()}
    assert links == {"10.1.1.1", "10.1.2.1", "10.1.3.1", "10.1.4.1"}


@pytest.mark.every_kernel
@pytest.mark.topology(Topology.single_path())
def test_without_limits_there_is_one_subflow(lab: Lab) -> None:
    controller = lab.connect(NQN)
    disk = lab.host.disk(NQN)
    lab.host.write(disk, bytes(1 << 20))
    assert set(lab.host.subflows_per_connection().values()) == {1}
    assert controller.state == "live"


# Slow links: one alone cannot carry it all before the others get their share.
@pytest.mark.every_kernel
@pytest.mark.topology(Topology.one_per_link(rate="20mbit"))
def test_all_four_links_carry_what_is_read(lab: Lab) -> None:
    lab.connect(NQN)
    lab.host.wait_for_subflows(4, connections=1 + (os.cpu_count() or 1))
    disk = lab.host.disk(NQN)
    counters = [Path(f"/sys/class/net/h{link}/statistics/rx_bytes") for link in range(1, 5)]
    before = [int(counter.read_text()) for counter in counters]
    size, piece = 8 << 20, 256 << 10
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: lab.host.read(disk, piece, at), range(0, size, piece)))
    carried = [int(c.read_text()) - b for c, b in zip(counters, before, strict=True)]
    assert sum(carried) > size
    assert min(carried) > size // 20, carried


@pytest.mark.every_kernel
def test_a_target_may_require_a_known_host(lab: Lab) -> None:
    stranger = AllowedHost("nqn.2024-01.lab:somebody-else")
    lab.target.configure(Target((Subsystem(NQN, hosts=(stranger,)),)))
    with pytest.raises(OSError, match=r"Input/output error|Permission|Operation"):
        lab.host.connect(NQN)
    lab.host.connect(NQN, hostnqn=stranger.nqn)


@pytest.mark.topology(Topology(host_namespace="host"))
def test_the_host_may_live_in_a_namespace(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    assert lab.host.connect(NQN).state == "live"
    with network_namespace("host"):
        assert Path("/proc/thread-self/net/dev").read_text().count("h1:") == 1


@pytest.mark.usefixtures("_no_lab")
def test_nothing_is_left_behind() -> None:
    before = set(os.listdir("/sys/class/net"))
    with Lab(Topology.selftest()) as lab:
        lab.connect(NQN)
        assert set(os.listdir("/sys/class/net")) > before
    assert set(os.listdir("/sys/class/net")) == before
    assert not Path("/run/netns/target").exists()
    assert lab.host.controllers() == []
    assert [list((NVMET / d).iterdir()) for d in ("ports", "subsystems", "hosts")] == [[], [], []]
    assert not Path("/sys/module/brd").exists()


def test_the_kernel_log_is_read_from_the_mark_on() -> None:
    log = KernelLog()
    mark("something to find")
    assert log.read() == ["lab: something to find"]
    log.close()
