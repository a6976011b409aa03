# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site of make doc in Debian's Chromium: complete, and readable in each scheme and width."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_table import TOP

sys.path.insert(0, str(TOP / "test/cli"))

from browser import Browser

PAGES = (
    "index.html", "overview.html", "tutorial.html", "performance.html", "mptcp-rules.html",
    "python/mptcp.html",
)  # fmt: skip

#: Events of pages that are not as they were meant, and the part that says so.
TROUBLE = {
    "Runtime.exceptionThrown": "exceptionDetails",
    "Runtime.consoleAPICalled": "args",
    "Log.entryAdded": "entry",
    "Network.loadingFailed": "errorText",
}


@pytest.fixture(scope="module")
def site(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("site")
    command = [sys.executable, TOP / "tools/gen-site.py", "--strict"]
    subprocess.run([*command, "--build", build, "--output", output], check=True)
    return output


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        for domain in ("Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        yield browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_readable(
    browser: Browser, site: Path, page: str, width: int, scheme: str
) -> None:
    browser.size(width)
    browser.media("screen", scheme)
    browser.events.clear()
    browser.show(site / page)
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert browser.faint() == []
    trouble = [params[TROUBLE[name]] for name, params in browser.events if name in TROUBLE]
    assert not trouble, trouble
