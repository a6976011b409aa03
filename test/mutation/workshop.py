# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the tree that is changed, built and tested, so that the tree itself stays as it is."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .draw import Mutant
from .suites import CLI_TARGETS, LEFT_OUT, ordered, room_of

#: A suite that takes longer than this times its usual time hangs.
SLOWER = 3
GRACE_S = 60

BUILDS = {
    "sanitized": ["-Dpython=disabled", "-Db_sanitize=address,undefined", "-Db_lundef=false"],
    "plain": ["-Dpython=enabled"],
}


class Broken(Exception):
    """The tree does not build or pass as it is."""


@dataclass(frozen=True)
class Suite:
    """Tests that run together: what they need of which build, and the command."""

    name: str
    build: str
    targets: tuple[str, ...]
    command: tuple[str, ...]


@dataclass
class Workshop:
    """The copy in ``top``/tree, its build directories beside it."""

    top: Path
    took: dict[str, float] = field(default_factory=dict)
    objects: dict[Path, str] = field(default_factory=dict)
    useless: dict[str, str] = field(default_factory=dict)
    said: str = ""

    @property
    def tree(self) -> Path:
        """The copy of the tree."""
        return self.top / "tree"

    def directory(self, build: str) -> Path:
        """Returns where a build of the copy is."""
        return self.top / build

    def fill(self, source: Path, files: list[Path]) -> None:
        """Copies what changed since the last run, and removes what is gone."""
        for old in self.tree.rglob("*") if self.tree.exists() else ():
            if not old.is_dir() and old.relative_to(self.tree) not in set(files):
                old.unlink()
        for file in files:
            copy = self.tree / file
            if copy.exists() and copy.read_bytes() == (source / file).read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / file, copy)

    def configure(self) -> None:
        """Configures the builds; each is built when a suite needs it."""
        for build, arguments in BUILDS.items():
            self._must(
                ["tools/configure", str(self.directory(build)), "-Dtests=enabled", *arguments]
            )

    def _must(self, command: list[str]) -> None:
        done = run(command, self.tree, None)
        if done.returncode:
            raise Broken(f"{shlex.join(command)} failed:\n{done.stdout[-4000:]}")

    def compiled(self, path: Path) -> str | None:
        """Returns a digest of what a file compiles to, None if it does not compile."""
        commands = json.loads((self.directory("plain") / "compile_commands.json").read_text())
        directory = self.directory("plain")
        for entry in commands:
            if (directory / entry["file"]).resolve() == (self.tree / path).resolve():
                words = shlex.split(entry["command"])
                break
        else:
            raise Broken(f"{path} is not compiled")
        keep = [w for w in words if not w.startswith(("-g", "-O", "-W", "-M"))]
        for option in ("-MF", "-MQ", "-o"):
            if option in words:
                value = words[words.index(option) + 1]
                keep.remove(value)
        keep = [w for w in keep if w != "-o"]
        output = self.top / "mutant.o"
        done = run([*keep, "-O2", "-w", "-o", str(output)], directory, None)
        return hashlib.sha256(output.read_bytes()).hexdigest() if not done.returncode else None

    def is_fault(self, mutant: Mutant) -> bool:
        """Does a mutant compile, and to something else than the line that it replaces?"""
        if mutant.path not in self.objects:
            self.objects[mutant.path] = self.compiled(mutant.path) or ""
        with changed(self, mutant):
            found = self.compiled(mutant.path)
        return found is not None and found != self.objects[mutant.path]

    def suites(self, path: Path) -> list[Suite]:
        """Returns the suites that should see a fault in a file, the quickest first."""
        room = room_of(path)
        found = []
        tests = json.loads(
            (self.directory("sanitized") / "meson-info/intro-tests.json").read_text()
        )
        programs = {
            test["name"]: str(Path(test["cmd"][0]).relative_to(self.directory("sanitized")))
            for test in tests
            if any(suite.endswith(":unit") for suite in test["suite"])
        }
        for name in ordered(room.unit, list(programs)):
            command = ("meson", "test", "-C", str(self.directory("sanitized")), "--no-rebuild")
            found.append(Suite(name, "sanitized", (programs[name],), (*command, name)))
        files = [p.name for p in (self.tree / "test/cli").glob("test_*.py")]
        found += [
            self._pytest(f"cli/{name}", "sanitized", CLI_TARGETS)
            for name in ordered(room.cli, files)
            if name not in LEFT_OUT
        ]
        found += [
            self._pytest(f"python/{name}", "plain", ("python-package", "test/cli/fake-kernel.so"))
            for name in room.python
        ]
        if room.oracle:
            found.append(self._pytest("oracle/test_library.py", "plain", ("test/oracle/oracle",)))
        return found

    def _pytest(self, file: str, build: str, targets: tuple[str, ...]) -> Suite:
        command = ("/usr/bin/python3", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
        return Suite(file, build, targets, (*command, f"test/{file}"))

    def build(self, suite: Suite) -> bool:
        """Builds what a suite needs; a fault that a warning of the linker finds is found."""
        command = ["ninja", "-C", str(self.directory(suite.build)), *suite.targets]
        return not run(command, self.tree, None).returncode

    def passes(self, suite: Suite) -> bool:
        """Runs a suite; one that hangs fails."""
        known = self.took.get(suite.name)
        build = self.directory(suite.build)
        env = os.environ | {
            "BUILD": str(build),
            "PYTHONPATH": str(build / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ASAN_OPTIONS": "exitcode=99:verify_asan_link_order=0:detect_leaks=1",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
        }
        began = time.monotonic()
        limit = None if known is None else known * SLOWER + GRACE_S
        done = run(list(suite.command), self.tree, limit, env)
        self.said = done.stdout
        if known is None and not done.returncode:
            self.took[suite.name] = time.monotonic() - began
        return not done.returncode

    def is_usable(self, suite: Suite) -> bool:
        """Does a suite pass on the tree as it is? Notes how long that takes, once for each."""
        if suite.name in self.took or suite.name in self.useless:
            return suite.name in self.took
        if not self.build(suite):
            raise Broken(f"what {suite.name} needs does not build: {' '.join(suite.targets)}")
        if not self.passes(suite):
            self.useless[suite.name] = self.said
            print(f"{suite.name} is left out: it fails without any fault\n{self.said[-600:]}")
        return suite.name in self.took

    def killer(self, mutant: Mutant, *, unit_only: bool = False) -> str | None:
        """Returns which suite notices a mutant, None if none does."""
        for suite in self.suites(mutant.path):
            if (unit_only and "/" in suite.name) or not self.is_usable(suite):
                continue
            with changed(self, mutant):
                if not self.build(suite) or not self.passes(suite):
                    return suite.name
        return None


class changed:
    """The copy with one mutant in it, as long as the block runs."""

    def __init__(self, workshop: Workshop, mutant: Mutant) -> None:
        self.path = workshop.tree / mutant.path
        self.mutant = mutant
        self.text = self.path.read_text()

    def __enter__(self) -> None:
        lines = self.text.split("\n")
        assert lines[self.mutant.number - 1] == self.mutant.line
        lines[self.mutant.number - 1] = self.mutant.changed
        self.path.write_text("\n".join(lines))

    def __exit__(self, *_: object) -> None:
        self.path.write_text(self.text)


def run(
    command: list[str], where: Path, limit: float | None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command and everything that it starts; what outlives the limit is killed."""
    process = subprocess.Popen(
        command,
        cwd=where,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, out)


def tracked(top: Path) -> list[Path]:
    """Returns the files of a work tree as they are, committed or not."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=top,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [Path(name) for name in listing.split("\0") if name and (top / name).is_file()]
