# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's kernel: Debian's own 6.12 with nvme modules that know the transport mptcp.

Debian's packages are downloaded and unpacked into the cache, never installed. Only drivers/nvme
is built, out of tree, from Debian's source with the patches in test/lab/kernel; everything else
in the tree of modules is Debian's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import LabError
from .cache import KEEP_UNUSED_DAYS, Cache, key_of
from .debian import run

SERIES = "6.12"

PATCHES = Path(__file__).resolve().parents[1] / "kernel"

#: A kernel that autoloads this alias has the transport.
TRANSPORT_ALIAS = "nvme-mptcp"

#: The tools that are run, and Debian's packages with them.
TOOLS = {
    "apt-get": "apt", "dpkg-deb": "dpkg", "tar": "tar", "xz": "xz-utils", "bash": "bash",
    "patch": "patch", "make": "make", "strip": "binutils", "depmod": "kmod", "perl": "perl",
}  # fmt: skip

#: What changes when the package lists or their configuration do.
APT_STATE = (
    "/var/lib/apt/lists", "/etc/apt/sources.list", "/etc/apt/sources.list.d",
    "/etc/apt/preferences", "/etc/apt/preferences.d", "/etc/apt/apt.conf.d",
)  # fmt: skip

#: Without these the build needs neither pahole nor the kernel's own debug information.
MAKE_VARIABLES = ("CONFIG_DEBUG_INFO=", "CONFIG_DEBUG_INFO_BTF_MODULES=")

#: Would steer our make if an outer one, or the user, had set them.
STRAY_ENVIRONMENT = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "M", "O", "V", "W")

DOWNLOAD_ATTEMPTS = 3

Progress = Callable[[str], None]


class ArchiveError(LabError):
    """The package archive does not give what its lists promise, or they are of no use."""


@dataclass
class Kernel:
    """A kernel to boot: its image, and the tree that holds lib/modules/<version>.

    ``flavour`` is "mptcp" if the kernel has the transport and "stock" if not.
    """

    version: str
    vmlinuz: Path
    modules_dir: Path
    flavour: str


@dataclass(frozen=True)
class Release:
    """A kernel in the package archive: what `uname -r` will say, and its packages' version."""

    name: str
    package_version: str

    @property
    def abi(self) -> str:
        """The release less its flavour, as the packages shared by all flavours are named."""
        return self.name.removesuffix("-amd64")

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that the lab takes this kernel from."""
        return (
            f"linux-image-{self.name}",
            f"linux-headers-{self.name}",
            f"linux-headers-{self.abi}-common",
            f"linux-kbuild-{self.abi}",
            f"linux-source-{SERIES}",
        )


def prepare(cache: Path, *, stock: bool = False, progress: Progress = print) -> Kernel:
    """Returns Debian's newest 6.12 kernel, with the mptcp transport unless ``stock``.

    What is in ``cache`` already, made of the same packages by the same compiler with the same
    patches, is returned at once. Safe to call from several processes at a time.
    """
    if " " in str(cache.resolve()) or ":" in str(cache.resolve()):
        raise LabError(
            f"{cache}: the kernel's build takes no path with a space or colon in it; "
            "name another directory with --cache"
        )
    store = Cache(cache.resolve())
    try:
        return _prepare(store, stock, progress)
    except ArchiveError as error:
        if os.geteuid() != 0:
            raise
        # the usual reason: lists so old that what they name is gone
        progress("renewing the package lists")
        try:
            run(["apt-get", "-qq", "-o", "Acquire::Retries=3", "update"], "apt-get update")
        except LabError as update_error:
            raise LabError(f"{error}\n{update_error}") from None
    return _prepare(store, stock, progress)


def user_kernel(vmlinuz: Path, modules: Path) -> Kernel:
    """Returns the user's own kernel, made of an image and a tree of modules.

    ``modules`` is lib/modules/<version>, or what holds it (an INSTALL_MOD_PATH).
    """
    if not vmlinuz.is_file():
        raise LabError(f"{vmlinuz}: no such kernel image")
    version = image_version(vmlinuz)
    top = modules.resolve()
    if top.name == version and top.parent.name == "modules" and top.parents[1].name == "lib":
        top = top.parents[2]
    tree = top / "lib/modules" / version
    if not tree.is_dir():
        raise LabError(
            f"{modules}: no lib/modules/{version} in it, but that is the version of {vmlinuz} "
            f"(install them with `make modules_install INSTALL_MOD_PATH={modules}`)"
        )
    if not (tree / "modules.dep").exists():
        raise LabError(f"{tree}: no modules.dep; run `depmod -b {top} {version}` first")
    return Kernel(version, vmlinuz.resolve(), top, _flavour(tree))


def image_version(vmlinuz: Path) -> str:
    """Reads the version out of an x86 kernel image, as Documentation/arch/x86/boot.rst has it."""
    with vmlinuz.open("rb") as image:
        setup = image.read(0x10000)
    if len(setup) < 0x210 or setup[0x202:0x206] != b"HdrS":
        raise LabError(f"{vmlinuz}: not an x86 kernel image (bzImage)")
    start = int.from_bytes(setup[0x20E:0x210], "little") + 0x200
    words = setup[start : start + 256].split(b"\0")[0].split()
    if not words:
        raise LabError(f"{vmlinuz}: the kernel image does not tell its version")
    return words[0].decode(errors="replace")


def _flavour(tree: Path) -> str:
    """Tells by the aliases of a kernel's modules whether it has the transport."""
    alias = tree / "modules.alias"
    builtin = tree / "modules.builtin.modinfo"
    names = alias.read_text().split() if alias.exists() else []
    has = TRANSPORT_ALIAS in names or (
        builtin.exists() and f"alias={TRANSPORT_ALIAS}\0".encode() in builtin.read_bytes()
    )
    return "mptcp" if has else "stock"


