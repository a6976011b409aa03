# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp metrics, and the file that keep renews."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from conftest import NVME, TOP, network_of, schema
from fake_sysfs import FakeHost
from mptcp_net import Network, enter
from open_metrics import Family, parse
from test_mptcp import conforms, environment, run

SCHEMA = schema("mptcp-metrics")

net = network_of(3, 8, 8)


def value(families: dict[str, Family], name: str, **labels: str) -> float:
    """The one sample that has these labels."""
    wanted = labels.items()
    found = [
        v for k, v in families[f"nvme_mptcp_{name}"].samples.items() if wanted <= dict(k).items()
    ]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def test_all_formats_have_the_same_metrics() -> None:
    opened = parse(run("mptcp", "metrics").out)
    document = conforms(run("mptcp", "metrics", "-o", "json").json, SCHEMA)
    older = run("mptcp", "metrics", "--prometheus").out
    for metric in document["metrics"]:
        end = "_total" if metric["type"] == "counter" else ""
        family = opened.pop(metric["name"].removesuffix("_total"))
        assert (family.type, family.unit, family.help) == (
            metric["type"], metric["unit"], metric["help"],
        )  # fmt: skip
        assert metric["name"] == family.name + end
        assert f"# TYPE {metric['name']} {metric['type']}\n" in older
        assert f"# HELP {metric['name']} {metric['help']}\n" in older
    assert not opened
    assert "# EOF" not in older and "# UNIT" not in older


def test_every_rule_has_a_series() -> None:
    rules = run("mptcp", "explain", "-o", "json").json["rules"]
    families = parse(run("mptcp", "metrics").out)
    for rule in rules:
        value(families, "findings", rule=rule["rule"], severity=rule["severity"])
    assert len(families["nvme_mptcp_findings"].samples) == len(rules)


def test_the_page_names_every_metric() -> None:
    page = (TOP / "doc/man/nvme-mptcp-metrics.scd").read_text()
    names = {m["name"] for m in run("mptcp", "metrics", "-o", "json").json["metrics"]}
    section = page.split("# OUTPUT")[1].split("The labels subsystem")[0]
    lines = [line for line in section.splitlines() if line.startswith("\t")]
    listed = {word.strip(",") for line in lines for word in line.split()}
    assert {f"nvme_mptcp_{name}" for name in listed} == names


def test_controllers_and_links(net: Network, host: FakeHost) -> None:
    portal = "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2"
    host.subsystem(7, "nqn.x").controller(0, "mptcp", portal, queue_count=2)
    net.subflows_by(3)
    net.connections(2)
    families = parse(run("mptcp", "metrics", host=host, unseen=net.host).out)

    ctrl = {"subsystem": "nvme-subsys7", "controller": "nvme0", "transport": "mptcp"}
    own = ctrl | {"owner": "controller"}
    assert value(families, "controller_state", **ctrl, state="live") == 1
    assert value(families, "controller_info", **ctrl, traddr="10.77.1.1", trsvcid="4420") == 1
    assert value(families, "controller_connections_expected", **ctrl) == 2
    assert value(families, "connections", **own) == 2
    assert value(families, "connections_fallback", **own) == 0
    for link in ("eth1", "eth3"):
        assert value(families, "subflows", **own, link=link) == 2
        assert value(families, "link_up", link=link) == 1
        assert 0 < value(families, "rtt_seconds", **own, link=link) < 1
    assert value(families, "subflows_missing", **own, link="eth3") == 0
    assert value(families, "endpoint_flag", address="10.77.3.2", flag="subflow") == 1
    assert value(families, "endpoint_subflows", address="10.77.3.2", link="eth3") == 2
    assert value(families, "limit", limit="subflows") == 8
    # What was carried: 3 times 20 000 bytes each way, over both links, and again if one is late.
    for name in ("sent_bytes", "received_bytes"):
        carried = [v for _, v in families[f"nvme_mptcp_{name}"].samples.items()]
        assert 2 * 60000 <= sum(carried) < 2 * 120000

    # The bound that the page has.
    series = sum(len(family.samples) for family in families.values())
    links = len(families["nvme_mptcp_link_up"].samples)
    assert series <= 13 + 13 * (links + 1) + 3 * links + 8 * 1 + 300
    # keep alone has looked before.
    assert not families["nvme_mptcp_traffic_sent_bytes"].samples

    net.ip("link", "set", "eth3", "down", netns=net.host)
    families = parse(run("mptcp", "metrics", host=host, unseen=net.host).out)
    assert value(families, "link_up", link="eth3") == 0
    assert value(families, "findings", rule="A06") > 0

    named = parse(run("mptcp", "metrics", "--netns", net.host, host=host).out)
    for family in named.values():
        assert all(("netns", net.host) in labels for labels in family.samples)


