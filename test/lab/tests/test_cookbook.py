# SPDX-License-Identifier: GPL-2.0-or-later
"""The cookbook's scripts that need links and controllers do on a real kernel what they say."""

import csv
import io
import urllib.request
from dataclasses import replace

import pytest
from lab import Lab, Limits, Topology
from lab.system import network_namespace
from test_examples import BARE, example, running

NQN = "nqn.2024-01.lab:disk"
NONE_ON_HOST = {"host": Limits(0, 0), "target": Limits(8, 8)}
LINKS = "h1 h2 h3 h4"


def connected(lab: Lab) -> None:
    """One controller of two queues on all four links."""
    lab.connect(NQN, nr_io_queues=1, subflows=4)


@pytest.mark.limit(180)
def test_disk_links_of_dead_links(lab: Lab) -> None:
    """Obeying it takes no disk away: links without carrier, or set down, do not carry."""
    connected(lab)
    disk = lab.host.disk(NQN)
    lab.network.set_link("target", 4, up=False)
    lab.network.set_link("host", 3, up=False)
    text = lab.host.nvme("mptcp show-subflows")
    assert "4 of 8 subflows carry, over 2 links, none in fallback, 4 subflows missing" in text
    brief = lab.host.command("nvme mptcp check --brief --no-trial", status=None).stdout
    assert "4 of 8 subflows" in brief and " missing=4 " in brief
    (row,) = csv.DictReader(io.StringIO(example(lab, "inventory.py", "-")))
    assert (row["links"], row["lacks"]) == ("h1 h2", "h3 h4")
    assert example(lab, "disk_links.py", disk).endswith("1 controllers, 2 links\n")
    lab.network.set_link("target", 1, up=False)
    assert lab.host.read(disk, 1 << 20) == bytes(1 << 20)
    said = example(lab, "disk_links.py", disk, status=1).splitlines()
    assert said[-2:] == [f"{disk}: lost without h2", f"{disk}: 1 controllers, 1 links"]
    with running(lab, "watch_subflows.py", 4) as process:
        assert process.stdout
        assert process.stdout.readline() == "ALERT: nvme0 uses h2\n"
    for metric, wanted in (("subflows", 2), ("subflows_missing", 6), ("subflows_dead", 6)):
        lines = lab.host.nvme("mptcp metrics").splitlines()
        found = [line for line in lines if line.startswith(f"nvme_mptcp_{metric}{{")]
        assert sum(float(line.rpartition(" ")[2]) for line in found) == wanted, metric


@pytest.mark.limit(180)
@pytest.mark.topology(BARE)
def test_plan_and_apply(lab: Lab) -> None:
    """A dry run leaves the host bare; what was applied carries a connection on each link."""
    lab.network.changed = True
    lab.host.nvme("mptcp setup --role target --netns target --apply")
    words = ("plan_and_apply.py", "host", "10.1.1.1")
    dry = example(lab, *words, status=2)
    assert "planned: ip mptcp " in dry
    assert "done: ip mptcp " in example(lab, *words, "--apply")
    assert example(lab, *words).splitlines()[-1] == "nothing to do"
    connected(lab)


@pytest.mark.limit(180)
@pytest.mark.topology(replace(Topology.one_per_link(), limits=NONE_ON_HOST))
def test_rolling_reconnect(lab: Lab) -> None:
    """Controllers that were connected before the limits were raised get their subflows."""
    first = lab.connect(NQN, nr_io_queues=1, subflows=1)
    lab.network.changed = True
    lab.network.set_limits("host", Limits(8, 8))
    said = example(lab, "rolling_reconnect.py", NQN)
    assert said == f"{first.name}: reconnected, all links in use\n"
    lab.host.wait_for_subflows(4, connections=2)
    example(lab, "rolling_reconnect.py", "nqn.2024-01.lab:none", status=1)


def test_exporter(lab: Lab) -> None:
    connected(lab)
    with running(lab, "exporter.py", 0) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        with network_namespace(lab.host.namespace):
            text = urllib.request.urlopen(address, timeout=30).read().decode()
    assert text.endswith("# EOF\n")
    assert "nvme_mptcp_subflows{" in text
    assert 'controller="nvme0"' in text