def _prepare(store: Cache, stock: bool, progress: Progress) -> Kernel:
    release = choose_release(store)
    flavour = "stock" if stock else "mptcp"
    patches = sorted(PATCHES.glob("*.patch"))
    parts: list[str | bytes] = [
        release.name, release.package_version, flavour, Path(__file__).read_bytes(),
    ]  # fmt: skip
    if not stock:
        if not patches:
            raise LabError(f"{PATCHES}: no kernel patch there; is this a complete checkout?")
        parts += [_compiler_version(), *(patch.read_bytes() for patch in patches)]
    top = store.top / f"kernel-{flavour}-{key_of(*parts)}"

    if not top.exists():
        _check_tools()
        with store.lock("kernel"):
            if not top.exists():
                packages = _unpacked(store, release, progress)
                with store.scratch() as scratch:
                    _assemble(release, packages, [] if stock else patches, scratch, progress)
                    (scratch / "result").rename(top)
                _forget_unused(store)
    os.utime(top)
    return Kernel(release.name, top / "vmlinuz", top, flavour)


def _check_tools() -> None:
    missing = {package for tool, package in TOOLS.items() if not _which(tool)}
    if missing:
        raise LabError(f"the lab's kernel needs these packages: {' '.join(sorted(missing))}")


def _which(tool: str) -> str | None:
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/sbin")


def _compiler_version() -> str:
    """The version of every compiler that Debian may have built a kernel of this series with."""
    versions = []
    for path in sorted(Path("/usr/bin").glob("x86_64-linux-gnu-gcc-[0-9]*")):
        versions.append(run([path, "--version"], path.name).split("\n")[0])
    return "\n".join(versions)


# The package archive


def _apt_state() -> list[int]:
    """What is cheap to look at and changes whenever the package lists do."""
    return [Path(p).stat().st_mtime_ns if Path(p).exists() else 0 for p in APT_STATE]


def choose_release(store: Cache) -> Release:
    """Finds the newest kernel that the package lists have complete: image, headers and source.

    Asking apt takes a second, so the answer is kept until the lists change.
    """
    memory = store.top / "kernel-release.json"
    state = _apt_state()
    try:
        known = json.loads(memory.read_text())
        if known["state"] == state:
            return Release(known["name"], known["version"])
    except (OSError, ValueError, KeyError):
        pass
    if not shutil.which("apt-cache"):
        raise LabError(
            "apt-cache is not installed: without Debian's package archive, name a kernel that has "
            "the transport with --kernel and --modules"
        )
    names = run(["apt-cache", "pkgnames", f"linux-image-{SERIES}."], "apt-cache").split()
    for name in releases(names):
        release = _complete(name)
        if release:
            with store.scratch() as scratch:
                text = {"state": state, "name": name, "version": release.package_version}
                (scratch / "release").write_text(json.dumps(text))
                (scratch / "release").rename(memory)
            return release
    raise ArchiveError(
        f"the package lists have no linux-image-{SERIES}.*-amd64 with its headers and source: "
        "run `apt-get update`; Debian 12 has them in bookworm-security"
    )


