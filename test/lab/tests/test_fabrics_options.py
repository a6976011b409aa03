# SPDX-License-Identifier: GPL-2.0-or-later
"""What the options of connect do to a real connection: interface, tos, digests, queues, times."""

from pathlib import Path

import pytest
from lab import DiscoveryService, Lab, Port, Subsystem, Target, Topology, Way, wait_until
from lab.host import Controller
from lab.system import KernelLog
from lab.ways import PORT

NQN = "nqn.2024-01.lab:disk"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])

#: Every connection keeps to one path, whose packets can be counted.
pytestmark = pytest.mark.topology(Topology.single_path(2))


def sockets(lab: Lab, transport: str) -> list[str]:
    """The host's end of every established connection to the target, as ss tells it."""
    said = lab.network.run(
        "host", "ss", "-Htn", "state", "established", f"( dport = :{PORT[transport]} )"
    )
    return [line.split()[2] for line in said.splitlines()]


def received(link: int) -> int:
    return int(Path(f"/sys/class/net/h{link}/statistics/rx_bytes").read_text())


def offered(lab: Lab, transport: str, family: str = "ipv4") -> Way:
    """A disk, and the way to it."""
    way = Way(transport, family)
    lab.target.configure(way.target(Subsystem(NQN)))
    return way


def connect(lab: Lab, way: Way, options: str) -> Controller:
    lab.host.nvme(f"connect {way.portal()} -n {NQN} {options}")
    (controller,) = lab.host.controllers()
    return controller


@TRANSPORTS
def test_host_iface(lab: Lab, transport: str) -> None:
    """To the target's first address, but through the second link, sockets and bytes."""
    way = offered(lab, transport)
    assert lab.host.nvme(f"discover {way.portal()} --host-iface=h2 -o json")["records"]
    controller = connect(lab, way, "--host-iface=h2")
    assert controller.attribute("address") == (
        f"traddr=10.1.1.1,trsvcid={way.trsvcid},host_iface=h2,src_addr=10.1.2.2"
    )
    ends = sockets(lab, transport)
    assert ends and all(end.startswith("10.1.2.2%h2:") for end in ends), ends
    disk = lab.host.disk(NQN)
    before = received(1), received(2)
    lab.host.read(disk, 1 << 20)
    assert received(1) - before[0] < 64 << 10
    assert received(2) - before[1] > 1 << 20


@TRANSPORTS
def test_host_traddr(lab: Lab, transport: str) -> None:
    way = offered(lab, transport)
    controller = connect(lab, way, "--host-traddr=10.1.2.2")
    assert "host_traddr=10.1.2.2,src_addr=10.1.2.2" in controller.attribute("address")
    ends = sockets(lab, transport)
    assert ends and all(end.startswith("10.1.2.2") for end in ends), ends


@TRANSPORTS
@pytest.mark.parametrize("family", ["ipv4", "v4mapped"])
def test_tos(lab: Lab, transport: str, family: str) -> None:
    """What opens a connection carries it and what carries data does, in discovery too."""
    way = offered(lab, transport, family)
    port = f"tcp dport {way.trsvcid} tcp flags & (syn | psh) != 0"
    # 0x10 is code point 4
    lab.network.count("target", marked=f"{port} ip dscp 4", plain=f"{port} ip dscp != 4")
    lab.host.nvme(f"discover {way.portal()} --tos=0x10")
    found = lab.network.counted("target")
    assert found["marked"] > 5 and found["plain"] == 0, found
    connect(lab, way, "--tos=0x10")
    lab.host.write(lab.host.disk(NQN), bytes(256 << 10))
    after = lab.network.counted("target")
    assert after["marked"] > found["marked"] + 10 and after["plain"] == 0, after


@pytest.mark.every_kernel
@TRANSPORTS
@pytest.mark.parametrize("family", ["ipv4", "v4mapped"])
def test_answers_of_the_target_carry_it(lab: Lab, transport: str, family: str) -> None:
    """Those of every connection of a controller, once that is made."""
    way = offered(lab, transport, family)
    port = f"tcp sport {way.trsvcid} tcp flags & psh != 0"
    lab.network.count("host", marked=f"{port} ip dscp 4", plain=f"{port} ip dscp != 4")
    connect(lab, way, "--tos=0x10")
    lab.host.read(lab.host.disk(NQN), 256 << 10)
    found = lab.network.counted("host")
    assert found["marked"] > 10 and found["plain"] == 0, found


@pytest.mark.every_kernel
def test_tclass_marks_ipv6(lab: Lab) -> None:
    """MPTCP of the kernel takes no IPV6_TCLASS; what opens a connection goes out before."""
    way = offered(lab, "mptcp", "ipv6")
    port = f"tcp dport {way.trsvcid} tcp flags & psh != 0"
    lab.network.count("target", marked=f"{port} ip6 dscp 4", plain=f"{port} ip6 dscp != 4")
    connect(lab, way, "--tclass=0x10")
    lab.host.write(lab.host.disk(NQN), bytes(256 << 10))
    found = lab.network.counted("target")
    assert found["marked"] > 10 and found["plain"] == 0, found


