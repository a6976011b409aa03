#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plan endpoints and limits, and apply the plan: plan_and_apply.py ROLE ADDRESSES [--apply]

ROLE is host or target. ADDRESSES begin with the one to connect to; the others follow after commas
if the target announces them. Without --apply, nothing is changed: the exit status is 2 if the plan
has steps, else 0.
"""

from __future__ import annotations

import sys

from libnvme import mptcp

SIDES: dict[str, mptcp.Side] = {"host": "host", "target": "target"}


def show(plan: mptcp.Plan) -> None:
    """Print each step with its reason and what became of it."""
    for step in plan.steps:
        print(f"{step.state}: {step.command}")
        print(f"    {step.error or step.why}")
    for note in plan.notes:
        print(f"note: {note.text}")
        if note.command:
            print(f"    {note.side}# {note.command}")
    if not plan.steps:
        print("nothing to do")


def main(role: mptcp.Side, addresses: str, *, apply: bool) -> int:
    """Returns the exit code: 0 if all is as it should be, 1 after a failure, 2 if it is not yet."""
    try:
        plan = mptcp.setup(role, traddr=addresses.split(","), apply=apply)
    except mptcp.PlanFailed as failed:
        show(failed.plan)
        print(f"plan_and_apply.py: {failed}; what had been done is undone", file=sys.stderr)
        return 1
    show(plan)
    return 2 if plan.steps and not apply else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--apply"]
    if len(words) != 2 or words[0] not in SIDES:
        sys.exit("Usage: plan_and_apply.py ROLE ADDRESSES [--apply]")
    try:
        sys.exit(main(SIDES[words[0]], words[1], apply="--apply" in sys.argv))
    except (OSError, ValueError) as error:
        sys.exit(f"plan_and_apply.py: {error}")