def releases(names: Iterable[str]) -> list[str]:
    """Picks the plain amd64 kernels out of the names of image packages, the newest first."""
    pattern = re.compile(rf"linux-image-({re.escape(SERIES)}\.(\d+)\+deb(\d+)-amd64)")
    found = [match for match in map(pattern.fullmatch, names) if match]
    found.sort(key=lambda match: (int(match[2]), int(match[3])), reverse=True)
    return [match[1] for match in found]


def _complete(name: str) -> Release | None:
    """Returns the release if all its packages are to be had in one and the same version."""
    packages = Release(name, "").packages
    said = run(["apt-cache", "madison", *packages], "apt-cache madison")
    common = common_versions(said, packages)
    return Release(name, common[0]) if common else None


def common_versions(madison: str, packages: Iterable[str]) -> list[str]:
    """Returns the versions that all packages have in apt-cache madison's table, in its order."""
    versions: dict[str, list[str]] = {package: [] for package in packages}
    for line in madison.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 3 and cells[0] in versions and cells[2].endswith("Packages"):
            versions[cells[0]].append(cells[1])
    first, *others = versions.values()
    return [version for version in first if all(version in other for other in others)]


# Downloading and unpacking


def _unpacked(store: Cache, release: Release, progress: Progress) -> Path:
    """Returns the directory with this release's image, headers and nvme source unpacked."""
    top = store.top / f"kernel-packages-{release.name}-{key_of(release.package_version)}"
    if not top.exists():
        archives = _download(store, release, progress)
        with store.scratch() as scratch:
            for archive in sorted(archives.glob("*.deb")):
                progress(f"unpacking {archive.name.split('_')[0]}")
                _unpack(archive, scratch / "tree")
            (scratch / "tree").rename(top)
        shutil.rmtree(archives)
    os.utime(top)
    return top


def _download(store: Cache, release: Release, progress: Progress) -> Path:
    """Returns a directory with the release's packages; what an earlier try got is kept."""
    directory = store.top / f"kernel-download-{release.name}"
    directory.mkdir(exist_ok=True)
    wanted = [f"{package}={release.package_version}" for package in release.packages]
    command: list[str | Path] = [
        "env", "-C", directory, "LC_ALL=C", "apt-get", "-q", "-o", "Acquire::Retries=2",
        "-o", "Dpkg::Use-Pty=0",
    ]  # fmt: skip
    if os.geteuid() == 0:
        # the cache is ours alone: apt's own user may not write there
        command += ["-o", "APT::Sandbox::User=root"]
    command += ["download", *wanted]
    total = _download_size(release)
    attempt = 1
    while True:
        try:
            with _watch(directory, f"downloading Linux {release.name}", total, progress):
                run(command, f"downloading {' '.join(wanted)}")
            return directory
        except LabError as error:
            if attempt == DOWNLOAD_ATTEMPTS:
                raise ArchiveError(*error.args) from None
            progress(f"{error.args[0].splitlines()[-1]}; trying again")
            time.sleep(2 * attempt)
            attempt += 1


def _download_size(release: Release) -> int:
    said = run(["apt-cache", "show", *release.packages], "apt-cache show")
    sizes: dict[str, int] = {}
    for stanza in said.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Size): (.*)$", stanza, re.MULTILINE))
        if fields.get("Version") == release.package_version:
            sizes[fields["Package"]] = int(fields.get("Size", 0))
    return sum(sizes.values())


