# SPDX-License-Identifier: GPL-2.0-or-later
"""The table that test/lab/benchmark.py prints of what links carry."""

from __future__ import annotations

from pathlib import Path

import benchmark
import pytest
from benchmark import Load, Speed


def speed(load: Load, transport: str, mib: float, **counters: int) -> Speed:
    """A run."""
    return Speed(load, transport, mib, [], counters)


def test_a_ratio_is_that_of_its_own_round(capsys: pytest.CaptureFixture[str]) -> None:
    read, write = Load("read"), Load("write", 2, 32, inline=True)
    short = Load("write", short=True)
    benchmark.show_speeds(
        [
            speed(read, "tcp", 1.0), speed(read, "mptcp", 4.0, RetransSegs=7),
            speed(write, "tcp", 1.0), speed(write, "mptcp", 3.0, MPTCPRetrans=2),
            speed(read, "tcp", 2.0), speed(read, "mptcp", 6.0),
            speed(read, "tcp", 1.0), speed(read, "mptcp", 3.5, NoDSSInWindow=9),
            speed(short, "tcp", 1.0), speed(short, "mptcp", 3.9),
        ]
    )  # fmt: skip
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row for row in rows if "read" in row or "write" in row] == [
        "| read | 1 | 8 | 1.00 2.00 1.00 | 4.00 6.00 3.50 | 4.00 3.00 3.50 | 3.50 |",
        "| write, with the command | 2 | 32 | 1.00 | 3.00 | 3.00 | 3.00 |",
        "| write, send buffer of 524288 bytes | 1 | 8 | 1.00 | 3.90 | 3.90 | 3.90 |",
        "| read | 1 | 8 | 7 | 0 | 0 |",
        "| write, with the command | 2 | 32 | 0 | 2 | 0 |",
        "| read | 1 | 8 | 0 | 0 | 0 |",
        "| read | 1 | 8 | 0 | 0 | 9 |",
        "| write, send buffer of 524288 bytes | 1 | 8 | 0 | 0 | 0 |",
    ]


def test_send_buffers_are_those_of_before_afterwards() -> None:
    said: list[tuple[str, str, object]] = []

    class Network:
        """Notes what is set."""

        def sysctl(self, side: str, name: str, value: object) -> None:
            """Notes it."""
            said.append((side, name, value))

    class Bench:
        """A lab with that network."""

        network = Network()

    before = Path("/proc/sys/net/ipv4/tcp_wmem").read_text().strip()
    with pytest.raises(ZeroDivisionError), benchmark.send_buffers(Bench(), "1 2 3"):  # type: ignore[arg-type]
        raise ZeroDivisionError
    with benchmark.send_buffers(Bench(), ""):  # type: ignore[arg-type]
        pass
    sides = ("host", "target")
    assert sorted(said[:2]) == [(side, "ipv4.tcp_wmem", "1 2 3") for side in sides]
    assert sorted(said[2:]) == [(side, "ipv4.tcp_wmem", before) for side in sides]


def test_reads_and_writes_go_by_turns_over_both(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[tuple[str, str]] = []

    class Target:
        """Offers whatever it is told to."""

        def configure(self, _: object) -> None:
            """Does nothing."""

    class Bench:
        """A lab that carries nothing."""

        target = Target()

        def reset(self) -> None:
            """Does nothing."""

    def measure(_: object, load: Load, transport: str) -> Speed:
        order.append((load.rw, transport))
        return speed(load, transport, 1.0)

    monkeypatch.setattr(benchmark, "measure", measure)
    benchmark.link_speeds(Bench(), benchmark.LOADS[:2], 2)  # type: ignore[arg-type]
    assert order == [
        ("read", "tcp"), ("read", "mptcp"), ("write", "tcp"), ("write", "mptcp"),
    ] * 2  # fmt: skip
