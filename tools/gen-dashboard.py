#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print the Grafana dashboard of nvme mptcp metrics as JSON.

A panel is a row of PANELS. Expressions name metrics without nvme_mptcp_; @HOST and @CTRL stand for
what is chosen at the top of the dashboard. --beside: commands are those of an installation next to
nvme-cli.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, NamedTuple

import naming

HOST = 'job=~"$job",instance=~"$instance",netns=~"$netns"'
CTRL = HOST + ',controller=~"$controller"'
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


class Panel(NamedTuple):
    """A panel, where it is in Grafana's grid, and its expressions by their legends."""

    kind: str
    title: str
    description: str
    place: tuple[int, int, int, int]  # height, width, x, y
    shows: dict[str, str]
    unit: str = "short"
    is_stacked: bool = False
    is_red: bool = False  # from 1 on


def rate(metric: str) -> str:
    """Return the rate of a counter, or of the sum of live subflows, which falls when one ends."""
    return (
        f"rate(traffic_{metric}_total{{@CTRL}}[$__rate_interval])"
        f" or clamp_min(deriv({metric}{{@CTRL}}[$__rate_interval]), 0)"
    )


def summed(metric: str, labels: str = "instance, controller, link") -> str:
    """Return the sum of a metric by labels."""
    return f"sum by ({labels}) ({metric}{{@CTRL}})"


BY_LINK = "{{instance}} {{controller}} {{link}}"
TRAFFIC = "sum by ({}) (sent_bytes{{@CTRL}} + received_bytes{{@CTRL}})"
PANELS = [
    Panel("stat", "Live controllers", "Controllers over MPTCP that are live", (4, 6, 0, 0),
          {"": 'sum(controller_state{@CTRL,state="live"})'}),
    Panel("stat", "Controllers not live", "Controllers that reconnect or were given up",
          (4, 6, 6, 0), {"": 'count(controller_state{@CTRL,state="live"} == 0) or vector(0)'},
          is_red=True),
    Panel("stat", "Missing subflows",
          "Connections without a subflow on a link that ought to have one", (4, 6, 12, 0),
          {"": "sum(subflows_missing{@CTRL})"}, is_red=True),
    Panel("stat", "Connections in fallback",
          "Connections that fell back to plain TCP, and have one link for good", (4, 6, 18, 0),
          {"": "sum(connections_fallback{@CTRL})"}, is_red=True),
    Panel("timeseries", "Throughput by link",
          "Bytes of live subflows; a subflow that ends takes its bytes along,"
          " so that decreases are left out", (8, 12, 0, 4),
          {f"{{{{instance}}}} {{{{link}}}} {way}":
           f"sum by (instance, link) (8 * ({rate(way + '_bytes')}))"
           for way in ("sent", "received")}, "bps", is_stacked=True),
    Panel("timeseries", "Share of the links", "Of what the subflows that live have carried",
          (8, 12, 12, 4),
          {"{{instance}} {{link}}": TRAFFIC.format("instance, link")
           + " / on (instance) group_left () " + TRAFFIC.format("instance")},
          "percentunit", is_stacked=True),
    Panel("timeseries", "Subflows", "Established, expected, pending and backup subflows by link",
          (8, 12, 0, 12),
          {BY_LINK: summed("subflows")}
          | {f"{BY_LINK} {kind}": summed(f"subflows_{kind}")
             for kind in ("expected", "pending", "backup")}),
    Panel("timeseries", "Missing subflows",
          "nvme mptcp repair restores them, and keep without being asked. Those that are"
          " established and carry no data, as on a link without carrier, count as missing",
          (8, 12, 12, 12),
          {BY_LINK: summed("subflows_missing"),
           f"{BY_LINK}, of these established without data": summed("subflows_dead") + " > 0"}),
    Panel("timeseries", "Round-trip time", "Mean and longest of the subflows that carry data",
          (8, 12, 0, 20),
          {BY_LINK: "rtt_seconds{@CTRL}", f"{BY_LINK} longest": "rtt_max_seconds{@CTRL}"}, "s"),
    Panel("timeseries", "Delivery rate", "Sum of the latest goodput of the subflows",
          (8, 12, 12, 20), {BY_LINK: "8 * delivery_rate_bytes_per_second{@CTRL}"}, "bps"),
    Panel("timeseries", "Retransmissions", "Segments sent again each second", (8, 12, 0, 28),
          {BY_LINK: rate("retransmitted_segments")}, "pps"),
    Panel("timeseries", "Joins and announcements",
          "What the kernel counts when subflows come and go", (8, 12, 12, 28),
          {"{{instance}} {{event}}":
           'rate(events_total{@HOST,event=~"MPJoin.*|AddAddr.*|RmAddr.*"}[$__rate_interval]) > 0'},
          "cps"),
    Panel("table", "Findings", "nvme mptcp check has the reasons and the commands,"
          " nvme mptcp explain RULE the meaning", (8, 8, 0, 36),
          {"": 'findings{@HOST,severity!="info"} > 0'}),
    Panel("table", "Links", "1: up and with a carrier", (8, 8, 8, 36), {"": "link_up{@HOST}"}),
    Panel("table", "Endpoints", "Live subflows that start from each endpoint", (8, 8, 16, 36),
          {"": "endpoint_subflows{@HOST}"}),
    Panel("table", "States", "The state of each controller", (8, 12, 0, 44),
          {"": "controller_state{@CTRL} == 1"}),
    Panel("table", "Not readable", "What an exporter without privileges, or a kernel without the"
          " interface, leaves out", (8, 12, 12, 44), {"": "part_complete{@HOST} == 0"}),
]  # fmt: skip

