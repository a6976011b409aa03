# SPDX-License-Identifier: LGPL-2.1-or-later
"""The type stubs say what the modules have, and mypy understands them."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, TOP
from nvmelab import pypi

PACKAGE = BUILD / "python/libnvme"


def judged(command: Sequence[str | Path], **more: Any) -> subprocess.CompletedProcess[str]:
    """What a program says of types."""
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


def mypy(*arguments: str | Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy, strictly."""
    pytest.importorskip("mypy", reason="skipped: mypy is missing")
    return judged(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", *arguments],
        env=os.environ | {"MYPYPATH": str(BUILD / "python"), "MYPY_CACHE_DIR": str(cache)},
    )


#: What PyPI shows, and the first page of the documents.
FRONT_PAGES = ("python/README.md", "doc/python/index.rst")


def front_page_programs(directory: Path) -> list[Path]:
    """The programs on the front pages, each in a file."""
    found = []
    for page in FRONT_PAGES:
        text = (TOP / page).read_text()
        fenced = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for code in fenced or re.findall(r"::\n\n((?:    .*\n|\n)+)", text):
            found.append(directory / f"front_page_{len(found)}.py")
            found[-1].write_text(textwrap.dedent(code))
    assert len(found) >= len(FRONT_PAGES)
    return found


@pytest.mark.parametrize("what", ["everything", "front pages", "modules", "examples"])
def test_they_are_well_typed(tmp_path: Path, what: str) -> None:
    """A program that uses everything, those that are there to copy from, and the modules."""
    words: dict[str, Sequence[str | Path]] = {
        "everything": [TOP / "test/python/typed.py"],
        "front pages": front_page_programs(tmp_path),
        "modules": ["-p", "libnvme"],
        "examples": sorted((TOP / "doc/examples").glob("*.py")),
    }
    done = mypy(*words[what], cache=tmp_path / "cache")
    assert done.returncode == 0, done.stdout + done.stderr


def test_page_of_pypi() -> None:
    """It stands alone: whatever it links to is elsewhere."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    assert project["readme"] == FRONT_PAGES[0]
    links = re.findall(r"\]\(([^)]*)\)", (TOP / FRONT_PAGES[0]).read_text())
    assert links and [link for link in links if not link.startswith("https://")] == []


#: Each line is wrong.
MISTAKES = [
    'options: nvme.ConnectOptions = {"tos": "x"}',
    'nvme.connect("nqn", cfg={"nosuch": 1})',
    'nvme.Error(1, "x").code == "refusd"',
    'nvme.generate_dhchap_key("md5")',
    "nvme.root(5)",
    "nvme.root().hosts().model",
    'nvme.ctrl(nvme.root(), "nqn", "tcp").connect(nvme.host(nvme.root()), {"tos": "x"})',
    'nvme.ctrl(nvme.root(), "nqn", "tcp").state = "live"',
    "nvme.NVME_LOG_LID_DISCOVER.upper()",
    "mptcp.snapshot().controllers[0].subflows().rtt_us",
    "mptcp.snapshot().enabled = True",
    'nvme.ctrl(nvme.root(), "nqn", "tcp").port.upper()',
    'nvme.ctrl(nvme.root(), "nqn", "tcp").trsvcid == 4420',
    'nvme.ctrl(nvme.root(), "nqn", "tcp").options()["nosuch"]',
    'nvme.ctrl(nvme.root(), "nqn", "tcp", 5)',
    'nvme.ctrl(nvme.root(), "nqn", "tcp").connect(nvme.host(nvme.root()), timeout="1")',
    "next(nvme.ctrl(nvme.root(), 'nqn', 'tcp').namespaces()).size + 1",
    'nvme.discover(nvme.root(), "tcp")[0]["nosuch"]',
    'nvme.connect_all(nvme.root(), "tcp", "10.1.1.1", cfg={"tos": "x"})',
    'nvme.connect_all(nvme.root(), "tcp")[0].ctrl.name',
    'mptcp.check()[0].severity == "eror"',
    'mptcp.setup("boss")',
    'mptcp.setup("auto")',
    'mptcp.metrics(format="xml")',
    'mptcp.Snapshot.from_json("{}").nosuch',
    "mptcp.monitor().wait().event",
    'mptcp.check().count("fatal")',
    'mptcp.Keeper(role="both")',
]


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A program that consists of them, from its third line on."""
    program = tmp_path / "wrong.py"
    program.write_text("from libnvme import mptcp, nvme\n\n" + "\n".join(MISTAKES) + "\n")
    return program


