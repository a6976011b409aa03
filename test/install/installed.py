#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `make install` installs, spelt without directories that depend on machine or options.

Manual pages follow from the commands, schemas, headers and modules from their sources; the rest is
a list. Called with a build directory this prints it: test/install/installed.py build
>test/install/files.txt, after a look at the difference.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_table import TOP, CommandTable

FILES = Path(__file__).with_name("files.txt")

#: The unit of the Python package.
RESTORE = "nvme-mptcp-target.service"


def captured(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program, and return how it ended with what it printed."""
    usual = {"capture_output": True, "text": True, "timeout": 300, "check": False}
    return subprocess.run(command, **usual | options)


@dataclass
class Installation:
    """An installation below a directory of its own."""

    root: Path
    options: dict[str, str]

    @classmethod
    def make(cls, build: Path, root: Path) -> Installation:
        """Install @build, as it is, below @root."""
        command = ["meson", "install", "-C", str(build), "--no-rebuild", "--destdir", str(root)]
        captured(command, check=True)
        listing = captured(["meson", "introspect", "--buildoptions", str(build)], check=True)
        options = {option["name"]: str(option["value"]) for option in json.loads(listing.stdout)}
        return cls(root, options)

    def directory(self, name: str) -> Path:
        """One of meson's directories, below the root."""
        return self.root / str(Path(self.options["prefix"]) / self.options[name]).lstrip("/")

    @property
    def prefix(self) -> Path:
        """The prefix, below the root."""
        return self.root / self.options["prefix"].lstrip("/")

    def given(self, option: str, otherwise: str) -> Path:
        """The directory that an option of the project names, or one below the prefix."""
        given = self.options[option]
        return self.root / given.lstrip("/") if given else self.prefix / otherwise

    def units(self) -> Path:
        """Where the systemd units are."""
        return self.given("systemdsystemunitdir", "lib/systemd/system")

    def rules(self) -> Path:
        """Where the udev rules are."""
        return self.given("udevrulesdir", "lib/udev/rules.d")

    def dracut(self) -> Path:
        """Where dracut's configuration is."""
        return self.given("dracutconfdir", "lib/dracut/dracut.conf.d")

    def python(self) -> Path | None:
        """Where the Python package is, if it was built."""
        found = list(self.root.glob("**/libnvme/__init__.py"))
        return found[0].parent.parent if found else None

    def has_pages(self) -> bool:
        """Were manual pages built?"""
        return (self.directory("mandir") / "man1").is_dir()

    def environment(self) -> dict[str, str]:
        """An environment in which the installed program, library and pages are found."""
        libraries = str(self.directory("libdir"))
        return os.environ | {
            "LD_LIBRARY_PATH": libraries,
            "MANPATH": str(self.directory("mandir")),
            "MANPAGER": "cat",
            "LC_ALL": "C.UTF-8",
            "ASAN_OPTIONS": "detect_leaks=0",
            "PKG_CONFIG_PATH": f"{libraries}/pkgconfig",
            "PKG_CONFIG_SYSROOT_DIR": str(self.root),
        }

    def files(self) -> list[str]:
        """Every installed file."""
        places = [
            ("{units}", self.units()),
            ("{rules}", self.rules()),
            ("{dracut}", self.dracut()),
            ("{man}", self.directory("mandir")),
            ("{include}", self.directory("includedir")),
            ("{lib}", self.directory("libdir")),
            ("{sbin}", self.directory("sbindir")),
            ("{share}", self.directory("datadir")),
        ]
        python = self.python()
        if python:
            places.insert(0, ("{python}", python))
        return sorted(
            self.spell(path, places)
            for path in self.root.rglob("*")
            if path.is_symlink() or not path.is_dir()
        )

    def spell(self, path: Path, places: list[tuple[str, Path]]) -> str:
        """A path with the place that it is in by name."""
        for name, directory in places:
            if path.is_relative_to(directory):
                relative = str(path.relative_to(directory))
                return f"{name}/{re.sub(r'[.]cpython-[^/]*[.]so$', '.so', relative)}"
        return str(path.relative_to(self.root))


#: Directories of installed headers; test/house.py has the others there called private.
HEADERS = ("src/nvme", *(f"src/nvme/{part}" for part in ("ioctl", "tree", "types", "util")),
           "src/mptcp/include/nvme", "src/mptcp/include/nvme/mptcp")  # fmt: skip

#: Modules of libnvme.nvme, which the package nvme_mptcp does without.
OF_NVME = {f"_{name}.py" for name in
           "connect discovery fabrics foreign keys start walk within".split()}  # fmt: skip


def modules() -> set[str]:
    """The modules of the package libnvme that stand in the tree as they are installed."""
    sources = TOP / "python/libnvme"
    return {path.name for path in sources.glob("*.py")} - {"make-stub.py"}


def derived(table: CommandTable) -> list[str]:
    """Files that follow from what is there: pages of commands, schemas, headers and modules."""
    headers = (path for place in HEADERS for path in (TOP / place).glob("*.h"))
    monitoring = (path for path in (TOP / "doc/monitoring").rglob("*.*") if path.is_file())
    return [
        *(f"{{man}}/man1/{page}.1" for page in table.pages()),
        *(f"{{share}}/doc/nvme/schema/{path.stem}.json" for path in TOP.glob("doc/schema/*.txt")),
        "{share}/doc/nvme/schema/config.schema.json",
        *(
            f"{{include}}/nvme/{str(path).rpartition('/nvme/')[2]}"
            for path in headers
            if not path.name.endswith("private.h")
        ),
        *(f"{{share}}/doc/nvme/{path.relative_to(TOP / 'doc')}" for path in monitoring),
        *(f"{{python}}/libnvme/{name}" for name in modules()),
        *(f"{{python}}/nvme_mptcp/{name}" for name in modules() - OF_NVME - {"mptcp.py"}),
    ]


def expected(installation: Installation, table: CommandTable) -> list[str]:
    """The list that is checked in and what is derived, less the parts that this build left out."""
    lines = [line for line in FILES.read_text().splitlines() if line and not line.startswith("#")]
    lines += derived(table)
    if not installation.python():
        lines = [
            line for line in lines
            if not line.startswith("{python}") and line != f"{{units}}/{RESTORE}"
        ]  # fmt: skip
    if not installation.has_pages():
        lines = [line for line in lines if not line.startswith("{man}")]
    return lines


def main() -> int:
    """Print the list for a build directory."""
    if len(sys.argv) != 2:
        print("Usage: test/install/installed.py BUILD", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as root:
        build = Path(sys.argv[1])
        table = CommandTable.load(build / "nvme-cli/commands.json")
        files = Installation.make(build, Path(root)).files()
        print("# What is installed and not derived there; test/install/installed.py prints it.")
        print("\n".join(sorted(set(files) - set(derived(table)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
