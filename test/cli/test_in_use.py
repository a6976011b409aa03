# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that change a device: what they refuse, what they send then (nothing), and --force."""

import command_table
import golden_cases
import pytest
from device_data import ID_NS
from fake_sysfs import SWAPS

NS, CTRL = "/dev/nvme0n1", "/dev/nvme0"
IMAGE = golden_cases.IMAGE
WRITTEN = ["-s", "0", "-z", "512", "-d", "/dev/zero"]
#: What erases blocks of namespace 1, or all of it, or more: refused while that is in use.
ERASING = {
    "format": [NS, "-l", "1"],
    "delete-ns": [CTRL, "-n", "1"],
    "detach-ns": [CTRL, "-n", "1", "-c", "1"],
    "sanitize": [CTRL, "-a", "2"],
    "write": [NS, "-c", "0", *WRITTEN],
    "write-uncor": [NS, "-s", "1"],
    "write-zeroes": [NS, "-s", "0", "-c", "7"],
    "copy": [NS, "-d", "1", "-s", "8", "-b", "0"],
    "dsm": [NS, "-d", "-s", "0", "-b", "8"],
    "zns reset-zone": [NS, "-a"],
    "zns finish-zone": [NS, "-a"],
    "zns offline-zone": [NS, "-s", "0"],
    "zns zone-mgmt-send": [NS, "-z", "4", "-a"],
    "zns zone-append": [NS, *WRITTEN],
}
#: What changes a device otherwise: refused for a partition and for what is no NVMe device.
CHANGING = {
    "create-ns": ["-s", "1", "-c", "1", "-f", "0"],
    "attach-ns": ["-n", "1", "-c", "1"],
    "fw-download": ["-f", IMAGE],
    "fw-commit": ["-s", "1"],
    "device-self-test": ["-s", "1", "-n", "1"],
    "capacity-mgmt": ["-O", "0"],
    "virt-mgmt": ["-c", "1", "-a", "8"],
    "lockdown": [],
    "dir-send": ["-D", "1", "-O", "1", "-n", "1"],
    "security-send": ["-f", IMAGE, "-t", "16"],
    "rpmb": ["-c", "read-counter"],
    "nvme-mi-send": ["-O", "1"],
    "io-mgmt-send": ["-m", "1", "-n", "1"],
    "resv-register": ["-n", "1"],
    "resv-acquire": ["-n", "1"],
    "resv-release": ["-n", "1"],
    "set-feature": ["-f", "7", "-V", "1"],
    "set-property": ["-O", "0x14", "-V", "0x460001"],
    "set-reg": ["--cc", "0x460001"],
    "zns close-zone": ["-n", "1", "-a"],
    "zns open-zone": ["-n", "1", "-a"],
    "zns set-zone-desc": ["-n", "1", "-s", "0", "-d", IMAGE],
    "zns zrwa-flush-zone": ["-n", "1", "-l", "1"],
    "fdp update": ["-n", "1", "-p", "1"],
    "fdp set-events": ["-n", "1", "-t", "1"],
    "fdp feature": ["-e", "1", "-c", "1"],
}
#: What changes nothing that is stored, or is there to send anything, by its heading.
HARMLESS = {
    "Fabrics": "connects, and writes nothing to a namespace",
    "Listing": "reads",
    "Identify": "reads",
    "Log pages": "reads",
    "Keys": "concerns no device",
    "General": "concerns no device",
    "Features and properties": {"get-feature", "get-property", "show-regs", "get-reg"},
    "Logical blocks": {"flush", "read", "compare", "verify", "get-lba-status", "io-mgmt-recv"},
    "Reservations": {"resv-report"},
    "Namespaces, firmware and resources": {"dir-receive", "security-recv", "nvme-mi-recv"},
    # The last two send what is given, as it is given: that is what they are for.
    "Controllers": {"reset", "subsystem-reset", "ns-rescan", "admin-passthru", "io-passthru"},
    "zns": {"list", "id-ctrl", "id-ns", "report-zones", "changed-zone-list", "zone-mgmt-recv"},
    "fdp": {"configs", "usage", "stats", "events", "status"},
}


