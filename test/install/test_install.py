# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is installed is complete, and works from where it is."""

import itertools
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from command_table import CommandTable
from installed import Installation, captured, expected

PROGRAM = """
#include <stdio.h>
#include <libnvme.h>

int main(void)
{
	nvme_root_t root = nvme_create_root(NULL, 0);

	puts(nvme_get_version(NVME_VERSION_PROJECT));
	nvme_free_tree(root);
	return root ? 0 : 1;
}
"""

MPTCP_PROGRAM = """
#include <stdio.h>
#include <nvme/mptcp.h>

int main(void)
{
	puts(nvme_mptcp_part_name(NVME_MPTCP_ENDPOINTS));
	return 0;
}
"""


def test_files(installation: Installation, table: CommandTable) -> None:
    """Nothing is missing, nothing is there by accident."""
    files = installation.files()
    wanted = expected(installation, table)
    missing = sorted(set(wanted) - set(files))
    unknown = sorted(set(files) - set(wanted))
    assert not missing and not unknown, (
        f"missing: {missing}, not in the list: {unknown}; if that is meant, "
        "test/install/installed.py BUILD >test/install/files.txt renews the list"
    )


def test_nothing_leads_into_the_build(installation: Installation, build: Path) -> None:
    for path in installation.root.rglob("*"):
        if path.suffix in (".pc", ".service", ".rules", ".1", ".target") and ".so" not in path.name:
            text = path.read_text(encoding="utf-8")
            assert str(build) not in text, path
            assert not re.search(r"@\w+@", text), path


def test_program_runs(installation: Installation) -> None:
    done = captured(
        [installation.directory("sbindir") / "nvme", "version"],
        env=installation.environment(),
        check=True,
    )
    assert done.stdout.splitlines()[0].startswith("nvme version 2.16")


@pytest.mark.parametrize(
    ("library", "program", "printed"),
    [("libnvme", PROGRAM, "1.16.2\n"), ("libnvme-mptcp", MPTCP_PROGRAM, "endpoints\n")],
)
def test_library_serves_programs(
    installation: Installation,
    build: Path,
    tmp_path: Path,
    library: str,
    program: str,
    printed: str,
) -> None:
    """A program is compiled and linked by what pkg-config says, and runs."""
    source = tmp_path / "program.c"
    source.write_text(program)
    environment = installation.environment()
    flags = captured(
        ["pkg-config", "--cflags", "--libs", library], env=environment, check=True
    ).stdout
    first = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))[0]
    compiler = itertools.takewhile(lambda word: word[0] != "-", shlex.split(first["command"]))
    command = [*compiler, str(source), "-o", str(tmp_path / "program")]
    sanitize = installation.options["b_sanitize"]
    if sanitize != "none":
        command.append(f"-fsanitize={sanitize}")
    subprocess.run([*command, "-Wall", "-Werror", *shlex.split(flags)], check=True, timeout=120)
    done = captured([tmp_path / "program"], env=environment, check=True)
    assert done.stdout == printed


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["nvme", "help", "connect"], "nvme-connect"),
        (["nvme", "help", "list-sub"], "nvme-list-subsys"),
        (["nvme", "help", "mptcp"], "nvme-mptcp"),
        (["nvme", "help", "mptcp", "check"], "nvme-mptcp-check"),
        (["nvme-mptcp", "help", "mptcp"], "nvme-mptcp"),
        (["nvme-mptcp", "help", "check"], "nvme-mptcp-check"),
        (["nvme-mptcp", "help", "connect"], "nvme-connect"),
        (["nvme", "help", "mptcp-check"], "nvme-mptcp-check"),
        (["nvme", "mptcp", "help", "check"], "nvme-mptcp-check"),
        (["nvme", "nbft", "help", "show"], "nvme-nbft-show"),
    ],
)
def test_help_finds_the_page(installation: Installation, words: list[str], name: str) -> None:
    if not installation.has_pages():
        pytest.skip("skipped: built without manual pages (scdoc is missing)")
    done = captured(
        [installation.directory("sbindir") / words[0], *words[1:]],
        env=installation.environment(),
        check=True,
    )
    assert re.search(rf"^ +{name} +- ", done.stdout, re.M)
