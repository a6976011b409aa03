# SPDX-License-Identifier: GPL-2.0-or-later
"""The table that test/lab/benchmark.py prints of what links carry."""

from __future__ import annotations

import benchmark
import pytest
from benchmark import Load, Speed


def speed(load: Load, transport: str, mib: float, **counters: int) -> Speed:
    """A run."""
    return Speed(load, transport, mib, [], counters)


def test_a_ratio_is_that_of_its_own_round(capsys: pytest.CaptureFixture[str]) -> None:
    read, write = Load("read"), Load("write", 2, 32, inline=True)
    benchmark.show_speeds(
        [
            speed(read, "tcp", 1.0), speed(read, "mptcp", 4.0, RetransSegs=7),
            speed(write, "tcp", 1.0), speed(write, "mptcp", 3.0, MPTCPRetrans=2),
            speed(read, "tcp", 2.0), speed(read, "mptcp", 6.0),
            speed(read, "tcp", 1.0), speed(read, "mptcp", 3.5, NoDSSInWindow=9),
        ]
    )  # fmt: skip
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row for row in rows if "read" in row or "write" in row] == [
        "| read | 1 | 8 | 1.00 2.00 1.00 | 4.00 6.00 3.50 | 4.00 3.00 3.50 | 3.50 |",
        "| write, with the command | 2 | 32 | 1.00 | 3.00 | 3.00 | 3.00 |",
        "| read | 1 | 8 | 7 | 0 | 0 |",
        "| write, with the command | 2 | 32 | 0 | 2 | 0 |",
        "| read | 1 | 8 | 0 | 0 | 0 |",
        "| read | 1 | 8 | 0 | 0 | 9 |",
    ]


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
