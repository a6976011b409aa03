# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs written by hand, as test/lab/measure.py writes them, for the tests of `make compare`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compare.rows import Row

MIB = 1 << 20


def fio_run(
    speed: float = 4.0, *, rw: str = "read", links: Sequence[float] = (1, 1, 1, 1),
    window: float = 8.0, idle: float = 0.8, sent: int = 4000, again: int = 0, timeouts: int = 0,
    reordered: int = 0, no_room: int = 0, reinjected: int = 0,
    windows: Sequence[tuple[int, int]] = (), subflows: Sequence[int] = (),
    latency: Sequence[float] = (10, 20, 30),
) -> dict[str, Any]:  # fmt: skip
    """speed in MiB/s; links in MiB/s each; latency in ms."""
    received = not rw.endswith("write")
    volumes = [round(rate * MIB * window) for rate in links]
    sender, other = ("target", "host") if received else ("host", "target")
    ways = (
        ("read", "write") if rw == "randrw" else ("write",) if rw.endswith("write") else ("read",)
    )
    return {
        "fio": {
            way: {
                "bw": speed * MIB / len(ways), "iops": 1,
                "latency": {p: v * 1e6 for p, v in zip(("50", "99", "99.9"), latency, strict=True)},
            }
            for way in ways
        },
        "window_s": window, "cpu": {"busy": (1 - idle) * window, "total": window},
        "links": [{"rx": v if received else 0, "tx": 0 if received else v} for v in volumes],
        "tcp": {
            sender: {"OutSegs": sent, "RetransSegs": again, "TCPTimeouts": timeouts,
                     "TCPSACKReorder": reordered},
            other: {"OutSegs": sent // 2},
        },
        "mptcp": {"host": {"NoDSSInWindow": no_room}, sender: {"MPTCPRetrans": reinjected}}
        if sender != "host"
        else {"host": {"NoDSSInWindow": no_room, "MPTCPRetrans": reinjected}, "target": {}},
        "windows": {sender: [list(pair) for pair in windows], other: []},
        "subflows": list(subflows), "scheduler": "default", "run": 1,
        "versions": {"fio": "fio-3.33", "iproute2": "iproute2-6.1.0"},
    }  # fmt: skip


def put(directory: Path, row: Row, number: int, run: dict[str, Any]) -> Path:
    """Writes a run as the guest does."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{row.key}.{number}.json"
    path.write_text(json.dumps({"row": row.as_json(), **run, "run": number}))
    return path
