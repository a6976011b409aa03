# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics as Prometheus' own programs read them: promtool, a scrape, and node_exporter's files."""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, Monitor, live
from fake_sysfs import NO_CONTROLLERS, FakeHost
from mptcp_net import Network
from open_metrics import parse

OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

#: What node_exporter's collector nvmesubsystem has of the controller; older releases lack it.
PATH_STATE = 'node_nvmesubsystem_path_state{subsystem="nvme-subsys7",controller="nvme0",'
NODE = f"""\
# HELP node_nvmesubsystem_path_state Current NVMe path state.
# TYPE node_nvmesubsystem_path_state gauge
{PATH_STATE}transport="mptcp",state="live"}} 1
{PATH_STATE}transport="mptcp",state="dead"}} 0
"""


class Machine:
    """A host with one controller over two links, in a namespace of its own."""

    def __init__(self, net: Network, host: FakeHost) -> None:
        self.net = net
        self.host = host
        host.subsystem(7, "nqn.2026-01.org.example:disk").controller(
            0, "mptcp", "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2", queue_count=2
        )
        net.limits(8, 8)
        net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
        net.serve()
        net.connect("10.77.1.1", 2)

    def metrics(self, *options: str) -> str:
        """What the command prints."""
        hide = ["unshare", "--pid", "--fork", "--mount-proc"]
        done = subprocess.run(
            ["ip", "netns", "exec", self.net.host, *hide, NVME, "mptcp", "metrics", *options],
            env={
                "PATH": os.environ["PATH"],
                "LIBNVME_SYSFS_PATH": str(self.host.root / "sysfs"),
            },
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout


UNIT = NVME.with_name("data") / "nvme-mptcp.service"


def setting(name: str) -> str:
    """The last value that the unit of keep gives a setting."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)[-1]


@contextmanager
def keeping(machine: Machine, file: Path) -> Iterator[None]:
    """Run keep as the unit does: its umask and its capabilities."""
    capabilities = [
        name.lower().removeprefix("cap_") for name in setting("CapabilityBoundingSet").split()
    ]
    process = subprocess.Popen(
        ["ip", "netns", "exec", machine.net.host, "setpriv",
         "--bounding-set", ",".join(["-all", *(f"+{name}" for name in capabilities)]),
         NVME, "mptcp", "keep", "--auto", "-J", "none", "--metrics", file],
        env={"PATH": os.environ["PATH"], "LIBNVME_SYSFS_PATH": NO_CONTROLLERS},
        umask=int(setting("UMask"), 8),
    )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with Network(2) as net:
        yield Machine(net, FakeHost(tmp_path / "machine"))


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def running(*command: str | Path) -> Iterator[None]:
    """A program in the background; what it printed is shown if a test fails."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield
    finally:
        process.terminate()
        try:
            print(process.communicate(timeout=30)[0][-4000:])
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@contextmanager
def serving(machine: Machine) -> Iterator[int]:
    """An exporter of a few lines: each scrape is one call of the command."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = machine.metrics().encode()
            self.send_response(200)
            self.send_header("Content-Type", OPEN_METRICS)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


#: Whatever proxy this machine has for the rest of the world.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(port: int, path: str, **query: str) -> Any:
    """The answer of Prometheus' interface, or None as long as there is none."""
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
    try:
        with DIRECTLY.open(url, timeout=5) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        if error.code == HTTPStatus.SERVICE_UNAVAILABLE:  # it listens before it is ready
            return None
        raise AssertionError(error.read().decode()) from None
    except (OSError, ValueError):
        return None


def wait_for(port: int, expression: str) -> list[Any]:
    """The result of an expression, once there is one."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        data = ask(port, "query", query=expression)
        if data and data["result"]:
            result: list[Any] = data["result"]
            return result
        time.sleep(0.5)
    raise AssertionError(f"{expression} has no result")


def wait_for_page(port: int, words: str) -> dict[str, str]:
    """The samples without labels of an exporter's page, once it has these words."""
    end = time.monotonic() + 60
    page = ""
    while words not in page and time.monotonic() < end:
        try:
            with DIRECTLY.open(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                page = answer.read().decode()
        except OSError:
            pass
        time.sleep(0.2)
    return dict(re.findall(r"^([a-z_]+) (\S+)$", page, re.MULTILINE))


@live
def test_promtool_has_no_complaint(monitor: Monitor, machine: Machine) -> None:
    text = machine.metrics("--prometheus")
    assert "nvme_mptcp_subflows{" in text
    assert monitor.promtool("check", "metrics", text=text).strip() == ""
    # Nor about what the other format has besides.
    opened = machine.metrics()
    same = opened.replace("nvme_mptcp_events counter", "nvme_mptcp_events_total counter")
    same = same.replace("HELP nvme_mptcp_events ", "HELP nvme_mptcp_events_total ")
    assert monitor.promtool("check", "metrics", text=same).strip() == ""


def test_promtool_complains_at_all(monitor: Monitor) -> None:
    done = subprocess.run(
        [monitor.program("promtool"), "check", "metrics"],
        input="nvme_total 1\n# TYPE a_total gauge\na_total 1\n",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0


@live
@pytest.mark.parametrize("before", [None, 0o600], ids=["new", "of-an-older-release"])
def test_node_exporter_reads_the_file_of_the_service(
    monitor: Monitor, machine: Machine, before: int | None
) -> None:
    """It runs as a user of its own, and the service with a umask that shuts others out."""
    assert int(setting("UMask"), 8) & 0o044, "or this test shows nothing"
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        program = directory / "node_exporter"
        program.write_bytes(Path(monitor.program("prometheus-node-exporter")).read_bytes())
        program.chmod(0o755)
        file = directory / "nvme-mptcp.prom"
        if before is not None:
            file.touch(before)
        port = free_port()
        with (
            keeping(machine, file),
            running(
                "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", program,
                "--collector.disable-defaults", "--collector.textfile",
                f"--collector.textfile.directory={directory}",
                f"--web.listen-address=127.0.0.1:{port}",
            ),
        ):  # fmt: skip
            samples = wait_for_page(port, "nvme_mptcp_enabled 1")
        assert samples["node_textfile_scrape_error"] == "0"
        assert samples["nvme_mptcp_enabled"] == "1"


@live
def test_prometheus_scrapes_both_ways(monitor: Monitor, machine: Machine, tmp_path: Path) -> None:
    """By HTTP as OpenMetrics, and through node_exporter; and the labels join."""
    files = tmp_path / "textfile"
    files.mkdir()
    (files / "nvme-mptcp.prom").write_text(machine.metrics("--prometheus"))
    (files / "node.prom").write_text(NODE)
    node, port = free_port(), free_port()
    with serving(machine) as direct:
        jobs = {"direct": direct, "node": node}
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [
                {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{at}"]}]}
                for job, at in jobs.items()
            ],
        }
        (tmp_path / "prometheus.yml").write_text(json.dumps(config))
        with (
            running(
                monitor.program("prometheus-node-exporter"), "--collector.disable-defaults",
                "--collector.textfile", f"--collector.textfile.directory={files}",
                f"--web.listen-address=127.0.0.1:{node}",
            ),
            running(
                monitor.program("prometheus"), f"--config.file={tmp_path / 'prometheus.yml'}",
                f"--storage.tsdb.path={tmp_path / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ),
        ):  # fmt: skip
            for job in jobs:
                (result,) = wait_for(port, f'sum(nvme_mptcp_subflows{{job="{job}"}})')
                assert result["value"][1] == "4"
            (errors,) = wait_for(port, "node_textfile_scrape_error")
            assert errors["value"][1] == "0"
            (joined,) = wait_for(
                port,
                'sum without (link, owner) (nvme_mptcp_subflows{job="node"})'
                " * on (instance, subsystem, controller, transport) group_left ()"
                ' (node_nvmesubsystem_path_state{state="live"} == 1)',
            )
            assert joined["metric"]["controller"] == "nvme0" and joined["value"][1] == "4"

            # Each family reached both, with the type and help that it has here.
            for target in ask(port, "targets")["activeTargets"]:
                assert target["health"] == "up", target
            scraped = ask(port, "metadata")
            for name, family in parse(machine.metrics()).items():
                if not family.samples:
                    continue
                end = "_total" if family.type == "counter" else ""
                known = {(m["type"], m["help"]) for m in scraped[name + end]}
                assert (family.type, family.help) in known, (name, known)
