# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connect a controller with a single call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import AlreadyConnectedError
from ._within import module

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from . import nvme
    from ._options import ConnectOptions

_TWIN = "already connected as "


def _connected(root: Any, error: AlreadyConnectedError) -> Any:
    """Return the controller that the error names; raise the error if the tree has none."""
    name = str(error).partition(_TWIN)[2].partition(" ")[0]
    for ctrl in root.controllers():
        if name and ctrl.name == name:
            return ctrl
    raise error


def connect(
    subsysnqn: str,
    traddr: str | IPv4Address | IPv6Address | None = None,
    *,
    transport: str = "mptcp",
    trsvcid: str | int | None = None,
    host: nvme.host | None = None,
    host_traddr: str | IPv4Address | IPv6Address | None = None,
    host_iface: str | None = None,
    cfg: ConnectOptions | None = None,
    timeout: float | None = None,
    root: nvme.root | None = None,
) -> nvme.ctrl:
    """Return a connected controller of a subsystem at an address: connect one, or find it.

    If the host is connected already, that controller is returned unchanged, whatever its options
    and state. Otherwise one is connected with the options cfg, as by ctrl.connect(); Error is
    raised if that fails. host is by default this machine's. root is the one to search and to
    connect in, by default that of host or a new one.
    """
    api: Any = module()
    if root is None:
        root = api._root_of(host) if host is not None else api.root()
    owner = host if host is not None else api.host(root)
    ctrl: nvme.ctrl = api.ctrl(root, subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid)
    if subsysnqn == api.NVME_DISC_SUBSYS_NAME:
        ctrl.discovery_ctrl = True
    try:
        ctrl.connect(owner, cfg, timeout=timeout)
    except AlreadyConnectedError as error:
        found: nvme.ctrl = _connected(root, error)
        return found
    return ctrl


connect.__module__ = "libnvme.nvme"
