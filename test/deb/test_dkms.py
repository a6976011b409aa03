# SPDX-License-Identifier: GPL-2.0-or-later
"""The package of kernel modules: DKMS builds them in roots of both releases, for their own kernels.

Nothing is loaded: the lab tests what modules do. A release takes two to four minutes, and Debian 13
three to eight more for the kernel of its backports; tests share a root and run in their order.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from machine import Machine, earlier_in, machine_of
from nvmelab import kbuild
from nvmetools import packages
from nvmetools.fresh import RELEASES

#: The kernel's own modules that use symbols of nvmet.
USERS = ("nvme-loop", "nvmet-fc", "nvmet-rdma")

#: What a root disk's and a plain TCP controller's modules are.
UNTOUCHED = ("nvme-core", "nvme", "nvme-fabrics", "nvme-tcp")

#: What dpkg does when a source has been installed.
COME = (
    "dpkg-trigger --by-package=linux-source-6.12 --no-await /usr/src/linux-source-6.12.tar.xz && "
    "dpkg --triggers-only --pending"
)

OTHER = "6.1.0-99-amd64"
OTHER_REASON = (
    f"nvme-mptcp-dkms: {OTHER} has no transport mptcp: modules are built for Linux 6.12, "
    "7.2 and 7.3, not for 6.1\n"
)

INSTALL = (
    "INITRD=No DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends "
    "-o Dpkg::Use-Pty=0 install"
)


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.codename)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """The root of a release with a kernel, its headers, its source and DKMS."""
    with machine_of(request.param, packages.with_kernel) as machine:
        yield machine


def version(machine: Machine) -> str:
    """The package's upstream version, which DKMS goes by."""
    return machine.debs["nvme-mptcp-dkms"].name.split("_")[1].split("-")[0]


def kernels(machine: Machine) -> list[str]:
    """The kernels that have headers, by release."""
    return machine.run("cd /lib/modules && ls -d */build | cut -d/ -f1").split()


def changed(machine: Machine) -> str:
    """What is missing or different of the files of packages, below the modules of kernels."""
    return machine.run("dpkg --verify | grep -E '/lib/modules/' || :")


def modinfo(machine: Machine, kernel: str, name: str, field: str = "filename") -> list[str]:
    """A field of the module that modprobe would load by that name."""
    return machine.run(f"modinfo -k {kernel} -F {field} {name}").split("\n")[:-1]


def versions(machine: Machine, kernel: str, name: str) -> dict[str, str]:
    """The checksums of interfaces that a module was built for, by symbol; 7.3 has none."""
    [path] = modinfo(machine, kernel, name)
    lines = machine.run(f"modprobe --dump-modversions {path} 2>/dev/null || :").splitlines()
    return {symbol: checksum for checksum, symbol in (line.split() for line in lines)}


def check_modules(machine: Machine, kernel: str) -> None:
    """Ours are built for this kernel and preferred; Debian's are there, and fit them."""
    [vermagic] = modinfo(machine, kernel, "nvme-core", "vermagic")
    assert vermagic.startswith(f"{kernel} ")
    for name in kbuild.MODULES:
        [path] = modinfo(machine, kernel, name)
        assert path.startswith(f"/lib/modules/{kernel}/updates/dkms/{name}.ko"), path
        assert modinfo(machine, kernel, name, "vermagic") == [vermagic]
        assert modinfo(machine, kernel, name, "version") == [packages.version()]
    for name in (*UNTOUCHED, *USERS):
        [path] = modinfo(machine, kernel, name)
        assert path.startswith(f"/lib/modules/{kernel}/kernel/drivers/nvme/"), path
    assert "nvme-mptcp" in modinfo(machine, kernel, "nvme-mptcp", "alias")
    assert {"nvmet-transport-3", "nvmet-transport-4"} <= set(
        modinfo(machine, kernel, "nvmet-tcp", "alias")
    )
    loaded = machine.run(f"modprobe -S {kernel} --show-depends nvmet-transport-4")
    assert re.findall(r"^insmod \S*/(updates|kernel)/\S*/nvmet(?:-tcp)?\.ko", loaded, re.M) == [
        "updates", "updates",
    ]  # fmt: skip
    check_fits(machine, kernel)
    assert changed(machine) == ""


