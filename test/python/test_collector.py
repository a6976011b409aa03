# SPDX-License-Identifier: LGPL-2.1-or-later
"""The collector for prometheus_client says what the command's metrics say."""

import importlib.util
import re

import pytest
from conftest import run_python
from nvmelab import pypi

#: A library without dependencies.
CLIENT = "prometheus-client==0.21.1"

PROGRAM = """
import re
from libnvme import mptcp
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest

registry = CollectorRegistry()
registry.register(mptcp.Collector(max_controllers=5))
text = generate_latest(registry).decode()
print(text)
print("=" * 9)
print(mptcp.metrics(max_controllers=5))
"""


def series(text: str) -> set[str]:
    """Names with labels in alphabetical order, without values."""
    found = set()
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line).groups()  # type: ignore[union-attr]
        pairs = sorted(re.findall(r'(\w+="(?:[^"\\]|\\.)*")', labels or ""))
        found.add(f"{name}{{{','.join(pairs)}}}")
    return found


def test_collector() -> None:
    """The same series, of the same types."""
    python = pypi.programs("prometheus-client", CLIENT) / "python3"
    done = run_python("-c", PROGRAM, python=python)
    assert done.returncode == 0, done.stderr
    ours, theirs = done.stdout.split("=" * 9)
    assert series(ours) == series(theirs)
    assert "nvme_mptcp_enabled{}" in series(ours)
    types = re.compile(r"(?m)^# TYPE .*$")
    assert set(types.findall(ours)) <= set(types.findall(theirs))


def test_without_the_package() -> None:
    """It is named where it is missing."""
    if importlib.util.find_spec("prometheus_client"):
        pytest.skip("skipped: prometheus_client is installed")
    done = run_python("-c", "from libnvme import mptcp; mptcp.Collector()")
    assert done.returncode == 1
    assert "No module named 'prometheus_client'" in done.stderr
