# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the tree that is changed, built and tested, so that the tree itself stays as it is."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .coverage import Coverage
from .draw import Mutant
from .suites import LEFT_OUT, SUITES, UNSANITIZED, ordered, room_of

#: The code that suites execute.
CODE = ("src", "libnvme", "nvme-cli", "plugins", "python")

#: A suite that takes longer than this times its usual time hangs.
SLOWER = 3
GRACE_S = 60

#: Suites that are not of a fault's room are run for so long, the quickest first.
OTHERS_S = 90.0

#: Where tests write up to a million small files, which take longer to remove than the tests.
IN_MEMORY = Path("/dev/shm")

#: Process groups under way, of all threads.
RUNNING: set[int] = set()

BUILDS = {
    "sanitized": ["-Dpython=disabled", "-Db_sanitize=address,undefined", "-Db_lundef=false"],
    "plain": ["-Dpython=enabled"],
    "counted": ["-Dpython=enabled", "-Db_coverage=true", "-Doptimization=0"],
}


class Broken(Exception):
    """The tree does not build or pass as it is."""


@dataclass(frozen=True)
class Suite:
    """Tests that run together: what they need, and the command; ``{build}`` is a directory."""

    name: str
    build: str
    targets: tuple[str, ...]
    command: tuple[str, ...]

    @property
    def is_unit(self) -> bool:
        """Is it a C unit test?"""
        return "/" not in self.name


