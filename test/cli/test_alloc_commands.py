# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every command without memory, as test_alloc.py has it for listings, files and MPTCP."""

import shutil

import plugin_cases
import pytest
from conftest import TOP
from fake_sysfs import FakeHost
from golden_cases import CASES, KEYRING
from test_alloc import Failing, check, failing, is_explained, pytestmark
from test_golden import WITH_JSON

__all__ = ["failing", "pytestmark"]  # a fixture, and where no test runs

#: What changes the kernel's controllers; what it says on the way goes to stderr.
CONNECTING = ("discover", "connect-all", "connect", "disconnect", "disconnect-all", "dim")

#: No two runs print the same name, or the kernel has no such keyring.
NOT_ALIKE = {"gen-hostnqn", *KEYRING}

OF_PLUGINS = [
    "zns list", "zns id-ctrl CTRL", "zns id-ns NS", "zns report-zones NS -e",
    "zns changed-zone-list NS", "zns zone-mgmt-recv NS -z 0 -l 512", "zns open-zone NS -a",
    "zns zone-append NS -s 0x100 -z 512 -d /dev/zero", "fdp configs CTRL -e 1",
    "fdp usage CTRL -e 1", "fdp stats CTRL -e 1", "fdp events CTRL -e 1", "fdp status NS",
    "fdp feature CTRL -e 1", "fdp update NS -p 1,2", "nbft show --nbft-path TABLES",
]  # fmt: skip


def json_of(name: str) -> list[str]:
    """The words for JSON, where the command has it: text comes from the same renderer."""
    return ["--output-format=json"] if name in WITH_JSON else []


@pytest.mark.parametrize("name", [name for name in CASES if name not in {*CONNECTING, *NOT_ALIKE}])
def test_every_command(failing: Failing, host: FakeHost, name: str) -> None:
    case = CASES[name]
    case.prepare(host)
    check(*failing(name, *case.args, *json_of(name)))


@pytest.mark.parametrize("line", OF_PLUGINS)
def test_commands_of_plugins(failing: Failing, host: FakeHost, line: str) -> None:
    plugin_cases.sample(host)
    tables = host.root / "tables"
    tables.mkdir()
    shutil.copy(TOP / "test/fuzz/corpus/nbft/good", tables / "NBFT")
    words = {"CTRL": "/dev/nvme0", "NS": "/dev/nvme0n1", "TABLES": str(tables)}
    check(*failing(*(words.get(word, word) for word in line.split())))


@pytest.mark.parametrize("name", CONNECTING)
def test_what_connects(failing: Failing, host: FakeHost, name: str) -> None:
    """What is said of controllers that come and go may lack a line, what was done may not."""
    case = CASES[name]
    case.prepare(host)
    failing.restore_host()
    complete, runs = failing(name, *case.args, *json_of(name))
    said = complete.err.splitlines()
    for run in runs:
        if run.status:
            assert is_explained(run), run
        else:
            assert (run.out, run.files) == (complete.out, complete.files), run
            assert [line for line in run.err.splitlines() if line not in said] == []
    assert [run for run in runs if run.status]
