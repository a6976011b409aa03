# SPDX-License-Identifier: LGPL-2.1-or-later
"""discover() and connect_all() without an address: config.json and discovery.conf."""

import errno
import json
from typing import Any

import pytest
from conftest import TOP, Python
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN, FakeHost
from mptcp_net import why_not
from test_fabrics import NQN, comes_up, discovery, nvm, python, referral

__all__ = ["python"]

REASON = why_not()

OTHER_HOST = "nqn.2014-08.org.nvmexpress:uuid:22222222-2222-2222-2222-222222222222"
KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"


def conf(host: FakeHost, *lines: str) -> None:
    (host.etc / "discovery.conf").write_text("".join(line + "\n" for line in lines))


def port(traddr: str, trsvcid: str = "1", **more: Any) -> dict[str, Any]:
    return {"transport": "mptcp", "traddr": traddr, "trsvcid": trsvcid, **more}


def described(*subsystems: dict[str, Any], hostnqn: str = HOSTNQN, **more: Any) -> str:
    return json.dumps([{"hostnqn": hostnqn, **more, "subsystems": list(subsystems)}])


def subsystem(number: int, *ports: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"nqn": f"{NQN}{number}", "ports": list(ports), **more}


RUN = """
    root = nvme.root()
    try:
        outcomes = nvme.connect_all(root{more})
    except nvme.Incomplete as error:
        outcomes = error.done
        print(len(error.failures), "failed")
    show(outcomes)
    print([outcome.place for outcome in outcomes])
"""


def run(python: Python, more: str = "") -> list[str]:
    return python(RUN.replace("{more}", f", {more}" if more else "")).splitlines()


def test_nothing_is_configured(python: Python, host: FakeHost) -> None:
    """As with the commands, that is no failure."""
    out = python("print(nvme.connect_all(nvme.root()), nvme.discover(nvme.root()))")
    assert out == "[] []\n"
    assert not host.connects


def test_lines(python: Python, host: FakeHost) -> None:
    """Each starts from cfg and changes nothing for the next; each sign has its form."""
    conf(
        host,
        "# a comment",
        "",
        "-t=mptcp -a=127.0.0.1 --ctrl-loss-tmo=7",
        "  --transport mptcp --traddr 127.0.0.2 -s none",
    )
    discovery(host, 0, nvm(1), referral(3))
    discovery(host, 2, nvm(4))
    discovery(host, 1, nvm(2))
    for number in (1, 4, 2):
        comes_up(host, number)
    out = run(python, 'cfg={"ctrl_loss_tmo": -1, "reconnect_delay": 3}')
    assert out == [
        "1 connected nvme11 None",
        "4 connected nvme14 None",
        "2 connected nvme12 None",
        str([f"/etc/nvme/discovery.conf:{number}" for number in (3, 3, 4)]),
    ]
    by_cfg = [("ctrl_loss_tmo=-1" in c, "ctrl_loss_tmo=7" in c) for c in host.connects[3:]]
    assert by_cfg == [(False, True), (False, True), (True, False)]
    assert all("reconnect_delay=3" in line for line in host.connects[3:])
    assert host.deleted == ["nvme0", "nvme2", "nvme1"]


