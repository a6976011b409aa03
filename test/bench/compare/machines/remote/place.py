# SPDX-License-Identifier: GPL-2.0-or-later
"""Where this machine's files are, and how its programs are run."""

import contextlib
import os
import shlex
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

#: Another place for everything below /, which tests have.
ROOT = Path(os.environ.get("THREAD_ROOT", "/"))

#: Where programs of an administrator are; a login over ssh may not look there.
PROGRAMS = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"


class Refused(Exception):
    """Something is not as it has to be; nothing was touched for it."""


class Programs:
    """Those that are at work, so that none outlives the agent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False

    def run(self, words: Sequence[str], timeout: float = 120) -> str:
        """Runs one; returns what it prints. A failure is a RuntimeError with what it said."""
        with self._lock:
            if self._over:
                raise RuntimeError(f"{words[0]}: not started any more")
            process = subprocess.Popen(
                list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, errors="replace",
            )  # fmt: skip
            self._running.add(process)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise RuntimeError(f"{shlex.join(words)}: not within {timeout:g} s") from None
        finally:
            with self._lock:
                self._running.discard(process)
        if process.returncode:
            said = (err or out).strip() or "it said nothing"
            raise RuntimeError(f"{shlex.join(words)}: exit status {process.returncode}: {said}")
        return out

    def end(self) -> None:
        """Kills what runs, and starts nothing any more but by ``again``."""
        with self._lock:
            self._over = True
            running = list(self._running)
        for process in running:
            with contextlib.suppress(OSError):
                process.kill()

    def again(self) -> None:
        """Lets programs run again: those that clean up."""
        with self._lock:
            self._over = False


PROGRAMS_HERE = Programs()
run = PROGRAMS_HERE.run


def at(path: str) -> Path:
    """Returns where an absolute path of the machine is."""
    return ROOT / path.lstrip("/")


def text_of(path: Path) -> str:
    """A file's text without the space around it; "" if it is not there or cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def loaded_modules() -> list[str]:
    """Names of the modules that are loaded, the last one first."""
    return [line.split()[0] for line in text_of(at("/proc/modules")).splitlines()]