def check_fits(machine: Machine, kernel: str) -> None:
    """Our nvmet has for our nvmet-tcp the very interfaces that Debian's modules were built for."""
    ours = versions(machine, kernel, "nvmet-tcp")
    assert bool(ours) == bool(versions(machine, kernel, "nvme-core"))
    assert ours or not kernel.startswith("6.12.")
    if not ours:
        return
    shared = 0
    for name in USERS:
        for symbol, checksum in versions(machine, kernel, name).items():
            if symbol.startswith("nvmet_") and symbol in ours:
                assert checksum == ours[symbol], (name, symbol)
                shared += 1
    assert shared > 5


@contextmanager
def other_kernel(machine: Machine, kernel: str) -> Iterator[None]:
    """Headers of a kernel that no modules are built for: Debian 12 has such a one."""
    top = f"/lib/modules/{OTHER}"
    machine.run(f"mkdir {top} && cp -P /lib/modules/{kernel}/build {top}/build")
    yield
    machine.run(f"rm -r {top}")


def test_installing_builds_for_the_kernel_that_is_there(machine: Machine) -> None:
    [kernel] = kernels(machine)
    with other_kernel(machine, kernel):
        printed = machine.install("nvme-mptcp-dkms")
    assert printed.count("has no transport mptcp") == printed.count(OTHER_REASON) == 1, printed
    assert f"{kernel}, x86_64: installed" in machine.run("dkms status nvme-mptcp")
    check_modules(machine, kernel)


def test_dkms_leaves_them_alone_by_itself(machine: Machine) -> None:
    """What a machine with DKMS of its own runs at boot."""
    kernel = kernels(machine)[0]
    before = modinfo(machine, kernel, "nvme-mptcp")
    machine.run("dkms autoinstall")
    assert f"{kernel}, x86_64: installed" in machine.run("dkms status nvme-mptcp")
    assert modinfo(machine, kernel, "nvme-mptcp") == before


def test_a_kernel_without_headers_is_named(machine: Machine) -> None:
    """Nothing is tried for it, which would go unnoticed until it is booted."""
    numbers = re.match(r"[0-9.]+", kernels(machine)[0])
    assert numbers
    bare = f"{numbers[0]}-bare"
    machine.run(f"mkdir -p /lib/modules/{bare}/kernel /lib/modules/{OTHER}/kernel")
    printed = machine.run(f"dpkg --install {machine.debs['nvme-mptcp-dkms']}")
    assert (
        f"nvme-mptcp-dkms: {bare} has no transport mptcp: its headers are not installed "
        f"(apt install linux-headers-{bare})\n"
    ) in printed
    assert OTHER not in printed
    running = machine.run("uname -r").strip()
    assert f"the kernel that runs, {running}, has no modules here" in printed
    machine.run(f"rm -r /lib/modules/{bare} /lib/modules/{OTHER}")


def test_what_it_has_no_patches_for_is_explained_and_no_error(machine: Machine) -> None:
    """DKMS passes over such a kernel; the reason is given with its headers, and not again."""
    with other_kernel(machine, kernels(machine)[0]):
        printed = machine.run(f"run-parts --arg={OTHER} /etc/kernel/header_postinst.d && {COME}")
        assert printed.count(OTHER_REASON) == 1, printed
        assert OTHER not in machine.run("dkms status nvme-mptcp")


def test_a_kernel_without_what_it_takes_is_explained_and_no_error(machine: Machine) -> None:
    """A kernel for clouds may have no MPTCP."""
    kernel = kernels(machine)[0].replace("-amd64", "-cloud-amd64")
    build = f"/lib/modules/{kernel}/build"
    machine.run(f"mkdir -p {build} && echo >{build}/.config")
    printed = machine.run(f"run-parts --arg={kernel} /etc/kernel/header_postinst.d")
    reason = f"nvme-mptcp-dkms: {kernel} has no transport mptcp: it is built without CONFIG_MPTCP\n"
    assert printed.count(reason) == 1, printed
    assert kernel not in machine.run("dkms status nvme-mptcp")
    machine.run(f"rm -r /lib/modules/{kernel}")


