#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serve metrics to Prometheus: exporter.py [ADDRESS:]PORT [COMMAND...]

The URL is http://ADDRESS:PORT/metrics; without ADDRESS only this machine can reach it. 0.0.0.0 and
[::] are all addresses. COMMAND prints the metrics, by default "nvme mptcp metrics"; it runs for
each request. With node_exporter, use its textfile collector instead: see doc/monitoring.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

CONTENT = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    program: tuple[str, ...] = ("nvme", "mptcp", "metrics")

    def do_GET(self) -> None:
        """Send the metrics, or why there are none."""
        if self.path != "/metrics":
            self.send_error(404, "only /metrics is here")
            return
        try:
            done = subprocess.run(self.program, capture_output=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            self.send_error(500, "no metrics", str(error))
            return
        if done.returncode:
            self.send_error(500, "no metrics", done.stderr.decode(errors="replace"))
            return
        self.send_response(200)
        self.send_header("Content-Type", CONTENT)
        self.send_header("Content-Length", str(len(done.stdout)))
        self.end_headers()
        self.wfile.write(done.stdout)

    def log_message(self, format: str, *args: object) -> None:
        """A line for each scrape is worth nothing."""


class Server(HTTPServer):
    """Listens at an IPv4 or IPv6 address."""

    def __init__(self, address: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), Handler)


def main(where: str, *command: str) -> None:
    """Serve until interrupted; port 0 takes any that is free."""
    if command:
        Handler.program = command
    address, _, port = where.rpartition(":")
    with Server(address.strip("[]") or "127.0.0.1", int(port)) as server:
        print(f"http://{address or '127.0.0.1'}:{server.server_port}/metrics", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) < 2 or not sys.argv[1].rpartition(":")[2].isdecimal():
        sys.exit("Usage: exporter.py [ADDRESS:]PORT [COMMAND...]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"exporter.py: {error}")
    except KeyboardInterrupt:
        pass
