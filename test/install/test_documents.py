# SPDX-License-Identifier: GPL-2.0-or-later
"""What documents tell a reader to type exists, and what they name is there."""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import doc_commands
import pytest
from command_table import TOP, CommandTable
from doc_commands import DocCommand, commands_of, documents, in_prose, unknown
from doc_runs import NOT_RUN, RUNNERS, Runner, everything, reason, runner_of
from installed import captured

ALL = everything()
#: What ip(8) is called for.
IP = re.compile(
    r"(-br |-d )?(mptcp (endpoint (add|change|delete|show|flush)|limits (set|show)|monitor)"
    r"|link (set|show)|address( (add|change|delete|show))?|route( (add|change|delete|show|get))?"
    r"|rule (add|show)|neighbour( (flush|show))?|netns )"
)
#: Programs that are not this project's, and are not looked into.
OTHERS = {
    "apt", "apt-get", "ansible-playbook", "ausearch", "cat", "checkpatch", "cp", "dd", "df", "dkms",
    "dpkg", "echo", "findmnt", "fio", "git", "grep", "journalctl", "ln", "man", "mkdir",
    "mkfs.ext4", "modinfo", "modprobe", "mokutil", "mount", "nft", "pip", "pkg-config", "printf",
    "promtool", "pytest", "rm", "rmmod", "sed", "ss", "sudo", "sysctl", "umount", "uname",
}  # fmt: skip


@cache
def makefile() -> tuple[set[str], set[str]]:
    """Targets and variables of the Makefile; what it takes only from its command line, too."""
    text = (TOP / "Makefile").read_text()
    return (
        set(re.findall(r"^([a-z-]+):", text, re.M)),
        set(re.findall(r"^[A-Z_]+(?= \?=)|(?<=\$\(call given,)[A-Z_]+", text, re.M)),
    )


@cache
def help_of(program: str, *words: str) -> str:
    """What a program of the project says of itself, or of one of its commands."""
    path = TOP / program
    if not os.access(path, os.X_OK) or path.is_dir():
        return ""
    done = captured([path, *words, "--help"], cwd=TOP)
    return done.stdout + done.stderr


def units() -> set[str]:
    """The systemd units, under the names of both layouts."""
    names = {p.name.removesuffix(".in") for p in TOP.glob("nvme-cli/data/*.*.in")}
    names |= {p.name.removesuffix(".in") for p in TOP.glob("python/*.service.in")}
    return names | {re.sub("^nvmf-", "nvme-mptcp-", name) for name in names}


def nvme(words: list[str], table: CommandTable) -> list[str]:
    """What is wrong with a call of nvme, or of nvme-mptcp, whose commands are also the plugin's."""
    program, *rest = (word for word in words if word != "help")
    if not rest:
        return []
    if program == "nvme-mptcp" and f"mptcp-{rest[0]}" in table.commands:
        rest = ["mptcp", *rest]
    if rest[0] in table.plugins and len(rest) == 1:
        return []
    begun = [name for name in table.commands if name.startswith(rest[0])]
    if len(begun) == 1 and rest[0] not in table.plugins:  # it may be shortened
        rest[0] = begun[0]
    return table.complaints(["nvme", *rest])


def own_program(words: list[str]) -> list[str]:
    """What is wrong with a path of the tree, or with options of a program there."""
    program, *rest = words
    if not list(TOP.glob(program)):
        return [f"{program} is not there"]
    wrong = [f"{w} is not there" for w in rest if w.startswith("test/") and not (TOP / w).exists()]
    lab = program == "test/lab/lab"
    said = help_of(program, *rest[:1] if lab else ()) if rest else ""
    for word in rest:
        if word == "--":
            break
        option = word.partition("=")[0].strip("[]")
        if option.startswith("--") and option not in said and option != "--help":
            wrong.append(f"{program} has no option {option}")
    if lab and rest and not re.search(rf"\b{rest[0]}\b", help_of(program)):
        wrong.append(f"{program} has no command {rest[0]}")
    return wrong


def make(words: list[str]) -> list[str]:
    """What is wrong with a call of make, here."""
    targets, variables = makefile()
    if "-C" in words:
        return []
    return [
        f"make knows no {word}"
        for word in words[1:]
        if word not in targets and word.partition("=")[0] not in variables
    ]


def complaints(command: DocCommand, table: CommandTable) -> list[str]:
    """What is wrong with a command, as sentences."""
    words = command.words
    program = words[0]
    if program in ("nvme", "nvme-mptcp"):
        wrong = nvme(words, table)
        # a sentence may be about an option without its value
        return [text for text in wrong if not (command.inline and text.endswith("needs a value"))]
    if program == "make":
        return make(words)
    if program.startswith(("test/", "tools/")):
        return own_program(words)
    if program == "ip":
        rest = " ".join(words[1:])
        return [] if not rest or IP.match(rest) else [f"ip {rest}: not known to the test"]
    if program == "systemctl":
        named = [word for word in words[2:] if "nvm" in word]
        named = [word if "." in word else f"{word}.service" for word in named]
        return [f"there is no unit {name}" for name in named if name not in units()]
    if program == "python3":
        known = words[1:] == [] or words[1:3] in (
            ["-m", "libnvme.nvmet"],
            ["test/oracle", "--table"],  # run by test/oracle/test_others.py
            ["test/bench/compare", "--help"],
            ["test/bench/compare", "--host"],
            ["test/install/doc_runs.py"],
        )
        return [] if known else [f"{words}: not known to the test"]
    if program == "ninja":
        return [] if (TOP / "libnvme/meson.build").read_text().find(f"'{words[-1]}'") > 0 else words
    there = any((TOP / place / program).exists() for place in (".", "doc/examples"))
    there = there or program == "/usr/src/nvme-mptcp-*/prepare"
    return [] if program in OTHERS or there else [f"{program} is not known to the test"]


