# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a kernel that reports its mistakes: KASAN, lockdep, kmemleak, and little else.

Debian has none. This one is made of the source of Debian's kernel, with a configuration of our own,
and laid out like Debian's unpacked packages: our modules are built for it as for any other.
"""

import os
import re
import shutil
from pathlib import Path

from nvmetools import ToolError
from nvmetools.cache import Cache, key_of
from nvmetools.debian import run

from .kbuild import STRAY_ENVIRONMENT, Compiler
from .releases import Progress, Release, Series, Unpacked

#: Two builds of one source are the same kernel.
REPRODUCIBLE = ("KBUILD_BUILD_TIMESTAMP=@0", "KBUILD_BUILD_USER=lab", "KBUILD_BUILD_HOST=lab")

#: What no build reads.
UNREAD = ("Documentation/*/*", "tools/testing/*", "drivers/gpu/drm/amd/include/*")

UNPACK = """
dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$2.tar.xz" |
    tar -xJ -C "$3" --strip-components=1 "${@:4}"
"""

#: What the kernel's own package of headers is made with: copies what an external module needs.
HEADERS = "scripts/package/install-extmod-build"


def unpacked(
    store: Cache, series: Series, release: Release, compiler: Compiler, progress: Progress
) -> Unpacked:
    """Return the kernel as if Debian had packages of it, built if it is not in the cache."""
    assert series.config
    key = key_of(
        release.package_version,
        series.config.read_bytes(),
        compiler.version(),
        Path(__file__).read_bytes(),
    )
    top = store.top / f"kernel-packages-{release.name}-debug-{key}"
    if not top.exists():
        with store.scratch() as scratch:
            _build(store, series, release, compiler, scratch, progress)
            (scratch / "result").rename(top)
    os.utime(top)
    return Unpacked(top)


def _build(
    store: Cache,
    series: Series,
    release: Release,
    compiler: Compiler,
    scratch: Path,
    progress: Progress,
) -> None:
    """Make the directory ``result``: image, headers and the drivers' source."""
    assert series.config
    linux = scratch / "linux"
    result = scratch / "result"
    _unpack_source(series, release, store, scratch, progress)
    shutil.copytree(linux / "drivers/nvme", result / "source/drivers/nvme")
    shutil.copy2(linux / "Makefile", result / "source")

    unset = [word for variable in STRAY_ENVIRONMENT for word in ("-u", variable)]
    settings = ["LC_ALL=C", f"CCACHE_DIR={store.top / 'ccache'}", "CCACHE_DEPEND=1", *REPRODUCIBLE]
    prefix = [*compiler.prefix(progress), "env", "-C", linux, *unset, *settings]
    abi = release.name.removeprefix(_version(linux))
    command = [*prefix, "make", f"-j{os.cpu_count() or 1}", f"LOCALVERSION={abi}", "CC=ccache gcc"]

    (linux / "debug.config").write_text("".join(f"{line}\n" for line in lines_of(series.config)))
    run([*command, "KCONFIG_ALLCONFIG=debug.config", "allnoconfig"], "make allnoconfig", progress)
    check_config(series.config, linux / ".config")
    progress(
        f"compiling Linux {release.name} with KASAN and lockdep: this takes about half an hour"
    )
    run([*command, "bzImage", "modules"], f"compiling Linux {release.name}", progress)
    _collect(release, linux, result, prefix, command)


def _collect(
    release: Release,
    linux: Path,
    result: Path,
    prefix: list[str | Path],
    command: list[str | Path],
) -> None:
    """Lay the compiled kernel out like Debian's packages of an image and of its headers."""
    image = result / "image"
    run([*command, f"INSTALL_MOD_PATH={image}", "modules_install"], "make modules_install")
    modules = image / "lib/modules" / release.name
    (modules / "build").unlink(missing_ok=True)
    shutil.copy2(linux / "arch/x86/boot/bzImage", modules / "vmlinuz")
    shutil.copy2(linux / ".config", modules / "config")

    headers = result / f"headers/usr/src/linux-headers-{release.name}"
    words = ("srctree=.", "SRCARCH=x86", "KCONFIG_CONFIG=.config", "CC=gcc", "HOSTCC=gcc")
    run([*prefix, *words, "sh", HEADERS, headers], "collecting the kernel's headers")
    (headers / ".kernelvariables").touch()


def _unpack_source(
    series: Series, release: Release, store: Cache, scratch: Path, progress: Progress
) -> None:
    downloads = scratch / "packages"
    linux = scratch / "linux"
    downloads.mkdir()
    linux.mkdir()
    package = release.source_package
    progress(f"downloading {package}")
    series.archive(store).apt_get(
        "download", f"{package}={release.package_version}", directory=downloads
    )
    [archive] = downloads.glob("*.deb")
    progress(f"unpacking {package}")
    excluded = [f"--exclude={package}/{pattern}" for pattern in UNREAD]
    command: list[str | Path] = ["bash", "-o", "pipefail", "-c", UNPACK, "unpack"]
    run([*command, archive, package, linux, *excluded], f"unpacking {archive.name}")


def _version(linux: Path) -> str:
    """Return the three numbers that the source's Makefile has."""
    lines = (linux / "Makefile").read_text().splitlines()
    values = dict(line.split(" = ") for line in lines if line.count(" = ") == 1)
    return ".".join(values[name] for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))


def lines_of(config: Path) -> list[str]:
    """Return the lines of a configuration, of which NAME=VALUE is listed, and NAME for NAME=y."""
    text = re.sub(r"^#.*", "", config.read_text(), flags=re.M)
    found = re.findall(r'(\w+)(?:=("[^"]*"|\S+))?', text)
    return [f"CONFIG_{name}={value or 'y'}" for name, value in found]


def check_config(wanted: Path, made: Path) -> None:
    """Raise if a line of the configuration was not taken: the kernel drops what it cannot have."""
    lines = set(made.read_text().splitlines())
    missing = [line for line in lines_of(wanted) if line not in lines]
    if missing:
        raise ToolError(
            f"{wanted}: not accepted by this kernel's configuration: {' '.join(missing)} "
            "(renamed, or a dependency is missing)"
        )
