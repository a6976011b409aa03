# SPDX-License-Identifier: GPL-2.0-or-later
"""The choice of a kernel in the archive, and its download."""

from pathlib import Path

import pytest
from nvmelab import releases
from nvmelab.releases import ALL_SERIES, SERIES, STOCK_SERIES, Release
from nvmetools import ToolError, archive, debian
from nvmetools.cache import Cache


class Lists(archive.Machine):
    """An archive of these packages, all in version 1."""

    def __init__(self, *packages: str) -> None:
        self.packages = packages
        self.now = [1, 2]
        self.asked: list[str] = []

    def state(self, note: debian.Note) -> list[int]:
        return list(self.now)

    def apt_cache(self, *arguments: str) -> str:
        self.asked.append(arguments[0])
        if arguments[0] == "pkgnames":
            return "\n".join(self.packages)
        return "".join(f"{p} | 1 | http://a x Packages\n" for p in arguments if p in self.packages)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch):
    """Puts an archive in the place of the machine's."""

    def use(*packages: str) -> Lists:
        shelf = Lists(*packages)
        monkeypatch.setattr(releases.Series, "archive", lambda self, store: shelf)
        monkeypatch.setattr(releases.shutil, "which", lambda tool: f"/usr/bin/{tool}")
        return shelf

    return use


def test_the_newest_plain_kernel_comes_first() -> None:
    names = [
        "linux-image-6.12.9+deb12-amd64", "linux-image-6.12.117+deb12-amd64",
        "linux-image-6.12.117+deb13-amd64", "linux-image-6.12.200+deb12-rt-amd64",
        "linux-image-6.12.200+deb12-cloud-amd64", "linux-image-6.12.200+deb12-amd64-unsigned",
        "linux-image-6.12.200+deb12-amd64-dbg", "linux-image-6.13.1+deb12-amd64",
        "linux-image-6.12-amd64",
    ]  # fmt: skip
    assert releases.newest_first(names, SERIES["6.12"].versions) == [
        "6.12.117+deb13-amd64", "6.12.117+deb12-amd64", "6.12.9+deb12-amd64",
    ]  # fmt: skip
    assert releases.newest_first(
        ["linux-image-7.3.4+deb13-amd64", "linux-image-7.10.1+deb13-amd64", *names],
        SERIES["newest"].versions,
    )[:2] == ["7.10.1+deb13-amd64", "7.3.4+deb13-amd64"]


@pytest.mark.parametrize("split", [True, False])
def test_an_image_in_one_package_or_in_three_is_found(tmp_path: Path, lists, split: bool) -> None:
    whole = Release("7.3.4+deb13-amd64", "1", split)
    newer = "linux-image-7.4.1+deb13-amd64"  # its headers are not there yet
    lists(*whole.packages, "linux-image-7.3.4+deb13-amd64", newer)
    assert releases.choose(Cache(tmp_path), SERIES["newest"], print) == whole


def test_a_kernel_without_modules_of_ours_is_its_image_alone(tmp_path: Path, lists) -> None:
    expected = Release("6.1.0-48-amd64", "1", stock_only=True)
    assert expected.packages == ("linux-image-6.1.0-48-amd64",)
    shelf = lists(*expected.packages, "linux-image-6.1.0-9-amd64", "linux-image-6.1.0-49-rt-amd64")
    store = Cache(tmp_path)
    assert [releases.choose(store, STOCK_SERIES["6.1"], print) for _ in "ab"] == [expected] * 2
    assert shelf.asked.count("pkgnames") == 1


def test_the_choice_is_remembered_until_the_lists_change(tmp_path: Path, lists) -> None:
    expected = Release("6.12.9+deb12-amd64", "1")
    shelf = lists(*expected.packages)
    store = Cache(tmp_path)
    assert [releases.choose(store, SERIES["6.12"], print) for _ in range(3)] == [expected] * 3
    assert shelf.asked.count("pkgnames") == 1
    shelf.now[0] = 3
    assert releases.choose(store, SERIES["6.12"], print) == expected
    assert shelf.asked.count("pkgnames") == 2


