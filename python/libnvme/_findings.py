# SPDX-License-Identifier: LGPL-2.1-or-later
"""Findings of libnvme.mptcp.check() as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import overload

from ._document import Document, of
from ._documents import Ends, Subflow
from ._words import Severity, Side, Subject, TrialOutcome


@dataclass(frozen=True, slots=True)
class Fix:
    """A command that fixes a problem."""

    side: Side
    """The side on which to run it."""
    command: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason why subflows are missing or will be; doc/mptcp-rules.md describes the rules."""

    rule: str
    """Id of the rule, such as "H08"."""
    severity: Severity
    side: Side
    """The side that has the problem."""
    subject: str
    """The subject in words, such as "endpoint 3 (192.0.2.1)"."""
    kind: Subject
    """Kind of the subject."""
    objects: tuple[str, ...]
    """Identifiers of it, such as ("3", "192.0.2.1") or ("nvme1",); empty: all of the kind."""
    evidence: dict[str, str] = field(hash=False)
    """Facts that support the finding."""
    why: str
    """The reason as a sentence."""
    fix: tuple[Fix, ...] = of(Fix, ())
    """Commands to run, in order."""


@dataclass(frozen=True, slots=True)
class ClosedSubflow(Ends):
    """A subflow of a trial that ended, or was never established."""

    local: str | None = None
    remote: str | None = None
    errno: int | None = None
    reset_reason: int | None = None
    """RFC 8684 section 3.6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of a trial connection, which is closed."""

    portal: str
    """The target's address and port."""
    outcome: TrialOutcome
    reason: str | None = None
    """Why the outcome is not mptcp, as a sentence."""
    errno: int | None = None
    lasted_ms: int
    fallback: bool | None = None
    """It fell back to plain TCP."""
    subflows_expected: int | None = None
    """One for each endpoint or announced address, and the initial one."""
    subflows_established: int | None = None
    subflows_pending: int | None = None
    announced: int | None = None
    """Number of addresses that the target announced."""
    announced_addresses: tuple[str, ...] | None = None
    """None without CAP_NET_ADMIN."""
    subflows: tuple[Subflow, ...] = of(Subflow, ())
    """Their state before the connection was closed."""
    closed: tuple[ClosedSubflow, ...] | None = of(ClosedSubflow, None)
    """None without CAP_NET_ADMIN."""


@dataclass(frozen=True, slots=True)
class Findings(Document):
    """The findings of check(): a sequence of Finding, the worst first."""

    roles: tuple[Side, ...] = ()
    """The sides that were checked."""
    ignored: int = 0
    """Number of findings that were omitted on request."""
    peer: str | None = None
    """The machine whose report was read, too."""
    connects_by: str | None = None
    """Carrier of a connection to the address, as reported by the program that checked."""
    trial: Trial | None = of(Trial, None)
    """The trial connection, if there was one."""
    findings: tuple[Finding, ...] = of(Finding, ())

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...

    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[index]

    @property
    def worst(self) -> Severity | None:
        """Severity of the worst finding; None if there is none."""
        return self.findings[0].severity if self.findings else None

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def commands(self, side: Side | None = None) -> tuple[str, ...]:
        """Return the commands to run on a side, or on both, in order; each command once."""
        found = {
            fix.command: None
            for finding in self.findings
            for fix in finding.fix
            if side in (None, fix.side)
        }
        return tuple(found)
