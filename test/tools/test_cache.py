# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache: keys follow content, files appear whole or not at all."""

import os
import time
from pathlib import Path

import pytest
from nvmetools.cache import KEEP_UNUSED_DAYS, Cache, default_dir, key_of, tree_key


def test_keys_follow_every_part_and_its_borders() -> None:
    assert key_of("a", "b") == key_of("a", b"b")
    assert len({key_of("a", "b"), key_of("ab"), key_of("b", "a"), key_of("a", "b", "")}) == 4


def test_a_trees_key_follows_names_contents_and_links(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/file").write_text("1")
    os.utime(tmp_path / "sub/file", ns=(0, 1000))
    keys = [tree_key(tmp_path)]
    assert tree_key(tmp_path) == keys[0]
    (tmp_path / "sub/file").write_text("22")
    keys.append(tree_key(tmp_path))
    (tmp_path / "link").symlink_to("sub/file")
    keys.append(tree_key(tmp_path))
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("elsewhere")
    keys.append(tree_key(tmp_path))
    assert len(set(keys)) == 4


def test_a_file_is_built_once(tmp_path: Path) -> None:
    built = []

    def build(target: Path, scratch: Path) -> None:
        built.append(target)
        assert target.parent == scratch
        target.write_text("content")

    cache = Cache(tmp_path / "cache")
    first = cache.file("root", "0123", ".erofs", build)
    assert cache.file("root", "0123", ".erofs", build) == first
    assert first.read_text() == "content"
    assert len(built) == 1
    assert cache.file("root", "4567", ".erofs", build) != first
    assert len(built) == 2


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def build(target: Path, scratch: Path) -> None:
        target.write_text("half")
        (scratch / "more").mkdir()
        raise RuntimeError("broke")

    cache = Cache(tmp_path)
    with pytest.raises(RuntimeError, match="broke"):
        cache.file("root", "0123", ".erofs", build)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root.lock"]


def test_what_nobody_used_for_a_month_goes_when_a_new_one_comes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    old, recent = tmp_path / "root-old.erofs", tmp_path / "root-recent.erofs"
    other = tmp_path / "modules-old.erofs"
    for path in (old, recent, other):
        path.touch()
    then = time.time() - (KEEP_UNUSED_DAYS + 1) * 86400
    os.utime(old, (then, then))
    os.utime(other, (then, then))
    cache.file("root", "new", ".erofs", lambda target, _: target.touch())
    assert not old.exists()
    assert recent.exists()
    assert other.exists()


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/me")
    assert default_dir() == Path("/var/cache/me/nvme-mptcp-lab")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_dir() == Path("/home/me/.cache/nvme-mptcp-lab")
