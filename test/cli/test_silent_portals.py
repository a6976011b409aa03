# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme connect-all: a portal that does not answer delays no other."""

import contextlib
import errno
import socket
import time

import pytest
from fabric import entry
from fake_sysfs import HOSTID, HOSTNQN

ARGS = ["connect-all", "-t", "mptcp", "-a", "10.1.1.1"]


class Portals:
    """Listening sockets on loopback; a silent one drops every SYN."""

    def __init__(self):
        self.sockets = []

    def live(self, address):
        """The port of a portal that answers."""
        listener = socket.create_server((address, 0), backlog=4096)
        self.sockets.append(listener)
        return listener.getsockname()[1]

    def silent(self, address):
        """The port of a portal whose queue is full."""
        listener = socket.create_server((address, 0), backlog=0)
        self.sockets.append(listener)
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                filler.connect(listener.getsockname())
            self.sockets.append(filler)
        return listener.getsockname()[1]


@pytest.fixture
def portals():
    made = Portals()
    yield made
    for each in made.sockets:
        each.close()


def test_live_portals_first(nvme, host, fabric, portals):
    """A dead portal in the middle of eight is tried last."""
    addresses = [f"127.0.0.{i}" for i in range(1, 9)]
    ports = [portals.silent(a) if a == "127.0.0.3" else portals.live(a) for a in addresses]
    entries = [
        entry(f"nqn.{i}", address, trsvcid=number)
        for i, (address, number) in enumerate(zip(addresses, ports, strict=True))
    ]
    fabric.lists(*entries)
    for i in (0, 1, 3, 4, 5, 6, 7):
        fabric.controller(f"nqn.{i}", addresses[i])
    host.answer_error(errno.ETIMEDOUT)
    started = time.monotonic()
    result = nvme(*ARGS)
    assert time.monotonic() - started < 10
    assert result.status == 1
    assert host.sent("nqn")[1:] == [f"nqn.{i}" for i in (0, 1, 3, 4, 5, 6, 7, 2)]


def port(traddr, number):
    """A port of config.json."""
    return {"transport": "mptcp", "traddr": traddr, "trsvcid": str(number)}


def silent_and_live(portals, fabric, host):
    """A log of a silent portal and, behind it, a live one."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    there = entry("nqn.b", "127.0.0.4", trsvcid=live)
    fabric.lists(entry("nqn.a", "127.0.0.3", trsvcid=silent), there)
    fabric.controller("nqn.b", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)


def test_silent_portal_delays_nobody(nvme, host, fabric, portals):
    """What answers is connected while the silent one is called, which follows once it is alone."""
    silent_and_live(portals, fabric, host)
    (host.fake / "calling").write_text("")
    nvme(*ARGS, "-o", "json", status=1)
    assert host.sent("nqn")[1:] == ["nqn.b", "nqn.a"]
    assert (host.fake / "calling").read_text().split() == ["0", "1", "1"]


def test_results_are_in_the_order_of_the_log(nvme, host, fabric, portals):
    silent_and_live(portals, fabric, host)
    result = nvme(*ARGS, "-v", status=1)
    assert [line.split(": ")[0] for line in result.out.splitlines()] == ["-", "nvme1"]
    assert result.err.count("failed to connect to nqn=nqn.a,") == 1


def test_silent_line_delays_no_other(nvme, host, fabric, portals):
    """Nor does a silent discovery controller, whose line comes first."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    (host.etc / "discovery.conf").write_text(
        f"-t mptcp -a 127.0.0.3 -s {silent}\n-t mptcp -a 127.0.0.4 -s {live}\n"
    )
    (host.fake / "calling").write_text("")
    fabric.offers("nqn.a", "10.1.1.1", at="127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all", status=1)
    assert host.sent("traddr") == ["127.0.0.4", "10.1.1.1", "127.0.0.3"]
    assert (host.fake / "calling").read_text().split() == ["1", "1", "1"]
    assert result.err.startswith("/etc/nvme/discovery.conf:1: failed to add controller")


