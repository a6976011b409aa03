# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots side by side: in order for the reader, and an error is not lost."""

from __future__ import annotations

import functools
import io
import threading
from pathlib import Path
from typing import BinaryIO

import pytest
from nvmelab import sidebyside


def test_output_comes_in_order() -> None:
    second_has_written = threading.Event()

    def first(out: BinaryIO) -> int:
        out.write(b"first begins\n")
        out.flush()
        assert second_has_written.wait(10)
        out.write(b"first ends\n")
        return 1

    def second(out: BinaryIO) -> int:
        out.write(b"second\n")
        out.flush()
        second_has_written.set()
        return 2

    def third(out: BinaryIO) -> int:
        out.write(b"third\n")
        return 3

    shown = io.BytesIO()
    assert sidebyside.run([first, second, third], 2, shown) == [1, 2, 3]
    assert shown.getvalue() == b"first begins\nfirst ends\nsecond\nthird\n"


def test_the_longest_is_begun_first_and_shown_in_its_place() -> None:
    begun: list[bytes] = []

    def task(name: bytes, out: BinaryIO) -> bytes:
        begun.append(name)
        out.write(name)
        return name

    shown = io.BytesIO()
    tasks = [functools.partial(task, name) for name in (b"a", b"b", b"c")]
    assert sidebyside.run(tasks, 1, shown, first=[2]) == [b"a", b"b", b"c"]
    assert begun == [b"c", b"a", b"b"]
    assert shown.getvalue() == b"abc"


def test_no_more_at_a_time_than_asked_for() -> None:
    lock = threading.Lock()
    running: list[int] = []
    most: list[int] = []

    def task(_: BinaryIO) -> None:
        with lock:
            running.append(1)
            most.append(len(running))
        threading.Event().wait(0.02)
        with lock:
            running.pop()

    sidebyside.run([task] * 6, 2, io.BytesIO())
    assert max(most) <= 2


def test_an_error_ends_the_run() -> None:
    begun: list[int] = []

    def fails(_: BinaryIO) -> None:
        raise OSError("no machine")

    def counts(_: BinaryIO) -> None:
        begun.append(1)

    with pytest.raises(OSError, match="no machine"):
        sidebyside.run([fails, counts, counts], 1, io.BytesIO())
    assert not begun


def test_memory(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    4194304 kB\n")
    assert sidebyside.available_memory(meminfo) == 4096
    meminfo.write_text("MemTotal: 9 kB\n")
    assert sidebyside.available_memory(meminfo) == 0
