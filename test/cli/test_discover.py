# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme discover: the listing, JSON, raw bytes, and logs that nobody should trust."""

import errno
import functools
import stat

import discovery_log as dl
import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

UNIQUE_NQN = "nqn.2025-01.test:discovery"
ARGS = ["discover", "-t", "mptcp", "-a", "10.1.1.1"]
ADMIN, GET_LOG, IDENTIFY = "admin", 0x02, 0x06


@pytest.fixture
def discovery(host):
    """A discovery controller nvme0 that comes up when asked, and returns this log."""
    return functools.partial(dl.controller, host)


MIXED = dl.log(
    dl.entry(trtype=dl.MPTCP, subtype=dl.CURRENT, trsvcid=b"8009", subnqn=DISCOVERY_NQN.encode()),
    dl.entry(trtype=dl.MPTCP, portid=3),
    dl.entry(trtype=dl.TCP, adrfam=2, traddr=b"fe80::1", treq=1, tsas=b"\2", eflags=3),
    dl.entry(trtype=dl.RDMA, treq=2, tsas=b"\1\4\1\0\0\0\0\0\xff\xff"),
    dl.entry(trtype=dl.FC, adrfam=4, traddr=b"nn-0x1000:pn-0x2000", trsvcid=b"none"),
    dl.entry(trtype=dl.LOOP, adrfam=254, traddr=b"", trsvcid=b""),
    dl.entry(trtype=dl.MPTCP, subtype=dl.REFERRAL, eflags=1),
    genctr=8,
)


def test_golden(nvme, host, discovery, golden, valid):
    discovery(MIXED)
    result = nvme.ok(*ARGS)
    golden("discover.txt", result.out)
    assert host.connects[0].startswith(
        f"nqn={DISCOVERY_NQN},transport=mptcp,traddr=10.1.1.1,trsvcid=8009,"
    )
    assert "keep_alive_tmo" not in host.connects[0]
    assert host.deleted == ["nvme0"]


def test_json(nvme, discovery, valid):
    discovery(MIXED)
    document = valid("discover", nvme(*ARGS, "-o", "json", status=0).json)
    assert [record.get("sectype") for record in document["records"]] == [
        "none", "none", "tls13", None, None, None, "none",
    ]  # fmt: skip


def test_binary(nvme, host, discovery, tmp_path):
    discovery(dl.log(dl.entry(), genctr=5))
    target = tmp_path / "log"
    result = nvme(*ARGS, "-r", str(target))
    assert (result.status, result.out) == (0, f"Discovery log is saved to {target}\n")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    raw = target.read_bytes()
    assert len(raw) == 2048
    assert raw[:10] == b"\5" + b"\0" * 7 + b"\1\0"


@pytest.mark.parametrize("entries", [1, 40])
def test_binary_on_a_full_disk(nvme, discovery, entries):
    """Less than a buffer or more: it is told once."""
    discovery(dl.log(*[dl.entry()] * entries))
    with open("/dev/full", "wb") as full:
        result = nvme.raw(*ARGS, "-o", "binary", stdout=full.fileno())
    said = b"nvme discover: writing the output: No space left on device\n"
    assert (result.status, result.err) == (1, said)


def test_empty_log(nvme, discovery, valid):
    discovery(dl.log())
    result = nvme(*ARGS, "-o", "json")
    assert (result.status, result.out) == (0, '{\n  "genctr":2,\n  "records":[]\n}\n')
    valid("discover", result.json)


def test_persistent(nvme, host, discovery):
    discovery(dl.log())
    assert nvme(*ARGS, "--persistent").status == 0
    assert ",keep_alive_tmo=30" in host.connects[0]
    assert host.deleted == []


def test_unique_nqn(nvme, host, discovery):
    discovery(dl.log(dl.entry()), subnqn=UNIQUE_NQN)
    subsystem = host.subsystem(1, UNIQUE_NQN, subsystype="discovery")
    host.answer_connected(subsystem.controller(1, "mptcp", connected=False, cntrltype="discovery"))
    host.command("nvme1", ADMIN, GET_LOG, 0x70, dl.log(dl.entry(subnqn=b"nqn.other")))
    result = nvme(*ARGS, status=0)
    assert "nqn.other" in result.out
    assert host.connects[1].startswith(f"nqn={UNIQUE_NQN},transport=mptcp,")
    assert ",discovery," in host.connects[1]
    assert host.deleted == ["nvme0", "nvme1"]


