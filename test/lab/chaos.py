# SPDX-License-Identifier: GPL-2.0-or-later
"""fio writes and verifies over NVMe over MPTCP while everything else goes wrong, by a seed.

What `test/lab/lab chaos --seconds N --seed S` runs in the guest. Two controllers lead to one disk,
which fio uses all the time. Links flap, lose and delay, addresses come and go, endpoints change,
the target's port and the target restart, controllers are reset, connected and disconnected, and
check, repair, monitor and show-subflows run at the same time: see lab.disturb. Four unprivileged
processes read the controllers' attributes: see lab.readers.

It passes if fio meets neither an error nor a mismatch, every command ends, all comes back once the
disturbances stop, repair (with --force if it offers that) gives every connection a subflow on each
link, and the sockets' slabs are back at their level when the controllers are gone. The lab adds its
verdict on the kernel's log.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab import (
    Lab,
    LabTimeout,
    Limits,
    Link,
    Namespace,
    Port,
    Subsystem,
    Target,
    Topology,
    wait_until,
)
from lab.disturb import DISTURBERS, USUAL, Disturber, Hosts, settled, sockets_in_use
from lab.network import SIDES, Endpoint, address
from lab.readers import readers
from lab.system import load_module, network_namespace

NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"
OTHER_PORT = 4421
LINKS = 4
QUEUES = 2
DISK_MIB = 32

RESULT = Path("/results/chaos.json")
EVENTS = Path("/results/events.json")

#: Seconds that readers rest: fio and everything else have the same processors.
READERS_PAUSE_S = 0.2

#: Seconds after which a program that was asked to end hangs.
END_S = 30

#: A connection that is closed leaves something behind for a minute (TIME-WAIT).
SLAB_SLACK = 8
SLAB_WAIT_S = 90
BACK_WAIT_S = 60


def topology() -> Topology:
    """Four links; the target announces its address on each."""
    return Topology(
        links=(Link(USUAL, USUAL),) * LINKS,
        families=("ipv4",),
        limits={side: Limits(8, 8) for side in SIDES},
        endpoints={"target": tuple(Endpoint(i, ("signal",), id=i) for i in range(1, LINKS + 1))},
        # SYNs vanish on links that are down: taken for a filter, that would turn MPTCP off (K07)
        sysctls={side: {"ipv4.tcp_retries2": 3, "mptcp.blackhole_timeout": 0} for side in SIDES},
        host_namespace="host",
    )


def target() -> Target:
    """Disks that outlive the target, behind a port each.

    Behind a common port one of them would go first. A host that comes for it in the moment before
    the port goes, too, is told that there is no such subsystem and need not ask again (DNR), and
    any transport of the kernel then removes its controller, whatever ctrl_loss_tmo says.
    """
    load_module("brd", f"rd_nr=2 rd_size={DISK_MIB * 1024}")
    return Target(
        tuple(
            Subsystem(nqn, (Namespace(1, f"/dev/ram{i}"),), serial=f"chaos{i}")
            for i, nqn in enumerate((NQN, OTHER))
        ),
        (Port(1, subsystems=(NQN,)), Port(2, trsvcid=OTHER_PORT, subsystems=(OTHER,))),
    )


class Load(threading.Thread):
    """fio on the disk for so many seconds: random writes, read back and compared."""

    def __init__(self, lab: Lab, seconds: int, seed: int) -> None:
        super().__init__(name="fio")
        self.lab, self.seconds, self.seed = lab, seconds, seed
        self.job: dict[str, Any] = {}
        self.error: BaseException | None = None

    def run(self) -> None:
        """fio fails at the first I/O error and at the first mismatch."""
        try:
            self.job = self.lab.host.fio(
                self.lab.host.disk(NQN), rw="randwrite", bs="16k", iodepth=8,
                size=f"{DISK_MIB}m", runtime=self.seconds, randseed=self.seed, randrepeat=1,
                verify="crc32c", verify_fatal=1, verify_backlog=64,
            )  # fmt: skip
        except BaseException as error:  # raised again where it is waited for
            self.error = error


def disturb(lab: Lab, load: Load, seconds: int, seed: int, kept: frozenset[str]) -> dict[str, int]:
    """Disturbs for so long, or until something fails; returns how often what was done."""
    ending = threading.Event()
    threads: list[Disturber] = [kind(lab, seed, ending) for kind in DISTURBERS]
    for thread in threads:
        if isinstance(thread, Hosts):
            thread.nqn, thread.port, thread.kept = OTHER, OTHER_PORT, kept
        thread.start()
    began = time.monotonic()
    while time.monotonic() - began < seconds and load.is_alive() and not ending.wait(1):
        pass
    ending.set()
    for thread in threads:
        thread.join()
    everything: tuple[Load | Disturber, ...] = (load, *threads)
    for failed in everything:
        if failed.error:
            raise RuntimeError(f"{failed.name} failed") from failed.error
    return {f"{t.name} {name}": n for t in threads for name, n in sorted(t.done.items())}


@contextmanager
def monitored(lab: Lab) -> Iterator[None]:
    """nvme mptcp monitor beside it, which goes on until it is interrupted."""
    with EVENTS.open("w") as events:
        with network_namespace(lab.host.namespace):
            monitor = subprocess.Popen(["nvme", "mptcp", "monitor", "-o", "json"], stdout=events)
        try:
            yield
            if monitor.poll() is not None:
                raise AssertionError(f"nvme mptcp monitor ended with status {monitor.returncode}")
        finally:
            monitor.terminate()
            monitor.wait(END_S)


def whole(lab: Lab, controllers: int) -> bool:
    """Is every connection of every controller on every link?"""
    found = [set(links) for links in lab.host.carried()]
    return found == [{f"h{i}" for i in range(1, LINKS + 1)}] * (controllers * (QUEUES + 1))


def come_back(lab: Lab, names: Sequence[str]) -> None:
    """Waits for the controllers, and has repair bring what is missing."""
    wait_until(
        lambda: {c.name: c.state for c in lab.host.controllers()} == dict.fromkeys(names, "live"),
        "all controllers live", BACK_WAIT_S, pause=0.5,
    )  # fmt: skip

    said = ""

    def repaired() -> bool:
        nonlocal said
        repair = "nvme mptcp repair --role target --netns target --wait 10"
        done = lab.host.command(repair, status=None)
        # some connections lost the subflow on a link and others kept it, which this closes
        if "--force" in done.stdout:
            done = lab.host.command(f"{repair} --force", status=None)
        said = f"status {done.returncode}\n{done.stdout}{done.stderr}"
        return whole(lab, len(names))

    what = "a subflow of every connection on every link"
    try:
        wait_until(repaired, what, BACK_WAIT_S, pause=1.0)
    except LabTimeout as timeout:
        endpoints = [lab.network.endpoints(side) for side in SIDES]
        state = f"{lab.host.carried()}\n{endpoints}\nrepair: {said}"
        raise LabTimeout(f"{timeout}\n{state}") from None


def chaos(lab: Lab, seconds: int, seed: int) -> dict[str, Any]:
    """The whole of it; an exception is a failure."""
    lab.target.configure(target())
    # what is loaded and allocated once is no leak
    lab.host.connect(NQN)
    lab.host.disconnect_all()
    before = sockets_in_use()
    kept = [
        lab.host.connect(
            NQN, traddr=address("target", i), nr_io_queues=QUEUES, reconnect_delay=1,
            ctrl_loss_tmo=-1,
        ).name
        for i in (1, 2)
    ]  # fmt: skip
    load = Load(lab, seconds, seed)
    load.start()
    with monitored(lab), readers(READERS_PAUSE_S):
        done = disturb(lab, load, seconds, seed, frozenset(kept))
        load.join()
    if load.error:
        raise RuntimeError("fio failed") from load.error
    come_back(lab, kept)
    lab.host.disconnect_all()
    after = settled(before, SLAB_SLACK, SLAB_WAIT_S)
    moved = {way: load.job[way]["io_bytes"] >> 20 for way in ("write", "read")}
    if not moved["read"]:
        raise AssertionError("fio verified nothing")
    return {
        "seed": seed, "seconds": seconds, "done": done, "mib": moved,
        "sockets": {"before": before, "after": after},
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args(arguments)
    with Lab(topology()) as lab:
        result = chaos(lab, args.seconds, args.seed)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    for name, count in result["done"].items():
        print(f"{count:6} {name}")
    mib = result["mib"]
    print(f"passed: {args.seconds} s, seed {args.seed}: {mib['write']} MiB written, all verified")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
