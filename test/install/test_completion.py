# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion in real shells: keys go in at a terminal, the command that comes out is checked."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_table import CommandTable
from installed import Installation, captured

NQN = "nqn.2026-01.org.example:disk1"
BASH_START = """
set +o history
PS1='ready> '
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
nvme() {{ printf '<%s>' "$@"; printf ' end\\n'; }}
nvme-mptcp() {{ nvme "$@"; }}
source {completion}
source {completion}-mptcp
"""
ZSH_START = """
unsetopt zle_bracketed_paste 2>/dev/null
unset zle_bracketed_paste
PS1='ready> '
fpath=({directory} $fpath)
autoload -U compinit
compinit -u -D
LISTMAX=1000
unsetopt list_beep
nvme() {{ printf '<%s>' "$@"; printf ' end\\n' }}
nvme-mptcp() {{ nvme "$@" }}
"""


class Shell:
    """An interactive shell at a terminal of its own."""

    def __init__(self, command: list[str], start: str, environment: dict[str, str]) -> None:
        self.name = command[0]
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvpe(command[0], command, environment)
        self.shown = ""
        self.send(f" source {start}\n")
        self.wait_for("ready> ")

    def send(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait_for(self, text: str) -> str:
        """What the terminal shows up to @text."""
        deadline = time.monotonic() + 10
        while text not in self.shown:
            ready = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, f"the shell shows {self.shown!r} instead of {text!r}"
            self.shown += os.read(self.fd, 4096).decode(errors="replace")
        found, _, self.shown = self.shown.partition(text)
        return found

    def words(self, keys: str) -> list[str]:
        """The arguments that nvme gets after a line is typed."""
        self.send(f"{keys}\n")
        last = self.wait_for(" end\r\n").splitlines()[-1]
        self.wait_for("ready> ")
        return re.findall(r"<([^<>]*)>", last)

    def close(self) -> None:
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A /sys with two controllers, a namespace and two links."""
    top = tmp_path_factory.mktemp("machine")
    classes = top / "sys/class"
    for name in (
        "nvme/nvme0",
        "nvme/nvme12",
        "block/nvme0n1",
        "block/nvme0c0n1",
        "block/sda",
        "nvme-generic/ng0n1",
        "net/eth1",
        "net/lo",
        "nvme-subsystem/nvme-subsys0",
    ):
        (classes / name).mkdir(parents=True)
    (classes / "nvme-subsystem/nvme-subsys0/subsysnqn").write_text(f"{NQN}\n")
    return top


def environment(machine: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "LIBNVME_SYSFS_PATH": str(machine),
        "HOME": str(machine),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
    }


def bash_completion(installation: Installation) -> Path:
    return installation.directory("datadir") / "bash-completion/completions/nvme"


def zsh_completion(installation: Installation) -> Path:
    return installation.directory("datadir") / "zsh/site-functions/_nvme"


@pytest.fixture(scope="module", params=["bash --norc --noprofile -i", "zsh -f -i"])
def shell(
    request: pytest.FixtureRequest, installation: Installation, machine: Path
) -> Iterator[Shell]:
    """A shell with the completion loaded."""
    command = request.param.split()
    if not shutil.which(command[0]):
        pytest.skip(f"skipped: {command[0]} is missing")
    text = BASH_START.format(completion=bash_completion(installation))
    if command[0] == "zsh":
        text = ZSH_START.format(directory=zsh_completion(installation).parent)
    start = machine / f"start.{command[0]}"
    start.write_text(text)
    shell = Shell(command, str(start), environment(machine))
    yield shell
    shell.close()


# What is typed, with tabs, and what nvme is then called with.
TYPED = [
    ("nvme disconnect-\t", ["disconnect-all"]),
    ("nvme mptcp show-su\t", ["mptcp", "show-subflows"]),
    ("nvme connect --transport mp\t", ["connect", "--transport", "mptcp"]),
    ("nvme connect --transport=mp\t", ["connect", "--transport=mptcp"]),
    ("nvme connect -t mp\t", ["connect", "-t", "mptcp"]),
    ("nvme list-subsys -o j\t", ["list-subsys", "-o", "json"]),
    ("nvme connect -t tcp --host-if\teth\t", ["connect", "-t", "tcp", "--host-iface", "eth1"]),
    ("nvme disconnect -d nvme1\t", ["disconnect", "-d", "nvme12"]),
    ("nvme disconnect -d nvme0,nvme1\t", ["disconnect", "-d", "nvme0,nvme12"]),
    (f"nvme disconnect -n {NQN[:4]}\t", ["disconnect", "-n", NQN]),
    (f"nvme disconnect -n {NQN[:-2]}\t", ["disconnect", "-n", NQN]),
    (f"nvme disconnect --nqn={NQN[:-2]}\t", ["disconnect", f"--nqn={NQN}"]),
    ("nvme id-ns /dev/nvme0n\t", ["id-ns", "/dev/nvme0n1"]),
    ("nvme id-ctrl -H /dev/nvme1\t", ["id-ctrl", "-H", "/dev/nvme12"]),
    ("nvme mptcp show-subflows nvme1\t", ["mptcp", "show-subflows", "nvme12"]),
    ("nvme zns id-ns /dev/nvme0n\t", ["zns", "id-ns", "/dev/nvme0n1"]),
    ("nvme fdp ev\t/dev/nvme1\t", ["fdp", "events", "/dev/nvme12"]),
    ("nvme help show-to\t", ["help", "show-topology"]),
    ("nvme help mpt\t", ["help", "mptcp"]),
    ("nvme help mptcp show-su\t", ["help", "mptcp", "show-subflows"]),
    ("nvme nbft sh\t--hf\t", ["nbft", "show", "--hfi"]),
    ("nvme mptcp setup --role ho\t", ["mptcp", "setup", "--role", "host"]),
    ("nvme mptcp check --role au\t", ["mptcp", "check", "--role", "auto"]),
    ("nvme mptcp relay --mode a\t", ["mptcp", "relay", "--mode", "address"]),
    ("nvme connect --iopolicy rou\t", ["connect", "--iopolicy", "round-robin"]),
    ("nvme dim -t reg\t", ["dim", "-t", "register"]),
    ("nvme show-topology -r mul\t", ["show-topology", "-r", "multipath"]),
    ("nvme mptcp check nvme1\t--tradd\t", ["mptcp", "check", "nvme12", "--traddr"]),
    ("nvme-mptcp show-su\tnvme1\t", ["show-subflows", "nvme12"]),
    ("nvme-mptcp connect -t mp\t", ["connect", "-t", "mptcp"]),
    ("nvme-mptcp setup --role ho\t", ["setup", "--role", "host"]),
    ("nvme-mptcp help list-\t", ["help", "list-subsys"]),
    ("nvme set-feature /dev/nvme1\t--hum\t", ["set-feature", "/dev/nvme12", "--human-readable"]),
]


@pytest.mark.parametrize(("keys", "words"), TYPED, ids=[keys.strip() for keys, _ in TYPED])
def test_typed(shell: Shell, keys: str, words: list[str]) -> None:
    if shell.name == "zsh":
        # zsh writes --opt=value where readline writes --opt value; both are right
        words = " ".join(words).replace("--host-iface ", "--host-iface=").split()
    assert shell.words(keys) == words


def replies(installation: Installation, machine: Path, line: str) -> set[str]:
    """What bash offers at the end of a line."""
    script = """
		source "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		_nvme
		printf '%s\\n' "${COMPREPLY[@]}"
	"""
    done = captured(
        ["bash", "-c", script, "bash", bash_completion(installation), line],
        env=environment(machine),
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_offers_everything(
    installation: Installation, machine: Path, table: CommandTable
) -> None:
    prefixes = tuple(f"{plugin}-" for plugin in table.plugins)
    builtin = {name for name in table.commands if not name.startswith(prefixes)}
    assert replies(installation, machine, "nvme ") == builtin | set(table.plugins)
    for name, command in table.commands.items():
        plugin = next((p for p in table.plugins if name.startswith(f"{p}-")), None)
        words = f"{plugin} {name.removeprefix(f'{plugin}-')}" if plugin else name
        line = f"nvme {words} --"
        options = {f"--{option['name']}" for option in command["options"]}
        assert replies(installation, machine, line) == options | {"--help"}, name
    for plugin in table.plugins:
        its = {n.removeprefix(f"{plugin}-") for n in table.commands if n.startswith(f"{plugin}-")}
        assert replies(installation, machine, f"nvme {plugin} ") == its
        assert replies(installation, machine, f"nvme help {plugin} ") == its
    assert replies(installation, machine, "nvme help ") == builtin | set(table.plugins)
    assert replies(installation, machine, "nvme help connect ") == set()
    assert replies(installation, machine, "nvme connect -t ") == set(table.transports)
    assert replies(installation, machine, "nvme id-ctrl ") == {
        "/dev/nvme0",
        "/dev/nvme12",
        "/dev/nvme0n1",
        "/dev/ng0n1",
    }
    assert replies(installation, machine, "nvme connect -a ") == set()


def test_bash_offers_what_nvme_mptcp_has(installation: Installation) -> None:
    text = Path(f"{bash_completion(installation)}-mptcp").read_text(encoding="utf-8")
    offered = re.search(r'^_nvmemptcp_commands="(.*)"$', text, re.M)
    done = captured(
        [installation.directory("sbindir") / "nvme-mptcp", "help"],
        env=installation.environment(),
        check=True,
    )
    assert offered
    assert set(offered[1].split()) == set(re.findall(r"^  ([a-z-]+)  ", done.stdout, re.M))


def test_functions_do_not_meet_in_zsh(installation: Installation) -> None:
    defined = []
    for name in ("_nvme", "_nvme-mptcp"):
        path = zsh_completion(installation).with_name(name)
        defined.append(set(re.findall(r"^(_\w+)\(\)", path.read_text(encoding="utf-8"), re.M)))
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", path], check=True, timeout=60)
    assert all(defined)
    assert defined[0] & defined[1] == set()