def test_commands_are_found() -> None:
    found = {(c.document, c.text) for c in ALL}
    assert ("README.md", "nvme-mptcp setup --role host --traddr 10.1.1.1 --relay --apply") in found
    assert ("README.md", "make deb RELEASE=12") in found
    assert ("doc/tutorial-module.md", "nvme-mptcp check --traddr 10.1.1.1") in found
    assert ("doc/mptcp-rules.md", "ip mptcp limits set subflows 8") in found
    assert len(found) > 250


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(TOP)))
def test_commands_exist(path: Path, table: CommandTable) -> None:
    wrong = {c.text: found for c in commands_of(path) if (found := complaints(c, table))}
    assert wrong == {}


def test_made_up_commands_are_noticed(table: CommandTable) -> None:
    for text in (
        "nvme mptcp chekc", "nvme connect --traddr 10.1.1.1 --no-such", "make everything",
        "nvme-mptcp check --peer", "test/nowhere.py", "test/lab/lab frobnicate", "ip mptcp limit",
        "tools/fresh --nope", "systemctl enable nvme-mptcp-nothing.service", "frob x",
    ):  # fmt: skip
        assert complaints(DocCommand("x.md", text, False), table), text


def lacking(commands: Iterable[DocCommand]) -> list[str]:
    """The commands that no test runs, and that have no reason for it."""
    return [
        f"{command.document}: {command.text}: run by no test (test/install/doc_runs.py)"
        for command in commands
        if not runner_of(command) and not reason(command)
    ]


def test_commands_are_run() -> None:
    """What a document has to be typed, in blocks and sentences, is run, or it says why not."""
    assert lacking(ALL) == []


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(TOP)))
def test_what_is_quoted_is_known(path: Path) -> None:
    """It is a command, or what is known to be none: a new program has to be told of."""
    assert unknown(path) == []


def test_a_command_that_nobody_runs_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sentence, a page and a block; of a program that is known, and of one that is not."""
    monkeypatch.setattr(doc_commands, "TOP", tmp_path)
    document = tmp_path / "doc/new.md"
    document.parent.mkdir()
    for text in ("apt-get update", "git bisect", "make frobnicate", "tc qdisc show", "dkms add x"):
        document.write_text(f"Type `{text}` first.\n\n    host# {text} again\n")
        assert len(lacking(commands_of(document))) == 2, text
        assert len(lacking(commands_of(document))) == len(commands_of(document))
        document.write_text(f"```\n{text} now\n```\n")
        assert lacking(commands_of(document)), text
    document.write_text("Type `frob --all`, or `frob eth0 up=1`, not `nvme chekc` or `--all`.\n")
    assert unknown(document) == ["frob --all", "frob eth0 up=1"]
    page = document.with_suffix(".scd")
    page.write_text("Type *frob -x* and *ip link*, but *before that* nothing.\n")
    assert unknown(page) == ["frob -x", "before that"]
    document.write_text("    host# frob x\n")
    assert len(lacking(commands_of(document))) == 1


def test_names_are_no_commands() -> None:
    for text in ("nvme", "test/unit", "tools/naming.py", "write", "connect: refused", "-o json"):
        assert not in_prose(text), text
    assert in_prose("connect -J FILE") == "nvme connect -J FILE"
    assert in_prose("show-subflows -o json") == "nvme mptcp show-subflows -o json"
    assert in_prose("lab sweep ipv6") == "test/lab/lab sweep ipv6"


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda r: f"{r.document} {r.commands}")
def test_runners_are_there(runner: Runner) -> None:
    """Each row is of use, and its test has what it stands for."""
    assert any(runner_of(command) is runner for command in ALL)
    assert re.search(runner.shown_by, (TOP / runner.test).read_text()), runner


def test_reasons_are_of_use() -> None:
    for start in NOT_RUN:
        assert any(c.text.startswith(start) and not runner_of(c) for c in ALL), start


def test_the_index_names_every_document() -> None:
    index = (TOP / "doc/index.md").read_text()
    led = {(TOP / "doc" / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", index)}
    wanted = {*TOP.glob("doc/*.md"), *TOP.glob("*.md"), TOP / "doc/monitoring/README.md"}
    wanted |= {TOP / "doc/man", TOP / "doc/schema", TOP / "doc/python/index.rst"}
    wanted |= {TOP / f"{folder}/README.md" for folder in ("kernel", "test/lab", "test/machines")}
    assert wanted - led == {TOP / "doc/index.md"}
    for reader in ("Administrator", "Script writer", "Packager", "Kernel developer", "Contributor"):
        assert f"\n## {reader}\n" in index


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(TOP)))
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"(?m)^(?: {4}|\t).*$", "", path.read_text())
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert "://" in target or (path.parent / target).exists(), target


def test_pages_of_the_guide_are_led_to() -> None:
    index = (TOP / "doc/python/index.rst").read_text()
    for page in (TOP / "doc/python").iterdir():
        assert page.stem == "index" or re.search(rf"^   {page.stem}$", index, re.M), page.name


def test_a_reboot_renews_connections() -> None:
    """What the tutorial shows after it is not what it showed before."""
    page = (TOP / "doc/tutorial-module.md").read_text(encoding="utf-8")
    before, after = page.split("\n## A reboot\n")
    tokens = [
        set(re.findall(r"^ +([0-9a-f]{8})  ", part, re.MULTILINE)) for part in (before, after)
    ]
    assert all(tokens) and not tokens[0] & tokens[1]
