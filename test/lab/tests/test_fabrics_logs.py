# SPDX-License-Identifier: GPL-2.0-or-later
"""Discovery logs that the kernel's own target does not give: dead portals, mixtures, DIM."""

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import DiscoveryService, Entry, Host, Lab, Port, Subsystem, Target
from lab.host import HOST_ID, HOST_NQN
from lab.system import KernelLog, load_modules

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])
PORTALS = 8
DEAD = 0  # the first entry of the log: in its order everybody would wait for this one
CONF = Path("/etc/nvme/discovery.conf")
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"


def nqn(number: int) -> str:
    return f"nqn.2024-01.lab:disk{number}"


def portals(transport: str, count: int = PORTALS) -> tuple[Target, list[Entry]]:
    """A target of several portals, each with a subsystem of its own, and the log of them all."""
    subsystems = tuple(Subsystem(nqn(i), namespaces=()) for i in range(count))
    ports = tuple(
        Port(i + 1, transport, traddr=f"10.1.{i % 4 + 1}.1", trsvcid=4430 + i,
             subsystems=(nqn(i),))
        for i in range(count)
    )  # fmt: skip
    entries = [Entry(nqn(i), ports[i].traddr, ports[i].trsvcid, transport) for i in range(count)]
    return Target(subsystems, ports), entries


def nqns(host: Host) -> list[str]:
    return sorted(controller.attribute("subsysnqn") for controller in host.controllers())


@TRANSPORTS
@pytest.mark.limit(120)
def test_a_dead_portal_delays_nobody(lab: Lab, transport: str) -> None:
    """Of eight portals the first is silent: the seven others are there before it is waited for.

    The kernel's own log gives the order of events: what it says of new controllers, and the
    packets with which connections to the silent portal begin, which a rule of the host's firewall
    logs. The first of these come from the probe, which calls all portals at the same time; each
    later one with another source port begins a connect of the kernel, whose time-out it starts.
    """
    target, entries = portals(transport)
    lab.target.configure(target)
    dead = entries[DEAD]
    lab.network.drop("target", f"tcp dport {dead.trsvcid}")
    load_modules("nf_log_syslog")
    lab.network.log("host", "dead: ", f"tcp dport {dead.trsvcid} tcp flags syn")
    log = KernelLog()
    with DiscoveryService(entries, transport) as service:
        said = lab.host.nvme_fails(f"connect-all {service.portal} -o json", status=1)
    assert f"{dead.traddr}" in said and f"{dead.trsvcid}" in said and "timed out" in said.lower()
    live = [entry.subnqn for i, entry in enumerate(entries) if i != DEAD]
    assert nqns(lab.host) == live

    created: list[str] = []
    callers: list[str] = []
    before_the_connect: list[str] = []
    for line in log.read():
        new = re.search(r'new ctrl: NQN "([^"]+)"', line)
        caller = re.search(r"^dead: .* SPT=(\d+) ", line)
        if new and new[1] in live:
            created.append(new[1])
        elif caller and caller[1] not in callers:
            callers.append(caller[1])
            before_the_connect = list(created)
    log.close()
    assert len(callers) == 2, f"the probe and the kernel's connect, but {callers}"
    assert before_the_connect == live


@TRANSPORTS
def test_live_portals_are_connected_in_the_order_of_the_log(lab: Lab, transport: str) -> None:
    target, entries = portals(transport, 3)
    lab.target.configure(target)
    with DiscoveryService(list(reversed(entries)), transport) as service:
        said = lab.host.nvme(f"connect-all {service.portal} -o json")
    assert [entry["subnqn"] for entry in said] == [nqn(2), nqn(1), nqn(0)]
    assert [entry["result"] for entry in said] == ["connected"] * 3


def test_a_log_of_mixed_transports(lab: Lab) -> None:
    """connect-all takes what its own transport leads to, and says why not the others."""
    subsystems = (Subsystem(nqn(0)), Subsystem(nqn(1)))
    ports = (
        Port(1, "tcp", trsvcid=4420, subsystems=(nqn(0),)),
        Port(2, "mptcp", trsvcid=4421, subsystems=(nqn(1),)),
    )
    lab.target.configure(Target(subsystems, ports))
    entries = [
        Entry(nqn(0), "10.1.1.1", 4420, "tcp"),
        Entry(nqn(1), "10.1.1.1", 4421, "mptcp"),
        Entry(nqn(2), "10.1.1.1", 4422, "rdma"),
        Entry(nqn(3), "10.1.1.1", 4423, 77),
    ]
    for transport, number in (("mptcp", 1), ("tcp", 0)):
        with DiscoveryService(entries, transport) as service:
            shown = lab.host.nvme(f"discover {service.portal} -o json")["records"]
            assert [entry["subnqn"] for entry in shown] == [nqn(i) for i in range(4)]
            assert [entry["trtype"] for entry in shown[:3]] == ["tcp", "mptcp", "rdma"]
            said = lab.host.nvme(f"connect-all {service.portal} -o json")
        results = {entry["subnqn"]: entry["result"] for entry in said}
        assert results.pop(nqn(number)) == "connected"
        assert all(
            result.startswith(("skipped", "already")) for result in results.values()
        ), results
    assert nqns(lab.host) == [nqn(0), nqn(1)]


