# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's Debian: its release, its package sources, and running tools."""

import platform
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from . import ToolError
from .process import end_with_parent

FALLBACK_SUITE = "bookworm"

#: Seconds that a tool has to clean up before it is killed.
END_S = 10

Note = Callable[[str], None]


def suite() -> str:
    """Return the Debian release to build: the machine's, or bookworm on another system."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return FALLBACK_SUITE
    is_debian = release["ID"] == "debian"
    return release.get("VERSION_CODENAME", FALLBACK_SUITE) if is_debian else FALLBACK_SUITE


def _stanzas(text: str) -> Iterator[dict[str, str]]:
    """Yield the stanzas of a deb822 file; continuation lines are joined, comments dropped."""
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
    """Return one-line apt sources of ``release`` from the machine's own, or [] if it has none.

    Debian's archives contain all releases: if the machine has no source of this one, its own
    release is replaced in its sources. Archives of other vendors are omitted: the image is plain
    Debian.
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
    """Return a pattern with which apt finds a package in any release.

    Debian 13 appended t64 to the names of libraries with time_t in their interface.
    """
    if not name.startswith("lib"):
        return name
    return f'?and(?name("^{re.escape(name)}(t64)?$"),?not(?virtual))'


def apt_options() -> list[str]:
    """Return the machine's apt options for access to archives, as options of mmdebstrap."""
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
    """Run a tool and pass its lines to ``note``; an error contains the end of its output."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=end_with_parent,
        )
    except FileNotFoundError as error:
        raise ToolError(
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
        raise ToolError(f"{what} failed (exit status {process.returncode}):\n{''.join(said[-15:])}")
    return "".join(said)
