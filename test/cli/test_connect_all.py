# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme connect-all: entries, failures that show, referrals that end."""

import contextlib
import errno
import json
import socket
import time

import discovery_log as dl
import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

ARGS = ["connect-all", "-t", "mptcp", "-a", "10.1.1.1"]
ADMIN, GET_LOG, IDENTIFY = "admin", 0x02, 0x06


class Fabric:
    """Controllers that come up one after the other."""

    def __init__(self, host):
        self.host = host
        self.count = 0

    def controller(self, nqn, traddr, log=None, transport="mptcp"):
        """The next connect brings up this one."""
        i = self.count
        self.count += 1
        port = 8009 if log is not None else 4420
        controller = self.host.subsystem(i, nqn).controller(
            i, transport, f"traddr={traddr},trsvcid={port}", connected=False
        )
        self.host.answer_connected(controller)
        if log is not None:
            name = b"\0" * 768 + nqn.encode().ljust(256, b"\0")
            self.host.command(f"nvme{i}", ADMIN, IDENTIFY, 1, name.ljust(4096, b"\0"))
            self.host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, log)


@pytest.fixture
def fabric(host):
    return Fabric(host)


def entry(nqn, traddr, **more):
    more.setdefault("trtype", dl.MPTCP)
    return dl.entry(subnqn=nqn.encode(), traddr=traddr.encode(), **more)


def referral(traddr, **more):
    return entry(DISCOVERY_NQN, traddr, subtype=dl.REFERRAL, trsvcid=b"8009", **more)


def test_all_entries(nvme, host, fabric, valid):
    log = dl.log(
        entry(DISCOVERY_NQN, "10.1.1.1", subtype=dl.CURRENT, trsvcid=b"8009"),
        entry("nqn.a", "10.1.1.1"),
        entry("nqn.b", "10.1.2.1"),
        entry("nqn.c", "10.1.3.1", trtype=dl.RDMA),
    )
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.controller("nqn.b", "10.1.2.1")
    result = nvme(*ARGS, "-i", "2", "-o", "json")
    assert (result.status, result.err) == (0, "")
    valid("connect-all", result.json)
    assert [(e["device"], e["result"]) for e in result.json] == [
        ("nvme1", "connected"),
        ("nvme2", "connected"),
        (None, "skipped: another transport"),
    ]
    assert [line.split(",")[0] for line in host.connects] == [
        f"nqn={DISCOVERY_NQN}", "nqn=nqn.a", "nqn=nqn.b",
    ]  # fmt: skip
    assert "nr_io_queues=2" in host.connects[1]
    assert host.deleted == ["nvme0"]


def test_as_the_unit_calls_it(nvme, host, fabric):
    """nvmf-connect@.service, with what a rule for a discovery controller passes."""
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    unit = ["--context=autoconnect", "--quiet", "--device=none", "--transport=mptcp"]
    none = ["--trsvcid=none", "--host-traddr=none", "--host-iface=none"]
    result = nvme("connect-all", *unit, "--traddr=10.1.1.1", *none)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert not [line for line in host.connects if "none" in line]
    assert [",trsvcid=8009," in host.connects[0], ",trsvcid=4420," in host.connects[1]] == [
        True
    ] * 2


def test_secret_of_one_line(nvme, host, fabric):
    """A secret in discovery.conf is for what its line leads to."""
    (host.etc / "discovery.conf").write_text(
        "-t mptcp -a 10.1.1.1 -S DHHC-1:00:line:\n-t mptcp -a 10.1.2.1\n"
    )
    for i, nqn in enumerate(("nqn.a", "nqn.b"), 1):
        fabric.controller(DISCOVERY_NQN, f"10.1.{i}.1", dl.log(entry(nqn, f"10.1.{i}.1")))
        fabric.controller(nqn, f"10.1.{i}.1")
    assert nvme("connect-all", "-S", "DHHC-1:00:all:").status == 0
    secrets = [line.partition("dhchap_secret=")[2].partition(",")[0] for line in host.connects]
    assert secrets == ["", "DHHC-1:00:line:", "", "DHHC-1:00:all:"]


