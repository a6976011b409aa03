# SPDX-License-Identifier: GPL-2.0-or-later
"""The original of nvmelab.original for the tests here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test/lab"), str(TOP / "tools")]

from judge import Judge  # noqa: E402
from nvmelab.original import VERSION, Original, find  # noqa: E402
from nvmetools import ToolError  # noqa: E402
from nvmetools.cache import Cache, default_dir  # noqa: E402

BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()


def find_original() -> Original:
    """The original, downloaded when it is not in the cache."""
    return find(Cache(default_dir()), print)


@pytest.fixture(scope="session")
def original() -> Original:
    """The same; skips where that is impossible."""
    try:
        return find_original()
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        reason = str(error).splitlines()[0]
        pytest.skip(f"the original is not in the cache and cannot be downloaded: {reason}")


@pytest.fixture(scope="module")
def judge(request: pytest.FixtureRequest) -> Judge:
    """What a module's list of exceptions covers, of all that its fixture ``found`` has if any."""
    ret = Judge(request.module.EXCEPTIONS)
    if hasattr(request.module, "found"):
        for case, (run, differing) in request.getfixturevalue("found").items():
            ret.add(case, run, differing)
    return ret


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What devices answer, the same for all machines."""
    from their_machine import make_answers

    top = tmp_path_factory.mktemp("answers")
    make_answers(top)
    return top


def compared_with() -> tuple[str | None, list[str]]:
    """The version that there is, None without any, and why it is another one than wanted."""
    notes: list[str] = []
    try:
        return find(Cache(default_dir()), notes.append).version, notes
    except ToolError as error:
        return None, [*notes, str(error).splitlines()[0]]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was compared with, and why it is another version where it is."""
    version, notes = compared_with()
    older = "" if version == VERSION else f" instead of {VERSION}: what differs is no failure"
    for line in [*notes, f"compared with nvme-cli {version}{older}"]:
        terminalreporter.write_line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps together what one judge counts; of another version differences are only shown."""
    version, _ = compared_with()
    for item in items:
        if version != VERSION and "original" in getattr(item, "fixturenames", ()):
            why = f"nvme-cli {version} stands in for {VERSION}"
            item.add_marker(pytest.mark.xfail(reason=why, strict=False))
        if "judge" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(item.path.name))


def run(command: list[str], env: dict[str, str]) -> str:
    """Returns what a program recorded; it must end well."""
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    complaints = done.stderr.decode(errors="backslashreplace")
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{complaints}"
    return done.stdout.decode(errors="backslashreplace")
