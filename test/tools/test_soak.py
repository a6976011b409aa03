# SPDX-License-Identifier: LGPL-2.1-or-later
"""test/fuzz/soak: who runs when, what is entered, and that a finding is one; with programs that
only print what a fuzz target prints."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import TOP

SOAK = TOP / "test/fuzz/soak"

#: Notes its start, computes for a time, notes when it has for long, and says what it reached.
TARGET = """\
#!{python}
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(72))
with open({order!r}, "a") as order:
    print({name!r}, *[a for a in sys.argv[1:] if a.startswith("-max_total_time")], file=order)
while time.process_time() < min(0.3, {seconds}):
    pass
if {seconds} > 0.3:
    open({order!r} + ".worked", "w").close()
while time.process_time() < {seconds}:
    pass
print("#128 INITED cov: 12 ft: 13\\n#4096 REDUCE cov: {edges} ft: 13 corp: 2/1b")
print("stat::number_of_executed_units: {runs}")
sys.exit({status})
"""


class Made:
    """A build directory with made-up targets."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.order = top / "order"
        self.record = top / "soak.json"

    def target(self, name: str, *, status: int = 0, seconds: float = 0.1, edges: int = 40) -> None:
        """Makes a target."""
        path = self.top / "test/fuzz" / f"fuzz-{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        filled = TARGET.format(
            python=sys.executable,
            order=str(self.order),
            name=name,
            seconds=seconds,
            edges=edges,
            runs=1000,
            status=status,
        )
        path.write_text(filled)
        path.chmod(0o755)

    def soak(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs test/fuzz/soak, one target at a time."""
        return subprocess.run(
            [SOAK, "--record", self.record, "--jobs", "1", self.top, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def started(self) -> list[str]:
        """Which targets were started, in order."""
        return [line.split()[0] for line in self.order.read_text().splitlines()]

    def accounts(self) -> dict[str, dict[str, float]]:
        """What the record has."""
        return json.loads(self.record.read_text())


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Two targets, of which one takes more of a processor."""
    made = Made(tmp_path)
    made.target("uri", seconds=0.2, edges=70)
    made.target("nbft")
    return made


def test_who_had_the_least_is_next_until_each_has_its_time(made: Made) -> None:
    done = made.soak("--goal", "0.005", "--slice", "7")
    assert done.returncode == 0, done.stderr
    assert "2 passed, 0 failed" in done.stdout
    assert set(made.started()[:2]) == {"uri", "nbft"}
    assert made.order.read_text().splitlines()[0].split()[1] == "-max_total_time=7"
    accounts = made.accounts()
    for name, edges in (("uri", 70), ("nbft", 40)):
        assert accounts[name]["seconds"] >= 0.3
        assert accounts[name]["clock"] > 0
        assert accounts[name]["edges"] == edges
        assert accounts[name]["runs"] == 1000 * made.started().count(name)
    # enough is enough
    before = made.started()
    assert made.soak("--goal", "0.005").returncode == 0
    assert made.started() == before


def test_the_account_goes_on(made: Made) -> None:
    made.record.write_text(
        '{"nbft": {"clock": 9, "seconds": 3.5, "runs": 7, "edges": 90},'
        ' "gone": {"clock": 9, "seconds": 1, "runs": 1, "edges": 1}}'
    )
    assert made.soak("--goal", "0.05").returncode == 0
    assert "nbft" not in made.started()
    assert made.accounts()["nbft"] == {"clock": 9, "seconds": 3.5, "runs": 7, "edges": 90}
    assert "gone" in made.accounts()


def test_a_finding_ends_a_target_and_fails(made: Made) -> None:
    made.target("uri", status=77)
    done = made.soak("--goal", "0.005")
    assert done.returncode == 1
    assert "uri: FAILED, see " in done.stdout
    assert "1 passed, 1 failed" in done.stdout
    assert made.started().count("uri") == 1
    assert made.accounts()["nbft"]["seconds"] >= 0.3
    assert os.path.exists(done.stdout.split("see ")[1].split("\n")[0])


def test_an_interrupt_enters_what_was_had(made: Made) -> None:
    made.target("uri", seconds=60, status=0)
    process = subprocess.Popen([SOAK, "--record", made.record, made.top, "--jobs", "1", "uri"])
    while not Path(f"{made.order}.worked").exists():
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert 0.3 <= made.accounts()["uri"]["seconds"] < 30


def test_a_target_that_is_not_there(made: Made) -> None:
    done = made.soak("nope")
    assert done.returncode == 2
    assert done.stderr == f"test/fuzz/soak: no fuzz target 'nope' was built in {made.top}\n"
    empty = made.top / "empty"
    empty.mkdir()
    done = subprocess.run([SOAK, empty], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"test/fuzz/soak: no fuzz target was built in {empty}\n"


def test_the_record_names_every_target() -> None:
    names = {
        line.split("'")[1]
        for line in (TOP / "test/fuzz/meson.build").read_text().splitlines()
        if line.startswith("  ['")
    } | {"commands"}
    record = json.loads((TOP / "test/fuzz/soak.json").read_text())
    assert names == set(record)
    assert all(set(row) == {"clock", "seconds", "runs", "edges"} for row in record.values())
