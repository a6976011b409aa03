# SPDX-License-Identifier: GPL-2.0-or-later
"""What documents tell contributors to type, typed in a clean checkout that has the build."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doc_runs import commands_for
from installed import Installation
from test_wheel import checkout

#: What stands for something of the reader's.
READERS = {"NAME": "smart-log", "S": "1", "N": "2", "ROOM": "src/nvme/tree", "H": "h", "T": "t"}
#: What measures or tests for long is typed with this, and says what it would do: by what commands
#: begin with, what is set for them and what follows them.
ONLY_SAYS = {
    "make compare": ("LIST=1 ", ""),
    "make debug-kernel": ("LIST=1 ", ""),
    "make machines": ("LIST=1 ", ""),
    "test/machines/run": ("", " --list"),
}
#: What each has to print, by what it begins with.
PRINTED = {
    "UPDATE_GOLDEN=1 pytest": r"[1-9]\d* passed",
    "test/house.py --arrows": r"src/mptcp/\S* .*src/nvme/",
    "test/house.py --twice": r"names of functions \(",
    "test/bench/run --help": "--no-reference",
    "python3 test/bench/compare --help": "--write-only",
    "python3 test/install/doc_runs.py": r"sentence\trun\t\d+",
    "make compare": r"(?m)^(in the lab|from \S+ to \S+), .*\n +FIGURE +ROWS .*\n +[a-z]+ +\d",
    "make debug-kernel": "test_attacks.py",
    "make machines": "cable 1 out and in while fio verifies",
    "test/machines/run": "both machines boot",
    "man nvme": r"(?s)NAME.*nvme.*SEE ALSO",
}


def commands() -> list[str]:
    """Those that stand in documents, each once."""
    return sorted({c.text for c in commands_for("test/install/test_typed.py")})


def typed(text: str) -> str:
    """A command with the reader's words in it, and with what keeps it short."""
    words = re.sub(r"\[ROOM…\]", "ROOM", text)
    words = re.sub(r"(?<=[ =])[A-Z]+(?= |$)", lambda found: READERS[found[0]], words)
    before, after = next((v for k, v in ONLY_SAYS.items() if text.startswith(k)), ("", ""))
    return f"{before}{words}{after}"


@pytest.fixture(scope="module")
def tree(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout, with what was built of another: none of the commands changes its files."""
    made = checkout(tmp_path_factory.mktemp("typed") / "checkout")
    (made / "build").symlink_to(build)
    return made


def goldens(tree: Path) -> dict[Path, bytes]:
    """What UPDATE_GOLDEN writes."""
    found = {path: path.read_bytes() for path in (tree / "test/cli/golden").rglob("*.*")}
    assert found
    return found


@pytest.mark.parametrize("text", commands())
def test_commands(tree: Path, installation: Installation, tmp_path: Path, text: str) -> None:
    """It succeeds, prints what it is for, and changes no golden file: those are up to date."""
    if text.startswith("man ") and not (installation.has_pages() and shutil.which("man")):
        pytest.skip("skipped: built without manual pages (scdoc is missing)")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    (programs / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n')
    (programs / "pytest").chmod(0o755)
    before = goldens(tree)
    pages = {"MANPATH": str(installation.directory("mandir")), "MANPAGER": "cat"}
    environment = {k: v for k, v in os.environ.items() if k not in ("BUILD", "PYTHONPATH")}
    done = subprocess.run(
        ["sh", "-c", typed(text)],
        cwd=tree, env=environment | pages | {"PATH": f"{programs}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    [wanted] = [printed for start, printed in PRINTED.items() if text.startswith(start)]
    assert re.search(wanted, done.stdout), done.stdout
    assert goldens(tree) == before


def test_none_is_left_over() -> None:
    for start in PRINTED:
        assert any(text.startswith(start) for text in commands()), start
