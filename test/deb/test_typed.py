# SPDX-License-Identifier: GPL-2.0-or-later
"""What documents tell packagers to type and takes minutes: the site of all documents, and RPMs."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test/install"))

from doc_runs import commands_for  # noqa: E402

#: What each makes, and what it cannot be without.
MAKES = {
    "make doc": ("build/doc/html/index.html", ("sphinx", "furo", "myst_parser"), ("mandoc",)),
    "packaging/rpm/build": ("build/rpm/RPMS/*/nvme-mptcp-[0-9]*.rpm", (), ("rpmbuild",)),
}
#: Debian's packages are not in the database of RPM.
WITHOUT = {"packaging/rpm/build": "packaging/rpm/build --nodeps"}


def commands() -> list[str]:
    """Those that stand in documents; two that come to the same are typed once."""
    typed = {c.text for c in commands_for("test/deb/test_typed.py")}
    return sorted({WITHOUT.get(text, text) for text in typed})


@pytest.mark.parametrize("text", commands())
def test_commands(text: str, tmp_path: Path) -> None:
    """In a clone of what is committed."""
    made, modules, programs = MAKES[text.removesuffix(" --nodeps")]
    lacking = [name for name in modules if not importlib.util.find_spec(name)]
    lacking += [name for name in programs if not shutil.which(name)]
    if lacking:
        pytest.skip(f"skipped: {' '.join(lacking)} is missing (tools/setup doc deb)")
    tree = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", TOP, tree], check=True, timeout=120)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BUILD", "MAKE", "PYTHON"))}
    done = subprocess.run(
        text.split(), cwd=tree, env=kept, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=1800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    assert list(tree.glob(made)), done.stdout[-4000:]
