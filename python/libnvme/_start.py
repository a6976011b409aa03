# SPDX-License-Identifier: LGPL-2.1-or-later
"""Start a walk: at a discovery controller, or as configured by the files in /etc/nvme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._objects import address as address_text
from ._objects import number_text
from ._objects import options as options_text
from ._objects import path as path_text
from ._walk import Walk
from ._within import module


@dataclass
class Start:
    """A discovery controller, or the configured ones; and the options to connect with."""

    transport: str | None
    traddr: Any
    trsvcid: Any
    nqn: str | None
    device: str | None
    persistent: bool
    force: bool
    cfg: Any
    config: Any = None
    context: str | None = None
    nbft: bool | None = None
    nbft_path: Any = None

    def walk(
        self, root: Any, host: Any, connects: bool, referrals: bool, timeout: float | None
    ) -> Walk:
        """Run the walk and return it."""
        self._check()
        if not self.transport and not self.device:
            return self._configured(root, host, connects, referrals, timeout)
        if not self.device:
            self._describe(root)
        walk = Walk(root, connects, referrals, timeout)
        walk.run(host or module().host(root), self._given(None, None))
        if walk.error:
            raise walk.error
        return walk

    def _check(self) -> None:
        """Raise TypeError if arguments are combined that exclude each other."""
        names = {"subsysnqn": self.nqn, "traddr": self.traddr, "trsvcid": self.trsvcid}
        files = ("config", "context", "nbft", "nbft_path")
        given = [name for name, value in names.items() if value is not None]
        of_files = [name for name in files if getattr(self, name) is not None]
        if not self.transport and given:
            raise TypeError(f"{', '.join(given)} without a transport")
        if (self.transport or self.device) and of_files:
            what = "device" if self.device else "transport"
            raise TypeError(f"{', '.join(of_files)}: cannot be combined with a {what}")
        if self.transport and self.device:
            raise TypeError("device: cannot be combined with a transport")

    def _describe(self, root: Any) -> None:
        """Create a controller, so that a wrong address raises the usual errors."""
        cfg = self.cfg if isinstance(self.cfg, dict) else {}
        nqn = self.nqn or module().NVME_DISC_SUBSYS_NAME
        host_side = {name: cfg.get(name) for name in ("host_traddr", "host_iface")}
        port = self.trsvcid or None
        module().ctrl(root, nqn, self.transport, self.traddr or None, trsvcid=port, **host_side)

    def _given(self, hostnqn: str | None, hostid: str | None) -> dict[str, Any]:
        return {
            "transport": self.transport or None,
            "traddr": address_text(self.traddr) or None,
            "trsvcid": number_text(self.trsvcid) or None,
            "nqn": self.nqn,
            "device": self.device,
            "persistent": bool(self.persistent),
            "force": bool(self.force),
            "cfg": options_text(self.cfg),
            "context": self.context,
            "nbft": self.nbft is True,
            "no_nbft": self.nbft is False,
            "nbft_path": path_text(self.nbft_path),
            "hostnqn": hostnqn,
            "hostid": hostid,
        }

    def _configured(
        self, root: Any, host: Any, connects: bool, referrals: bool, timeout: float | None
    ) -> Walk:
        """Walk as the commands do, in a separate tree, whose configuration is read before the scan.

        The caller's root takes over the connected controllers.
        """
        nvme: Any = module()
        who = (host.hostnqn, host.hostid) if host else (None, None)
        tree = nvme._read_files(root, path_text(self.config))
        walk = Walk(tree, connects, referrals, timeout)
        nvme._scan_files(tree, self.context)
        own = nvme._host_of(tree, *who)
        if host and host.dhchap_key:
            own.dhchap_key = host.dhchap_key
        if connects:
            walk.note(nvme._apply_mptcp(tree, *who))
        walk.run(own, self._given(*who))
        walk.adopt(root)
        return walk
