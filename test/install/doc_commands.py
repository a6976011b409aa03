# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that documents print, as they are to be typed; doc_runs.py has which test runs them.

A command stands in an indented or fenced block, after a prompt (host#, target#, both#, #) where
the block shows what it printed, or between backquotes; in manual pages between asterisks. Words in
capitals are the reader's. What else stands between backquotes is known by its shape, so that no
command of a program that nobody thought of is passed over.
"""

import os
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
#: Where commands are looked for.
PATTERNS = (
    "*.md", "doc/*.md", "doc/*/*.md", "doc/python/*.rst", "doc/man/*.scd", "kernel/README.md",
    "test/*/README.md", "test/*/*/README.md", "packaging/debian/*.README.Debian",
)  # fmt: skip
#: Programs by whose names a line without a prompt is known to be a command.
PROGRAMS = (
    "nvme nvme-mptcp ip ss tc make sysctl systemctl apt apt-get python3 pip promtool "
    "ansible-playbook dkms modprobe rmmod modinfo nft meson ninja git journalctl man dpkg "
    "dpkg-query pkg-config mokutil ausearch checkpatch pytest fio mount umount mkfs mkdir cat dd "
    r"echo printf grep sed ln rm cp mv ssh scp curl wget ethtool bridge ping docker podman dnf yum "
    r"rpm rpmbuild udevadm insmod tcpdump \w+\.py test/\S+ tools/\S+ packaging/\S+ "
    r"/usr/\S+"
).split()
#: What is set for a command, and who runs it.
BEFORE = r"(?:sudo )?(?:[A-Z_]+=\S+ )*"
COMMAND = re.compile(rf"{BEFORE}(?:{'|'.join(PROGRAMS)})(?= |$)")
PROMPT = re.compile(r" *(?:(host|target|both|debian-\d+)\s*)?# +(?![A-Z]|/\S+: )")

#: What stands between backquotes with spaces in it, and is no command.
NO_COMMAND = re.compile(
    r"-\S.*"  # options alone
    r"|[A-Z][a-z]* .*|\w+: .*"  # sentences, and messages with what they are about
    r"|[\w.]+\(.*|.* == .*|[\w.]+\(\) <.*>|[\w.]+=\"[\d ]+\"|async for|struct \w+"  # code
    r"|sudo -n|\S+:\d+: .*|application/\S+; .*|dev LINK|WARNING … \w+"
    r"|(no|more than \d+) ns changed|already connected|connection refused"
    r"|uses only 1 of 4 links|fell back to plain TCP"
    r"|another process is connecting to it; waiting up to 10 s"
)
#: Commands of these are called without it in documents.
PLUGINS = ("mptcp", "zns")


@dataclass(frozen=True, order=True)
class DocCommand:
    document: str
    text: str
    inline: bool

    @property
    def words(self) -> list[str]:
        """Its words; what it is piped into, and where its output goes, are left out."""
        text = re.split(r" *(?:\|\|?|&&|>+|<<?)", re.sub(rf"^{BEFORE}", "", self.text))[0]
        try:
            return shlex.split(text, comments=True)
        except ValueError:  # a quotation that goes on in the next line
            return text.split()


def documents() -> list[Path]:
    """The documents with commands in them."""
    return sorted({path for pattern in PATTERNS for path in TOP.glob(pattern)})


def blocks(text: str) -> list[list[str]]:
    """The lines of each indented block, without their indentation."""
    found = re.findall(r"(?m)((?:^(?: {4}|\t)\S?.*\n?|^[ \t]*\n(?=(?: {4}|\t)))+)", text)
    return [[re.sub(r"^(?: {4}|\t)", "", line) for line in block.splitlines()] for block in found]


FENCED = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")


def in_block(lines: list[str]) -> list[str]:
    """The commands of a block: what follows prompts, or each line if there is no prompt."""
    prompts = [PROMPT.match(line) for line in lines]
    typed = [m.string[m.end() :] for m in prompts if m]
    if not typed:
        typed = [line for line in lines if COMMAND.match(line)]
    # a command, and what it is for, two spaces or more after it
    found = [re.split(r" {2,}", line)[0].rstrip() for line in typed]
    return [text for text in found if any(prompts) or re.search("[ /]", text)]


@cache
def pages() -> frozenset[str]:
    """The commands of nvme, by their manual pages: connect, zns-list."""
    return frozenset(p.stem.removeprefix("nvme-") for p in TOP.glob("doc/man/nvme-*.scd"))


def in_prose(quoted: str) -> str:
    """The command between backquotes in full, or nothing where it is a name or no command."""
    first, *rest = quoted.split()
    if not rest:
        path = TOP / first
        ours = re.fullmatch(r"(test|tools|packaging)/[^.]+", first) and path.is_file()
        return first if first == "make" or (ours and os.access(path, os.X_OK)) else ""
    if COMMAND.match(quoted):
        return "" if quoted.endswith(":") or re.match(r"[\w-]+: ", quoted) else quoted
    if first == "lab":
        return f"test/{quoted}".replace("lab", "lab/lab", 1)
    if {first, f"{first}-{rest[0]}"} & pages():
        return f"nvme {quoted}"
    return next((f"nvme {p} {quoted}" for p in PLUGINS if f"{p}-{first}" in pages()), "")


def quotations(path: Path) -> list[str]:
    """What stands between backquotes in sentences; in those of a page, between asterisks."""
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"(?m)^(?: {4}|\t).*$", "", FENCED.sub("", text))
    found = re.findall(r"`+([^`]+)`+", prose)
    if path.suffix == ".scd":
        parts = re.split(r"(?m)^# (.*)$", FENCED.sub("", text))
        told = zip(["DESCRIPTION", *parts[1::2]], parts[::2], strict=True)
        prose = "".join(part for name, part in told if name not in ("SYNOPSIS", "SEE ALSO"))
        found = [
            re.sub(r"\\(.)", r"\1", q)
            for q in re.findall(r"(?<![\w\\])\*(?=[\w-])([^*]+)\*(?!\w)", prose)
        ]
    return list(dict.fromkeys(" ".join(quoted.split()) for quoted in found if quoted.strip()))


def commands_of(path: Path) -> list[DocCommand]:
    """All commands of a document, in their order, each once."""
    name = str(path.relative_to(TOP))
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    shown = [m[2].splitlines() for m in FENCED.finditer(text) if m[1] != "python"]
    if path.suffix != ".scd":
        shown = [*blocks(FENCED.sub("", text)), *shown]
    found = [DocCommand(name, c, False) for lines in shown for c in in_block(lines)]
    found += [DocCommand(name, c, True) for q in quotations(path) if (c := in_prose(q))]
    return list(dict.fromkeys(found))


def unknown(path: Path) -> list[str]:
    """What sentences quote that may be a command of a program that nobody thought of."""
    return [
        quoted
        for quoted in quotations(path)
        if " " in quoted and not in_prose(quoted) and not NO_COMMAND.fullmatch(quoted)
    ]
