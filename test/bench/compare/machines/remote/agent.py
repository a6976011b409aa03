# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent: does what lines of JSON on its standard input ask for, and takes everything back.

A line is {"id", "do", "with"}, its answer {"id", "ok"} or {"id", "error", "refused"}. Requests are
done side by side, since fio runs while counters are read. The end of the input ends the agent, as
do signals, and as does silence: whoever started it speaks every few seconds, so that a connection
of which nobody has noticed that it is gone leaves nothing behind.
"""

import contextlib
import json
import os
import select
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from nvmelab.counted import LOCAL, REMOTE, parse_available, parse_idle, parse_table, parse_windows

from . import facts, host, mptcp, target
from .journal import Journal
from .place import PROGRAMS, PROGRAMS_HERE, Refused, at, run, text_of
from .undo import UNDO

#: Seconds without a word after which nobody is there any more.
SILENCE_S = 60.0


#: Seconds that what is at work gets to end, once its programs have been killed.
WORK_S = 60.0


class Ended(BaseException):
    """A signal asks the agent to end."""


class Agent:
    """One role on this machine."""

    def __init__(self, role: str, nqn: str) -> None:
        self._role = role
        self._nqn = nqn
        self._journal = Journal(role, UNDO)
        self._listeners = target.Listeners()
        #: What may be asked for, by name: of both roles, the target's, and the host's.
        self.does: Mapping[str, Callable[..., Any]] = {
            "take_back": self.take_back,
            "facts": partial(facts.gather, role, nqn),
            "plan": partial(mptcp.plan, self._journal, role),
            "find": partial(mptcp.find, role),
            "count": self.count,
            "traffic": self.traffic,
            "windows": self.windows,
            "available": lambda: parse_available(at("/proc/meminfo").read_text()),
            "ping": lambda: "pong",
            "listen": self._listeners.open,
            "offer": self.offer,
            "reach": host.reach,
            "load": partial(host.load, self._journal),
            "connect": partial(host.connect, self._journal, nqn),
            "disconnect": partial(host.disconnect, nqn),
            "queues": partial(host.queues, nqn),
            "subflows": host.subflows,
            "disk": partial(host.disk, nqn),
            "fio": partial(host.fio, nqn),
        }

    def leftovers(self) -> list[str]:
        """What an earlier run has left here, that was killed."""
        return self._journal.leftovers

    def take_back(self) -> list[str]:
        """Takes back all that is in the journal; returns what has to stay, and why."""
        self._listeners.close()
        return self._journal.take_back()

    def count(self, devices: Sequence[str]) -> dict[str, Any]:
        """All that this machine counts, at one time (s) of its own clock."""
        netstat = at("/proc/net/netstat").read_text()
        snmp = at("/proc/net/snmp").read_text()
        return {
            "links": self.traffic(devices),
            "tcp": parse_table(snmp, "Tcp") | parse_table(netstat, "TcpExt"),
            "mptcp": parse_table(netstat, "MPTcpExt"),
            "idle": parse_idle(at("/proc/stat").read_text()),
            "time": time.monotonic(),
            "cpus": os.cpu_count() or 1,
        }

    def traffic(self, devices: Sequence[str]) -> list[dict[str, int]]:
        """Bytes that each device has received and sent."""
        tops = [at(f"/sys/class/net/{name}/statistics") for name in devices]
        return [{way: int(text_of(top / f"{way}_bytes")) for way in ("rx", "tx")} for top in tops]

    def windows(self, sources: Sequence[str]) -> list[tuple[int, int]]:
        """Congestion windows by link, which the host's address of each subflow tells."""
        links = {address: number for number, address in enumerate(sources, 1)}
        column = LOCAL if self._role == "host" else REMOTE
        shown = run(["ss", "-HtniO", "state", "established"])
        return parse_windows(shown, column, lambda text: links.get(bare(text)))

    def end(self, workers: Sequence[threading.Thread]) -> list[str]:
        """Ends what is at work, so that it makes nothing more, and takes everything back."""
        self._journal.shut()
        PROGRAMS_HERE.end()
        deadline = time.monotonic() + WORK_S
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))
        PROGRAMS_HERE.again()
        trouble = self.take_back()
        self._journal.close()
        return trouble

    def offer(self, host: str, family: str, ports: Mapping[str, int], mib: int) -> None:
        self._listeners.close()
        target.offer(self._journal, self._nqn, host, family, ports, mib)


def bare(address: str) -> str:
    """The address of `10.1.1.2:4420`, `[fd00::1]:4420` or `[fe80::1%eth0]:4420`."""
    found = address.rpartition(":")[0].strip("[]").partition("%")[0]
    # as a socket of both families has it
    return found.removeprefix("::ffff:")


class Line:
    """Standard input and output as lines; answers of several threads do not mix."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def say(self, document: Mapping[str, Any]) -> None:
        """Writes an answer. Nobody may read it any more: that is seen at the input."""
        data = json.dumps(document).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):
            while data:
                data = data[os.write(1, data) :]

    def requests(self, silence: float) -> Iterator[dict[str, Any]]:
        """Yields what is asked for, until the input ends or is silent for so many seconds."""
        unread = b""
        while select.select([0], [], [], silence)[0]:
            data = os.read(0, 1 << 16)
            if not data:
                return
            *lines, unread = (unread + data).split(b"\n")
            yield from (json.loads(line) for line in lines if line)


def _answer(agent: Agent, line: Line, request: Mapping[str, Any]) -> None:
    answer: dict[str, Any] = {"id": request["id"]}
    try:
        answer["ok"] = agent.does[request["do"]](**request["with"])
    except Exception as error:
        answer |= {
            "error": str(error) or type(error).__name__,
            "refused": isinstance(error, Refused),
        }
        if not isinstance(error, Refused | RuntimeError | AssertionError | OSError):
            answer["error"] = traceback.format_exc()
    line.say(answer)


def _end(number: int, _: object) -> None:
    raise Ended(number)


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def main(role: str, nqn: str) -> int:
    """Works until it is told to end; 1 if it could not begin or something had to stay."""
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:{PROGRAMS}".lstrip(":")
    os.environ["LC_ALL"] = "C.UTF-8"
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    line = Line()
    try:
        agent = Agent(role, nqn)
    except (Refused, OSError) as error:
        line.say({"id": 0, "error": str(error), "refused": True})
        return 1
    workers: list[threading.Thread] = []
    silence = float(os.environ.get("THREAD_SILENCE", SILENCE_S))
    try:
        for number in SIGNALS:
            signal.signal(number, _end)
        line.say({"id": 0, "ok": agent.leftovers()})
        for request in line.requests(silence):
            workers = [worker for worker in workers if worker.is_alive()]
            worker = threading.Thread(target=_answer, args=(agent, line, request), daemon=True)
            workers.append(worker)
            worker.start()
    except Ended:
        pass
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        trouble = agent.end(workers)
        line.say({"id": -1, "ok": trouble})
    return int(bool(trouble))
