# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subflows that stay established on dead links: each command tells the same truth."""

import csv
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, TOP
from fake_sysfs import FakeHost
from mptcp_net import HIDE, PORT, Network, enter, killed
from open_metrics import parse
from test_mptcp import of_kernel, run

EXAMPLES = TOP / "doc/examples"
CONNECTIONS = 2


@pytest.fixture
def net(host: FakeHost) -> Iterator[Network]:
    """A disk behind one controller, whose two connections have a subflow on each of four links."""
    host.disk(queue_count=CONNECTIONS).subsystem.namespace(1)
    with Network(4, 8, 8) as net:
        net.subflows_by(2, 3, 4)
        net.connections(CONNECTIONS)
        yield net


def lose_carrier(net: Network, i: int) -> None:
    net.ip("link", "set", f"eth{i}", "down", netns=net.target)


def set_down(net: Network, i: int) -> None:
    net.ip("link", "set", f"eth{i}", "down", netns=net.host)


def lose_address(net: Network, i: int) -> None:
    net.ip("addr", "del", f"10.77.{i}.2/24", "dev", f"eth{i}", netns=net.host)


def example(net: Network, host: FakeHost, *words: str) -> subprocess.Popen[str]:
    """A script of the cookbook, to which the sockets look like the kernel's."""
    return subprocess.Popen(
        enter(net.host, *HIDE, sys.executable, EXAMPLES / words[0], *words[1:]),
        env=os.environ
        | {"PYTHONPATH": str(BUILD / "python"), "LIBNVME_SYSFS_PATH": str(host.root / "sysfs")},
        stdout=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    out, _ = process.communicate(timeout=60)
    return process.returncode, out.splitlines()


def ask_every_door(net: Network, host: FakeHost, tmp_path: Path, dead: tuple[int, ...]) -> None:
    """Each is asked whether the links eth1 to eth4 carry the disk; @dead ones do not."""
    carrying = [f"eth{i}" for i in (1, 2, 3, 4) if i not in dead]
    lost = [f"eth{i}" for i in dead]
    n, missing = CONNECTIONS * len(carrying), CONNECTIONS * len(lost)

    (ctrl,) = of_kernel(net, host)["controllers"]
    subflows = [s for connection in ctrl["connections"] for s in connection["subflows"]]
    states = [(s["link"], s["state"], s["carrying"]) for s in subflows]
    assert sorted(states) == sorted(
        [(link, "ESTAB", True) for link in carrying] * CONNECTIONS
        + [(link, "ESTAB", False) for link in lost] * CONNECTIONS
    )
    usage = {u["link"]: (u["subflows"], u["dead"]) for u in ctrl["links"]}
    assert usage == {link: (2, 0) for link in carrying} | {link: (0, 2) for link in lost}
    coverage = {c["link"]: (c["covered"], c["missing"]) for c in ctrl["coverage"]}
    assert coverage == {link: (2, 0) for link in carrying} | {link: (0, 2) for link in lost}
    assert all(c["trouble"] for c in ctrl["coverage"] if c["missing"])

    text = run("mptcp", "show-subflows", host=host, unseen=net.host).out
    over = f"over {len(carrying)} link{'s' * (len(carrying) != 1)}"
    if dead:
        assert f", {n} of 8 subflows carry, {over}, none in fallback, {missing} subflows" in text
    else:
        assert f", 8 subflows {over}, none in fallback\n" in text
    assert text.count("join,dead") == missing

    brief = run("mptcp", "check", "--brief", "--no-trial", host=host, unseen=net.host).out
    assert f", {n} of 8 subflows" in brief and f" missing={missing} " in brief

    families = parse(run("mptcp", "metrics", host=host, unseen=net.host).out)
    for name, of_carrying, of_lost in (
        ("subflows", 2, 0), ("subflows_missing", 0, 2), ("subflows_dead", 0, 2),
        ("subflows_expected", 2, 2),
    ):  # fmt: skip
        found = {
            dict(labels)["link"]: value
            for labels, value in families[f"nvme_mptcp_{name}"].samples.items()
        }
        wanted = {link: of_carrying for link in carrying} | {link: of_lost for link in lost}
        assert found == wanted, name

    page = tmp_path / "page.html"
    options = ("--html", str(page), "--interval", "0")
    assert run("mptcp", "report", *options, host=host, unseen=net.host).status == 0
    colour = "warning" if missing else "good"
    assert f'<b class="{colour}">{missing}</b>missing' in page.read_text()
    assert f"8 subflows, {missing} dead, {missing} missing" in page.read_text()

    tree = run("show-topology", host=host, unseen=net.host).out
    assert sorted(re.findall(r"\+- (eth\d) 0 subflows, 2 dead, 2 missing", tree)) == lost

    status, said = ended(example(net, host, "disk_links.py", "nvme0n1"))
    assert said[-1] == f"nvme0n1: 1 controllers, {len(carrying)} links"
    assert [line for line in said if "lost without" in line] == (
        [f"nvme0n1: lost without {carrying[0]}"] if len(carrying) == 1 else []
    )
    assert status == (0 if len(carrying) > 1 else 1)

    status, said = ended(example(net, host, "inventory.py", "-"))
    (row,) = csv.DictReader(said)
    assert (status, row["links"], row["lacks"]) == (0, " ".join(carrying), " ".join(lost))

    with killed(example(net, host, "watch_subflows.py", "4")) as watching:
        assert watching.stdout
        word = "ALERT" if dead else "ok"
        assert watching.stdout.readline() == f"{word}: nvme0 uses {', '.join(carrying)}\n"


@pytest.mark.parametrize(
    ("lose", "trouble"),
    [
        (lose_carrier, "it has no carrier"),
        (set_down, "it is down"),
        (lose_address, "no interface that is up has the address"),
    ],
)
def test_dead_links_do_not_carry(
    net: Network, host: FakeHost, tmp_path: Path, lose: Callable[[Network, int], None], trouble: str
) -> None:
    """Three of four links go: pulling the cable of the last one would take the disk away."""
    ask_every_door(net, host, tmp_path, ())
    for i in (2, 3, 4):
        lose(net, i)
    ask_every_door(net, host, tmp_path, (2, 3, 4))
    (ctrl,) = of_kernel(net, host)["controllers"]
    assert [c["trouble"] for c in ctrl["coverage"]] == [None, trouble, trouble, trouble]


@pytest.mark.parametrize(("lose", "link"), [(lose_carrier, "eth1"), (lose_address, None)])
def test_initial_subflow_is_lost(
    net: Network, host: FakeHost, lose: Callable[[Network, int], None], link: str | None
) -> None:
    """No endpoint stands for it; without its address no link does either."""
    lose(net, 1)
    (ctrl,) = of_kernel(net, host)["controllers"]
    coverage = {c["link"]: (c["covered"], c["missing"]) for c in ctrl["coverage"]}
    assert coverage == {link: (0, 2), "eth2": (2, 0), "eth3": (2, 0), "eth4": (2, 0)}
    brief = run("mptcp", "check", "--brief", "--no-trial", host=host, unseen=net.host).out
    assert ", 6 of 8 subflows" in brief and " missing=2 " in brief
    assert not brief.startswith("MPTCP OK")
    repair = run("mptcp", "repair", "--dry-run", host=host, unseen=net.host)
    assert link or "no interface that is up has the address" in " ".join(repair.out.split())


#: Sends and receives without end, on one MPTCP connection: as much as all links take.
BUSY = f"""
import socket, threading
c = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
c.connect(("10.77.1.1", {PORT}))
def send():
    while True:
        c.sendall(bytes(1 << 20))
threading.Thread(target=send, daemon=True).start()
print("ready", flush=True)
while c.recv(1 << 20):
    pass
"""


def wait_for(net: Network, host: FakeHost, link: str, wanted: tuple[int, int]) -> Any:
    """Wait until a link has so many subflows that carry and that are dead."""
    end = time.monotonic() + 50
    while True:
        (ctrl,) = of_kernel(net, host)["controllers"]
        usage = {u["link"]: (u["subflows"], u["dead"]) for u in ctrl["links"]}
        if usage.get(link) == wanted:
            return ctrl
        assert time.monotonic() < end, usage
        time.sleep(0.1)


def test_no_progress(net: Network, host: FakeHost) -> None:
    """A path that delivers nothing is dead while others advance, and carries again when it does."""
    net.stop()
    net.subflows_by(3)
    net.serve()
    net._start(net.host, BUSY)
    wait_for(net, host, "eth3", (1, 0))
    # The target receives what comes over eth3 and cannot answer.
    net.ip("route", "add", "blackhole", "10.77.3.2", netns=net.target)
    ctrl = wait_for(net, host, "eth3", (0, 1))
    coverage = {c["link"]: c for c in ctrl["coverage"]}
    assert (coverage["eth3"]["covered"], coverage["eth3"]["missing"]) == (0, 1)
    assert coverage["eth3"]["trouble"] == "its data is not acknowledged"
    assert coverage["eth1"]["missing"] == 0
    net.ip("route", "del", "blackhole", "10.77.3.2", netns=net.target)
    wait_for(net, host, "eth3", (1, 0))


def test_unconfirmed_joins(net: Network, host: FakeHost) -> None:
    """The third packet of a join never arrives: the host's socket is established all the same."""
    net.stop()
    net.subflows_by(3, 4)
    rule = 'iifname "eth3" tcp flags & (syn | ack) == ack drop'
    lost = f"table inet lost {{\nchain c {{\ntype filter hook input priority 0\n{rule}\n}}\n}}\n"
    subprocess.run(enter(net.target, "nft", "-f", "-"), input=lost, text=True, check=True)
    net.connections(CONNECTIONS)
    ctrl = wait_for(net, host, "eth3", (0, 2))
    coverage = {c["link"]: c for c in ctrl["coverage"]}
    assert coverage["eth3"]["trouble"] == "the other end has not confirmed the join"
    assert (coverage["eth3"]["missing"], coverage["eth4"]["missing"]) == (2, 0)
    text = run("mptcp", "show-subflows", host=host, unseen=net.host).out
    assert text.count("join,dead") == 2, text


def test_no_route(net: Network, host: FakeHost) -> None:
    """Without a route a socket that is bound to no device sends nothing."""
    net.ip("route", "flush", "table", "main", netns=net.host)
    ctrl = wait_for(net, host, "eth1", (0, 2))
    (eth1,) = (c for c in ctrl["coverage"] if c["link"] == "eth1")
    assert (eth1["missing"], eth1["trouble"]) == (2, "no route leads to the other end")


def test_link_by_rule_for_ports(net: Network, host: FakeHost) -> None:
    """A rule for the port decides by which link a subflow leaves, not the addresses alone."""
    net.stop()
    net.ip("rule", "add", "ipproto", "tcp", "dport", str(PORT), "lookup", "100", netns=net.host)
    way = ("default", "via", "10.77.2.1", "dev", "eth2", "table", "100")
    net.ip("route", "add", *way, netns=net.host)
    net.serve()
    net.connect("10.77.1.1", CONNECTIONS, source="10.77.1.2")
    wait_for(net, host, "eth2", (2, 0))


def test_trial_counts_links(net: Network, host: FakeHost) -> None:
    """A trial that gets two subflows on one link says so; a summary counts a link once."""
    net.stop()
    # Without a device both leave by the route to the portal.
    for i in (2, 3):
        net.endpoint(net.host, f"10.77.{i}.2", "subflow")
    net.subflows_by(4)
    net.answer()
    options = ("check", "--traddr", "10.77.1.1", "--interval", "0", "--netns", net.host)
    text = run("mptcp", *options).out
    assert "trial: 10.77.1.1:4420: MPTCP accepted, 4 of 4 subflows on eth1 (3) eth4\n" in text
    brief = run("mptcp", *options, "--brief").out
    assert ", 2 of 2 subflows" in brief and " missing=0 " in brief
    lose_carrier(net, 4)
    text = run("mptcp", *options).out
    assert "MPTCP accepted, 3 of 4 subflows on eth1 (3)\n" in text
    assert " missing=1 " in run("mptcp", *options, "--brief").out
