# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme connect-all: entries, failures that show, referrals that end."""

import errno
import fcntl
import json

import discovery_log as dl
import pytest
from fabric import ADMIN, GET_LOG, IDENTIFY, entry, referral
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

ARGS = ["connect-all", "-t", "mptcp", "-a", "10.1.1.1"]


def test_all_entries(nvme, host, fabric, valid):
    fabric.lists(
        entry(DISCOVERY_NQN, "10.1.1.1", subtype=dl.CURRENT, trsvcid=b"8009"),
        entry("nqn.a", "10.1.1.1"),
        entry("nqn.b", "10.1.2.1"),
        entry("nqn.c", "10.1.3.1", trtype=dl.RDMA),
    )
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.controller("nqn.b", "10.1.2.1")
    document = valid("connect-all", nvme.ok(*ARGS, "-i", "2", "-o", "json").json)
    assert [(e["device"], e["result"]) for e in document] == [
        ("nvme1", "connected"),
        ("nvme2", "connected"),
        (None, "skipped: another transport"),
    ]
    assert host.sent("nqn") == [DISCOVERY_NQN, "nqn.a", "nqn.b"]
    assert "nr_io_queues=2" in host.connects[1]
    assert host.deleted == ["nvme0"]


def test_another_connect_is_waited_for(nvme, host, fabric):
    """So that it can be recorded whose the connections are, also for the entry of a log."""
    fabric.lists(entry("nqn.a", "10.1.1.1"), entry("nqn.b", "10.1.2.1"))
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.controller("nqn.b", "10.1.2.1")
    (host.run / "mptcp").mkdir(parents=True)
    with (host.run / "mptcp/.lock-10.1.2.1-4420").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = nvme(*ARGS)
    assert (result.status, len(host.connects)) == (0, 3)
    assert result.err.startswith("10.1.2.1:4420: another process is connecting to it; waiting")
    assert len(result.err.splitlines()) == 1


def test_as_the_unit_calls_it(nvme, host, fabric):
    """nvmf-connect@.service, with what a rule for a discovery controller passes."""
    fabric.offers("nqn.a", "10.1.1.1")
    unit = ["--context=autoconnect", "--quiet", "--device=none", "--transport=mptcp"]
    none = ["--trsvcid=none", "--host-traddr=none", "--host-iface=none"]
    assert nvme.ok("connect-all", *unit, "--traddr=10.1.1.1", *none).out == ""
    assert not [line for line in host.connects if "none" in line]
    assert host.sent("trsvcid") == ["8009", "4420"]


@pytest.mark.parametrize("given", ["DHHC-1:00:all:", ""])
def test_secret_of_one_line(nvme, host, fabric, given):
    """A secret in discovery.conf is for what its line leads to."""
    (host.etc / "discovery.conf").write_text(
        "-t mptcp -a 10.1.1.1 -S DHHC-1:00:line:\n-t mptcp -a 10.1.2.1\n"
    )
    for i, nqn in enumerate(("nqn.a", "nqn.b"), 1):
        fabric.offers(nqn, f"10.1.{i}.1", at=f"10.1.{i}.1")
    assert nvme("connect-all", *(["-S", given] if given else [])).status == 0
    secrets = host.sent("dhchap_secret")
    assert secrets == [None, "DHHC-1:00:line:", None, given or None]


@pytest.mark.parametrize("more", [[], ["-v"]])
def test_success_is_quiet_unless_verbose(nvme, fabric, more):
    fabric.offers("nqn.a", "10.1.1.1")
    result = nvme(*ARGS, *more, status=0)
    if more:
        assert "nvme1: mptcp 10.1.1.1:4420 nqn.a: connected\n" in result.out
    else:
        assert (result.out, result.err) == ("", "")


@pytest.mark.parametrize("form", ["normal", "json"])
def test_a_saved_log_is_not_followed(nvme, host, fabric, tmp_path, form):
    """As in nvme-cli 2.16."""
    fabric.lists(entry("nqn.a", "10.1.1.1"))
    target = tmp_path / "log"
    result = nvme.ok(*ARGS, "-r", str(target), "-o", form)
    assert (f"Discovery log is saved to {target}\n" == result.out) == (form == "normal")
    assert b"nqn.a\0" in target.read_bytes()
    assert host.sent("nqn") == [DISCOVERY_NQN]
    assert host.deleted == ["nvme0"]


def test_failure_shows(nvme, host, fabric, valid):
    fabric.lists(entry("nqn.a", "10.1.1.1"), entry("nqn.b", "10.1.2.1"))
    host.answer_error(errno.ECONNREFUSED)
    fabric.count = 1
    fabric.controller("nqn.b", "10.1.2.1")
    result = nvme(*ARGS, status=1)
    assert result.err == (
        "failed to connect to nqn=nqn.a,transport=mptcp,traddr=10.1.1.1,trsvcid=4420: "
        "10.1.1.1:4420: connection refused (is a port with trtype mptcp enabled there?)\n"
    )
    assert len(host.connects) == 3, "the next entry is tried all the same"


