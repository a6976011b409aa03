# SPDX-License-Identifier: GPL-2.0-or-later
"""Bare Debian roots of a release, in which the project is set up, built and tested.

mmdebstrap makes a root from the machine's own archive configuration. The root is kept in the cache
as an archive; each run unpacks a copy, works in it (chroot, with its own mounts and processes), and
removes it.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import PROJECT, ToolError, debian
from .cache import Cache, add_option, key_of
from .process import leave_on_signals
from .ui import Ui, failure

#: Increase this when something else is made of the same packages.
RECIPE = "1"

#: Packages needed to get the project, in addition to minimal Debian.
PACKAGES = ("ca-certificates", "git", "make")

#: Path of the clone in the root.
CLONE = "/root/project"

#: Parts of tools/packages needed to build and test the project.
TESTING = ("build", "test")

#: Exit status of a test that is impossible on this machine; test/run knows it.
SKIPPED = 77

#: Environment for access to archives, passed on to the root.
REACH = (
    "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "PIP_CERT", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT",
)  # fmt: skip

#: Arguments: the root, pairs of a directory outside and its name inside, "--", the directory to
#: work in, a command and its arguments.
ENTER = """
root=$1
shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    shift 2
done
shift
exec chroot "$root" env -i -C "$@"
"""

#: Device nodes are bind-mounted from the machine, since only root may create them.
UNPACK = """tar -C "$1" -xpf "$2" --exclude='./dev/*'"""

#: Use the machine's name resolution and trusted certificates in the root.
ADMIT = """
root=$1
own=/usr/local/share/ca-certificates
for file in resolv.conf hosts; do
    rm -f "$root/etc/$file"
    [ ! -e "/etc/$file" ] || cat "/etc/$file" >"$root/etc/$file"
done
[ ! -d $own ] || cp -rL $own/. "$root$own"
"""


@dataclass(frozen=True)
class Release:
    """A release of Debian."""

    number: str
    codename: str

    def __str__(self) -> str:
        return f"Debian {self.number} ({self.codename})"


RELEASES = (Release("12", "bookworm"), Release("13", "trixie"))


def release_of(name: str) -> Release:
    """Return the release with this number or codename; "other" differs from the machine's."""
    if name == "other":
        mine = debian.suite()
        return next(release for release in reversed(RELEASES) if release.codename != mine)
    for release in RELEASES:
        if name in (release.number, release.codename):
            return release
    known = ", ".join(f"{release.number} ({release.codename})" for release in RELEASES)
    raise ToolError(f"{name}: no release of that name; there are {known}, and other")


def readme_commands(text: str) -> list[str]:
    """Return the commands in the README's section "Demo and tests", in order."""
    section = re.split(r"^## ", text, flags=re.MULTILINE)
    found = [part for part in section if part.startswith("Demo and tests\n")]
    return re.findall(r"^    (make [a-z]+)", found[0], re.MULTILINE) if found else []


def build_directory() -> Path:
    """Return the build directory of make."""
    return PROJECT / os.environ.get("BUILD", "build")


def git(*arguments: str | Path) -> str:
    """Run git in the project; return its output."""
    return debian.run(["git", "-C", PROJECT, *arguments], f"git {arguments[0]}").strip()


# Make roots


def _shell(script: str, *arguments: str | Path) -> list[str | Path]:
    """Return the command that runs a script as root, with its own mounts and processes."""
    command: list[str | Path] = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        command += ["--map-root-user", "--map-auto"]
    return [*command, "sh", "-euc", script, "sh", *arguments]


def _environment(build: str) -> list[str]:
    """Return the environment in a root: that of a new user, and access to archives."""
    names = (*REACH, "CI") if build else REACH
    given = {name: os.environ[name] for name in names if name in os.environ}
    given |= {"HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": os.environ.get("TERM", "dumb")}
    given |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    if build:
        given["BUILD"] = build
    return [f"{name}={value}" for name, value in given.items()]