def test_nothing_hides_the_rest(python: Python, host: FakeHost) -> None:
    """Lines that are wrong, a controller that refuses, and one that is there."""
    conf(
        host,
        "-t bogus -a x",
        "-t mptcp -a 127.0.0.9",
        "-t mptcp -a 127.0.0.1 --nosuch",
        "-t mptcp -a 127.0.0.1 --ctrl-loss-tmo=x",
        "-t mptcp -a 127.0.0.1 stray",
        "-t mptcp",
    )
    address = "traddr=127.0.0.1,trsvcid=1"
    host.subsystem(9, NQN + "2").controller(9, "mptcp", address, hostnqn=HOSTNQN, hostid=HOSTID)
    (host.etc / "config.json").write_text(
        described(subsystem(1, port("127.0.0.1")), subsystem(2, port("127.0.0.1")))
    )
    for number in (errno.ECONNREFUSED, errno.EALREADY, errno.ECONNREFUSED):
        host.answer_error(number)
    discovery(host, 0, nvm(3))
    comes_up(host, 3)
    out = python("""
        import logging
        logging.basicConfig(format="%(message)s", stream=__import__("sys").stdout)
        error = incomplete(nvme.connect_all)
        for outcome in error.done:
            print(outcome.place, outcome.result, str(outcome.error).split(' (')[0])
        print(len(error.failures), error.errno == error.failures[0].error.errno)
        print(str(error).split("; "))
    """).splitlines()
    place = "/etc/nvme/discovery.conf"
    assert out[0] == f"{place}:5: argument 'stray' is ignored"
    assert out[1:9] == [
        "None failed 127.0.0.1:1: connection refused",
        "None already connected None",
        f"{place}:1 failed Unknown transport 'bogus': use one of tcp, mptcp, rdma, fc, loop",
        f"{place}:2 failed 127.0.0.9:8009: connection refused. Discovery uses port 8009; "
        "for the I/O port try -s 4420.",
        f"{place}:3 failed nvme discover: unknown option '--nosuch'",
        f"{place}:4 failed Expected integer argument for 'ctrl-loss-tmo' but got 'x'!",
        f"{place}:5 connected None",
        f"{place}:6 failed required argument [--traddr | -a] not specified for transport mptcp",
    ]
    assert out[9] == "6 True"
    assert f"{place}:1: Unknown transport 'bogus'" in out[10]


def test_what_the_configuration_describes(python: Python, host: FakeHost) -> None:
    """By its own options and not by cfg; its discovery controllers are read, and may stay."""
    document = described(
        subsystem(1, port("127.0.0.1", ctrl_loss_tmo=9)),
        {
            "nqn": DISCOVERY_NQN,
            "ports": [port("127.0.0.1", "8009", discovery=True, persistent=True)],
        },
    )
    file = host.root / "mine.json"
    file.write_text(document)
    comes_up(host, 1)
    discovery(host, 0, nvm(2))
    comes_up(host, 2)
    out = python(f"""
        from pathlib import Path
        root = nvme.root()
        for outcome in nvme.connect_all(root, config=Path({str(file)!r}), cfg={{"tos": 8}}):
            ctrl = outcome.ctrl
            print(outcome.entry["subnqn"][-1], outcome.entry["subtype"], outcome.result)
            subsystems = [s for host in root.hosts() for s in host.subsystems()]
            print(any(ctrl == known for s in subsystems for known in s.controllers()))
        print(root.config_file)
    """)
    assert out.splitlines() == ["1 nvme connected", "True", "2 nvme connected", "True", "None"]
    of_one, of_discovery, of_two = sorted(
        host.connects, key=lambda line: (NQN + "2" in line, DISCOVERY_NQN in line)
    )
    assert "ctrl_loss_tmo=9" in of_one and "tos=" not in of_one
    assert "keep_alive_tmo=30" in of_discovery
    assert "tos=8" in of_two
    assert not host.deleted


def test_a_file_of_its_own(python: Python, host: FakeHost) -> None:
    """It must be there; "none" is no file; what is wrong is named before anything is connected."""
    (host.etc / "config.json").write_text("[{]")
    out = python("""
        for config in ("/nosuch", None, "none"):
            attempt(lambda: nvme.connect_all(nvme.root(), config=config))
    """).splitlines()
    assert out[0] == "Error Failed to read configuration /nosuch: No such file or directory"
    assert out[1].startswith("Error Failed to read configuration /etc/nvme/config.json:1")
    assert out[2] == "[]"


def test_hosts_and_applications(python: Python, host: FakeHost) -> None:
    """Other hosts are left out if one is given, other applications under a context."""
    hosts = json.loads(described(subsystem(1, port("127.0.0.1"))))
    hosts += json.loads(described(subsystem(2, port("127.0.0.1")), hostnqn=OTHER_HOST))
    hosts[0]["subsystems"].append(subsystem(3, port("127.0.0.1"), application="other"))
    (host.etc / "config.json").write_text(json.dumps(hosts))
    comes_up(host, 1)
    host.answer_error(errno.EALREADY)
    comes_up(host, 2)
    out = python(f"""
        root = nvme.root()
        host = nvme.host(root, {HOSTNQN!r})
        for more in ({{"host": host, "context": "mine"}}, {{"context": "mine"}}):
            for outcome in nvme.connect_all(root, **more):
                print(outcome.entry["subnqn"][-1], outcome.result)
    """).splitlines()
    assert out[:2] == ["1 connected", "3 skipped: for another application"]
    assert out[2:] == ["1 already connected", "3 skipped: for another application", "2 connected"]
    assert [f"hostnqn={OTHER_HOST}" in line for line in host.connects] == [False, False, True]


