# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of nvme mptcp report --html in Debian's Chromium: for eyes, keys, paper and readers."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browser import Browser
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import run
from test_mptcp_html import EVIL, LINK, live, machine

WIDTHS = (1280, 400)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def net() -> Iterator[Network]:
    with Network(3) as net:
        net.limits(8, 8)
        yield net


@pytest.fixture
def page(net: Network, host: FakeHost, tmp_path: Path) -> Path:
    """Both sides of a controller over three links, one of them down, with names that attack."""
    machine(net, host)
    net.ip("link", "set", "eth2", "down", netns=net.target)
    path, peer = tmp_path / "page.html", tmp_path / "peer.json"
    quick = ("--interval", "0.2")
    assert run("mptcp", "report", "-O", str(peer), "--netns", net.target, *quick).status == 0
    options = ("--html", str(path), "--peer", str(peer), *quick)
    assert run("mptcp", "report", *options, host=host, unseen=net.host).status == 0
    return path


@live
def test_nothing_is_executed(browser: Browser, page: Path) -> None:
    browser.media()
    browser.show(page)
    assert str(browser.value("document.title")).startswith("NVMe over MPTCP: ")
    assert browser.value("document.querySelectorAll('script,img,iframe,object').length") == 0
    text = browser.value("document.body.textContent")
    assert EVIL in text and LINK in text


@live
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_readable(browser: Browser, page: Path, width: int, scheme: str) -> None:
    """Nothing is beyond the edge but what scrolls by itself, and all text stands out."""
    browser.size(width)
    browser.media("screen", scheme)
    browser.show(page)
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    assert browser.faint() == []
    background = browser.value("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


@live
def test_on_paper(browser: Browser, page: Path) -> None:
    """What is folded is printed as well, and nothing is cut off, for nobody can scroll there."""
    browser.size(1280)
    browser.media("screen")
    browser.show(page)
    browser.value("document.querySelectorAll('details').forEach((d) => { d.open = false })")
    shown = "[...document.querySelectorAll('details svg')].every((s) => s.checkVisibility())"
    assert not browser.value(shown)
    browser.media("print")
    assert browser.value(shown)
    overflow = "[...document.querySelectorAll('.scroll')].map((s) => getComputedStyle(s).overflowX)"
    assert set(browser.value(overflow)) == {"visible"}


@live
def test_by_keyboard(browser: Browser, page: Path) -> None:
    browser.size(1280)
    browser.media()
    browser.show(page)
    focus = "document.activeElement"
    browser.press("Tab", 9)
    assert browser.value(f"{focus}.textContent") == "Skip to the findings"
    assert browser.value(f"{focus}.getBoundingClientRect().left") >= 0
    assert browser.value(f"getComputedStyle({focus}).outlineStyle") == "solid"
    browser.press("Enter", 13, "\r")
    assert browser.value(f"{focus}.id") == "findings"

    # All that can be used or scrolled is on the way, in the order of the page.
    browser.show(page)
    reached = []
    for _ in range(100):
        browser.press("Tab", 9)
        what = browser.value(f"{focus} == document.body ? '' : {focus}.tagName")
        if not what or len(reached) > 90:
            break
        reached.append(what)
    every = "[...document.querySelectorAll('a, summary, .scroll, pre')]"
    visible = f"{every}.filter((e) => e.checkVisibility()).map((e) => e.tagName)"
    assert reached == browser.value(visible)

    browser.value("document.querySelector('summary').focus()")
    for is_open in (False, True):
        browser.press("Enter", 13, "\r")
        assert browser.value("document.querySelector('details').open") == is_open


@live
def test_for_a_screen_reader(browser: Browser, page: Path) -> None:
    """Landmarks, headings, tables with headers, and a name for everything that has one."""
    browser.size(1280)
    browser.media()
    browser.show(page)
    tree = browser.tree()
    count = Counter(role for role, _ in tree)
    assert count["banner"] == count["main"] == 1
    assert browser.value("document.documentElement.lang") == "en"
    headings = [name for role, name in tree if role == "heading"]
    assert headings[0].startswith("NVMe over MPTCP") and "Findings" in headings
    levels = browser.value("[...document.querySelectorAll('h1,h2,h3')].map((h) => +h.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for role in ("region", "image", "DisclosureTriangle"):
        names = [name for it, name in tree if it == role]
        assert names and all(names), (role, names)
        assert role == "image" or len(set(names)) == len(names), (role, names)
    # each table is in a region that names it, and each of its rows and columns has a header
    tables = browser.value("document.querySelectorAll('table').length")
    assert (
        count["table"]
        == tables
        == browser.value("document.querySelectorAll('.scroll > table').length")
    )
    rows = browser.value("document.querySelectorAll('tbody tr').length")
    assert count["rowheader"] == rows
    assert count["columnheader"] == browser.value("document.querySelectorAll('thead th').length")


def test_a_thousand_controllers(browser: Browser, host: FakeHost, tmp_path: Path) -> None:
    for i in range(1000):
        host.subsystem(i, f"nqn.2026-01.org.example:d{i}").controller(
            i, "mptcp", f"traddr=192.0.2.{i % 250 + 1},trsvcid=4420", queue_count=5
        )
    path = tmp_path / "page.html"
    assert run("mptcp", "report", "--html", str(path), "--interval", "0", host=host).status == 0
    for width in WIDTHS:
        browser.size(width)
        browser.media()
        browser.show(path)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        assert browser.value("document.querySelectorAll('details').length") == 1000
    assert browser.value("document.querySelectorAll('details[open]').length") == 8
