# SPDX-License-Identifier: LGPL-2.1-or-later
"""Discovery logs with their referrals, connecting all that they list, and silent portals."""

import errno
import socket
from collections.abc import Iterator
from typing import Any

import discovery_log as dl
import pytest
from conftest import Python
from fake_sysfs import DISCOVERY_NQN, FakeHost

NQN = "nqn.2025-01.test:one"
DISCOVERY = DISCOVERY_NQN.encode()
SHOW = """
    def show(outcomes):
        for outcome in outcomes:
            name = outcome.ctrl.name if outcome.ctrl else None
            print(outcome.entry["subnqn"][-1:], outcome.result, name, outcome.error)

    def incomplete(function, *args, **more):
        try:
            function(nvme.root(), *args, **more)
        except nvme.Incomplete as error:
            return error
"""


@pytest.fixture
def python(host: FakeHost) -> Python:
    """Python that can show outcomes, and what went wrong."""
    return Python(host, SHOW)


def comes_up(
    host: FakeHost, number: int, address: str = "traddr=127.0.0.1,trsvcid=1", nqn: str = ""
) -> None:
    """The next connection to that subsystem's address is controller nvme<number + 10>."""
    fake = host.subsystem(10 + number, nqn or f"{NQN}{number}")
    host.answer_connected(fake.controller(10 + number, "mptcp", address, connected=False))


def discovery(
    host: FakeHost,
    instance: int,
    *entries: bytes,
    nqn: str = DISCOVERY_NQN,
    at: int | None = None,
    **more: bool,
) -> None:
    """A discovery controller on 127.0.0.<instance + 1>, with a log."""
    address = f"traddr=127.0.0.{1 + (instance if at is None else at)},trsvcid=8009"
    controller = host.subsystem(instance, nqn, subsystype="discovery").controller(
        instance, "mptcp", address, cntrltype="discovery", **{"connected": False, **more}
    )
    host.command(f"nvme{instance}", "admin", 0x06, 1, bytes(4096))
    host.command(f"nvme{instance}", "admin", 0x02, 0x70, dl.log(*entries))
    if not more:
        host.answer_connected(controller)


def nvm(number: int, port: int = 1, **more: Any) -> bytes:
    """An entry for a subsystem on a port of this machine where nobody listens."""
    nqn = f"{NQN}{number}".encode()
    here = {"traddr": b"127.0.0.1", "trsvcid": str(port).encode(), "subnqn": nqn}
    return dl.entry(**{"trtype": dl.MPTCP, **here, **more})


def referral(number: int, **more: Any) -> bytes:
    """A referral to the discovery controller on 127.0.0.<number>."""
    there = {"traddr": f"127.0.0.{number}".encode(), "trsvcid": b"8009", "subnqn": DISCOVERY}
    return dl.entry(**{"trtype": dl.MPTCP, "subtype": dl.REFERRAL, **there, **more})


