# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp metrics, and the file that keep renews."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NVME, TOP, Nvme, live, schema
from fake_sysfs import NO_CONTROLLERS, FakeHost
from mptcp_net import Network
from open_metrics import Family, parse
from test_mptcp import conforms, run

SCHEMA = schema("mptcp-metrics")
PORTAL = "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2"


@pytest.fixture
def net() -> Iterator[Network]:
    """Three links between two namespaces."""
    with Network(3) as net:
        net.limits(8, 8)
        yield net


def value(families: dict[str, Family], name: str, **labels: str) -> float:
    """The one sample that has these labels."""
    wanted = labels.items()
    found = [
        v for k, v in families[f"nvme_mptcp_{name}"].samples.items() if wanted <= dict(k).items()
    ]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def test_all_formats_have_the_same_metrics() -> None:
    """Also where nothing has samples."""
    opened = parse(run("mptcp", "metrics").out)
    document = run("mptcp", "metrics", "-o", "json").json
    conforms(document, SCHEMA)
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
    listed = {
        word.strip(",")
        for line in section.splitlines()
        if line.startswith("\t")
        for word in line.split()
    }
    assert {f"nvme_mptcp_{name}" for name in listed} == names


@live
def test_controllers_and_links(net: Network, host: FakeHost) -> None:
    subsystem = host.subsystem(7, "nqn.2026-01.org.example:disk")
    subsystem.controller(0, "mptcp", PORTAL, queue_count=2)
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow")
    net.serve()
    net.connect("10.77.1.1", 2)
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


@live
def test_labels_outlive_connections(net: Network, host: FakeHost) -> None:
    """Reconnecting makes no new series."""
    host.subsystem(0, "nqn.2026-01.org.example:disk").controller(0, "mptcp", PORTAL, queue_count=2)
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow")
    net.serve()
    labels = []
    for _ in range(2):
        client = net.connect("10.77.1.1", 2)
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
        (("--interval", "-1"), "--interval=-1"),
        (("--interval", "nan"), "'interval' but got 'nan'"),
        (("--interval", "inf"), "'interval' but got 'inf'"),
        (("--max-controllers", "0"), "--max-controllers=0"),
        (("--prometheus", "-o", "json"), "cannot be combined"),
        (("-O", "/nonexistent/x.prom"), "/nonexistent/x.prom"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], words: str) -> None:
    result = run("mptcp", "metrics", *options)
    assert result.status == 1 and words in result.err + result.out
    assert "nvme_mptcp" not in result.out


def test_without_privileges() -> None:
    """It names what is missing, and has the rest."""
    if os.geteuid():
        pytest.skip("skipped: only root has privileges to do without")
    # Root with none of them: another user may not be able to read the build directory.
    result = subprocess.run(
        ["setpriv", "--bounding-set", "-all", NVME, "mptcp", "metrics"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result
    families = parse(result.stdout)
    parts = families["nvme_mptcp_part_complete"].samples
    assert parts and set(parts.values()) <= {0, 1}


@pytest.mark.parametrize("option", ["--once", "--dry-run", "--restore"])
def test_keep_that_ends_renews_nothing(option: str, tmp_path: Path) -> None:
    result = run("mptcp", "keep", "--auto", option, "--metrics", str(tmp_path / "x"))
    assert result.status == 1 and "mptcp metrics -O" in result.err
    assert not list(tmp_path.iterdir())


def test_keep_refuses_intervals(tmp_path: Path) -> None:
    for seconds in ("0", "0.5", "86401", "-1"):
        options = ("--metrics", str(tmp_path / "x"), "--metrics-interval", seconds)
        result = run("mptcp", "keep", "--auto", *options)
        assert result.status == 1 and f"--metrics-interval={seconds}" in result.err


@live
def test_keep_renews_the_file(net: Network, tmp_path: Path) -> None:
    path = tmp_path / "directory/nvme.txt"
    keeper = subprocess.Popen(
        ["ip", "netns", "exec", net.host, NVME, "mptcp", "keep", "--auto", "-J", "none",
         "--metrics", str(path), "--metrics-interval", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={"PATH": os.environ["PATH"], "LIBNVME_SYSFS_PATH": NO_CONTROLLERS},
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


@pytest.mark.parametrize("interval", ["0", "1"])
def test_a_namespace_that_is_not_there(nvme: Nvme, interval: str) -> None:
    """Nothing is no measurement: whoever collects it must see a failure."""
    result = nvme("mptcp", "metrics", "--netns", "nosuch", "--interval", interval)
    assert (result.status, result.out) == (3, "")
    assert "nosuch" in result.err
