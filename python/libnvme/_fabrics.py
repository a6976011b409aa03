# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connect within a timeout, and options of connections."""

from __future__ import annotations

from ._objects import number

TYPE_CHECKING = False  # typing defines it, but importing typing takes longer than this module
if TYPE_CHECKING:
    from typing import Any

#: Attributes of a connection in sysfs, and the options that they come from.
SHOWN = {
    "ctrl_loss_tmo": "ctrl_loss_tmo",
    "reconnect_delay": "reconnect_delay",
    "fast_io_fail_tmo": "fast_io_fail_tmo",
    "kato": "keep_alive_tmo",
}


def options(ctrl: Any) -> dict[str, Any]:
    """Return the options of a controller; implements nvme.ctrl.options()."""
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
    """Request TLS again; with concat the key was derived by DH-HMAC-CHAP and cannot be reused."""
    if ctrl._attribute("tls_key") is None:
        return
    if ctrl._attribute("tls_mode") == "concat" or found.get("concat"):
        found["concat"] = True
        found.pop("tls_key", None)
    else:
        found["tls"] = True


def discover(ctrl: Any, lsp: int, max_retries: int, timeout: float | None) -> list[Any]:
    """Read a discovery log; implements nvme.ctrl.discover()."""
    limit = 0
    if timeout is not None:
        from ._within import milliseconds

        limit = milliseconds(timeout)
    entries: list[Any] = ctrl._discovery_log(lsp, max_retries, limit)
    return entries


def connect(ctrl: Any, host: Any, cfg: Any, timeout: float | None) -> None:
    """Connect a controller; implements nvme.ctrl.connect()."""
    if timeout is None:
        ctrl._connect(host, cfg)
        return
    import time

    from ._errors import error_of
    from ._within import milliseconds, module, within

    limit = milliseconds(timeout)
    ends = time.monotonic() + limit / 1000
    silence = ctrl._silent(cfg, limit)
    if silence:
        raise error_of(*silence)

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


def controller(root: Any, name: str) -> Any:
    """Return the controller of a name; implements nvme.root.controller()."""
    if not isinstance(name, str):
        raise TypeError(f"controller: argument 'name' must be str, not {type(name).__name__}")
    for ctrl in root.controllers():
        if ctrl.name == name:
            return ctrl
    raise LookupError(f"no controller {name}; refresh_topology() finds newly connected ones")


def _write_secret(ctrl: Any, attribute: str, key: str) -> None:
    """Write a secret to sysfs; the kernel compares it with its current one."""
    import os

    from ._errors import error_of

    try:
        descriptor = os.open(os.path.join(ctrl.sysfs_dir, attribute), os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, key.encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        import errno

        number = error.errno or errno.EIO
        why = os.strerror(number)
        if number in (errno.EINVAL, errno.ENOENT):
            why += (
                "; a controller that was connected without such a secret, or by a kernel without "
                "DH-HMAC-CHAP, must be disconnected and reconnected with it"
            )
        raise error_of(number, f"{ctrl.name}: {attribute} not replaced: {why}") from None


def rekey(ctrl: Any, key: str | None, ctrl_key: str | None) -> None:
    """Replace the secrets of a connected controller; implements nvme.ctrl.rekey()."""
    from ._keys import require_dhchap_key

    given = {"dhchap_ctrl_secret": (ctrl_key, "ctrl_key"), "dhchap_secret": (key, "key")}
    secrets = {name: text for name, (text, _) in given.items() if text is not None}
    if not secrets:
        raise ValueError("rekey: key and ctrl_key are None: specify at least one")
    for text, name in given.values():
        if text is not None:
            require_dhchap_key(text, name)
    if not ctrl.connected():
        raise AttributeError("No controller connection")
    before = {name: ctrl._attribute(name) for name in secrets}
    done: list[str] = []
    try:
        for name, text in secrets.items():
            _write_secret(ctrl, name, text)
            done.append(name)
    except BaseException:
        for name in done:
            if before[name] and before[name] != "none":
                _write_secret(ctrl, name, before[name])
        raise
    if ctrl_key is not None:
        ctrl.dhchap_key = ctrl_key
    if key is not None:
        ctrl.dhchap_host_key = key
