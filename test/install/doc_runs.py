# SPDX-License-Identifier: GPL-2.0-or-later
"""Which test runs which command of the documents, in blocks and in sentences alike.

The first row that fits a command counts. Tests that take their commands from here (commands_for)
type whatever a document has, so that a new one is run, or fails. Called as a program this prints
the inventory: each command, where it stands, and what runs it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache

from doc_commands import DocCommand, commands_of, documents


@dataclass(frozen=True)
class Runner:
    """The test that runs the commands of a document: where, which ones, and what shows it."""

    document: str
    commands: str
    test: str
    shown_by: str
    #: True: in sentences alone; False: in blocks alone.
    inline: bool | None = None

    def runs(self, command: DocCommand) -> bool:
        return (
            self.inline in (None, command.inline)
            and fnmatch(command.document, self.document)
            and re.match(self.commands, command.text) is not None
        )


BLOCKS, PROSE = False, True
#: A test that types what commands_for() gives it.
ALL = "commands_for"

LAB = "test/lab/README.md"
GUEST = "test/lab/tests"
HOST = "test/lab/tests_host"
STAGES = "test/run"
TYPED = "test/install/test_typed.py"
SYSTEMD = "test/install/test_typed_systemd.py"
LONG = "test/deb/test_typed.py"
DKMS = "test/deb/test_dkms.py"
MAKE = "test/tools/test_install.py"
MODULES = "test/lab/tests/test_documents.py"
MACHINES = "test/machines/nvmemachines/steps.py"
#: What runs what. The last column is an expression that the test's text has to match.
RUNNERS = (
    # what stands in sentences, wherever that is
    Runner("*", r"nvme(-mptcp)? \S", "test/cli/test_doc_sentences.py", ALL, PROSE),
    Runner("*", r"(ip|ss|sysctl|nft) ", "test/cli/test_doc_network.py", ALL, PROSE),
    Runner("*", r"systemctl |journalctl ", SYSTEMD, ALL, PROSE),
    Runner("*", r"(modprobe|rmmod) ", MODULES, ALL, PROSE),
    Runner("*", r"(ausearch|mokutil) ", MODULES, ALL),
    Runner("*", r"man |ninja |test/house|UPDATE_GOLDEN=1 pytest ", TYPED, ALL, PROSE),
    Runner("*", r"(python3 test/bench/compare|test/bench/run) --help", TYPED, ALL),
    Runner("*", "python3 test/install/doc_runs.py", TYPED, ALL),
    Runner("*", r"make (compare|debug-kernel|machines)|test/machines/run", TYPED, ALL),
    Runner("*", "make bench$", MAKE, r'make\(project, "bench"'),
    Runner("*", "test/bench/run$", "test/oracle/test_others.py", '"test/bench/run", "--build"'),
    Runner("*", r"make doc$|packaging/rpm/build", LONG, ALL),
    Runner("*", r"make( install( BESIDE=1)?)?$", MAKE, r'"install", "BESIDE=1"'),
    Runner("*", "make install ALONE=1$", MAKE, r'"install", "ALONE=1"'),
    Runner("*", "make uninstall", MAKE, r'make\(project, "uninstall"\)'),
    Runner("*", "make deb( RELEASE=1[23])?$", STAGES, "make deb && make deb RELEASE=13"),
    Runner("*", "tools/deb --twice", "test/run", "tools/deb --twice 12"),
    Runner("*", "pip install [.]", "test/install/test_wheel.py", r'"install", .*"\."'),
    Runner("*", "python3 test/oracle --table", "test/oracle/test_others.py", '"--table", "flush"'),
    Runner("*", "BUILD=build test/bench/commands", "test/oracle/test_others.py", "test/bench/comm"),
    Runner(
        "*", "python3 -m libnvme.nvmet (save|clear)$", "doc/tutorial-module.md",
        "libnvme.nvmet save", PROSE,
    ),
    Runner("*", "python3 -m libnvme.nvmet restore$", "test/lab/tests/test_nvmet.py", '"restore"'),
    Runner("*", "pkg-config (lib)?nvme-", "test/install/test_beside.py", "pkg-config.*--cflags"),
    Runner("*", "dpkg --verify", "test/deb/machine.py", "dpkg --verify"),
    Runner("*", "dkms (autoinstall|status nvme-mptcp)$", DKMS, r"run\(\"dkms (autoinstall|status)"),
    Runner("*", "tools/setup", "test/tools/test_setup.py", "tools/setup"),
    Runner("*", "tools/fresh$", STAGES, "tools/fresh --here other"),
    Runner("*", "test/lint$", STAGES, "stage_lint.*test/lint"),
    Runner("*", "test/run (unit cli|deb)", STAGES, '"test/run .*abi'),
    # what stands in blocks
    Runner("doc/man/*.scd", "journalctl|systemctl", SYSTEMD, ALL, BLOCKS),
    Runner("doc/man/*.scd", "", "test/cli/test_man_examples.py", "def examples", BLOCKS),
    Runner("doc/tutorial-module.md", "", MACHINES, "tutorial", BLOCKS),
    Runner("doc/tutorial.md", "nvme(-mptcp)? ", MODULES, r'"doc/tutorial\.md"', BLOCKS),
    Runner("doc/tutorial.md", "", MACHINES, "tutorial", BLOCKS),
    Runner(
        "doc/upgrading.md", "systemctl", "test/cli/test_mptcp_relay_reload.py", "reload", BLOCKS
    ),
    Runner(
        "doc/troubleshooting.md", "", "test/lab/tests/test_mptcp_troubleshooting.py",
        r"commands\(written\) == commands\(document.text\(\)\)",
    ),
    Runner(
        "doc/relay.md", "nvme mptcp setup", "test/cli/test_mptcp_setup_relay.py",
        '"mptcp", "setup"', BLOCKS,
    ),
    Runner("doc/relay.md", "", "test/lab/guest/lab/relay.py", r'"mptcp", "relay"', BLOCKS),
    Runner(
        "doc/distribution.md", "nvme-mptcp ", "test/oracle/test_alone.py", r"doc/distribution\.md",
        BLOCKS,
    ),
    Runner("doc/failover.md", "", "test/lab/tests/test_mptcp_failover.py", r"failover\.Story"),
    Runner(
        "doc/mptcp-rules.md", r"(ip|ss|sysctl|nft) ", "test/cli/test_doc_network.py", ALL, BLOCKS
    ),
    Runner("doc/mptcp-rules.md", "(?!ausearch)", "test/lab/tests/faults.py", "def obey", BLOCKS),
    Runner("README.md", "nvme(-mptcp)? ", MODULES, r'"README\.md"', BLOCKS),
    Runner("*", "make (demo$|test ?$)", "test/tools/test_fresh.py", '"make demo", "make test"'),
    Runner("doc/monitoring/README.md", "nvme ", MODULES, r'"doc/monitoring/README\.md"', BLOCKS),
    Runner(
        "doc/monitoring/README.md", "promtool test", "test/monitoring/test_alerts.py", '"rules"'
    ),
    Runner(
        "doc/monitoring/README.md", "ansible-playbook", "test/monitoring/test_ansible.py",
        '"ansible-playbook"',
    ),
    Runner("doc/python/examples.rst", r"\w+\.py", f"{GUEST}/test_examples.py", "watch_subfl"),
    Runner("doc/python/testing.md", "test/lab/lab run", f"{HOST}/test_cli.py", '"run"'),
    Runner("kernel/README.md", "cat .*queue_addrs", f"{GUEST}/test_module.py", "addrs"),
    # the lab's own commands
    Runner("*", "test/lab/lab build", STAGES, "test/lab/lab build"),
    Runner("*", "test/lab/lab sweep", f"{HOST}/test_cli.py", '"sweep"'),
    Runner("*", "test/lab/lab chaos", f"{HOST}/test_cli.py", '"chaos"'),
    Runner("*", "test/lab/lab matrix", f"{HOST}/test_matrix.py", '"matrix", "--load"'),
    Runner(LAB, "test/lab/lab run .*/failover", f"{GUEST}/test_mptcp_failover.py", "failover"),
    Runner(
        LAB, "test/lab/lab run .*/troubleshooting", f"{GUEST}/test_mptcp_troubleshooting.py",
        "import troubleshooting",
    ),
    Runner("*", "test/lab/lab run .*/unequal", f"{GUEST}/test_rules_load.py", "import unequal"),
    Runner(LAB, "test/lab/lab run (SCRIPT|--with|--pci|--kern)", f"{HOST}/test_cli.py", '"run"'),
    Runner(LAB, "test/lab/lab test", f"{HOST}/test_cli.py", '"test"'),
    Runner(LAB, "test/lab/lab demo", f"{HOST}/test_cli.py", '"demo"'),
    Runner(
        "test/bench/compare/README.md", "python3 test/bench/compare --host",
        f"{HOST}/test_compare_machines.py", "--host",
    ),
    # packages
    Runner("*", "make dist$|tools/dist", "test/deb/test_dist.py", '"tools/dist", "--built"'),
    Runner("doc/packages.md", "(echo|apt update) ", "test/deb/test_dist.py", "apt u"),
    Runner("packaging/debian/*", "apt install -t", DKMS, "trixie-backports linux-image"),
    Runner("packaging/debian/*", "modinfo", DKMS, "modinfo -k .* -F"),
    Runner("packaging/debian/*", r"/usr/src/nvme-mptcp-\*/prepare explain", DKMS, "explain"),
    Runner("packaging/debian/*", "systemctl", SYSTEMD, ALL, BLOCKS),
    Runner("packaging/debian/*", "mkdir -p /etc/nvmet", "doc/tutorial-module.md", "mkdir -p /etc/"),
)  # fmt: skip

PACKAGES = "test/deb installs the same packages from files, and no archive has them yet"
TESTS = "it runs the tests, this one among them"
TERMINAL = "it needs a terminal; what comes before that is in test_cli.py"
THEIRS = "tests of somebody else, in a checkout that the reader has"
#: What is run by no test, by what it begins with, and why.
NOT_RUN = {
    "make test": TESTS,
    "tools/fresh 1": TESTS,
    "test/lab/lab shell": TERMINAL,
    "make -C ~/blktests": THEIRS,
    "printf '%s\\n' 'ln -s true": THEIRS,
    "checkpatch": "it is a script of the kernel's source, which no package brings",
    "apt install": PACKAGES,
    "git tag": "a tag is the release",
}


@cache
def everything() -> tuple[DocCommand, ...]:
    """All commands of all documents."""
    return tuple(command for path in documents() for command in commands_of(path))


def runner_of(command: DocCommand) -> Runner | None:
    return next((runner for runner in RUNNERS if runner.runs(command)), None)


def commands_for(test: str) -> list[DocCommand]:
    """The commands that a test has to type, as they stand in documents."""
    return [c for c in everything() if (runner := runner_of(c)) and runner.test == test]


def reason(command: DocCommand) -> str:
    """Why no test runs it, or nothing."""
    return next((why for start, why in NOT_RUN.items() if command.text.startswith(start)), "")


def main() -> None:
    """Prints the inventory."""
    counts: Counter[tuple[str, str]] = Counter()
    for command in everything():
        runner = runner_of(command)
        by = runner.test if runner else reason(command)
        place = "sentence" if command.inline else "block"
        counts[place, "run" if runner else "not run" if by else "nobody"] += 1
        print(f"{command.document}\t{place}\t{command.text}\t{by or 'NOBODY'}")
    for (place, what), count in sorted(counts.items()):
        print(f"{place}\t{what}\t{count}")


if __name__ == "__main__":
    main()
