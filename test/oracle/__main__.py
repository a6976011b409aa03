# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of Debian's nvme ours is, by command and kind of output."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import test_commands
import test_log_pages
import test_others
import test_plugins
import test_program
from conftest import Original, find_original
from differences import Case, Difference, Run
from judge import Judge
from program import NVME, Machines, ours, theirs
from program_score import Scores, table

#: Each family of commands with its list of exceptions.
Judged = tuple[Judge, Case, Run, Iterable[Difference]]


def judged(path: Path, original: Original, wanted: set[str]) -> Iterator[Judged]:
    """Each case of these commands, or of all: who judges it, the original's run, what differs."""
    machines = Machines(path / "machines", original)

    def asked(command: str) -> bool:
        return not wanted or command in wanted

    judge = Judge(test_program.EXCEPTIONS)
    chosen = (case for case in test_program.cases() if asked(case.command))
    found = test_program.compared(path / "program", original, chosen)
    yield from ((judge, case, *both) for case, both in found.items())
    judge = Judge(test_log_pages.EXCEPTIONS)
    (path / "logs").mkdir()
    logs = [case for case in test_log_pages.cases() if asked(case.command)]
    found = test_log_pages.compared(original, path / "logs", logs)
    yield from ((judge, case, *both) for case, both in found.items())
    for family in (test_commands, test_others):
        judge = Judge(family.EXCEPTIONS)
        for command in filter(asked, family.COMMANDS):
            for number, case in enumerate(family.cases(command)):
                place = path / f"{command}-{number}"
                one, run = ours(place, case), theirs(place, case, original)
                yield judge, case, run, family.differences(case, one, run)
    judge = Judge(test_plugins.EXCEPTIONS)
    for command in filter(asked, test_plugins.COMMANDS):
        yield from ((judge, case, *test_plugins.both(machines, case))
                    for case in test_plugins.cases(command))  # fmt: skip


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 test/oracle",
        description="Runs nvme-cli 2.16 and ours on the same made-up machines.",
        epilog="What differs on purpose is listed in doc/compatibility-list.md.",
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
        for judge, case, run, differing in judged(Path(path), original, wanted):
            judge.add(case, run, differing)
            scores |= judge.scores
    print(*table(scores), sep="\n")
    there = test_program.builtin(original.command(original.nvme))
    here = test_program.builtin([str(NVME)])
    print(f"\n{len(there & here)} of {len(there)} built-in commands of the original")
    return 0


if __name__ == "__main__":
    sys.exit(main())