@contextmanager
def _watch(directory: Path, what: str, total: int, progress: Progress) -> Iterator[None]:
    """Reports how much of a download has arrived, every few seconds."""
    over = threading.Event()

    def report() -> None:
        while True:
            got = sum(path.stat().st_size for path in directory.glob("*.deb"))
            progress(f"{what}: {got >> 20} of {total >> 20} MiB")
            if over.wait(5):
                return

    watcher = threading.Thread(target=report, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _unpack(archive: Path, tree: Path) -> None:
    """Unpacks a package below ``tree``; of the kernel's source only the nvme drivers."""
    name = archive.name.split("_")[0]
    if not name.startswith("linux-source-"):
        kind = "image" if name.startswith("linux-image-") else "headers"
        (tree / kind).mkdir(parents=True, exist_ok=True)
        run(["dpkg-deb", "-x", archive, tree / kind], f"unpacking {archive.name}")
        return
    (tree / "source").mkdir(parents=True)
    script = (
        'dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$2.tar.xz" | '
        'tar -xJ -C "$3" --strip-components=1 "$2/drivers/nvme"'
    )
    command: list[str | Path] = ["bash", "-o", "pipefail", "-c", script, "unpack"]
    run([*command, archive, name, tree / "source"], f"unpacking {archive.name}")


# Building


def _assemble(
    release: Release, packages: Path, patches: list[Path], scratch: Path, progress: Progress
) -> None:
    """Makes the directory ``result``: the image and a tree of modules that depmod has seen."""
    result = scratch / "result"
    tree = result / "lib/modules" / release.name
    # links, not copies: the packages stay unpacked for the next build anyway
    shutil.copytree(_modules(packages / "image"), tree.parent, copy_function=os.link)
    boot = packages / "image/boot"
    os.link(boot / f"vmlinuz-{release.name}", result / "vmlinuz")
    os.link(boot / f"config-{release.name}", result / "config")
    if patches:
        built = _build(release, packages, patches, scratch, progress)
        shutil.rmtree(tree / "kernel/drivers/nvme")
        updates = tree / "updates/nvme"
        updates.mkdir(parents=True)
        for module in built:
            shutil.copy2(module, updates)
    progress("reading the modules' dependencies")
    run([_which("depmod") or "depmod", "-b", result, release.name], "depmod")
    if patches and _flavour(tree) != "mptcp":
        raise LabError(f"{tree}: the patched modules do not offer {TRANSPORT_ALIAS}")


def _modules(image: Path) -> Path:
    """Returns where an unpacked image has lib/modules: below /usr since Debian 13."""
    return next(top for top in (image / "usr/lib/modules", image / "lib/modules") if top.is_dir())


def _build(
    release: Release, packages: Path, patches: list[Path], scratch: Path, progress: Progress
) -> list[Path]:
    """Patches and compiles the nvme modules out of tree; returns their files, stripped."""
    source = scratch / "source"
    shutil.copytree(packages / "source", source)
    for patch in patches:
        apply_patch(patch, source)

    headers = packages / "headers/usr/src" / f"linux-headers-{release.name}"
    common = packages / "headers/usr/src" / f"linux-headers-{release.abi}-common"
    _check_compiler(headers)
    # its place is fixed at /usr/src: let it find its other half where it was unpacked
    (headers / "Makefile").write_text(f"include {common}/Makefile\n")

    drivers = source / "drivers/nvme"
    compiled = 0

    def note(line: str) -> None:
        nonlocal compiled
        if line.startswith("CC [M]"):
            compiled += 1
            if compiled % 10 == 0:
                progress(f"compiling the nvme modules: {compiled} files done")

    progress("compiling the nvme modules")
    command: list[str | Path] = ["env"]
    for variable in STRAY_ENVIRONMENT:
        command += ["-u", variable]
    command += ["LC_ALL=C", "make", f"-j{os.cpu_count() or 1}", "-C", headers, f"M={drivers}"]
    run([*command, *MAKE_VARIABLES, "modules"], f"compiling nvme for {release.name}", note)

    modules = sorted(drivers.rglob("*.ko"))
    run(["strip", "--strip-debug", *modules], "strip")
    return modules


def apply_patch(patch: Path, source: Path) -> None:
    """Applies a patch to a kernel source tree; a hunk without its place is an error."""
    run(
        ["patch", "-p1", "--forward", "--batch", "--no-backup-if-mismatch", "--reject-file=-",
         "-d", source, "-i", patch],
        f"applying {patch.name}",
    )  # fmt: skip


def _check_compiler(headers: Path) -> None:
    """The modules want the compiler of their kernel: make sure that it is there."""
    found = re.search(r"\b(gcc-\d+)\b", (headers / ".kernelvariables").read_text())
    if found and not _which(f"x86_64-linux-gnu-{found[1]}"):
        raise LabError(f"{headers.name} was built with {found[1]}: install the package {found[1]}")


def _forget_unused(store: Cache) -> None:
    """Removes the kernels and packages that nobody has used for a month."""
    oldest = time.time() - KEEP_UNUSED_DAYS * 86400
    for path in store.top.glob("kernel-*-*"):
        if path.is_dir() and path.stat().st_mtime < oldest:
            shutil.rmtree(path, ignore_errors=True)