@pytest.mark.parametrize("more", [[], ["--quiet"]])
def test_already_connected_is_no_failure(nvme, host, fabric, more):
    fabric.lists(entry("nqn.a", "10.1.1.1"))
    host.answer_error(errno.EALREADY)
    result = nvme(*ARGS, *more, status=0)
    if more:
        assert result.err == ""
    else:
        assert result.err.startswith("already connected to hostnqn=")
        assert "traddr=10.1.1.1,trsvcid=4420" in result.err


def test_connected_entries_are_skipped(nvme, host, fabric):
    fabric.lists(entry("nqn.a", "10.1.1.1"))
    host.subsystem(7, "nqn.a").controller(7, "mptcp", "traddr=10.1.1.1,trsvcid=4420")
    nvme(*ARGS, status=0)
    assert len(host.connects) == 1


def test_an_entry_without_a_port_is_of_the_default_one(nvme, host, fabric):
    """A controller at another port is another connection, over rdma as well."""
    log = dl.log(entry("nqn.a", "10.1.1.1", trtype=dl.RDMA, trsvcid=b""))
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log, transport="rdma")
    subsystem = host.subsystem(7, "nqn.a")
    subsystem.controller(7, "rdma", "traddr=10.1.1.1,trsvcid=5000")
    new = subsystem.controller(8, "rdma", "traddr=10.1.1.1,trsvcid=4420", connected=False)
    host.answer_connected(new)
    assert nvme("connect-all", "-t", "rdma", "-a", "10.1.1.1").status == 0
    assert len(host.connects) == 2
    assert ",trsvcid=4420," in host.connects[1]


def test_a_connected_entry_without_a_port_is_found(nvme, host, fabric):
    """By its default port, with its name and without a message."""
    fabric.lists(entry("nqn.a", "10.1.1.1", trsvcid=b""))
    host.subsystem(7, "nqn.a").controller(7, "mptcp", "traddr=10.1.1.1,trsvcid=4420")
    result = nvme(*ARGS, "-v", status=0)
    assert "nvme7: mptcp 10.1.1.1: nqn.a: already connected\n" in result.out
    assert "already connected to" not in result.err


def test_referral(nvme, host, fabric):
    fabric.lists(referral("10.1.9.1"))
    fabric.offers("nqn.a", "10.1.1.1", at="10.1.9.1")
    nvme.ok(*ARGS)
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
    fabric.lists(referral("10.1.9.1", nqn=nqn, eflags=eflags))
    fabric.controller(nqn, "10.1.9.1", dl.log(entry("nqn.a", "10.1.1.1")))
    fabric.controller("nqn.a", "10.1.1.1")
    assert nvme(*ARGS, *options).status == 0
    assert len(host.connects) == 3
    assert ("nvme1" not in host.deleted) == kept
    assert ("nvme0" not in host.deleted) == ("--persistent" in options)
    wanted = ("9" if "-k" in options else "30") if kept else None
    _, referred, io = host.sent("keep_alive_tmo")
    assert referred == wanted
    assert (host.sent("discovery")[1] is not None) == (nqn != DISCOVERY_NQN)
    assert io == ("9" if "-k" in options else None), "of I/O as it was given"


def test_configured_to_persist(nvme, host, fabric):
    """persistent_discovery_ctrl keeps a controller that has an NQN of its own, and watches it."""
    own = {"hostnqn": HOSTNQN, "hostid": HOSTID, "persistent_discovery_ctrl": True}
    (host.etc / "config.json").write_text(json.dumps([{**own, "subsystems": []}]))
    fabric.lists()
    host.command("nvme0", ADMIN, IDENTIFY, 1, dl.identify("nqn.dc"))
    fabric.controller("nqn.dc", "10.1.1.1", dl.log())
    assert nvme(*ARGS).status == 0
    assert host.deleted == ["nvme0"]
    assert "keep_alive_tmo" not in host.connects[0]
    assert ",discovery,keep_alive_tmo=30" in host.connects[1]


