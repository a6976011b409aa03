#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make one site of all documents: guide, reference of the Python package, manual pages.

The documents stay as they are read in the tree. What Sphinx gets is a copy of them, in which

- a link that leads to another document leads to its page, one that leads to another file of the
  tree to a copy of that file, and one to a directory is its name;
- each manual page is a page, made by mandoc from what the build made, its sections its chapters;
- connect()'s options are listed in a file, from the tables of the build and the manual pages;
- the contents are those of doc/index.md: its chapters, and the documents that each links first.
"""

from __future__ import annotations

import argparse
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]
#: A link or a picture in Markdown: text, target, anchor.
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
#: Documents outside doc/, and what they are called on the site.
ELSEWHERE = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "NEWS.md": "news.md",
    "SECURITY.md": "security.md",
    "test/lab/README.md": "lab.md",
    "kernel/README.md": "kernel.md",
    "test/machines/README.md": "machines.md",
}
#: Directories that have a page of their own.
DIRECTORIES = {
    "doc/man": "man/index.rst",
    "doc/schema": "schema/index.rst",
    "doc/examples": "python/examples.rst",
}
#: Rules of the theme for those who choose the dark scheme, and for those whose browser asks for it.
DARK = re.compile(r'^\s*(?:html )?body\[data-theme="dark"\](?: \.only-\w+)? *\{[^}]*\}', re.M)
ASKED = re.compile(r'body(?:\[data-theme="auto"\]|:not\(\[data-theme="light"\]\)) *\{')
#: What the first page has from the README: what it is, how to install it, the first commands.
LANDING = ("# ", "## Install\n", "## Quick start\n")
#: Units, as the table of options calls them.
UNITS = {"SEC": "seconds"}
#: The groups of manual pages, by the beginning of their names; the longest that fits counts.
GROUPS = {
    "nvme-mptcp": "NVMe over MPTCP",
    "nvme": "Commands",
    "nvme-nbft": "Boot tables",
    "nvme-zns": "Zoned namespaces",
    "nvme-fdp": "Flexible data placement",
}


class SiteError(Exception):
    """A document that leads nowhere, or a program that failed."""


def documents() -> dict[Path, Path]:
    """Where each document of the tree goes: paths in the tree, and on the site."""
    found = {TOP / name: Path(page) for name, page in ELSEWHERE.items()}
    for pattern in ("*.md", "*/*.md", "python/*.rst"):
        for path in (TOP / "doc").glob(pattern):
            name = path.relative_to(TOP / "doc")
            found[path] = name.with_name("index.md") if name.name == "README.md" else name
    return found


def relative(target: Path, page: Path) -> str:
    """The way from a page to a file, both on the site."""
    return Path(os.path.relpath(target, page.parent)).as_posix()


def notes() -> dict[str, str]:
    """What the manual pages add to single options, as reStructuredText."""
    path = Path(__file__).with_name("gen-man.py")
    spec = importlib.util.spec_from_file_location("gen_man", path)
    assert spec and spec.loader
    sys.path.insert(0, str(path.parent))
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules["gen_man"] = module  # where its dataclasses look for their names
    spec.loader.exec_module(module)
    source = TOP / "doc/man/options-fabrics.scd"
    found = module.read_notes(module.read_sections(source)[1]["OPTIONS"], source)
    return {
        name: re.sub(
            r"(?<!\w)([*_])([^*_\s]+)\1((?:\(1\))?)(?!\w)", r"``\2\3``", " ".join(text.split())
        )
        for name, text in found.items()
    }


def connect_options(build: Path) -> str:
    """The options of connect() with type, unit, default and meaning, one below another."""
    options = json.loads((build / "libnvme/options.json").read_text(encoding="utf-8"))["options"]
    table = json.loads((build / "nvme-cli/commands.json").read_text(encoding="utf-8"))
    commands = [command for group in table["groups"] for command in group["commands"]]
    connect = next(command for command in commands if command["name"] == "connect")
    defaults = {option["name"]: option["default"] for option in connect["options"]}
    more = notes()
    types = {"text": "str", "key": "int", "number": "int", "flag": "bool"}
    text = ""
    for option in options:
        if not option["python"]:
            continue
        default = defaults[option["argument"]]
        if option["type"] == "flag":
            shown = "False"
        elif option["type"] == "number":
            shown = str(default) if default > option["unset"] else "the kernel's"
        else:
            shown = "none"
        if option["type"] == "key":
            meaning = f"serial number of the {option['help'].partition(',')[0]}."
        else:
            meaning = f"{option['help']}. {more.get(option['argument'], '')}".strip()
        unit = f", in {UNITS[option['meta']]}" if option["meta"] in UNITS else ""
        text += f"``{option['name']}`` : {types[option['type']]}{unit}; default: {shown}\n"
        text += f"   {meaning[0].upper()}{meaning[1:]}\n\n"
    return text


def functions_first(text: str) -> str:
    """A page of the reference with its functions before its classes, which take pages to read."""
    parts = re.split(r"(?m)^(?=[A-Z].*\n-{4,}$)", text)
    titles = [part.partition("\n")[0] for part in parts]
    if {"Classes", "Functions"} <= set(titles):
        classes, functions = titles.index("Classes"), titles.index("Functions")
        if classes < functions:
            parts.insert(classes, parts.pop(functions))
    return "".join(parts)


class Stage:
    """The copy that Sphinx works on."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.pages = documents()
        self.written: set[Path] = set()

    def write(self, name: Path, text: str) -> None:
        """Put a text on the stage; one that is there already as it is keeps its time."""
        path = self.top / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    def copied(self, source: Path) -> Path:
        """Where a file of the tree that is no document is on the stage."""
        name = Path("files") / source.relative_to(TOP)
        self.write(name, source.read_text(encoding="utf-8"))
        return name

    def link(self, source: Path, page: Path, match: re.Match[str]) -> str:
        """A link as it has to be on the site."""
        picture, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target or ":" in target:
            return match[0]
        path = Path(os.path.normpath(source.parent / target))
        if path in self.pages:
            return f"[{text}]({relative(self.pages[path], page)}{anchor})"
        if path.is_dir() and str(path.relative_to(TOP)) in DIRECTORIES:
            directory = Path(DIRECTORIES[str(path.relative_to(TOP))])
            return f"[{text}]({relative(directory, page)})"
        if path.is_dir():
            return text if text.startswith("`") else f"`{path.relative_to(TOP)}`"
        if not path.is_file():
            raise SiteError(f"{source}: the link to {target} leads nowhere")
        copy = relative(self.copied(path), page)
        return f"![{text}]({copy})" if picture else f"{{download}}`{text} <{copy}>`"

    def markdown(self, source: Path, page: Path) -> str:
        """A document in Markdown with links of the site; what is indented is as it was."""
        text = source.read_text(encoding="utf-8")
        parts = re.split(r"(?m)((?:^ {4}.*\n)+)", text)
        return "".join(
            part
            if part.startswith("    ")
            else LINK.sub(lambda m: self.link(source, page, m), part)
            for part in parts
        )

    def contents(self, index: str) -> str:
        """The contents of the site, which no page shows: chapters of the index and their pages."""
        chapters = []
        listed: set[str] = {"index.md"}
        for chapter in re.split(r"(?m)^## ", index)[1:]:
            title = chapter.partition("\n")[0]
            names = [m[3] for m in LINK.finditer(chapter) if re.search(r"\.(md|rst)$", m[3])]
            fresh = [name for name in dict.fromkeys(names) if name not in listed]
            listed.update(fresh)
            if fresh:
                rows = "\n".join(re.sub(r"\.\w+$", "", name) for name in fresh)
                chapters.append(f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{rows}\n```\n")
        return "\n".join(chapters)

    def landing(self, page: Path, index: str) -> str:
        """The first page: parts of the README, and the documents by reader below them."""
        parts = re.split(r"(?m)^(?=##? )", self.markdown(TOP / "README.md", page))
        shown = "".join(part for part in parts if part.startswith(LANDING))
        return shown + re.sub(r"(?m)^(##?) ", r"#\1 ", index)

    def fill(self, options: str) -> None:
        """Put every document on the stage, and what they include."""
        for source, page in self.pages.items():
            if page == Path("index.md"):
                text = self.markdown(source, page)
                self.write(page, self.landing(page, text) + "\n" + self.contents(text))
            elif page.suffix == ".md":
                self.write(page, self.markdown(source, page))
            else:
                text = source.read_text(encoding="utf-8")
                self.write(page, f".. highlight:: python\n\n{functions_first(text)}")
        self.write(Path("connect-options.txt"), options)
        for source in sorted((TOP / "doc/examples").iterdir()):
            if source.is_file():
                self.write(Path("examples") / source.name, source.read_text(encoding="utf-8"))

    def tidy(self) -> None:
        """Remove what an earlier run put there and this one did not."""
        for path in self.top.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()


def group_of(name: str) -> str:
    """The group of a manual page."""
    fitting = [start for start in GROUPS if name == start or name.startswith(f"{start}-")]
    return GROUPS[max(fitting, key=len)]


def words(text: str) -> str:
    """The words of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Titles and contents of the sections that mandoc made."""
    for part in re.findall(
        r'<section class="Sh">\n(.*?)(?=<section class="Sh">|</div>\n<table|\Z)', text, re.S
    ):
        title, _, content = part.partition("</h1>\n")
        content = re.sub(r"</section>\s*\Z", "", content)
        yield words(title).capitalize(), content


def manual_page(path: Path, known: set[str], mandoc: str) -> tuple[str, str]:
    """One page as reStructuredText, and what its command does."""
    done = subprocess.run(
        [mandoc, "-T", "html", "-O", "fragment", str(path)],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode > 1 or not done.stdout:  # 1: remarks about style
        raise SiteError(f"{path}: mandoc: {done.stderr.strip() or done.returncode}")

    def refer(match: re.Match[str]) -> str:
        name = match[1]
        shown = f"<b>{name}</b>(1)"
        return f'<a href="{name}.html">{shown}</a>' if name in known else shown

    name = path.stem
    title = f"{name}(1)"
    parts = [f"{title}\n{'=' * len(title)}\n"]
    summary = ""
    for heading, content in sections(done.stdout):
        if heading == "Name":
            summary = words(content).partition(" - ")[2]
        content = re.sub(r"<b>([\w.-]+)</b>\(1\)", refer, content)
        content = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", content)
        body = "".join(f"   {line}\n" for line in content.splitlines())
        parts.append(f"{heading}\n{'-' * len(heading)}\n\n.. raw:: html\n\n{body}")
    if not summary:
        raise SiteError(f"{path}: has no section NAME that says what it does")
    return "\n".join(parts), summary


def manual(stage: Stage, pages: Path, mandoc: str) -> None:
    """Put the manual pages on the stage, and a list of them."""
    paths = sorted(pages.glob("*.1"))
    if not paths:
        raise SiteError(f"{pages}: there are no manual pages; build them first (ninja -C BUILD)")
    known = {path.stem for path in paths}
    groups: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS.values()}
    for path in paths:
        text, summary = manual_page(path, known, mandoc)
        stage.write(Path("man") / f"{path.stem}.rst", text)
        groups[group_of(path.stem)].append((path.stem, summary))
    text = (
        "Manual pages\n============\n\n``man PAGE`` shows them where the commands are installed.\n"
    )
    for title, rows in groups.items():
        text += f"\n{title}\n{'-' * len(title)}\n\n"
        text += "".join(f":doc:`{name}(1) <{name}>`\n   {summary}\n\n" for name, summary in rows)
    names = "".join(f"   {path.stem}\n" for path in paths)
    stage.write(Path("man/index.rst"), f"{text}\n.. toctree::\n   :hidden:\n\n{names}")


def schemas(stage: Stage, build: Path) -> None:
    """Put a list of the JSON schemas on the stage, each to be had."""
    text = "JSON schemas\n============\n\nWhat ``-o json`` prints, and what commands read.\n\n"
    paths = [*(build / "doc/schema").glob("*.json"), build / "libnvme/config.schema.json"]
    for path in sorted(paths, key=lambda path: path.name):
        source = path.read_text(encoding="utf-8")
        schema = json.loads(source)
        says = schema.get("description") or schema.get("title") or ""
        stage.write(Path("schema") / path.name, source)
        text += f":download:`{path.name}`\n   {' '.join(says.split()) or path.stem}\n\n"
    stage.write(Path("schema/index.rst"), text)


def complete(site: Path, shared: Path = Path("/usr/share/javascript")) -> None:
    """Make the theme work from a directory: Debian's has a script that imports another, which no
    browser loads from a file (in Debian 12 it is not even a module), a style that asks a web server
    for a file of another package, and colours of the dark scheme for those alone who choose it on
    the page."""
    static = site / "_static"
    script = static / "scripts/furo.js"
    text = script.read_text(encoding="utf-8") if script.exists() else ""
    if found := re.match(r'import (?:\* as )?\w+ from "\./([\w.-]+)";\n', text):
        imported = script.with_name(found[1]).read_text(encoding="utf-8")
        script.write_text(imported + text[found.end() :], encoding="utf-8")
        for page in site.rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            whole = text.replace('<script type="module" src=', "<script src=")
            if whole != text:
                page.write_text(whole, encoding="utf-8")
    for style in static.glob("styles/*.css"):
        text = style.read_text(encoding="utf-8")
        for name in set(re.findall(r"\(/javascript/([\w./-]+\.css)\)", text)):
            copy = style.with_name(Path(name).name)
            copy.write_bytes((shared / name).read_bytes())
            text = text.replace(f"(/javascript/{name})", f"({copy.name})")
        dark = DARK.findall(text)
        if dark and not ASKED.search(text):
            rules = "\n".join(dark).replace('="dark"', '="auto"')
            text += f"@media not print {{ @media (prefers-color-scheme: dark) {{\n{rules}\n}} }}\n"
        style.write_text(text, encoding="utf-8")


def missing(mandoc: str) -> list[str]:
    """Debian's packages of what is needed and not there."""
    modules = {"sphinx": "python3-sphinx", "furo": "furo", "myst_parser": "python3-myst-parser"}
    lacking = [package for name, package in modules.items() if not importlib.util.find_spec(name)]
    return lacking + ([] if shutil.which(mandoc) else ["mandoc"])


def main() -> int:
    """Copy, convert, and call Sphinx."""
    parser = argparse.ArgumentParser(description="Make the site of all documents.")
    parser.add_argument("--build", type=Path, required=True, help="directory of the build")
    parser.add_argument("--output", type=Path, required=True, help="directory for the site")
    parser.add_argument("--builder", default="html", help="of Sphinx")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    parser.add_argument("--mandoc", default="mandoc", help="the program that renders manual pages")
    args = parser.parse_args()
    lacking = missing(args.mandoc)
    if lacking:
        print(
            f"gen-site: not installed: {', '.join(lacking)} (tools/setup doc installs it)",
            file=sys.stderr,
        )
        return 1
    stage = Stage(Path(f"{args.output}.sources"))
    try:
        stage.fill(connect_options(args.build))
        manual(stage, args.build / "doc/man", args.mandoc)
        schemas(stage, args.build)
        stage.tidy()
    except (SiteError, OSError) as error:
        print(f"gen-site: {error}", file=sys.stderr)
        return 1
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        args.builder,
        "-c",
        str(TOP / "doc/site"),
    ]
    command += ["-W", "--keep-going"] if args.strict else []
    command += ["-d", f"{args.output}.doctrees", str(stage.top), str(args.output)]
    path = os.pathsep.join(
        [str(args.build / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    status = subprocess.run(command, env=environment, check=False).returncode
    try:
        complete(args.output)
    except OSError as error:
        print(f"gen-site: {error}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