#: Variables: what they choose, their label, and the metric that has it, of what was chosen before.
CHOICES = [
    ("job", "Job", "enabled"),
    ("instance", None, 'enabled{job=~"$job"}'),
    ("netns", "Network namespace", 'enabled{job=~"$job",instance=~"$instance"}'),
    ("controller", None, "controller_info{@HOST}"),
]
GRAPH = {
    "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull", "max"]},
    "tooltip": {"mode": "multi"},
}
NUMBER = {"colorMode": "value", "graphMode": "area", "reduceOptions": {"calcs": ["lastNotNull"]}}
HIDDEN = {"excludeByName": {"Time": True, "__name__": True, "job": True}}


def expression(panel: Panel, text: str) -> str:
    """Return an expression as Prometheus takes it."""
    text = re.sub(r"\b([a-z_]+)\{", r"nvme_mptcp_\1{", text)
    text = text.replace("@HOST", HOST).replace("@CTRL", CTRL)
    return f"topk($top, {text})" if panel.kind == "timeseries" else text


def drawn(panel: Panel) -> dict[str, Any]:
    """Return what the values of a panel look like."""
    defaults: dict[str, Any] = {"unit": panel.unit}
    if panel.kind == "timeseries":
        defaults["custom"] = {
            "fillOpacity": 20 if panel.is_stacked else 5,
            "lineWidth": 1,
            "showPoints": "never",
        }
        if panel.is_stacked:
            defaults["custom"]["stacking"] = {"mode": "normal"}
        defaults["min"] = 0
    elif panel.kind == "stat":
        red = [{"color": "red", "value": 1}] if panel.is_red else []
        steps = [{"color": "green", "value": None}, *red]
        defaults |= {"thresholds": {"mode": "absolute", "steps": steps}, "decimals": 0}
    return {"defaults": defaults, "overrides": []}


def panel_of(number: int, panel: Panel) -> dict[str, Any]:
    """Return a panel as Grafana has it."""
    instant = {} if panel.kind == "timeseries" else {"instant": True}
    if panel.kind == "table":
        instant["format"] = "table"
    made = {
        "id": number,
        "title": panel.title,
        "description": panel.description,
        "type": panel.kind,
        "datasource": SOURCE,
        "gridPos": dict(zip("hwxy", panel.place, strict=True)),
        "fieldConfig": drawn(panel),
        "options": {"timeseries": GRAPH, "stat": NUMBER}.get(panel.kind, {}),
        "targets": [
            {"refId": ref, "datasource": SOURCE, "expr": expression(panel, text)}
            | {"legendFormat": legend} | instant
            for ref, (legend, text) in zip("ABCD", panel.shows.items(), strict=False)
        ],
    }  # fmt: skip
    if panel.kind == "table":
        made["transformations"] = [{"id": "organize", "options": HIDDEN}]
    return made


def choice(name: str, label: str | None, metric: str) -> dict[str, Any]:
    """Return a variable of which several values may be chosen."""
    query = f"label_values(nvme_mptcp_{metric.replace('@HOST', HOST)}, {name})"
    return {
        "name": name,
        "type": "query",
        **({"label": label} if label else {}),
        "datasource": SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
        "sort": 1,
    }


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    source = {"name": "datasource", "type": "datasource", "query": "prometheus"}
    lines = ["20", "50", "200"]
    top = {
        "name": "top",
        "type": "custom",
        "label": "Lines in a graph",
        "query": ",".join(lines),
        "options": [{"text": n, "value": n, "selected": n == lines[0]} for n in lines],
        "current": {"text": lines[0], "value": lines[0]},
        "multi": False,
        "includeAll": False,
    }
    variables = [source | {"label": "Data source"}, *(choice(*row) for row in CHOICES), top]
    return {
        "title": "NVMe over MPTCP",
        "uid": "nvme-mptcp",
        "tags": ["nvme", "mptcp", "storage"],
        "description": "Controllers, links and subflows, from nvme mptcp metrics",
        "schemaVersion": 38,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "",
        "templating": {"list": variables},
        "annotations": {"list": []},
        "links": [],
        "panels": [panel_of(number, panel) for number, panel in enumerate(PANELS, 1)],
    }


if __name__ == "__main__":
    text = json.dumps(dashboard(), indent=2)
    print(naming.beside(text) if sys.argv[1:] == ["--beside"] else text)