@pytest.mark.parametrize("stays", [False, True])
def test_a_controller_that_cannot_be_identified(nvme, host, discovery, stays):
    """It is removed again. If that fails, it stays, which is reported."""
    discovery(dl.log(dl.entry()))
    host.command("nvme0", ADMIN, IDENTIFY, 1, errno=errno.EIO)
    if stays:
        (host.fake / "delete-errno").write_text(str(errno.EACCES))
    said = nvme.error(*ARGS)
    assert "failed to identify controller nvme0, error Input/output error" in said
    assert ("failed to disconnect nvme0: Permission denied" in said) == stays
    assert host.deleted == ["nvme0"]


@pytest.fixture
def connected(host):
    """A discovery controller that is connected already."""
    address = "traddr=10.1.1.1,trsvcid=8009,src_addr=10.1.1.2"
    host.subsystem(0, DISCOVERY_NQN).controller(0, "mptcp", address)
    host.command("nvme0", ADMIN, GET_LOG, 0x70, dl.log(dl.entry()))
    return host


def test_reuse(nvme, connected):
    result = nvme(*ARGS, status=0)
    assert "Number of Records 1" in result.out
    assert connected.connects == [] and connected.deleted == []


@pytest.mark.parametrize("device", ["nvme0", "/dev/nvme0"])
def test_device(nvme, connected, device):
    result = nvme.ok("discover", "-d", device)
    assert "Number of Records 1" in result.out
    assert connected.connects == [] and connected.deleted == []


def test_device_of_another_kind(nvme, connected):
    """One that serves a disk has no log; what else was named is asked instead."""
    connected.disk(5)
    result = nvme("discover", "-d", "nvme5", "-t", "mptcp", "-a", "10.1.1.1")
    said = "ctrl device nvme5 found, ignoring non discovery controller"
    assert result.status == 0 and said in result.err.splitlines()


ELSEWHERE = ["-t", "mptcp", "-a", "10.1.9.1"]


@pytest.mark.parametrize("kind", ["not found", "found, ignoring non discovery controller"])
def test_what_replaces_a_device_does_not_stay(nvme, connected, kind):
    """As in 2.16, whose message says so."""
    if kind != "not found":
        connected.disk(5)
    connected.answer_error(errno.ECONNREFUSED)
    result = nvme("discover", "-d", "nvme5", *ELSEWHERE, "-p")
    assert f"ctrl device nvme5 {kind}" in result.err
    assert "keep_alive_tmo" not in connected.connects[0]


def test_device_at_another_address(nvme, connected):
    result = nvme("discover", "-d", "nvme0", *ELSEWHERE)
    assert result.err == "ctrl device nvme0 found, ignoring non matching command-line options\n"
    assert (result.status, connected.connects, connected.deleted) == (0, [], [])
    connected.answer_error(errno.ECONNREFUSED)
    assert nvme("discover", "-d", "nvme0", *ELSEWHERE, "--force").status == 1
    assert "traddr=10.1.9.1," in connected.connects[0]


NONE = ["--trsvcid=none", "--host-traddr=NONE", "--host-iface=None"]


def test_none_is_not_given(nvme, host, discovery):
    """As udev's rules and the units pass what there is no value for."""
    discovery(dl.log(dl.entry()))
    nvme.ok(*ARGS, *NONE, "--device=none", "-J", "None")
    assert ",trsvcid=8009," in host.connects[0]
    assert "none" not in host.connects[0].lower() and "host_traddr" not in host.connects[0]


def test_no_device_is_no_address(nvme, host):
    result = nvme("discover", "--device=NONE")
    assert (result.status, result.out, result.err, host.written) == (0, "", "", [])


def test_force(nvme, connected):
    connected.answer_error(errno.ECONNREFUSED)
    assert nvme(*ARGS, "--force").status == 1
    assert len(connected.connects) == 1


def test_refused(nvme, host, valid):
    host.answer_error(errno.ECONNREFUSED)
    result = nvme(*ARGS, status=1)
    refused = "10.1.1.1:8009: connection refused. Discovery uses port 8009; for the I/O port try"
    assert result.err.startswith("failed to add controller, error ")
    assert f"{refused} -s 4420." in result.err
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.ECONNREFUSED)
    valid("error", nvme(*ARGS, "-o", "json").json)


def test_no_address(nvme, host):
    assert "traddr" in nvme.error("discover", "-t", "tcp")
    assert host.written == []


