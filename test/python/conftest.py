# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs programs that import libnvme, each in a process of its own on a fake machine."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()
sys.path[:0] = [str(TOP / "test/cli"), str(TOP / "test/lab"), str(BUILD / "python")]

import usual_signals  # noqa: E402
from fake_sysfs import FakeHost  # noqa: E402

usual_signals.restore()


def preloaded() -> str:
    """What the dynamic linker loads first: the runtime of the sanitizers, then the fake kernel."""
    options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    chosen = {option["name"]: option["value"] for option in options}["b_sanitize"]
    libraries = [str(BUILD / "test/cli/fake-kernel.so")]
    if chosen != "none":
        gcc = ["gcc", "-print-file-name=libasan.so"]
        found = subprocess.run(gcc, capture_output=True, text=True, check=True).stdout.strip()
        libraries.insert(0, found)
    return ":".join(libraries)


#: What programs of tests begin with, after the import of a module: results or errors of calls.
ATTEMPT = """
def attempt(*calls):
    for call in calls:
        try:
            print(call())
        except Exception as error:
            print(type(error).__name__, error)


def numbered(*calls):
    for call in calls:
        try:
            print(call())
        except (nvme.Error, OSError) as error:
            print(type(error).__name__, error.errno, error)
"""


def program(module: str, *parts: str) -> str:
    """A program that has a module of the package and attempt(), which prints results or errors."""
    return "\n".join([f"from libnvme import {module}", ATTEMPT, *map(textwrap.dedent, parts)])


@dataclass
class Python:
    """Python programs on a fake machine; each begins with the same lines."""

    host: FakeHost
    before: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(BUILD / "python"),
            "PYTHONMALLOC": "malloc",
            "MALLOC_PERTURB_": "165",
            "FAKE_DIR": str(self.host.fake),
            "LIBNVME_SYSFS_PATH": str(self.host.root / "sysfs"),
            "LD_PRELOAD": preloaded(),
            # the interpreter itself leaves memory behind when it ends
            "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:verify_asan_link_order=0",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
            "LC_ALL": "C.UTF-8",
        }

    def nvme(self, *args: str) -> subprocess.CompletedProcess[str]:
        """The command on the same machine."""
        return subprocess.run(
            [BUILD / "nvme-cli/nvme", *args],
            capture_output=True, text=True, timeout=60, env=self.environment, check=False,
        )  # fmt: skip

    def __call__(self, source: str, *options: str) -> str:
        """Run it and return what it printed; it must exit with 0 and print no error.

        ``options`` are the interpreter's.
        """
        done = subprocess.run(
            [sys.executable, *options, "-c", program("nvme", self.before, source)],
            capture_output=True, text=True, timeout=60, env=self.environment, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout


def run_python(
    *words: object, within: Sequence[str] = (), python: Path | str = sys.executable,
    path: Path = BUILD / "python",
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run Python on this machine, perhaps by another command, with the package below ``path``."""
    return subprocess.run(
        [*within, str(python), *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    """A machine with the NVMe modules loaded and nothing connected."""
    return FakeHost(tmp_path)


@pytest.fixture
def python(host: FakeHost) -> Python:
    return Python(host)


# They have the package in this process, where a sanitized module cannot be loaded.
if "libasan" not in preloaded():
    from fake_target import configfs as configfs
    from fake_target import operations as operations
    from fake_target import target as target
