# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metrics of MPTCP for prometheus_client, which is imported on first use."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from ._arguments import Path, path_text
from ._names import MODULE


class Collector:
    """A collector for prometheus_client: the metrics of metrics(), taken at each scrape.

    ::

        from prometheus_client import REGISTRY, start_http_server

        REGISTRY.register(mptcp.Collector())
        start_http_server(9104, addr="192.0.2.7")

    netns is the network namespace to read. Controllers beyond max_controllers have no series of
    their own. If a scrape fails, for example because the namespace does not exist, it raises
    OSError, and prometheus_client answers with status 500. Requires the package prometheus_client.
    """

    def __init__(self, *, netns: Path | None = None, max_controllers: int = 1000) -> None:
        self._netns, self._most = path_text(netns), max_controllers
        importlib.import_module("prometheus_client")

    def __repr__(self) -> str:
        where = f" in {self._netns}" if self._netns else ""
        return f"<{MODULE}.Collector{where}>"

    def describe(self) -> list[Any]:
        """Return an empty list: nothing is read before a scrape."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield the metrics that have samples."""
        core: Any = importlib.import_module("prometheus_client.core")
        metrics = importlib.import_module(MODULE).metrics
        document = json.loads(metrics(format="json", netns=self._netns, max_controllers=self._most))
        for metric in document["metrics"]:
            if not metric["samples"]:
                continue
            name = metric["name"].removesuffix("_total")
            counts = metric["type"] == "counter"
            family: Any = core.CounterMetricFamily if counts else core.GaugeMetricFamily
            made = family(name, metric["help"], unit=metric["unit"] or "")
            for sample in metric["samples"]:
                made.add_sample(metric["name"], sample["labels"], sample["value"])
            yield made
