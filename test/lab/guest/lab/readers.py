# SPDX-License-Identifier: GPL-2.0-or-later
"""Unprivileged processes that read public attributes of controllers, several at once."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Attributes that the transport reads under a queue's lock.
ATTRIBUTES = ("address", "queue_addrs")

#: The user and group "nobody".
NOBODY = 65534

#: Seconds after which a reader that should end counts as hung in the kernel.
END_S = 30

READ = """
import glob, os, sys, time
while True:
    time.sleep(float(sys.argv[2]))
    for path in glob.glob("/sys/class/nvme/nvme*/" + sys.argv[1]):
        try:
            with open(path, "rb", buffering=0) as attribute:
                for _ in range(100):
                    os.pread(attribute.fileno(), 4096, 0)
        except OSError:
            pass
"""


@contextmanager
def readers(pause: float = 0) -> Iterator[None]:
    """Run two readers of each attribute, which must be running at the end, and then end.

    They read a hundred times without a pause, and then sleep for ``pause`` seconds.
    """
    command = [sys.executable, "-c", READ]
    running = [
        subprocess.Popen([*command, name, str(pause)], user=NOBODY, group=NOBODY, extra_groups=[])
        for name in ATTRIBUTES * 2
    ]
    try:
        yield
        ended = [reader.args for reader in running if reader.poll() is not None]
        if ended:
            raise AssertionError(f"readers ended by themselves: {ended}")
    finally:
        for reader in running:
            reader.terminate()
        for reader in running:
            reader.wait(END_S)