def test_nothing_configured(nvme):
    assert nvme.ok("discover").out == ""


# Logs that broke other tools.


@pytest.mark.parametrize(
    "numrec", [2**54 + 2, 2**64 - 1, (2**64 - 1) // 1024, 1 << 40, 65537, 2**54 - 1]
)
@pytest.mark.parametrize("output", ["normal", "json"])
def test_impossible_numrec(nvme, host, discovery, numrec, output):
    discovery(dl.log(dl.entry(), numrec=numrec))
    result = nvme(*ARGS, "-o", output, status=1)
    said = result.json["error"] if output == "json" else result.err
    assert f"failed to get discovery log from nvme0: the discovery log claims {numrec} " in said
    assert host.deleted == ["nvme0"], "the controller does not stay behind"


def test_unterminated_strings(nvme, discovery, valid):
    entries = [
        dl.entry(trsvcid=b"9" * 32, subnqn=b"a" * 256, traddr=b"1" * 256),
        dl.entry(trsvcid=b"\xff" * 32, subnqn=b"\x1b[2J\x07" * 51, traddr=b"\x80" * 256),
    ]
    discovery(dl.log(*entries))
    result = nvme(*ARGS, status=0)
    assert "\033" not in result.out and "\x80" not in result.out
    assert "trsvcid: " + "9" * 31 in result.out
    assert "9" * 33 not in result.out
    assert "\\x1b[2J\\x07" in result.out and "\\x80" in result.out
    assert all(0x20 <= ord(c) <= 0x7E or c == "\n" for c in result.out)


def test_unterminated_strings_json(nvme, discovery, valid):
    discovery(dl.log(dl.entry(subnqn=b"\x1b\xff\xc3\xa9" * 64, traddr=b"\xc0\x80")))
    document = valid("discover", nvme(*ARGS, "-o", "json").json)
    assert document["records"][0]["subnqn"].startswith("\x1b\ufffd\u00e9")


def test_unknown_numbers(nvme, discovery, valid):
    entries = [
        dl.entry(trtype=trtype, subtype=subtype, adrfam=adrfam, treq=0xFF, eflags=0xFFFF)
        for trtype, subtype, adrfam in ((0, 0, 0), (0x7B, 9, 255), (255, 255, 3))
    ]
    discovery(dl.log(*entries))
    document = valid("discover", nvme(*ARGS, "-o", "json", status=0).json)
    assert [r["trtype"] for r in document["records"]] == ["unrecognized"] * 3
    assert all("sectype" not in r for r in document["records"])


@pytest.mark.parametrize("traddr", [b"nn-0x1000,pn-0x2000", b"", b" " * 256, b"garbage"])
def test_odd_traddr(nvme, discovery, traddr):
    discovery(dl.log(dl.entry(trtype=dl.FC, adrfam=4, traddr=traddr)))
    result = nvme(*ARGS, "-o", "json", status=0)
    shown = result.json["records"][0]["traddr"]
    assert shown == traddr.strip().decode().replace(",", ":")


def test_status_with_garbage(nvme, host, discovery):
    discovery(b"\xff" * 2048, status=0x4002)
    assert nvme.error(*ARGS).startswith("failed to get discovery log")
    assert host.deleted == ["nvme0"]


def test_restless_generation(nvme, host, discovery):
    discovery(dl.log(dl.entry()))
    for nth in range(1, 200):
        log = dl.log(dl.entry(), genctr=nth)
        host.command("nvme0", ADMIN, GET_LOG, 0x70, log, nth=nth)
    assert "failed to get discovery log" in nvme.error(*ARGS)
    reads = [line for line in host.written if "opcode=02" in line]
    assert len(reads) < 50, "it gives up"


def test_numrec_changes(nvme, host, discovery):
    discovery(dl.log(dl.entry()))
    host.command("nvme0", ADMIN, GET_LOG, 0x70, dl.log(dl.entry(), numrec=2), nth=1)
    result = nvme(*ARGS)
    assert result.status in (0, 1)
    if result.status:
        assert "failed to get discovery log" in result.err
    else:
        assert "Number of Records 1," in result.out


def test_large_log(nvme, discovery, valid):
    discovery(dl.log(*(dl.entry(portid=i) for i in range(300))))
    document = valid("discover", nvme(*ARGS, "-o", "json").json)
    assert [record["portid"] for record in document["records"]] == list(range(300))


# discovery.conf


def test_discovery_conf(nvme, host, discovery):
    discovery(dl.log(dl.entry()), transport="tcp")
    (host.etc / "discovery.conf").write_text(
        "# comment\n\n"
        "--transport=tcp -a 10.1.1.1 -s=8010 --host-traddr 10.9.9.9\n"
        "--traddr=10.1.1.2\n"
        "--transport=tcp --traddr=10.1.1.3\n"
    )
    host.answer_error(errno.ECONNREFUSED)
    result = nvme("discover")
    assert result.status == 1, "a failing line shows in the exit status"
    assert "Number of Records 1" in result.out
    assert ",traddr=10.1.1.1,host_traddr=10.9.9.9,trsvcid=8010," in host.connects[0]
    assert "--transport | -t] not specified" in result.err, "the line before does not help out"
    assert ",traddr=10.1.1.3,trsvcid=8009," in host.connects[1]
    assert "host_traddr" not in host.connects[1]


def test_none_in_discovery_conf(nvme, host, discovery):
    discovery(dl.log(dl.entry()))
    line = "-t mptcp -a 10.1.1.1 -s none -w none -f none\n"
    (host.etc / "discovery.conf").write_text(line)
    assert nvme("discover").status == 0
    assert ",trsvcid=8009," in host.connects[0] and "none" not in host.connects[0]


def test_lines_know_nothing_of_each_other(nvme, host):
    """Nothing that a line gives is left for the next one; what the command line gives is."""
    (host.etc / "discovery.conf").write_text(
        "-t mptcp -a 10.1.1.1 -s 8010 -w 10.1.1.2 -f eth1 -n nqn.dc -i 3 -k 7 -c 4 -l 9 -Q 64 "
        "-g -G -D --tos=8 -q nqn.h -I 00000000-0000-0000-0000-000000000001 -p\n"
        "-t tcp -a 10.1.2.1\n"
        "-t mptcp -a 10.1.3.1 -c 5\n"
    )
    host.answer_error(errno.ECONNREFUSED, times=3)
    assert nvme("discover", "-k", "2", "-c", "6").status == 1
    first, *others = host.connects
    assert "nqn=nqn.dc,transport=mptcp," in first and ",keep_alive_tmo=7" in first
    assert ",hostnqn=nqn.h,hostid=00000000-0000-0000-0000-000000000001," in first
    tail = f"hostnqn={HOSTNQN},hostid={HOSTID}"
    assert others == [
        f"nqn={DISCOVERY_NQN},transport=tcp,traddr=10.1.2.1,trsvcid=8009,{tail},"
        "reconnect_delay=6,ctrl_loss_tmo=600",
        f"nqn={DISCOVERY_NQN},transport=mptcp,traddr=10.1.3.1,trsvcid=8009,{tail},"
        "reconnect_delay=5,ctrl_loss_tmo=600",
    ]


@pytest.mark.parametrize(
    "line",
    ["-t tcp -a 1.2.3.4 -k x", "-x " * 200, "transport=tcp traddr=1.2.3.4", "-s 8009", "--quiet"],
)
def test_bad_discovery_conf(nvme, host, line):
    (host.etc / "discovery.conf").write_text(line + "\n")
    assert "discovery.conf:1" in nvme.error("discover")
    assert host.written == []


@pytest.mark.parametrize(
    ("word", "option"), [("-J none", "config"), ("--context=a", "context"), ("-O", "dump-config")]
)
def test_what_is_for_a_whole_command(nvme, host, discovery, word, option):
    """As 2.16, which does not have these options in a line."""
    discovery(dl.log(dl.entry()))
    (host.etc / "discovery.conf").write_text(f"-t tcp -a 10.1.1.1 {word}\n")
    result = nvme("discover")
    assert (result.status, result.out, host.connects) == (1, "", [])
    assert result.err == (
        f"/etc/nvme/discovery.conf:1: --{option} is only supported on the command line, "
        "not in this file\n"
    )


def test_a_line_that_saves_its_log(nvme, host, discovery, tmp_path):
    """connect-all connects nothing of it, as in 2.16."""
    discovery(dl.log(dl.entry()))
    (host.etc / "discovery.conf").write_text(f"-t mptcp -a 10.1.1.1 -r {tmp_path}/log\n")
    result = nvme("connect-all")
    assert (result.status, result.out) == (0, f"Discovery log is saved to {tmp_path}/log\n")
    assert len(host.connects) == 1
    assert len((tmp_path / "log").read_bytes()) > 1024
