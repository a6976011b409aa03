# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipe for a log page in CONTRIBUTING.md: six files, and no list that needs it as well."""

import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]

#: What the library has of a page, and what more is known of one: differences from the original, a
#: fuzz target, tests of its own, pages and documents that refer to it, measurements.
BEYOND = (
    "NEWS.md", "src/nvme/", "test/unit/", "test/data/abi/", "test/oracle/", "test/lab/",
    "test/fuzz/",
    "test/bench/", "test/cli/test_", "test/install/test_", "test/tools/test_", "doc/man/",
    "doc/compatibility-list.md", "nvme-cli/device/",
)  # fmt: skip


def pages() -> list[str]:
    """The log pages that were made by the recipe: a source of their own, an answer in the list."""
    cases = (TOP / "test/cli/log_cases.py").read_text(encoding="utf-8")
    sources = (path.stem for path in (TOP / "nvme-cli/device/logs").glob("*-log.c"))
    return sorted(name for name in sources if f'"{name}"' in cases)


def files_with(name: str) -> set[str]:
    """The tracked files in which a command stands by its name or symbol."""
    symbol = f"{name.replace('-', '_')}_command"
    done = subprocess.run(
        ["git", "grep", "-lP", rf"(?<![\w-])({name}|nvme-{name}|{symbol})(?![\w-])"],
        cwd=TOP, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode > 1:
        pytest.skip(f"skipped: no repository to ask: {done.stderr.splitlines()[0]}")
    return set(done.stdout.split())


@pytest.mark.parametrize("name", pages())
def test_a_log_page_stands_in_six_files(name: str) -> None:
    """Its source, row, manual page, schema, options and answer; every list follows from these."""
    source, page = f"nvme-cli/device/logs/{name}.c", f"doc/man/nvme-{name}.scd"
    recipe = {
        source,
        "nvme-cli/commands.h",
        page,
        f"doc/schema/{name}.txt",
        "test/data/nvme-options.txt",
        "test/cli/log_cases.py",
    }
    if name == "telemetry-log":  # it writes a file, and has the document of all results
        recipe.remove(f"doc/schema/{name}.txt")
    found = files_with(name) | {f"doc/schema/{name}.txt", source, page}
    assert all((TOP / path).exists() for path in recipe)
    assert {path for path in found if not path.startswith(BEYOND)} - recipe <= {
        f"doc/schema/{name}.txt"
    }
    assert recipe <= found


def test_there_are_pages() -> None:
    assert len(pages()) > 20
