# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sphinx: the pages of the Python package, made from what is built. See python/meson.build."""

from __future__ import annotations

import re

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


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", strip_signatures)  # type: ignore[attr-defined]
