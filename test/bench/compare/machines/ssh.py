# SPDX-License-Identifier: GPL-2.0-or-later
"""An agent on another machine, over the user's own ssh: sent, spoken to, and ended."""

import base64
import itertools
import json
import re
import shlex
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nvmetools import ToolError

from ..drive import SiteLost

#: What an agent is made of, by the names that it imports. Packages come with nothing in them.
TOP = Path(__file__).resolve().parents[1]
LAB = TOP.parents[1] / "lab/nvmelab"
PACKAGES = ("nvmelab", "compare", "compare.machines", "compare.machines.remote")
SOURCES = {
    **{f"nvmelab.{name}": LAB / f"{name}.py" for name in ("counted", "fio", "waiting")},
    **{
        f"compare.machines.remote.{path.stem}": path
        for path in sorted((TOP / "machines/remote").glob("*.py"))
        if path.stem != "__init__"
    },
}

#: Never a connection that somebody else has opened, never a question, and never a wait for good.
OPTIONS = (
    "ControlMaster=no", "ControlPath=none", "BatchMode=yes", "ConnectTimeout=15",
    "ServerAliveInterval=10", "ServerAliveCountMax=3",
)  # fmt: skip

#: Reads modules from standard input, keeps them in memory, and hands the rest of it to the agent.
BOOTSTRAP = """\
import sys
if sys.version_info < (3, 11):
    sys.exit("Python 3.11 or newer is needed, and /usr/bin/python3 is " + sys.version.split()[0])
import importlib.abc, importlib.util, json, os
def read(size):
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            sys.exit("the connection ended")
        data += more
    return data
head = b""
while not head.endswith(b"\\n"):
    head += read(1)
SENT = json.loads(read(int(head)))
class Sent(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name in SENT else None
    def get_source(self, name):
        return SENT[name]
    def is_package(self, name):
        return any(other.startswith(name + ".") for other in SENT)
sys.meta_path.insert(0, Sent())
from compare.machines.remote.agent import main
sys.exit(main(sys.argv[1], sys.argv[2]))
"""

#: Becomes root without a question, unless it is.
AS_ROOT = 'if [ "$(id -u)" = 0 ]; then exec "$@"; else exec sudo -n -- "$@"; fi'

PYTHON = "/usr/bin/python3"

#: Seconds between two words to an agent, which takes silence for an end.
PING_S = 10.0

#: Seconds that an agent gets to begin, and to take back what it has made.
BEGIN_S, END_S = 60.0, 180.0

_NAME = re.compile(r"[\w.:%\[\]-]+(@[\w.:%\[\]-]+)?")


def machine_name(text: str) -> str:
    """Checks [USER@]HOST; a ValueError says what is wrong with it."""
    if text.startswith("-") or "@-" in text:
        raise ValueError(f"{text!r}: ssh would take a name that begins with '-' for an option")
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not [USER@]HOST")
    return text


def command(machine: str, role: str, nqn: str) -> list[str]:
    """Returns the command line of ssh that starts an agent."""
    # one word without a line break or a quote: a login's shell may be any
    packed = base64.b64encode(BOOTSTRAP.encode()).decode()
    unpack = f"import base64;exec(base64.b64decode('{packed}').decode())"
    python = [PYTHON, "-B", "-c", unpack, role, nqn]
    words = ["ssh", "-T"]
    for option in OPTIONS:
        words += ["-o", option]
    return [*words, "--", machine_name(machine), shlex.join(["sh", "-c", AS_ROOT, "sh", *python])]


def parcel() -> bytes:
    """The modules of an agent as the bootstrap reads them."""
    sent = dict.fromkeys(PACKAGES, "") | {name: p.read_text() for name, p in SOURCES.items()}
    data = json.dumps(sent).encode()
    return b"%d\n" % len(data) + data


