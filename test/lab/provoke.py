#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a guest with the kernel of series debug: provoke a report. Each has to fail the run.

test/lab/lab run --kernel-series debug test/lab/provoke.py -- kasan|lockdep|kmemleak
"""

import subprocess
import sys
from pathlib import Path

#: The modules that have it, and what is written to LKDTM's file, if that is asked.
MISTAKES = {
    "kasan": ("lkdtm", "WRITE_AFTER_FREE"),
    "lockdep": ("lkdtm", "SPINLOCKUP"),
    "kmemleak": ("kmemleak-test", ""),
}


def main(words: list[str]) -> int:
    """Return the exit status: 0, so that nothing but the report fails the run."""
    if len(words) != 1 or words[0] not in MISTAKES:
        print(f"usage: provoke.py {'|'.join(MISTAKES)}", file=sys.stderr)
        return 2
    module, mistake = MISTAKES[words[0]]
    subprocess.run(["modprobe", module], check=True)
    if mistake:
        Path("/sys/kernel/debug/provoke-crash/DIRECT").write_text(mistake)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