def test_a_kernel_of_others_is_explained_and_no_error(machine: Machine) -> None:
    """Its numbers are those of the source, its structures may be others."""
    stock = kernels(machine)[0]
    for kernel in (re.sub(r"\+.*", "-1-pve", stock), re.sub(r"\+.*", "-v8+", stock)):
        top = f"/lib/modules/{kernel}"
        machine.run(f"mkdir {top} && cp -a /lib/modules/{stock}/build/. {top}/build")
        printed = machine.run(f"run-parts --arg={kernel} /etc/kernel/header_postinst.d && {COME}")
        reason = (
            f"nvme-mptcp-dkms: {kernel} has no transport mptcp: its headers are of no package, and "
            "modules are built for Debian's own kernels only (source package linux or linux-6.12)\n"
        )
        assert printed.count(reason) == 1, printed
        assert kernel not in machine.run("dkms status nvme-mptcp")
        machine.run(f"rm -r {top}")


def test_a_source_that_the_edits_do_not_fit_is_explained_and_no_error(machine: Machine) -> None:
    """Headers, the source and the package itself are installed all the same, fresh or upgraded."""
    kernel = kernels(machine)[0]
    edits = f"/usr/src/nvme-mptcp-{version(machine)}/edits"
    machine.run(
        f"dkms remove nvme-mptcp/{version(machine)} --all && cp {edits} /tmp/edits && "
        f"printf '%s\\n' '@edit host/tcp.c another' @find 'no such line' @word x >>{edits}"
    )
    reason = f"nvme-mptcp-dkms: {kernel} has no transport mptcp: the modules cannot be built for it"
    postinst = "/var/lib/dpkg/info/nvme-mptcp-dkms.postinst"
    hook = f"run-parts --arg={kernel} /etc/kernel/header_postinst.d"
    for event in (
        f"{postinst} configure", f"{postinst} configure {packages.version()}",
        f"{hook} && {COME}",
    ):  # fmt: skip
        printed = machine.run(event)
        assert printed.count(reason) == 1, printed
        assert "host/tcp.c another: anchor not found: no such line\n" in printed
    assert machine.run("dpkg --audit") == ""
    assert changed(machine) == ""
    machine.run(f"mv /tmp/edits {edits} && {hook}")
    check_modules(machine, kernel)


def test_structures_are_compared_with_those_of_the_kernel(machine: Machine) -> None:
    """The compiler refuses a header whose structures are not those of the kernel's nvme-core."""
    kernel = kernels(machine)[0]
    machine.run(f"/usr/src/nvme-mptcp-*/prepare source {kernel} /tmp/source")
    found = machine.run("grep -h ^static_assert /tmp/source/drivers/nvme/*/*.c")
    for name in ("nvme_ctrl", "nvme_ctrl_ops", "nvme_ns", "nvmf_ctrl_options", "nvmet_req"):
        assert re.search(rf"sizeof\(struct {name}\) == \d+, ", found), found
    make = (
        f"make -C /lib/modules/{kernel}/build M=/tmp/source/drivers/nvme "
        "$(/usr/src/nvme-mptcp-*/prepare settings /tmp/source/drivers/nvme) modules"
    )
    machine.run(
        "sed -i 's/^struct nvme_ctrl {/&\\n\\tlong more;/' /tmp/source/drivers/nvme/host/nvme.h"
    )
    printed = machine.run(make, status=2)
    assert re.search(r"static assertion failed: \"nvme_ctrl of nvme-core has \d+ bytes\"", printed)
    machine.run("rm -r /tmp/source")


def test_a_source_of_another_version_is_not_built_of(machine: Machine) -> None:
    """Its structures may be others than those of the kernel's nvme-core."""
    prepare = "/usr/src/nvme-mptcp-*/prepare"
    printed = machine.run(f"{prepare} explain 6.12.999+deb-amd64", status=1)
    assert re.match(
        r"nvme-mptcp-dkms: 6\.12\.999\+deb-amd64 has no transport mptcp: linux-source-6\.12 is of "
        r"6\.12\.\d+, and modules have to be built of the kernel's own source; install "
        r"linux-source-6\.12 of 6\.12\.999, or the kernel 6\.12\.\d+ with its headers\n\Z",
        printed,
    )
    machine.run(f"{prepare} source 6.12.999+deb-amd64 /tmp/source", status=1)
    machine.run("[ ! -e /tmp/source ]")


