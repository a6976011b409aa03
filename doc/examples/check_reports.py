#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Summarize the reports of a fleet: check_reports.py FILE...

Each machine writes its own with "nvme mptcp report -O FILE" or mptcp.report(FILE).
"""

from __future__ import annotations

import sys
from collections import Counter

from libnvme import mptcp


def unused_links(report: mptcp.Report) -> list[str]:
    """The links that have an endpoint and carry no subflow of a controller that others carry."""
    usable = {endpoint.link for endpoint in report.snapshot.endpoints if endpoint.link}
    lacking = []
    for ctrl in report.snapshot.controllers:
        used = {subflow.link for subflow in ctrl.subflows() if subflow.carrying}
        lacking += [f"{ctrl.name} does not use {link}" for link in sorted(usable - used)]
    return lacking


def show(report: mptcp.Report) -> Counter[str]:
    """Print what is wrong with one machine; returns how often each rule was broken."""
    serious = [f for f in report.findings if f.severity != "info"]
    print(f"{report.hostname}: {len(serious)} findings, {report.taken}, {report.kernel.release}")
    for finding in serious:
        print(f"  {finding.severity} {finding.rule} {finding.subject}: {finding.why}")
        for fix in finding.fix:
            print(f"    {fix.side}# {fix.command}")
    for line in unused_links(report):
        print(f"  {line}")
    return Counter(finding.rule for finding in serious)


def main(*files: str) -> int:
    """Returns the exit code: 1 if a machine has something to mend, or a report cannot be read."""
    broken: Counter[str] = Counter()
    unread = 0
    for file in files:
        try:
            broken += show(mptcp.read_report(file))
        except (OSError, ValueError) as error:
            print(f"check_reports.py: {error}", file=sys.stderr)
            unread += 1
    for rule, times in broken.most_common():
        print(f"{rule}: {times} in {len(files) - unread} reports")
    return 1 if broken or unread else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: check_reports.py FILE...")
    sys.exit(main(*sys.argv[1:]))
