# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's kernels: Debian's own, with modules that know the transport mptcp.

Debian's packages are downloaded and unpacked into the cache, never installed. Three modules are
built out of tree, from Debian's source with the edits of kernel/; everything else in the tree of
modules is Debian's, byte for byte.
"""

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from nvmetools import ToolError
from nvmetools.cache import KEEP_UNUSED_DAYS, Cache, key_of
from nvmetools.debian import run

from . import debugkernel, kbuild, releases
from .releases import ArchiveError, Progress, Release, Series, Unpacked

KERNEL = Path(__file__).resolve().parents[3] / "kernel"

#: A kernel that autoloads this alias has the transport.
TRANSPORT_ALIAS = "nvme-mptcp"

#: The tools that are run, and Debian's packages with them.
TOOLS = {
    "apt-get": "apt", "dpkg-deb": "dpkg", "tar": "tar", "xz": "xz-utils", "bash": "bash",
    "make": "make", "strip": "binutils", "depmod": "kmod", "perl": "perl",
    "unshare": "util-linux",
}  # fmt: skip

#: What a kernel is made by, beside the edits.
RECIPE = "".join(
    path.read_text() for path in (
        Path(str(kbuild.__file__)), Path(str(releases.__file__)), Path(str(debugkernel.__file__)),
        releases.PREPARE,
    )
)  # fmt: skip


@dataclass
class Kernel:
    """A kernel to boot: its image, and the tree that holds lib/modules/<version>.

    ``flavour`` is "mptcp" if the kernel has the transport and "stock" if not.
    """

    version: str
    vmlinuz: Path
    modules_dir: Path
    flavour: str


def prepare(
    cache: Path,
    series: str = releases.DEFAULT_SERIES,
    *,
    stock: bool = False,
    progress: Progress = print,
) -> Kernel:
    """Returns Debian's newest kernel of a series, with the mptcp transport unless ``stock``.

    What is in ``cache`` already, made of the same packages by the same compiler with the same
    patches, is returned at once. Safe to call from several processes at a time.
    """
    if " " in str(cache.resolve()) or ":" in str(cache.resolve()):
        raise ToolError(
            f"{cache}: the kernel cannot be built in a path with a space or colon; "
            "use another directory with --cache"
        )
    store = Cache(cache.resolve())
    wanted = releases.ALL_SERIES[series]
    try:
        return _prepare(store, wanted, stock, progress)
    except ArchiveError as error:
        # the usual reason: lists so old that what they name is gone
        progress("renewing the package lists")
        try:
            if not wanted.archive(store).renew():
                raise error
        except ToolError as update_error:
            if update_error is error:
                raise
            raise ToolError(f"{error}\n{update_error}") from None
    return _prepare(store, wanted, stock, progress)


def user_kernel(vmlinuz: Path, modules: Path) -> Kernel:
    """Returns the user's own kernel, made of an image and a tree of modules.

    ``modules`` is lib/modules/<version>, or what holds it (an INSTALL_MOD_PATH).
    """
    if not vmlinuz.is_file():
        raise ToolError(f"{vmlinuz}: no such kernel image")
    version = image_version(vmlinuz)
    top = modules.resolve()
    if top.name == version and top.parent.name == "modules" and top.parents[1].name == "lib":
        top = top.parents[2]
    tree = top / "lib/modules" / version
    if not tree.is_dir():
        raise ToolError(
            f"{modules}: no lib/modules/{version} in it, the version of {vmlinuz} "
            f"(install them with `make modules_install INSTALL_MOD_PATH={modules}`)"
        )
    if not (tree / "modules.dep").exists():
        raise ToolError(f"{tree}: no modules.dep; run `depmod -b {top} {version}` first")
    return Kernel(version, vmlinuz.resolve(), top, _flavour(tree))


def image_version(vmlinuz: Path) -> str:
    """Reads the version out of an x86 kernel image, as Documentation/arch/x86/boot.rst has it."""
    with vmlinuz.open("rb") as image:
        setup = image.read(0x10000)
    if len(setup) < 0x210 or setup[0x202:0x206] != b"HdrS":
        raise ToolError(f"{vmlinuz}: not an x86 kernel image (bzImage)")
    start = int.from_bytes(setup[0x20E:0x210], "little") + 0x200
    words = setup[start : start + 256].split(b"\0")[0].split()
    if not words:
        raise ToolError(f"{vmlinuz}: cannot find the version in the kernel image")
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


def edits_of(series: str) -> list[Path]:
    """Return what the transport is added by: the list, its program and our files."""
    files = [KERNEL / "edits", KERNEL / "edit.py"]
    for directory in ("common", series):
        files += sorted((KERNEL / directory).glob("*/*.[ch]"))
    if not all(path.is_file() for path in files) or not (KERNEL / series).is_dir():
        raise ToolError(f"{KERNEL}: the edits for {series} are missing; is the checkout complete?")
    return files


def edits_key(series: str) -> str:
    """Name the edits of a series by what is in them: the same on every machine."""
    return key_of(*(path.read_bytes() for path in edits_of(series)))


def _prepare(store: Cache, series: Series, stock: bool, progress: Progress) -> Kernel:
    release = releases.choose(store, series, progress)
    return prepare_release(store, series, release, progress, stock=stock)


def prepare_release(
    store: Cache, series: Series, release: Release, progress: Progress, *, stock: bool = False
) -> Kernel:
    """Return one kernel of a series, with the mptcp transport unless ``stock``."""
    flavour = "stock" if stock else "mptcp"
    packages = kbuild.KERNEL_PACKAGES if series.config else kbuild.BUILD_PACKAGES
    compiler = kbuild.Compiler(store, series.backports_of, packages)
    edits = [] if stock else edits_of(series.edits)
    parts: list[str | bytes] = [
        release.name, release.package_version, flavour, Path(__file__).read_bytes(), RECIPE,
    ]  # fmt: skip
    if series.config:
        parts.append(series.config.read_bytes())
    if not stock:
        parts += [compiler.version(), *(path.read_bytes() for path in edits)]
    top = store.top / f"kernel-{flavour}-{key_of(*parts)}"

    if not top.exists():
        _check_tools()
        with store.lock("kernel"):
            if not top.exists():
                if series.config:
                    unpacked = debugkernel.unpacked(store, series, release, compiler, progress)
                else:
                    unpacked = releases.unpacked(store, series, release, progress)
                with store.scratch() as scratch:
                    built = []
                    if edits:
                        built = kbuild.build(
                            release, unpacked, series.edits, compiler, scratch, progress
                        )
                    _assemble(release, unpacked, built, scratch, progress)
                    (scratch / "result").rename(top)
                _forget_unused(store)
    os.utime(top)
    return Kernel(release.name, top / "vmlinuz", top, flavour)


def _assemble(
    release: Release, packages: Unpacked, built: list[Path], scratch: Path, progress: Progress
) -> None:
    """Makes the directory ``result``: the image and a tree of modules that depmod has seen."""
    result = scratch / "result"
    tree = result / "lib/modules" / release.name
    # links, not copies: the packages stay unpacked for the next build anyway
    shutil.copytree(packages.modules, tree.parent, copy_function=os.link)
    for kind in ("vmlinuz", "config"):
        os.link(packages.boot_file(kind, release.name), result / kind)
    if built:
        # depmod prefers what is there to the kernel's own, which stays where it is
        updates = tree / "updates/nvme"
        updates.mkdir(parents=True)
        for module in built:
            shutil.copy2(module, updates)
    progress("reading the modules' dependencies")
    run([_which("depmod") or "depmod", "-b", result, release.name], "depmod")
    if built and _flavour(tree) != "mptcp":
        raise ToolError(f"{tree}: the edited modules do not provide {TRANSPORT_ALIAS}")


def _check_tools() -> None:
    missing = {package for tool, package in TOOLS.items() if not _which(tool)}
    if missing:
        raise ToolError(f"the lab's kernel needs these packages: {' '.join(sorted(missing))}")


def _which(tool: str) -> str | None:
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/sbin")


def _forget_unused(store: Cache) -> None:
    """Removes the kernels and packages that nobody has used for a month."""
    oldest = time.time() - KEEP_UNUSED_DAYS * 86400
    for path in store.top.glob("kernel-*-*"):
        if path.is_dir() and path.stat().st_mtime < oldest:
            shutil.rmtree(path, ignore_errors=True)
