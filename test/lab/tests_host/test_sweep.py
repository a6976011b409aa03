# SPDX-License-Identifier: GPL-2.0-or-later
"""What `lab sweep` goes through, and the TAP that it prints."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
import sweep
from lab import tap
from lab.selftest import Run


def test_a_failure_takes_the_points_behind_it_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next run starts all the same; the file has what was printed."""
    runs = sweep.chosen(["ipv4", "tcp"])

    def perform(run: Run) -> Iterator[str]:
        points = run.points()
        yield from points[:10]
        if run.links == "clean":
            raise ValueError("two lines\nof reason")
        yield from points[10:]

    monkeypatch.setattr(sweep, "in_a_lab", perform)
    monkeypatch.setattr(sweep, "RESULT", tmp_path / "sweep.tap")
    out = io.StringIO()
    assert sweep.main(["ipv4", "tcp"], out) == 1
    lines = out.getvalue().splitlines()
    assert lines[:3] == ["TAP version 13", "1..24", "ok 1 ipv4 tcp clean paths=1 numa"]
    assert lines[12] == "not ok 11 ipv4 tcp clean paths=4 round-robin"
    assert {line[:2] for line in lines[13:-13]} == {"# "}
    assert lines[-15:-13] == ["# ValueError: two lines", "# of reason"]
    assert lines[-13] == "not ok 12 ipv4 tcp clean paths=4 queue-depth # not reached"
    assert lines[-12:] == [f"ok {n} {p}" for n, p in enumerate(runs[1].points(), 13)]
    assert (tmp_path / "sweep.tap").read_text() == out.getvalue()


@pytest.mark.parametrize("yielded", [["a"], ["b", "a"], ["a", "b", "c"]])
def test_a_run_that_is_not_what_it_announced_fails(yielded: list[str]) -> None:
    out = io.StringIO()
    report = tap.Report([out])
    report.points(["a", "b"], lambda: iter(yielded))
    assert report.failed
