# SPDX-License-Identifier: GPL-2.0-or-later
"""Single requests as fio logs them, and the speed that they make."""

from __future__ import annotations

from pathlib import Path

import pytest
from compare.requests import Request, completions, logged, of_requests, percentile, rate

#: A link of 1 MiB/s whose requests end in bursts of a MiB.
MIB = 1 << 20


def bursts(first: float, count: int, *, each: int = 8, way: str = "read") -> list[Request]:
    """Bursts one second after another, in ms of the clock of the day."""
    size = MIB // each
    return [
        Request(round(1000 * (first + number)), 5_000_000, way, size)
        for number in range(count) for _ in range(each)
    ]  # fmt: skip


def test_logs_of_all_jobs_are_read_in_order_and_of_one_kind(tmp_path: Path) -> None:
    (tmp_path / "fio_lat.1.log").write_text(
        "1000100, 5, 0, 131072, 0, 0\n1000300, 6, 1, 4096, 0, 0\n"
    )
    (tmp_path / "fio_lat.2.log").write_text("1000200, 7, 0, 131072, 0, 0\n999990, 8, 0, 1, 0, 0\n")
    (tmp_path / "fio_clat.1.log").write_text("7, 5, 0, 131072, 0, 0\n")
    found = logged(tmp_path)
    assert found == [
        Request(999990, 8, "read", 1), Request(1000100, 5, "read", 131072),
        Request(1000200, 7, "read", 131072), Request(1000300, 6, "write", 4096),
    ]  # fmt: skip
    assert completions(found, 1000.0) == [0, 100, 200, 300]


@pytest.mark.parametrize("phase", [0.0, 0.01, 0.25, 0.5, 0.75, 0.99])
def test_a_burst_more_or_less_changes_nothing(phase: float) -> None:
    """A plain count of 8 s has 8 or 9 bursts; the slope is within two percent."""
    found = rate(bursts(100 + phase - 2, 14), 100.0, 8.0)
    assert found == pytest.approx(MIB, rel=0.02)


def test_requests_outside_count_for_nothing() -> None:
    inside = bursts(100.5, 8)
    outside = [Request(99_999, 1, "read", MIB), Request(108_001, 1, "read", MIB)]
    assert rate(inside + outside, 100.0, 8.0) == rate(inside, 100.0, 8.0)


def test_of_mixed_requests_each_direction_has_its_own() -> None:
    requests = bursts(100.5, 8) + bursts(100.5, 8, each=4, way="write")
    found = of_requests(requests, 100.0, 8.0, ("read", "write"), (50, 99.9))
    assert found["read"]["bw"] == pytest.approx(MIB, rel=0.01)
    assert found["read"]["iops"] == pytest.approx(8, rel=0.01)
    assert found["write"]["iops"] == pytest.approx(4, rel=0.01)
    assert found["read"]["latency"] == {"50": 5_000_000, "99.9": 5_000_000}


def test_a_direction_in_which_nothing_was_completed_is_an_error() -> None:
    with pytest.raises(AssertionError, match=r"no write was completed in 8 s"):
        of_requests(bursts(100.5, 8), 100.0, 8.0, ("write",), (50,))


def test_percentiles_are_values_that_were_seen() -> None:
    values = list(range(1, 101))
    assert [percentile(values, share) for share in (50, 99, 99.9)] == [50, 99, 100]
    assert [percentile([7], share) for share in (50, 99.9)] == [7, 7]
