# SPDX-License-Identifier: GPL-2.0-or-later
"""What `compare --host --target` makes on machines goes with it, whatever ends it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from compare import cli
from compare.drive import SiteLost
from compare.machines import run as machines
from compare.machines import ssh
from compare.machines.ssh import Remote, RemoteError
from compare_machines import TESTS, TRADDRS, Network, free_port, why_not
from nvmelab.waiting import wait_until
from nvmetools import ToolError

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-000000000001"
PORTS = {"mptcp": 24420, "tcp": 24421}


def target() -> closing[Remote]:
    return closing(Remote("targety", "target", machines.NQN))


def host() -> closing[Remote]:
    return closing(Remote("hosty", "host", machines.NQN))


def offer(remote: Remote) -> None:
    remote.ask("offer", host=HOST_NQN, family="ipv4", ports=PORTS, mib=1)
    remote.ask("plan", traddrs=TRADDRS[:1], devices=["ens1", "ens2"])


def connect(remote: Remote) -> None:
    remote.ask("load")
    remote.ask("plan", traddrs=TRADDRS, devices=["ens17", "ens18"])
    each = [{"transport": "mptcp", "traddr": TRADDRS[0], "trsvcid": 24420}]
    remote.ask("connect", each=each)


def compare(net: Network) -> int:
    words = ["--host", "hosty", "--target", "targety", "--build", str(net.top / "build"),
             "--runs", "1", "--port", str(free_port())]  # fmt: skip
    return cli.main([*words, *(word for a in TRADDRS for word in ("--traddr", a))])


@pytest.mark.parametrize("end", ["lost", "SIGTERM", "SIGHUP", "SIGINT"])
def test_an_end_takes_everything_back(net: Network, end: str) -> None:
    before = net.target.state(), net.host.state()
    with target() as one, host() as other:
        offer(one)
        connect(other)
        assert (net.target.state(), net.host.state()) != before
        for remote in (one, other):
            process = remote._process
            assert process.stdin
            if end == "lost":
                process.stdin.close()
            else:
                process.send_signal(getattr(signal, end))
            assert process.wait(30) == 0
        assert (net.target.state(), net.host.state()) == before


def test_what_is_under_way_makes_nothing_more(net: Network) -> None:
    """An end in the middle: a program that is at work is not to load a module afterwards."""
    before = net.target.state()
    net.target.put("slow", "modprobe nvmet")
    with target() as remote:

        def ask() -> None:
            with contextlib.suppress(ToolError):
                offer(remote)

        asked = threading.Thread(target=ask)
        asked.start()
        wait_until(lambda: "modprobe nvmet" in net.target.calls(), "the target at work", 30)
        assert remote._process.stdin
        remote._process.stdin.close()
        assert remote._process.wait(30) == 0
        asked.join(30)
    time.sleep(5)
    assert net.target.state() == before


def test_silence_is_an_end(net: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, "PING_S", 3600.0)
    # longer than a busy machine takes between two questions of the offer
    monkeypatch.setenv("THREAD_SILENCE", "8")
    before = net.target.state()
    with target() as remote:
        offer(remote)
        assert remote._process.wait(60) == 0
        assert net.target.state() == before
        with pytest.raises(SiteLost, match="ssh targety"):
            remote.ask("ping")


def test_pings_are_no_silence(net: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, "PING_S", 0.2)
    monkeypatch.setenv("THREAD_SILENCE", "3")
    with target() as remote:
        time.sleep(5)
        assert remote.ask("ping") == "pong"


def test_what_a_killed_run_left_is_found_and_cleared(
    net: Network, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = net.target.state(), net.host.state()
    with target() as one, host() as other:
        offer(one)
        connect(other)
        for remote in (one, other):
            remote._process.kill()
            remote._process.wait()
    assert (net.target.state(), net.host.state()) != before
    monkeypatch.setattr(machines, "possible_figures", lambda _links: {})
    monkeypatch.setattr(machines.document, "write", lambda *_: "nothing")
    assert compare(net) == 0
    said = capfd.readouterr().err
    assert f"targety: a run of before has left modules, host {HOST_NQN}" in said
    assert "hosty: a run of before has left modules, endpoints and limits" in said
    assert (net.target.state(), net.host.state()) == before


def test_a_second_run_waits_for_its_turn(net: Network) -> None:
    with target() as first:
        offer(first)
        during = net.target.state()
        with pytest.raises(RemoteError, match="another run measures here") as caught:
            Remote("targety", "target", machines.NQN)
        assert caught.value.refused
        assert net.target.state() == during


def test_a_journal_that_is_not_ours_is_left_alone(net: Network) -> None:
    path = net.target.put("run/nvme-mptcp-compare/target.json", '[{"kind": "everything"}]')
    with pytest.raises(RemoteError, match="of another version"):
        Remote("targety", "target", machines.NQN)
    assert path.exists()


def test_what_is_somebodys_by_now_stays(net: Network) -> None:
    top = net.target.root / "sys/kernel/config/nvmet"
    with target() as remote:
        offer(remote)
        port = min((top / "ports").iterdir())
        theirs = top / "subsystems/nqn.2026-01.org.example:theirs"
        theirs.mkdir()
        (port / "subsystems" / theirs.name).symlink_to(theirs)
        net.target.edit("mptcp.json", limits={"subflows": 5, "add_addr_accepted": 5})
    assert port.exists()
    assert any("offers nqn.2026-01.org.example:theirs" in text for text in remote.trouble)
    assert any("the limits are not those that setup made" in text for text in remote.trouble)
    limits = json.loads((net.target.root / "mptcp.json").read_text())["limits"]
    assert limits == {"subflows": 5, "add_addr_accepted": 5}


def test_endpoints_that_the_kernel_made_meanwhile_go_when_idle(net: Network) -> None:
    busy = {"id": 41, "address": "192.0.2.41", "flags": ["implicit"], "subflows": 1}
    idle = {"id": 42, "address": "192.0.2.42", "flags": ["implicit"], "subflows": 0}
    theirs = {"id": 43, "address": "192.0.2.43", "flags": ["subflow"], "subflows": 0}
    with target() as remote:
        offer(remote)
        state = json.loads((net.target.root / "mptcp.json").read_text())
        net.target.edit("mptcp.json", endpoints=[*state["endpoints"], busy, idle, theirs])
    left = json.loads((net.target.root / "mptcp.json").read_text())["endpoints"]
    assert [e["id"] for e in left] == [3, 41, 43]


@pytest.mark.parametrize("transport", ["tcp", "pcie"])
def test_transports_of_other_controllers_stay_loaded(net: Network, transport: str) -> None:
    with host() as remote:
        connect(remote)
        net.host.put("sys/class/nvme/nvme3/transport", f"{transport}\n")
    modules = (net.host.root / "proc/modules").read_text()
    assert ("nvme_tcp" in modules) == (transport == "tcp")
    assert "nvme_mptcp" not in modules and "nvme_core" in modules


def test_fio_gets_no_other_disk(net: Network) -> None:
    with host() as remote:
        connect(remote)
        with pytest.raises(RemoteError, match="/dev/nvme0n1 is not a disk of") as caught:
            remote.ask("fio", disk="/dev/nvme0n1", options={"rw": "write"})
        assert caught.value.refused
    assert not [call for call in net.host.calls() if call.startswith("fio")]


@pytest.mark.parametrize("what", ["subsystems", "hosts", "brd"])
def test_what_is_there_already_is_not_taken(net: Network, what: str) -> None:
    top = net.target.root / "sys/kernel/config/nvmet"
    name = {"subsystems": machines.NQN, "hosts": HOST_NQN}.get(what, "")
    path = top / what / name if name else net.target.root / "sys/module/brd"
    path.mkdir()
    before = net.target.state()
    with target() as remote:
        with pytest.raises(RemoteError, match="is there already|is loaded") as caught:
            remote.ask("offer", host=HOST_NQN, family="ipv4", ports=PORTS, mib=1)
        assert caught.value.refused
    assert net.target.state() == before


def test_ids_of_ports_that_others_have_are_not_taken(net: Network) -> None:
    top = net.target.root / "sys/kernel/config/nvmet/ports"
    theirs = top / "40000"
    (theirs / "subsystems").mkdir(parents=True)
    (theirs / "addr_trsvcid").write_text("4420\n")
    with target() as remote:
        offer(remote)
        assert sorted(path.name for path in top.iterdir()) == ["40000", "40001", "40002"]
    assert [path.name for path in top.iterdir()] == ["40000"]
    assert (theirs / "addr_trsvcid").read_text() == "4420\n"


def test_ssh_is_asked_nothing_and_shares_nothing(net: Network) -> None:
    with target():
        pass
    words = (net.top / "ssh.log").read_text().splitlines()
    for option in ("ControlMaster=no", "ControlPath=none", "BatchMode=yes"):
        assert words[words.index(option) - 1] == "-o"
    for name in ("ConnectTimeout", "ServerAliveInterval", "ServerAliveCountMax"):
        assert [word for word in words if word.startswith(f"{name}=")]
    assert words[words.index("--") + 1] == "targety"


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ("Permission denied (publickey).", "ssh-copy-id"),
        ("Host key verification failed.", "log in once by hand"),
        ("Connection timed out", "Connection timed out"),
    ],
)
def test_a_machine_that_is_not_let_into_is_named(
    net: Network, said: str, helps: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (net.top / "hosty.refused").write_text(f"{said}\n")
    before = net.target.state()
    assert compare(net) == 2
    error = capfd.readouterr().err
    assert f"compare: ssh hosty: {said}" in error and helps in error
    assert net.target.state() == before


def test_who_is_not_root_needs_sudo(net: Network, capfd: pytest.CaptureFixture[str]) -> None:
    (net.top / "id").write_text("1000\n")
    assert compare(net) == 2
    error = capfd.readouterr().err
    for machine in ("hosty", "targety"):
        assert f"ssh {machine}: sudo: a password is required; log in as root" in error


RUNNER = """\
import sys
sys.path[:0] = sys.argv[1].split(":")
from compare import cli
from compare.machines import run
run.DISK_MIB = 1
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_runners_end_is_that_of_its_agents(net: Network, end: signal.Signals) -> None:
    before = net.target.state(), net.host.state()
    places = ":".join(map(str, (TESTS / "bench", TESTS / "lab")))
    words = [sys.executable, "-c", RUNNER, places, "--host", "hosty", "--target", "targety",
             "--build", str(net.top / "build"), "--runs", "1", "--port", str(free_port()),
             "--figure", "cost"]  # fmt: skip
    runner = subprocess.Popen([*words, *(word for a in TRADDRS for word in ("--traddr", a))],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    wait_until(lambda: list((net.host.root / "sys/class/nvme").iterdir()), "a controller", 60)
    runner.send_signal(end)
    # what an agent is at gets a minute, and what it takes back comes after that
    assert runner.wait(180) != 0

    def gone() -> bool:
        return not any(_lives(net.top / f"{name}.pid") for name in ("hosty", "targety"))

    wait_until(gone, "the end of both agents", 60, pause=0.1)
    assert (net.target.state(), net.host.state()) == before


def _lives(note: Path) -> bool:
    try:
        os.kill(int(note.read_text()), 0)
    except ProcessLookupError:
        return False
    # one that has ended and was not waited for is no agent any more
    return " Z " not in Path(f"/proc/{int(note.read_text())}/stat").read_text()
