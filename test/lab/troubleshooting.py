# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sees, the commands that lead to the reason, and the cure: each state is built here.

`test/lab/lab run test/lab/troubleshooting.py [-- CHAPTER…]` writes doc/troubleshooting.md, with its
own words and new output, to the results of the run; the test test_mptcp_troubleshooting.py goes the
same way and looks closer.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from failover import RELEASE, Document
from lab import Lab, Limits, Link, Port, Subsystem, Target, Topology, wait_until
from lab.host import HOST_ID, HOST_NQN
from lab.network import SIDES, Side
from lab.system import network_namespace

PAGE = Path(__file__).resolve().parents[2] / "doc/troubleshooting.md"
NQN = "nqn.2024-01.lab:disk"
TRADDR = "10.1.1.1"
CONNECT = f"nvme connect -t mptcp -a {TRADDR} -s 4420 -n {NQN} -i 1"
CONFIG = Path("/etc/nvme/config.json")
#: Requests of fio.
DEPTH = 32

Findings = list[dict[str, Any]]


def topology(*rates: str) -> Topology:
    """Links of these rates, with the path manager as it is after boot; the target is set up.

    The host's namespace is new, so that no counter remembers what was before.
    """
    return Topology(
        links=tuple(Link.both(rate=rate, delay="1ms") for rate in rates),
        families=("ipv4",),
        limits={"host": Limits(2, 0), "target": Limits(8, 0)},
        host_namespace="host",
    )


THREE = topology("20mbit", "20mbit", "20mbit")


class Desk:
    """Both machines of a chapter; the document gets every command with what it said."""

    def __init__(self, lab: Lab, document: Document) -> None:
        self.lab = lab
        self.document = document
        lab.network.changed = True

    def run(self, command: str, side: Side = "host", status: int | None = 0) -> str:
        """Runs a line of the shell on a side, which need not be shown."""
        with network_namespace(self.lab.topology.namespace(side)):
            done = subprocess.run(
                ["sh", "-c", command], capture_output=True, text=True, timeout=120, check=False
            )
        if status is not None and done.returncode != status:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).strip("\n")

    def show(self, command: str, side: Side = "host", status: int | None = 0) -> str:
        """Runs it and tells what it said."""
        text = self.run(command, side, status)
        self.document.tell(command, text, f"{side}#")
        return text

    def check(self, arguments: str = "nvme0 --role host", side: Side = "host") -> Findings:
        """Shows what check finds, and returns it."""
        command = f"nvme mptcp check {arguments}".strip()
        self.show(command, side, status=None)
        found = json.loads(self.run(f"{command} -o json", side, status=None))["findings"]
        return list(found)

    def cure(self, found: Findings, rule: str) -> None:
        """Runs the commands that a rule printed, each on its side."""
        fixes = [fix for f in found if f["rule"] == rule for fix in f["fix"]]
        if not fixes:
            raise AssertionError(f"{rule} is not among {[f['rule'] for f in found]}")
        for fix in fixes:
            self.show(fix["command"], fix["side"], status=None)

    def carried(self) -> list[int]:
        return [len(set(links)) for links in self.lab.host.carried()]

    def wait_for_links(self, links: int) -> None:
        what = f"both connections on {links} links"
        wait_until(lambda: self.carried() == [links] * 2, what, 60, pause=0.3)

    def fio_command(self, rw: str, seconds: int) -> str:
        disk = self.lab.host.disk(NQN)
        return (
            f"fio --name={rw} --filename={disk} --rw={rw} --bs=128k --iodepth={DEPTH} "
            f"--ioengine=libaio --direct=1 --time_based --runtime={seconds}"
        )

    def fio(self, rw: str) -> None:
        self.show(f"{self.fio_command(rw, 10)} | grep -E 'READ|WRITE'")

    @contextlib.contextmanager
    def load(self, rw: str, seconds: int) -> Iterator[None]:
        worker = threading.Thread(target=self.run, args=(self.fio_command(rw, seconds),))
        worker.start()
        try:
            yield
        finally:
            worker.join()

    def boot(self) -> None:
        """Leaves of the path manager what a boot leaves of it."""
        self.lab.host.disconnect_all()
        self.run("ip mptcp endpoint flush; ip mptcp limits set subflows 2 add_addr_accepted 0")


def offer(lab: Lab, trtype: str = "mptcp") -> None:
    lab.target.configure(Target((Subsystem(NQN),), (Port(trtype=trtype),)))


def idle_link(desk: Desk) -> Findings:
    """A link that nobody gave an endpoint."""
    offer(desk.lab)
    desk.run("ip mptcp endpoint add 10.1.2.2 dev h2 subflow")
    desk.run(CONNECT)
    desk.wait_for_links(2)
    desk.show("nvme mptcp show-subflows nvme0")
    found = desk.check()
    desk.cure(found, "A11")
    desk.wait_for_links(3)
    desk.show("nvme mptcp show-subflows nvme0")
    return desk.check()


