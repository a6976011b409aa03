# SPDX-License-Identifier: LGPL-2.1-or-later
"""A keeper that runs on the MPTCP of this machine's kernel, in namespaces of its own."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from conftest import NVME, schema
from fake_sysfs import FakeHost
from mptcp_net import HIDE, Network, enter
from test_mptcp import conforms, endpoints, environment, run
from test_mptcp_setup import carried, wait_for

SCHEMA = schema("mptcp-keep")
PLAN_SCHEMA = schema("mptcp-plan")
AUTO = ["--auto", "--config", "none"]
HOST = [*AUTO, "--role", "host", "--traddr", "10.77.1.1"]
# More than it takes, on a machine that does much else.
LONG = 30


class Keep:
    """A keeper that runs, and what it reports."""

    def __init__(
        self,
        side: str,
        *options: str,
        host: FakeHost | None = None,
        prefix: tuple[str, ...] = (),
        **env: str,
    ) -> None:
        self.log = Path(f"/tmp/nvme-keep-{os.getpid()}-{random.getrandbits(32):08x}")
        # Where it sees no other process, sockets look like the kernel's.
        self.hidden = bool(host)
        hide = HIDE if host else ()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                enter(side, *hide, *prefix, NVME, "mptcp", "keep", "-o", "json", *options),
                stdout=log, stderr=subprocess.STDOUT, env=environment(host, **env),
            )  # fmt: skip

    def __enter__(self) -> Keep:
        wait_for(lambda: bool(self.entries("status", "failure")) or self.ended(), LONG)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        # a kill of the process that hides others does not wait for the program
        inner = children_of(self.process.pid) if self.hidden and not self.ended() else []
        for pid in inner:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not inner:
            self.process.kill()
        self.process.wait()
        if error:
            print(self.log.read_text())
        self.log.unlink()

    def ended(self) -> bool:
        return self.process.poll() is not None

    def documents(self) -> list[Any]:
        whole_lines = self.log.read_text().rpartition("\n")[0].splitlines()
        found = [json.loads(line) for line in whole_lines]
        for document in found:
            conforms(document, SCHEMA)
        return found

    def entries(self, *events: str) -> list[Any]:
        return [d for d in self.documents() if d["event"] in events]

    def status(self) -> str:
        return str(self.entries("status")[-1]["text"])

    def until_status(self, begin: str) -> None:
        """Waits for a status that is that, or begins so and goes on with a note."""
        wait_for(lambda: (self.status() + ".").startswith(begin + "."), LONG)

    def done(self) -> list[tuple[str, str | None]]:
        return [(d["action"], d["link"]) for d in self.entries("step") if d["state"] == "done"]

    def pid(self) -> int:
        """Of the program, past the process that hides others from it."""
        return children_of(self.process.pid)[0] if self.hidden else self.process.pid

    def children(self) -> list[int]:
        return children_of(self.pid())

    def send(self, number: int) -> None:
        os.kill(self.pid(), number)

    def end(self) -> int:
        self.send(signal.SIGTERM)
        return self.process.wait(LONG)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def keep(side: str, *options: str, status: int = 0, host: FakeHost | None = None) -> Any:
    """One that ends by itself, and its documents."""
    where = [] if host else ["--netns", side]
    command = ("mptcp", "keep", *options, "-o", "json", *where)
    result = run(*command, host=host, unseen=side if host else None, status=status)
    documents = [json.loads(line) for line in result.out.splitlines()]
    plans = {"--dry-run", "--restore"} & set(options)
    for document in documents:
        conforms(document, PLAN_SCHEMA if plans else SCHEMA)
    return documents


def configure(path: Path, *endpoints: str) -> None:
    wanted = [{"address": e.split()[0], "dev": e.split()[1]} for e in endpoints]
    mptcp = {"limits": {"subflows": 4}, "endpoints": wanted}
    path.write_text(json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": mptcp}]))


def addresses(side: str) -> list[str]:
    return sorted(e["address"] for e in endpoints(side)["endpoints"])


def limits(side: str) -> tuple[int, int]:
    found = endpoints(side)["limits"]
    return found["subflows"], found["add_addr_accepted"]


def all_there(side: str, *missing: int) -> Callable[[], bool]:
    wanted = [f"10.77.{i}.2" for i in range(1, 5) if i not in missing]
    return lambda: bool(addresses(side) == wanted)


def is_dark(net: Network, link: str) -> Callable[[], bool]:
    """Does no connection use the link?"""
    return lambda: not any(link in links for links in carried(net))


def touch(net: Network) -> None:
    """Something that a keeper hears of: the kernel reports no changes of endpoints."""
    net.ip("addr", "add", "192.0.2.1/32", "dev", "lo", netns=net.host)
    net.ip("addr", "del", "192.0.2.1/32", "dev", "lo", netns=net.host)


def delete(net: Network, address: str) -> None:
    found = [e["id"] for e in endpoints(net.host)["endpoints"] if e["address"] == address]
    net.ip("mptcp", "endpoint", "delete", "id", str(found[0]), netns=net.host)
