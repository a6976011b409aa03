# SPDX-License-Identifier: GPL-2.0-or-later
"""NetworkManager and mptcpd make endpoints as well: the service lives beside them.

NetworkManager gets one of the host's cards, whose connection has `mptcp-flags` by default; mptcpd
makes endpoints of every address as soon as it runs. Nothing is fought over, and links stay in use.
"""

from __future__ import annotations

import json
import time
from typing import Any

from . import guest
from .image import OTHERS
from .steps import RETURN_SECONDS, Machines, require

#: How long nothing may change, and how many lines of the service's journal that may take.
QUIET_SECONDS, QUIET_LINES = 30.0, 2

#: The target's service may pause for a minute between two announcements for the same link,
#: and the host's leaves limits that mptcpd has changed twice to it for as long.
PAUSE_SECONDS = 60.0

#: The rule that says that both of them are active.
BOTH_ACTIVE = "H18"

CARDS = "/etc/network/interfaces.d/links"


def check(machines: Machines) -> None:
    """Lets the host's last card be NetworkManager's, then has mptcpd besides, and goes back."""
    link = machines.supply.links
    card, address = guest.interface(link), guest.HOST.address(link)
    with machines.ui.step(f"NetworkManager gets {card}"):
        for command in (
            f"apt-get -y install {OTHERS[0]}",
            f"cp {CARDS} /root/links && ifdown {card} && sed -i '/^auto {card}$/,+2d' {CARDS}",
            "systemctl restart NetworkManager",
            f"nmcli -w 60 connection add type ethernet ifname {card} con-name link "
            f"ipv4.method manual ipv4.addresses {address}/24 ipv6.method disabled",
            "nmcli -w 60 connection up link",
        ):
            machines.run(machines.host, command)
    _settled_with_data(machines, "NetworkManager")
    machines.check_cable(link, "NetworkManager")
    _settled(machines, "NetworkManager, after a cable")
    with machines.ui.step("mptcpd beside both"):
        machines.run(machines.host, f"apt-get -y install {' '.join(OTHERS[1:])}")
    _settled(machines, "mptcpd")
    machines.run(machines.host, "systemctl is-active mptcp NetworkManager")
    said = machines.run(machines.host, "nvme-mptcp check -o json", status=None)
    rules = {finding["rule"] for finding in json.loads(said)["findings"]}
    require(BOTH_ACTIVE in rules, f"check does not say that both are active: {sorted(rules)}")
    with machines.ui.step("both go"):
        for command in (
            "nmcli connection delete link",
            f"apt-get -y purge {' '.join(OTHERS)}",
            f"mv /root/links {CARDS} && ifup {card}",
        ):
            machines.run(machines.host, command)
    _settled_with_data(machines, "without both")


def _settled_with_data(machines: Machines, what: str) -> None:
    """As below, after the host's address has gone and come back without a cable out.

    Nothing has told the target of that: its half of the subflow dies when data meet a host that
    knows nothing of it. Then it announces anew, with growing pauses.
    """
    machines.begin_fio()
    _settled(machines, what, PAUSE_SECONDS)
    machines.end_fio(what)


def _settled(machines: Machines, what: str, seconds: float = RETURN_SECONDS) -> None:
    """Every link carries every connection, and then nobody changes anything."""
    with machines.ui.step(f"{what}: every link in use"):
        machines.wait_for_all(time.monotonic(), seconds * machines.slower, what)
        time.sleep(QUIET_SECONDS)
    with machines.ui.step(f"{what}: nothing changes"):
        before, lines = _endpoints(machines), _journal(machines)
        time.sleep(QUIET_SECONDS)
        after, more = _endpoints(machines), _journal(machines)[len(lines) :]
        require(before == after, f"{what}: endpoints change:\n{before}\n{after}")
        require(len(more) <= QUIET_LINES, f"{what}: the service goes on: {more}")
        faults = machines.missing()
        require(not faults, f"{what}: {'; '.join(faults)}")


def _endpoints(machines: Machines) -> list[Any]:
    printed = machines.run(machines.host, "nvme-mptcp show-endpoints -o json")
    keys = ("id", "address", "flags", "link")
    return [{key: each.get(key) for key in keys} for each in json.loads(printed)["endpoints"]]


def _journal(machines: Machines) -> list[str]:
    printed = machines.run(machines.host, "journalctl -q -b -u nvme-mptcp -o cat")
    return printed.splitlines()