def pulled_cable(desk: Desk) -> Findings:
    """A subflow that died while its link was down."""
    for side in SIDES:
        desk.lab.network.sysctl(side, "ipv4.tcp_retries2", 3)
    offer(desk.lab)
    desk.run(f"nvme mptcp setup --role host --traddr {TRADDR} --apply")
    desk.run(CONNECT)
    desk.wait_for_links(3)
    with desk.load("randwrite", 30):
        desk.lab.network.set_link("target", 2, False)
        desk.check()
        wait_until(lambda: min(desk.carried()) == 2, "a subflow that died", 40, pause=0.3)
    desk.lab.network.set_link("target", 2, True)
    wait_until(lambda: desk.lab.network.reaches("host", "10.1.2.1"), "an answer", 20)
    found = desk.check()
    desk.cure(found, "C13")
    desk.wait_for_links(3)
    return desk.check()


def refused(desk: Desk) -> Findings:
    """A host whose MPTCP is switched off."""
    offer(desk.lab)
    desk.run(f"nvme mptcp setup --role host --traddr {TRADDR} --apply")
    desk.lab.network.sysctl("host", "mptcp.enabled", 0)
    try:
        desk.show(CONNECT, status=1)
        found = desk.check(f"--traddr {TRADDR} --trsvcid 4420 --role host")
        desk.cure(found, "K02")
        desk.show(CONNECT)
        return []
    finally:
        desk.lab.network.sysctl("host", "mptcp.enabled", 1)


def fallen_back(desk: Desk) -> Findings:
    """A port of the target that is one for tcp."""
    offer(desk.lab, "tcp")
    desk.run(f"nvme mptcp setup --role host --traddr {TRADDR} --apply")
    desk.show(CONNECT)
    desk.check()
    found = desk.check("--role target", "target")
    desk.cure(found, "T08")
    desk.document.frame()
    desk.wait_for_links(3)
    return desk.check()


def rebooted(desk: Desk) -> Findings:
    """Endpoints and limits that were set by hand."""
    offer(desk.lab)
    desk.boot()
    desk.run(CONNECT)
    desk.check()
    desk.show(f"nvme mptcp setup --role host --traddr {TRADDR} --apply --save /root/mptcp.json")
    desk.wait_for_links(3)
    desk.document.frame()
    mptcp = json.loads(Path("/root/mptcp.json").read_text())
    port = {"transport": "mptcp", "traddr": TRADDR, "trsvcid": "4420", "nr_io_queues": 1}
    host = {
        "hostnqn": HOST_NQN,
        "hostid": HOST_ID,
        "mptcp": mptcp.get("mptcp", mptcp),
        "subsystems": [{"nqn": NQN, "ports": [port]}],
    }
    CONFIG.write_text(json.dumps([host], indent=2) + "\n")
    try:
        desk.show(f"cat {CONFIG}")
        desk.boot()
        desk.show("nvme connect-all")
        desk.wait_for_links(3)
        return desk.check()
    finally:
        CONFIG.unlink()


def slow_writes(desk: Desk) -> Findings:
    """A link that loses packets in one direction."""
    offer(desk.lab)
    desk.run(f"nvme mptcp setup --role host --traddr {TRADDR} --apply")
    desk.run(CONNECT)
    desk.wait_for_links(3)
    # Behind the host's card: what its own queue drops would be a slow link, not a faulty one.
    desk.run(f"nft '{FAULTY_CABLE}'", "target")
    desk.fio("read")
    desk.fio("write")
    found = desk.check()
    assert ["loses more than" in f["why"] for f in found if f["rule"] == "C07"] == [True], found
    desk.document.frame()
    desk.run("nft delete table netdev cable", "target")
    desk.show("nvme reset /dev/nvme0")
    desk.wait_for_links(3)
    desk.fio("write")
    return desk.check()


#: Packets that arrive on the target's second link get lost.
FAULTY_CABLE = (
    "table netdev cable { chain c { type filter hook ingress device t2 priority 0; "
    "numgen random mod 100 < 12 drop; }; }"
)

#: In the order of the document: on which links, and what happens there; what the last check finds
#: is returned.
CHAPTERS: dict[str, tuple[Topology, Callable[[Desk], Findings]]] = {
    "idle link": (THREE, idle_link),
    "pulled cable": (THREE, pulled_cable),
    "refused": (THREE, refused),
    "fallen back": (THREE, fallen_back),
    "rebooted": (THREE, rebooted),
    "slow writes": (THREE, slow_writes),
}


def begin(document: Document, name: str) -> None:
    """Begin a chapter of the document."""
    document.chapter(1 + list(CHAPTERS).index(name))


def tell_all(document: Document, wanted: list[str]) -> None:
    """Goes through the chapters and writes them down."""
    document.frame((RELEASE, os.uname().release))
    for name in wanted or CHAPTERS:
        shape, chapter = CHAPTERS[name]
        begin(document, name)
        with Lab(shape) as lab:
            chapter(Desk(lab, document))
    if not wanted:
        document.frame()


def main() -> None:
    document = Document(PAGE)
    try:
        tell_all(document, sys.argv[1:])
    finally:
        Path("/results/troubleshooting.md").write_text(document.text())


if __name__ == "__main__":
    main()
