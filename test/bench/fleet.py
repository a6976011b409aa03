#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `nvme mptcp report --peers` costs, beside a program that does no more than read the JSON.

The reports are made here, from one that the fuzzer starts with: each has a name of its own, as many
controllers with their sockets as a host may have, and findings that differ.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import bench

#: Reports, and the seconds of CPU that they may cost.
MANY = 1000
GOAL_S = 10.0

#: What ten times the reports may cost at most, in multiples of ten times the time.
LINEAR = 1.3

CONTROLLERS = 16
RULES = ("A03", "A07", "H05", "H10", "H16", "L01")
SAMPLE = bench.HERE.parent / "fuzz/corpus/mptcp-report/host"

#: Reads what the command reads.
READ = """
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    json.loads(path.read_text())
"""


def grow(sample: dict[str, Any]) -> None:
    """More controllers, each with the sockets that the first one has."""
    snapshot = sample["snapshot"]
    (first, *_) = snapshot["controllers"]
    snapshot["controllers"] = [first | {"name": f"nvme{i}"} for i in range(CONTROLLERS)]


def make(directory: Path, number: int, sample: dict[str, Any]) -> int:
    """Writes the reports of machines; the size of one in bytes."""
    size = 0
    for i in range(number):
        findings = [
            {
                "rule": rule, "severity": "error" if j % 2 else "warning", "side": "host",
                "subject": f"link eth{j}", "kind": "link", "objects": [], "evidence": {},
                "why": f"link eth{j} of host{i} has no carrier", "fix": [],
            }
            for j, rule in enumerate(RULES) if i % (j + 1) == 0
        ]  # fmt: skip
        report = sample | {"hostname": f"host{i}"}
        report["findings"] = sample["findings"] | {"findings": findings}
        text = json.dumps(report)
        size = len(text)
        (directory / f"host{i}.json").write_text(text)
    return size


def see_all(nvme: Path, directory: Path, number: int) -> None:
    """Sees that every report is read, and that every rule is counted."""
    command: list[str | Path] = [nvme, "mptcp", "report", "--peers", directory, "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 2:  # there are errors
        raise bench.BenchError(f"{nvme} ended with status {done.returncode}: {done.stderr.strip()}")
    document = json.loads(done.stdout)
    found = {problem["rule"]: problem["machines"] for problem in document["problems"]}
    wanted = {rule: len(range(0, number, j + 1)) for j, rule in enumerate(RULES)}
    if (document["reports"], document["unreadable"]) != (number, []) or found != wanted:
        raise bench.BenchError(f"{document['reports']} of {number} reports read, {found} found")


def measure(nvme: Path, number: int, runs: int, sample: dict[str, Any]) -> float:
    """Seconds of the command, measured in turns with the reader."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        size = make(directory, number, sample)
        see_all(nvme, directory, number)
        commands: tuple[bench.Command, bench.Command] = (
            # what it finds is its exit status, too
            ["sh", "-c", '"$@"; [ $? -eq 2 ]', "sh", nvme, "mptcp", "report", "--peers", directory],
            [sys.executable, "-c", READ, directory],
        )
        costs = [[bench.cpu_seconds(command) for command in commands] for _ in range(runs)]
    ours, theirs = (statistics.median(column) for column in zip(*costs, strict=True))
    print(
        f"{number:5} reports of {size / 1024:.0f} KiB: {ours:.3f} s of CPU, "
        f"json of Python {theirs:.3f} s, ratio {ours / theirs:.2f}"
    )
    return float(ours)


def main() -> int:
    """Measures a tenth and the whole; returns the exit status."""
    parser = bench.arguments("Measure nvme mptcp report --peers over many reports.", 5)
    args = parser.parse_known_args()[0]
    nvme = args.build.resolve() / "nvme-cli/nvme"
    sample = json.loads(SAMPLE.read_text())
    grow(sample)
    tenth, whole = (measure(nvme, n, args.runs, sample) for n in (MANY // 10, MANY))
    met = whole <= GOAL_S and whole / tenth / 10 <= LINEAR
    print(f"ten times the reports take {whole / tenth:.1f} times as long")
    print(f"goal: {GOAL_S:g} s, and linear: {'met' if met else 'missed'}")
    return 0 if met else 1


if __name__ == "__main__":
    bench.end_with(main)