@dataclass(frozen=True)
class Root:
    """A copy of a root, with directories of the machine to mount in it: (outside, inside)."""

    tree: Path
    shared: tuple[tuple[Path, str], ...] = ()
    build: str = ""

    def command(self, directory: str | Path, command: str) -> list[str | Path]:
        """Return the command that runs a shell command in a directory of the root."""
        pairs = [str(part) for pair in self.shared for part in pair]
        environment = _environment(self.build)
        return _shell(
            ENTER, self.tree, *pairs, "--", directory, *environment, "bash", "-c", command
        )


@contextmanager
def unpacked(cache: Cache, archive: Path) -> Iterator[Path]:
    """Yield a copy of an archived root, removed afterwards."""
    with cache.scratch() as scratch:
        tree = scratch / "root"
        tree.mkdir()
        try:
            debian.run(_shell(UNPACK, tree, archive), f"unpacking {archive.name}")
            debian.run(_shell(ADMIT, tree), f"preparing {archive.name}")
            debian.run(Root(tree).command("/", "update-ca-certificates"), "certificates")
            yield tree
        finally:
            subprocess.run(_shell('rm -rf --one-file-system "$1"', tree), check=False)


def pack_command(tree: Path, target: Path) -> list[str | Path]:
    """Return the command that archives a root."""
    return _shell('tar -C "$1" -cf "$2" .', tree, target)


def disk_command(tree: Path, target: Path, label: str, size: str) -> list[str | Path]:
    """Return the command that makes a sparse ext4 image of a directory."""
    make = 'PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -L "$3" -d "$1" "$2" "$4"'
    return _shell(make, tree, target, label, size)


def bare(cache: Cache, release: Release, ui: Ui) -> Path:
    """Return the archive of a bare release."""
    sources = debian.sources(release.codename)
    options = debian.apt_options()

    def build(target: Path, _: Path) -> None:
        command: list[str | Path] = ["mmdebstrap", "--variant=minbase", *options]
        command += [f"--include={','.join(PACKAGES)}", release.codename, target, *sources]
        with ui.step(f"{release}, bare") as step:
            debian.run(command, f"{release}: mmdebstrap", step.note)

    key = key_of(RECIPE, release.codename, *PACKAGES, *sources, *options)
    return cache.file(f"bare-{release.codename}", key, ".tar", build)


def set_up(cache: Cache, release: Release, ui: Ui, parts: Sequence[str] = TESTING) -> Path:
    """Return the archive of a release in which tools/setup has installed parts of the project."""
    archive = bare(cache, release, ui)
    tools = [(PROJECT / "tools" / name).read_bytes() for name in ("packages", "setup", "step")]
    installing = f"BUILD=/tmp/build tools/setup {' '.join(parts)}"
    command = f"{installing} && apt-get clean && rm -rf /tmp/build"
    kind = "set-up" if parts == TESTING else f"set-up-{'-'.join(parts)}"

    def build(target: Path, _: Path) -> None:
        with ui.step(f"{release}, set up") as step, unpacked(cache, archive) as tree:
            inside = Root(tree, ((PROJECT, str(PROJECT)),))
            debian.run(inside.command(PROJECT, command), f"{release}: tools/setup", step.note)
            step.note("packing")
            debian.run(pack_command(tree, target), "packing a root")

    return cache.file(f"{kind}-{release.codename}", key_of(archive.name, *tools), ".tar", build)


# Run commands


def run_here(cache: Cache, release: Release, commands: Sequence[str], ui: Ui) -> int:
    """Run commands in this working tree, in a root of the release in which tools/setup has run.

    The build directory is separate from the machine's own, and is kept for the next run.
    """
    shared = [PROJECT]
    if (PROJECT / ".git").exists():
        common = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        shared += [] if common.is_relative_to(PROJECT) else [common]
    with unpacked(cache, set_up(cache, release, ui)) as tree:
        inside = Root(
            tree,
            tuple((path, str(path)) for path in shared),
            build=f"{os.environ.get('BUILD', 'build')}-{release.codename}",
        )
        for command in commands:
            status = subprocess.run(inside.command(PROJECT, command), check=False).returncode
            if status:
                ui.say(f"fresh: {release}: `{command}` failed with exit status {status}")
                return 1
    return 0


