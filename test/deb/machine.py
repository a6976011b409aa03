# SPDX-License-Identifier: GPL-2.0-or-later
"""A root of a release with packages of Debian in it, in which those of the project are tried."""

import hashlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.extend(str(Path(__file__).resolve().parents[2] / p) for p in ("test/lab", "tools"))

from nvmetools import PROJECT, ToolError, packages
from nvmetools.cache import Cache, default_dir
from nvmetools.fresh import Release, Root, unpacked
from nvmetools.ui import Ui

#: Below these is everything that packages install, but for dpkg's own notes.
PLACES = ("etc", "usr")

#: What is made again by a machine that goes on living, and of which nothing was installed.
LIVING = re.compile(r"__pycache__|^etc/ld[.]so[.]cache$|^usr/share/(info/dir|mime|applications)")

#: In the place of systemd, and of what maintainer scripts ask it with: every service runs.
SYSTEMD = """
mkdir -p /run/systemd/system /tmp/asked
printf '#!/bin/sh\\necho "$@" >>/tmp/asked/log\\n' >/tmp/asked/deb-systemd-invoke
cat >/tmp/asked/systemctl <<'END'
#!/bin/sh
case $1 in reload | restart | stop) echo "$@" >>/tmp/asked/log ;; esac
END
chmod 755 /tmp/asked/*
"""

Files = dict[str, str]


@dataclass
class Machine:
    """A root with nvme-cli and libnvme, and the packages to be installed in it."""

    release: Release
    root: Root
    debs: dict[str, Path]
    before: Files = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def run(self, command: str, status: int = 0) -> str:
        """Runs a shell command in it; returns both its outputs."""
        done = subprocess.run(
            self.root.command("/", command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=900,
        )  # fmt: skip
        assert done.returncode == status, f"{command}:\n{done.stdout}"
        return done.stdout

    def installing(self, *names: str, more: str = "") -> str:
        """The command that installs packages of the project with apt."""
        paths = " ".join(shlex.quote(str(self.debs[name])) for name in names)
        # an empty path is the caller's
        return (
            "DEBIAN_FRONTEND=noninteractive apt-get -qy -o Dpkg::Use-Pty=0 -o Dpkg::Path= "
            f"{more} --no-install-recommends --allow-downgrades install {paths}"
        )

    def install(self, *names: str, more: str = "") -> str:
        """Installs packages of the project with apt."""
        return self.run(self.installing(*names, more=more))

    def fake_systemd(self) -> None:
        """Lets maintainer scripts believe that systemd runs."""
        self.run(SYSTEMD)

    def asked(self, command: str) -> list[str]:
        """What maintainer scripts ask systemd for in the course of a command of dpkg or apt."""
        self.run(f": >/tmp/asked/log; PATH=/tmp/asked:$PATH {command}")
        return self.run("cat /tmp/asked/log").splitlines()

    def verify(self) -> str:
        """What dpkg finds changed of all packages, less what the root was made without.

        dpkg --verify knows of no diversions: of a diverted program the moved file is compared.
        """
        lines = [
            line for line in self.run("dpkg --verify || :").splitlines() if "missing" not in line
        ]
        moved = self.root.tree / "usr/sbin/nvme.distrib"
        if moved.exists() and digest(moved) == self.before["usr/sbin/nvme"]:
            lines = [line for line in lines if not line.endswith(" /usr/sbin/nvme")]
        return "\n".join(lines)

    def listed(self, names: str) -> set[str]:
        """The files of packages, below the root's top; Debian 12 has some below /lib, a link."""
        lines = self.run(f"dpkg -L {names}").splitlines()
        return {re.sub("^lib/", "usr/lib/", line.lstrip("/")) for line in lines}

    def files(self) -> Files:
        """Every file and link, by its contents."""
        found: Files = {}
        for place in PLACES:
            for directory, _, names in os.walk(self.root.tree / place):
                for name in names:
                    path = Path(directory, name)
                    key = str(path.relative_to(self.root.tree))
                    if LIVING.search(key):
                        continue
                    if path.is_symlink():
                        found[key] = f"-> {path.readlink()}"
                    elif path.is_file():
                        found[key] = digest(path)
        return found

    def ask(self, names: list[str]) -> dict[str, str]:
        """What nvme prints, and how it ends, for the help of each name."""
        loop = (
            f'for name in {shlex.join(names)}; do echo "=== $name"; nvme $name --help 2>&1; '
            'echo "status $?"; done'
        )
        parts = re.split(r"^=== (\S+)\n", self.run(loop), flags=re.MULTILINE)
        texts = [re.sub(r"[0-9a-f-]{36}", "UUID", text) for text in parts[2::2]]
        return dict(zip(parts[1::2], texts, strict=True))


def earlier_in(machine: Machine) -> dict[str, str]:
    """Unpacks the packages of the version before this one; their names in the root, by package.

    They are built of a commit, once.
    """
    try:
        archive = packages.earlier(Cache(default_dir()), machine.release, Ui())
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"skipped: {machine.release}: {str(error).splitlines()[0]}")
    place = machine.root.tree / "srv/earlier"
    place.mkdir(parents=True)
    subprocess.run(["tar", "-C", place, "-xf", archive], check=True)
    return {deb.name.split("_")[0]: f"/srv/earlier/{deb.name}" for deb in place.iterdir()}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only_in(files: Files, other: Files) -> list[str]:
    """Files that the other does not have, or has differently."""
    return sorted(name for name in files if other.get(name) != files[name])


@contextmanager
def machine_of(release: Release, rooted: Callable[[Cache, Release, Ui], Path]) -> Iterator[Machine]:
    """Gives a copy of the root that ``rooted`` returns, and the packages for its release."""
    wanted = os.environ.get("DEB_RELEASE")
    if wanted and wanted not in (release.number, release.codename):
        pytest.skip(f"skipped: DEB_RELEASE={wanted}")
    cache, ui = Cache(default_dir()), Ui()
    try:
        built = packages.built(release) or packages.build(cache, release, True, ui)
        archive = rooted(cache, release, ui)
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"skipped: {release}: {str(error).splitlines()[0]}")
    with unpacked(cache, archive) as tree:
        machine = Machine(
            release,
            Root(tree, ((PROJECT, str(PROJECT)),)),
            {deb.name.split("_")[0]: deb for deb in built},
        )
        # a root that is thrown away need not survive a loss of power
        (tree / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        machine.before = machine.files()
        yield machine
