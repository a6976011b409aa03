# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make demo` shows: NVMe over MPTCP on four links, with the project's own commands.

The argument names the scene: "kernel", with the transport in the kernel, or "relay", with a relay
on each side and the kernel's own nvme-tcp and nvmet-tcp.
"""

import shlex
import sys

from lab import Lab, Port, Subsystem, Target, Topology
from lab.relay import relays

NQN = "nqn.2024-01.lab:disk"
TARGET = "10.1.1.1"
PORT = {"tcp": 4420, "mptcp": 4421}
LINKS = 4
RATE = "10mbit"  # slow, so that the links are the limit and not the emulated processors
SECONDS = 5
EXPECTED = 3  # times as fast, which a busy machine need not reach


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n# {text}")


def show(lab: Lab, command: str) -> None:
    """Echoes a command, runs it and shows what it says."""
    print(f"$ {command}")
    done = lab.host.command(shlex.split(command))
    print(done.stdout.strip("\n"))


def read_speed(lab: Lab, transport: str) -> float:
    """Reads from the disk for a while; returns MiB/s."""
    disk = lab.host.disk(NQN)
    print(
        f"$ fio --name={transport} --filename={disk} --rw=read --bs=128k --iodepth=32 \\\n"
        f"      --direct=1 --ramp_time=2 --runtime={SECONDS}"
    )
    speed = lab.host.read_speed(disk, name=transport, ramp_time=2, runtime=SECONDS)
    print(f"read: {speed:.1f} MiB/s")
    return speed


def compare(mptcp: float, tcp: float) -> int:
    """Ends a scene with both speeds; returns its exit status."""
    ratio = mptcp / tcp
    heading(f"{mptcp:.1f} MiB/s over MPTCP, {tcp:.1f} MiB/s over TCP: {ratio:.1f} times as fast")
    if ratio < EXPECTED:
        print(
            f"With {LINKS} links it is {EXPECTED} times and more on a machine that does "
            "nothing else: an\nemulated processor that has to wait carries less than links can."
        )
    if ratio < 1:
        print("nvme-mptcp lab: MPTCP was slower than TCP; repeat with: make demo", file=sys.stderr)
    return int(ratio < 1)


def show_kernel(lab: Lab) -> int:
    lab.target.configure(
        Target(
            subsystems=(Subsystem(NQN),),
            ports=tuple(Port(i, name, trsvcid=PORT[name]) for i, name in enumerate(PORT, 1)),
        )
    )
    portal = {name: f"-t {name} -a {TARGET} -s {port}" for name, port in PORT.items()}
    print(
        f"A host and a target with {LINKS} links of {RATE.removesuffix('mbit')} Mbit/s each. "
        f"The target offers one disk,\nover TCP on port {PORT['tcp']} and over MPTCP on port "
        f"{PORT['mptcp']}, and announces its {LINKS} addresses."
    )

    heading("What does the target offer?")
    show(lab, f"nvme discover {portal['mptcp']}")

    heading("Over TCP, one connection uses one link")
    show(lab, f"nvme connect {portal['tcp']} -n {NQN}")
    tcp = read_speed(lab, "tcp")
    show(lab, f"nvme disconnect -n {NQN}")

    heading("Over MPTCP, every connection uses all links")
    show(lab, f"nvme connect {portal['mptcp']} -n {NQN}")
    show(lab, "nvme list-subsys")
    connections = len(lab.host.subflows_per_connection(PORT["mptcp"]))
    lab.host.wait_for_subflows(LINKS, connections, PORT["mptcp"])
    mptcp = read_speed(lab, "mptcp")
    show(lab, "nvme mptcp show-subflows")
    show(lab, f"nvme disconnect -n {NQN}")
    return compare(mptcp, tcp)


def show_relay(lab: Lab) -> int:
    """Shows relays on both sides, with nothing in the kernel that Debian's does not have."""
    port = Port(trtype="tcp", traddr=TARGET, trsvcid=PORT["tcp"])
    lab.target.configure(Target((Subsystem(NQN),), (port,)))
    connect = f"nvme connect -t tcp -a {TARGET} -s {port.trsvcid} -n {NQN}"
    print(
        "The same links, with Debian's own kernel: nvme-tcp on the host, nvmet-tcp on the target, "
        "no module\nof this project. A relay on each side carries each queue over all links."
    )

    heading("Without relays, one connection uses one link")
    show(lab, connect)
    tcp = read_speed(lab, "tcp")
    show(lab, f"nvme disconnect -n {NQN}")

    heading("With a relay on each side, the same command uses all links")
    print(f"target$ nvme mptcp relay --port {port.trsvcid} &")
    print(f"$ nvme mptcp relay --portal {TARGET}:{port.trsvcid} &")
    with relays(lab, f"{TARGET}:{port.trsvcid}"):
        show(lab, connect)
        [controller] = lab.host.controllers()
        queues = int(controller.attribute("queue_count"))
        lab.host.wait_for_subflows(LINKS, queues, port.trsvcid)
        mptcp = read_speed(lab, "relay")
        show(lab, "nvme list-subsys")
        show(lab, "nvme mptcp show-subflows")
        show(lab, f"nvme disconnect -n {NQN}")
    return compare(mptcp, tcp)


SCENES = {"kernel": show_kernel, "relay": show_relay}


def main(scene: str) -> int:
    """Runs a scene; fails if anything of it does, or MPTCP reads slower than TCP."""
    with Lab(Topology.one_per_link(LINKS, rate=RATE)) as lab:
        return SCENES[scene](lab)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
