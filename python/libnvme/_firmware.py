# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the firmware booted from, as its NVMe Boot Firmware Tables describe it."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._fabrics import Job, portal_of
from ._objects import Error
from ._objects import path as path_text
from ._walk import Outcome, Start, Walk, entry_of
from ._within import module

if TYPE_CHECKING:
    from ._configured import Run

#: What a table requires, and the option for it.
DIGESTS = {"pdu_header_digest_required": "hdr_digest", "data_digest_required": "data_digest"}
NOT_THERE = "the firmware did not reach it either"


@dataclass
class Firmware:
    """Connections of all tables, and the discovery controllers that led to none."""

    jobs: list[Job] = field(default_factory=list)
    sources: list[Walk | Outcome] = field(default_factory=list)

    @classmethod
    def read(cls, run: Run, directory: Any) -> Firmware:
        """The tables of a directory; what is wrong with one hides no other."""
        firmware = cls()
        place = path_text(directory) or module()._NBFT_PATH
        try:
            names = sorted(name for name in os.listdir(place) if name.startswith("NBFT"))
        except FileNotFoundError:
            return firmware
        except OSError as error:
            firmware._fail(place, Error(error.errno or 0, f"{place}: {error.strerror}"))
            return firmware
        for name in names:
            path = str(Path(place, name))
            try:
                firmware._add(run, path, module()._nbft_boot(path))
            except (Error, ValueError) as error:
                text = f"{path} cannot be used: {error}"
                number = error.errno if isinstance(error, Error) else errno.EINVAL
                firmware._fail(path, Error(number, text))
        return firmware

    def _fail(self, place: str, error: Error) -> None:
        entry = entry_of("", "", "", "", "")
        self.sources.append(Outcome(entry, "failed", None, error, place))

    def _add(self, run: Run, path: str, table: dict[str, Any]) -> None:
        host = self._host(run, table["host"])
        for subsystem in table["subsystem"]:
            nqn = subsystem.get("subsys_nqn")
            if nqn and nqn != module().NVME_DISC_SUBSYS_NAME:
                for start, dhcp in subsystem["hosts"]:
                    self.jobs.append(_job(run, host, path, subsystem, start, dhcp))
        for found in table["discovery"]:
            self.sources.append(self._walk(run, host, path, found))

    @staticmethod
    def _host(run: Run, of_table: dict[str, Any]) -> Any:
        """The table has the host that the target permits; one that was asked for precedes it."""
        nqn, hostid = run.who[0] or of_table["nqn"], run.who[1] or of_table["id"]
        if not nqn:
            return run.host
        host = module().host(run.tree, nqn, hostid)
        if host != run.host:
            run.prepare_host(host.hostnqn, host.hostid)
        return host

    @staticmethod
    def _walk(run: Run, host: Any, path: str, found: dict[str, Any]) -> Walk | Outcome:
        if not found["portal"]:
            text = f"Discovery Descriptor {found['index']}: cannot use URI '{found['uri']}'"
            entry = entry_of("referral", "", "", "", found["nqn"])
            return Outcome(entry, "failed", None, Error(errno.EINVAL, text), path)
        transport, traddr, trsvcid = found["portal"]
        start = Start(transport, traddr, trsvcid, found["nqn"] or None, path)
        return run.walk(host, start, _from(run, found["host_traddr"]))


def _from(run: Run, host_traddr: str | None) -> dict[str, Any]:
    """The options of a connection that starts where the firmware's did."""
    cfg = dict(run.cfg or {})
    if host_traddr and not cfg.get("host_traddr"):
        cfg["host_traddr"] = host_traddr
    return cfg


def _job(
    run: Run, host: Any, path: str, subsystem: dict[str, Any], host_traddr: str, dhcp: bool
) -> Job:
    to = (subsystem["trtype"], subsystem["traddr"], subsystem["trsvcid"])
    cfg = _from(run, host_traddr)
    for required, option in DIGESTS.items():
        if subsystem[required]:
            cfg[option] = True

    def described(options: dict[str, Any]) -> Any:
        names = ("host_traddr", "host_iface")
        mine = {name: options.get(name) for name in names}
        return module().ctrl(run.tree, subsystem["subsys_nqn"], *to[:2], trsvcid=to[2], **mine)

    def attempt(options: dict[str, Any]) -> Any:
        ctrl = described(options)
        ctrl.connect(host, options, run.timeout)
        return ctrl

    def connect() -> Any:
        try:
            return attempt(cfg)
        except Error as error:
            if error.errno != module()._ADDRNOTAVAIL or not dhcp:
                raise
        # DHCP may have given the interface another address since
        return attempt({**cfg, "host_traddr": None})

    job = Job(entry_of("nvme", *to, subsystem["subsys_nqn"]), path, connect=connect)
    job.portal = portal_of(described(cfg), cfg)
    job.optional = NOT_THERE if subsystem["unavailable"] else None
    return job
