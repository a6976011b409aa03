# SPDX-License-Identifier: GPL-2.0-or-later
"""Script of `lab shell`: set up a lab with a target that serves one disk, then start bash."""

import argparse
import os
import sys
from pathlib import Path

from lab import Lab, Port, Subsystem, Target, Topology

NQN = "nqn.2024-01.lab:disk"

HELP = """\
Links      {links} of 100 Mbit/s: h1… on this host (10.1.i.2), t1… on the target (10.1.i.1)
Target     namespace "target" offers {nqn}
           mptcp on port 4420, tcp on port 4421; the project is in /project, its build in /build
Try        nvme discover -t mptcp -a 10.1.1.1 -s 4420
           nvme connect -t mptcp -a 10.1.1.1 -s 4420 -n {nqn}
           ip -n target mptcp endpoint
{devices}Leave      exit (the machine goes with it)
"""

DEVICES = """\
Devices    behind PCI, emulated by QEMU: {names}; nvme list
"""


def devices() -> str:
    """Return the line about local controllers, or ""."""
    names = sorted(
        path.parent.name
        for path in Path("/sys/class/nvme").glob("*/transport")
        if path.read_text().strip() == "pcie"
    )
    return DEVICES.format(names=", ".join(names)) if names else ""


def main() -> None:
    """Set up the lab, print what it has, and become a shell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--links", type=int, default=4)
    links = parser.parse_args().links
    if links:
        both = Target(
            subsystems=(Subsystem(NQN),),
            ports=(Port(1, "mptcp", trsvcid=4420), Port(2, "tcp", trsvcid=4421)),
        )
        lab = Lab(Topology.one_per_link(links)).up()
        try:
            lab.target.configure(both)
        except OSError as error:
            sys.stderr.write(f"no target: {error}\n")
        sys.stdout.write(HELP.format(links=links, nqn=NQN, devices=devices()))
        sys.stdout.flush()
    os.environ["PS1"] = "lab \\w# "
    os.environ["NQN"] = NQN
    os.execvp("bash", ["bash", "--norc", "-i"])


if __name__ == "__main__":
    main()
