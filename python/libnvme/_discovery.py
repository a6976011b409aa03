# SPDX-License-Identifier: LGPL-2.1-or-later
"""Discovery logs and what they list, at an address or as it is configured: the public functions."""

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
    """The entries of the discovery log at an address, and of those that it refers to.

    A discovery controller that is connected is used, another one is connected as host, by default
    this machine's, and disconnected again; one that tells an NQN of its own is connected by that.
    With persistent it stays, with force one that is connected already is not used. device, such as
    "nvme0", is one that is connected, in place of an address. cfg are options as ctrl.connect()
    takes them; timeout is for each connection and each request, in seconds. An entry is a dict as
    of ctrl.discover(); each referral comes before the entries behind it. As nvme-connect-all(1)
    does it, a referral is followed once, by the same transport, eight in a row and 256 in all.
    Incomplete is raised where one cannot be read, with what is known in its attribute done.

    Without a transport, the logs of the discovery controllers that are configured, as
    nvme-discover(1) reads them: first those in config, a JSON configuration, by default
    /etc/nvme/config.json if it exists, "none" for no such file; then those of the lines of
    /etc/nvme/discovery.conf, which start from cfg and host. host is one of those that the
    configuration describes, by default all. Those that are to be persistent stay connected. context
    is the application that connects: subsystems of other ones are left alone. Error is raised where
    the configuration is wrong; a line that is wrong, or cannot be followed, fails alone.
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
    """Connect every subsystem that discover() finds, and tell what became of each.

    The arguments are those of discover(). What is connected already stays as it is; entries of
    another transport are skipped. All portals are called at the same time first, and those that
    answer come first; those that do not are connected in the end, or fail if there is a timeout.
    Each entry's requirements, such as TLS, are honoured. Incomplete is raised after all of them if
    one failed; its attribute done has all outcomes.

    Without a transport, as nvme-connect-all(1) without an address: the endpoints and limits of
    config are set, nothing is connected if that fails; then what the firmware booted from is
    connected, as its tables in the directory nbft_path say, see nbft_get(), by default those of
    this machine; then the controllers that config describes, each by its own options, and what the
    logs of discover() list, by cfg. Outcomes are in that order, and one failure hides no other.
    With nbft=True there is only what the firmware has, with nbft=False all but that.
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
