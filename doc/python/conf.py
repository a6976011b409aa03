# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sphinx: the pages of the Python package, made from what is built. See python/meson.build."""

from __future__ import annotations

import re
from pathlib import Path

import libnvme

project = "libnvme for Python"
release = libnvme.__version__
copyright = "the authors of nvme-mptcp"
extensions = ["sphinx.ext.autodoc"]
html_theme = "alabaster"
html_theme_options = {"nosidebar": False, "page_width": "1100px"}
html_show_sourcelink = False
html_copy_source = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
nitpicky = False

#: A line that repeats a name or a signature, which swig puts before its text.
REPEATED = re.compile(r"^\w+(\(.*\)( -> .*)?)?$")


def strip_signatures(
    app: object, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Leave the text of a docstring that swig made."""
    if not name.startswith("libnvme.nvme."):
        return
    while lines and (not lines[0] or REPEATED.match(lines[0])):
        del lines[0]


#: A key of connect()'s dictionary in the stub.
OPTION = re.compile(r"^    (\w+): (.+) \| None$", re.M)


def list_options(app: object, name: str, text: list[str]) -> None:
    """Put the options of connect() where a page asks for them, from the stub."""
    if "\n@options@\n" not in text[0]:
        return
    stub = Path(libnvme.__file__).with_name("nvme.pyi").read_text(encoding="utf-8")
    config = stub[stub.index("class _Config(") :].partition("\n\n")[0]
    rows = "".join(f"   * - {key}\n     - {kind}\n" for key, kind in OPTION.findall(config))
    text[0] = text[0].replace("@options@", f".. list-table::\n\n{rows}")


#: A type of words, and the text below it.
WORDS = re.compile(r"^(\w+) = Literal\[(.*?)\]\n\"\"\"(.*?)\"\"\"", re.M | re.S)


def list_words(app: object, name: str, text: list[str]) -> None:
    """Put the types of words where a page asks for them, from their source."""
    if "\n@words@\n" not in text[0]:
        return
    source = Path(libnvme.__file__).with_name("_words.py").read_text(encoding="utf-8")
    entries = ""
    for word, members, what in WORDS.findall(source):
        listed = ", ".join(f"``{member}``" for member in re.findall(r'"(.*?)"', members))
        entries += f".. py:data:: libnvme.mptcp.{word}\n\n   {what} One of {listed}.\n\n"
    text[0] = text[0].replace("@words@", entries)


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("source-read", list_options)  # type: ignore[attr-defined]
    app.connect("source-read", list_words)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", strip_signatures)  # type: ignore[attr-defined]