@dataclass
class Workshop:
    """The copy in ``top``/tree, its build directories beside it."""

    top: Path
    took: dict[str, float] = field(default_factory=dict)
    objects: dict[Path, str] = field(default_factory=dict)
    useless: dict[str, str] = field(default_factory=dict)
    said: str = ""
    #: Suites of a fault's room are run for so long, the quickest first, and others as long at most.
    limit_s: float = float("inf")
    others: list[Workshop] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def tree(self) -> Path:
        """The copy of the tree."""
        return self.top / "tree"

    @cached_property
    def coverage(self) -> Coverage:
        """What each suite executes that was counted here."""
        return Coverage(self.top / "coverage", self.directory("counted"), self.tree)

    def counts(self, suite: str) -> Coverage:
        """Returns where a suite was counted: here, or in a workshop that works beside this one."""
        digest = self.tests_digest(suite)
        for workshop in (self, *self.others):
            if workshop.coverage.has(suite, digest):
                return workshop.coverage
        return self.coverage

    def directory(self, build: str) -> Path:
        """Returns where a build of the copy is."""
        return self.top / build

    def enter(self) -> None:
        """Makes this the only process that works here; the lock goes with the process."""
        self.top.mkdir(parents=True, exist_ok=True)
        self.lock = (self.top / "lock").open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Broken(f"another test/mutate works in {self.top}") from None

    def fill(self, source: Path, files: list[Path]) -> None:
        """Copies what changed since the last run, and removes what is gone or was left behind."""
        kept = set(files)
        for old in self.tree.rglob("*") if self.tree.exists() else ():
            if not old.is_dir() and old.relative_to(self.tree) not in kept:
                old.unlink()
        for file in files:
            copy = self.tree / file
            if copy.exists() and copy.read_bytes() == (source / file).read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / file, copy)
        self.digests.clear()
        code = [file for file in files if file.parts[0] in CODE]
        self.coverage.forget_unless(self._digest(code))

    def _digest(self, files: list[Path]) -> str:
        """Returns a digest of some files of the copy."""
        digest = hashlib.sha256()
        for file in sorted(files):
            digest.update(f"{file}\0".encode() + (self.tree / file).read_bytes())
        return digest.hexdigest()

    def tests_digest(self, suite: str) -> str:
        """Returns a digest of a suite's own tests, with what stands beside them for all to use."""
        if suite not in self.digests:
            place, _, name = suite.rpartition("/")
            beside = (self.tree / "test" / (place or "unit")).glob("*.py" if place else "*.[ch]")
            own = [f for f in beside if f.name == name or not place or f.name[:5] != "test_"]
            self.digests[suite] = self._digest([f.relative_to(self.tree) for f in own])
        return self.digests[suite]

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
        """Does a mutant compile, and to something else than the line that it replaces?

        The answer is kept, for a draw that is repeated after tests were written.
        """
        text = (self.tree / mutant.path).read_bytes()
        key = hashlib.sha256(text + f"\0{mutant.number}\0{mutant.changed}".encode()).hexdigest()
        known = self.top / "faults" / key
        if not known.exists():
            known.parent.mkdir(parents=True, exist_ok=True)
            known.write_text("yes" if self._is_fault(mutant) else "no")
        return known.read_text() == "yes"

    def _is_fault(self, mutant: Mutant) -> bool:
        if mutant.path not in self.objects:
            self.objects[mutant.path] = self.compiled(mutant.path) or ""
        with changed(self, mutant):
            found = self.compiled(mutant.path)
        return found is not None and found != self.objects[mutant.path]

    @cached_property
    def suites(self) -> dict[str, Suite]:
        """Every suite by its name."""
        build = self.directory("sanitized")
        tests = json.loads((build / "meson-info/intro-tests.json").read_text())
        found = [
            Suite(
                test["name"],
                "sanitized",
                (str(Path(test["cmd"][0]).relative_to(build)),),
                ("meson", "test", "-C", "{build}", "--no-rebuild", "--maxfail", "1", test["name"]),
            )
            for test in tests
            if any(suite.endswith(":unit") for suite in test["suite"])
        ]
        found += [
            _pytest(
                f"{place}/{file.name}",
                "plain" if f"{place}/{file.name}" in UNSANITIZED else needs,
                targets,
            )
            for place, (needs, targets) in SUITES.items()
            for file in sorted((self.tree / "test" / place).glob("test_*.py"))
            if f"{place}/{file.name}" not in LEFT_OUT
        ]
        return {suite.name: suite for suite in found}

    def of_room(self, path: Path) -> list[Suite]:
        """Returns the suites of a file's room."""
        room = room_of(path)
        names = ordered(room.unit, [name for name, suite in self.suites.items() if suite.is_unit])
        for place in SUITES:
            files = [n.partition("/")[2] for n in self.suites if n.startswith(f"{place}/")]
            names += [f"{place}/{name}" for name in ordered(getattr(room, place), files)]
        return [self.suites[name] for name in names]

    def uncounted(self) -> list[Suite]:
        """Returns the suites that were not counted since they, or the code, changed."""
        return [
            suite
            for name, suite in self.suites.items()
            if not self.counts(name).has(name, self.tests_digest(name))
        ]

    def count(self, suites: Iterator[Suite], tell: Callable[[str], None]) -> None:
        """Runs suites once with counters."""
        for suite in suites:
            tell(f"which lines does a suite execute: {suite.name}")
            if not self.build([suite], "counted"):
                raise Broken(f"what {suite.name} needs does not build: {' '.join(suite.targets)}")
            self.coverage.clear()
            began = time.monotonic()
            self.try_out([suite], "counted", None)
            seconds = time.monotonic() - began
            self.coverage.keep(suite.name, seconds, self.tests_digest(suite.name))

    def command(self, suites: list[Suite], build: str) -> list[str]:
        """Returns the command that runs suites: unit tests in one, of others one alone."""
        first = [w.replace("{build}", str(self.directory(build))) for w in suites[0].command]
        return [*first, *(suite.name for suite in suites[1:])]

    def environment(self, build: str) -> dict[str, str]:
        """Returns the environment of suites."""
        directory = self.directory(build)
        return os.environ | {
            "BUILD": str(directory),
            "PYTHONPATH": str(directory / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ASAN_OPTIONS": "exitcode=99:verify_asan_link_order=0:detect_leaks=1",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
        }

    def try_out(
        self, suites: list[Suite], build: str, limit: float | None
    ) -> subprocess.CompletedProcess[str]:
        """Runs suites of one kind, in a directory for temporary files that goes with them."""
        memory = IN_MEMORY if is_memory(IN_MEMORY) else None
        with tempfile.TemporaryDirectory(
            prefix="nvme-mutate.", dir=memory, ignore_cleanup_errors=True
        ) as scratch:
            environment = self.environment(build) | {"TMPDIR": scratch}
            return run(self.command(suites, build), self.tree, limit, environment)

    def build(self, suites: list[Suite], build: str = "") -> bool:
        """Builds what suites need; a fault that a warning of the linker finds is found."""
        targets = dict.fromkeys(target for suite in suites for target in suite.targets)
        command = ["ninja", "-C", str(self.directory(build or suites[0].build)), *targets]
        return not run(command, self.tree, None).returncode

    def usual(self, suite: Suite) -> float:
        """Returns how long a suite takes, as it was seen, or counted."""
        return self.took.get(suite.name) or self.counts(suite.name).seconds(suite.name)

    def passes(self, suites: list[Suite]) -> bool:
        """Runs suites of one kind; what hangs fails."""
        limit = sum(self.usual(suite) for suite in suites) * SLOWER + GRACE_S
        began = time.monotonic()
        done = self.try_out(suites, suites[0].build, limit)
        self.said = done.stdout
        if len(suites) == 1 and not done.returncode:
            self.took.setdefault(suites[0].name, time.monotonic() - began)
        return not done.returncode

    def is_usable(self, suite: Suite) -> bool:
        """Does a suite pass on the tree as it is? Notes how long that takes, once for each."""
        if suite.name in self.took or suite.name in self.useless:
            return suite.name in self.took
        if not self.build([suite]):
            raise Broken(f"what {suite.name} needs does not build: {' '.join(suite.targets)}")
        if not self.passes([suite]):
            self.useless[suite.name] = self.said
            print(f"{suite.name} is left out: it fails without any fault\n{self.said[-600:]}")
        return suite.name in self.took

    def batches(self, path: Path, number: int, *, unit_only: bool = False) -> list[list[Suite]]:
        """Returns the suites that execute a line, in the order in which they are run: unit tests
        together, then those of the room, then others as time permits, the quickest first.

        What a child executes that ends by _exit() or a signal is not counted. Unit tests, which are
        quick, are all that execute anything of the file; so are others where none has the line.
        """
        executing = [
            suite
            for name, suite in self.suites.items()
            if self.counts(name).executes_any(name, path)
        ]
        executing = [s for s in executing if s.name not in self.useless]
        units = [s for s in executing if s.is_unit]
        found = [units] if units else []
        if unit_only:
            return found
        executing = [s for s in executing if not s.is_unit]
        exact = [s for s in executing if self.counts(s.name).executes(s.name, path, number)]
        executing = exact or executing
        executing.sort(key=lambda s: self.counts(s.name).seconds(s.name))
        room = self.of_room(path)
        for of_room, limit in ((True, self.limit_s), (False, min(self.limit_s, OTHERS_S))):
            left = limit
            for suite in (s for s in executing if (s in room) is of_room):
                left -= self.counts(suite.name).seconds(suite.name)
                if left >= 0:
                    found.append([suite])
        return found

    def killer(self, mutant: Mutant, *, unit_only: bool = False) -> str | None:
        """Returns which suite notices a mutant, None if none does.

        A suite that fails is run on the tree as it is, unless it has passed before.
        """
        batches = self.batches(mutant.path, mutant.number, unit_only=unit_only)
        while batches:
            with changed(self, mutant):
                while batches and self.build(batches[0]) and self.passes(batches[0]):
                    del batches[0]
            suspect = self._suspect(batches[0]) if batches else None
            if suspect and self.is_usable(suspect):
                return suspect.name
            batches = [[s for s in b if s is not suspect] for b in batches if b != [suspect]]
        return None

    def _suspect(self, suites: list[Suite]) -> Suite:
        """Returns the suite of a batch that failed; the first if it did not build."""
        named = re.findall(r"\d+/\d+ (\S+) +(?:FAIL|TIMEOUT|ERROR)", self.said)
        return next((s for s in suites if s.name in named), suites[0])


def _pytest(file: str, build: str, targets: tuple[str, ...]) -> Suite:
    command = ("/usr/bin/python3", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
    return Suite(file, build, targets, (*command, f"test/{file}"))


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
    """Runs a command and everything that it starts; what outlives the limit is killed, and so is
    what is left of it that has the same directory for temporary files."""
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
    RUNNING.add(process.pid)
    try:
        out, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        kill_group(process.pid, signal.SIGKILL)
        end_left(env)
        out, _ = process.communicate()
    except BaseException:
        kill_group(process.pid, signal.SIGTERM)
        process.wait()
        raise
    finally:
        RUNNING.discard(process.pid)
        end_left(env)
    return subprocess.CompletedProcess(command, process.returncode, out)


def end_all() -> None:
    """Ends what other threads run."""
    for pid in list(RUNNING):
        kill_group(pid, signal.SIGTERM)


def kill_group(pid: int, number: int) -> None:
    """Sends a signal to a process group, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


def end_left(env: dict[str, str] | None) -> None:
    """Ends what is left of a run: a test that a fault made endless, in a session of its own."""
    if not env or "TMPDIR" not in env:
        return
    mark = f"TMPDIR={env['TMPDIR']}\0".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes() + b"\0":
                os.kill(int(environment.parent.name), signal.SIGKILL)


def is_memory(directory: Path) -> bool:
    """Is there room in it, and do programs run from it?"""
    try:
        status = os.statvfs(directory)
    except OSError:
        return False
    room, files = status.f_bavail * status.f_frsize, status.f_favail
    return room >= 6 << 30 and files >= 1_000_000 and not status.f_flag & os.ST_NOEXEC


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