class RemoteError(ToolError):
    """A machine refused or failed something; ``refused``: it touched nothing for it."""

    def __init__(self, text: str, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused


class Remote:
    """An agent. ``leftovers`` is what one of an earlier run has left."""

    def __init__(self, machine: str, role: str, nqn: str) -> None:
        self.machine = machine
        self.role = role
        self.trouble: list[str] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self._gone = ""
        self._said: list[str] = []
        self._ending = threading.Event()
        self._process = subprocess.Popen(
            command(machine, role, nqn), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # an interrupt of the terminal is for the runner, which ends agents in their order
            start_new_session=True,
        )  # fmt: skip
        self._threads = [threading.Thread(target=work, daemon=True) for work in
                         (self._read, self._listen, self._ping)]  # fmt: skip
        for thread in self._threads:
            thread.start()
        try:
            self._write(parcel())
            self.leftovers: list[str] = self._wait(0, BEGIN_S, "to begin")
        except SiteLost as error:
            self._process.kill()
            raise RemoteError(str(error)) from None
        except BaseException:
            self.close()
            raise

    def ask(self, what: str, timeout: float = 300.0, **more: Any) -> Any:
        """Has the agent do something; returns what that gives, or raises RemoteError."""
        number = next(self._numbers)
        request = {"id": number, "do": what, "with": more}
        self._write(json.dumps(request).encode() + b"\n")
        return self._wait(number, timeout, what)

    def close(self) -> None:
        """Ends the agent, which takes back what it has made; ``trouble`` is what had to stay."""
        if self._ending.is_set():
            return
        self._ending.set()
        try:
            assert self._process.stdin
            self._process.stdin.close()
        except OSError:
            pass
        try:
            self.trouble += self._wait(-1, END_S, "to take back what it made")
        except (SiteLost, RemoteError) as error:
            self.trouble.append(f"{error}: the next run takes back what is left there")
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, data: bytes) -> None:
        assert self._process.stdin
        try:
            with self._lock:
                self._process.stdin.write(data)
                self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._lost() from None

    def _wait(self, number: int, timeout: float, what: str) -> Any:
        with self._arrived:
            there = self._arrived.wait_for(
                lambda: number in self._answers or bool(self._gone), timeout
            )
            answer = self._answers.pop(number, None)
        if answer is None:
            if there:
                raise self._lost()
            raise RemoteError(f"{self.machine}: {what}: no answer within {timeout:g} s")
        if "error" in answer:
            raise RemoteError(f"{self.machine}: {answer['error']}", bool(answer.get("refused")))
        return answer["ok"]

    def _lost(self) -> SiteLost:
        # what ssh or sudo said may come after the end of their output
        for thread in self._threads[:2]:
            thread.join(2)
        said = " ".join(self._said[-5:]) or "the connection ended"
        return SiteLost(f"ssh {self.machine}: {said}{_way_out(said)}")

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                answer = json.loads(line)
                number = int(answer["id"])
            except (ValueError, KeyError, TypeError):
                # a login's greeting, for one
                self._said.append(line.decode(errors="replace").strip())
                continue
            with self._arrived:
                self._answers[number] = answer
                self._arrived.notify_all()
        with self._arrived:
            self._gone = "gone"
            self._arrived.notify_all()

    def _listen(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._said.append(line.decode(errors="replace").strip())

    def _ping(self) -> None:
        while not self._ending.wait(PING_S):
            try:
                self.ask("ping")
            except (SiteLost, RemoteError):
                return


#: What ssh and sudo say, and what helps.
WAYS_OUT: Mapping[str, str] = {
    "Permission denied": "; `ssh-copy-id` to it, or name another user with USER@",
    "Host key verification failed": "; log in once by hand, and compare its key",
    "password is required": "; log in as root, or let sudo do without a password there",
    "sudo: not found": "; log in as root, or install sudo there",
    "not found": "; `apt-get install python3` there",
}


def _way_out(said: str) -> str:
    return next((way for sign, way in WAYS_OUT.items() if sign in said), "")
