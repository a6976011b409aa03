# SPDX-License-Identifier: GPL-2.0-or-later
"""Build what a kernel needs to boot the lab: its modules as an erofs image, and an initramfs.

The image contains uncompressed modules, and only those useful in a network and storage lab: without
KVM, decompressing modules in the guest would take longer than the rest of its boot.
"""

import gzip
import io
import lzma
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nvmetools import ToolError
from nvmetools.cache import Cache, key_of, tree_key
from nvmetools.debian import run

from .cpio import Writer

RECIPE = "1"

#: Modules that the initramfs loads, in any order: dependencies are added in front.
BOOT_MODULES = (
    "virtio_pci", "virtio_blk", "virtio_console", "erofs", "overlay", "9p", "9pnet_virtio",
)  # fmt: skip

#: Loaded before them if the kernel has it: libcrc32c, which erofs needs, requests it by name.
SOFT_DEPENDENCIES = ("crc32c_generic",)

#: Directories with modules for the lab, below kernel/; updates/ and extra/ are taken completely.
WANTED = (
    "arch/x86/crypto/", "block/", "crypto/", "lib/", "net/", "security/",
    "drivers/block/", "drivers/nvme/", "drivers/md/", "drivers/virtio/", "drivers/char/",
    "drivers/net/veth", "drivers/net/dummy", "drivers/net/bonding/", "drivers/net/ifb",
    "drivers/net/tun", "drivers/net/macvlan", "drivers/net/vxlan/", "drivers/net/virtio_net",
    "drivers/net/vrf", "drivers/net/net_failover", "drivers/net/netdevsim/",
    "drivers/misc/lkdtm/", "samples/",
    "fs/9p/", "fs/configfs/", "fs/erofs/", "fs/ext4/", "fs/fuse/", "fs/nls/", "fs/overlayfs/",
    "fs/xfs/", "fs/netfs/",
)  # fmt: skip


Note = Callable[[str], None]


class Kernel(Protocol):
    """A kernel image and its tree lib/modules/<version>, as returned by ``kernel.prepare``."""

    version: str
    vmlinuz: Path
    modules_dir: Path
    flavour: str


@dataclass(frozen=True)
class BootFiles:
    """The two files that a kernel needs in addition to the root image."""

    modules: Path
    initramfs: Path


def module_name(path: str) -> str:
    """Return the kernel's name of the module in this file."""
    return Path(path).name.split(".ko")[0].replace("-", "_")


def read_module(path: Path) -> bytes:
    """Return a module's content, uncompressed."""
    content = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(content)
    if path.suffix == ".gz":
        return gzip.decompress(content)
    if path.suffix == ".zst":
        try:
            return subprocess.run(
                ["zstd", "-dc"], input=content, stdout=subprocess.PIPE, check=True
            ).stdout
        except FileNotFoundError:
            raise ToolError(f"{path} is compressed with zstd: install the package zstd") from None
    return content


def is_wanted(relative: str) -> bool:
    """Return whether the lab needs a module file, relative to lib/modules/<version>."""
    top, _, rest = relative.partition("/")
    return top in ("updates", "extra") or (top == "kernel" and rest.startswith(WANTED))


class ModuleTree:
    """The modules of one kernel and their dependencies, from depmod."""

    def __init__(self, top: Path, dependencies: str, builtin: str) -> None:
        self.top = top
        self.builtin = {module_name(line) for line in builtin.split()}
        self.needs: dict[str, list[str]] = {}
        self.path_of: dict[str, str] = {}
        for line in dependencies.splitlines():
            path, _, rest = line.partition(":")
            self.needs[path] = rest.split()
            self.path_of[module_name(path)] = path

    def closure(self, paths: Iterable[str]) -> list[str]:
        """Return the paths and their dependencies, each after its own dependencies."""
        order: dict[str, None] = {}
        for path in paths:
            # modules.dep lists all dependencies of a module, the innermost last
            for needed in reversed(self.needs[path]):
                order.setdefault(needed)
            order.setdefault(path)
        return list(order)

    def wanted(self) -> list[str]:
        """Return all module files of the lab, with their dependencies."""
        return self.closure(path for path in self.needs if is_wanted(path))

    def for_boot(self) -> list[str]:
        """Return the modules that the initramfs must load, without those built into the kernel."""
        paths = [self.path_of[name] for name in SOFT_DEPENDENCIES if name in self.path_of]
        for name in BOOT_MODULES:
            if name in self.path_of:
                paths.append(self.path_of[name])
            elif name not in self.builtin:
                raise ToolError(f"{self.top}: the kernel has no {name}, the lab cannot boot it")
        return self.closure(paths)