def test_a_line_for_each_entry(nvme, host, fabric):
    fabric.lists(
        entry("nqn.a", "10.1.1.1"),
        entry("nqn.b", "10.1.2.1"),
        entry("nqn.c", "10.1.3.1"),
        entry("nqn.d", "10.1.4.1", trtype=dl.TCP),
        entry("nqn.e", "10.1.5.1"),
    )
    fabric.controller("nqn.a", "10.1.1.1")
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.EALREADY)
    host.subsystem(7, "nqn.e").controller(7, "mptcp", "traddr=10.1.5.1,trsvcid=4420")
    result = nvme(*ARGS, "-v", status=1)
    refused = "10.1.2.1:4420: connection refused (is a port with trtype mptcp enabled there?)"
    assert result.out.splitlines() == [
        "nvme1: mptcp 10.1.1.1:4420 nqn.a: connected",
        f"-: mptcp 10.1.2.1:4420 nqn.b: {refused}",
        "-: mptcp 10.1.3.1:4420 nqn.c: already connected",
        "-: tcp 10.1.4.1:4420 nqn.d: skipped: another transport",
        "nvme7: mptcp 10.1.5.1:4420 nqn.e: already connected",
    ]


def test_zone_of_a_link_local_address(nvme, host, fabric):
    """Link-local addresses in a log are behind the link that it was read over."""
    fabric.lists(
        entry("nqn.a", "fe80::2", adrfam=2),
        entry("nqn.b", "fd00::2", adrfam=2),
        entry("nqn.c", "10.1.1.1"),
        referral("fe80::3", adrfam=2),
        at="fe80::1%lo",
    )
    for nqn, address in (("nqn.a", "fe80::2%lo"), ("nqn.b", "fd00::2"), ("nqn.c", "10.1.1.1")):
        fabric.controller(nqn, address)
    fabric.lists(entry("nqn.d", "fe80::4", adrfam=2), at="fe80::3%lo")
    fabric.controller("nqn.d", "fe80::4%lo")
    nvme.ok("connect-all", "-t", "mptcp", "-a", "fe80::1%lo")
    used = ["fe80::1%lo", "fe80::2%lo", "fd00::2", "10.1.1.1", "fe80::3%lo", "fe80::4%lo"]
    assert host.sent("traddr") == used


def test_address_without_a_zone(nvme, host, fabric):
    """A log that was read over another address names no link."""
    fabric.lists(entry("nqn.a", "fe80::2", adrfam=2))
    fabric.controller("nqn.a", "fe80::2")
    nvme(*ARGS)
    assert "traddr=fe80::2," in host.connects[1]


NQN_HINT = "--nqn is for discovery controllers with an NQN of their own; use nvme connect for a sub"


def test_subsystem_given_as_discovery_controller(nvme, host, fabric):
    """Whose log cannot be read: what --nqn is for is said."""
    fabric.controller("nqn.io", "10.1.1.1", b"")
    host.command("nvme0", ADMIN, GET_LOG, 0x70, b"", status=0x4009)
    result = nvme(*ARGS, "-n", "nqn.io", status=1)
    assert result.err.startswith("failed to get discovery log from nvme0: ")
    assert NQN_HINT in result.err


@pytest.mark.parametrize("nqn", [None, DISCOVERY_NQN, "nqn.io"])
def test_refused_nqn(nvme, host, nqn):
    """The same where it does not connect, and only of an NQN that is not every controller's."""
    host.answer_error(errno.ECONNREFUSED)
    result = nvme(*ARGS, *(["-n", nqn] if nqn else []), status=1)
    assert (NQN_HINT in result.err) == (nqn == "nqn.io")


def test_duplicate_information_is_not_fetched(nvme, host, fabric):
    fabric.lists(referral("10.1.9.1", eflags=1))
    assert nvme(*ARGS).status == 0
    assert len(host.connects) == 1


def test_referral_loop(nvme, host, fabric):
    """A refers to B, B to A and to itself."""
    a, b = "10.1.1.1", "10.1.9.1"
    fabric.lists(referral(b), referral(b), at=a)
    fabric.lists(referral(a), referral(b), at=b)
    nvme(*ARGS, status=0)
    assert len(host.connects) == 2


def test_referral_depth(nvme, host, fabric):
    """Each refers to a new one; the chain is not followed for ever."""
    for i in range(1, 15):
        fabric.lists(referral(f"10.1.{i + 1}.1"), at=f"10.1.{i}.1")
    result = nvme(*ARGS, status=1)
    assert len(host.connects) == 9
    assert "not following the referral" in result.err
    assert len(host.deleted) == 9


def test_hostile_entry(nvme, host, fabric):
    fabric.lists(entry("nqn.a,tls", "10.1.1.1"), entry("nqn.b", "10.1.1.1,tls"), entry("", ""))
    nvme(*ARGS, status=1)
    assert len(host.connects) == 1


def test_connected_referral_is_followed(nvme, host, fabric, valid):
    """There may be more behind a discovery controller that stayed connected than there was."""
    fabric.connected(7, "nqn.dc", "10.1.9.1", entry("nqn.a", "10.1.1.1"))
    fabric.lists(referral("10.1.9.1", nqn="nqn.dc"))
    fabric.controller("nqn.a", "10.1.1.1")
    document = valid("connect-all", nvme.ok(*ARGS, "-o", "json").json)
    found = [(e["device"], e["result"]) for e in document]
    assert found == [("nvme7", "already connected"), ("nvme1", "connected")]
    assert host.deleted == ["nvme0"], "what was there stays"


