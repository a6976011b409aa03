# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything printed is applied, in the order printed: one subflow per link comes of it."""

from __future__ import annotations

import re

import pytest
from shape_damages import DAMAGES, LINKS, PORTAL, Damage, one_each
from shape_net import Net
from shape_nvme import Machines, shown
from shape_pool import at_once

#: Words in capitals are for the reader to fill in.
PLACEHOLDER = re.compile(r"(?<![\w.-])[A-Z]{3,}(?![\w-])|<\w+>|…")


def build(damage: Damage, net: Net, machines: Machines) -> None:
    damage.build(net)
    machines.connect(PORTAL)
    net.settles(LINKS, one_each, 0.3)
    damage.late(net)
    carried = net.settles(LINKS, one_each, 0.2)
    if damage.superfluous:
        assert any(max(c.values()) > 1 for c in carried.values()), carried
    elif damage.name != "backups-only":
        assert any(set(c) != set(LINKS) for c in carried.values()), carried


@pytest.mark.parametrize("peer", [False, True], ids=["alone", "peer"])
@pytest.mark.parametrize("damage", DAMAGES, ids=str)
@at_once
def test_all_that_is_printed(damage: Damage, peer: bool, net: Net, machines: Machines) -> None:
    build(damage, net, machines)
    words = ["--peer", str(machines.report("target"))] if peer else []
    status, findings = machines.check("host", *words)
    assert status, f"nothing is found:\n{shown(findings)}"
    placeholders = [c for _, c in machines.commands(findings) if PLACEHOLDER.search(c)]
    assert placeholders == [], shown(findings)
    if peer:
        bare = [c for _, c in machines.commands(findings) if "mptcp setup" in c]
        assert bare == [], f"what setup would do there is known:\n{shown(findings)}"
    machines.obey(findings)
    carried = net.settles(LINKS, one_each)
    assert one_each(carried), f"{carried} after:\n{shown(findings)}"
    machines.clean()


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
@at_once
def test_check_and_repair_agree(damage: Damage, net: Net, machines: Machines) -> None:
    build(damage, net, machines)
    carried = net.carried(LINKS)
    lacking = {link for link in LINKS if any(not c[link] for c in carried.values())}
    status, findings = machines.check("host")
    result = machines.nvme("host", "repair", "--dry-run", "-o", "json")
    missing = {each["link"] for each in result.json["missing"]}
    assert missing == lacking, f"{carried}\n{result.out}"
    assert result.status == bool(lacking), result
    if lacking:
        assert status, f"repair: {result.out}\n{shown(findings)}"