def in_table():
    """Every command with its heading, or its plugin."""
    table = command_table.dump()
    for group in table["groups"]:
        for command in group["commands"]:
            yield group["title"], command["name"], command["name"]
    for plugin in table["plugins"]:
        for command in plugin["commands"]:
            yield plugin["name"], command["name"], f"{plugin['name']} {command['name']}"


def test_no_command_is_forgotten():
    """Each is known to erase, to change or to do neither, and is one of them."""
    own = {"mptcp", "nbft"}  # of these no command is for a device
    for heading, name, words in in_table():
        harmless = HARMLESS.get(heading, set())
        is_harmless = heading in own or isinstance(harmless, str) or name in harmless
        assert [words in ERASING, words in CHANGING, is_harmless].count(True) == 1, words


@pytest.fixture
def machine(host):
    """A controller with two namespaces, the first of which has two partitions."""
    golden_cases.answering(host)
    subsystem = host.sys / "class/nvme-subsystem/nvme-subsys0"
    head = subsystem.resolve() / "nvme0n2"
    head.mkdir()
    (head / "nsid").write_text("2\n")
    (host.sys / "block/nvme0n2").symlink_to(head)
    host.block_device(head)
    host.partition("nvme0n1", 1)
    host.partition("nvme0n1", 2)
    host.generic("ng0n1")
    for name in ("nvme0", "nvme0n1", "ng0n1"):
        host.command(name, "admin", 0x06, 0x00, ID_NS)
    return host


def number(host, name):
    """The number of a block device."""
    return (host.sys / "class/block" / name / "dev").read_text().strip()


def mount(host, device, point, source="/dev/x", fstype="ext4"):
    """Mounts something with this number."""
    with host.mountinfo.open("a") as file:
        file.write(f"36 35 {device} / {point} rw,noatime shared:1 - {fstype} {source} rw\n")


@pytest.mark.parametrize("name", ERASING)
def test_unused(nvme, machine, name):
    mount(machine, "8:1", "/")
    assert nvme(*name.split(), *ERASING[name]).status == 0
    assert len(machine.written) > 0


def mounted(machine, device):
    mount(machine, number(machine, device), "/srv/with\\040blank")


def mounted_with_numbers_of_its_own(machine, device):
    mount(machine, "0:44", "/srv/with\\040blank", f"/dev/{device}", "btrfs")


def swap(machine, device):
    machine.swaps.write_text(f"{SWAPS}/dev/{device} partition\t8388604\t0\t-2\n")


def held(machine, device):
    for holder in ("dm-3", "md127"):
        (machine.sys / "class/block" / device / "holders" / holder).mkdir()


def claimed(machine, device):
    (machine.fake / f"{device}.claimed").write_text("")


#: How a device comes to be in use, and what the message says then.
USES = {
    mounted: "mounted on /srv/with blank (unmount it, or use --force)",
    mounted_with_numbers_of_its_own: "mounted on /srv/with blank (unmount it, or use --force)",
    swap: "it holds swap (run swapoff, or use --force)",
    held: "held by dm-3 md127 (remove the holder, or use --force)",
    claimed: "claimed by the kernel or another program (release it there, or use --force)",
}


@pytest.mark.parametrize("name", ERASING)
@pytest.mark.parametrize(
    ("use", "device"),
    [(mounted, "nvme0n1"), (mounted, "nvme0n1p2"), (mounted_with_numbers_of_its_own, "nvme0n1p1"),
     (swap, "nvme0n1p1"), (held, "nvme0n1"), (held, "nvme0n1p2"), (claimed, "nvme0n1")],
)  # fmt: skip
def test_in_use(nvme, machine, name, use, device):
    use(machine, device)
    result = nvme(*name.split(), *ERASING[name])
    said = f"{device} is in use: {USES[use]}\n"
    assert (result.status, result.out, result.err, machine.written) == (1, "", said, [])


