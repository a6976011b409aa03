# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the tools of the build with programs of the tests' own on PATH."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))

DEBIAN = 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n'


@dataclass
class Machine:
    """A machine on which some programs are what a test needs them to be."""

    top: Path
    release: str = DEBIAN
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        """The directory that is first on PATH."""
        return self.top / "bin"

    def program(self, name: str, script: str) -> None:
        """Put a program on PATH."""
        self.bin.mkdir(exist_ok=True)
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run(self, tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a tool; standard output and standard error come as one text, as in a file."""
        (self.top / "os-release").write_text(self.release)
        return self.call(
            TOP / "tools" / tool, *arguments,
            OS_RELEASE=str(self.top / "os-release"), BUILD=str(self.top / "build"),
        )  # fmt: skip

    def call(self, *command: str | Path, **given: str) -> subprocess.CompletedProcess[str]:
        """Run a program there, without what a make around this test passes on."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        for name in ("PREFIX", "DESTDIR", "FORCE", "BUILD"):
            kept.pop(name, None)
        path = f"{self.bin}:{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=self.top,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
            env={**kept, "PATH": path, **given, **self.environment},
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which the test's own programs come first."""
    made = Machine(tmp_path)
    made.bin.mkdir()
    return made
