# SPDX-License-Identifier: GPL-2.0-or-later
"""Two real machines as a place where rows are measured."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from nvmelab import fio
from nvmelab.counted import moved
from nvmetools import ToolError

from ..rows import Row
from .preflight import MULTIPATH_OFF, Wanted, problems
from .ssh import Remote, RemoteError

#: What connect is told by the names of rows, and how the program calls it.
OPTION = str.maketrans("_", "-")

SIDES = ("host", "target")


class PreflightError(ToolError):
    """What is missing, on both machines: one text for each thing."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__("\n".join(texts))
        self.texts = list(texts)


@dataclass(frozen=True)
class Counted:
    """What both machines have counted until now, each by its own clock."""

    sides: Mapping[str, Mapping[str, Any]]

    def since(self, before: Counted) -> dict[str, Any]:
        """What was counted since then; links are as the host sees them.

        Busy is whatever the machines did, and the sides are kept apart: one may be the limit while
        the other is idle.
        """
        pairs = {side: (self.sides[side], before.sides[side]) for side in SIDES}
        cpu: dict[str, dict[str, float]] = {}
        for side, (now, then) in pairs.items():
            total = now["cpus"] * (now["time"] - then["time"])
            cpu[side] = {"busy": max(0.0, total - (now["idle"] - then["idle"])), "total": total}
        now, then = pairs["host"]
        links = zip(now["links"], then["links"], strict=True)
        return {
            "window_s": now["time"] - then["time"],
            "cpu": {
                "busy": sum(side["busy"] for side in cpu.values()),
                "total": sum(side["total"] for side in cpu.values()), "sides": cpu,
            },
            "links": [{way: n[way] - t[way] for way in n} for n, t in links],
            "tcp": {side: moved(n["tcp"], t["tcp"]) for side, (n, t) in pairs.items()},
            "mptcp": {side: moved(n["mptcp"], t["mptcp"]) for side, (n, t) in pairs.items()},
        }  # fmt: skip


class Pair:
    """Host and target, and what they said of themselves. Both end with it, the host first."""

    def __init__(self, host: str, target: str, wanted: Wanted, say: Callable[[str], None]) -> None:
        self.wanted = wanted
        self.say = say
        self.facts: dict[str, dict[str, Any]] = {}
        #: What could not be taken back in the end.
        self.trouble: list[str] = []
        self.host_nqn = f"nqn.2014-08.org.nvmexpress:uuid:{uuid.uuid4()}"
        self._remotes: dict[str, Remote] = {}
        refused = []
        for side, machine in zip(SIDES, (host, target), strict=True):
            try:
                self._remotes[side] = Remote(machine, side, wanted.nqn)
            except RemoteError as error:
                refused.append(str(error))
        if refused:
            self.close()
            raise PreflightError(refused)

    @property
    def host(self) -> Remote:
        return self._remotes["host"]

    @property
    def target(self) -> Remote:
        return self._remotes["target"]

    def close(self) -> None:
        """Ends both, and says what could not be taken back."""
        for side in SIDES:
            remote = self._remotes.pop(side, None)
            if remote:
                remote.close()
                self.trouble += [f"{remote.machine}: {text}" for text in remote.trouble]
                for text in remote.trouble:
                    self.say(f"compare: {remote.machine}: {text}")

    @property
    def devices(self) -> dict[str, list[str]]:
        """The network interfaces of the links, in their order, by side."""
        return {side: [link["dev"] for link in self.facts[side]["links"]] for side in SIDES}

    @property
    def sources(self) -> list[str]:
        """The host's addresses on the links, in their order."""
        return [link["source"] for link in self.facts["host"]["links"]]

    def preflight(self) -> None:
        """Clears what a run of before has left, and names all that is missing."""
        for remote in (self.host, self.target):
            if remote.leftovers:
                self.say(f"{remote.machine}: a run of before has left "
                         f"{', '.join(remote.leftovers)}: taken back")  # fmt: skip
                for text in remote.ask("take_back"):
                    self.say(f"{remote.machine}: {text}")
        found = self._find() if not self.wanted.traddrs else []
        for side, remote in self._remotes.items():
            self.facts[side] = remote.ask("facts", traddrs=self.wanted.traddrs)
            found += problems(remote.machine, side, self.facts[side], self.wanted)
        if self.wanted.traddrs and self.facts["target"]["enabled"] == "1":
            found += self._unreachable()
        if found:
            raise PreflightError(found)
        self._remark()

    def _find(self) -> list[str]:
        """Has the target's own planner find the links; returns why there are none."""
        try:
            found = self.target.ask("find")
        except RemoteError as error:
            return [f"{error}; the links are not known: name them with --traddr"]
        if not found:
            return [f"{self.target.machine}: `nvme mptcp setup` finds no link: use --traddr"]
        self.wanted = replace(self.wanted, traddrs=tuple(address for _, address in found))
        links = ", ".join(f"{address} ({name})" for name, address in found)
        self.say(f"links, as `nvme mptcp setup` finds them on {self.target.machine}: {links}")
        return []

    def _unreachable(self) -> list[str]:
        """Which of our ports are taken, and which links do not lead to them over MPTCP."""
        ports = list(self.wanted.ports.values())
        taken = self.target.ask("listen", family=self.wanted.family, ports=ports)
        if taken:
            return [f"{self.target.machine}: {text}; choose others with --port" for text in taken]
        found = []
        for address, link in zip(self.wanted.traddrs, self.facts["host"]["links"], strict=False):
            for port in ports if link["source"] else ():
                why = self.host.ask("reach", traddr=address, port=port, source=link["source"])
                if why:
                    found.append(
                        f"{self.host.machine}: {address} port {port} from {link['source']} "
                        f"({link['dev']}): {why}; a firewall has to let it through"
                    )
        return found

    def _remark(self) -> None:
        """Says what is worth knowing, and no reason to stop."""
        versions = {side: self.facts[side]["versions"]["nvme-mptcp"] for side in SIDES}
        if len(set(versions.values())) > 1:
            self.say(f"nvme-mptcp is {versions['host']} on the host, {versions['target']} on the "
                     "target")  # fmt: skip
        for side, remote in self._remotes.items():
            if self.facts[side]["kept"]:
                self.say(f"{remote.machine}: endpoints of `nvme mptcp keep` stay as they are")

    def set_up(self) -> None:
        """Has the target offer its disk, and both make endpoints of the links."""
        wanted = self.wanted
        if self.host.ask("load") != "Y":
            raise PreflightError([f"{self.host.machine}: {MULTIPATH_OFF}"])
        self.target.ask("offer", host=self.host_nqn, family=wanted.family, ports=wanted.ports,
                        mib=wanted.disk_mib)  # fmt: skip
        for side, remote in (("target", self.target), ("host", self.host)):
            devices = self.devices[side]
            # on a target the addresses are those of its links, and one tells the family
            traddrs = wanted.traddrs if side == "host" else wanted.traddrs[:1]
            for command in remote.ask("plan", traddrs=traddrs, devices=devices):
                self.say(f"{remote.machine}# {command}")