def test_quiet_success_and_verbose(nvme, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme(*ARGS)
    assert (result.status, result.out, result.err) == (0, "", "")


def test_verbose(nvme, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme(*ARGS, "-v")
    assert result.status == 0
    assert "nvme1: mptcp 10.1.1.1:4420 nqn.a: connected\n" in result.out


def test_failure_shows(nvme, host, fabric, valid):
    log = dl.log(entry("nqn.a", "10.1.1.1"), entry("nqn.b", "10.1.2.1"))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    host.answer_error(errno.ECONNREFUSED)
    fabric.count = 1
    fabric.controller("nqn.b", "10.1.2.1")
    result = nvme(*ARGS)
    assert result.status == 1
    assert result.err == (
        "failed to connect to nqn=nqn.a,transport=mptcp,traddr=10.1.1.1,trsvcid=4420: "
        "10.1.1.1:4420: connection refused (is a port with trtype mptcp enabled there?)\n"
    )
    assert len(host.connects) == 3, "the next entry is tried all the same"


def test_already_connected_is_no_failure(nvme, host, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry("nqn.a", "10.1.1.1")))
    host.answer_error(errno.EALREADY)
    result = nvme(*ARGS)
    assert result.status == 0
    assert result.err.startswith("already connected to hostnqn=")
    assert "traddr=10.1.1.1,trsvcid=4420" in result.err


def test_already_connected_quiet(nvme, host, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry("nqn.a", "10.1.1.1")))
    host.answer_error(errno.EALREADY)
    result = nvme(*ARGS, "--quiet")
    assert (result.status, result.err) == (0, "")


def test_connected_entries_are_skipped(nvme, host, fabric):
    log = dl.log(entry("nqn.a", "10.1.1.1"))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    host.subsystem(7, "nqn.a").controller(7, "mptcp", "traddr=10.1.1.1,trsvcid=4420")
    result = nvme(*ARGS)
    assert result.status == 0
    assert len(host.connects) == 1


def test_referral(nvme, host, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(referral("10.1.9.1")))
    fabric.controller(DISCOVERY_NQN, "10.1.9.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme(*ARGS)
    assert (result.status, result.err) == (0, "")
    assert len(host.connects) == 3
    assert host.deleted == ["nvme1", "nvme0"]


@pytest.mark.parametrize(
    ("nqn", "eflags", "options", "kept"),
    [
        (DISCOVERY_NQN, 0, [], False),
        (DISCOVERY_NQN, 0, ["-k", "9"], False),
        (DISCOVERY_NQN, 0, ["--persistent"], True),
        (DISCOVERY_NQN, 0, ["--persistent", "-k", "9"], True),
        ("nqn.dc", 0, [], False),
        ("nqn.dc", 0, ["--persistent"], False),
        ("nqn.dc", 2, [], True),
    ],
)
def test_which_referrals_stay(nvme, host, fabric, nqn, eflags, options, kept):
    """One with an NQN of its own says itself whether it stays (EPCSD); what stays is watched."""
    log = dl.log(entry(nqn, "10.1.9.1", subtype=dl.REFERRAL, trsvcid=b"8009", eflags=eflags))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller(nqn, "10.1.9.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    assert nvme(*ARGS, *options).status == 0
    assert len(host.connects) == 3
    assert ("nvme1" not in host.deleted) == kept
    assert ("nvme0" not in host.deleted) == ("--persistent" in options)
    wanted = ("9" if "-k" in options else "30") if kept else None
    found = dict(word.partition("=")[::2] for word in host.connects[1].split(","))
    assert found.get("keep_alive_tmo") == wanted
    assert ("discovery" in found) == (nqn != DISCOVERY_NQN)
    assert ("keep_alive_tmo" in host.connects[2]) == ("-k" in options), "of I/O as it was given"


def test_configured_to_persist(nvme, host, fabric):
    """persistent_discovery_ctrl keeps a controller that has an NQN of its own, and watches it."""
    own = {"hostnqn": HOSTNQN, "hostid": HOSTID, "persistent_discovery_ctrl": True}
    (host.etc / "config.json").write_text(json.dumps([{**own, "subsystems": []}]))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log())
    name = b"\0" * 768 + b"nqn.dc".ljust(256, b"\0")
    host.command("nvme0", ADMIN, IDENTIFY, 1, name.ljust(4096, b"\0"))
    fabric.controller("nqn.dc", "10.1.1.1", dl.log())
    assert nvme(*ARGS).status == 0
    assert host.deleted == ["nvme0"]
    assert "keep_alive_tmo" not in host.connects[0]
    assert ",discovery,keep_alive_tmo=30" in host.connects[1]


def test_a_line_for_each_entry(nvme, host, fabric):
    log = dl.log(
        entry("nqn.a", "10.1.1.1"),
        entry("nqn.b", "10.1.2.1"),
        entry("nqn.c", "10.1.3.1"),
        entry("nqn.d", "10.1.4.1", trtype=dl.TCP),
        entry("nqn.e", "10.1.5.1"),
    )
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.a", "10.1.1.1")
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.EALREADY)
    host.subsystem(7, "nqn.e").controller(7, "mptcp", "traddr=10.1.5.1,trsvcid=4420")
    result = nvme(*ARGS, "-v")
    assert result.status == 1
    refused = "10.1.2.1:4420: connection refused (is a port with trtype mptcp enabled there?)"
    assert result.out.splitlines() == [
        "nvme1: mptcp 10.1.1.1:4420 nqn.a: connected",
        f"-: mptcp 10.1.2.1:4420 nqn.b: {refused}",
        "-: mptcp 10.1.3.1:4420 nqn.c: already connected",
        "-: tcp 10.1.4.1:4420 nqn.d: skipped: another transport",
        "nvme7: mptcp 10.1.5.1:4420 nqn.e: already connected",
    ]