def test_mistakes_are_found(wrong: Path) -> None:
    done = mypy(wrong, cache=BUILD / "python/.mypy_cache")
    assert done.returncode == 1, done.stdout + done.stderr
    found = {int(line) for line in re.findall(r"wrong\.py:(\d+): error", done.stdout)}
    assert [text for at, text in enumerate(MISTAKES, 3) if at not in found] == []


#: With its own Node.js. A newer one may find more: that is to be seen when it is wanted.
PYRIGHT = "basedpyright==1.40.2"


def pyright(tmp_path: Path, *files: Path) -> dict[str, set[int]]:
    """The lines where basedpyright, pyright with all it needs on PyPI, finds an error, by file."""
    program = pypi.programs("pyright", PYRIGHT) / "basedpyright"
    config = tmp_path / "pyrightconfig.json"
    options = {"typeCheckingMode": "standard", "extraPaths": [str(BUILD / "python")]}
    config.write_text(json.dumps(options | {"include": [str(file) for file in files]}))
    report = json.loads(judged([program, "--project", config, "--outputjson"]).stdout)
    assert report["summary"]["filesAnalyzed"] >= len(files)
    found: dict[str, set[int]] = {}
    for one in report["generalDiagnostics"]:
        if one["severity"] == "error":
            line = one["range"]["start"]["line"] + 1
            found.setdefault(one["file"], set()).add(line)
    return found


def test_pyright(tmp_path: Path) -> None:
    files = [TOP / "test/python/typed.py", *sorted((TOP / "doc/examples").glob("*.py"))]
    files += front_page_programs(tmp_path)
    assert pyright(tmp_path, *files) == {}


def test_pyright_finds_mistakes(tmp_path: Path, wrong: Path) -> None:
    """All but a comparison that is never true, which it leaves to its strict mode."""
    found = pyright(tmp_path, wrong)[str(wrong)]
    missed = [text for at, text in enumerate(MISTAKES, 3) if at not in found]
    assert [text for text in missed if " == " not in text] == []


#: What swig adds to each class, what makes names come on first use, and types that stubtest takes
#: for something else where a stub imports them.
ALLOWED = r"""
libnvme\.nvme\.__(dir|getattr)__
libnvme\.nvme\.(ConnectOptions|DiscoveryEntry|ErrorCode)(\.__(mutable|readonly)_keys__)?
libnvme\.nvme\.(root|host|subsystem|ctrl|ns|path)
libnvme\.nvme\.\w+\.__swig_destroy__
"""


def stubtest(package: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Hold the stubs of a package to its modules."""
    pytest.importorskip("mypy", reason="skipped: mypy is missing")
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED)
    options = ["--concise", "--allowlist", str(allowed), "--ignore-unused-allowlist"]
    return judged(
        [sys.executable, "-m", "mypy.stubtest", *options, "libnvme.nvme", "libnvme._mptcp"],
        env=os.environ | {"MYPYPATH": str(package), "PYTHONPATH": str(package)},
        cwd=tmp_path,
    )


def test_stubs_are_the_modules(tmp_path: Path) -> None:
    done = stubtest(BUILD / "python", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("    def reset(self) -> None: ...", "    def restart(self) -> None: ..."),
        ("    def reset(self) -> None: ...", "    def reset(self, how: int) -> None: ..."),
        ("def port(self) -> int | None", "def portal(self) -> int | None"),
        ("referrals: bool = True", "referrals: bool = False"),
        ("def hostid_from_file() -> str | None: ...", ""),
        ("NVME_LOG_LID_DISCOVER: int", ""),
        ("NVME_LOG_LID_DISCOVER: int", "NVME_LOG_LID_DISCOVER: str"),
    ],
)
def test_wrong_stubs_are_found(tmp_path: Path, right: str, wrong: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "libnvme", ignore=shutil.ignore_patterns("*.p", "__py*"))
    stub = tmp_path / "libnvme/nvme.pyi"
    text = stub.read_text()
    assert right in text
    stub.write_text(text.replace(right, wrong, 1))
    done = stubtest(tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
