#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a program of the lab against the library as it is installed.

    build.py plain|pkg-config BUILD-DIRECTORY SOURCE PROGRAM COMPILER...

What an installation would have of the library is laid out in a directory beside the program, as
links: headers, library and libnvme.pc. The compiler sees nothing else of the project.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FLAGS = ["-std=gnu99", "-Wall", "-Wextra", "-O2"]


def belongs(target: Path) -> bool:
    """Tells whether a user of the library needs an installed file."""
    return target.suffix in (".h", ".pc") or target.name.startswith("libnvme.so")


def stage(build: Path, root: Path) -> tuple[Path, Path]:
    """Lays the library out below ``root``; returns where its headers and the library are."""
    installed = json.loads((build / "meson-info/intro-installed.json").read_text())
    places: dict[str, Path] = {}
    for source, name in installed.items():
        target = root / Path(name).relative_to("/")
        if not belongs(target):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(source)
        places[target.name] = target.parent
    library = next(directory for name, directory in places.items() if "libnvme.so" in name)
    link = library / "libnvme.so"
    if not link.exists():
        link.unlink(missing_ok=True)
        link.symlink_to(build / "libnvme/libnvme.so")
    return places["libnvme.h"], library


def pkg_config(root: Path, library: Path) -> list[str]:
    """Returns what pkg-config says of the installed library."""
    environment = {
        **os.environ,
        "PKG_CONFIG_LIBDIR": str(library / "pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(root),
    }
    command = ["pkg-config", "--cflags", "--libs", "libnvme"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split()


def main() -> None:
    how, build, source, program, *compiler = sys.argv[1:]
    root = Path(program).resolve().with_suffix(".root")
    include, library = stage(Path(build).resolve(), root)
    if how == "plain":
        flags = [f"-I{include}", f"-L{library}", "-lnvme"]
    else:
        flags = pkg_config(root, library)
    subprocess.run([*compiler, *FLAGS, "-o", program, source, *flags], check=True)


if __name__ == "__main__":
    main()
