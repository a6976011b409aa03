# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every command of the table has golden text, and golden JSON, and its schema describes it."""

import re
from pathlib import Path

import command_table
import pytest
from conftest import TOP, Nvme
from fake_sysfs import FakeHost
from golden_cases import BARE, CASES, ELSEWHERE, KEYRING

HERE = Path(__file__).parent
BUILTIN = command_table.builtin()
JSON = {name for name, command in BUILTIN.items() if "json" in command["formats"]}
WITH_JSON = [name for name in BUILTIN if name in JSON - KEYRING]
ON_DEVICES = [name for name in BUILTIN if any(arg.startswith("/dev/") for arg in CASES[name].args)]


def test_every_command_has_a_case():
    assert sorted(CASES) == sorted(BUILTIN)
    assert sorted(ELSEWHERE) == sorted(command_table.of_plugins())


@pytest.mark.parametrize("name", BUILTIN)
def test_text(nvme, host, golden, name):
    case = CASES[name]
    case.prepare(host)
    result = nvme(name, *case.args)
    if case.pattern:
        assert re.fullmatch(case.pattern, result.out, re.DOTALL)
        return
    assert result.status == 0, result
    if not case.golden:
        assert result.out or case.schema == "result"
        return
    said = f"--- on stderr\n{result.err}" if result.err else ""
    golden(f"commands/{name}.txt", result.out + said)


@pytest.mark.parametrize("name", WITH_JSON)
def test_json(nvme, host, golden, valid, name):
    case = CASES[name]
    case.prepare(host)
    result = nvme(name, *case.args, "--output-format=json", status=0)
    if name in BARE:
        assert (HERE / f"golden/commands/{name}.txt").read_text().startswith(result.out)
        return
    if case.golden:
        golden(f"commands/{name}.json", result.out)
    valid(case.schema or name, result.json)


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("more", [[], ["--output-format=json"]], ids=["text", "json"])
def test_full_disk(nvme, host, name, more):
    """Output that cannot be written is an error, told once."""
    if more and name not in WITH_JSON:
        return
    case = CASES[name]
    case.prepare(host)
    written = nvme(name, *case.args, *more)
    if not written.out:
        return
    again = FakeHost(host.root / "again")
    case.prepare(again)
    with open("/dev/full", "wb") as full:
        result = Nvme(again).raw(name, *case.args, *more, stdout=full.fileno())
    assert result.status == 1
    complaints = [line for line in result.err.splitlines() if b"No space left on device" in line]
    assert len(complaints) == 1
    assert len(result.err.splitlines()) == len(written.err.splitlines()) + 1 - (name in BARE)


@pytest.mark.parametrize("name", ON_DEVICES)
def test_dry_run(nvme, host, name):
    """What --dry-run ends has done what it was to do: commands are shown and none is sent."""
    case = CASES[name]
    case.prepare(host)
    nvme(name, *case.args, "--dry-run", status=0)
    assert host.written == []


@pytest.mark.parametrize("name", ELSEWHERE)
def test_plugin_schemas_are_used(name):
    schema = ELSEWHERE[name]
    assert (TOP / f"doc/schema/{schema}.txt").exists()
    _, command = name.split()
    here = {"golden_cases.py", Path(__file__).name}
    tests = [path.read_text() for path in HERE.glob("*.py") if path.name not in here]
    assert any(f'"{command}' in text and schema in text for text in tests)


def test_every_schema_is_used():
    used = {CASES[name].schema or name for name in WITH_JSON if name not in BARE}
    used |= {"error", "list-v", "list-v-2", "mptcp-links", "mptcp-fleet"}
    used |= {*KEYRING, *ELSEWHERE.values()}
    there = {path.stem for path in (TOP / "doc/schema").glob("*.txt")}
    assert there <= used, "schemas that no test validates with"
    assert used <= there


def test_no_golden_file_is_left_over():
    kept = {name for name, case in CASES.items() if case.golden}
    expected = {f"{name}.txt" for name in kept if not CASES[name].pattern}
    expected |= {f"{name}.json" for name in WITH_JSON if name in kept - BARE}
    expected |= {"nbft-show.txt", "nbft-show.json"}
    assert {path.name for path in (HERE / "golden/commands").iterdir()} == expected
