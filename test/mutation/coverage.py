# SPDX-License-Identifier: GPL-2.0-or-later
"""Which suites execute a line, as gcov counts it: no other suite can notice a fault in it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Coverage:
    """Counts of every suite that was run: ``top``/NAME has the files that gcc's counters left.

    ``build`` is a build directory of the copy of the tree with counters, ``tree`` the copy. Several
    threads may ask at once.
    """

    top: Path
    build: Path
    tree: Path
    outputs: dict[Path, list[Path]] = field(default_factory=dict)
    lines: dict[tuple[str, Path], dict[int, int]] = field(default_factory=dict)
    coded: dict[Path, bool] = field(default_factory=dict)

    def directory(self, suite: str) -> Path:
        """Returns where the counts of a suite are kept."""
        return self.top / suite.replace("/", ":")

    def has(self, suite: str, digest: str) -> bool:
        """Was a suite counted, as its tests with this digest are?"""
        of = self.directory(suite) / "tests"
        return of.exists() and of.read_text() == digest

    def forget_unless(self, digest: str) -> None:
        """Removes what was counted of other code than that with this digest."""
        of = self.top / "tree"
        if of.exists() and of.read_text() == digest:
            return
        shutil.rmtree(self.top, ignore_errors=True)
        self.top.mkdir(parents=True)
        of.write_text(digest)

    def clear(self) -> None:
        """Removes what an earlier suite left in the build directory."""
        for left in self.build.rglob("*.gcda"):
            left.unlink()

    def keep(self, suite: str, seconds: float, digest: str) -> None:
        """Moves what a suite left in the build directory to where its counts are kept."""
        fresh = self.top / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for left in self.build.rglob("*.gcda"):
            to = fresh / left.relative_to(self.build)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(left, to)
        (fresh / "seconds").write_text(f"{seconds:.3f}\n")
        (fresh / "tests").write_text(digest)
        shutil.rmtree(self.directory(suite), ignore_errors=True)
        fresh.rename(self.directory(suite))

    def seconds(self, suite: str) -> float:
        """Returns how long a suite took when it was counted."""
        return float((self.directory(suite) / "seconds").read_text())

    def executes(self, suite: str, path: Path, number: int) -> bool:
        """Does a suite execute a line of a file? Of a line without code, such as a row of a table,
        this says whether the suite executes anything of the file."""
        counts = self._lines(suite, path)
        return counts[number] > 0 if number in counts else self.executes_any(suite, path)

    def executes_any(self, suite: str, path: Path) -> bool:
        """Does a suite execute anything of a file? True if there is no code in it: tables."""
        return any(self._lines(suite, path).values()) or not self._has_code(path)

    def _has_code(self, path: Path) -> bool:
        if path not in self.coded:
            notes = [(self.build / o).with_suffix(".gcno") for o in self._outputs(path)]
            self.coded[path] = any(n.exists() and self._counted(n, path) for n in notes)
        return self.coded[path]

    def _outputs(self, path: Path) -> list[Path]:
        """Returns the object files that a file is compiled to, below the build directory."""
        if not self.outputs:
            found: dict[Path, list[Path]] = {}
            for entry in json.loads((self.build / "compile_commands.json").read_text()):
                source = (self.build / entry["file"]).resolve()
                if source.is_relative_to(self.tree.resolve()):
                    name = source.relative_to(self.tree.resolve())
                    found.setdefault(name, []).append(Path(entry["output"]))
            self.outputs = found
        return self.outputs.get(path, [])

    def _lines(self, suite: str, path: Path) -> dict[int, int]:
        """Returns how often a suite executed the lines of a file, those that have code."""
        key = (suite, path)
        if key not in self.lines:
            found: dict[int, int] = {}
            for output in self._outputs(path):
                counts = (self.directory(suite) / output).with_suffix(".gcda")
                if not counts.exists():
                    continue
                notes = counts.with_suffix(".gcno")
                with contextlib.suppress(FileExistsError):
                    notes.symlink_to((self.build / output).with_suffix(".gcno"))
                for number, count in self._counted(counts, path):
                    found[number] = found.get(number, 0) + count
            self.lines[key] = found
        return self.lines[key]

    def _counted(self, counts: Path, path: Path) -> list[tuple[int, int]]:
        """Returns what gcov makes of one file of counts, or of notes alone: lines of ``path``, with
        their counts."""
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(counts)],
            cwd=self.build,
            env=os.environ | {"LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        )
        wanted = (self.tree / path).resolve()
        return [
            (line["line_number"], line["count"])
            for file in json.loads(done.stdout)["files"]
            if (self.build / file["file"]).resolve() == wanted
            for line in file["lines"]
        ]
