#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measure how long listing thousands of controllers takes.

Makes synthetic /sys trees in memory, runs `nvme list-subsys -o json` on each, and prints the least
CPU time of several runs and the system calls per controller. With --reference, another nvme command
sees the same tree as its /sys, in a mount namespace of its own (root only), and the ratio is shown.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Seconds of CPU on a core of 2.5 GHz.
LIMITS = {4000: 0.12, 10000: 0.35}
COMMAND = ["list-subsys", "-o", "json"]


def cpu_seconds(argv: list[str], env: dict[str, str]) -> float:
    """Run a command and return its CPU time, its children's included."""
    with open(os.devnull, "w", encoding="ascii") as null:
        process = subprocess.Popen(argv, env=env, stdout=null)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(argv)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def system_calls(argv: list[str], env: dict[str, str]) -> int | None:
    """Count the system calls of a command; None without strace."""
    if not shutil.which("strace"):
        return None
    run = subprocess.run(
        ["strace", "-f", "-c", "-o", "/dev/stderr", *argv],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    total = re.search(r"^\s*100\.00\s+\S+\s+\d+\s+(\d+)\b.*total$", run.stderr, re.M)
    return int(total[1]) if total else None


def in_namespace(nvme: str, root: Path) -> list[str]:
    """Run a command that sees the tree as its /sys."""
    script = f"mount --bind '{root}/sys' /sys && exec '{nvme}' {' '.join(COMMAND)}"
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]


def measure(nvme: str, reference: str | None, root: Path, count: int, runs: int) -> bool:
    """Print one row; False if it is over its limit."""
    env = {**os.environ, "LIBNVME_SYSFS_PATH": str(root)}
    argv = [nvme, *COMMAND]
    best = min(cpu_seconds(argv, env) for _ in range(runs))
    calls = system_calls(argv, env)
    row = f"{count:>11}  {best:>6.3f}  {LIMITS.get(count, 0) or '':>5}"
    row += f"  {calls / count:>10.1f}" if calls else f"  {'-':>10}"
    if reference:
        other = min(cpu_seconds(in_namespace(reference, root), env) for _ in range(runs))
        row += f"  {other:>9.3f}  {other / best:>5.1f}"
    print(row, flush=True)
    return best <= LIMITS.get(count, best)


def main() -> int:
    """Read the arguments and measure each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nvme", help="nvme command to measure")
    parser.add_argument("--reference", help="nvme command to compare with")
    parser.add_argument("--sizes", default="100,1000,4000,10000")
    parser.add_argument("--per-subsystem", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()

    header = f"{'controllers':>11}  {'cpu s':>6}  {'limit':>5}  {'calls/ctrl':>10}"
    print(header + (f"  {'reference':>9}  {'ratio':>5}" if args.reference else ""))
    within = True
    for count in map(int, args.sizes.split(",")):
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        with tempfile.TemporaryDirectory(dir=memory) as scratch:
            root = Path(scratch) / "root"
            subprocess.run(
                [
                    sys.executable,
                    HERE / "make_sysfs.py",
                    root,
                    f"--controllers={count}",
                    f"--per-subsystem={args.per_subsystem}",
                ],
                check=True,
            )
            within &= measure(args.nvme, args.reference, root, count, args.runs)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
