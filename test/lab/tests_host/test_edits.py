# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel/edit.py: what edits do, and that one without its place changes nothing."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from nvmelab.releases import PREPARE, SERIES

KERNEL = PREPARE.parent
DRIVER = """\
#include "nvme.h"

static int one(struct queue *q,
		int n)
{
	if (n)
		return 2;
	return n;
}

static int two(void)
{
	call(a,
		b);
	return 0;
}
"""


class Tree:
    """A kernel's source of one driver, and a directory with the program and a list."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.driver = top / "source/drivers/nvme/host/tcp.c"
        self.driver.parent.mkdir(parents=True)
        self.driver.write_text(DRIVER)
        (top / "common/host").mkdir(parents=True)
        (top / "newest/host").mkdir(parents=True)
        (top / "edit.py").write_bytes((KERNEL / "edit.py").read_bytes())

    def run(self, edits: str, series: str = "6.12", status: int = 0) -> str:
        """Run the program with this list; return what it printed of errors."""
        (self.top / "edits").write_text(f"@patch 0001 title\ntext\n{edits}")
        done = subprocess.run(["python3", self.top / "edit.py", self.top / "source", series],
                              capture_output=True, text=True, check=False, timeout=60)  # fmt: skip
        assert done.returncode == status, done.stderr
        return done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        ("@find\ncall(a, b)\n@word\ncall(c)", "call(a,\n\t\tb)", "call(c)"),
        ("@find\ncall(..., b)\n@word\ncall(c)", "call(a,\n\t\tb)", "call(c)"),
        ("@find\ncall(a,\n@before\n\tx();", "\tcall(a", "\tx();\n\tcall(a"),
        ("@find\ncall(a, b)\n@after\n\tx();", "\t\tb);\n", "\t\tb);\n\tx();\n"),
        ("@find\nif (n)\n@replace\n\tif (!n)", "\tif (n)", "\tif (!n)"),
        ("@find\nif (n)\n@to\nreturn n;\n@replace\n\treturn 1;",
         "\tif (n)\n\t\treturn 2;\n\treturn n;", "\treturn 1;"),
        ("@find\nif (n)\n@to\nreturn 2;\n@wrap\n\tif (q) {\n@@\n\t}",
         "\tif (n)\n\t\treturn 2;\n", "\tif (q) {\n\t\tif (n)\n\t\t\treturn 2;\n\t}\n"),
        ("@function two\n@replace\n#ifdef X\n#endif",
         "static int two(void)\n{\n\tcall(a,\n\t\tb);\n\treturn 0;\n}", "#ifdef X\n#endif"),
        ("@for newest\n@find\nnowhere\n@word\nx", "", ""),
        ("@unless call(\n@find\nnowhere\n@word\nx", "", ""),
    ],
)  # fmt: skip
def test_an_edit_changes_its_place_alone(tree: Tree, edit: str, old: str, new: str) -> None:
    assert tree.run(f"@# a comment\n@edit host/tcp.c what\n{edit}\n") == ""
    assert tree.driver.read_text() == DRIVER.replace(old, new)


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        ("@find\nnowhere(  x )\n@word\nx", "anchor not found: nowhere( x )"),
        ("@find\nreturn\n@word\nx", "anchor found 3 times, not once: return"),
        ("@find\nif (n)\n@to\nreturn\n@word\nx", "anchor found 3 times, not once: return"),
        ("@find\ncall(a,\n@to\nif (n)\n@word\nx", "the anchors are in the wrong order"),
        ("@function three\n@replace\nx", "function not found: three()"),
    ],
)
def test_an_edit_without_its_place_is_named_and_nothing_changes(
    tree: Tree, edit: str, complaint: str
) -> None:
    first = "@add host/new.h\n@edit host/tcp.c first\n@find\ncall(a,\n@before\n\tx();\n"
    (tree.top / "common/host/new.h").touch()
    said = tree.run(f"{first}@edit host/tcp.c second\n{edit}\n", status=1)
    assert said == f"nvme-mptcp-dkms: edits:9: host/tcp.c second: {complaint}\n"
    assert tree.driver.read_text() == DRIVER
    assert not (tree.driver.parent / "new.h").exists()


def test_files_come_from_the_series_before_the_common_ones(tree: Tree) -> None:
    for directory in ("common", "newest"):
        (tree.top / directory / "host/new.h").write_text(directory)
    for series in ("6.12", "newest"):
        tree.run("@add host/new.h\n@copy host/tcp.c host/mptcp.c\n", series)
        found = (tree.driver.parent / "new.h").read_text()
        assert found == {"6.12": "common"}.get(series, series)
        assert (tree.driver.parent / "mptcp.c").read_text() == DRIVER


def test_a_mistake_in_the_list_is_an_error(tree: Tree) -> None:
    said = tree.run("@edit host/tcp.c what\n@fnid\nx\n", status=1)
    assert said == "nvme-mptcp-dkms: edits:4: @fnid is no command of the list\n"
    assert "host/no.c: no such file" in tree.run(
        "@edit host/no.c x\n@find\nx\n@word\ny\n", status=1
    )


def test_the_list_changes_no_driver_of_the_stock_host() -> None:
    lines = (KERNEL / "edits").read_text()
    assert set(re.findall(r"^@edit (\S+)", lines, re.M)) == {
        "host/Kconfig", "host/Makefile", "host/mptcp.c",
        "target/Makefile", "target/configfs.c", "target/tcp.c",
    }  # fmt: skip
    added = set(re.findall(r"^@add (\S+)", lines, re.M))
    for series in SERIES:
        ours = {
            str(path.relative_to(KERNEL / directory))
            for directory in ("common", series) for path in (KERNEL / directory).glob("*/*.[ch]")
        }  # fmt: skip
        assert ours <= added
    for path in KERNEL.glob("*/*/*.[ch]"):
        assert "SPDX-License-Identifier: GPL-2.0 " in path.read_text().replace("\n", " ", 1)


def test_the_posted_form_does_the_same(tree: Tree, tmp_path: Path) -> None:
    """One patch for each part of the list, which git applies to the same effect."""
    for name in ("posted", "edit.py"):
        (tree.top / name).write_bytes((KERNEL / name).read_bytes())
        (tree.top / name).chmod(0o755)
    pristine = tmp_path / "pristine"
    shutil.copytree(tree.top / "source", pristine)
    (tree.top / "common/host/new.h").write_text("/* ours */\n")
    tree.run(
        "@copy host/tcp.c host/mptcp.c\n@edit host/mptcp.c one\n@find\nif (n)\n@word\nif (!n)\n"
        "@patch 0002 second: title\nabout it\n@add host/new.h\n"
    )
    out = tmp_path / "out"
    subprocess.run([tree.top / "posted", pristine, "6.12", out], check=True, timeout=60)
    patches = sorted(out.iterdir())
    assert [patch.name for patch in patches] == ["0001-title.patch", "0002-second-title.patch"]
    assert "copy from drivers/nvme/host/tcp.c" in patches[0].read_text()
    assert "\nabout it\n" in patches[1].read_text()
    subprocess.run(["git", "apply", *patches], cwd=pristine, check=True, timeout=60)
    for path in (tree.top / "source").rglob("*"):
        if path.is_file():
            assert (
                path.read_text() == (pristine / path.relative_to(tree.top / "source")).read_text()
            )