@TRANSPORTS
def test_referrals_go_on_from_service_to_service(lab: Lab, transport: str) -> None:
    """A service that has nothing refers to a second, that one to the first and to a target."""
    target, (entry,) = portals(transport, 1)
    lab.target.configure(target)
    there = Entry(DISCOVERY, "10.1.2.1", 8010, transport, subtype="referral")
    back = Entry(DISCOVERY, "10.1.1.1", 8009, transport, subtype="referral")
    with (
        DiscoveryService([there], transport) as first,
        DiscoveryService([back, entry], transport, "10.1.2.1", 8010) as second,
    ):
        lab.host.nvme(f"connect-all {first.portal}")
    assert nqns(lab.host) == [nqn(0)]
    assert len(second.connects) == 1
    assert len(first.connects) <= 2


@TRANSPORTS
def test_referrals_lead_through_connected_services(lab: Lab, transport: str) -> None:
    """A service that stayed connected is read again when another refers to it."""
    target, (entry,) = portals(transport, 1)
    lab.target.configure(target)
    there = Entry(DISCOVERY, "10.1.2.1", 8010, transport, subtype="referral")
    with (
        DiscoveryService([there], transport) as first,
        DiscoveryService([entry], transport, "10.1.2.1", 8010) as second,
    ):
        lab.host.nvme(f"discover {second.portal} --persistent")
        (stays,) = lab.host.controllers()
        said = lab.host.nvme(f"connect-all {first.portal} -o json")
        assert (said[0]["device"], said[0]["result"]) == (stays.name, "already connected")
        assert said[1]["result"] == "connected"
        assert nqns(lab.host) == sorted([stays.attribute("subsysnqn"), nqn(0)])
        assert len(second.connects) == 1
        lab.host.disconnect_all()


@TRANSPORTS
def test_dim_registers_this_host(lab: Lab, transport: str) -> None:
    with DiscoveryService([], transport) as service:
        lab.host.nvme(f"discover {service.portal} --persistent")
        (controller,) = lab.host.controllers()
        said = lab.host.nvme(f"dim -d {controller.name} -t register")
        assert said == f"{controller.name} DIM register command success\n"
        said = lab.host.nvme(f"dim -n {DISCOVERY} -t deregister")
        assert said == f"{controller.name} DIM deregister command success\n"
        lab.host.disconnect_all()
    (register, data), (deregister, _) = service.registrations
    assert (register, deregister) == (0, 1)
    assert struct.unpack_from("<I", data)[0] == len(data)
    assert HOST_NQN.encode() in data
    assert bytes.fromhex(HOST_ID.replace("-", "")) in data
    assert service.connects[-1].hostnqn == HOST_NQN
    assert service.connects[-1].kato == 30000


@pytest.fixture
def _discovery_conf() -> Iterator[None]:
    """A discovery.conf of two lines; the second names nothing of what the first one does."""
    CONF.write_text(
        "# the lab's services\n"
        "--transport=tcp --traddr=10.1.1.1 --trsvcid=8009 --nr-io-queues=1 --hdr-digest\n"
        "-t mptcp -a 10.1.2.1\n"
    )
    yield
    CONF.unlink()


@pytest.mark.usefixtures("_discovery_conf")
def test_discovery_conf(lab: Lab) -> None:
    """Both lines are followed, and the first one's arguments stay its own."""
    subsystems = (Subsystem(nqn(0), namespaces=()), Subsystem(nqn(1), namespaces=()))
    ports = (
        Port(1, "tcp", traddr="10.1.1.1", trsvcid=8009, subsystems=(nqn(0),)),
        Port(2, "mptcp", traddr="10.1.2.1", trsvcid=8009, subsystems=(nqn(1),)),
    )
    lab.target.configure(Target(subsystems, ports))
    lab.host.nvme("connect-all")
    found = {c.attribute("subsysnqn"): c for c in lab.host.controllers()}
    assert sorted(found) == [nqn(0), nqn(1)]
    assert [found[nqn(i)].attribute("transport") for i in (0, 1)] == ["tcp", "mptcp"]
    assert found[nqn(0)].attribute("queue_count") == "2"
    assert int(found[nqn(1)].attribute("queue_count")) == 1 + (os.cpu_count() or 1)
