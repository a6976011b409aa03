# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sphinx: all documents as one site, and the Python package from what is built; tools/gen-site.py
calls it."""

from __future__ import annotations

import re
from pathlib import Path

import libnvme

project = "nvme-mptcp"
release = libnvme.__version__
copyright = "the authors of nvme-mptcp"
root_doc = "index"
extensions = ["sphinx.ext.autodoc", "myst_parser"]
myst_enable_extensions = ["deflist"]
exclude_patterns = ["files", "examples"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# What is indented in documents is what a terminal shows; pages about Python say so.
highlight_language = "none"
myst_heading_anchors = 3
html_theme = "furo"
html_title = "NVMe over MPTCP"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "default"
pygments_dark_style = "github-dark"
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


#: A type of words, and the text below it.
WORDS = re.compile(r"^(\w+) = Literal\[(.*?)\](?:  # fmt: skip)?\n\"\"\"(.*?)\"\"\"", re.M | re.S)


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


def list_options(app: object, name: str, text: list[str]) -> None:
    """Put the options of connect(), which tools/gen-site.py listed, where a page asks for them."""
    if "\n@options@\n" not in text[0]:
        return
    options = Path(app.srcdir) / "connect-options.txt"  # type: ignore[attr-defined]
    app.env.note_dependency(str(options))  # type: ignore[attr-defined]
    text[0] = text[0].replace("@options@\n", options.read_text(encoding="utf-8"))


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("source-read", list_words)  # type: ignore[attr-defined]
    app.connect("source-read", list_options)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", strip_signatures)  # type: ignore[attr-defined]
