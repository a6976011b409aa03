# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's root image: a minimal Debian of the machine's own release, as one erofs file.

Nothing of the machine's own file system is shared with the guest (a package installed
meanwhile would pull the files away under it), and nothing is installed on the machine.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from . import LabError
from .cache import Cache, key_of

#: Grows when what build() makes changes for the same packages.
RECIPE = "3"

FALLBACK_SUITE = "bookworm"

PACKAGES = (
    "python3", "python3-pytest", "iproute2", "nftables", "kmod", "procps", "keyutils", "ethtool",
    "fio", "strace", "bsdextrautils", "less", "libjson-c5", "libssl3", "libmnl0", "libkeyutils1",
)  # fmt: skip

#: Debian's own nvme, kept off PATH under /opt/reference: tests compare with it as a black box.
REFERENCE = ("nvme-cli", "libnvme1", "libdbus-1-3")

#: What no test reads: a third of the image.
EXCLUDED = (
    "/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*",
    "/usr/share/lintian/*", "/usr/share/bash-completion/*",
)  # fmt: skip

REFERENCE_WRAPPER = """\
#!/bin/sh
top=/opt/reference
export LD_LIBRARY_PATH=$top/usr/lib/x86_64-linux-gnu:$top/lib/x86_64-linux-gnu
exec $top/usr/sbin/nvme "$@"
"""

#: How long a tool has to clean up behind itself before it is killed.
END_S = 10

Note = Callable[[str], None]


