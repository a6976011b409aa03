#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `nvme mptcp metrics` costs, with real sockets that look like the kernel's own.

The sockets are those of subflows.py; the command runs in a PID namespace, where it does not see
that a process holds them. Its CPU time is that of everything: reading, the rules, and the text.
"""

import statistics
import tempfile
from pathlib import Path

from bench import BenchError, arguments, end_with
from subflows import SUBFLOWS, Times, held, run

#: Subflows, and the seconds of CPU that they may cost.
MANY = 10000
GOAL_S = 0.1

#: What ten times the subflows may cost at most, in multiples of ten times the time.
LINEAR = 1.3


def see_all(output: Path, subflows: int) -> None:
    """Sees that all subflows are counted."""
    total = sum(
        int(line.rsplit(" ", 1)[1])
        for line in output.read_text().splitlines()
        if line.startswith("nvme_mptcp_subflows{")
    )
    if total != subflows:
        raise BenchError(f"{total} of {subflows} subflows counted")


def measure(nvme: Path, connections: int, runs: int, scratch: Path) -> Times:
    """Opens the connections and runs the command."""
    command = ["unshare", "--pid", "--fork", "--mount-proc", str(nvme), "mptcp", "metrics"]
    times = Times()
    with held(connections, scratch):
        run(command, scratch / "metrics")
        see_all(scratch / "metrics", connections * SUBFLOWS)
        for _ in range(runs):
            run(command, scratch / "metrics", times)
    return times


def main() -> int:
    """Measures a tenth and the whole; returns the exit status."""
    parser = arguments("Measure nvme mptcp metrics over many subflows.", 11)
    args = parser.parse_known_args()[0]
    medians = []
    with tempfile.TemporaryDirectory() as scratch:
        for subflows in (MANY // 10, MANY):
            connections = -(-subflows // SUBFLOWS)
            times = measure(args.build / "nvme-cli/nvme", connections, args.runs, Path(scratch))
            medians.append(statistics.median(times.cpu))
            print(
                f"metrics of {connections * SUBFLOWS} subflows: {medians[-1]:.3f} s of CPU "
                f"({min(times.cpu):.3f}-{max(times.cpu):.3f})"
            )
    growth = medians[1] / medians[0] / 10
    met = medians[1] <= GOAL_S and growth <= LINEAR
    print(f"ten times the subflows take {growth * 10:.1f} times as long")
    print(f"goal: {GOAL_S} s, and linear: {'met' if met else 'missed'}")
    return 0 if met else 1


if __name__ == "__main__":
    end_with(main)
