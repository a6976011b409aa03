# SPDX-License-Identifier: LGPL-2.1-or-later
"""Public functions for discovery logs and what they list, at an address or as configured."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._start import Start
from ._walk import Incomplete, Outcome

if TYPE_CHECKING:
    from . import nvme

_IpAddress = str | IPv4Address | IPv6Address


def discover(
    root: nvme.root,
    transport: str | None = None,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
    config: str | PathLike[str] | None = None,
    context: str | None = None,
    device: str | None = None,
    persistent: bool = False,
    force: bool = False,
) -> list[Any]:
    """Return the entries of the discovery log at an address and of the logs that it refers to.

    A connected discovery controller is used. If there is none, one is connected as host, by default
    this machine's, and disconnected afterwards; if it reports an NQN of its own, it is connected by
    that. With persistent it stays connected; with force, connected ones are not used. device, such
    as "nvme0", names a connected discovery controller instead of an address. cfg are options as in
    ctrl.connect(); timeout applies to each connection and each request, in seconds. An entry is a
    dict as returned by ctrl.discover(); each referral precedes the entries that it leads to. As in
    nvme-connect-all(1), a referral is followed once, over the same transport, at most eight in a
    row and 256 in total. Incomplete is raised if one cannot be read; its attribute done has the
    entries found.

    Without a transport, return the logs of the configured discovery controllers, as
    nvme-discover(1) reads them: first those in config, a JSON configuration, by default
    /etc/nvme/config.json if it exists, "none" for no such file; then those in the lines of
    /etc/nvme/discovery.conf, which inherit the options cfg and host. host selects one of the hosts
    in the configuration; by default all are used. Discovery controllers configured as persistent
    stay connected. context is the application that connects: subsystems of other applications are
    left alone. Error is raised if the configuration has an error; an error in a line affects that
    line only.
    """
    start = Start(transport, traddr, trsvcid, subsysnqn, device, persistent, force, cfg)
    start.config, start.context = config, context
    walk = start.walk(root, host, False, referrals, timeout)
    entries = walk.entries()
    failures = walk.outcomes()
    if failures:
        raise Incomplete(entries, failures)
    return entries


def connect_all(
    root: nvme.root,
    transport: str | None = None,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
    config: str | PathLike[str] | None = None,
    context: str | None = None,
    device: str | None = None,
    persistent: bool = False,
    force: bool = False,
    nbft: bool | None = None,
    nbft_path: str | PathLike[str] | None = None,
) -> list[Outcome]:
    """Connect every subsystem that discover() finds, and return the outcome of each.

    The arguments are those of discover(). Existing connections stay unchanged; entries of another
    transport are skipped. All portals are probed at the same time; those that answer are connected
    first, the others last, or fail if there is a timeout. Each entry's requirements, such as TLS,
    are honoured. If one fails, Incomplete is raised after all of them; its attribute done has all
    outcomes.

    Without a transport, work like nvme-connect-all(1) without an address: set the endpoints and
    limits of config, and connect nothing if that fails; then connect what the firmware booted from,
    according to its tables in the directory nbft_path, see nbft_get(), by default those of this
    machine; then the controllers in config, each with its own options, and the entries of the logs
    of discover(), with cfg. Outcomes are in that order, and one failure hides no other. With
    nbft=True only the firmware's connections are made, with nbft=False all but those.
    """
    start = Start(transport, traddr, trsvcid, subsysnqn, device, persistent, force, cfg)
    start.config, start.context, start.nbft, start.nbft_path = config, context, nbft, nbft_path
    outcomes = start.walk(root, host, True, referrals, timeout).outcomes()
    failed = [outcome for outcome in outcomes if outcome.error]
    if failed:
        raise Incomplete(outcomes, failed)
    return outcomes


for _public in (discover, connect_all):
    _public.__module__ = "libnvme.nvme"
