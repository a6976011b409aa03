# SPDX-License-Identifier: LGPL-2.1-or-later
"""Manual pages: one for each command, true to the program, and readable."""

import os
import re
from pathlib import Path

import pytest
from command_table import TOP, CommandTable
from installed import Installation, captured

SOURCES = sorted((TOP / "doc/man").glob("nvme*.scd"))
NAMES = {source.stem for source in SOURCES}


@pytest.fixture(scope="session")
def pages(installation: Installation) -> dict[str, Path]:
    if not installation.has_pages():
        pytest.skip("skipped: built without manual pages (scdoc is missing)")
    return {page.stem: page for page in (installation.directory("mandir") / "man1").iterdir()}


def test_every_command_has_a_page(table: CommandTable, pages: dict[str, Path]) -> None:
    """A command of a plugin without a page wants its name in the plugin's meson.build."""
    assert set(pages) == table.pages()


def test_pages_render_without_warnings(pages: dict[str, Path]) -> None:
    # groff 1.23 adjusts both margins again, whatever the page asks for, and warns where it cannot
    left = {"MANROFFOPT": "-dAD=l"}
    environment = os.environ | left | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    for page in pages.values():
        done = captured(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
            env=environment,
            check=True,
        )
        assert done.stderr == "", page


def test_pages_show_every_option(table: CommandTable, pages: dict[str, Path]) -> None:
    for name, command in table.commands.items():
        text = pages[f"nvme-{name}"].read_text(encoding="utf-8")
        text = text.replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
        text = text.replace("\\-", "-").replace("\\&", "")
        for option in command["options"]:
            assert re.search(rf"^(?:-., )?--{option['name']}(?:[=\[]|$)", text, re.M), (
                name,
                option["name"],
            )


@pytest.mark.parametrize("source", SOURCES, ids=[path.stem for path in SOURCES])
def test_references_lead_somewhere(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    named = set(re.findall(r"\*(nvme[\w-]*)\*\(1\)", text))
    seen = " ".join(re.findall(r"^; see (.*)", text, re.M))
    named |= {page for page in seen.split() if page.startswith("nvme")}
    assert named - NAMES == set()


def test_sections_are_there() -> None:
    """Every page says what the command does, shows it, and where to go on."""
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        assert re.match(r"(; .*\n)+\n?\w", text), f"{source.name} has no description at its top"
        assert "\n# EXAMPLES\n" in text or "\n```\n" in text, f"{source.name} has no EXAMPLES"
        assert "\n# SEE ALSO\n" in text or "\n; see " in text, f"{source.name} has no SEE ALSO"


def test_documents_that_pages_name_are_installed(installation: Installation) -> None:
    named = {
        (source.name, document)
        for source in SOURCES
        for document in re.findall(r"_/usr/share/(doc/nvme/[\w./-]+)_", source.read_text())
    }
    assert len(named) > 3
    missing = [
        (page, document)
        for page, document in sorted(named)
        if not (installation.directory("datadir") / document).exists()
    ]
    assert missing == []
