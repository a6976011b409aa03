# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel counts while something is measured: links, TCP, MPTCP, processors, windows."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .network import SIDES, Network, Side, interface
from .system import network_namespace

#: Bytes that a subflow must have had acknowledged for its window to say anything.
TRAFFIC = 100_000


def parse_table(text: str, *families: str) -> dict[str, int]:
    """Parses pairs of lines as in /proc/net/netstat: names, and below them their values."""
    found: dict[str, int] = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        family = names.partition(":")[0]
        if family in families:
            found.update(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return found


def parse_idle(stat: str) -> float:
    """Parses /proc/stat: seconds that processors were idle, all of them together.

    Idle time is measured by the kernel. What it counts as busy is sampled by ticks, which
    sleep with an idle processor: short work between two of them would not be seen.
    """
    ticks = [int(word) for word in stat.split("\n", 1)[0].split()[1:9]]
    return (ticks[3] + ticks[4]) / os.sysconf("SC_CLK_TCK")


def parse_windows(ss: str, side: Side, by_local: bool) -> list[tuple[int, int]]:
    """Parses `ss -HtniO`: link and congestion window (segments) of each subflow with traffic.

    What the target sends to 10.1.i.2 passes link i. So does what the host sends to 10.1.i.1, but if
    its endpoints are bound to links (``by_local``), its own address tells.
    """
    found = []
    for line in ss.splitlines():
        words = line.split()
        window, acknowledged = (
            re.search(r"\bcwnd:(\d+)", line),
            re.search(r"\bbytes_acked:(\d+)", line),
        )
        if not window or not acknowledged or int(acknowledged[1]) < TRAFFIC:
            continue
        address = re.search(r"10\.1\.(\d+)\.", words[2 if side == "host" and by_local else 3])
        if address:
            found.append((int(address[1]), int(window[1])))
    return sorted(found)


def windows(network: Network, side: Side, by_local: bool) -> list[tuple[int, int]]:
    """Congestion windows of a side's subflows as they are now, see parse_windows."""
    return parse_windows(network.run(side, "ss", "-HtniO", "state", "established"), side, by_local)


def link_bytes(network: Network) -> list[dict[str, int]]:
    """Bytes that each link has received and sent, as the host sees it in the initial namespace."""
    links = []
    for i in range(1, len(network.topology.links) + 1):
        top = Path("/sys/class/net", interface("host", i), "statistics")
        links.append({w: int((top / f"{w}_bytes").read_text()) for w in ("rx", "tx")})
    return links


@dataclass(frozen=True)
class Counters:
    """All that is counted, at one time (s)."""

    time: float
    idle: float
    links: list[dict[str, int]]
    tcp: dict[Side, dict[str, int]]
    mptcp: dict[Side, dict[str, int]]

    @classmethod
    def read(cls, network: Network) -> Counters:
        """As they are now."""
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
        """What was counted since then; of the kernel's counters only those that moved.

        Emulated by one thread, all processors share the instructions of a second: there is as
        much processor time as there was time.
        """

        def moved(now: dict[str, int], then: dict[str, int]) -> dict[str, int]:
            return {k: v - then.get(k, 0) for k, v in now.items() if v != then.get(k, 0)}

        window = self.time - before.time
        pairs = zip(self.links, before.links, strict=True)
        return {
            "window_s": window,
            "cpu": {
                "busy": max(0.0, cpus * window - (self.idle - before.idle)),
                "total": window,
            },
            "links": [{way: now[way] - then[way] for way in now} for now, then in pairs],
            "tcp": {side: moved(self.tcp[side], before.tcp[side]) for side in SIDES},
            "mptcp": {side: moved(self.mptcp[side], before.mptcp[side]) for side in SIDES},
        }
