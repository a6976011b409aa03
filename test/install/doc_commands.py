# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that documents print, as they are to be typed, and which test runs them.

A command stands in an indented or fenced block, after a prompt (host#, target#, both#, #) where
the block shows what it printed, or between backquotes. Words in capitals are the reader's.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
#: Where commands are looked for.
PATTERNS = (
    "*.md", "doc/*.md", "doc/*/*.md", "doc/python/*.rst", "test/*/README.md",
    "test/lab/*/README.md", "packaging/debian/*.README.Debian",
)  # fmt: skip
#: Programs by whose names a line without a prompt is known to be a command.
PROGRAMS = (
    "nvme nvme-mptcp ip make sysctl systemctl apt apt-get python3 pip promtool ansible-playbook "
    "dkms modprobe modinfo nft meson ninja git journalctl test/\\S+ tools/\\S+"
).split()
COMMAND = re.compile(rf"(?:sudo )?(?:{'|'.join(PROGRAMS)})(?= |$)")
PROMPT = re.compile(r" *(?:(host|target|both|debian-\d+)\s*)?# +")


@dataclass(frozen=True, order=True)
class DocCommand:
    """A command of a document."""

    document: str
    text: str
    inline: bool

    @property
    def words(self) -> list[str]:
        """Its words; what it is piped into, and where its output goes, are left out."""
        text = re.split(r" *(?:\|\|?|&&|>+|<<?)", self.text)[0]
        try:
            words = shlex.split(text, comments=True)
        except ValueError:  # a quotation that goes on in the next line
            words = text.split()
        return words[1:] if words[:1] == ["sudo"] else words


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
    if any(prompts):
        typed = [m.string[m.end() :] for m in prompts if m]
    else:
        typed = [line.lstrip() for line in lines]
    # a command, and what it is for, two spaces or more after it
    found = [re.split(r" {2,}", line)[0].rstrip() for line in typed if COMMAND.match(line)]
    return [command for command in found if " " in command or "/" in command]


def commands_of(path: Path) -> list[DocCommand]:
    """All commands of a document, in their order, each once."""
    name = str(path.relative_to(TOP))
    text = path.read_text(encoding="utf-8")
    fenced = [m[2].splitlines() for m in FENCED.finditer(text) if m[1] != "python"]
    text = FENCED.sub("", text)
    found = [
        DocCommand(name, c, False) for lines in [*blocks(text), *fenced] for c in in_block(lines)
    ]
    prose = re.sub(r"(?m)^(?: {4}|\t).*$", "", text)
    for quoted in re.findall(r"`+([^`]+)`+", prose):
        quoted = " ".join(quoted.split())
        if COMMAND.match(quoted) and not quoted.endswith(":"):
            found.append(DocCommand(name, quoted, True))
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Runner:
    """The test that runs the commands of a document: where, which ones, and what shows it."""

    document: str
    commands: str
    test: str
    shown_by: str

    def runs(self, command: DocCommand) -> bool:
        """Does it run this command?"""
        return (
            Path(command.document).match(self.document)
            and re.match(self.commands, command.text) is not None
        )


LAB = "test/lab/README.md"
GUEST = "test/lab/tests"
HOST = "test/lab/tests_host"
#: What runs what stands in blocks. The last column is an expression that its text has to match.
RUNNERS = (
    Runner("doc/tutorial.md", "", "test/machines/nvmemachines/steps.py", "tutorial"),
    Runner(
        "doc/troubleshooting.md", "", "test/lab/tests/test_mptcp_troubleshooting.py",
        r"commands\(written\) == commands\(document.text\(\)\)",
    ),
    Runner("doc/failover.md", "", "test/lab/tests/test_mptcp_failover.py", r"failover\.Story"),
    Runner("doc/mptcp-rules.md", "", "test/lab/tests/faults.py", "def obey"),
    Runner("README.md", "nvme ", "test/lab/tests/test_documents.py", r'"README\.md"'),
    Runner("README.md", "make ", "test/lab/tests_host/test_fresh.py", '"make demo", "make test"'),
    Runner(
        "doc/monitoring/README.md", "nvme ", "test/lab/tests/test_documents.py",
        r'"doc/monitoring/README\.md"',
    ),
    Runner(
        "doc/monitoring/README.md", "promtool test", "test/monitoring/test_alerts.py", '"rules"'
    ),
    Runner(
        "doc/monitoring/README.md", "ansible-playbook", "test/monitoring/test_ansible.py",
        '"ansible-playbook"',
    ),
    Runner("doc/python/testing.md", "test/lab/lab run", f"{HOST}/test_cli.py", '"run"'),
    Runner(LAB, "test/lab/lab sweep", f"{HOST}/test_sweep.py", '"sweep"'),
    Runner(LAB, "test/lab/lab chaos", f"{HOST}/test_chaos.py", '"chaos"'),
    Runner(LAB, "test/lab/lab run .*/failover", f"{GUEST}/test_mptcp_failover.py", "failover"),
    Runner(
        LAB, "test/lab/lab run .*/troubleshooting", f"{GUEST}/test_mptcp_troubleshooting.py",
        "import troubleshooting",
    ),
    Runner(LAB, "test/lab/lab run .*/unequal", f"{GUEST}/test_rules_load.py", "import unequal"),
    Runner(LAB, "test/lab/lab run (SCRIPT|--with)", f"{HOST}/test_cli.py", '"run"'),
    Runner(LAB, "test/lab/lab test", f"{HOST}/test_cli.py", '"test"'),
    Runner(LAB, "test/lab/lab demo", f"{HOST}/test_cli.py", '"demo"'),
    Runner(
        "packaging/debian/nvme-mptcp-dkms.README.Debian", "apt install -t", "test/deb/test_dkms.py",
        "trixie-backports linux-image-amd64 linux-headers-amd64",
    ),
    Runner(
        "packaging/debian/nvme-mptcp-dkms.README.Debian", "dkms|modinfo", "test/deb/test_dkms.py",
        "dkms status nvme-mptcp",
    ),
    Runner(
        "packaging/debian/nvme-mptcp.README.Debian",
        r"systemctl enable nvme-mptcp(-autoconnect|-target)?\.service", "doc/tutorial.md",
        "systemctl enable --now nvme-mptcp.service nvme-mptcp-autoconnect.service",
    ),
)  # fmt: skip

MEASURES = "it measures for a long time, and asserts nothing"
PACKAGES = "test/deb installs the same packages from files, and no archive has them yet"
#: What stands in blocks and is run by no test, by what it begins with, and why.
NOT_RUN = {
    "make -C ~/blktests": "tests of somebody else, in a checkout that the reader has",
    "make bench": MEASURES,
    "make thread": MEASURES,
    "test/lab/lab run --icount --timeout 3600 test/lab/benchmark.py": MEASURES,
    "test/lab/lab build": "every run of the lab begins with it",
    "test/lab/lab shell": "it needs a terminal; what comes before that is in test_cli.py",
    "test/machines/run": "it is the test, of an hour",
    "apt install": PACKAGES,
    "systemctl enable nvme-mptcp-connect-nbft.service": "it needs firmware with a boot table",
    "systemctl edit": "it starts an editor",
}
