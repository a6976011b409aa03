# SPDX-License-Identifier: LGPL-2.1-or-later
"""The words of libnvme.mptcp's documents as types: typing.get_args(Severity) has them all."""

from __future__ import annotations

from typing import Literal

Side = Literal["host", "target"]
"""Whose side: the host connects, the target has the storage."""
Role = Literal["auto", "host", "target"]
"""A side to judge or to repair; auto: a host if there are controllers."""
Severity = Literal["error", "warning", "info"]
"""How bad a finding is, the worst first."""
Subject = Literal[
    "kernel",
    "module",
    "part",
    "service",
    "setting",
    "limit",
    "endpoint",
    "link",
    "network",
    "address",
    "portal",
    "path",
    "controller",
    "subsystem",
    "connection",
    "subflow",
    "join",
    "announcement",
    "packet",
    "port",
]
"""What a finding is about."""
Method = Literal[
    "announced", "laminar", "subflow", "signal", "single", "repair", "config", "routed"
]
"""How subflows come about by a plan, see nvme-mptcp-setup(1)."""
Action = Literal[
    "add", "delete", "replace", "flags", "limits", "renew", "setting", "close", "config", "command"
]
"""What a step of a plan does."""
StepState = Literal["planned", "done", "failed", "undone", "stuck"]
"""What became of a step; undone: done, but a later one failed; stuck: not to be undone."""
EventName = Literal[
    "lost",
    "created",
    "established",
    "closed",
    "announced",
    "removed",
    "subflow-established",
    "subflow-closed",
    "subflow-priority",
    "listener-created",
    "listener-closed",
    "link-down",
    "link-up",
]
"""What the path manager reports; lost: events were not read in time."""
Attribution = Literal["none", "exact", "recorded", "inferred", "shared", "userspace"]
"""How the controller of a connection was found."""
TrialOutcome = Literal["mptcp", "fallback", "no-socket", "no-connection", "no-target"]
"""What became of a trial connection."""
Reason = Literal[
    "endpoint",
    "connection",
    "route",
    "default-route",
    "announcements",
    "elsewhere",
    "only-default-route",
    "no-way-out",
    "no-room",
]
"""Why a link ought to carry connections, or need not."""
LinkKind = Literal["physical", "veth", "virtual"]
"""What is at the other end of a link."""
MetricsFormat = Literal["openmetrics", "prometheus", "json"]
"""How metrics are written: OpenMetrics 1.0, Prometheus' text format 0.0.4, or JSON."""
ChangeKind = Literal["added", "removed", "changed"]
"""What became of something between two snapshots."""
ChangeSubject = Literal[
    "controller", "connection", "subflow", "endpoint", "link", "limits", "setting", "problem"
]
"""What is different between two snapshots."""