def test_referral_to_a_connected_one_of_another_name(nvme, host, fabric):
    """Referred to by the well-known NQN, connected by its own: it is not connected once more."""
    fabric.connected(7, "nqn.dc", "10.1.9.1", entry("nqn.a", "10.1.1.1"))
    fabric.lists(referral("10.1.9.1"))
    fabric.controller("nqn.a", "10.1.1.1")
    result = nvme.ok(*ARGS, "-o", "json")
    assert [e["device"] for e in result.json] == ["nvme7", "nvme1"]
    assert len(host.connects) == 2


def test_unreadable_log_of_a_referral(nvme, host, fabric):
    """A failure is its entry's: what else there is to report stays."""
    fabric.lists(entry("nqn.a", "10.1.1.1"), referral("10.1.9.1"), entry("nqn.b", "10.1.1.1"))
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.lists(at="10.1.9.1")
    host.command("nvme2", ADMIN, GET_LOG, 0x70, b"", errno=errno.EIO)
    fabric.controller("nqn.b", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json", status=1)
    assert [e["device"] for e in result.json] == ["nvme1", "nvme2", "nvme3"]
    assert result.err == "failed to get discovery log from nvme2: Input/output error\n"
    assert "nvme2" in host.deleted


def test_connected_referrals_in_a_circle(nvme, host, fabric):
    """Two connected ones refer to each other and to themselves; each log is read once."""
    names = {7: ("nqn.dc7", "10.1.7.1"), 8: ("nqn.dc8", "10.1.8.1")}
    refers = [referral(address, nqn=nqn) for nqn, address in names.values()]
    for i, (nqn, address) in names.items():
        fabric.connected(i, nqn, address, *refers)
    fabric.lists(*refers)
    result = nvme.ok(*ARGS, "-o", "json")
    assert {e["result"] for e in result.json} == {"already connected"}
    headers = [f"nvme{i} admin opcode=02" for i in names]
    reads = [[line for line in host.written if line.startswith(h)] for h in headers]
    assert [len(lines) for lines in reads] == [3, 3], "header, entries, header"


def test_connected_referrals_in_a_row(nvme, host, fabric):
    """A chain of connected ones is followed as deep as one of others."""
    for i in range(20, 34):
        following = referral(f"10.1.{i + 1}.1", nqn=f"nqn.dc{i + 1}")
        fabric.connected(i, f"nqn.dc{i}", f"10.1.{i}.1", following)
    fabric.lists(referral("10.1.20.1", nqn="nqn.dc20"))
    result = nvme(*ARGS, status=1)
    assert "not following the referral to 10.1.28.1:8009" in result.err
    assert len(host.connects) == 1


def test_names_in_a_log_are_not_resolved(nvme, host, fabric, valid):
    """An address is an address: "localhost" would resolve. The entry is named, once."""
    fabric.lists(entry("nqn.a", "localhost"), referral("localhost"), entry("nqn.c", "10.1.1.1"))
    fabric.controller("nqn.c", "10.1.1.1")
    result = nvme(*ARGS, "-o", "json", status=1)
    valid("connect-all", result.json)
    assert [e["device"] for e in result.json] == [None, None, "nvme1"]
    assert result.err.count("nqn=nqn.a,transport=mptcp,traddr=localhost,trsvcid=4420: ") == 1
    assert result.err.count('"localhost" is not an address') == 2
    assert len(host.connects) == 2
    assert not [line for line in host.connects if "localhost" in line or "127.0.0.1" in line]


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
    fabric.lists(evil, entry("nqn.good", "10.1.2.1"))
    fabric.controller("nqn.good", "10.1.2.1")
    result = nvme(*ARGS, status=1)
    assert host.sent("nqn")[1:] == ["nqn.good"]
    (value,) = strings.values()
    shown = "".join(chr(b) if 0x20 <= b <= 0x7E else f"\\x{b:02x}" for b in value)
    (line,) = (line for line in result.err.splitlines() if "discovery log entry" in line)
    assert f'"{shown}" of the discovery log entry' in line
    assert line.isascii() and line.isprintable()


def test_names_in_utf8(nvme, host, fabric):
    """As the specification has them, from the log to the configuration."""
    name = "nqn.2025-01.test:gr\u00f6\u00dfe"
    fabric.offers(name, "10.1.2.1")
    assert nvme(*ARGS).status == 0
    assert nvme("config", "--scan", "--update").status == 0
    document = json.loads((host.etc / "config.json").read_text())
    assert [s["nqn"] for h in document for s in h["subsystems"]] == [name]
    assert nvme("connect-all", "--config", "/etc/nvme/config.json").status == 0