def test_duplicate_information_is_not_fetched(nvme, host, fabric):
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(referral("10.1.9.1", eflags=1)))
    assert nvme(*ARGS).status == 0
    assert len(host.connects) == 1


def test_referral_loop(nvme, host, fabric):
    """A refers to B, B to A and to itself."""
    a, b = "10.1.1.1", "10.1.9.1"
    fabric.controller(DISCOVERY_NQN, a, dl.log(referral(b), referral(b)))
    fabric.controller(DISCOVERY_NQN, b, dl.log(referral(a), referral(b)))
    result = nvme(*ARGS)
    assert result.status == 0
    assert len(host.connects) == 2


def test_referral_depth(nvme, host, fabric):
    """Each refers to a new one; the chain is not followed for ever."""
    for i in range(1, 15):
        fabric.controller(DISCOVERY_NQN, f"10.1.{i}.1", dl.log(referral(f"10.1.{i + 1}.1")))
    result = nvme(*ARGS)
    assert result.status == 1
    assert len(host.connects) == 9
    assert "not following the referral" in result.err
    assert len(host.deleted) == 9


def test_hostile_entry(nvme, host, fabric):
    """Values that would inject options are not written."""
    fabric.controller(
        DISCOVERY_NQN,
        "10.1.1.1",
        dl.log(entry("nqn.a,tls", "10.1.1.1"), entry("nqn.b", "10.1.1.1,tls"), entry("", "")),
    )
    result = nvme(*ARGS)
    assert result.status == 1
    assert len(host.connects) == 1


def test_connected_referral_is_followed(nvme, host, fabric, valid):
    """There may be more behind a discovery controller that stayed connected than there was."""
    host.subsystem(7, "nqn.dc", subsystype="discovery").controller(
        7, "mptcp", "traddr=10.1.9.1,trsvcid=8009", cntrltype="discovery"
    )
    host.command("nvme7", ADMIN, GET_LOG, 0x70, dl.log(entry("nqn.a", "10.1.1.1")))
    refers = entry("nqn.dc", "10.1.9.1", subtype=dl.REFERRAL, trsvcid=b"8009")
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(refers))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json")
    assert (result.status, result.err) == (0, "")
    valid("connect-all", result.json)
    assert [(e["device"], e["result"]) for e in result.json] == [
        ("nvme7", "already connected"),
        ("nvme1", "connected"),
    ]
    assert host.deleted == ["nvme0"], "what was there stays"


