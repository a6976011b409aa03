# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of nvme mptcp report --html in Debian's Chromium: for eyes, keys, paper and readers."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browser import Browser
from conftest import network_of
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp_html import EVIL, LINK, both_sides, machine, many_disks, page_of

WIDTHS = (1280, 400)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


net = network_of(3, 8, 8)


@pytest.fixture
def page(net: Network, host: FakeHost, tmp_path: Path) -> Path:
    """Both sides of a controller over three links, one of them down, with names that attack."""
    machine(net, host)
    net.ip("link", "set", "eth2", "down", netns=net.target)
    both_sides(net, host, tmp_path)
    return tmp_path / "page.html"


def test_nothing_is_executed(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert str(browser.value("document.title")).startswith("NVMe over MPTCP: ")
    assert browser.value("document.querySelectorAll('script,img,iframe,object').length") == 0
    text = browser.value("document.body.textContent")
    assert EVIL in text and LINK in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_readable(browser: Browser, page: Path, width: int, scheme: str) -> None:
    """Nothing is beyond the edge but what scrolls by itself, and all text stands out."""
    browser.open(page, width, scheme)
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    assert browser.faint() == []
    background = browser.value("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_on_paper(browser: Browser, page: Path) -> None:
    """What is folded is printed as well, and nothing is cut off, for nobody can scroll there."""
    browser.open(page)
    browser.value("document.querySelectorAll('details').forEach((d) => { d.open = false })")
    shown = "[...document.querySelectorAll('details svg')].every((s) => s.checkVisibility())"
    assert not browser.value(shown)
    browser.media("print")
    assert browser.value(shown)
    overflow = "[...document.querySelectorAll('.scroll')].map((s) => getComputedStyle(s).overflowX)"
    assert set(browser.value(overflow)) == {"visible"}


def test_by_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page)
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


def test_for_a_screen_reader(browser: Browser, page: Path) -> None:
    """Landmarks, headings, tables with headers, and a name for everything that has one."""
    browser.open(page)
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
    inside = browser.value("document.querySelectorAll('.scroll > table').length")
    assert count["table"] == tables == inside
    rows = browser.value("document.querySelectorAll('tbody tr').length")
    assert count["rowheader"] == rows
    assert count["columnheader"] == browser.value("document.querySelectorAll('thead th').length")


def test_a_thousand_controllers(browser: Browser, host: FakeHost, tmp_path: Path) -> None:
    many_disks(host, 1000)
    page_of(tmp_path, host=host)
    for width in WIDTHS:
        browser.open(tmp_path / "page.html", width)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        assert browser.value("document.querySelectorAll('details').length") == 1000
    assert browser.value("document.querySelectorAll('details[open]').length") == 8