def test_labels_outlive_connections(net: Network, host: FakeHost) -> None:
    host.disk()
    net.subflows_by(3)
    net.serve()
    labels = []
    for _ in range(2):
        client = net.connect("10.77.1.1", 2)
        net.wait_for_subflows(4)
        families = parse(run("mptcp", "metrics", host=host, unseen=net.host).out)
        labels.append({name: set(family.samples) for name, family in families.items()})
        net.stop(client)
    assert labels[0] == labels[1]


def test_a_file_for_node_exporter(tmp_path: Path) -> None:
    for name, is_open in (("nvme.prom", False), ("nvme.txt", True)):
        path = tmp_path / name
        path.write_text("old")
        inode = path.stat().st_ino
        result = run("mptcp", "metrics", "-O", str(path))
        assert (result.status, result.out, result.err) == (0, "", "")
        assert path.stat().st_ino != inode, "it is replaced, not overwritten"
        text = path.read_text()
        assert text.endswith("# EOF\n") is is_open
        assert text.endswith("\n") and not text.endswith("\n\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["nvme.prom", "nvme.txt"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interval", "nan"), "'interval' but got 'nan'"),
        (("--interval", "inf"), "'interval' but got 'inf'"),
        (("--max-controllers", "0"), "--max-controllers=0"),
        (("--prometheus", "-o", "json"), "cannot be combined"),
        (("-O", "/nonexistent/x.prom"), "/nonexistent/x.prom"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], words: str) -> None:
    result = run("mptcp", "metrics", *options, status=1)
    assert words in result.err + result.out
    assert "nvme_mptcp" not in result.out


def test_without_privileges() -> None:
    """It names what is missing, and has the rest."""
    if os.geteuid():
        pytest.skip("skipped: only root has privileges to do without")
    # Root with none of them: another user may not be able to read the build directory.
    result = run("mptcp", "metrics", prefix=("setpriv", "--bounding-set", "-all"), status=0)
    families = parse(result.out)
    parts = families["nvme_mptcp_part_complete"].samples
    assert parts and set(parts.values()) <= {0, 1}


@pytest.mark.parametrize("option", ["--once", "--dry-run", "--restore"])
def test_keep_that_ends_renews_nothing(option: str, tmp_path: Path) -> None:
    result = run("mptcp", "keep", "--auto", option, "--metrics", str(tmp_path / "x"), status=1)
    assert "mptcp metrics -O" in result.err
    assert not list(tmp_path.iterdir())


def test_keep_refuses_intervals(tmp_path: Path) -> None:
    for seconds in ("0", "0.5", "86401", "-1"):
        options = ("--metrics", str(tmp_path / "x"), "--metrics-interval", seconds)
        result = run("mptcp", "keep", "--auto", *options, status=1)
        assert f"--metrics-interval={seconds}" in result.err


def test_keep_renews_the_file(net: Network, tmp_path: Path) -> None:
    path = tmp_path / "directory/nvme.txt"
    options = ("--auto", "-J", "none", "--metrics", str(path), "--metrics-interval", "1")
    keeper = subprocess.Popen(
        enter(net.host, NVME, "mptcp", "keep", *options),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(),
    )  # fmt: skip
    try:
        time.sleep(3)
        # Nowhere to write to: it goes on, and writes as soon as it can.
        path.parent.mkdir()
        written: list[int] = []
        end = time.monotonic() + 30
        while len(written) < 3 and time.monotonic() < end:
            time.sleep(0.1)
            if path.exists() and path.stat().st_mtime_ns not in written:
                written.append(path.stat().st_mtime_ns)
        assert len(written) == 3
        assert written[2] - written[0] > 1.5e9, "every second, and not as fast as it can"
        assert value(parse(path.read_text()), "limit", limit="subflows") == 8
    finally:
        keeper.terminate()
        out, _ = keeper.communicate(timeout=30)
    assert keeper.returncode == 0, out
    assert out.count("The metrics were not written to") == 1, out