def test_silent_configured_controller_delays_no_other(nvme, host, fabric, portals):
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    subsystem = {"nqn": "nqn.a", "ports": [port("127.0.0.3", silent), port("127.0.0.4", live)]}
    host.configure([{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": [subsystem]}])
    (host.fake / "calling").write_text("")
    fabric.controller("nqn.a", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all", "-o", "json", status=1)
    found = {e["traddr"]: e["device"] for e in result.json}
    assert list(found.items()) == [("127.0.0.3", None), ("127.0.0.4", "nvme0")]
    assert (host.fake / "calling").read_text().split() == ["1", "1"]


def test_silent_portal_is_tried_once(nvme, host, fabric, portals):
    """Of many subsystems behind it: the kernel waits for it once, and each is reported."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    behind = [entry(f"nqn.{i}", "127.0.0.3", trsvcid=silent) for i in range(5)]
    there = entry("nqn.live", "127.0.0.4", trsvcid=live)
    fabric.lists(*behind, there)
    fabric.controller("nqn.live", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme(*ARGS, "-o", "json", status=1)
    assert host.sent("nqn")[1:] == ["nqn.live", "nqn.0"]
    reasons = [e["result"] for e in result.json]
    assert "timed out" in reasons[0]
    assert len(set(reasons[1:5])) == 1 and reasons[1].startswith("not tried: the portal")
    assert reasons[5] == "connected"
    assert len(result.err.splitlines()) == 5


def test_silent_discovery_controller_is_tried_once(nvme, host, fabric, portals):
    """Of several lines that name it: each is reported, and fails the command."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    (host.etc / "discovery.conf").write_text(
        f"-t mptcp -a 127.0.0.3 -s {silent}\n"
        f"-t mptcp -a 127.0.0.3 -s {silent} -q nqn.other\n"
        f"-t mptcp -a 127.0.0.4 -s {live}\n"
    )
    fabric.offers("nqn.a", "10.1.1.1", at="127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all", status=1)
    tried = [line for line in host.connects if "traddr=127.0.0.3," in line]
    assert len(tried) == 1 and "nqn.other" not in tried[0]
    first, second = result.err.splitlines()
    assert first.startswith("/etc/nvme/discovery.conf:1: failed to add controller")
    assert second == (
        "/etc/nvme/discovery.conf:2: not connected to the discovery controller at "
        f"127.0.0.3:{silent}: not tried: the portal did not answer "
        "an earlier attempt"
    )


def test_silent_configured_portal_is_tried_once(nvme, host, fabric, portals):
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    dead, there = [port("127.0.0.3", silent)], [port("127.0.0.4", live)]
    behind = {"nqn.a": dead, "nqn.b": dead, "nqn.c": there}
    subsystems = [{"nqn": nqn, "ports": ports} for nqn, ports in behind.items()]
    host.configure([{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": subsystems}])
    fabric.controller("nqn.c", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all", "-o", "json", status=1)
    assert host.sent("nqn") == ["nqn.c", "nqn.a"]
    by_name = {each["subnqn"]: each["result"] for each in result.json}
    assert "timed out" in by_name["nqn.a"]
    assert by_name["nqn.b"].startswith("not tried: the portal did not answer")
    assert by_name["nqn.c"] == "connected"
    assert len(result.err.splitlines()) == 2


def test_failures_behind_one_live_portal(nvme, host, fabric, portals):
    """A subsystem that a portal refuses tells nothing about the next one there."""
    number = portals.live("127.0.0.4")
    entries = [entry(f"nqn.{i}", "127.0.0.4", trsvcid=number) for i in range(4)]
    fabric.lists(*entries)
    host.answer_error(errno.EIO, times=4)
    result = nvme(*ARGS, "-o", "json", status=1)
    assert len(host.connects) == 5
    assert not [e for e in result.json if "not tried" in e["result"]]


def test_a_portal_that_works_is_not_called(nvme, host, fabric, portals):
    """A single one that nothing waits for: the kernel's connection is all that it sees."""
    number = portals.live("127.0.0.4")
    fabric.lists(*(entry(f"nqn.{i}", "127.0.0.4", trsvcid=number) for i in range(3)))
    for i in range(3):
        fabric.controller(f"nqn.{i}", "127.0.0.4")
    assert nvme(*ARGS).status == 0
    [listener] = portals.sockets
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_many_behind_one_silent_portal(nvme, host, fabric, portals):
    """Alone it is not called at first, and not tried for each of them all the same."""
    number = portals.silent("127.0.0.3")
    entries = [entry(f"nqn.{i}", "127.0.0.3", trsvcid=number) for i in range(50)]
    fabric.lists(*entries)
    host.answer_error(errno.ETIMEDOUT, times=50)
    result = nvme(*ARGS, "-o", "json", status=1)
    assert len(host.connects) == 3
    assert [e["subnqn"] for e in result.json] == [f"nqn.{i}" for i in range(50)]


def test_a_thousand_entries(nvme, host, fabric, portals):
    """More portals than are called at the same time: each entry once, in the order of the log."""
    addresses = [f"127.0.{i // 250}.{i % 250 + 1}" for i in range(1000)]
    number = portals.live("0.0.0.0")
    entries = [entry(f"nqn.{i}", address, trsvcid=number) for i, address in enumerate(addresses)]
    silent = entry("nqn.silent", "127.9.9.9", trsvcid=portals.silent("127.9.9.9"))
    fabric.lists(silent, *entries)
    host.answer_error(errno.ECONNREFUSED, times=1001)
    result = nvme(*ARGS, "-o", "json", status=1)
    assert [e["subnqn"] for e in result.json] == ["nqn.silent", *(f"nqn.{i}" for i in range(1000))]
    assert len(host.connects) == 1002
    assert host.connects[-1].startswith("nqn=nqn.silent,")


def test_one_portal_is_not_waited_for(nvme, fabric, portals):
    number = portals.silent("127.0.0.1")
    fabric.lists(entry("nqn.a", "127.0.0.1", trsvcid=number))
    fabric.controller("nqn.a", "127.0.0.1")
    assert nvme(*ARGS).status == 0
