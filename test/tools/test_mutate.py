# SPDX-License-Identifier: GPL-2.0-or-later
"""test/mutate: the changes that it makes, their draw by a seed, and that nothing stays changed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import TOP

sys.path.insert(0, str(TOP / "test"))

from mutation.cli import Tally
from mutation.coverage import Coverage
from mutation.draw import Mutant, changes, draw, masked, mutants_of, sources
from mutation.suites import LEFT_OUT, ROOMS, SUITES, ordered, room_of
from mutation.workshop import Suite, Workshop, changed, run

SOURCE = """\
/* a == b */
#define LIMIT (1 + 2)
int twice(int x)
{
\tconst char *text = "a && b";
\tint number;

\tif (x < 0 && text)
\t\treturn -EINVAL;
\tnumber = 2 * x; // x == 1
\tcount(x,
\t      number);
\treturn number;
}
"""


def changed_lines(text: str) -> dict[int, set[str]]:
    """What each line may become."""
    return {
        made[0].number: {m.changed.strip() for m in made} for made in mutants_of(Path("x.c"), text)
    }


def test_comments_strings_and_directives_stay() -> None:
    code = masked(SOURCE)
    assert len(code) == len(SOURCE)
    assert code.count("\n") == SOURCE.count("\n")
    assert "==" not in code
    assert code.count("&&") == 1
    assert "LIMIT" not in code
    assert '"xxxxxx"' in code


def test_what_a_line_may_become() -> None:
    found = changed_lines(SOURCE)
    assert set(found) == {8, 9, 10, 13}
    assert found[8] == {
        "if (x <= 0 && text)",
        "if (x < 0 || text)",
        "if (!(x < 0 && text))",
        "if (x < 1 && text)",
    }
    assert found[9] == {"return 0;"}
    assert found[10] == {"number = 3 * x; // x == 1", ";"}
    assert found[13] == {"return 0;"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("\treturn 0;", {"\treturn 1;"}),
        ("\tint x = f();", set()),
        ("\tstruct a b[17];", set()),
        ("\tfree(x);", {"\t;"}),
        ("\t\tcontinue;", {"\t\tbreak;"}),
        ("\t.hostid = id,", {""}),
        ("\tflags |= true;", {"\tflags &= true;", "\tflags |= false;", "\t;"}),
        ("\twhile (more(x))", {"\twhile (!(more(x)))"}),
        ("\tif (a(x) ||", {"\tif (a(x) &&"}),
        ("int f(void)", set()),
    ],
)
def test_changes(line: str, expected: set[str]) -> None:
    assert set(changes(line, masked(line), "{")) == expected


def test_a_line_that_goes_on_is_not_dropped() -> None:
    assert changes("\t\tnumber);", "\t\tnumber);", "\tcount(x,") == []


def drawn(top: Path, seed: int) -> list[Mutant]:
    """All mutants of a tree in the order of a seed."""
    return list(draw(top, [Path("src/x.c")], seed, lambda mutant: mutant.number != 13))


def test_the_seed_decides(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/x.c").write_text(SOURCE)
    orders = [drawn(tmp_path, seed) for seed in range(20)]
    assert orders == [drawn(tmp_path, seed) for seed in range(20)]
    assert len({tuple(order) for order in orders}) > 5
    # one of each line, and none that is not accepted
    assert all(sorted(m.number for m in order) == [8, 9, 10] for order in orders)


def test_rooms_that_are_named() -> None:
    files = [Path(name) for name in ("src/nvme/tree/a.c", "src/nvme/tree/a.h", "plugins/b.c")]
    assert sources(TOP, files, []) == [Path("plugins/b.c"), Path("src/nvme/tree/a.c")]
    assert sources(TOP, files, ["src/nvme/tree"]) == [Path("src/nvme/tree/a.c")]


def test_every_file_has_a_room_with_suites_that_exist() -> None:
    units = (TOP / "test/unit/meson.build").read_text()
    names = re.findall(r"^  \[\s*'([\w-]+)'", units, re.MULTILINE)
    files = {place: [f.name for f in (TOP / "test" / place).glob("test_*.py")] for place in SUITES}
    for path in [
        *TOP.glob("src/**/*.c"),
        *TOP.glob("nvme-cli/**/*.c"),
        *TOP.glob("plugins/**/*.c"),
    ]:
        room = room_of(path.relative_to(TOP))
        assert room.unit or room.cli
    for room in ROOMS:
        for place, there in files.items():
            assert all(ordered((p,), there) for p in getattr(room, place)), room
        # one program is no cmocka test and stands elsewhere
        assert all(ordered((p,), [*names, "out"]) for p in room.unit), room
    assert set(LEFT_OUT) <= {f"{place}/{name}" for place in files for name in files[place]}


def test_earlier_patterns_come_first() -> None:
    assert ordered(("b*", "*"), ["a", "b2", "b1"]) == ["b1", "b2", "a"]


def test_the_copy_is_as_before(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    (tmp_path / "tree").mkdir()
    file = tmp_path / "tree/x.c"
    file.write_text(SOURCE)
    mutant = next(m for made in mutants_of(Path("x.c"), SOURCE) for m in made)
    seen = ""

    def interrupted() -> None:
        nonlocal seen
        with changed(workshop, mutant):
            seen = file.read_text()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert mutant.changed in seen
    assert file.read_text() == SOURCE


def test_the_copy_follows_the_tree(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a").write_text("1")
    (source / "b").write_text("1")
    workshop = Workshop(tmp_path / "workshop")
    workshop.fill(source, [Path("a"), Path("b")])
    (source / "a").write_text("2")
    workshop.fill(source, [Path("a")])
    assert [p.name for p in workshop.tree.iterdir()] == ["a"]
    assert (workshop.tree / "a").read_text() == "2"


def test_what_hangs_is_killed_with_what_it_started(tmp_path: Path) -> None:
    left = tmp_path / "left"
    script = f"(sleep 3; touch {left}) & sleep 60"
    done = run(["sh", "-c", script], tmp_path, 0.2)
    assert done.returncode != 0
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["sleep", "60"], timeout=3.5, check=False)
    assert not left.exists()


def test_what_left_the_session_is_ended_too(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.tree.mkdir()
    left = tmp_path / "left"
    script = f"setsid sh -c 'echo $$ >{left}; exec sleep 60' & while [ ! -s {left} ]; do :; done"
    endless = Suite("cli/x", "plain", (), ("sh", "-c", script))
    began = time.monotonic()
    assert workshop.try_out([endless], "plain", 2).returncode == 0
    assert time.monotonic() - began < 30
    status = Path("/proc") / left.read_text().strip() / "cmdline"
    # what was killed has no words left, and is gone once somebody took note
    for _ in range(50):
        if not status.exists() or not status.read_text():
            return
        time.sleep(0.1)
    pytest.fail(f"{status} is still there")


def test_summary() -> None:
    tally = Tally()
    mutant = Mutant(Path("src/nvme/tree/x.c"), 3, "\ta = b;", "\t;")
    tally.add(1, mutant, "tree-ns")
    tally.add(2, mutant, None)
    lines = tally.summary(7).splitlines()
    assert lines[0] == "survivor 2: src/nvme/tree/x.c:3"
    assert lines[-2].split() == ["src/nvme/tree/", "1", "of", "2"]
    assert lines[-1] == "seed 7: 1 of 2 killed, 50 %"


COUNTED = """\
#include <stdio.h>
static const char *const names[] = {
\t"one",
};
static int never(int x)
{
\treturn x + 1;
}
int main(int n, char **args)
{
\tif (n > 1)
\t\treturn never(n);
\tputs(names[0]);
\treturn 0;
}
"""


@pytest.fixture
def counted(tmp_path: Path) -> Coverage:
    """Two suites of a program with counters: one runs it without arguments, one with one."""
    tree, build = tmp_path / "tree", tmp_path / "counted"
    (tree / "src").mkdir(parents=True)
    (build / "x.p").mkdir(parents=True)
    (tree / "src/x.c").write_text(COUNTED)
    (tree / "src/other.c").write_text("int other(void) { return 0; }\n")
    entries = [
        {"directory": str(build), "file": f"../tree/src/{name}.c", "output": f"x.p/{name}.c.o"}
        for name in ("x", "other")
    ]
    (build / "compile_commands.json").write_text(json.dumps(entries))
    for entry in entries:
        command = ["gcc", "--coverage", "-O0", "-c", entry["file"], "-o", entry["output"]]
        subprocess.run(command, cwd=build, check=True)
    objects = [entry["output"] for entry in entries]
    subprocess.run(["gcc", "--coverage", *objects, "-o", "x"], cwd=build, check=True)
    coverage = Coverage(tmp_path / "coverage", build, tree)
    for name, arguments in (("plain", []), ("cli/with", ["1"])):
        coverage.clear()
        subprocess.run(["./x", *arguments], cwd=build, stdout=subprocess.DEVNULL, check=False)
        coverage.keep(name, 1.5, "tests")
    return coverage


def test_which_suite_executes_a_line(counted: Coverage) -> None:
    x = Path("src/x.c")
    lines = {
        name: [n for n in (7, 12, 13, 14) if counted.executes(name, x, n)]
        for name in ("plain", "cli/with")
    }
    assert lines == {"plain": [13, 14], "cli/with": [7, 12]}
    # a row of a table is code of its file
    assert counted.executes("plain", x, 3)
    # a file of which nothing ran, and one that has no code at all
    assert not counted.executes("plain", Path("src/other.c"), 1)
    assert counted.executes("plain", Path("src/table.c"), 1)


def test_counts_are_kept_until_the_tree_changes(counted: Coverage) -> None:
    again = Coverage(counted.top, counted.build, counted.tree)
    assert again.has("cli/with", "tests")
    assert not again.has("cli/with", "other tests")
    assert again.executes("cli/with", Path("src/x.c"), 7)
    assert again.seconds("cli/with") == 1.5
    again.forget_unless("another tree")
    assert not again.has("cli/with", "tests")


def test_a_change_of_the_code_forgets_counts(tmp_path: Path) -> None:
    source = tmp_path / "source"
    files = [
        Path("src/a.c"),
        Path("b"),
        Path("test/cli/test_x.py"),
        Path("test/cli/test_y.py"),
        Path("test/cli/z.py"),
    ]
    for directory in ("test/cli", "src"):
        (source / directory).mkdir(parents=True)
    for file in files:
        (source / file).write_text("1")
    workshop = Workshop(tmp_path / "workshop")
    workshop.fill(source, files)
    of = "cli/test_x.py"
    (workshop.directory("counted")).mkdir()

    def is_counted() -> bool:
        workshop.fill(source, files)
        return workshop.counts(of).has(of, workshop.tests_digest(of))

    def count() -> None:
        workshop.coverage.keep(of, 1.0, workshop.tests_digest(of))
        assert is_counted()

    count()
    (workshop.tree / "left.pyc").write_text("a run of the suites")
    for file in ("test/cli/test_y.py", "b"):
        (source / file).write_text("2")
    assert is_counted()
    assert not (workshop.tree / "left.pyc").exists()
    for file in ("test/cli/test_x.py", "test/cli/z.py", "src/a.c"):
        (source / file).write_text("2")
        assert not is_counted(), file
        count()


def test_what_was_counted_elsewhere_counts(tmp_path: Path) -> None:
    here, there = Workshop(tmp_path / "here"), Workshop(tmp_path / "there")
    here.suites = there.suites = {"a": suite("a"), "b": suite("b")}
    here.others, there.others = [there], [here]
    there.directory("counted").mkdir(parents=True)
    there.coverage.keep("b", 2.0, there.tests_digest("b"))
    assert [s.name for s in here.uncounted()] == ["a"]
    assert here.counts("b").seconds("b") == 2.0


def suite(name: str) -> Suite:
    """A suite that needs nothing."""
    return Suite(name, "sanitized", (), ("meson", "test", "-C", "{build}", name))


class Counts(Coverage):
    """Coverage that a test decides."""

    runs: set[str]
    times: dict[str, float]

    also: set[str]

    def executes(self, suite: str, path: Path, number: int) -> bool:
        """Of every file, the suites in ``runs`` execute the line."""
        return suite in self.runs

    def executes_any(self, suite: str, path: Path) -> bool:
        """Those in ``also`` execute others."""
        return suite in self.runs | self.also

    def seconds(self, suite: str) -> float:
        """As long as a test says."""
        return self.times[suite]


def test_what_runs_and_in_which_order(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    names = ("ioctl-a", "tree-ns", "cli/test_zns.py", "cli/test_golden.py", "cli/test_list.py")
    workshop.suites = {name: suite(name) for name in names}
    workshop.took = dict.fromkeys(names, 1.0)
    workshop.coverage = Counts(tmp_path, tmp_path, tmp_path)
    workshop.coverage.runs, workshop.coverage.also = set(names) - {"ioctl-a"}, set()
    workshop.coverage.times = dict(zip(names, (1.0, 1.0, 50.0, 5.0, 30.0), strict=True))

    def order(path: str, *, unit_only: bool = False) -> list[list[str]]:
        batches = workshop.batches(Path(path), 1, unit_only=unit_only)
        return [[s.name for s in suites] for suites in batches]

    # unit tests in one go, then the room's own, then others, 90 s of them at most
    assert order("plugins/nbft/x.c") == [
        ["tree-ns"],
        ["cli/test_golden.py"],
        ["cli/test_list.py"],
        ["cli/test_zns.py"],
    ]
    workshop.coverage.times["cli/test_zns.py"] = 61.0
    assert order("plugins/nbft/x.c")[1:] == [["cli/test_golden.py"], ["cli/test_list.py"]]
    assert order("plugins/zns/x.c")[1:3] == [["cli/test_golden.py"], ["cli/test_zns.py"]]
    workshop.limit_s = 40.0
    assert order("plugins/zns/x.c")[1:] == [["cli/test_golden.py"], ["cli/test_list.py"]]
    workshop.limit_s = float("inf")
    assert order("plugins/zns/x.c", unit_only=True) == [["tree-ns"]]
    # what children execute that end by _exit() is not counted
    workshop.coverage.runs, workshop.coverage.also = {"cli/test_list.py"}, {"ioctl-a"}
    assert order("plugins/zns/x.c") == [["ioctl-a"], ["cli/test_list.py"]]
    workshop.coverage.runs, workshop.coverage.also = set(), {"cli/test_list.py"}
    assert order("plugins/zns/x.c") == [["cli/test_list.py"]]
    command = workshop.command([suite("a"), suite("b")], "sanitized")
    assert command == ["meson", "test", "-C", str(tmp_path / "sanitized"), "a", "b"]