@TRANSPORTS
def test_digests_are_asked_for(transport: str, lab: Lab) -> None:
    """The target sees which ones, and they are right: it checks every header and all data."""
    with DiscoveryService([], transport) as service:
        for number, options in enumerate(("", "-g", "-G", "-g -G")):
            log = lab.host.nvme(f"discover {service.portal} {options} -o json")
            assert log == {"genctr": 1, "records": []}
            assert service.connects[-1].digests == number


@TRANSPORTS
def test_data_with_digests(lab: Lab, transport: str) -> None:
    way = offered(lab, transport)
    controller = connect(lab, way, "--hdr-digest --data-digest")
    disk = lab.host.disk(NQN)
    lab.host.verify(disk)
    if transport == "mptcp":
        job = lab.host.fio(disk, rw="randwrite", bs="64k", size="1m", verify="crc32c", iodepth=8,
                           runtime=None, time_based=None)  # fmt: skip
        assert job["write"]["io_bytes"] == 1 << 20
        assert job["read"]["io_bytes"] == 1 << 20  # what it verified
    assert controller.state == "live"


@TRANSPORTS
def test_queues(lab: Lab, transport: str) -> None:
    way = offered(lab, transport)
    log = KernelLog()
    controller = connect(lab, way, "-i 2 -W 1 -P 1 -Q 32")
    assert controller.attribute("queue_count") == "5"
    assert controller.attribute("sqsize") == "31"
    assert any("mapped 1/2/1 default/read/poll queues" in line for line in log.read())
    log.close()
    assert len(sockets(lab, transport)) == 5
    lab.host.verify(lab.host.disk(NQN), 64 << 10)


@TRANSPORTS
def test_times(lab: Lab, transport: str) -> None:
    way = offered(lab, transport)
    controller = connect(lab, way, "-i 1 -k 7 -c 3 -l 33 -F 5")
    names = ("queue_count", "kato", "reconnect_delay", "ctrl_loss_tmo", "fast_io_fail_tmo")
    # the kernel keeps whole attempts: 33 s are 11 of them
    assert [controller.attribute(name) for name in names] == ["2", "7", "3", "33", "5"]


def test_times_of_loop(lab: Lab) -> None:
    """The kernel's loop does not reconnect, and knows no such options."""
    way = offered(lab, "loop", "")
    said = lab.host.nvme_fails(f"connect {way.portal()} -n {NQN} --reconnect-delay=3")
    assert "loop" in said and "reconnect_delay" in said
    controller = connect(lab, way, "-i 1 -k 7")
    names = ("queue_count", "kato")
    assert [controller.attribute(name) for name in names] == ["2", "7"]


@TRANSPORTS
def test_keep_alive_finds_a_silent_target(lab: Lab, transport: str) -> None:
    """Without I/O only the keep-alive time can tell; the default's would be 5 s."""
    way = offered(lab, transport)
    controller = connect(lab, way, "-k 1 -c 1")
    log = KernelLog()
    lab.network.drop("target", f"tcp dport {way.trsvcid}")
    controller.wait_for("connecting", timeout=30)
    said: list[str] = []

    def is_told() -> bool:
        said.extend(line.lower().replace("-", " ").replace("_", " ") for line in log.read())
        return any("keep alive" in line for line in said)

    wait_until(is_told, "the kernel says that it was the keep-alive")
    log.close()
    lab.network.undrop("target")
    controller.wait_for("live", timeout=30)
    wait_until(lambda: controller.attribute("queue_count") == "3", "all queues back")


def test_both_transports_on_one_port_are_two_controllers(lab: Lab) -> None:
    """An mptcp port that tcp has, too, at another address: not a duplicate."""
    ports = (
        Port(1, "tcp", traddr="10.1.1.1", trsvcid=4430),
        Port(2, "mptcp", traddr="10.1.2.1", trsvcid=4430),
    )
    lab.target.configure(Target((Subsystem(NQN),), ports))
    lab.host.nvme(f"connect -t tcp -a 10.1.1.1 -s 4430 -n {NQN}")
    # mptcp finds its way to the tcp port by falling back
    lab.host.nvme(f"connect -t mptcp -a 10.1.1.1 -s 4430 -n {NQN}")
    lab.host.nvme(f"connect -t mptcp -a 10.1.2.1 -s 4430 -n {NQN}")
    said = lab.host.nvme_fails(f"connect -t mptcp -a 10.1.2.1 -s 4430 -n {NQN}")
    assert "already connected" in said
    assert [c.attribute("transport") for c in lab.host.controllers()] == ["tcp", "mptcp", "mptcp"]
