# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme-cli 2.16 over this library prints and sends what it does over its own."""

import itertools
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import their_machine as machines
from conftest import BUILD, TOP, Original
from fake_sysfs import FakeHost
from their_commands import CASES, DIFFERENT, EXCEPTIONS, Case

#: Meanings of a status, which each library has in words of its own.
STATUS = re.compile(r"(status_field\t: \w+ \(|NVMe status: )[^\n]*?(\)?)$", re.MULTILINE)

#: Chatter of the original that no option asked for.
CHATTER = re.compile(r"^failed to open slots dir .*\n", re.MULTILINE)


def ran(original: Original, first: list[Path], host: FakeHost, case: Case) -> str:
    """Returns everything that can be seen of a run over the libraries in the first directories."""
    words = [word.replace("TOP", str(host.root)) for word in shlex.split(case.line)]
    done = machines.run_over(original, first, host, original.nvme, *words, env=case.env)
    out, err = (
        STATUS.sub(r"\1...\2", text.decode(errors="backslashreplace"))
        for text in (done.stdout, done.stderr)
    )
    written = [*sorted(host.etc.iterdir()), host.root / "config.json"]
    # whether the last line of a file ends makes no difference to who reads it
    files = "".join(f"{f.name}:\n{f.read_text().strip()}\n" for f in written if f.is_file())
    return "\n".join(
        [f"exit status {done.returncode}", out, CHATTER.sub("", err), *host.written, files]
    )


def both(original: Original, top: Path, answers: Path, case: Case) -> tuple[str, str]:
    """Returns what a run over the original and one over this library did."""
    seen = []
    for first in ([], [BUILD / "libnvme"]):
        if top.exists():
            shutil.rmtree(top)
        top.mkdir()
        host = machines.made(top, answers)
        prepare: Callable[[FakeHost], None] | None = getattr(machines, case.prepare, None)
        if prepare:
            prepare(host)
        (top / "image").write_bytes(b"firmware".ljust(8192, b"."))
        seen.append(ran(original, first, host, case))
    return seen[0], seen[1]


def difference(theirs: str, ours: str) -> str:
    """Returns the first lines that differ; pytest takes minutes for as much text as some print."""
    pairs = itertools.zip_longest(theirs.splitlines(), ours.splitlines())
    found = [f"original: {a}\nhere:     {b}" for a, b in pairs if a != b]
    return "\n".join(found[:6])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_their_program(original: Original, tmp_path: Path, answers: Path, case: Case) -> None:
    theirs, ours = both(original, tmp_path / "machine", answers, case)
    found = difference(theirs, ours)
    if case.line in DIFFERENT:
        assert found, f"no longer different: {DIFFERENT[case.line]}"
    elif found:
        pytest.fail(f"{case}\n{found}", pytrace=False)


def test_what_differs_is_run() -> None:
    assert set(DIFFERENT) <= {case.line for case in CASES}


def test_what_differs_is_documented() -> None:
    text = " ".join((TOP / "doc/compatibility-list.md").read_text().split())
    assert [e.documented for e in EXCEPTIONS if e.documented not in text] == []


def test_symbols_that_their_programs_need(original: Original) -> None:
    """The program, and libnvme-mi beside it, find here whatever they have from libnvme."""
    ours = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", BUILD / "libnvme/libnvme.so.1"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    offered = {line.split()[-1].replace("@@", "@") for line in ours.splitlines()}
    for file in (original.nvme, original.libraries / "libnvme-mi.so.1"):
        listing = subprocess.run(
            ["nm", "-D", "-u", "--with-symbol-versions", file],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        needed = {n for n in listing.split() if "@LIBNVME_" in n and "@LIBNVME_MI_" not in n}
        assert needed <= offered