def logged(command: Sequence[str | Path], log: Path, note: debian.Note) -> int:
    """Run a command with its output in a file; return its exit status."""
    with log.open("w") as file, subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout
        try:
            for line in process.stdout:
                file.write(line)
                file.flush()
                if line.strip():
                    note(line.strip())
        except BaseException:
            # unshare does not forward signals; its children end when it is gone
            process.kill()
            raise
    return process.returncode


def run_clone(cache: Cache, release: Release, commands: Sequence[str], ui: Ui) -> int:
    """Run commands in a clean clone on the bare release, like a new user.

    All commands run, even after a failure.
    """
    failed: list[tuple[str, Path]] = []
    logs = build_directory() / "fresh" / release.codename
    logs.mkdir(parents=True, exist_ok=True)
    if git("status", "--porcelain"):
        ui.say("fresh: what is not committed stays out of the clone")
    with unpacked(cache, bare(cache, release, ui)) as tree:
        clone = tree.parent / "project"
        debian.run(["git", "clone", "-q", "--no-hardlinks", PROJECT, clone], "git clone")
        inside = Root(tree, ((clone, CLONE),))
        for number, command in enumerate(commands, 1):
            log = logs / f"{number}-{re.sub('[^a-z0-9]+', '-', command.lower())[:40]}.log"
            ui.say(f"{release}: {command} (log: {log})")
            with ui.step(f"{release}: {command}") as step:
                status = logged(inside.command(CLONE, command), log, step.note)
            if status:
                ui.say("".join(log.read_text().splitlines(keepends=True)[-40:]).rstrip())
                ui.say(f"{release}: `{command}` failed with exit status {status}")
                failed.append((command, log))
    if failed:
        what = " and ".join(f"`{command}` (log: {log})" for command, log in failed)
        again = shlex.join(command for command, _ in failed)
        ui.say(f"fresh: {release}: failed: {what}; repeat: tools/fresh {release.number} {again}")
        return 1
    ui.say(f"{release}: all commands passed; the logs are in {logs}")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="tools/fresh",
        description="Makes a bare Debian, copies a clean clone of the project into it, and runs "
        "the README's commands there in their order, as a new user does.",
        epilog="Exit status: 0, 1 if a command failed, 2 if no root could be made, 77 if it could "
        "not be made with --here (2 where CI is set).",
    )
    top.add_argument(
        "release", metavar="RELEASE", help="12, 13, or other: what this machine is not"
    )
    top.add_argument(
        "commands", nargs="*", metavar="COMMAND", help="shell commands instead of the README's"
    )
    top.add_argument(
        "--here", action="store_true",
        help="run COMMANDs in this tree as it stands, in a root where tools/setup has run",
    )  # fmt: skip
    add_option(top)
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the commands and return the exit status."""
    args = parser().parse_args(argv)
    if args.here and not args.commands:
        parser().error("--here needs a COMMAND")
    leave_on_signals()
    ui = Ui(verbose=args.verbose)
    commands = args.commands or readme_commands((PROJECT / "README.md").read_text())
    try:
        cache, release = Cache(args.cache.expanduser().resolve()), release_of(args.release)
        run = run_here if args.here else run_clone
        return run(cache, release, commands, ui)
    except (ToolError, OSError) as error:
        if args.here and "CI" not in os.environ:
            print(failure("skipped", error, "where CI is set, that is a failure"))
            return SKIPPED
        sys.stderr.write(failure("fresh", error, "`tools/fresh -v` prints every step") + "\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("fresh: interrupted\n")
        return 130
