# SPDX-License-Identifier: GPL-2.0-or-later
"""Read kernel counters for measurements: links, TCP, MPTCP, CPUs, congestion windows."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nvmelab import counted
from nvmelab.counted import LOCAL, REMOTE, moved, parse_idle, parse_table

from .network import SIDES, Network, Side, interface
from .system import network_namespace


def _link_of(address: str) -> int | None:
    found = re.search(r"10\.1\.(\d+)\.", address)
    return int(found[1]) if found else None


def parse_windows(ss: str, side: Side, by_local: bool) -> list[tuple[int, int]]:
    """Parse `ss -HtniO`: link and congestion window (segments) of each subflow with traffic.

    Packets from the target to 10.1.i.2 use link i, and so do packets from the host to 10.1.i.1,
    unless the host's endpoints are bound to links (``by_local``): then its own address identifies
    the link.
    """
    return counted.parse_windows(ss, LOCAL if side == "host" and by_local else REMOTE, _link_of)


def windows(network: Network, side: Side, by_local: bool) -> list[tuple[int, int]]:
    """Return the congestion windows of a side's subflows, see parse_windows."""
    return parse_windows(network.run(side, "ss", "-HtniO", "state", "established"), side, by_local)


def link_bytes(network: Network) -> list[dict[str, int]]:
    """Return received and sent bytes of each link, as seen by a host in the initial namespace."""
    links = []
    for i in range(1, len(network.topology.links) + 1):
        top = Path("/sys/class/net", interface("host", i), "statistics")
        links.append({w: int((top / f"{w}_bytes").read_text()) for w in ("rx", "tx")})
    return links


@dataclass(frozen=True)
class Counters:
    """All counters at one time (s)."""

    time: float
    idle: float
    links: list[dict[str, int]]
    tcp: dict[Side, dict[str, int]]
    mptcp: dict[Side, dict[str, int]]

    @classmethod
    def read(cls, network: Network) -> Counters:
        links = link_bytes(network)
        tcp: dict[Side, dict[str, int]] = {}
        mptcp: dict[Side, dict[str, int]] = {}
        for side in SIDES:
            with network_namespace(network.topology.namespace(side)):
                snmp = Path("/proc/thread-self/net/snmp").read_text()
                netstat = Path("/proc/thread-self/net/netstat").read_text()
            tcp[side] = parse_table(snmp, "Tcp") | parse_table(netstat, "TcpExt")
            mptcp[side] = parse_table(netstat, "MPTcpExt")
        idle = parse_idle(Path("/proc/stat").read_text())
        return cls(time.monotonic(), idle, links, tcp, mptcp)

    def since(self, before: Counters, cpus: int) -> dict[str, Any]:
        """Return the differences from earlier counters; unchanged kernel counters are omitted.

        With emulation by one thread, all CPUs share the instructions of a second: the total CPU
        time is the elapsed time.
        """
        window = self.time - before.time
        pairs = zip(self.links, before.links, strict=True)
        return {
            "window_s": window,
            "cpu": {"busy": max(0.0, cpus * window - (self.idle - before.idle)), "total": window},
            "links": [{way: now[way] - then[way] for way in now} for now, then in pairs],
            "tcp": {side: moved(self.tcp[side], before.tcp[side]) for side in SIDES},
            "mptcp": {side: moved(self.mptcp[side], before.mptcp[side]) for side in SIDES},
        }
