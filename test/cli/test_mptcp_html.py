# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp report --html: one page, whatever names are in it."""

import os
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from conftest import network_of
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import run
from test_mptcp_setup import kill, wait_for

EVIL = "</summary><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&amp;"
LINK = "<b>&\"'`="
VOID = {"meta", "rect", "line", "br"}
#: Ends that HTML lets out.
OPTIONAL = {"th", "td"}


class Page(HTMLParser):
    """Elements, attributes and text of a page; everything that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID | OPTIONAL:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def harmless(text: str) -> Page:
    """The page, after a look for everything that would be executed or fetched."""
    page = Page(text)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form", 'b"'}
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("src", "style", "xlink:href")
            if name == "href":
                assert (tag, value) == ("a", "#findings")
    assert "url(" not in text and "@import" not in text
    assert "-bit/s" not in text, "what is not known has no unit"
    policy = [m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy and str(policy[0]["content"]).startswith("default-src 'none'")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.elements:
        assert attributes.get("aria-labelledby", ids[0]) in ids
    return page


net = network_of(3, 8, 8)


def page_of(path: Path, *options: str, **where: Any) -> str:
    """The page that report --html writes; @where are the arguments of run()."""
    page = path / "page.html"
    words = ("mptcp", "report", "--html", str(page), *(options or ("--interval", "0")))
    run(*words, **where, status=0)
    return page.read_text()


def machine(net: Network, host: FakeHost, number: int = 0) -> None:
    """A controller over two links, one of which has a name of its own."""
    attributes = {"address": "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2", "queue_count": 2}
    evil = host.subsystem(number, f"nqn.2026-01.org.example:{EVIL}")
    evil.controller(number, "mptcp", **attributes)
    net.rename("eth3", LINK)
    net.endpoint(net.host, "10.77.3.2", "dev", LINK, "subflow")
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow", "backup")
    net.connections(2)


def test_hostile_names(net: Network, host: FakeHost, tmp_path: Path) -> None:
    machine(net, host)
    text = both_sides(net, host, tmp_path)
    page = harmless(text)
    assert EVIL in page.text and LINK in page.text
    assert "<script" not in text and "<img" not in text
    assert len(page.all("svg")) == 1 and "10.77.2.2" in page.text
    assert text.index(">host</text>") < text.index(">target</text>"), "from left to right"
    for side in ("here", "there"):
        assert f"Endpoints {side}: {os.uname().nodename}" in page.text
    assert "No endpoints." in page.text, "over there"
    # Each subflow is a line; backups are drawn otherwise.
    assert len(page.all("line")) == 6
    assert len([a for a in page.all("line") if a.get("class") == "backup"]) == 2


def both_sides(net: Network, host: FakeHost, tmp_path: Path) -> str:
    """The host's page, with what the target reports."""
    peer = str(tmp_path / "peer.json")
    run("mptcp", "report", "-O", peer, "--netns", net.target, "--interval", "0.2", status=0)
    return page_of(tmp_path, "--peer", peer, "--interval", "0.2", host=host, unseen=net.host)


def carried(net: Network) -> list[str]:
    """What each subflow of the target has carried: MPTCP may send again what is late."""
    return re.findall(r"bytes_(?:sent|received):\d+", net.ss(net.target, "-HtniO"))


def test_a_target(net: Network, tmp_path: Path) -> None:
    """It is on the right, and its hosts are on the left."""
    net.connections(2)
    wait_for(lambda: carried(net) == (time.sleep(0.3), carried(net))[1])
    text = page_of(tmp_path, "--interval", "0.1", unseen=net.target)
    harmless(text)
    assert text.index(">hosts</text>") < text.index(">target</text>")
    assert os.uname().nodename in text[text.index(">target</text>") :][:200]
    rates = re.findall(r'<td class="n">([^<]*)</tr>', text)
    assert rates and set(rates) == {"0bit/s"}, "what was carried before is no rate"
    assert ">host</text>" not in text and ">target at</text>" not in text


def test_a_dead_link(net: Network, host: FakeHost, tmp_path: Path) -> None:
    """Its subflows are drawn as what they are worth, not as those of the others."""
    machine(net, host)
    net.ip("link", "set", "eth2", "down", netns=net.target)
    text = page_of(tmp_path, host=host, unseen=net.host)
    page = harmless(text)
    assert "down" in page.text
    # A link's row has a cell for each heading: link, state, seven numbers and a rate.
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', text)
    rows = [row for row in rows if row.count("<td") == 9]
    assert len(rows) == 3
    states = {row.partition("<td")[0]: re.split(r"<td[^>]*>", row)[1] for row in rows}
    assert [link for link, state in states.items() if "down" in state] == ["eth2"]
    assert all(state.strip() for state in states.values())
    assert [a.get("class") for a in page.all("line")].count("error") == 2


def test_what_is_not_well_is_unfolded(net: Network, host: FakeHost, tmp_path: Path) -> None:
    """However many controllers without a connection to be seen, a lesser trouble, come first."""
    many_disks(host, 12)
    machine(net, host, 12)
    kill(net.host, "src", "10.77.2.2")
    text = page_of(tmp_path, host=host, unseen=net.host)
    folds = harmless(text).all("details")
    assert ["open" in fold for fold in folds] == [True] * 8 + [False] * 5
    names = re.findall(r"<summary><b>(.*?)</b>", text)
    assert names == ["nvme12", *(f"nvme{i}" for i in range(12))], "the one in trouble first"
    none = '<span class="warning">0 subflows, 0 dead, 0 missing, 0 in fallback</span>'
    assert text.count(none) == 12
    assert '<span class="warning">4 subflows, 0 dead, 2 missing, 0 in fallback</span>' in text


def many_disks(host: FakeHost, number: int) -> None:
    for i in range(number):
        host.disk(i, "mptcp", f"traddr=192.0.2.{i % 250 + 1},trsvcid=4420")


def test_a_thousand_controllers(host: FakeHost, tmp_path: Path) -> None:
    many_disks(host, 1000)
    folds = harmless(page_of(tmp_path, host=host)).all("details")
    assert ["open" in fold for fold in folds] == [True] * 8 + [False] * 992


def test_controllers_without_connections(host: FakeHost, tmp_path: Path) -> None:
    """It is said why they have none, and that there is none is no success."""
    for i, state in enumerate(("live", "live", "connecting")):
        host.disk(i, state=state)
    text = page_of(tmp_path, host=host)
    page = harmless(text)
    assert page.text.count("No connection in this network namespace.") == 2
    assert re.findall(r"<summary><b>(.*?)</b>", text) == ["nvme2", "nvme0", "nvme1"]
    assert '<li><b class="error">1</b>not live</li>' in text
    assert '<span class="error">connecting</span>' in text
    assert "No connection while the controller is connecting." in page.text
    for what in ("connections", "subflows"):
        assert f'<li><b class="dim">0</b>{what}</li>' in text
    assert '<li><b class="good">0</b>missing</li>' in text


def test_without_controllers(tmp_path: Path) -> None:
    assert "No controller is connected over MPTCP." in harmless(page_of(tmp_path)).text


def test_what_is_refused(tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    for options in (
        ("--peer", "x"), ("--html", page, "--peers", str(tmp_path)),
        ("--html", page, "--peer", str(tmp_path / "none")), ("--html", str(tmp_path)),
    ):  # fmt: skip
        result = run("mptcp", "report", "--interval", "0", *options)
        assert result.status == 1 and result.err, options
    assert not list(tmp_path.iterdir())
