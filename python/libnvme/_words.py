# SPDX-License-Identifier: LGPL-2.1-or-later
"""Words in libnvme.mptcp's documents as types: typing.get_args(Severity) returns all of them."""

from __future__ import annotations

from typing import Literal

Side = Literal["host", "target"]
"""The side: the host connects, the target has the storage."""
Role = Literal["auto", "host", "target"]
"""The side to check or repair; auto: host if there are controllers."""
Severity = Literal["error", "warning", "info"]
"""Severity of a finding, the worst first."""
Subject = Literal[
    "kernel", "module", "part", "service", "setting", "limit", "endpoint", "link", "network",
    "address", "portal", "path", "controller", "subsystem", "connection", "subflow", "join",
    "announcement", "packet", "port",
]  # fmt: skip
"""Subject of a finding."""
Method = Literal[
    "announced", "laminar", "subflow", "signal", "single", "repair", "config", "routed"
]
"""How a plan creates subflows, see nvme-mptcp-setup(1)."""
Action = Literal[
    "add", "delete", "replace", "flags", "limits", "renew", "setting", "close", "config", "command"
]
"""Action of a step of a plan."""
StepState = Literal["planned", "done", "failed", "undone", "stuck"]
"""State of a step; undone: done, but a later one failed; stuck: cannot be undone."""
EventName = Literal[
    "lost", "created", "established", "closed", "announced", "removed", "subflow-established",
    "subflow-closed", "subflow-priority", "listener-created", "listener-closed", "link-down",
    "link-up",
]  # fmt: skip
"""Events of the path manager; lost: events were not read in time."""
Attribution = Literal["none", "exact", "recorded", "inferred", "shared", "userspace"]
"""How the controller of a connection was determined."""
TrialOutcome = Literal["mptcp", "fallback", "no-socket", "no-connection", "no-target"]
"""Result of a trial connection."""
Reason = Literal[
    "endpoint", "connection", "route", "default-route", "announcements", "elsewhere",
    "only-default-route", "no-way-out", "no-room",
]  # fmt: skip
"""Why a link must carry connections, or need not."""
LinkKind = Literal["physical", "veth", "virtual"]
"""What is at the other end of a link."""
MetricsFormat = Literal["openmetrics", "prometheus", "json"]
"""Format of metrics: OpenMetrics 1.0, Prometheus' text format 0.0.4, or JSON."""
ChangeKind = Literal["added", "removed", "changed"]
"""Kind of a difference between two snapshots."""
ChangeSubject = Literal[
    "controller", "connection", "subflow", "endpoint", "link", "limits", "setting", "problem"
]
"""Object of a difference between two snapshots."""
