# SPDX-License-Identifier: LGPL-2.1-or-later
"""Outcomes of the library's walk, which is in src/input/walk.h."""

from __future__ import annotations

import errno
import logging
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._errors import Error, error_of
from ._within import milliseconds, module, within

if TYPE_CHECKING:
    from . import nvme

LOG = logging.getLogger("libnvme")

#: Order of outcomes, regardless of the order of execution; entries of logs come last.
GROUPS = {"boot": 0, "configured": 1}
#: Discovery controllers: only their failures are reported.
SOURCES = ("source", "referral")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a discovery log entry, or of a controller or line in the configuration."""

    entry: Any
    """The entry, as ctrl.discover() returns it. An entry from the configuration has trtype, traddr,
    trsvcid and subnqn; its subtype is "nvme", or "referral" for a discovery controller."""
    result: str
    """"connected", "already connected", "failed", or "skipped: " with the reason."""
    ctrl: nvme.ctrl | None = None
    """The connected controller."""
    error: Error | None = None
    """The error, if it failed."""
    place: str | None = None
    """The line that describes it: "/etc/nvme/discovery.conf:3"."""


def entry_of(subtype: str, trtype: Any, traddr: Any, trsvcid: Any, nqn: Any) -> dict[str, Any]:
    """Return an entry like that of a discovery log, made from values of another source."""
    return {
        "trtype": trtype or "",
        "adrfam": "",
        "traddr": traddr or "",
        "trsvcid": trsvcid or "",
        "subnqn": nqn or "",
        "subtype": subtype,
        "treq": "not specified",
        "portid": 0,
        "cntlid": 0,
        "asqsz": 0,
        "eflags": 0,
    }


class Incomplete(Error):
    """A part failed; errno and text state why, and everything else is done."""

    __module__ = "libnvme.nvme"

    def __init__(self, done: list[Any], failures: list[Outcome]) -> None:
        whys = [f"{_where(failed)}{failed.error}" for failed in failures]
        assert failures[0].error
        super().__init__(failures[0].error.errno, "; ".join(whys))
        self.code = failures[0].error.code
        #: The result that discover() or connect_all() returns otherwise: entries, or outcomes.
        self.done = done
        #: Outcomes of the failed parts, each with its error.
        self.failures = tuple(failures)

    @property
    def retryable(self) -> bool:
        """Whether all failed parts can succeed later without a change on this machine."""
        return all(failed.error is None or failed.error.retryable for failed in self.failures)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.done, list(self.failures))


def _where(outcome: Outcome) -> str:
    entry = outcome.entry
    place = f"{outcome.place}: " if outcome.place else ""
    if not entry["trtype"]:
        return place  # a line that could not be read
    port = f":{entry['trsvcid']}" if entry["trsvcid"] else ""
    return f"{place}{entry['subnqn']} at {entry['traddr']}{port}: "


def _entry(step: dict[str, Any]) -> dict[str, Any]:
    if "entry" in step:
        entry: dict[str, Any] = step["entry"]
        return entry
    names = ("transport", "traddr", "trsvcid", "subnqn")
    subtype = "nvme" if step["kind"] not in SOURCES else "referral"
    if step["transport"] is None and step["subnqn"] is None:
        subtype = ""  # a whole line, table or file
    return entry_of(subtype, *(step[name] for name in names))


class Walk:
    """Receives the results of a walk and makes outcomes of them.

    Its creation, which must precede a scan, remembers the controllers in the root's configuration.
    The methods called by the walk must not use the root, which is busy until run() ends.
    """

    def __init__(self, root: Any, connects: bool, referrals: bool, timeout: float | None) -> None:
        self.root, self.timeout, self.host = root, timeout, None
        self.kept: list[Any] = []  # discovery controllers that stay connected
        #: Why the log of a given or configured discovery controller could not be read.
        self.error: Error | None = None
        self._entries: list[tuple[int, Any]] = []
        self._outcomes: list[tuple[tuple[int, ...], Outcome]] = []
        self._raised: BaseException | None = None
        self._late: Error | None = None
        #: Another thread still executes a call.
        self.lost = False
        limit = milliseconds(timeout)
        self._walk = module()._walk_new(root, self, connects, referrals, limit)

    def run(self, host: Any, given: dict[str, Any]) -> None:
        """Run the walk; call it once."""
        self.host = host
        module()._walk_run(self._walk, host, given)
        if self._raised:
            raise self._raised

    def entries(self) -> list[Any]:
        """Return the entries of the logs, in the order of the sources."""
        return [entry for _, entry in sorted(self._entries, key=lambda found: found[0])]

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes in the order of requests; unreadable logs of a source come first."""
        return [outcome for _, outcome in sorted(self._outcomes, key=lambda made: made[0])]

    def adopt(self, root: Any) -> None:
        """Move the connected controllers to another root."""
        for ctrl in self.kept:
            _adopted(root, ctrl)
        for i, (key, outcome) in enumerate(self._outcomes):
            if outcome.ctrl:
                self._outcomes[i] = key, replace(outcome, ctrl=_adopted(root, outcome.ctrl))

    def found(self, source: int, entry: dict[str, Any]) -> None:
        """Note an entry of a log."""
        self._entries.append((source, entry))

    def done(self, step: dict[str, Any]) -> None:
        """Note the result of a step."""
        if self._raised:
            raise self._raised
        kind = step["kind"]
        ctrl = module()._walk_ctrl(step["ctrl"]) if step["ctrl"] else None
        if kind not in SOURCES:
            self._add(step, self._outcome(step, ctrl))
        elif step["end"] == "failed":
            outcome = self._outcome(step, None)
            self._add(step, outcome)
            if kind == "source":
                self.error = self.error or outcome.error
        elif ctrl:
            self.kept.append(ctrl)

    def say(self, place: str | None, failure: bool, number: int, text: str) -> None:
        """Note a message that belongs to no step."""
        if failure:
            error = error_of(number or errno.EIO, text)
            outcome = Outcome(entry_of("", "", "", "", ""), "failed", None, error, place)
            self._outcomes.append(((2, 0, 0, len(self._outcomes)), outcome))
        elif place:
            LOG.warning("%s: %s", place, text)

    def note(self, notes: list[str]) -> None:
        """Log the notes about the endpoints and limits that were applied."""
        for note in notes:
            LOG.warning("%s", note)

    def block(self, call: Any, step: dict[str, Any]) -> None:
        """Connect within the timeout; after that the call is abandoned."""
        assert self.timeout is not None
        nvme: Any = module()
        late = f"not connected within {self.timeout:g} s"
        if "entry" not in step:
            where = step["traddr"] or step["transport"]
            late = f"connecting to {step['subnqn']} at {where}: not done within {self.timeout:g} s"

        def connect() -> None:
            nvme._walk_call(call)

        def undo(_: None) -> None:
            try:
                nvme._walk_undo(call)
            finally:
                nvme._walk_end(self._walk)

        ends = time.monotonic() + self.timeout
        try:
            within(self._give_up, ends, connect, undo, late)
        except Error as error:
            self._late = error
        except BaseException as error:  # the next callback raises it
            self._raised = error

    def _give_up(self) -> None:
        self.lost = True
        module()._give_up(self.host)

    def _add(self, step: dict[str, Any], outcome: Outcome) -> None:
        kind = step["kind"]
        key = (GROUPS.get(kind, 2), step["source"], int(kind not in SOURCES), step["order"])
        self._outcomes.append((key, outcome))

    def _outcome(self, step: dict[str, Any], ctrl: Any) -> Outcome:
        entry, place, number, end = _entry(step), step["place"], step["errno"], step["end"]
        if end == "skipped":
            return Outcome(entry, step["why"], place=place)
        if end != "failed":
            return Outcome(entry, end, ctrl, place=place)
        if number in (errno.EAGAIN, module()._IGNORED) and step["kind"] not in SOURCES:
            return Outcome(entry, "skipped: for another application", place=place)
        error = error_of(number or errno.ETIMEDOUT, step["why"] or os.strerror(number))
        if self._late:  # concerns this step only; later ones are refused
            error, self._late = self._late, None
        if step["optional"]:
            result = f"skipped: the firmware did not reach it either: {error}"
            return Outcome(entry, result, place=place)
        return Outcome(entry, "failed", None, error, place)


def _adopted(root: Any, ctrl: Any) -> Any:
    try:
        return module()._adopt(root, ctrl)
    except (Error, ReferenceError):
        return ctrl  # it no longer exists


Outcome.__module__ = "libnvme.nvme"
