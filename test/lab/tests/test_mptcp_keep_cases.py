# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad cases for nvme mptcp keep: what else happens while links die.

After each: no I/O error, every usable link carries again, and what others made is as it was.
"""

from __future__ import annotations

import time

import failover
import pytest
from keeping import Keeper
from lab import Lab, wait_until
from test_mptcp_keep_fast import LINKS, OWN, _carried, _connect, _endpoints, _keep

pytestmark = [pytest.mark.icount, pytest.mark.limit(900)]


@pytest.mark.topology(OWN)
def test_one_that_is_stopped_puts_back(lab: Lab) -> None:
    """While a link is out, keep ends as systemd ends it, and begins again."""
    _connect(lab)
    before = _endpoints(lab)
    with _keep(lab) as keeper, failover.Writer(lab) as writer:
        lab.network.set_link("target", 2, False)
        wait_until(lambda: len(_endpoints(lab)) == 3, "the endpoint out of use", 5)
        assert keeper.end() == 0
        assert _endpoints(lab) == before
        assert keeper.steps()[-1] == "ip mptcp endpoint add 10.1.2.2 dev h2 id 12 subflow"
        # the kernel gives up its joins after some seconds, and does not try again
        time.sleep(8)
        rounds = writer.rounds
        wait_until(lambda: writer.rounds > rounds + 1, "I/O by three links", 60)
        with Keeper("--role", "host") as again:
            wait_until(lambda: "h2 has no carrier" in again.status(), "the status", 10)
            lab.network.set_link("target", 2, True)
            wait_until(lambda: _carried(lab) == [LINKS] * 2, "all links again", 10)
            assert not [d for d in again.documents() if d["priority"] < 4]
        assert _endpoints(lab) == before
    assert [c.state for c in lab.host.controllers()] == ["live"]


@pytest.mark.topology(OWN)
def test_a_stop_ends_with_every_link_for_later_connections(lab: Lab) -> None:
    """Nobody starts keep again: a connection made once the cable is back has all links."""
    _connect(lab)
    with _keep(lab) as keeper:
        lab.network.set_link("target", 2, False)
        wait_until(lambda: len(_endpoints(lab)) == 3, "the endpoint out of use", 5)
        assert keeper.end() == 0
    lab.network.set_link("target", 2, True)
    lab.host.nvme(f"disconnect -n {failover.NQN}")
    lab.host.connect(failover.NQN, "mptcp", "10.1.1.1", nr_io_queues=1)
    wait_until(lambda: _carried(lab) == [LINKS] * 2, "all links", 20)
