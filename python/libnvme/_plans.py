# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libnvme.mptcp.setup() and repair() plan, as frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._document import Document, of
from ._names import MODULE
from ._words import Action, Method, Side, StepState


@dataclass(frozen=True, slots=True)
class PlanLink:
    """A link that a plan uses."""

    link: str
    """The network interface."""
    address: str
    """Its IP address."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Connections without a subflow on a link."""

    subject: str
    """The controller, "nvme0"; several that share connections, "nvme0,nvme1"; "hosts"."""
    controllers: tuple[str, ...]
    """The names of these controllers; none for hosts."""
    link: str
    """The network interface."""
    missing: int
    """How many connections have no established subflow there."""
    connections: int
    """Out of how many."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan."""

    action: Action
    command: str
    """The same by hand: a command line of ip-mptcp(8)."""
    why: str
    """The reason as a sentence."""
    state: StepState
    error: str | None = None
    """The kernel's words, if it refused."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a plan cannot do, and what is worth knowing."""

    text: str
    side: Side | None = None
    """Where the command is to be run: host or target."""
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Document):
    """What setup() or repair() does or would do; false if everything is as it should be."""

    netns: str | None = None
    """The network namespace that was asked for; None: the caller's."""
    role: Side
    """The side of this machine."""
    method: Method
    """How subflows come about."""
    config: dict[str, Any] | None = field(hash=False, default=None)
    """Of a set-up: what it aims at, as the object "mptcp" of a host in config.json."""
    unrepairable: int = 0
    """Controllers that a repair can do nothing for: not live, or connected elsewhere."""
    links: tuple[PlanLink, ...] = of(PlanLink, ())
    missing: tuple[Gap, ...] | None = of(Gap, None)
    """Of a repair: what was missing before."""
    steps: tuple[Step, ...] = of(Step, ())
    """In the order in which they are done."""
    notes: tuple[Note, ...] = of(Note, ())

    def __bool__(self) -> bool:
        """Is there a step?"""
        return bool(self.steps)


class PlanFailed(OSError):
    """The kernel refused a step; errno and text say why, the plan what became of each step."""

    __module__ = MODULE

    plan: Plan

    def __init__(self, errno: int, text: str, plan: Plan) -> None:
        super().__init__(errno, text)
        self.plan = plan

    def __reduce__(self) -> tuple[type, tuple[int | None, str | None, Plan]]:
        return type(self), (self.errno, self.strerror, self.plan)