def test_referral_to_a_connected_one_of_another_name(nvme, host, fabric):
    """Referred to by the well-known NQN, connected by its own: it is not connected once more."""
    host.subsystem(7, "nqn.dc", subsystype="discovery").controller(
        7, "mptcp", "traddr=10.1.9.1,trsvcid=8009", cntrltype="discovery"
    )
    host.command("nvme7", ADMIN, GET_LOG, 0x70, dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(referral("10.1.9.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json")
    assert (result.status, result.err) == (0, "")
    assert [e["device"] for e in result.json] == ["nvme7", "nvme1"]
    assert len(host.connects) == 2


def test_unreadable_log_of_a_referral(nvme, host, fabric):
    """A failure is its entry's: what else there is to report stays."""
    log = dl.log(entry("nqn.a", "10.1.1.1"), referral("10.1.9.1"), entry("nqn.b", "10.1.1.1"))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.controller(DISCOVERY_NQN, "10.1.9.1", dl.log())
    host.command("nvme2", ADMIN, GET_LOG, 0x70, b"", errno=errno.EIO)
    fabric.controller("nqn.b", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert [e["device"] for e in result.json] == ["nvme1", "nvme2", "nvme3"]
    assert result.err == "failed to get discovery log from nvme2: Input/output error\n"
    assert "nvme2" in host.deleted


def test_connected_referrals_in_a_circle(nvme, host, fabric):
    """Two connected ones refer to each other and to themselves; each log is read once."""
    names = {7: ("nqn.dc7", "10.1.7.1"), 8: ("nqn.dc8", "10.1.8.1")}
    refers = [
        entry(nqn, address, subtype=dl.REFERRAL, trsvcid=b"8009") for nqn, address in names.values()
    ]
    for i, (nqn, address) in names.items():
        host.subsystem(i, nqn, subsystype="discovery").controller(
            i, "mptcp", f"traddr={address},trsvcid=8009", cntrltype="discovery"
        )
        host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, dl.log(*refers))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*refers))
    result = nvme(*ARGS, "-o", "json")
    assert (result.status, result.err) == (0, "")
    assert {e["result"] for e in result.json} == {"already connected"}
    headers = [f"nvme{i} admin opcode=02" for i in names]
    reads = [[line for line in host.written if line.startswith(h)] for h in headers]
    assert [len(lines) for lines in reads] == [3, 3], "header, entries, header"


def test_connected_referrals_in_a_row(nvme, host, fabric):
    """A chain of connected ones is followed as deep as one of others."""
    for i in range(20, 34):
        host.subsystem(i, f"nqn.dc{i}", subsystype="discovery").controller(
            i, "mptcp", f"traddr=10.1.{i}.1,trsvcid=8009", cntrltype="discovery"
        )
        following = entry(f"nqn.dc{i + 1}", f"10.1.{i + 1}.1", subtype=dl.REFERRAL, trsvcid=b"8009")
        host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, dl.log(following))
    first = entry("nqn.dc20", "10.1.20.1", subtype=dl.REFERRAL, trsvcid=b"8009")
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(first))
    result = nvme(*ARGS)
    assert result.status == 1
    assert "not following the referral to 10.1.28.1:8009" in result.err
    assert len(host.connects) == 1


def test_names_in_a_log_are_not_resolved(nvme, host, fabric, valid):
    """An address is an address: "localhost" would resolve. The entry is named, once."""
    log = dl.log(
        entry("nqn.a", "localhost"),
        referral("localhost"),
        entry("nqn.c", "10.1.1.1"),
    )
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.c", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    valid("connect-all", result.json)
    assert [e["device"] for e in result.json] == [None, None, "nvme1"]
    assert result.err.count("nqn=nqn.a,transport=mptcp,traddr=localhost,trsvcid=4420: ") == 1
    assert result.err.count('"localhost" is no address') == 2
    assert len(host.connects) == 2
    assert not [line for line in host.connects if "localhost" in line or "127.0.0.1" in line]


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
        entry(f"nqn.{i}", address, trsvcid=str(port).encode())
        for i, (address, port) in enumerate(zip(addresses, ports, strict=True))
    ]
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*entries))
    for i in (0, 1, 3, 4, 5, 6, 7):
        fabric.controller(f"nqn.{i}", addresses[i])
    host.answer_error(errno.ETIMEDOUT)
    started = time.monotonic()
    result = nvme(*ARGS)
    assert time.monotonic() - started < 10
    assert result.status == 1
    assert [line.split(",")[0] for line in host.connects[1:]] == [
        f"nqn=nqn.{i}" for i in (0, 1, 3, 4, 5, 6, 7, 2)
    ]