def test_a_kernel_update_rebuilds(machine: Machine) -> None:
    """The backports' kernel: first without its source, which is explained, then with it."""
    if machine.release.codename != "trixie":
        pytest.skip(
            "skipped: only Debian 13's backports have another kernel that modules are built for"
        )
    [stock] = kernels(machine)
    machine.run(packages.BACKPORTS)
    printed = machine.run(f"{INSTALL} -t trixie-backports linux-image-amd64 linux-headers-amd64")
    [newest] = [kernel for kernel in kernels(machine) if kernel != stock]
    assert (
        f"{newest} has no transport mptcp: its source is not installed "
        "(apt install linux-source-7.3)\n"
    ) in printed
    assert newest not in machine.run("dkms status nvme-mptcp")
    machine.run(f"{INSTALL} linux-source-7.3")
    assert f"{newest}, x86_64: installed" in machine.run("dkms status nvme-mptcp")
    check_modules(machine, newest)
    check_modules(machine, stock)


def test_an_upgrade_keeps_what_cannot_be_built_anew(machine: Machine) -> None:
    """The kernel that runs may be older than the source that is installed."""
    kernel = kernels(machine)[0]
    upgrade = f"dpkg --install {machine.debs['nvme-mptcp-dkms']}"
    machine.run("mv /usr/src/linux-source-6.12.tar.xz /tmp/")
    printed = machine.run(upgrade)
    reason = (
        f"nvme-mptcp-dkms: {kernel} keeps the modules that it has: its source is not installed "
        "(apt install linux-source-6.12)\n"
    )
    assert printed.count(reason) == 1, printed
    assert "has no transport mptcp" not in printed
    check_modules(machine, kernel)
    machine.run(f"mv /tmp/linux-source-6.12.tar.xz /usr/src/ && {COME}")
    assert f"{kernel}, x86_64: installed" in machine.run("dkms status nvme-mptcp")
    check_modules(machine, kernel)
    # what an upgrade left goes with its kernel
    machine.run(f"mv /usr/src/linux-source-6.12.tar.xz /tmp/ && {upgrade}")
    machine.run(f"run-parts --arg={kernel} /etc/kernel/prerm.d")
    machine.run(f"[ ! -e /lib/modules/{kernel}/updates ]")
    machine.run(f"mv /tmp/linux-source-6.12.tar.xz /usr/src/ && {upgrade}")
    check_modules(machine, kernel)


def test_a_rebuild_gives_the_same(machine: Machine) -> None:
    """And Debian's modules are where they were, however often ours come and go."""
    kernel = kernels(machine)[0]
    machine.run(f"dkms uninstall nvme-mptcp/{version(machine)} -k {kernel}")
    assert "/kernel/drivers/" in modinfo(machine, kernel, "nvmet")[0]
    assert changed(machine) == ""
    machine.run(COME)
    check_modules(machine, kernel)


def test_purging_leaves_the_kernels_as_they_were(machine: Machine) -> None:
    machine.run("apt-get -qy purge nvme-mptcp-dkms")
    for kernel in kernels(machine):
        machine.run(f"[ ! -e /lib/modules/{kernel}/updates ]")
        assert "/kernel/drivers/" in modinfo(machine, kernel, "nvmet")[0]
    machine.run("[ ! -e /var/lib/dkms/nvme-mptcp ] && ! ls /usr/src | grep nvme-mptcp")
    machine.run("[ ! -e /etc/kernel/header_postinst.d/nvme-mptcp-dkms ]")
    assert changed(machine) == ""


def test_an_upgrade_from_the_version_before(machine: Machine) -> None:
    """Whether or not that one can build modules for a kernel of today."""
    kernel = kernels(machine)[0]
    earlier = earlier_in(machine)["nvme-mptcp-dkms"]
    machine.run(f"{INSTALL} {earlier}")
    machine.install("nvme-mptcp-dkms")
    check_modules(machine, kernel)
    machine.run("ls -d /usr/src/nvme-mptcp-0.2.0 2>/dev/null", status=2)
    assert "0.2.0" not in machine.run("dkms status nvme-mptcp")
    machine.run("dpkg --purge nvme-mptcp-dkms")
    assert changed(machine) == ""
