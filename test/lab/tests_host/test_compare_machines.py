# SPDX-License-Identifier: GPL-2.0-or-later
"""`compare --host H --target T` between two machines that are directories."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from compare import cli, figures
from compare.data import Data
from compare.figures import FIGURES, Figure
from compare.machines import possible
from compare.machines import run as machines
from compare.machines.preflight import Wanted, problems
from compare.machines.remote import mptcp, place
from compare.machines.site import MachineSite, Pair
from compare.page import View
from compare.rows import Links, Load, Row
from compare_machines import OTHERS, TESTS, TRADDRS, Network, free_port, why_not
from compare_runs import fio_run

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


Thread = Callable[..., tuple[int, str]]


@pytest.fixture
def compare(
    net: Network, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Thread:
    """Runs the command with a few short rows; returns its status and what it said."""
    monkeypatch.setattr(machines, "possible_figures", small)
    port = free_port()

    def go(*more: str, traddrs: tuple[str, ...] = TRADDRS) -> tuple[int, str]:
        words = ["--host", "hosty", "--target", "targety", "--build", str(net.top / "build"),
                 *(word for address in traddrs for word in ("--traddr", address))]  # fmt: skip
        if "--port" not in more:
            words += ["--port", str(port)]
        capfd.readouterr()
        status = cli.main([*words, *more])
        said = capfd.readouterr()
        return status, said.out + said.err

    return go


def small(links: Links) -> dict[str, Figure]:
    """Return a figure of three short rows, one of each kind that there is."""
    load = Load(seconds=0, ramp=0)
    native = replace(figures.NATIVE["round-robin"], paths=2)
    rows = (Row(figures.MPTCP, links, load), Row(native, links, load),
            Row(figures.TCP, links, load, kind="connect"))  # fmt: skip
    return {"cost": Figure("cost", "Does it work?", lambda _delay: rows)}


def states(net: Network) -> list[dict[str, str]]:
    return [machine.state() for machine in net.both]


def test_rows_are_measured_and_nothing_is_left(net: Network, compare: Thread) -> None:
    before = states(net)
    status, said = compare("--runs", "2")
    assert status == 0, said
    assert states(net) == before
    assert "left out: figure `failover`: a cable would have to be pulled" in said
    text = (net.top / "build/compare-machines/compare-machines.md").read_text()
    for found in ("| name |", "Test 1", "127.0.0.11, ens17, 1000 Mbit/s, MTU 1500",
                  "make compare HOST=hosty TARGET=targety", "figure `asymmetric`",
                  "is a median of 2 runs", "## Does it work?"):  # fmt: skip
        assert found in text, found
    assert "{" not in text and "None" not in text and "10 Mbit/s" not in text
    data = Data.read(net.top / "build/compare-machines/compare-machines/results.csv")
    found = {result.fields["setup"]: result for result in data}
    assert {result["runs"] for result in found.values()} == {2} and len(found) == 3
    mptcp = found["mptcp"]
    assert mptcp.fields["subflows"] == "2" and mptcp["mib_s"] == 4
    again, said = compare("--runs", "2")
    assert again == 0 and "all of it was measured before" in said
    assert compare("--runs", "2", "--write-only")[0] == 0
    assert not (net.top / "build/compare.md").exists()


def test_only_the_own_subsystem_is_connected_and_let_go(net: Network, compare: Thread) -> None:
    net.host.put("sys/class/nvme/nvme3/subsysnqn", "nqn.2026-01.org.example:theirs\n")
    theirs = net.host.put("sys/class/nvme/nvme3/delete_controller")
    policy = net.host.put("sys/class/nvme-subsystem/nvme-subsys3/iopolicy", "numa\n")
    net.host.put(
        "sys/class/nvme-subsystem/nvme-subsys3/subsysnqn", "nqn.2026-01.org.example:theirs"
    )
    assert compare("--runs", "1")[0] == 0
    assert theirs.read_text() == "" and policy.read_text() == "numa\n"
    asked = "\n".join(net.host.calls())
    assert "disconnect" not in asked
    found = re.findall(r"^nvme-mptcp connect .*", asked, re.M)
    assert len(found) == 4
    assert all(f"--nqn {machines.NQN} " in line and "--config none" in line for line in found)
    assert (net.host.root / "dev/nvme0n1").read_text() == "somebody's data"


def test_the_target_offers_one_disk_to_one_host(
    net: Network, compare: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = net.target.root / "sys/kernel/config/nvmet"
    seen: dict[str, Any] = {}
    set_up = Pair.set_up

    def look(pair: Pair) -> None:
        set_up(pair)
        (subsystem,) = (top / "subsystems").iterdir()
        seen["nqn"] = subsystem.name
        seen["any"] = (subsystem / "attr_allow_any_host").read_text().strip()
        seen["hosts"] = [p.name for p in (subsystem / "allowed_hosts").iterdir()]
        seen["device"] = (subsystem / "namespaces/1/device_path").read_text()
        seen["ports"] = {
            (p / "addr_trtype").read_text(): int((p / "addr_trsvcid").read_text())
            for p in (top / "ports").iterdir()
        }
        seen["size"] = (net.target.root / "dev/ram0").stat().st_size
        seen["own"] = pair.host_nqn
        seen["wanted"] = pair.wanted.ports

    monkeypatch.setattr(Pair, "set_up", look)
    assert compare("--runs", "1")[0] == 0
    assert seen["nqn"] == machines.NQN and seen["any"] == "0"
    assert seen["hosts"] == [seen["own"]] and seen["ports"] == seen["wanted"]
    assert seen["device"].endswith("/dev/ram0") and seen["size"] == 1 << 20


def test_endpoints_of_others_and_limits_are_as_before(net: Network, compare: Thread) -> None:
    assert compare("--runs", "1")[0] == 0
    for machine in net.both:
        state = json.loads((machine.root / "mptcp.json").read_text())
        assert state == {"endpoints": [OTHERS], "limits": {"subflows": 2, "add_addr_accepted": 0}}
        assert [c for c in machine.calls() if c.startswith("nvme-mptcp setup") and "--apply" in c]
        assert (machine.root / "proc/sys/net/mptcp/add_addr_timeout").read_text() == "120\n"


def test_endpoints_that_were_there_stay(net: Network, compare: Thread) -> None:
    there = [OTHERS, {"id": 9, "address": TRADDRS[0], "flags": ["signal"], "subflows": 0}]
    net.target.edit("mptcp.json", endpoints=there)
    assert compare("--runs", "1")[0] == 0
    assert json.loads((net.target.root / "mptcp.json").read_text())["endpoints"] == there


def test_a_plan_that_changes_what_others_made_is_refused(net: Network, compare: Thread) -> None:
    before = states(net)
    net.target.edit("plan.json", steps=[{"action": "flags", "command": "ip mptcp endpoint change"}])
    status, said = compare("--runs", "1")
    assert status == 2 and "would change endpoints that others made" in said
    assert states(net) == before


def test_all_that_is_missing_is_named_at_once(net: Network, compare: Thread) -> None:
    net.host.put("sys/class/nvme/nvme4/subsysnqn", f"{machines.NQN}\n")
    net.host.put("sys/module/nvme_core/parameters/multipath", "N\n")
    net.host.put("proc/meminfo", "MemAvailable:    2000 kB\n")
    net.host.edit("routes.json", **{TRADDRS[1]: None})
    net.target.put("sys/module/brd/refcnt", "2\n")
    net.target.put("sys/module/nvmet_tcp/srcversion", "OLD\n")
    (net.target.root / f"sys/kernel/config/nvmet/subsystems/{machines.NQN}").mkdir()
    net.target.put("addresses.json", "[]")
    before = states(net)
    status, said = compare("--runs", "1")
    assert status == 2
    for text in (
        "hosty: nvme4 is connected to", f"nvme-mptcp disconnect -n {machines.NQN}",
        "hosty: native multipath is off", "hosty: 1 MiB of memory are free",
        "hosty: no route to 127.0.0.22", "targety: the module brd is loaded (2 in use)",
        "modprobe -r brd", "targety: nvmet-tcp: the loaded module is not the installed one",
        f"targety: the subsystem {machines.NQN} is there",
        "targety: no interface has the address 127.0.0.21", "nothing was measured",
    ):  # fmt: skip
        assert text in said, text
    assert states(net) == before
    assert not [c for m in net.both for c in m.calls() if c.startswith(("modprobe", "rmmod"))]


def test_a_port_that_is_taken_is_refused(net: Network, compare: Thread) -> None:
    import socket

    before = states(net)
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = other.getsockname()[1]
        status, said = compare("--port", str(port - 1))
    assert status == 2
    assert f"targety: port {port}: Address already in use; choose others with --port" in said
    assert states(net) == before


def test_what_is_not_reached_is_named(net: Network, compare: Thread) -> None:
    # an address that is nobody's on this machine: nothing leaves from there
    net.host.edit("routes.json", **{TRADDRS[1]: {"dev": "ens18", "prefsrc": "203.0.113.9"}})
    status, said = compare()
    assert status == 2
    assert re.search(r"hosty: 127\.0\.0\.22 port \d+ from 203\.0\.113\.9 \(ens18\): ", said)


#: Of a target on which nothing is missing.
GOOD: dict[str, Any] = {
    "kernel": "6.12", "programs": dict.fromkeys(("nvme-mptcp", "fio", "modinfo"), True),
    "versions": {"nvme-mptcp": "0.2.0"}, "python-module": True, "mptcp": True, "enabled": "1",
    "modules": {"nvmet-tcp": {"file": "a.ko", "stale": ""}}, "multipath": "Y", "brd": "",
    "available": 1 << 30, "controllers": [], "subsystem": False,
    "links": [{"dev": "eth1", "source": "10.1.1.1", "error": ""}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, ""),
        ({"programs": {"nvme-mptcp": True, "fio": False, "modinfo": True}}, "install fio"),
        ({"programs": {"nvme-mptcp": False, "modinfo": True}}, "nvme-mptcp is missing: apt-get"),
        ({"versions": {"nvme-mptcp": ""}}, "names no version of the project"),
        ({"python-module": False}, "python3-nvme-mptcp"),
        ({"modules": {"nvmet-tcp": {"file": "", "stale": ""}}}, "6.12 has no module nvmet-tcp"),
        ({"mptcp": False}, "do not have the transport mptcp"),
        ({"modules": {"nvmet-tcp": {"file": "a", "stale": "yes"}}}, "not the installed one"),
        ({"enabled": "0"}, "sysctl -w net.mptcp.enabled=1"),
        ({"available": 300 << 20}, "300 MiB of memory are free, and 768 are needed"),
        ({"links": [{"dev": "lo", "source": "", "error": ""}]}, ""),
        ({"brd": "none in use"}, "modprobe -r brd"),
    ],
)
def test_each_thing_that_is_missing_has_its_way_out(change: dict[str, Any], text: str) -> None:
    wanted = Wanted(machines.NQN, ("10.1.1.1",), {"mptcp": 1, "tcp": 2}, 512)
    found = problems("t", "target", GOOD | change, wanted)
    if change.get("links"):
        assert found == ["t: 10.1.1.1 is an address of this machine: host and target are to be two"]
    elif text:
        assert len(found) == 1 and text in found[0]
    else:
        assert found == []


def test_one_interface_is_one_link(net: Network, compare: Thread) -> None:
    net.host.edit("routes.json", **{TRADDRS[1]: {"dev": "ens17", "prefsrc": "127.0.0.11"}})
    status, said = compare()
    assert status == 2 and "127.0.0.21 and 127.0.0.22 are both on ens17" in said


def test_links_are_found_by_the_planner(net: Network, compare: Thread) -> None:
    status, said = compare("--runs", "1", traddrs=())
    assert status == 0
    assert "on targety: 127.0.0.21 (ens1), 127.0.0.22 (ens2)" in said
    net.target.put("broken", "nvme-mptcp setup")
    status, said = compare("--runs", "1", traddrs=())
    assert status == 2 and "name them with --traddr" in said


def test_a_row_that_fails_is_noted_and_the_rest_goes_on(net: Network, compare: Thread) -> None:
    before = states(net)
    net.host.put("broken", "fio --output-format=json")
    status, said = compare("--runs", "1")
    assert status == 1
    assert said.count(" failed: RemoteError: hosty: fio ") == 2
    assert states(net) == before


def test_what_fails_on_the_way_is_taken_back(net: Network, compare: Thread) -> None:
    before = states(net)
    net.host.put("broken", "nvme-mptcp setup --role host")
    status, said = compare("--runs", "1")
    assert status == 2 and "nvme-mptcp: broken" in said
    assert states(net) == before


def test_a_machine_that_is_lost_ends_the_run_and_is_cleared_by_the_next(
    net: Network, compare: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = states(net)
    with monkeypatch.context() as patched:

        def lose(site: MachineSite, *_: object) -> dict[str, Any]:
            site._pair.target._process.kill()
            return dict(site._pair.target.ask("ping"))

        patched.setattr(MachineSite, "fio", lose)
        status, said = compare("--runs", "1")
    assert status == 2 and "compare: ssh targety: " in said
    assert "targety: " in said and "the next run takes back what is left there" in said
    assert net.host.state() == before[0] and net.target.state() != before[1]
    status, said = compare("--runs", "1")
    assert status == 0 and "targety: a run of before has left modules, host" in said
    assert states(net) == before


def test_what_cannot_be_taken_back_is_said(net: Network, compare: Thread) -> None:
    net.target.put("broken", "rmmod brd")
    status, said = compare("--runs", "1")
    assert status == 1 and "compare: targety: modules: rmmod brd" in said


def test_impossible_figures_are_refused_with_their_reason(net: Network, compare: Thread) -> None:
    for name, reason in (
        ("failover", "a cable would have to be pulled"), ("published", "ratios"),
        ("asymmetric", "delay, lose or flap"),
    ):  # fmt: skip
        status, said = compare("--figure", name)
        assert status == 2 and f"figure {name} is not possible" in said and reason in said
    assert not (net.top / "ssh.log").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--host", "-oProxyCommand=x", "--target", "t"], "begins with '-'"),
        (["--host", "root@-x", "--target", "t"], "begins with '-'"),
        (["--host", "a b", "--target", "t"], "USER"),
        (["--host", "a", "--target", "a"], "to be two machines"),
        (["--host", "a"], "--host and --target"),
        (["--traddr", "127.0.0.1"], "--host and --target"),
        (["--host", "a", "--target", "b", "--traddr", "x"], "'x'"),
        (["--host", "a", "--target", "b", "--traddr", "::1", "--traddr", "127.0.0.1"], "all IPv4"),
        (["--host", "a", "--target", "b", "--traddr", "::1", "--traddr", "::1"], "twice"),
        (["--host", "a", "--target", "b", "--port", "65535"], "65534"),
        (["--host", "a", "--target", "b", "--jobs", "2"], "for the lab"),
        (["--host", "a", "--target", "b", "--kernel-series", "6.12"], "for the lab"),
    ],
)
def test_words_that_make_no_sense_are_refused(
    net: Network, words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # joined, as argparse would take a word with a dash for an option
    pairs = [f"{a}={b}" for a, b in zip(words[::2], words[1::2], strict=True)]
    assert cli.main([*pairs, "--build", str(net.top / "build")]) == 2
    assert reason in capsys.readouterr().err
    assert not (net.top / "ssh.log").exists()


def test_make_hands_machines_on() -> None:
    """What the environment calls HOST is none of them."""

    def told(*words: str, **environment: str) -> str:
        command = ["make", "-n", "compare", "FIGURE=cost", *words]
        done = subprocess.run(command, cwd=TESTS.parent, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, **environment}, check=True)  # fmt: skip
        return " ".join(done.stdout.replace("\\", " ").split())

    found = told("HOST=root@a", "TARGET=b", "TRADDR=10.1.1.1 10.1.2.1")
    assert "'--host=root@a' '--target=b' --traddr=10.1.1.1 --traddr=10.1.2.1" in found
    assert "tools/setup;" not in found and "programs" not in found
    assert "--host" not in told(HOST="a", TARGET="b")


def test_every_figure_has_rows_or_a_reason() -> None:
    links = possible.real_links([1000, 1000])
    there = possible.possible_figures(links)
    assert set(there) == {"alone", "goals", "sizes", "cost"}
    assert {name: bool(possible.why_no_figure(f)) for name, f in FIGURES.items()} == {
        name: name not in there for name in FIGURES
    }
    rows = [row for f in there.values() for row in f.rows(None)]
    assert rows and {row.links for row in rows} == {links}
    assert {row.setup.transport for row in rows} == {"tcp", "mptcp"}
    for row in rows:
        assert not row.setup.bond and not row.setup.relay and row.setup.endpoints != "selftest"
        assert not row.setup.policy or row.setup.paths == 2
        assert not row.setup.rmem and not row.setup.wmem
    one = possible.possible_figures(possible.real_links([0]))
    assert not [r for f in one.values() for r in f.rows(None) if r.setup.policy]
    reasons = {a.name: a.reason for a in possible.absent(1)}
    assert reasons["`alone`: native multipath, numa"] == possible.ONE_LINK
    named = [a.name for a in possible.absent(2)]
    assert "`alone`: bond, 802.3ad layer3+4" in named
    assert "`cost`: tcp, one link of four times the rate" in named
    assert len(named) == len(set(named))


def test_links_of_unknown_speed_have_no_ratio() -> None:
    data, load = Data(), Load()
    known, unknown = (
        Row(figures.MPTCP, possible.real_links(speeds), load) for speeds in ([8, 8], [0, 0])
    )
    for row in (known, unknown):
        data.add(row, [fio_run(1.0, links=(1, 1))], series="m", kernel="", modules="", measured="")
    assert View(data, "m").of_links(known) == "52" and unknown.links.rate == 0


def test_ports_take_of_a_write_what_they_took_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {"endpoints": [], "limits": {"subflows": 2, "add_addr_accepted": 0}}
    monkeypatch.setattr(place, "ROOT", tmp_path)
    monkeypatch.setattr(mptcp, "run", lambda words: json.dumps(shown))

    def have(**sizes: str) -> None:
        for port, size in sizes.items():
            file = tmp_path / "sys/kernel/config/nvmet/ports" / port[1:] / mptcp.INLINE
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{size}\n")

    have(p1="-1", p2="-1", p3="4096")
    before = mptcp.state()
    have(p1="131072", p2="131072")
    after = mptcp.state()
    have(p2="8192", p4="-1")
    said = mptcp.take_back({"before": before, "after": after})
    assert said == f"{mptcp.INLINE} of port 2 is not what setup made it"
    assert mptcp.state()["inline"] == {"1": "-1", "2": "8192", "3": "4096", "4": "-1"}
