# SPDX-License-Identifier: GPL-2.0-or-later
"""Three of four links fail one after another and return; fio, which verifies, does not notice."""

import failover
import pytest
from lab import Lab, wait_until
from lab.network import SIDES

#: What check finds of links and subflows that are gone.
GONE = {"A07", "C05", "C13"}


@pytest.mark.limit(300)
@pytest.mark.topology(failover.TOPOLOGY)
def test_three_of_four_links_fail_and_return(lab: Lab) -> None:
    lab.network.changed = True
    story = failover.Story(lab, lambda command, text: print(f"# {command}\n{text}\n"))
    try:
        # what takes a quarter of an hour with the kernel's 15 takes seconds
        for side in SIDES:
            lab.network.sysctl(side, "ipv4.tcp_retries2", 3)
        story.begin()
        with failover.Writer(lab) as writer:
            story.wait_for_traffic(failover.LINKS)
            assert not story.check() & GONE
            for link in (2, 3, 4):
                story.set_cable(link, False)
                story.wait_for_traffic(["h1", *failover.LINKS[link:]])
                assert "A07" in story.check()
                assert lab.host.controllers()[0].state == "live"
            rounds = writer.rounds
            wait_until(lambda: writer.rounds > rounds, "I/O over the only link", 90)
            closed = [line for line in story.events() if "subflow closed" in line]
            assert {line.split()[8] for line in closed} >= {"h2", "h3", "h4"}, closed
            for link in (2, 3, 4):
                story.set_cable(link, True)
            assert story.check() & {"C05", "C13"}, "check did not miss what died"
            wait_until(lambda: _repairs(story), "all links again", 40, pause=1)
            story.wait_for_traffic(failover.LINKS)
            assert not story.check() & GONE
            assert any("subflow established" in line for line in story.events())
    finally:
        story.end()
    assert [c.state for c in lab.host.controllers()] == ["live"]


def _repairs(story: failover.Story) -> bool:
    """One repair: whether all is there."""
    story.command("nvme mptcp repair nvme0 --wait 5", status=None)
    return story.lab.host.carried() == [failover.LINKS] * 2
