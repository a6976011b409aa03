# SPDX-License-Identifier: GPL-2.0-or-later
"""What an agent has made on this machine, noted before it is made.

The file lies below /run, so it goes with a reboot, as does everything that it lists. It is locked
for as long as its agent lives. A journal with entries and without a lock is of an agent that was
killed: these are leftovers, and they are ours.
"""

import contextlib
import fcntl
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .place import Refused, at

DIRECTORY = "/run/nvme-mptcp-compare"

Entry = dict[str, Any]
#: Takes one entry back; returns what of it has to stay and why, "" for nothing.
Undo = Callable[[Mapping[str, Any]], str]


class Journal:
    """The journal of one role on this machine. Refused if another agent has it."""

    def __init__(self, role: str, undo: Mapping[str, Undo]) -> None:
        self._undo = undo
        self._lock = threading.RLock()
        self._shut = False
        self._path = at(DIRECTORY) / f"{role}.json"
        self._lock_path = at(DIRECTORY) / f"{role}.lock"
        self._guard = _locked(self._lock_path)
        try:
            self._entries = self._read()
        except Refused:
            self.close()
            raise
        self.leftovers = [str(entry["text"]) for entry in self._entries]

    def _read(self) -> list[Entry]:
        try:
            entries = json.loads(self._path.read_text())
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise Refused(
                f"{self._path}: {error}; see what of it is left, then remove it"
            ) from None
        if not isinstance(entries, list) or not all(
            isinstance(e, dict) and e.get("kind") in self._undo and "text" in e for e in entries
        ):
            raise Refused(f"{self._path}: of another version; reboot, or remove what it lists")
        return entries

    def _write(self) -> None:
        partial = self._path.with_suffix(".partial")
        with partial.open("w") as file:
            json.dump(self._entries, file)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(self._path)

    def note(self, kind: str, text: str, **what: Any) -> Entry:
        """Notes what is about to be made; the same is noted once."""
        entry = {"kind": kind, "text": text, **what}
        with self._lock:
            if self._shut:
                raise Refused(f"{text}: not made any more, as this run ends")
            if entry not in self._entries:
                self._entries.append(entry)
                self._write()
        return entry

    def shut(self) -> None:
        """Notes nothing more: whoever wants to make something is refused."""
        self._shut = True

    def complete(self, entry: Entry, **more: Any) -> None:
        """Adds to an entry what is known once it has been made."""
        with self._lock:
            entry |= more
            self._write()

    def take_back(self) -> list[str]:
        """Takes everything back, the last first; returns what could not be, and why.

        What fails stays in the journal, for the next run to try again.
        """
        trouble: list[str] = []
        kept: list[Entry] = []
        with self._lock:
            while self._entries:
                entry = self._entries.pop()
                try:
                    stays = self._undo[entry["kind"]](entry)
                except Exception as error:
                    trouble.append(f"{entry['text']}: {error}")
                    kept.insert(0, entry)
                else:
                    trouble += [f"{entry['text']}: {stays}"] if stays else []
            self._entries = kept
            if kept:
                self._write()
            else:
                self._path.unlink(missing_ok=True)
        return trouble

    def close(self) -> None:
        """Gives the lock back, and leaves nothing unless there are entries."""
        self._lock_path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._lock_path.parent.rmdir()
        os.close(self._guard)


def _locked(path: Path) -> int:
    """Locks a file, made if need be; returns its descriptor. Refused if somebody has it."""
    while True:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            guard = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            # whoever had it has just removed the directory
            continue
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(guard), path.stat()):
                return guard
        except BlockingIOError:
            os.close(guard)
            text = f"another run measures here ({path} is held); wait for its end"
            raise Refused(text) from None
        except FileNotFoundError:
            pass
        # it was locked while its owner removed it
        os.close(guard)
