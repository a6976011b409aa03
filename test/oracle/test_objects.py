# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions that send no command return and write what the original's do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import their_machine as machines
from conftest import BUILD, Original
from fake_sysfs import FakeHost
from object_exceptions import EXCEPTIONS, NOT_CALLED
from test_their_program import ran as program
from their_commands import CASES

PROGRAM = BUILD / "test/oracle/oracle-objects"
PARTS = ("tree", "values", "keys", "fabrics", "config")


def machine(top: Path, answers: Path, part: str) -> FakeHost:
    """The machine that a part of the program runs on."""
    host = machines.made(top, answers)
    if part == "fabrics":
        machines.answers_connect(host)
        for number in (111, 22, 22, 22):
            host.answer_error(number)
    if part == "config":
        machines.describes(host)
        machines.boot_tables(host.root)
    return host


def ran(original: Original, first: list[Path], host: FakeHost, part: str) -> list[str]:
    """Returns the lines that a part printed over the libraries in the first directories."""
    done = machines.run_over(original, first, host, PROGRAM, part, cwd=host.root)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-500:]
    return [*done.stdout.decode(errors="backslashreplace").splitlines(), *host.written]


@pytest.mark.parametrize("part", PARTS)
def test_objects(original: Original, tmp_path: Path, answers: Path, part: str) -> None:
    seen = []
    for first in ([], [BUILD / "libnvme"]):
        top = tmp_path / "machine"
        if top.exists():
            shutil.rmtree(top)
        top.mkdir()
        seen.append(ran(original, first, machine(top, answers, part), part))
    found = differences(tmp_path, *seen)
    mine = {e.what for e in EXCEPTIONS if e.part == part}
    wrong = [line for line in found if subject(line) not in mine]
    if wrong:
        pytest.fail(f"{len(wrong)} lines differ:\n" + "\n".join(wrong[:60]), pytrace=False)
    assert mine - {subject(line) for line in found} == set()


def subject(line: str) -> str:
    """What a line is about: the call, the address that is connected to, or a line of a document."""
    line = line[2:].strip()
    if line.startswith("connect "):
        return line.partition(",hostnqn=")[0]
    what, _, value = line.partition(" = ")
    return f"{what} {value[1:-1].strip()}" if what.startswith("line [") else what


def differences(top: Path, theirs: list[str], ours: list[str]) -> list[str]:
    """Returns the lines of either that the other has not: "<" before the original's."""
    files = [top / "theirs", top / "ours"]
    for file, lines in zip(files, (theirs, ours), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines))
    listing = subprocess.run(["diff", *files], capture_output=True, text=True, check=False).stdout
    return [line for line in listing.splitlines() if line[0] in "<>"]


def referenced(program: Path) -> set[str]:
    """Returns what a program takes from libnvme."""
    listing = subprocess.run(
        ["nm", "-D", "-u", program], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"\bnvmef?\w*|\bnvmf_\w*", listing))


def test_every_function_is_called(original: Original) -> None:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", original.libraries / "libnvme.so.1"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    exported = set(re.findall(r" [TW] (\w+)", listing))
    called = referenced(PROGRAM) | referenced(BUILD / "test/oracle/oracle")
    assert len(exported) > 300
    assert exported - called == set(NOT_CALLED)


def namespaces(commands: list[str]) -> dict[str, str]:
    """Returns the NSID that each log page was asked for with."""
    found = re.findall(r"opcode=02 nsid=(\w+) cdw10=(\w+)", "\n".join(commands))
    return {dword[-2:].zfill(2): nsid for nsid, dword in found}


def test_log_pages_of_the_headers(original: Original, tmp_path: Path, answers: Path) -> None:
    """Functions of a header are in the program: 2.13 has those of 1.13 in it."""
    (tmp_path / "ours").mkdir()
    host = machine(tmp_path / "ours", answers, "logs")
    ours = namespaces(ran(original, [BUILD / "libnvme"], host, "logs"))
    theirs: dict[str, str] = {}
    for i, case in enumerate(c for c in CASES if "-log" in c.line.split()[0]):
        top = tmp_path / str(i)
        top.mkdir()
        host = machine(top, answers, "logs")
        program(original, [], host, case)
        theirs |= namespaces(host.written)
    both = ours.keys() & theirs.keys()
    assert len(both) > 18
    assert {lid: ours[lid] for lid in both} == {lid: theirs[lid] for lid in both}