def test_a_line_for_another_host(python: Python, host: FakeHost) -> None:
    """Name and secret are for this line, and the secret stands in no message."""
    conf(
        host,
        f"-t mptcp -a 127.0.0.1 -q {OTHER_HOST} -S {KEY}",
        f"-t mptcp -a 127.0.0.2 -S {KEY} --nosuch={KEY}",
        "-t mptcp -a 127.0.0.3",
    )
    discovery(host, 0, nvm(1))
    discovery(host, 2, nvm(2))
    comes_up(host, 1)
    comes_up(host, 2)
    out = run(python)
    assert out[0] == "1 failed"
    assert (out[1], out[3]) == ("1 connected nvme11 None", "2 connected nvme12 None")
    assert out[2].startswith(" failed None nvme discover: unknown option '--nosuch'")
    assert KEY not in "\n".join(out)
    first, third, one, two = host.connects
    assert [OTHER_HOST in line for line in (first, third, one, two)] == [True, False, True, False]
    assert [KEY in line for line in (one, two)] == [True, False]


def test_discover_reads_them(python: Python, host: FakeHost) -> None:
    """What fails is told beside what is known."""
    conf(
        host, "-t mptcp -a 127.0.0.1", "-t mptcp -a 127.0.0.2", "-t mptcp -a 127.0.0.3 --persistent"
    )
    discovery(host, 0, nvm(1))
    host.answer_error(111)
    discovery(host, 2, nvm(3))
    out = python("""
        root = nvme.root()
        try:
            nvme.discover(root)
        except nvme.Incomplete as error:
            print([entry["subnqn"][-1] for entry in error.done])
            print([(failed.place, failed.entry["subtype"]) for failed in error.failures], error)
        print(len(nvme.discover(root, "mptcp", "127.0.0.3")))
    """).splitlines()
    assert out[0] == "['1', '3']"
    assert out[1].startswith(
        "[('/etc/nvme/discovery.conf:2', 'referral')] /etc/nvme/discovery.conf:2"
    )
    assert out[2] == "1"
    assert len(host.connects) == 3 and host.deleted == ["nvme0"]


def test_an_unreadable_file(python: Python, host: FakeHost) -> None:
    """It is one failure, and the configuration is followed."""
    (host.etc / "discovery.conf").mkdir()
    (host.etc / "config.json").write_text(described(subsystem(1, port("127.0.0.1"))))
    comes_up(host, 1)
    out = run(python)
    assert out[:2] == ["1 failed", "1 connected nvme11 None"]
    assert out[3] == "[None, '/etc/nvme/discovery.conf']"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ('traddr="10.1.1.1"', "traddr without a transport"),
        ('trsvcid=1, subsysnqn="x"', "subsysnqn, trsvcid without a transport"),
        ('transport="tcp", config="x"', "config: cannot be combined with a transport"),
        ('transport="tcp", context="x"', "context: cannot be combined with a transport"),
    ],
)
def test_half_an_address(python: Python, host: FakeHost, given: str, why: str) -> None:
    for function in ("connect_all", "discover"):
        out = python(f"attempt(lambda: nvme.{function}(nvme.root(), {given}))")
        assert out == f"TypeError {why}\n"


