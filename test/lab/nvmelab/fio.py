# SPDX-License-Identifier: GPL-2.0-or-later
"""Build fio's command line for one job on a disk, and extract the job's result.

Used in the lab's guest and on real machines, so it imports only the standard library.
"""

import json
from collections.abc import Mapping
from typing import Any

#: Default job: 128 KiB sequential reads with O_DIRECT, depth 32, 5 s. With much more data in
#: flight, the receive buffer of MPTCP in 6.12 overflows, and dropped data waits for retransmission.
USUAL: Mapping[str, object] = {
    "name": "lab", "rw": "read", "bs": "128k", "iodepth": 32, "ioengine": "libaio", "direct": 1,
    "runtime": 5, "time_based": 1, "group_reporting": 1,
}  # fmt: skip

#: Seconds after the end of a job's run time until it counts as hung.
PATIENCE = 600


def command(disk: object, options: Mapping[str, object]) -> list[str]:
    """Return fio's command line. Options have fio's names with underscores; None removes one."""
    given = {**USUAL, "filename": disk, **options}
    words = [f"--{name}={value}" for name, value in given.items() if value is not None]
    return ["fio", "--output-format=json", *words]


def limit(options: Mapping[str, object]) -> int:
    """Return the time limit in seconds of a job with these options."""
    return PATIENCE + int(str(options.get("runtime", USUAL["runtime"]) or 0))


def job_of(printed: str) -> dict[str, Any]:
    """Return the job's part of fio's output, which may have messages before its JSON."""
    result = json.loads(printed[printed.index("{") :])
    job: dict[str, Any] = result["jobs"][0]
    return job