@pytest.fixture
def silent() -> Iterator[int]:
    """A port of this machine that does not answer, as its queue is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        port: int = server.getsockname()[1]
        callers = []
        for _ in range(4):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex(("127.0.0.1", port))
            callers.append(caller)
        yield port
        for caller in callers:
            caller.close()


def test_referrals_are_followed(python: Python, host: FakeHost) -> None:
    """Each once, by the same transport, and the discovery controllers are gone afterwards."""
    own = dl.entry(trtype=dl.MPTCP, subtype=dl.CURRENT)
    again = referral(1)
    same = referral(3, eflags=1)
    discovery(host, 0, own, nvm(1), referral(2), referral(4, trtype=dl.TCP))
    discovery(host, 1, again, same, referral(2), nvm(2))
    out = python("""
        from ipaddress import ip_address
        root = nvme.root()
        for entry in nvme.discover(root, "mptcp", ip_address("127.0.0.1"), timeout=60):
            print(entry["subtype"], entry["trtype"], entry["traddr"], entry["subnqn"][-1])
    """)
    assert out.splitlines() == [
        "discovery mptcp 10.1.1.1 e",
        "nvme mptcp 127.0.0.1 1",
        "referral mptcp 127.0.0.2 y",
        "referral mptcp 127.0.0.1 y",
        "referral mptcp 127.0.0.3 y",
        "referral mptcp 127.0.0.2 y",
        "nvme mptcp 127.0.0.1 2",
        "referral tcp 127.0.0.4 y",
    ]
    assert [line.split("traddr=")[1][:9] for line in host.connects] == ["127.0.0.1", "127.0.0.2"]
    assert all(f"nqn={DISCOVERY_NQN}," in line for line in host.connects)
    assert host.deleted == ["nvme0", "nvme1"]


def test_without_referrals(python: Python, host: FakeHost) -> None:
    discovery(host, 0, nvm(1), referral(2))
    out = python("""
        entries = nvme.discover(
            nvme.root(), "mptcp", "127.0.0.1", referrals=False, persistent=True
        )
        print([entry["subtype"] for entry in entries])
    """)
    assert out == "['nvme', 'referral']\n"
    assert not host.deleted and "keep_alive_tmo=30" in host.connects[0]


def test_connected_discovery_controllers_are_used(python: Python, host: FakeHost) -> None:
    """And stay."""
    discovery(host, 0, nvm(1), connected=True)
    out = python('print(len(nvme.discover(nvme.root(), "mptcp", "127.0.0.1")))')
    assert out == "1\n"
    assert not host.connects
    assert not host.deleted


def test_broken_referrals(python: Python, host: FakeHost) -> None:
    """What cannot be read is named, and the rest is not lost."""
    discovery(host, 0, referral(2), nvm(1))
    host.answer_error(111)
    out = python("""
    import pickle
    error = incomplete(nvme.discover, "mptcp", "127.0.0.1")
    print([entry["subtype"] for entry in error.done], error)
    show(error.failures)
    print(pickle.loads(pickle.dumps(error)).done == error.done)
    """)
    lines = out.splitlines()
    assert lines[0].startswith(
        f"['referral', 'nvme'] {DISCOVERY_NQN} at 127.0.0.2:8009: "
        "127.0.0.2:8009: connection refused"
    )
    assert lines[1].startswith("y failed None 127.0.0.2:8009: connection refused")
    assert lines[2] == "True"


def test_connect_all(python: Python, host: FakeHost) -> None:
    discovery(host, 0, nvm(1), nvm(2), referral(2), nvm(4, trtype=dl.TCP), nvm(5))
    discovery(host, 1, nvm(3))
    host.subsystem(9, NQN + "2").controller(9, "mptcp", "traddr=127.0.0.1,trsvcid=1")
    for i in (1, 3, 5):
        comes_up(host, i)
    out = python("""
    root = nvme.root()
    outcomes = nvme.connect_all(root, "mptcp", "127.0.0.1", 8009, cfg={"ctrl_loss_tmo": -1})
    show(outcomes)
    print(len({outcome.ctrl for outcome in outcomes if outcome.ctrl}))
    """)
    assert out.splitlines() == [
        "1 connected nvme11 None",
        "2 already connected None None",
        "3 connected nvme13 None",
        "4 skipped: another transport None None",
        "5 connected nvme15 None",
        "3",
    ]
    assert all("ctrl_loss_tmo=-1" in line for line in host.connects)
    assert host.deleted == ["nvme0", "nvme1"]


def test_connect_all_goes_on(python: Python, host: FakeHost) -> None:
    """A failure is raised in the end, with all outcomes."""
    discovery(host, 0, nvm(1), nvm(2))
    host.answer_error(111)
    comes_up(host, 2)
    out = python("""
    error = incomplete(nvme.connect_all, "mptcp", "127.0.0.1")
    show(error.done)
    print(len(error.failures), error.failures[0].error.errno == error.errno)
    """)
    first, second, last = out.splitlines()
    assert first.startswith("1 failed None 127.0.0.1:1: connection refused")
    assert (second, last) == ("2 connected nvme12 None", "1 True")


def test_silent_portals_with_a_timeout(python: Python, host: FakeHost, silent: int) -> None:
    """They are not left to the kernel, which waits for minutes."""
    discovery(host, 0, nvm(1, silent))
    out = python(f"""
        root = nvme.root()
        ctrl = nvme.ctrl(root, "{NQN}", "mptcp", "127.0.0.1", trsvcid={silent})
        numbered(
            lambda: ctrl.connect(nvme.host(root), timeout=0.2),
            lambda: nvme.connect_all(root, "mptcp", "127.0.0.1", timeout=3),
        )
    """)
    what = f"127.0.0.1:{silent} did not answer within"
    assert out.splitlines() == [
        f"TimedOutError {errno.ETIMEDOUT} {what} 0.2 s",
        f"Incomplete {errno.ETIMEDOUT} {NQN}1 at 127.0.0.1:{silent}: {what} 3 s",
    ]
    assert len(host.connects) == 1


def test_timeout_of_an_answer(python: Python, host: FakeHost) -> None:
    """A timeout that is not reached changes nothing."""
    comes_up(host, 1, nqn=NQN)
    host.answer_error(111)
    out = python(f"""
        root = nvme.root()
        for _ in range(2):
            ctrl = nvme.ctrl(root, "{NQN}", "mptcp", "127.0.0.1", trsvcid=1)
            try:
                with ctrl:
                    ctrl.connect(nvme.host(root), {{"tos": 8}}, timeout=60)
                    print(ctrl.name)
            except nvme.Error as error:
                print(error.errno)
    """)
    assert out.splitlines()[0] == "nvme11"
    assert "tos=8" in host.connects[0]
    assert len(host.connects) == 2


def test_hostile_entries_hide_nothing(python: Python, host: FakeHost) -> None:
    """What no name has fails alone."""
    bad = "nqn.ü\n".encode()
    own = dl.entry(trtype=77, subtype=dl.REFERRAL, subnqn=DISCOVERY)
    discovery(
        host, 0, referral(2, subnqn=bad), own, nvm(1, subnqn=bad), nvm(2, subnqn=b"\xff"), nvm(3)
    )
    comes_up(host, 3)
    out = python("""
        error = incomplete(nvme.connect_all, "mptcp", "127.0.0.1")
        print([outcome.result for outcome in error.done])
        for failed in error.failures:
            print(ascii(str(failed.error)))
    """)
    lines = out.splitlines()
    assert lines[0] == "['failed', 'failed', 'failed', 'connected']"
    assert all("is not printable UTF-8" in line for line in lines[1:]), lines


def test_the_host_side_is_inherited(python: Python, host: FakeHost) -> None:
    """What a connected discovery controller lists is connected from where that is."""
    host.subsystem(0, DISCOVERY_NQN).controller(
        0, "mptcp", "traddr=127.0.0.1,trsvcid=8009,host_traddr=127.0.0.5", cntrltype="discovery"
    )
    host.command("nvme0", "admin", 0x02, 0x70, dl.log(nvm(1)))
    comes_up(host, 1, "traddr=127.0.0.1,trsvcid=1,host_traddr=127.0.0.5")
    for given in ('"mptcp", "127.0.0.1"', 'device="nvme0"', 'device="/dev/nvme0"'):
        out = python(f"print(nvme.connect_all(nvme.root(), {given})[0].result)")
        assert out in ("connected\n", "already connected\n")
    assert len(host.connects) == 1 and "host_traddr=127.0.0.5" in host.connects[0]
    assert host.deleted == []


def test_a_device_that_is_none(python: Python, host: FakeHost) -> None:
    host.subsystem(1, NQN).controller(1, "mptcp", "traddr=127.0.0.1,trsvcid=4420")
    out = python("""
        for name in ("nvme7", "nvme1"):
            numbered(lambda: nvme.discover(nvme.root(), device=name))
    """)
    assert out.splitlines() == [
        "Error 19 nvme7: no such controller",
        "Error 22 nvme1 is not a discovery controller",
    ]


def test_another_one_besides(python: Python, host: FakeHost) -> None:
    """With force a discovery controller that is connected is not used."""
    discovery(host, 0, nvm(1), connected=True)
    discovery(host, 1, nvm(1), nvm(2), at=0)
    out = python('print(len(nvme.discover(nvme.root(), "mptcp", "127.0.0.1", force=True)))')
    assert out == "2\n"
    assert host.deleted == ["nvme1"]


def test_a_symbolic_name_is_registered(host: FakeHost, python: Python) -> None:
    """As a second attribute of the entry, padded to four bytes."""
    address = "traddr=192.0.2.1,trsvcid=8009"
    host.subsystem(0, DISCOVERY_NQN).controller(0, "tcp", address, dctype="cdc")
    host.command("nvme0", "admin", 0x21, 0)
    python("""
        for host in nvme.root().hosts():
            host.set_symname("host7")
            for subsystem in host.subsystems():
                for ctrl in subsystem.controllers():
                    ctrl.registration_ctlr(0)
    """)
    sent = (host.fake / "nvme0/admin-21-00.got").read_bytes()
    assert len(sent) == 1024 + 1032 + 20 + 12 and sent[1024 + 1028] == 2
    assert sent.endswith(b"\2\0\x08\0host7   ")