@pytest.mark.skipif(REASON is not None, reason=f"skipped: {REASON}")
def test_endpoints_and_limits_come_first(python: Python, host: FakeHost) -> None:
    """In a network namespace of the program's own; where they fail, nothing is connected."""
    endpoint = {"address": "192.0.2.1", "dev": "nosuch", "flags": ["subflow"]}
    wanted = {"limits": {"subflows": 7, "add_addr_accepted": 3}, "endpoints": [endpoint]}
    for name, value in wanted.items():
        (host.root / f"{name}.json").write_text(
            described(subsystem(1, port("127.0.0.1")), hostid=HOSTID, mptcp={name: value})
        )
    comes_up(host, 1)
    out = python(f"""
        import ctypes
        from libnvme import mptcp
        assert ctypes.CDLL(None).unshare(0x40000000) == 0  # CLONE_NEWNET
        for name in ("endpoints", "limits"):
            try:
                outcomes = nvme.connect_all(nvme.root(), config=f"{host.root}/{{name}}.json")
                print([outcome.result for outcome in outcomes])
            except nvme.Error as error:
                print(error)
        limits = mptcp.snapshot().limits
        print(limits.subflows, limits.add_addr_accepted)
    """).splitlines()
    assert "nosuch" in out[0] and "nothing is connected" in out[0]
    assert out[1:] == ["['connected']", "7 3"]
    assert len(host.connects) == 1


def tables(host: FakeHost, *, available: bool = True) -> str:
    """A directory with the firmware's table of one namespace through two interfaces."""
    table = bytearray((TOP / "test/fuzz/corpus/nbft/good").read_bytes())
    if available:
        table[0x164] &= 0xFE  # of the namespace: its second byte has the availability
    table[9] = 0
    table[9] = -sum(table[: int.from_bytes(table[4:8], "little")]) & 0xFF
    directory = host.root / "tables"
    directory.mkdir()
    (directory / "NBFT").write_bytes(table)
    (directory / "DSDT").write_bytes(b"DSDT")
    return str(directory)


def test_what_the_firmware_booted_from(python: Python, host: FakeHost) -> None:
    """First of all, as the table's host; the same lines as the command writes."""
    path = tables(host)
    (host.etc / "config.json").write_text(described(subsystem(1, port("127.0.0.1"))))
    for _ in range(4):
        host.answer_error(errno.ECONNREFUSED)
    done = python.nvme("connect-all", "--nbft", "--nbft-path", path)
    of_command = host.connects
    assert done.returncode == 1 and of_command
    program = """
        from pathlib import Path
        error = incomplete(nvme.connect_all, nbft_path=Path(PATH), nbft=ONLY)
        for outcome in error.done:
            print(outcome.entry["subnqn"], outcome.result, outcome.place, outcome.error)
    """.replace("PATH", repr(path))
    out = python(program.replace("ONLY", "True")).splitlines()
    assert host.connects[len(of_command) :] == of_command
    assert all(f" failed {path}/NBFT " in line for line in out), out
    for _ in range(4):
        host.answer_error(errno.ECONNREFUSED)
    out = python(program.replace("ONLY", "None")).splitlines()
    assert out[-1].startswith(f"{NQN}1 failed None") and f"{path}/NBFT" in out[0]
    assert host.connects[2 * len(of_command) :][:-1] == of_command


def test_what_was_not_there_at_boot(python: Python, host: FakeHost) -> None:
    """It is no failure now; what is there is connected; other tables do not suffer."""
    path = tables(host, available=False)
    (host.root / "tables/NBFT0").write_bytes(b"NBFT and nothing more")
    fake = host.subsystem(1, "nqn.boot")
    host.answer_connected(fake.controller(1, "tcp", "traddr=192.168.1.10", connected=False))
    for _ in range(4):
        host.answer_error(errno.ECONNREFUSED)
    out = python(f"""
        __import__("logging").disable()
        error = incomplete(nvme.connect_all, nbft_path={path!r})
        for outcome in error.done:
            print(outcome.result.split(" (")[0], outcome.place, outcome.error)
        print(nvme.connect_all(nvme.root(), nbft_path={path!r}, nbft=False))
        print(nvme.connect_all(nvme.root(), nbft_path="/nosuch"))
    """).splitlines()
    assert out[0] == f"connected {path}/NBFT None"
    unreached = "skipped: the firmware did not reach it either: "
    assert out[1].startswith(unreached) and ": connection refused" in out[1], out
    assert out[-3].startswith(f"failed {path}/NBFT0 {path}/NBFT0 cannot be used: ")
    assert out[-2:] == ["[]", "[]"]
