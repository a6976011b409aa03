# SPDX-License-Identifier: LGPL-2.1-or-later
"""What starting costs: the system calls of the program itself, once it is loaded."""

import os
import re
import shutil
import subprocess

import pytest
from conftest import NVME, sanitizer_library

# getrandom and brk of the first malloc, two questions about stdout, writing to it, and leaving.
LEAST = 12


@pytest.fixture
def calls(host, tmp_path):
    """Runs the program under strace; returns the calls that follow loading it."""
    if not shutil.which("strace"):
        pytest.skip("skipped: strace is missing")
    if sanitizer_library(NVME):
        pytest.skip("skipped: a sanitizer makes system calls of its own")

    def run(*args):
        trace = tmp_path / "trace"
        environment = {
            "PATH": os.environ["PATH"],
            "LIBNVME_SYSFS_PATH": str(host.root / "sysfs"),
            "LC_ALL": "de_DE.UTF-8",
        }
        command = ["strace", "-f", "-o", trace, NVME, *args]
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False
        )
        if done.returncode and b"ptrace" in done.stderr:
            pytest.skip("skipped: strace may not trace here")
        assert done.returncode == 0, done.stderr
        lines = [line.split(" ", 1)[1].strip() for line in trace.read_text().splitlines()]
        # The last that the loader does is to give its cache of libraries back.
        loaded = max(i for i, line in enumerate(lines) if line.startswith("munmap("))
        return [line for line in lines[loaded + 1 :] if not line.startswith("+++")]

    return run


def opened(lines):
    """The paths that were opened, or looked at."""
    return [
        match[1]
        for line in lines
        if (
            match := re.match(r'(?:open|openat|access|newfstatat|statx|readlink)\(.*?"(.+?)"', line)
        )
    ]


@pytest.mark.parametrize("args", [["version"], ["help"], [], ["mptcp"]])
def test_nothing_is_read(calls, args):
    lines = calls(*args)
    assert opened(lines) == []
    assert len(lines) <= LEAST, lines


def test_listing_reads_what_it_lists(calls, host):
    lines = calls("list-subsys")
    assert set(opened(lines)) <= {f"{host.sys}/class/nvme", f"{host.sys}/class/nvme-subsystem"}
    # An empty directory is opened, looked at twice, read, read to its end and closed.
    assert len(lines) <= LEAST + 2 * 6, lines
