# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the kernel shows as text: counters, idle time, subflows and their windows.

Used in the lab's guest and on real machines that are measured. Only the standard library is
imported, and nothing of the lab.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

#: Bytes that a subflow must have had acknowledged for its window to say anything.
TRAFFIC = 100_000

#: Columns of `ss -Hn`: a socket's own address, and the other side's.
LOCAL, REMOTE = 2, 3


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


def parse_available(meminfo: str) -> int:
    """Parses /proc/meminfo: bytes of memory that are to be had."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", meminfo, re.M)
    if not found:
        raise ValueError("/proc/meminfo has no MemAvailable")
    return int(found[1]) << 10


def parse_windows(
    ss: str, column: int, link_of: Callable[[str], int | None]
) -> list[tuple[int, int]]:
    """Parses `ss -HtniO`: link and congestion window (segments) of each subflow with traffic.

    ``link_of`` knows the link of an address with its port as ss writes it in that column, None
    for what is none of the links'.
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
        link = link_of(words[column])
        if link is not None:
            found.append((link, int(window[1])))
    return sorted(found)


def parse_subflows(ss: str) -> list[tuple[str, str, str]]:
    """Parses `ss -HtniO`: both addresses of each subflow, and its connection's token on this side.

    A socket that is no subflow of MPTCP is left out.
    """
    found = []
    for line in ss.splitlines():
        token = re.search(r"token:[0-9a-f]+\(id:\d+\)/([0-9a-f]+)\(id:\d+\)", line)
        words = line.split()
        if token:
            found.append((words[LOCAL], words[REMOTE], token[1]))
    return found


def moved(now: Mapping[str, int], then: Mapping[str, int]) -> dict[str, int]:
    """By how much counters grew; those that did not are left out."""
    return {k: v - then.get(k, 0) for k, v in now.items() if v != then.get(k, 0)}


def paths_of(disk: Path, top: Path = Path("/sys/class/nvme")) -> int:
    """How many controllers lead to a disk: a hidden device for each, nvme0c1n1 for nvme0n1."""
    subsystem, namespace = disk.name.removeprefix("nvme").split("n")
    return len(list(top.glob(f"nvme*/nvme{subsystem}c*n{namespace}")))
