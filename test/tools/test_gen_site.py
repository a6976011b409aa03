# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/gen-site.py: what becomes of links, of contents, and of a manual page."""

import importlib
import re
import shutil
from pathlib import Path

import pytest
from conftest import TOP

site = importlib.import_module("gen-site")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[rules](mptcp-rules.md)", "[rules](mptcp-rules.md)"),
        ("[one](mptcp-rules.md#h-endpoints)", "[one](mptcp-rules.md#h-endpoints)"),
        ("[lab](../test/lab/README.md)", "[lab](lab.md)"),
        ("[m](monitoring/README.md)", "[m](monitoring/index.md)"),
        ("[pages](man/)", "[pages](man/index.rst)"),
        ("[role](monitoring/ansible)", "`doc/monitoring/ansible`"),
        ("[a](monitoring/alerts.yml)", "{download}`a <files/doc/monitoring/alerts.yml>`"),
        ("![x](images/links.svg)", "![x](files/doc/images/links.svg)"),
        ("[here](#below)", "[here](#below)"),
        ("[w](https://www.mptcp.dev/)", "[w](https://www.mptcp.dev/)"),
    ],
)
def test_links(written: str, shown: str, tmp_path: Path) -> None:
    """They lead to pages, to copies of files, or say where something is."""
    stage = site.Stage(tmp_path)
    match = site.LINK.fullmatch(written)
    assert stage.link(TOP / "doc/tutorial.md", Path("tutorial.md"), match) == shown
    copy = re.search(r"files/[\w/.-]+", shown)
    assert not copy or (tmp_path / copy[0]).is_file()


def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    match = site.LINK.fullmatch("[x](nothing.md)")
    with pytest.raises(
        site.SiteError, match=r"tutorial\.md: the link to nothing\.md leads nowhere"
    ):
        site.Stage(tmp_path).link(TOP / "doc/tutorial.md", Path("tutorial.md"), match)


def test_contents_have_each_page_once(tmp_path: Path) -> None:
    index = "# T\n\n## A\n\n- [x](x.md): one\n- [y](p/y.rst)\n\n## B\n\n- [x](x.md)\n- [z](z.md)\n"
    found = site.Stage(tmp_path).contents(index)
    assert re.findall(r":caption: (.*)\n\n((?:.+\n)+?)```", found) == [
        ("A", "x\np/y\n"),
        ("B", "z\n"),
    ]


def test_functions_come_first() -> None:
    titles = ("Errors", "Classes", "Functions", "Ends")
    page = "T\n=\n\n" + "".join(f"{t}\n{'-' * len(t)}\n\ntext\n\n" for t in titles)
    found = re.findall(r"(?m)^(\w+)\n-{3,}$", site.functions_first(page))
    assert found == ["Errors", "Functions", "Classes", "Ends"]
    assert sorted(site.functions_first(page)) == sorted(page)
    moved = site.functions_first(page)
    assert site.functions_first(moved) == moved
    reference = (TOP / "doc/python/nvme.rst").read_text()
    text = site.functions_first(reference)
    assert text.index("\nFunctions\n---") < text.index("\nClasses\n---")
    assert sorted(text) == sorted(reference)


@pytest.mark.skipif(not shutil.which("mandoc"), reason="skipped: mandoc is missing")
def test_a_manual_page(tmp_path: Path) -> None:
    page = tmp_path / "nvme-x.1"
    page.write_text(
        '.TH "nvme-x" "1"\n.SH NAME\n.P\nnvme-x - do\nthis\n.SH EXIT STATUS\n.P\n0 <b>\n'
        ".SH SEE ALSO\n.P\n\\fBnvme-y\\fR(1), \\fBnvme-none\\fR(1)\n"
    )
    text, summary = site.manual_page(page, {"nvme-x", "nvme-y"}, "mandoc")
    assert summary == "do this"
    assert re.findall(r"^(\w.*)\n-+$", text, re.M) == ["Name", "Exit status", "See also"]
    assert '<a href="nvme-y.html"><b>nvme-y</b>(1)</a>' in text
    assert "<b>nvme-none</b>(1)" in text and "&lt;b&gt;" in text


@pytest.mark.parametrize(
    ("name", "group"),
    [("nvme", "Commands"), ("nvme-connect", "Commands"), ("nvme-zns-list", "Zoned namespaces"),
     ("nvme-mptcp", "NVMe over MPTCP"), ("nvme-mptcp-check", "NVMe over MPTCP")],
)  # fmt: skip
def test_groups(name: str, group: str) -> None:
    assert site.group_of(name) == group


@pytest.mark.parametrize(
    ("imports", "script"),
    [('import A from "./a.js";', "<script src="),
     ('import * as A from "./a.js";', '<script type="module" src=')],
    ids=["Debian 12", "Debian 13"],
)  # fmt: skip
def test_the_theme_needs_no_web_server(tmp_path: Path, imports: str, script: str) -> None:
    static = tmp_path / "_static"
    for name, text in {
        "man/page.html": f'{script}"../_static/scripts/furo.js">',
        "_static/scripts/furo.js": f"{imports}\nA();\n",
        "_static/scripts/a.js": "A = print;\n", "shared/n/n.css": "html{}",
        "_static/styles/furo.css": "@import url(/javascript/n/n.css);a{}",
        "_static/styles/dark.css": '@media not print {\n body[data-theme="dark"] { --a: b }}\n'
        '@media (prefers-color-scheme: dark) {\n body[data-theme="auto"] .icon { --a: b }}\n',
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for _ in range(2):
        site.complete(tmp_path, tmp_path / "shared")
        page = (tmp_path / "man/page.html").read_text()
        assert page == '<script src="../_static/scripts/furo.js">'
        assert (static / "scripts/furo.js").read_text() == "A = print;\nA();\n"
        assert (static / "styles/furo.css").read_text() == "@import url(n.css);a{}"
        assert (static / "styles/n.css").read_text() == "html{}"
        dark = (static / "styles/dark.css").read_text()
        assert dark.count('body[data-theme="auto"] {') == 1
