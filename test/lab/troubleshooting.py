# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sees, the commands that lead to the reason, and the cure: each state is built here.

`test/lab/lab run test/lab/troubleshooting.py [-- CHAPTER…]` writes doc/troubleshooting.md to the
results of the run; the test test_mptcp_troubleshooting.py goes the same way and looks closer.
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

from failover import Document
from lab import Lab, Limits, Link, Port, Subsystem, Target, Topology, wait_until
from lab.host import HOST_ID, HOST_NQN
from lab.network import SIDES, Side
from lab.system import network_namespace

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

    def cure(self, found: Findings, rule: str, first: int | None = None) -> None:
        """Runs the commands that a rule printed, each on its side."""
        fixes = [fix for f in found if f["rule"] == rule for fix in f["fix"][:first]]
        if not fixes:
            raise AssertionError(f"{rule} is not among {[f['rule'] for f in found]}")
        for fix in fixes:
            self.show(fix["command"], fix["side"], status=None)

    def carried(self) -> list[int]:
        """How many links carry each connection."""
        document = self.lab.host.nvme("mptcp show-subflows -o json")
        return [
            len({s["link"] for s in connection["subflows"] if s["state"] == "ESTAB"})
            for ctrl in document["controllers"]
            for connection in ctrl["connections"]
        ]

    def wait_for_links(self, links: int) -> None:
        """Waits until each connection is on so many links."""
        what = f"both connections on {links} links"
        wait_until(lambda: self.carried() == [links] * 2, what, 60, pause=0.3)

    def fio_command(self, rw: str, seconds: int, depth: int = DEPTH) -> str:
        """The command line that a chapter shows."""
        disk = self.lab.host.disk(NQN)
        return (
            f"fio --name={rw} --filename={disk} --rw={rw} --bs=128k --iodepth={depth} "
            f"--ioengine=libaio --direct=1 --time_based --runtime={seconds}"
        )

    def fio(self, rw: str, depth: int = DEPTH) -> None:
        """Shows what fio measures in ten seconds."""
        self.show(f"{self.fio_command(rw, 10, depth)} | grep -E 'READ|WRITE'")

    @contextlib.contextmanager
    def load(self, rw: str, seconds: int = 20, depth: int = DEPTH) -> Iterator[None]:
        """Keeps fio running meanwhile."""
        command = self.fio_command(rw, seconds, depth)
        worker = threading.Thread(target=self.run, args=(command,))
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
    """A target of one disk."""
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
    desk.document.frame("fallen back 2")
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
    desk.document.frame("rebooted 2")
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
    lossy = desk.lab.topology.links[1].to_target.netem()
    desk.run(f"tc qdisc replace dev h2 root netem {lossy} loss 12%")
    desk.fio("read")
    desk.fio("write")
    found = desk.check()
    assert "C07" in [f["rule"] for f in found], found
    desk.document.frame("slow writes 2")
    desk.run(f"tc qdisc replace dev h2 root netem {lossy}")
    desk.show("nvme reset /dev/nvme0")
    desk.wait_for_links(3)
    desk.fio("write")
    return desk.check()


#: On which links, and what happens there; what the last check finds is returned.
CHAPTERS: dict[str, tuple[Topology, Callable[[Desk], Findings]]] = {
    "idle link": (THREE, idle_link),
    "pulled cable": (THREE, pulled_cable),
    "refused": (THREE, refused),
    "fallen back": (THREE, fallen_back),
    "rebooted": (THREE, rebooted),
    "slow writes": (THREE, slow_writes),
}


# The document