class MachineSite:
    """A row on both machines."""

    def __init__(self, pair: Pair, row: Row) -> None:
        self.row = row
        self.cpus = int(pair.facts["host"]["cpus"])
        self.disk_mib = pair.wanted.disk_mib
        self.slow = False
        self._pair = pair
        self._ask = pair.host.ask

    @property
    def _port(self) -> int:
        return self._pair.wanted.ports[self.row.setup.transport]

    def connect(self) -> float:
        """By `nvme-mptcp connect`, for a host of our own; takes the host's clock."""
        setup, traddrs = self.row.setup, self._pair.wanted.traddrs
        nqn = self._pair.host_nqn
        common: dict[str, object] = {
            "transport": setup.transport, "trsvcid": self._port, "hostnqn": nqn,
            "hostid": nqn.rpartition(":")[2],
        }  # fmt: skip
        if setup.paths > len(traddrs):
            common["duplicate-connect"] = True
        if setup.queues:
            common["nr-io-queues"] = setup.queues
        for name, value in setup.connect_options().items():
            common[name.translate(OPTION)] = value
        each = [common | {"traddr": traddrs[i % len(traddrs)]} for i in range(setup.paths)]
        return float(self._ask("connect", 120.0 + 60 * len(each), each=each))

    def queues(self) -> int:
        return int(self._ask("queues"))

    def disconnect(self) -> None:
        """Of our subsystem, and no other."""
        self._ask("disconnect")

    def disk(self) -> str:
        return str(self._ask("disk", paths=self.row.setup.paths, policy=self.row.setup.policy))

    def subflows(self) -> dict[str, int]:
        """As ss on the host has them."""
        return dict(self._ask("subflows", port=self._port))

    def available(self) -> int:
        """Of both machines together."""
        return sum(int(r.ask("available")) for r in (self._pair.host, self._pair.target))

    def traffic(self) -> int:
        """Of all links, as the host sees it."""
        shown = self._ask("traffic", devices=self._pair.devices["host"])
        return sum(sum(link.values()) for link in shown)

    def counters(self) -> Counted:
        pair = self._pair
        sides = {"target": pair.target, "host": pair.host}
        return Counted({s: r.ask("count", devices=pair.devices[s]) for s, r in sides.items()})

    def windows(self) -> dict[str, list[tuple[int, int]]]:
        """By the host's addresses, which tell the links."""
        pair = self._pair
        sides = {"host": pair.host, "target": pair.target}
        found = {s: r.ask("windows", sources=pair.sources) for s, r in sides.items()}
        return {side: [(int(a), int(b)) for a, b in pairs] for side, pairs in found.items()}

    def fio(self, disk: str, options: Mapping[str, object]) -> dict[str, Any]:
        limit = 60.0 + fio.limit(options)
        return dict(self._ask("fio", limit, disk=disk, options=dict(options)))

    def unsteady(self) -> AbstractContextManager[None]:
        """Real links are as they are."""
        return contextlib.nullcontext()


@dataclass
class MachineStand:
    """Both machines, set up once for all rows: they differ in nothing that stands."""

    pair: Pair

    def bench(self, row: Row) -> MachineSite:
        """Returns them as a row wants them; connections of a run that failed have gone by now."""
        return MachineSite(self.pair, row)

    def clear(self) -> None:
        """Connections are gone, and the rest is taken back by the agents' end."""

    def facts(self) -> dict[str, Any]:
        """Of the host, and the target's beside."""
        host, target = (self.pair.facts[side] for side in SIDES)
        versions = {name: v for name, v in host["versions"].items() if v and name != "nvme-mptcp"}
        return {
            "kernel": host["kernel"], "target_kernel": target["kernel"], "cpus": host["cpus"],
            "versions": versions, "scheduler": host["scheduler"],
        }  # fmt: skip


@contextmanager
def connected(host: str, target: str, wanted: Wanted, say: Callable[[str], None]) -> Iterator[Pair]:
    """Both machines after their preflight; whatever ends it, all is taken back."""
    pair = Pair(host, target, wanted, say)
    try:
        pair.preflight()
        yield pair
    finally:
        pair.close()
