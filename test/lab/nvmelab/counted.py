# SPDX-License-Identifier: GPL-2.0-or-later
"""Read the kernel's text files and ss output: counters, idle time, subflows and their windows.

Used in the lab's guest and for measurements on real machines, so it imports only the standard
library and nothing of the lab.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

#: Minimum number of acknowledged bytes for the window of a subflow to be meaningful.
TRAFFIC = 100_000

#: Columns of `ss -Hn`: local and remote address.
LOCAL, REMOTE = 2, 3


def parse_table(text: str, *families: str) -> dict[str, int]:
    """Parse pairs of lines as in /proc/net/netstat: names, and their values in the next line."""
    found: dict[str, int] = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        family = names.partition(":")[0]
        if family in families:
            found.update(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return found


def parse_idle(stat: str) -> float:
    """Parse /proc/stat: idle seconds, summed over all CPUs.

    The kernel measures idle time. Busy time is sampled by ticks, which stop on an idle CPU: short
    work between two ticks is not counted.
    """
    ticks = [int(word) for word in stat.split("\n", 1)[0].split()[1:9]]
    return (ticks[3] + ticks[4]) / os.sysconf("SC_CLK_TCK")


def parse_available(meminfo: str) -> int:
    """Parse /proc/meminfo: bytes of available memory."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", meminfo, re.M)
    if not found:
        raise ValueError("/proc/meminfo has no MemAvailable")
    return int(found[1]) << 10


def parse_windows(
    ss: str, column: int, link_of: Callable[[str], int | None]
) -> list[tuple[int, int]]:
    """Parse `ss -HtniO`: link and congestion window (segments) of each subflow with traffic.

    ``link_of`` returns the link of an address with port, as ss prints it in that column, or None
    for an address of no link.
    """
    found = []
    for line in ss.splitlines():
        words = line.split()
        window = re.search(r"\bcwnd:(\d+)", line)
        acknowledged = re.search(r"\bbytes_acked:(\d+)", line)
        if not window or not acknowledged or int(acknowledged[1]) < TRAFFIC:
            continue
        link = link_of(words[column])
        if link is not None:
            found.append((link, int(window[1])))
    return sorted(found)


def parse_subflows(ss: str) -> list[tuple[str, str, str]]:
    """Parse `ss -HtniO`: both addresses of each subflow, and its connection's local token.

    Sockets that are not MPTCP subflows are omitted.
    """
    found = []
    for line in ss.splitlines():
        token = re.search(r"token:[0-9a-f]+\(id:\d+\)/([0-9a-f]+)\(id:\d+\)", line)
        words = line.split()
        if token:
            found.append((words[LOCAL], words[REMOTE], token[1]))
    return found


def moved(now: Mapping[str, int], then: Mapping[str, int]) -> dict[str, int]:
    """Return the increments of the counters that changed."""
    return {k: v - then.get(k, 0) for k, v in now.items() if v != then.get(k, 0)}


def paths_of(disk: Path, top: Path = Path("/sys/class/nvme")) -> int:
    """Return the number of a disk's controllers: nvme0n1 has a hidden device nvme0c1n1 for each."""
    subsystem, namespace = disk.name.removeprefix("nvme").split("n")
    return len(list(top.glob(f"nvme*/nvme{subsystem}c*n{namespace}")))