@pytest.mark.parametrize("name", ERASING)
def test_mounts_are_not_known(nvme, machine, name):
    machine.mountinfo.unlink()
    said = nvme.error(*name.split(), *ERASING[name])
    assert "--force is required: /proc/self/mountinfo: No such file" in said
    assert machine.written == []


@pytest.mark.parametrize("name", ERASING)
@pytest.mark.parametrize("what", ["mountinfo", "swaps"])
def test_lists_that_break_off(nvme, machine, name, what):
    """What ends with an error is not what ends."""
    file = getattr(machine, what)
    file.unlink()
    file.mkdir()
    said = nvme.error(*name.split(), *ERASING[name])
    assert ": cannot determine what " in said
    assert ", so --force is required: /proc/" in said
    assert "Is a directory" in said
    assert machine.written == []


@pytest.mark.parametrize("name", ERASING)
def test_nobody_knows_whether_it_is_claimed(nvme, machine, name):
    """Another error than that somebody has it is no permission."""
    (machine.fake / "nvme0n1.claimed").write_text("24")
    said = nvme.error(*name.split(), *ERASING[name])
    assert "so --force is required: /dev/nvme0n1: Too many open files" in said
    assert machine.written == []


@pytest.mark.parametrize("name", ERASING)
def test_without_swap_support(nvme, machine, name):
    machine.swaps.unlink()
    assert nvme(*name.split(), *ERASING[name]).status == 0


@pytest.mark.parametrize("name", ERASING)
def test_force(nvme, machine, name):
    for use in USES:
        use(machine, "nvme0n1")
    assert nvme(*name.split(), *ERASING[name], "--force").status == 0
    assert len(machine.written) > 0


#: What changes a device or erases it, with what stands behind the device; --force is no way out.
REFUSED = [
    *((name, options) for name, options in CHANGING.items()),
    *((name, [*options, *more]) for name, (_, *options) in ERASING.items()
      for more in ([], ["--force"])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), REFUSED)
def test_partitions(nvme, machine, name, options):
    """Linux passes root's commands on: they would reach the whole namespace, or its controller."""
    result = nvme(*name.split(), "/dev/nvme0n1p2", *options)
    said = f"is a partition, but {name} needs the whole namespace: use /dev/nvme0n1"
    assert (result.status, result.err) == (1, f"/dev/nvme0n1p2 {said}\n")
    assert machine.written == []


def test_hints_about_blocks_of_partitions(nvme, machine):
    """Without deallocation nothing is lost, but the blocks are others than the partition's."""
    result = nvme("dsm", "/dev/nvme0n1p2", "-w", "-s", "0", "-b", "8")
    said = "is a partition, but dsm needs the whole namespace: use /dev/nvme0n1"
    assert (result.status, result.err) == (1, f"/dev/nvme0n1p2 {said}\n")
    mount(machine, number(machine, "nvme0n1"), "/srv")
    assert nvme("dsm", NS, "-w", "-s", "0", "-b", "8").status == 0


@pytest.mark.parametrize("name", ["write", "write-zeroes", "dsm", "zns zone-append"])
@pytest.mark.parametrize("device", [[CTRL, "-n", "1"], ["/dev/ng0n1"]])
def test_other_ways_to_the_blocks(nvme, machine, name, device):
    """The kernel refuses nobody the controller, or the generic device of a namespace in use."""
    mount(machine, number(machine, "nvme0n1"), "/srv")
    result = nvme(*name.split(), *device, *ERASING[name][1:])
    words = "nvme0n1 is in use: mounted on /srv (unmount it, or use --force)\n"
    assert (result.status, result.err, machine.written) == (1, words, [])


@pytest.mark.parametrize(("name", "options"), REFUSED)
def test_device_of_another_driver(nvme, machine, name, options):
    """A device nvme7 that is none: its driver would take the command, for all that is known."""
    other = machine.sys / "devices/virtual/block/sda"
    other.mkdir(parents=True)
    machine.block_device(other)
    (machine.fake / "nvme7").mkdir()
    (machine.sys / "class/nvme/nvme7").symlink_to(other)
    (machine.sys / "dev/char" / number(machine, "sda")).symlink_to(other)
    result = nvme(*name.split(), "/dev/nvme7", *options)
    said = "/dev/nvme7 is not an NVMe device (nvme list prints them)\n"
    assert (result.status, result.err, machine.written) == (1, said, [])