@pytest.mark.parametrize(
    ("series", "way_out"), [("6.12", "apt-get update"), ("newest", "trixie"), ("6.1", "bookworm")]
)
def test_lists_without_a_kernel_say_what_to_do(
    tmp_path: Path, lists, series: str, way_out: str
) -> None:
    lists()
    with pytest.raises(releases.ArchiveError, match=way_out):
        releases.choose(Cache(tmp_path), ALL_SERIES[series], print)


def test_a_failed_download_is_tried_again_and_names_the_packages(
    tmp_path: Path, lists, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    shelf = lists()
    monkeypatch.setattr(releases, "_download_size", lambda archive, release: 3 << 20)
    monkeypatch.setattr(releases.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(shelf, "apt_get", lambda *arguments, directory: fail(arguments[0]))

    def fail(what: str) -> str:
        raise ToolError(f"apt-get {what} failed (exit status 100):\nE: 404 Not Found")

    release = Release("6.12.9+deb12-amd64", "6.12.9-1")
    with pytest.raises(releases.ArchiveError, match=r"(?s)linux-source-6\.12=6\.12\.9-1.*404"):
        releases._download(Cache(tmp_path), shelf, release, said.append)
    assert said.count("E: 404 Not Found; trying again") == releases.DOWNLOAD_ATTEMPTS - 1
    assert any("of 3 MiB" in line for line in said)


def test_a_release_is_found_where_either_kind_of_package_puts_it(tmp_path: Path) -> None:
    old = releases.Unpacked(tmp_path / "old")
    (old.top / "image/lib/modules/6.12.9").mkdir(parents=True)
    assert old.boot_file("vmlinuz", "6.12.9") == old.top / "image/boot/vmlinuz-6.12.9"
    split = releases.Unpacked(tmp_path / "split")
    (split.top / "image/usr/lib/modules/7.3.4").mkdir(parents=True)
    (split.modules / "7.3.4/vmlinuz").touch()
    assert split.boot_file("vmlinuz", "7.3.4") == split.modules / "7.3.4/vmlinuz"


@pytest.fixture
def etc_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of bookworm whose sources name another vendor's archive, too."""
    monkeypatch.setattr(debian, "suite", lambda: "bookworm")
    (tmp_path / "sources.list").write_text(
        "deb http://a/debian bookworm main\n"
        "deb http://a/debian bookworm-updates main\n"
        "deb http://a/debian-security bookworm-security main\n"
        "deb http://other/repo stable main\n"
    )
    return tmp_path


def test_another_release_comes_from_the_machines_own_archive(etc_apt: Path) -> None:
    plain = [
        "deb http://a/debian trixie main",
        "deb http://a/debian trixie-updates main",
        "deb http://a/debian-security trixie-security main",
    ]
    assert archive.sources_of("trixie", backports=False, etc_apt=etc_apt) == plain
    assert archive.sources_of("trixie", backports=True, etc_apt=etc_apt) == [
        "deb http://a/debian trixie-backports main", *plain,
    ]  # fmt: skip


def test_old_lists_do_without_the_network_and_none_do_not(
    etc_apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(self: archive.Archive) -> bool:
        raise ToolError("apt-get update failed:\nE: no route")

    monkeypatch.setattr(archive.Archive, "renew", offline)
    shelf = archive.Archive(Cache(tmp_path / "cache"), "trixie", etc_apt=etc_apt)
    said: list[str] = []
    with pytest.raises(ToolError, match="no route"):
        shelf.state(said.append)
    shelf.top.mkdir()
    stamp = shelf.top / "updated"
    stamp.touch()
    assert shelf.state(said.append) == [stamp.stat().st_mtime_ns]
    assert said == []
    monkeypatch.setattr(archive.time, "time", lambda: stamp.stat().st_mtime + 3 * 86400)
    shelf.state(said.append)
    assert said == ["going by package lists 3 days old: E: no route"]
