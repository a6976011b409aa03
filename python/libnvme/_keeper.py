# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keep endpoints, limits and subflows configured, like "nvme mptcp keep"."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator

from . import _mptcp
from ._arguments import IpAddress, Path, path_text, plan_of, role_number, texts
from ._names import LOGGER, MODULE
from ._plans import Plan, PlanFailed
from ._times import positive, wait
from ._words import Role


class Keeper:
    """Keeps the MPTCP configuration of a network namespace when links come and go.

    It keeps what setup() plans for traddr and dev or, with config, what the objects "mptcp" of the
    hosts in that file request; the file is read in each round. If it requests nothing, auto keeps
    what setup() plans for traddr, or else for the addresses of the current connections. Iterating
    runs a round when one is due, for ever, and yields its plan::

        with mptcp.Keeper(role="host", dev=["eth1", "eth2"]) as keeper:
            for plan in keeper:
                print([step.command for step in plan.steps])

    While a thread waits or iterates, endpoints of a link that dies are taken out of use, whatever
    created them, and restored when the link is back. Apart from that only what a keeper made is
    changed; with adopt it also takes over existing endpoints that match the plan. What it made
    remains after it ends, and the next keeper of this namespace recognizes it, "nvme mptcp keep"
    included; restore() removes it. During iteration, the file metrics is rewritten every
    metrics_interval seconds, as metrics() writes it, with counters that do not fall when a subflow
    ends. Only one process can keep a namespace: OSError with EBUSY is raised if another one does.
    Requires CAP_NET_ADMIN.
    """

    def __init__(
        self,
        *,
        config: Path | None = None,
        role: Role = "auto",
        traddr: IpAddress | Iterable[IpAddress] = (),
        dev: str | Iterable[str] = (),
        adopt: bool = False,
        auto: bool = False,
        netns: Path | None = None,
        metrics: Path | None = None,
        metrics_interval: float = 15,
    ) -> None:
        self._interval = positive(metrics_interval, "metrics_interval")
        self._metrics, self._renewal = path_text(metrics), 0.0
        self._config = path_text(config)
        self._addresses, self._devices = texts(traddr, "traddr"), texts(dev, "dev")
        if self._config is not None and not auto and (self._addresses or self._devices):
            raise ValueError(
                "config cannot be combined with traddr or dev: "
                "a configuration has addresses and links"
            )
        self._role, self._adopt, self._auto = role_number(role), adopt, auto
        self._closed = False
        self._netns = path_text(netns)
        self._keeper = _mptcp.Keeper(self._netns)

    def round(self, *, apply: bool = True) -> Plan:
        """Apply missing endpoints and limits; if none are missing, restore subflows.

        With apply=False nothing is changed. PlanFailed is raised if the kernel refuses a step,
        OSError if no plan is possible at present, ValueError if config has an error.
        """
        what = (self._config, self._addresses, self._devices, self._role, self._adopt, self._auto)
        made = self._keeper.round(*what, apply)
        return plan_of(*made)

    def restore(self, *, apply: bool = True) -> Plan:
        """Undo all changes that keepers of this namespace made."""
        return plan_of(*self._keeper.restore(apply))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until a round is due; return False after timeout seconds, or once closed.

        A round is due at the start, when no more changes follow an event, and after a pause if a
        round failed.
        """
        return bool(wait(lambda ms: self._keeper.wait(ms) or None, timeout, lambda: self._closed))

    def forgive(self) -> None:
        """Reset the backoff: keep again what other programs kept changing, and end pauses."""
        self._keeper.forgive()

    @property
    def file(self) -> str:
        """The file in which it records what it made."""
        return self._keeper.file()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._closed

    def close(self) -> None:
        """Stop without undoing anything; a thread that waits or iterates ends."""
        self._closed = True
        self._keeper.close()

    def __repr__(self) -> str:
        kept = self._config or ",".join((*self._addresses, *self._devices)) or "what setup() plans"
        where = f" in {self._netns}" if self._netns else ""
        return f"<{MODULE}.Keeper {kept}{where}{' (closed)' if self._closed else ''}>"

    def _renew(self) -> float | None:
        """Write the metrics if due. Return the time until they are due again."""
        if self._metrics is None:
            return None
        left = self._renewal - time.monotonic()
        if left > 0:
            return left
        try:
            prometheus = int(self._metrics.endswith(".prom"))
            text = self._keeper.metrics(self._netns, prometheus)
            _mptcp.save(self._metrics, text.removesuffix("\n"), False, True)
        except OSError as error:  # must not stop the keeper
            logging.getLogger(LOGGER).error("renewing metrics: %s", error)
        self._renewal = time.monotonic() + self._interval
        return self._interval

    def __iter__(self) -> Iterator[Plan]:
        while not self._closed:
            if not self.wait(self._renew()) or self._closed:
                continue
            try:
                plan = self.round()
            except PlanFailed as error:  # a later round retries
                plan = error.plan
            except OSError as error:  # a later round retries
                logging.getLogger(LOGGER).error("keeping MPTCP: %s", error)
                continue
            yield plan

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
