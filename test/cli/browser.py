# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's Chromium without a window, driven over a pipe by the protocol of its developer tools."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 120

#: The least contrast of text that WCAG 2.1 allows (1.4.3).
CONTRAST = 4.5

#: Texts whose contrast with what is behind them is less than that.
FAINT = """(() => {
    const light = (c) => {
        const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
    };
    const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const c = parse(getComputedStyle(e).backgroundColor);
            if (c.length == 3 || c[3] > 0) return c;
        }
        return [255, 255, 255];
    };
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const element = walk.currentNode.parentElement, style = getComputedStyle(element);
        if (!walk.currentNode.data.trim() || !element.getClientRects().length) continue;
        if (element.getBoundingClientRect().width <= 1) continue;  // for screen readers alone
        const drawn = element.closest("svg");
        const ink = light(parse(drawn ? style.fill : style.color)), paper = light(behind(element));
        const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
        if (ratio < %f) found.push(walk.currentNode.data + " " + ratio.toFixed(2));
    }
    return found;
})()"""


def find_chromium() -> str:
    """The program. A test that asks for it is skipped where it is not installed, but not in CI."""
    program = shutil.which("chromium")
    if not program:
        missing = "chromium is not installed; tools/setup installs it"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(f"skipped: {missing}")
    return program


class Browser:
    """One page in a browser of its own, which ends with the block."""

    def __init__(self, profile: Path, width: int = 1280) -> None:
        program = find_chromium()
        # the browser reads file 3 and writes file 4
        to_read, self.out = os.pipe()
        self.back, to_write = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{high[0]} 4>&{high[1]}', "bash", program,
             "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            pass_fds=high, stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(profile)},
        )  # fmt: skip
        for fd in (to_read, to_write, *high):
            os.close(fd)
        self.number = 0
        self.buffer = b""
        #: What domains that are enabled report, in its order.
        self.events: list[tuple[str, Any]] = []
        self.session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        self.call("Accessibility.enable")
        self.size(width)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.back)

    def _message(self, end: float) -> Any:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"Chromium has not answered within {PATIENCE_S} s"
            read = os.read(self.back, 1 << 20)
            assert read, "Chromium has ended"
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **params: Any) -> Any:
        """What a method of the protocol returns."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            message = self._message(end)
            if "method" in message:
                self.events.append((message["method"], message["params"]))
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def size(self, width: int, height: int = 900) -> None:
        """The window's, in pixels of CSS."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def media(self, kind: str = "screen", scheme: str = "light") -> None:
        """Screen or print, light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def show(self, page: Path) -> None:
        """Loads a page, and waits for it."""
        self.call("Page.navigate", url=page.as_uri())
        end = time.monotonic() + PATIENCE_S
        while self.value("document.readyState + location.href") != "complete" + page.as_uri():
            assert time.monotonic() < end, page
            time.sleep(0.05)

    def open(self, page: Path, width: int = 1280, scheme: str = "light") -> None:
        """Load a page on a screen so wide."""
        self.size(width)
        self.media("screen", scheme)
        self.show(page)

    def value(self, expression: str) -> Any:
        """Of an expression in JavaScript, which is the browser's and none of the page's."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def faint(self) -> Any:
        """Texts whose contrast with what is behind them is too low, and that contrast."""
        return self.value(FAINT % CONTRAST)

    def press(self, key: str, code: int, text: str = "") -> None:
        """Presses a key and lets it go."""
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            names = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type=kind, **names, **typed)

    def tree(self) -> list[tuple[str, str]]:
        """What a screen reader is told: role and name of everything that is not ignored."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]
