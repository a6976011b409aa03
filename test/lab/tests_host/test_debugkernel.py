# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel of series debug: its configuration, and that it is built like Debian's own."""

import re
from pathlib import Path

import pytest
from nvmelab import debugkernel, kbuild, kernel, releases
from nvmelab.releases import DEBUG_SERIES, Release, Unpacked
from nvmetools import ToolError
from nvmetools.cache import Cache

DEBUG = DEBUG_SERIES["debug"]
RELEASE = Release("6.12.9+deb13-amd64", "6.12.9-1")


def test_the_configuration_has_settings_only_and_each_once() -> None:
    assert DEBUG.config
    lines = debugkernel.lines_of(DEBUG.config)
    names = [line.partition("=")[0] for line in lines]
    assert all(re.fullmatch(r'CONFIG_\w+=([ym]|\d+|".*")', line) for line in lines)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("report", ["KASAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK"])
def test_a_kernel_that_drops_a_setting_is_no_result(tmp_path: Path, report: str) -> None:
    assert DEBUG.config
    made = tmp_path / ".config"
    lines = debugkernel.lines_of(DEBUG.config)
    made.write_text("\n".join(lines))
    debugkernel.check_config(DEBUG.config, made)
    made.write_text("\n".join(x for x in lines if x != f"CONFIG_{report}=y"))
    with pytest.raises(ToolError, match=rf"configuration: CONFIG_{report}=y \("):
        debugkernel.check_config(DEBUG.config, made)


def test_our_modules_are_built_for_it_with_the_edits_of_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def unpacked(*arguments: object) -> Unpacked:
        asked.append("its own packages")
        return Unpacked(tmp_path)

    def build(release: Release, packages: Unpacked, series: str, *rest: object) -> list[Path]:
        asked.append(f"modules for {release.name} as for {series}")
        return []

    def assemble(release: Release, packages: Unpacked, built: object, scratch: Path, _: object):
        (scratch / "result").mkdir()

    monkeypatch.setattr(debugkernel, "unpacked", unpacked)
    monkeypatch.setattr(releases, "unpacked", lambda *_: pytest.fail("Debian's packages"))
    monkeypatch.setattr(kbuild, "build", build)
    monkeypatch.setattr(kernel, "_assemble", assemble)
    monkeypatch.setattr(kernel, "_check_tools", lambda: None)
    made = kernel.prepare_release(Cache(tmp_path / "cache"), DEBUG, RELEASE, lambda _: None)
    assert made.version == RELEASE.name
    assert asked == ["its own packages", f"modules for {RELEASE.name} as for 6.12"]