@pytest.mark.parametrize("name", ERASING)
def test_device_that_sysfs_lacks(nvme, machine, name):
    (machine.fake / "nvme9").mkdir()
    _, *options = ERASING[name]
    result = nvme(*name.split(), "/dev/nvme9", *options)
    said = "not found in /sys: cannot check whether it is an NVMe device and in use"
    assert (result.status, result.err) == (1, f"/dev/nvme9: {said} (is /sys mounted?)\n")
    assert machine.written == []


def test_other_namespaces_do_not_matter(nvme, machine):
    mount(machine, number(machine, "nvme0n2"), "/srv")
    for name in ("format", "delete-ns", "detach-ns"):
        assert nvme(*name.split(), *ERASING[name]).status == 0


def test_all_namespaces_matter(nvme, machine):
    mount(machine, number(machine, "nvme0n2"), "/srv")
    words = "nvme0n2 is in use: mounted on /srv (unmount it, or use --force)\n"
    for name, *args in (
        ("sanitize", CTRL, "-a", "4"),
        ("sanitize", NS, "-a", "4"),
        ("delete-ns", CTRL, "-n", "0xffffffff"),
        ("format", CTRL, "-n", "0xffffffff"),
        ("format", CTRL, "-n", "2"),
    ):
        result = nvme(name, *args)
        assert (result.status, result.err) == (1, words), (name, args)
    assert machine.written == []


@pytest.mark.parametrize("action", ["exit-failure", "exit-media-verification"])
def test_sanitize_that_erases_nothing(nvme, machine, action):
    mount(machine, number(machine, "nvme0n2"), "/srv")
    assert nvme("sanitize", CTRL, "-a", action).status == 0


@pytest.mark.parametrize(("fna", "more"), [(1, []), (2, ["-s", "1"])])
def test_format_that_reaches_all(nvme, machine, fna, more):
    """The controller formats or erases all namespaces whatever it is asked for."""
    identify = bytearray((machine.fake / "nvme0/admin-06-01").read_bytes())
    identify[524] = fna
    for device in ("nvme0", "nvme0n1"):
        (machine.fake / device / "admin-06-01").write_bytes(identify)
    mount(machine, number(machine, "nvme0n2"), "/srv")
    said = nvme.error("format", NS, *more)
    assert said == "nvme0n2 is in use: mounted on /srv (unmount it, or use --force)\n"
    assert all("opcode=06" in line for line in machine.written)


def test_pause_of_format(nvme, machine):
    result = nvme("format", NS, "-l", "1", status=0)
    assert result.err == (
        "You are about to format nvme0n1, namespace 0x1.\n"
        "nvme0n1 nvme0n1p1 nvme0n1p2\n"
        "WARNING: Format may irrevocably delete this device's data.\n"
        "You have 10 seconds to press Ctrl-C to cancel this operation.\n\n"
        "Use the force [--force] option to suppress this warning.\n"
        "Sending format operation ...\n"
    )
    assert (machine.fake / "slept").read_text().split() == ["1"] * 10


def test_no_pause_with_force(nvme, machine):
    nvme.ok("format", NS, "-l", "1", "--force")
    assert (machine.fake / "slept").read_text() == ""


@pytest.mark.parametrize("name", ERASING)
def test_errors_in_json(nvme, machine, valid, name):
    mount(machine, number(machine, "nvme0n1"), "/srv")
    result = nvme(*name.split(), *ERASING[name], "--output-format=json")
    assert (result.status, result.err) == (1, "")
    valid("error", result.json)
    assert machine.written == []


def test_ten_thousand_mounts(nvme, machine):
    for i in range(10000):
        mount(machine, f"8:{i}", f"/{i}")
    assert nvme("delete-ns", CTRL, "-n", "1").status == 0
