# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/fresh: which release, which commands, and what it prints and returns when they fail."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nvmetools import ToolError, debian, fresh


@pytest.mark.parametrize("name", ["13", "trixie"])
def test_a_release_goes_by_number_and_name(name: str) -> None:
    assert str(fresh.release_of(name)) == "Debian 13 (trixie)"


@pytest.mark.parametrize(
    ("mine", "other"), [("bookworm", "trixie"), ("trixie", "bookworm"), ("forky", "trixie")]
)
def test_the_other_release(monkeypatch: pytest.MonkeyPatch, mine: str, other: str) -> None:
    monkeypatch.setattr(debian, "suite", lambda: mine)
    assert fresh.release_of("other").codename == other


def test_an_unknown_release_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ToolError, match=r"^11: .*12 \(bookworm\), 13 \(trixie\), and other$"):
        fresh.release_of("11")


def test_the_commands_are_the_readmes() -> None:
    """In their order, without the words beside them."""
    text = (fresh.PROJECT / "README.md").read_text()
    assert fresh.readme_commands(text) == ["make demo", "make test"]
    other = "   make x\n## Demo and tests\n\n    make one # 1\n    make two\n\n## b\n\n    make y\n"
    assert fresh.readme_commands(other) == ["make one", "make two"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Commands run in a directory here instead of a root; returns where their logs go."""

    @contextmanager
    def unpacked(cache: object, archive: object) -> Iterator[Path]:
        (tmp_path / "scratch/root").mkdir(parents=True)
        yield tmp_path / "scratch/root"

    def command(self: fresh.Root, directory: str, command: str) -> list[str]:
        clone = self.shared[0][0]
        return ["env", "-C", str(clone), "bash", "-c", command]

    monkeypatch.setattr(fresh, "unpacked", unpacked)
    monkeypatch.setattr(fresh, "bare", lambda *_: tmp_path / "bare.tar")
    monkeypatch.setattr(fresh.Root, "command", command)
    monkeypatch.setenv("BUILD", str(tmp_path / "build"))
    return tmp_path / "build/fresh/trixie"


def test_commands_run_in_a_clean_clone(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = fresh.main(["13", "git status --porcelain; ls", "echo second", "--cache", str(bare)])
    said = capsys.readouterr().err
    assert status == 0, said
    first, second = sorted(bare.glob("*.log"))
    assert "README.md" in first.read_text().split()
    assert "build" not in first.read_text().split()
    assert second.read_text() == "second\n"
    assert said.splitlines()[-1] == (
        f"Debian 13 (trixie): all commands passed; the logs are in {bare}"
    )


def test_a_failure_fails_the_run(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What comes after it is run, too; the last line has what failed, its log, how to repeat it."""
    commands = ["true", "seq 100; exit 3", "echo last"]
    assert fresh.main(["13", *commands, "--cache", str(bare)]) == 1
    said = capsys.readouterr().err
    log = bare / "2-seq-100-exit-3.log"
    assert said.splitlines()[-1] == (
        f"fresh: Debian 13 (trixie): failed: `seq 100; exit 3` (log: {log}); "
        "repeat: tools/fresh 13 'seq 100; exit 3'"
    )
    assert "\n61\n" in said
    assert "\n60\n" not in said
    assert (bare / "3-echo-last.log").read_text() == "last\n"


@pytest.mark.parametrize(("ci", "status"), [(False, fresh.SKIPPED), (True, 2)])
def test_what_cannot_be_is_skipped_but_not_in_ci(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    ci: bool,
    status: int,
) -> None:
    def no_archive(*_: object) -> Path:
        raise ToolError("mmdebstrap: the archive cannot be reached")

    monkeypatch.setattr(fresh, "set_up", no_archive)
    monkeypatch.delenv("CI", raising=False)
    if ci:
        monkeypatch.setenv("CI", "true")
    assert fresh.main(["--here", "other", "true", "--cache", str(tmp_path)]) == status
    out, err = capsys.readouterr()
    reason = "mmdebstrap: the archive cannot be reached; "
    assert (err if ci else out).startswith(f"{'fresh' if ci else 'skipped'}: {reason}")
    assert (out if ci else err) == ""


def test_a_root_has_mounts_of_its_own(tmp_path: Path) -> None:
    """What is shared is seen in it, and nothing of it is left outside; needs root."""
    tree = tmp_path / "root"
    for name in ("proc", "sys", "dev", "usr"):
        (tree / name).mkdir(parents=True)
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "file").write_text("from outside")
    inside = fresh.Root(tree, ((shared, "/seen"), (Path("/usr"), "/usr")))
    for name in ("bin", "lib", "lib64"):
        (tree / name).symlink_to(f"usr/{name}")
    command = inside.command("/seen", "cat file; pwd; echo $HOME; ls /proc/1/fd >/dev/null; exit 5")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr:
        pytest.skip("skipped: namespaces are not permitted here")
    assert (done.returncode, done.stdout) == (5, "from outside/seen\n/root\n"), done.stderr
    assert str(tree) not in Path("/proc/self/mountinfo").read_text()


def test_an_end_from_outside_ends_the_command(tmp_path: Path) -> None:
    """And what it ran on is removed: a signal becomes an exit."""

    def leave(_: str) -> None:
        raise SystemExit(143)

    began = time.monotonic()
    stubborn = "trap '' TERM; echo first; sleep 60"
    with pytest.raises(SystemExit):
        fresh.logged(["sh", "-c", stubborn], tmp_path / "log", leave)
    assert time.monotonic() - began < 30
    assert (tmp_path / "log").read_text() == "first\n"
