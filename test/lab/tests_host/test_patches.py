# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's patches are what patch and git take, and git writes such."""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
PATCHES = sorted((TOP / "kernel").glob("*/*.patch"))
#: git's own settings are nobody's here, and a commit has an author.
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
    **{f"GIT_{who}_{what}": f"{what}@lab" for who in ("AUTHOR", "COMMITTER")
       for what in ("NAME", "EMAIL")},
}  # fmt: skip


def run(tree: Path, command: str) -> str:
    """Types a line of the shell in a tree; returns what it printed."""
    done = subprocess.run(
        ["sh", "-ec", command], cwd=tree, env=os.environ | ENVIRONMENT,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def before(patch: Path) -> dict[str, str]:
    """The files that a patch changes: its context where it stands, and other lines between."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    name, number, left = "", 0, 0
    for line in patch.read_text().splitlines():
        if left and line[:1] in (" ", "-", ""):
            found[name][number] = line[1:]
            number, left = number + 1, left - 1
        elif hunk := re.match(r"@@ -(\d+),(\d+) ", line):
            number, left = int(hunk[1]), int(hunk[2])
        elif source := re.match(r"--- a/(\S+)", line):
            name = source[1]
    return {
        name: "".join(f"{lines.get(n, f'/* line {n} */')}\n" for n in range(1, max(lines) + 1))
        for name, lines in found.items()
    }


def tree_for(patch: Path, tree: Path) -> Path:
    """A git tree with these files."""
    for name, text in before(patch).items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    run(tree, "git init -q && git add . && git commit -q -m before")
    return tree


def files(tree: Path) -> dict[str, str]:
    """What is in a tree, but for git's own."""
    there = [path for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(tree)): path.read_text() for path in there}


def copies(text: str) -> list[str]:
    """What a diff says of copies."""
    return re.findall(r"^copy (?:from|to) .*", text, re.M)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda p: f"{p.parent.name}-{p.name[:4]}")
def test_patch_and_git_agree(patch: Path, tmp_path: Path) -> None:
    """Both find every place, and what git then writes does the same, copies included."""
    by_patch = tree_for(patch, tmp_path / "patch")
    by_git = tree_for(patch, tmp_path / "git")
    assert files(by_patch) == files(by_git) == before(patch)
    run(by_patch, f"patch -sp1 --no-backup-if-mismatch <'{patch}'")
    run(by_git, f"git apply '{patch}'")
    assert files(by_patch) == files(by_git) != before(patch)
    written = tmp_path / "written"
    written.write_text(run(by_git, "git add . && git diff -C --find-copies-harder --cached"))
    assert copies(written.read_text()) == copies(patch.read_text())
    again = tree_for(patch, tmp_path / "again")
    run(again, f"git apply '{written}'")
    assert files(again) == files(by_git)
