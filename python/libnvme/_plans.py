# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans of libnvme.mptcp.setup() and repair(), as frozen dataclasses."""

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
    """Names of these controllers; empty for hosts."""
    link: str
    """The network interface."""
    missing: int
    """Number of connections without an established subflow on the link."""
    connections: int
    """Number of connections in total."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan."""

    action: Action
    command: str
    """The equivalent command line of ip-mptcp(8)."""
    why: str
    """The reason as a sentence."""
    state: StepState
    error: str | None = None
    """The kernel's error message, if it refused."""


@dataclass(frozen=True, slots=True)
class Note:
    """A limitation of a plan, or other useful information."""

    text: str
    side: Side | None = None
    """The side on which to run the command: host or target."""
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Document):
    """The steps of setup() or repair(); false if nothing needs to be done."""

    netns: str | None = None
    """The requested network namespace; None: the caller's."""
    role: Side
    """The side of this machine."""
    method: Method
    """How subflows are created."""
    config: dict[str, Any] | None = field(hash=False, default=None)
    """For setup(): the configuration it aims at, as the object "mptcp" of a host in config.json."""
    unrepairable: int = 0
    """Controllers that repair() cannot help: not live, or without connections in this namespace."""
    links: tuple[PlanLink, ...] = of(PlanLink, ())
    missing: tuple[Gap, ...] | None = of(Gap, None)
    """For repair(): missing subflows before it."""
    steps: tuple[Step, ...] = of(Step, ())
    """In the order of execution."""
    notes: tuple[Note, ...] = of(Note, ())

    def __bool__(self) -> bool:
        """Return whether there is a step."""
        return bool(self.steps)


class PlanFailed(OSError):
    """The kernel refused a step; errno and text state why, plan has the result of each step."""

    __module__ = MODULE

    plan: Plan

    def __init__(self, errno: int, text: str, plan: Plan) -> None:
        super().__init__(errno, text)
        self.plan = plan

    def __reduce__(self) -> tuple[type, tuple[int | None, str | None, Plan]]:
        return type(self), (self.errno, self.strerror, self.plan)
