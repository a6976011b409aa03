# SPDX-License-Identifier: GPL-2.0-or-later
"""The alerts and the dashboard of doc/monitoring: right, and about metrics that there are."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import NVME, TOP, Monitor

MONITORING = TOP / "doc/monitoring"
RULES = yaml.safe_load((MONITORING / "alerts.yml").read_text())
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]
NAMES = [alert["alert"] for alert in ALERTS]
DASHBOARD = json.loads(subprocess.check_output([sys.executable, TOP / "tools/gen-dashboard.py"]))

#: Of node_exporter, and of Prometheus itself.
OTHERS = {"node_textfile_mtime_seconds", "node_network_carrier_changes_total"}

#: What an expression names that is no metric: functions, operators, labels.
METRIC = re.compile(r"\b(?:nvme|node)_[a-z_]+\b")


def table() -> dict[str, dict[str, set[str]]]:
    """The metrics that the command has, by name, and the values of labels that are fixed."""
    done = subprocess.run(
        [NVME, "mptcp", "metrics", "-o", "json"], capture_output=True, text=True, check=True
    )
    found: dict[str, dict[str, set[str]]] = {}
    for metric in json.loads(done.stdout)["metrics"]:
        labels = found.setdefault(metric["name"], {})
        for sample in metric["samples"]:
            for name, value in sample["labels"].items():
                labels.setdefault(name, set()).add(value)
    return found


def expressions(node: Any) -> list[str]:
    """All expressions of a dashboard, those of its variables included."""
    if isinstance(node, dict):
        own = [node[k] for k in ("expr", "query") if isinstance(node.get(k), str)]
        return own + [e for value in node.values() for e in expressions(value)]
    if isinstance(node, list):
        return [e for value in node for e in expressions(value)]
    return []


def check(monitor: Monitor, directory: Path) -> subprocess.CompletedProcess[str]:
    """The tests of the alerts, with what is in a directory."""
    return subprocess.run(
        [monitor.program("promtool"), "test", "rules", "alerts-test.yml"],
        cwd=directory, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_alerts_are_right(monitor: Monitor) -> None:
    monitor.promtool("check", "rules", str(MONITORING / "alerts.yml"))
    done = check(monitor, MONITORING)
    assert done.returncode == 0, done.stdout + done.stderr


def test_joins_are_proved() -> None:
    """The expressions that the document has are those that the test of the alerts evaluates."""
    page = (MONITORING / "README.md").read_text().partition("**Joining.**")[2]
    blocks = re.findall(r"(?:^    .*\n)+", page.partition("\n**")[0], re.MULTILINE)
    tests = yaml.safe_load((MONITORING / "alerts-test.yml").read_text())["tests"]
    proved = {
        "".join(case["expr"].split()) for test in tests for case in test.get("promql_expr_test", ())
    }
    assert len(blocks) == 2
    assert {"".join(block.split()) for block in blocks} <= proved


#: These wait for less time than lies between the samples of their tests.
SOON = ("NvmeMptcpLinkLost", "NvmeMptcpMetricsOld")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (n, c)
        for n in NAMES
        for c in ("never", "always", "at once")
        if c != "at once" or n not in SOON
    ],
)
def test_their_tests_notice(monitor: Monitor, name: str, change: str, tmp_path: Path) -> None:
    """An alert that never fires, always does, or does not wait, its own tests notice."""
    rules = yaml.safe_load((MONITORING / "alerts.yml").read_text())
    for rule in rules["groups"][0]["rules"]:
        if rule["alert"] != name:
            continue
        if change == "at once":
            del rule["for"]
        else:
            rule["expr"] = "vector(0) > 1" if change == "never" else "vector(1)"
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rules))
    tests = yaml.safe_load((MONITORING / "alerts-test.yml").read_text())
    tests["tests"] = [test for test in tests["tests"] if name in str(test)]
    (tmp_path / "alerts-test.yml").write_text(yaml.safe_dump(tests))
    assert check(monitor, tmp_path).returncode != 0


@pytest.mark.parametrize("alert", ALERTS, ids=NAMES)
def test_alerts_name_metrics_that_there_are(alert: dict[str, Any]) -> None:
    named = set(METRIC.findall(alert["expr"]))
    assert named and named <= set(table()) | OTHERS


def test_alerts_name_what_to_do() -> None:
    for alert in ALERTS:
        assert set(alert["annotations"]) == {"summary", "description"}
        assert alert["labels"]["severity"] in ("warning", "critical")


def test_the_dashboard_names_metrics_that_there_are(monitor: Monitor) -> None:
    known = table()
    found = [e for e in expressions(DASHBOARD) if METRIC.search(e)]
    assert len(found) > 20
    for expression in found:
        assert set(METRIC.findall(expression)) <= set(known), expression
        for label, value in re.findall(r'([a-z]+)="([^"$]*)"', expression):
            if label == "severity":
                assert value in known["nvme_mptcp_findings"]["severity"], expression


def test_the_dashboard_shows_every_number_of_a_link() -> None:
    """What is collected for each controller and link has a panel."""
    shown = {m for e in expressions(DASHBOARD) for m in METRIC.findall(e)}
    page = (TOP / "doc/man/nvme-mptcp-metrics.scd").read_text()
    of_links = page.split("Of connections on a link")[1].split("\n\n")[0].split("\n", 1)[1]
    missing = {f"nvme_mptcp_{n.strip(',')}" for n in of_links.split()} - shown
    assert missing == {"nvme_mptcp_retransmitted_bytes"}, "segments are shown"


def test_expressions_of_the_dashboard_parse(monitor: Monitor, tmp_path: Path) -> None:
    rules = []
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            expression = target["expr"].replace("$__rate_interval", "5m").replace("$top", "20")
            rules.append({"record": f"panel:{len(rules)}", "expr": expression})
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    monitor.promtool("check", "rules", str(path))


def test_graphs_stay_readable() -> None:
    """A graph shows as many series as its reader chose, of what its variables select."""
    names = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert {"job", "instance", "netns", "controller", "top"} <= names
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            assert 'job=~"$job",instance=~"$instance",netns=~"$netns"' in target["expr"]
            is_graph = panel["type"] == "timeseries"
            assert target["expr"].startswith("topk($top, ") == is_graph, panel["title"]


def test_panels_have_places_of_their_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
