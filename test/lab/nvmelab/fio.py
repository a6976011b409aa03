# SPDX-License-Identifier: GPL-2.0-or-later
"""fio's command line for one job on a disk, and that job's part of what it prints.

Used in the lab's guest and on real machines; only the standard library is imported.
"""

import json
from collections.abc import Mapping
from typing import Any

#: What a job is unless it is told otherwise: 128 KiB sequential reads past the page cache, depth
#: 32, 5 s. Much more than that under way overruns the receive buffer of 6.12's MPTCP, which drops
#: what it has no room for and waits for retransmissions.
USUAL: Mapping[str, object] = {
    "name": "lab", "rw": "read", "bs": "128k", "iodepth": 32, "ioengine": "libaio", "direct": 1,
    "runtime": 5, "time_based": 1, "group_reporting": 1,
}  # fmt: skip

#: Seconds beside a job's own after which it hangs.
PATIENCE = 600


def command(disk: object, options: Mapping[str, object]) -> list[str]:
    """Returns fio's command line; options are fio's (underscores), None takes one away."""
    given = {**USUAL, "filename": disk, **options}
    words = [f"--{name}={value}" for name, value in given.items() if value is not None]
    return ["fio", "--output-format=json", *words]


def limit(options: Mapping[str, object]) -> int:
    """Returns the seconds after which a job of these options hangs."""
    return PATIENCE + int(str(options.get("runtime", USUAL["runtime"]) or 0))


def job_of(printed: str) -> dict[str, Any]:
    """Returns the job's part of what fio printed; it may say something before its JSON."""
    result = json.loads(printed[printed.index("{") :])
    job: dict[str, Any] = result["jobs"][0]
    return job