def _scan(kernel: Kernel) -> ModuleTree:
    """Read depmod's files about the kernel's modules."""
    top = kernel.modules_dir / "lib/modules" / kernel.version
    try:
        dependencies = (top / "modules.dep").read_text()
        return ModuleTree(top, dependencies, (top / "modules.builtin").read_text())
    except FileNotFoundError as error:
        raise ToolError(f"{error.filename}: no such file (modules of {kernel.version})") from None


def _depmod() -> str:
    found = shutil.which("depmod") or shutil.which("depmod", path="/usr/sbin:/sbin")
    if not found:
        raise ToolError("depmod is not installed: install the package kmod")
    return found


def _build_modules(version: str, tree: ModuleTree, target: Path, scratch: Path, note: Note) -> None:
    stage = scratch / "stage"
    top = stage / "lib/modules" / version
    paths = tree.wanted()
    note(f"unpacking {len(paths)} modules")
    for path in paths:
        copy = top / path.partition(".ko")[0]
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.with_name(copy.name + ".ko").write_bytes(read_module(tree.top / path))
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if (tree.top / name).exists():
            shutil.copyfile(tree.top / name, top / name)
    run([_depmod(), "-b", stage, version], "depmod")
    note("mkfs.erofs")
    run(["mkfs.erofs", "-zlz4", "--all-root", "-T0", target, top.parent], "mkfs.erofs")


def _compile_init(source: Path, scratch: Path) -> bytes:
    program = scratch / "init"
    run(
        ["cc", "-static", "-Os", "-s", "-Wall", "-Wextra", "-o", program, source],
        "compiling the guest's init",
    )
    return program.read_bytes()


def write_initramfs(
    target: Path, init: bytes, modules: Iterable[tuple[str, bytes]], extra: dict[str, bytes]
) -> None:
    """Write an initramfs of the init program, the modules in loading order and extra files."""
    with open(target, "wb") as stream:
        archive = Writer(stream)
        for name in ("dev", "proc", "sys", "modules"):
            archive.directory(name)
        archive.device("dev/console", 5, 1)
        archive.file("init", init, 0o755)
        order = []
        for name, content in modules:
            archive.file(f"modules/{name}", content)
            order.append(f"{name}\n")
        archive.file("modules/order", "".join(order).encode())
        for name, content in extra.items():
            archive.file(name, content)
        archive.close()


def append_file(initramfs: bytes, name: str, content: bytes) -> bytes:
    """Return the initramfs with one more file: the kernel unpacks concatenated archives."""
    stream = io.BytesIO()
    archive = Writer(stream)
    archive.file(name, content)
    archive.close()
    return initramfs + stream.getvalue()


def prepare(cache: Cache, kernel: Kernel, init_source: Path, note: Note) -> BootFiles:
    """Return the kernel's modules image and initramfs, built if their input changed."""

    def build_modules(path: Path, scratch: Path) -> None:
        _build_modules(kernel.version, _scan(kernel), path, scratch, note)

    def build_initramfs(path: Path, scratch: Path) -> None:
        note("initramfs")
        tree = _scan(kernel)
        loaded = [(module_name(p) + ".ko", read_module(tree.top / p)) for p in tree.for_boot()]
        write_initramfs(path, _compile_init(init_source, scratch), loaded, {})

    modules_key = key_of(RECIPE, kernel.version, tree_key(kernel.modules_dir), *WANTED)
    boot_key = key_of(modules_key, init_source.read_bytes(), *BOOT_MODULES, *SOFT_DEPENDENCIES)
    return BootFiles(
        cache.file("modules", modules_key, ".erofs", build_modules),
        cache.file("initramfs", boot_key, ".cpio", build_initramfs),
    )


def probe_initramfs(cache: Cache, init_source: Path) -> Path:
    """Return the initramfs of the KVM probe, whose init only prints that it runs."""
    return cache.file(
        "probe", key_of(RECIPE, init_source.read_bytes()), ".cpio",
        lambda path, scratch: write_initramfs(
            path, _compile_init(init_source, scratch), [], {"probe": b""}
        ),
    )  # fmt: skip