def silent_and_live(portals, fabric, host):
    """A log of a silent portal and, behind it, a live one."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    entries = [
        entry("nqn.a", "127.0.0.3", trsvcid=str(silent).encode()),
        entry("nqn.b", "127.0.0.4", trsvcid=str(live).encode()),
    ]
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*entries))
    fabric.controller("nqn.b", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)


def test_silent_portal_delays_nobody(nvme, host, fabric, portals):
    """What answers is connected while the silent one is called, which follows once it is alone."""
    silent_and_live(portals, fabric, host)
    (host.fake / "calling").write_text("")
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert [line.split(",")[0] for line in host.connects[1:]] == ["nqn=nqn.b", "nqn=nqn.a"]
    assert (host.fake / "calling").read_text().split() == ["0", "1", "1"]


def test_results_are_in_the_order_of_the_log(nvme, host, fabric, portals):
    """Whatever was connected first."""
    silent_and_live(portals, fabric, host)
    result = nvme(*ARGS, "-v")
    assert result.status == 1
    assert [line.split(": ")[0] for line in result.out.splitlines()] == ["-", "nvme1"]
    assert result.err.count("failed to connect to nqn=nqn.a,") == 1


def test_silent_line_delays_no_other(nvme, host, fabric, portals):
    """Nor does a silent discovery controller, whose line comes first."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    (host.etc / "discovery.conf").write_text(
        f"-t mptcp -a 127.0.0.3 -s {silent}\n-t mptcp -a 127.0.0.4 -s {live}\n"
    )
    (host.fake / "calling").write_text("")
    fabric.controller(DISCOVERY_NQN, "127.0.0.4", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all")
    assert result.status == 1
    traddrs = [line.partition(",traddr=")[2].partition(",")[0] for line in host.connects]
    assert traddrs == ["127.0.0.4", "10.1.1.1", "127.0.0.3"]
    assert (host.fake / "calling").read_text().split() == ["1", "1", "1"]
    assert result.err.startswith("/etc/nvme/discovery.conf:1: failed to add controller")


def test_silent_configured_controller_delays_no_other(nvme, host, fabric, portals):
    """Nor one of config.json."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    ports = [
        {"transport": "mptcp", "traddr": "127.0.0.3", "trsvcid": str(silent)},
        {"transport": "mptcp", "traddr": "127.0.0.4", "trsvcid": str(live)},
    ]
    own = {"hostnqn": HOSTNQN, "hostid": HOSTID}
    (host.etc / "config.json").write_text(
        json.dumps([{**own, "subsystems": [{"nqn": "nqn.a", "ports": ports}]}])
    )
    (host.fake / "calling").write_text("")
    fabric.controller("nqn.a", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme("connect-all", "-o", "json")
    assert result.status == 1
    assert [(e["traddr"], e["device"]) for e in result.json] == [
        ("127.0.0.3", None),
        ("127.0.0.4", "nvme0"),
    ]
    assert (host.fake / "calling").read_text().split() == ["1", "1"]


def test_silent_portal_is_tried_once(nvme, host, fabric, portals):
    """Of many subsystems behind it: the kernel waits for it once, and each is reported."""
    silent, live = portals.silent("127.0.0.3"), portals.live("127.0.0.4")
    behind = [entry(f"nqn.{i}", "127.0.0.3", trsvcid=str(silent).encode()) for i in range(5)]
    there = entry("nqn.live", "127.0.0.4", trsvcid=str(live).encode())
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*behind, there))
    fabric.controller("nqn.live", "127.0.0.4")
    host.answer_error(errno.ETIMEDOUT)
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert [line.split(",")[0] for line in host.connects[1:]] == ["nqn=nqn.live", "nqn=nqn.0"]
    reasons = [e["result"] for e in result.json]
    assert "timed out" in reasons[0]
    assert len(set(reasons[1:5])) == 1 and reasons[1].startswith("not tried, as the portal")
    assert reasons[5] == "connected"
    assert len(result.err.splitlines()) == 5


def test_failures_behind_one_live_portal(nvme, host, fabric, portals):
    """A subsystem that a portal refuses tells nothing about the next one there."""
    port = str(portals.live("127.0.0.4")).encode()
    entries = [entry(f"nqn.{i}", "127.0.0.4", trsvcid=port) for i in range(4)]
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*entries))
    for _ in range(4):
        host.answer_error(errno.EIO)
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert len(host.connects) == 5
    assert not [e for e in result.json if "not tried" in e["result"]]


def test_a_portal_that_works_is_not_called(nvme, host, fabric, portals):
    """A single one that nothing waits for: the kernel's connection is all that it sees."""
    port = portals.live("127.0.0.4")
    log = dl.log(*(entry(f"nqn.{i}", "127.0.0.4", trsvcid=str(port).encode()) for i in range(3)))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    for i in range(3):
        fabric.controller(f"nqn.{i}", "127.0.0.4")
    assert nvme(*ARGS).status == 0
    [listener] = portals.sockets
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_many_behind_one_silent_portal(nvme, host, fabric, portals):
    """Alone it is not called at first, and not tried for each of them all the same."""
    port = portals.silent("127.0.0.3")
    entries = [entry(f"nqn.{i}", "127.0.0.3", trsvcid=str(port).encode()) for i in range(50)]
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(*entries))
    for _ in range(50):
        host.answer_error(errno.ETIMEDOUT)
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert len(host.connects) == 3
    assert [e["subnqn"] for e in result.json] == [f"nqn.{i}" for i in range(50)]