FRAME = {
    "top": """\
# Troubleshooting by symptom

Each chapter begins with a symptom and leads to the rule that explains it and to the fix. The
command in all of them is `nvme mptcp check`: it prints rule, reason, and the commands that fix
the problem on host and target. `nvme mptcp explain RULE` prints more about a rule;
[mptcp-rules.md](mptcp-rules.md) describes all of them.

- [One link is idle](#one-link-is-idle)
- [Slow since a cable was pulled](#slow-since-a-cable-was-pulled)
- [It connects over tcp only](#it-connects-over-tcp-only)
- [It connects, and uses one link](#it-connects-and-uses-one-link)
- [It was fine, and is not after a reboot](#it-was-fine-and-is-not-after-a-reboot)
- [Writes are slower than reads](#writes-are-slower-than-reads)

Everything that is indented is what the commands printed, on Linux {release} with NVMe over MPTCP
in the [lab](../test/lab/README.md), written down by

    test/lab/lab run test/lab/troubleshooting.py

The host's links are h1, h2 and so on, with the addresses 10.1.1.2, 10.1.2.2 …; the target's
addresses end in 1. The lab is an emulated machine with slow links: compare its rates with each
other.
""",
    "idle link": """\
## One link is idle

A controller is connected, and the switch counts nothing on the third link. `show-subflows` prints
which link carries which subflow: h3 carries none. `check` prints why.
""",
    "pulled cable": """\
## Slow since a cable was pulled

A cable was pulled under load. While it is out, `check` names the link. Later the cable is back,
and the controller stays slow: the kernel does not start a subflow again that has died. (Where the
service nvme-mptcp runs, `nvme mptcp keep` has done by itself what follows.)
""",
    "refused": """\
## It connects over tcp only

`nvme connect -t tcp` works and `-t mptcp` does not. Without a controller there is nothing to
check but the address: with `--traddr`, `check` makes a trial connection.
""",
    "fallen back": """\
## It connects, and uses one link

`nvme connect` succeeds, and traffic is on one link, as with tcp: the connections fell back. The
host cannot see the target's port; `check` on the target can. On both sides at once it takes a
report: `nvme mptcp report` on one, `nvme mptcp check --peer` on the other.
""",
    "fallen back 2": """\
T08 is the reason. (T01 does not matter here, where the host's own endpoints reach the target.) A
port in use cannot be changed, so that it goes out of use in between. The host notices, and connects
again by itself after some seconds, now by all links.
""",
    "rebooted": """\
## It was fine, and is not after a reboot

Endpoints and limits of the path manager last until the next boot. What was set by hand, or by
`nvme mptcp setup`, is gone afterwards; the controller connects over one link. (In the lab both are
flushed, which is what a boot does to them.)
""",
    "rebooted 2": """\
`--save` wrote what the path manager needs to a file. As the object `mptcp` of a host in
`/etc/nvme/config.json` it is applied whenever `nvme connect-all` connects what the file names, as
the service nvmf-autoconnect does at boot. The service nvme-mptcp keeps it like that from then on,
also when links come and go: `systemctl enable --now nvme-mptcp.service`.
""",
    "slow writes": """\
## Writes are slower than reads

One direction of a link is worse than the other: a cable or a transceiver that loses packets, or a
port whose duplex mode does not fit. What is sent there is sent again, and what is behind it waits.
`check` sees it on the side that sends; for slow reads, run it on the target.
""",
    "slow writes 2": """\
No command fixes a cable. Replace it, and reset the controller.
""",
    "end": """\
All links carry something, and it is slow: rule C15, measured in
[mptcp-rules.md](mptcp-rules.md#links-of-unequal-rates).
""",
}  # fmt: skip


def tell_all(document: Document, wanted: list[str]) -> None:
    """Goes through the chapters and writes them down."""
    document.frame("top", release=os.uname().release)
    for name in wanted or CHAPTERS:
        shape, chapter = CHAPTERS[name]
        document.frame(name)
        with Lab(shape) as lab:
            chapter(Desk(lab, document))
    document.frame("end")


def main() -> None:
    """Writes the document to the results."""
    document = Document(FRAME)
    try:
        tell_all(document, sys.argv[1:])
    finally:
        Path("/results/troubleshooting.md").write_text(document.text())


if __name__ == "__main__":
    main()
