# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp keep beside a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Keeper:
    """nvme mptcp keep on the host, and what it reported."""

    def __init__(self, *options: str, prefix: Sequence[str] = ()) -> None:
        self.log = Path(tempfile.mkdtemp(), "keep.json")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*prefix, "nvme", "mptcp", "keep", "--auto", "--config", "none", "-o", "json",
                 *options],
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def documents(self) -> list[Any]:
        lines = self.log.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def status(self) -> str:
        found = [d["text"] for d in self.documents() if d["event"] == "status"]
        return str(found[-1]) if found else ""

    def memory(self) -> int:
        """What it has written to, in KiB: statm's sum is estimated, and counts pages of files."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))

    def files(self) -> list[str]:
        """What its descriptors lead to, in no order."""
        return sorted(os.readlink(fd) for fd in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def wakeups(self) -> int:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_"))

    def steps(self) -> list[str]:
        """The commands that it says it has done."""
        return [d["command"] for d in self.documents() if d["event"] == "step"]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        print(self.log.read_text())

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)
