# SPDX-License-Identifier: GPL-2.0-or-later
"""Run several boots in parallel, and print their output as if they ran one after another."""

import io
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

T = TypeVar("T")


class Turns:
    """Pass on the output of the first unfinished writer, and keep the output of the others."""

    def __init__(self, out: BinaryIO, count: int) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._kept = [bytearray() for _ in range(count)]
        self._ended = [False] * count
        self._turn = 0

    def writer(self, index: int) -> BinaryIO:
        """Return the stream for the writer with this number."""
        return io.BufferedWriter(_Place(self, index))

    def write(self, index: int, data: bytes) -> None:
        """Pass output on, or keep it."""
        with self._lock:
            if index == self._turn:
                self._show(data)
            else:
                self._kept[index] += data

    def end(self, index: int) -> None:
        """Note that a writer has ended, and print the output of the next one."""
        with self._lock:
            self._ended[index] = True
            while self._turn < len(self._ended) and self._ended[self._turn]:
                self._turn += 1
                if self._turn < len(self._ended):
                    self._show(bytes(self._kept[self._turn]))
                    self._kept[self._turn].clear()

    def _show(self, data: bytes) -> None:
        self._out.write(data)
        self._out.flush()


class _Place(io.RawIOBase):
    def __init__(self, turns: Turns, index: int) -> None:
        self._turns = turns
        self._index = index

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        self._turns.write(self._index, piece)
        return len(piece)


def run(
    tasks: Sequence[Callable[[BinaryIO], T]], jobs: int, out: BinaryIO, first: Sequence[int] = ()
) -> list[T]:
    """Run the tasks, ``jobs`` at a time, and return their results in the order of the tasks.

    Tasks in ``first`` are started before the others: a long task that starts last would run alone.
    The first exception is raised when all started tasks have ended. The threads are daemons, so
    that the program does not wait for them when it ends; QEMU dies with the thread that started it.
    """
    turns = Turns(out, len(tasks))
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    results: dict[int, T] = {}
    errors: list[BaseException] = []
    for index in sorted(range(len(tasks)), key=lambda index: index not in first):
        waiting.put(index)

    def work() -> None:
        while not errors:
            try:
                index = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                with turns.writer(index) as writer:
                    results[index] = tasks[index](writer)
            except BaseException as error:
                errors.append(error)
            turns.end(index)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, len(tasks)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():  # signals are handled between two waits
            thread.join(0.5)
    if errors:
        raise errors[0]
    return [results[index] for index in range(len(tasks))]


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the available memory in MiB."""
    for line in meminfo.read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // 1024
    return 0
