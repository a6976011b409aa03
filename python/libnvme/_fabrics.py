# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connecting within a time, and options of connections."""

from __future__ import annotations

import errno
import time
from typing import Any

from ._objects import Error, number
from ._within import milliseconds, module, within

#: What the kernel shows of a connection, and the option that it came from.
SHOWN = {
    "ctrl_loss_tmo": "ctrl_loss_tmo",
    "reconnect_delay": "reconnect_delay",
    "fast_io_fail_tmo": "fast_io_fail_tmo",
    "kato": "keep_alive_tmo",
}


def options(ctrl: Any) -> dict[str, Any]:
    """The options of a controller, see nvme.ctrl.options()."""
    found: dict[str, Any] = ctrl._options()
    if ctrl.name is None:
        return found
    for attribute, key in SHOWN.items():
        text = ctrl._attribute(attribute)
        value = -1 if text == "off" else number(text)
        if value is not None and not (value == -1 and key == "reconnect_delay"):
            found[key] = value
    special = found.get("nr_write_queues", 0) + found.get("nr_poll_queues", 0)
    queues = (ctrl.queues or 0) - 1 - special
    if ctrl.cntrltype != "discovery" and queues > 0:
        found["nr_io_queues"] = queues
        if ctrl.queue_size:
            found["queue_size"] = ctrl.queue_size
    for key in ("host_traddr", "host_iface"):
        if getattr(ctrl, key):
            found[key] = getattr(ctrl, key)
    _add_tls(ctrl, found)
    return found


def _add_tls(ctrl: Any, found: dict[str, Any]) -> None:
    """A connection with TLS is to be one again; the key that DH-HMAC-CHAP made is gone then."""
    if ctrl._attribute("tls_key") is None:
        return
    if ctrl._attribute("tls_mode") == "concat" or found.get("concat"):
        found["concat"] = True
        found.pop("tls_key", None)
    else:
        found["tls"] = True


def connect(ctrl: Any, host: Any, cfg: Any, timeout: float | None) -> None:
    """Connect a controller, see nvme.ctrl.connect()."""
    if timeout is None:
        ctrl._connect(host, cfg)
        return
    limit = milliseconds(timeout)
    ends = time.monotonic() + limit / 1000
    silence = ctrl._silent(cfg, limit)
    if silence:
        raise Error(errno.ETIMEDOUT, silence)

    def call() -> None:
        ctrl._connect(host, cfg)

    def undo(_: None) -> None:
        ctrl.disconnect()

    within(
        lambda: module()._give_up(host),
        ends,
        call,
        undo,
        f"connecting to {ctrl.subsysnqn} at {ctrl.traddr or ctrl.transport}: not done "
        f"within {timeout:g} s",
    )
