# SPDX-License-Identifier: GPL-2.0-or-later
"""What is short for an option or a value of Debian's nvme is short for the same one of ours."""

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Original
from differences import Case
from program import NVME, golden_cases, ours, theirs

#: Commands that have no --help there.
DEAF = {"gen-hostnqn", "show-hostnqn", "version", "help", "zns list"}
COMMANDS = sorted(
    name for name in golden_cases.CASES if name not in DEAF and not name.startswith("mptcp")
)


def options(original: Original, command: str) -> dict[str, bool]:
    """The options of a command of the original, and which of them take a value."""
    asked = original.command(original.nvme, *command.split(), "--help")
    text = subprocess.run(asked, capture_output=True, text=True, check=False).stderr
    found = re.findall(r"^\s+\[\s+--([\w-]+)(=?)", text, re.M)
    assert found, text
    twice = {name for name, _ in found if sum(other == name for other, _ in found) > 1}
    assert twice <= {"dry-run"}, "2.16 lists it twice, and calls its beginning ambiguous"
    return {name: bool(takes) for name, takes in found if name not in twice}


def shortest(option: str, names: list[str]) -> str:
    """The shortest beginning that no other option has; one dash and a letter would be another."""
    for length in range(2, len(option)):
        if sum(name.startswith(option[:length]) for name in names) == 1:
            return option[:length]
    return option


@pytest.mark.parametrize("command", COMMANDS)
def test_abbreviations(original: Original, command: str) -> None:
    """All options of a command in one line, each as short as it may be there."""
    there = options(original, command)
    names = [*there, "help"]
    words = [
        f"--{shortest(name, names)}" + ("=1" if takes else "") for name, takes in there.items()
    ]
    line = [*command.split(), *words, "--help"]
    theirs = subprocess.run(
        original.command(original.nvme, *line), capture_output=True, text=True, check=False
    ).stderr
    assert theirs.splitlines()[0].strip("\033[01m").startswith("Usage: "), theirs
    ours = subprocess.run([NVME, *line], capture_output=True, text=True, check=False).stderr
    assert ours.startswith("Usage: "), ours.splitlines()[0]


@pytest.mark.parametrize(
    "line",
    [
        *(f"get-feature -f {word}" for word in ("te", "TEMP-thresh", "t", "vol", "irq", "num", "")),
        *(f"set-feature -V 1 -f {word}" for word in ("temp", "power-m", "p")),
        *(f"get-log -l 512 -i {word}" for word in ("sm", "FW", "persistent", "e", "fdp-e")),
        *(f"sanitize -a {word}" for word in ("start-b", "start-", "EXIT-f", "exit")),
    ],
)
def test_abbreviated_values(original: Original, tmp_path: Path, line: str) -> None:
    """The beginning of a name in any case, unless others begin like that."""
    command, *args = line.split(" ")
    case = Case(command, ("/dev/nvme0", *args), "sample", golden_cases.answering)
    one, other = ours(tmp_path, case), theirs(tmp_path, case, original)
    assert (one.status, one.written) == (other.status, other.written)