def suite() -> str:
    """Returns the Debian release to build: the machine's, or bookworm on another system."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return FALLBACK_SUITE
    return (
        release.get("VERSION_CODENAME", FALLBACK_SUITE)
        if release["ID"] == "debian"
        else (FALLBACK_SUITE)
    )


def _stanzas(text: str) -> Iterator[dict[str, str]]:
    """Yields the stanzas of a deb822 file; continuation lines are joined, comments dropped."""
    stanza: dict[str, str] = {}
    field = ""
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if stanza:
                yield stanza
            stanza, field = {}, ""
        elif line[0] in " \t" and field:
            stanza[field] += "\n" + line.strip()
        else:
            field, _, value = line.partition(":")
            field = field.strip().lower()
            stanza[field] = value.strip()


def _from_deb822(text: str) -> Iterator[str]:
    for stanza in _stanzas(text):
        if "deb" not in stanza.get("types", "").split() or stanza.get("enabled") == "no":
            continue
        signed_by = stanza.get("signed-by", "")
        option = f"[signed-by={signed_by}] " if signed_by.startswith("/") else ""
        for uri in stanza.get("uris", "").split():
            for name in stanza.get("suites", "").split():
                yield f"deb {option}{uri} {name} {' '.join(stanza.get('components', '').split())}"


def sources(release: str, etc_apt: Path = Path("/etc/apt")) -> list[str]:
    """Returns one-line apt sources of ``release`` from the machine's own, or [] if it has none.

    Debian's archives serve all releases: where the machine has no source of this one, it is asked
    for in the place of the machine's. Other vendors' archives stay out: the image is plain Debian.
    """
    own = _sources_of(release, etc_apt)
    mine = suite()
    return own or [
        re.sub(rf" {mine}(?=[- ])", f" {release}", line) for line in _sources_of(mine, etc_apt)
    ]


def _sources_of(release: str, etc_apt: Path) -> list[str]:
    lines: list[str] = []
    for path in [etc_apt / "sources.list", *sorted(etc_apt.glob("sources.list.d/*"))]:
        if path.suffix == ".sources":
            lines += _from_deb822(path.read_text())
        elif path.suffix == ".list" and path.exists():
            lines += [line.strip() for line in path.read_text().splitlines()]
    wanted = {release, f"{release}-updates", f"{release}-security"}
    return [
        line
        for line in lines
        if line.startswith("deb ")
        and wanted & set(line.split())
        and "main" in line.split()
        and "/debian" in line
    ]


def package_pattern(name: str) -> str:
    """Returns what apt finds a package by in any release.

    Debian 13 appended t64 to the names of libraries whose interface has times in it.
    """
    if not name.startswith("lib"):
        return name
    return f'?and(?name("^{re.escape(name)}(t64)?$"),?not(?virtual))'


def apt_options() -> list[str]:
    """Returns how the machine's apt reaches archives, as options of mmdebstrap."""
    config = subprocess.run(
        ["apt-config", "dump"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    return [
        f"--aptopt={line.removesuffix(';')}"
        for line in config.splitlines()
        if (line.startswith("Acquire::http") and "::Proxy " in line)
        or line.startswith("Acquire::Check-")
    ]


def run(command: list[str | Path], what: str, note: Note | None = None) -> str:
    """Runs a tool, passing its lines to ``note``; a failure shows the end of what it said."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise LabError(
            f"{what}: {error.filename} is not installed (tools/setup installs it)"
        ) from None
    said = []
    with process:
        assert process.stdout
        try:
            for line in process.stdout:
                said.append(line)
                if note:
                    note(line.strip().removeprefix("I: "))
        except BaseException:
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    if process.returncode:
        raise LabError(f"{what} failed (exit status {process.returncode}):\n{''.join(said[-15:])}")
    return "".join(said)


def _add_reference(tree: Path, scratch: Path) -> None:
    """Unpacks Debian's nvme under /opt/reference, where PATH does not find it."""
    downloads = scratch / "reference"
    downloads.mkdir()
    command = ["apt-get", "download", "--quiet", "-o", "APT::Sandbox::User="]
    command += map(package_pattern, REFERENCE)
    try:
        subprocess.run(command, cwd=downloads, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise LabError(f"downloading {' and '.join(REFERENCE)} failed: {error.stderr}") from None
    top = tree / "opt/reference"
    for package in sorted(downloads.glob("*.deb")):
        run(["dpkg-deb", "-x", package, top], f"unpacking {package.name}")
    wrapper = top / "nvme"
    wrapper.write_text(REFERENCE_WRAPPER)
    wrapper.chmod(0o755)


def _unpack(archive: Path, tree: Path) -> None:
    """Unpacks the archive without device nodes (the guest has devtmpfs), as any user can."""

    with tarfile.open(archive) as tar:
        tar.extractall(tree, members=(member for member in tar if not member.isdev()))


def build(target: Path, scratch: Path, note: Note) -> None:
    """Builds the root image into ``target``."""
    release = suite()
    archive, tree = scratch / "root.tar", scratch / "tree"
    run(
        [
            "mmdebstrap",
            "--variant=minbase",
            *(f"--include={package_pattern(name)}" for name in PACKAGES),
            *(f"--dpkgopt=path-exclude={pattern}" for pattern in EXCLUDED),
            *apt_options(),
            release,
            archive,
            *sources(release),
        ],
        "mmdebstrap",
        note,
    )
    note("unpacking")
    _unpack(archive, tree)
    for name in ("project", "build", "results", "usr/lib/modules"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    (tree / "etc/hostname").write_text("lab\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost lab\n::1 localhost lab\n")
    (tree / "etc/resolv.conf").unlink(missing_ok=True)
    shutil.rmtree(tree / "var/cache/apt", ignore_errors=True)
    note("adding Debian's nvme as reference")
    _add_reference(tree, scratch)
    note("mkfs.erofs")
    # times are kept: Python recompiles every module whose time differs from its .pyc's
    run(["mkfs.erofs", "-zlz4", "--all-root", target, tree], "mkfs.erofs")


def image(cache: Cache, note: Note) -> Path:
    """Returns the root image, built if what it is made of changed."""
    release = suite()
    key = key_of(RECIPE, release, *PACKAGES, *REFERENCE, *EXCLUDED, *sources(release))
    return cache.file("root", key, ".erofs", lambda path, scratch: build(path, scratch, note))
