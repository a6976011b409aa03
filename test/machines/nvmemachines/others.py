# SPDX-License-Identifier: GPL-2.0-or-later
"""Test the service next to NetworkManager and mptcpd, which make endpoints as well.

NetworkManager manages one of the host's cards, whose connection has `mptcp-flags` by default;
mptcpd makes endpoints of all addresses as soon as it runs. Neither program's endpoints are changed
back and forth, and all links stay in use.
"""

import json
import time
from typing import Any

from . import guest
from .image import OTHERS
from .steps import RETURN_SECONDS, Machines, require

#: Time during which nothing may change, and maximum number of lines in the service's journal.
QUIET_SECONDS, QUIET_LINES = 30.0, 2

#: The target's service may pause for a minute between two announcements of the same link. The
#: host's service leaves limits that mptcpd has changed twice alone for as long.
PAUSE_SECONDS = 60.0

#: The rule that reports that both are active.
BOTH_ACTIVE = "H18"

CARDS = "/etc/network/interfaces.d/links"


def check(machines: Machines) -> None:
    """Give the host's last card to NetworkManager, then add mptcpd, and restore everything."""
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
    """Wait as in _settled(), after the host's address was deleted and added, cables plugged in.

    The target is not informed: its end of the subflow dies when data reach a host that does not
    know the subflow. Then the target announces its address again, with increasing pauses.
    """
    machines.begin_fio()
    _settled(machines, what, PAUSE_SECONDS)
    machines.end_fio(what)


def _settled(machines: Machines, what: str, seconds: float = RETURN_SECONDS) -> None:
    """Wait until every link carries every connection; then require that nothing changes."""
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
