# SPDX-License-Identifier: GPL-2.0-or-later
"""What a Prometheus has that scrapes the host, and what doc/monitoring's rules make of it.

Samples are taken as time passes in the guest, from the file that node_exporter would read. promtool
gets all of them, evaluates the rules as time went by, and compares the alerts that fire with those
that a test expects: no code of ours judges.
"""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab import Lab

PROMTOOL = "/opt/prometheus/usr/bin/promtool"
RULES = Path("/project/doc/monitoring/alerts.yml")
INSTANCE = "host1"

#: What fires at a time, by all labels that tell one alert from another.
FIRING = 'count by (alertname, link, controller, rule) (ALERTS{alertstate="firing"})'

#: The metrics that rules name; others change nothing and cost time.
NAMED = frozenset(re.findall(r"\b(?:nvme|node)_[a-z_]+\b", RULES.read_text()))

#: An alert, as its name and such labels.
Alert = tuple[str, dict[str, str]]


def duration(text: str) -> int:
    """Seconds of a rule's time, such as 30s or 5m."""
    return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]


def patience(alert: str) -> int:
    """How long an alert waits before it fires, as its rule says."""
    found = re.search(rf"- alert: {alert}\n.*?\n *for: (\w+)\n", RULES.read_text(), re.S)
    assert found, alert
    return duration(found[1])


class Scrapes:
    """The samples of a host, and what is expected to fire at the time of each."""

    def __init__(self, lab: Lab, every: int, directory: Path, work: Callable[[], object]) -> None:
        self.lab, self.every, self.directory, self.work = lab, every, directory, work
        self.file = directory / "nvme-mptcp.prom"
        self.began = time.monotonic()
        #: Values by series; every series has one for each scrape.
        self.values: dict[str, list[str]] = {}
        self.expected: list[tuple[int, list[Alert]]] = []
        self.count = 0
        self.missed = 0
        self.there: set[str] = set()

    @property
    def now(self) -> int:
        """Seconds from the first scrape to the next one."""
        return self.count * self.every

    def _read(self) -> Iterator[tuple[str, str]]:
        """The series of the file and of node_exporter about it, with their values."""
        mtime = self.file.stat().st_mtime
        path = "/var/lib/prometheus/node-exporter/nvme-mptcp.prom"
        # an evaluation begins at the time 0
        age = mtime - time.time() + self.now
        yield f'node_textfile_mtime_seconds{{instance="{INSTANCE}",file="{path}"}}', f"{age:.3f}"
        for line in self.file.read_text().splitlines():
            series, _, value = line.rpartition(" ")
            name, _, labels = series.partition("{")
            # the target is on this machine, in a network namespace that the host does not see
            if name in NAMED and 'rule="T' not in labels:
                more = f",{labels}" if labels else "}"
                yield f'{name}{{instance="{INSTANCE}"{more}', f"{float(value):.9f}"

    def _miss(self) -> None:
        """A scrape that did not happen, as the machine was late: no series has a value."""
        for values in self.values.values():
            values.append("_")
        self.count += 1
        self.missed += 1

    def scrape(self) -> None:
        """Waits for the time of the next scrape, and takes it; I/O comes before."""
        while time.monotonic() >= self.began + self.now + self.every:
            self._miss()
        time.sleep(max(0.0, self.began + self.now - time.monotonic()))
        self.work()
        self.lab.host.nvme(f"mptcp metrics -O {self.file}")
        found = dict(self._read())
        for series in self.values.keys() | found.keys():
            values = self.values.setdefault(series, ["_"] * self.count)
            # a series that was there is marked as gone, as Prometheus does it
            values.append(found.get(series, "stale" if series in self.there else "_"))
        self.there = set(found)
        self.count += 1

    def watch(self, seconds: int, *alerts: Alert, after: int = 0, unsure: int = 0) -> None:
        """Scrapes for so long. These alerts fire once ``after`` seconds are over, and nothing else.

        What happened to the machine may show ``unsure`` seconds late: that long anything is right.
        """
        began = self.now
        while self.now < began + seconds:
            since = self.now - began
            if since < after:
                self.expected.append((self.now, []))
            elif since >= after + unsure:
                self.expected.append((self.now, list(alerts)))
            self.scrape()

    def prove(self) -> None:
        """Has promtool evaluate the rules over all of it."""
        assert self.missed < self.count / 10, f"{self.missed} of {self.count} scrapes were missed"
        tests = {
            "rule_files": [str(RULES)],
            "evaluation_interval": f"{self.every}s",
            "tests": [
                {
                    "interval": f"{self.every}s",
                    "input_series": [
                        {"series": series, "values": " ".join(values)}
                        for series, values in sorted(self.values.items())
                    ],
                    "promql_expr_test": [
                        {
                            "expr": FIRING,
                            "eval_time": f"{now}s",
                            "exp_samples": [
                                {"labels": labels_of(alert), "value": 1} for alert in alerts
                            ],
                        }
                        for now, alerts in self.expected
                    ],
                }
            ],
        }
        file = Path(os.environ["LAB_RESULTS"], f"{self.directory.name}.yml")
        file.write_text(json.dumps(tests, indent=1))  # JSON is YAML
        done = subprocess.run(
            [PROMTOOL, "test", "rules", str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


def labels_of(alert: Alert) -> str:
    """An alert's labels as promtool reads them."""
    name, labels = alert
    return "{" + ",".join(f'{k}="{v}"' for k, v in {"alertname": name, **labels}.items()) + "}"
