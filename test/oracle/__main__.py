# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of Debian's nvme ours is, by command and kind of output."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import test_logs  # ahead of what finds that of test/cli

# isort: split
import test_commands
import test_others
import test_plugins
import test_program
from conftest import Original, find_original
from differences import Case, Difference, Run
from program import NVME, Machines, ours, theirs
from program_exceptions import Exception_
from program_score import Score, Scores, kind, table

Judged = tuple[Case, Run, list[tuple[Difference, list[Exception_]]]]


def judged(path: Path, original: Original, wanted: set[str]) -> Iterator[Judged]:
    """Each case of these commands, or of all: the original's run, what differs, and why."""
    machines = Machines(path / "machines", original)

    def asked(command: str) -> bool:
        return not wanted or command in wanted

    chosen = (case for case in test_program.cases() if asked(case.command))
    found = test_program.judge(path / "program", original, chosen)
    for case, (run, differing) in found.items():
        yield case, run, [(d, test_program.reasons(case, d)) for d in differing]
    (path / "logs").mkdir()
    logs = [case for case in test_logs.cases() if asked(case.command)]
    for case, (run, differing) in test_logs.compared(original, path / "logs", logs).items():
        yield case, run, [(d, test_logs.reasons(case, d)) for d in differing]
    for command in filter(asked, test_commands.COMMANDS):
        for number, case in enumerate(test_commands.cases(command)):
            place = path / f"{command}-{number}"
            one, run = ours(place, case), theirs(place, case, original)
            differing = list(test_commands.differences(case, one, run))
            yield case, run, [(d, test_commands.reasons(case, d)) for d in differing]
    for command in filter(asked, test_others.COMMANDS):
        for number, case in enumerate(test_others.cases(command)):
            place = path / f"{command}-{number}"
            one, run = ours(place, case), theirs(place, case, original)
            differing = test_others.differences(case, one, run)
            yield case, run, [(d, test_others.reasons(case, d)) for d in differing]
    for command in filter(asked, test_plugins.COMMANDS):
        for case in test_plugins.cases(command):
            run, differing = test_plugins.both(machines, case)
            yield case, run, [(d, test_plugins.reasons(case, d)) for d in differing]


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="python3 test/oracle",
        description="Runs Debian 13's nvme and ours on the same made-up machines.",
        epilog="What differs on purpose is listed in doc/compatibility.md.",
    )
    parser.add_argument(
        "--table", action="store_true", required=True,
        help="print what is the same, by command and kind of output",
    )  # fmt: skip
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="those alone, not all")
    return parser.parse_args()


def main() -> int:
    """Compares every case of the commands, and prints the table."""
    wanted = set(arguments().commands)
    original = find_original()
    scores: Scores = {}
    with tempfile.TemporaryDirectory(prefix="nvme-oracle-") as path:
        for case, run, differing in judged(Path(path), original, wanted):
            scores.setdefault((case.command, kind(case)), Score()).add(case, run, differing)
    print(*table(scores), sep="\n")
    there = test_program.builtin(original.command(original.nvme))
    here = test_program.builtin([str(NVME)])
    print(f"\n{len(there & here)} of {len(there)} built-in commands of the original")
    return 0


if __name__ == "__main__":
    sys.exit(main())