def test_a_thousand_entries(nvme, host, fabric, portals):
    """More portals than are called at the same time: each entry once, in the order of the log."""
    addresses = [f"127.0.{i // 250}.{i % 250 + 1}" for i in range(1000)]
    port = portals.live("0.0.0.0")
    entries = [
        entry(f"nqn.{i}", address, trsvcid=str(port).encode())
        for i, address in enumerate(addresses)
    ]
    silent = entry("nqn.silent", "127.9.9.9", trsvcid=str(portals.silent("127.9.9.9")).encode())
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(silent, *entries))
    for _ in range(1001):
        host.answer_error(errno.ECONNREFUSED)
    result = nvme(*ARGS, "-o", "json")
    assert result.status == 1
    assert [e["subnqn"] for e in result.json] == ["nqn.silent", *(f"nqn.{i}" for i in range(1000))]
    assert len(host.connects) == 1002
    assert host.connects[-1].startswith("nqn=nqn.silent,")


def test_one_portal_is_not_waited_for(nvme, fabric, portals):
    port = portals.silent("127.0.0.1")
    log = dl.log(entry("nqn.a", "127.0.0.1", trsvcid=str(port).encode()))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.a", "127.0.0.1")
    assert nvme(*ARGS).status == 0


EVIL = {
    "no-utf8": {"subnqn": b"nqn.evil\xff"},
    "cut-short": {"subnqn": b"nqn.evil\xe2\x82"},
    "escape": {"subnqn": b"nqn.evil\033[2J"},
    "c1": {"subnqn": b"nqn.evil\xc2\x9b2J"},
    "direction": {"subnqn": "nqn.\u202elive".encode()},
    "space": {"subnqn": b"nqn.evil space"},
    "traddr": {"traddr": b"10.1.9.1\xff"},
    "traddr-utf8": {"traddr": "10.1.9.1\u00df".encode()},
    "trsvcid": {"trsvcid": b"44\x9b20"},
}


@pytest.mark.parametrize("strings", EVIL.values(), ids=EVIL)
def test_names_at_the_door(nvme, host, fabric, strings):
    """What a target sends does not become an object or an option; the rest of its log is used."""
    evil = dl.entry(**{"trtype": dl.MPTCP, "subnqn": b"nqn.evil", "traddr": b"10.1.9.1"} | strings)
    log = dl.log(evil, entry("nqn.good", "10.1.2.1"))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.good", "10.1.2.1")
    result = nvme(*ARGS)
    assert result.status == 1
    assert [line.split(",")[0] for line in host.connects][1:] == ["nqn=nqn.good"]
    (value,) = strings.values()
    shown = "".join(chr(b) if 0x20 <= b <= 0x7E else f"\\x{b:02x}" for b in value)
    (line,) = (line for line in result.err.splitlines() if "discovery log entry" in line)
    assert f'"{shown}" of the discovery log entry' in line
    assert line.isascii() and line.isprintable()


def test_names_in_utf8(nvme, host, fabric):
    """As the specification has them, from the log to the configuration."""
    name = "nqn.2025-01.test:gr\u00f6\u00dfe"
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", dl.log(entry(name, "10.1.2.1")))
    fabric.controller(name, "10.1.2.1")
    assert nvme(*ARGS).status == 0
    assert nvme("config", "--scan", "--update").status == 0
    document = json.loads((host.etc / "config.json").read_text())
    assert [s["nqn"] for h in document for s in h["subsystems"]] == [name]
    assert nvme("connect-all", "--config", "/etc/nvme/config.json").status == 0
