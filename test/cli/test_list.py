# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme list and show-topology."""

import pytest


@pytest.fixture
def machine(host):
    """A subsystem with two paths to two namespaces, and one by queue depth."""
    one = host.subsystem(0, "nqn.2025-01.test:one")
    one.controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2")
    one.controller(1, "tcp", "traddr=10.1.2.1,trsvcid=4420")
    one.namespace(1)
    one.namespace(10, "non-optimized", nuse=65536)
    two = host.subsystem(1, "nqn.2025-01.test:two", iopolicy="queue-depth")
    two.controller(2, "loop", None, cntlid=7)
    two.namespace(2, size=1 << 31, **{"queue/logical_block_size": 4096}, metadata_bytes=8)
    return host


def test_empty(nvme):
    result = nvme.ok("list")
    header, rule = result.out.splitlines()
    assert header.split() == [
        "Node", "Generic", "SN", "Model", "Namespace", "Usage", "Format", "FW", "Rev",
    ]  # fmt: skip
    assert [len(dashes) for dashes in rule.split(" ")] == [21, 21, 20, 40, 10, 26, 16, 8]
    assert nvme("list", "-o", "json").out == '{\n  "Devices":[]\n}\n'


@pytest.mark.parametrize(
    ("name", "schema", "args"),
    [
        ("list", "list", ["list"]),
        ("list_v", "list-v", ["list", "-v"]),
        ("showtopology", "show-topology", ["show-topology"]),
        ("showtopology_ns", "show-topology", ["show-topology", "/dev/nvme1n2"]),
    ],
)
def test_golden(nvme, machine, golden, valid, name, schema, args):
    """The rest is compared by test/oracle."""
    text = nvme.ok(*args)
    golden(f"device/{name}.txt", text.out)
    valid(schema, nvme.ok(*args, "-o", "json").json)


def test_topology_by_controller(nvme, machine, golden, valid):
    """2.16 has no JSON of its own for this order."""
    document = nvme("show-topology", "-r", "ctrl", "-o", "json")
    golden("device/showtopology_ctrl.json", document.out)
    valid("show-topology", document.json)


def test_tabular(nvme, machine, valid):
    """The columns follow the I/O policy; namespaces of one controller have some of their own."""
    other = machine.subsystem(2, "nqn.2025-01.test:three", iopolicy="round-robin")
    other.controller(3)
    other.namespace(1)
    local = machine.subsystem(3, "nqn.2025-01.test:local")
    drive = local.controller(4, "pcie", "0000:00:04.0").directory
    (local.directory / local.namespace(1)).rename(drive / "nvme3n1")
    result = nvme("show-topology", "-o", "tabular")
    tables = [text.splitlines() for text in result.out.split("\n\n")[1::2]]
    assert [table[0].split()[4:-4] for table in tables] == [["Nodes"], ["Qdepth"], [], []]
    assert tables[0][3].split()[:6] == ["-->", "1", "nvme0c1n1", "optimized", "0", "nvme1"]
    assert tables[3][0].split()[:3] == ["Namespace", "NSID", "Controller"]
    assert tables[3][2].split() == ["nvme3n1", "1", "nvme4", "pcie", "0000:00:04.0", "live"]
    for more in ((), ("-v",), ("-r", "ctrl")):
        document = valid("show-topology", nvme("show-topology", "-o", "json", *more).json)
        assert "NUMANodes" not in str(document[0]["Subsystems"][2:])


def test_subsystems_without_controllers(nvme, host, valid):
    """In the tables of `list -v` and the JSON of show-topology, as in 2.16."""
    host.subsystem(0, "nqn.a").controller(0)
    host.subsystem(1, "nqn.gone")
    tables = nvme("list", "-v").out.split("\n\n")
    assert tables[0].splitlines()[-1].split() == ["nvme-subsys1", "nqn.gone", "-"]
    assert [line.split()[0] for line in tables[1].splitlines()[2:]] == ["nvme0"]
    shown = valid("show-topology", nvme("show-topology", "-o", "json").json)
    assert shown[0]["Subsystems"] == [
        {"Name": "nvme-subsys0", "NQN": "nqn.a", "Namespaces": []},
        {"Name": "nvme-subsys1", "NQN": "nqn.gone", "Namespaces": []},
    ]
    for command in ("show-topology", "list-subsys"):
        assert "nqn.gone" not in nvme(command).out
    assert "nqn.gone" not in nvme("list-subsys", "-o", "json").out


def test_natural_order(nvme, host):
    subsystem = host.subsystem(0, "nqn.2025-01.test:one")
    subsystem.controller(0)
    for nsid in (10, 9, 1):
        subsystem.namespace(nsid)
    nodes = [d["DevicePath"] for d in nvme("list", "-o", "json").json["Devices"]]
    assert nodes == ["/dev/nvme0n1", "/dev/nvme0n9", "/dev/nvme0n10"]


def test_controllers_are_in_the_order_of_their_names(nvme, host):
    """Whatever the subsystems are that they belong to, as in 2.x."""
    first = host.subsystem(0, "nqn.2025-01.test:one")
    second = host.subsystem(1, "nqn.2025-01.test:two")
    for subsystem, numbers in ((first, (10, 3)), (second, (2, 9))):
        for number in numbers:
            subsystem.controller(number)
    text = nvme("list", "-v").out.split("\n\n")[1]
    found = [line.split()[0] for line in text.splitlines()[2:]]
    assert found == ["nvme2", "nvme3", "nvme9", "nvme10"]


def test_hostile_serial(nvme, host):
    subsystem = host.subsystem(0, "nqn.x", serial="\033[2J", model="\x07")
    subsystem.controller(0, serial="\033[2J", model="\x07")
    subsystem.namespace(1)
    for args in (["list"], ["list", "-v"]):
        assert "\033" not in nvme(*args).out


def test_second_layout(nvme, host, valid):
    """Paths with their controllers below namespaces; controllers where there are no namespaces."""
    shared = host.subsystem(0, "nqn.2025-01.test:shared")
    shared.controller(0, "mptcp")
    shared.controller(1, "mptcp")
    shared.namespace(1)
    host.subsystem(1, "nqn.2025-01.test:none").controller(2, "mptcp")
    document = valid("list-v-2", nvme("list", "-v", "-o", "json", "--output-format-version=2").json)
    first, second = document["Devices"][0]["Subsystems"]
    assert list(first) == ["Subsystem", "SubsystemNQN", "Namespaces"]
    [namespace] = first["Namespaces"]
    paths = [(path["Path"], path["ANAState"], path["Controller"]) for path in namespace["Paths"]]
    assert paths == [("nvme0c0n1", "optimized", "nvme0"), ("nvme0c1n1", "optimized", "nvme1")]
    assert list(second) == ["Subsystem", "SubsystemNQN", "Controllers"]
    [controller] = second["Controllers"]
    assert (controller["Controller"], controller["Namespaces"]) == ("nvme2", [])
    assert "Paths" not in controller


def test_second_layout_is_that_of_v(nvme, host):
    """Elsewhere; text and `list` alone have one layout."""
    host.subsystem(0, "nqn.2025-01.test:one").controller(0, "mptcp")
    for more in ([], ["-v"]):
        text = nvme("list-subsys", *more).out
        assert nvme("list-subsys", *more, "--output-format-version=2").out == text
    plain = nvme("list-subsys", "-o", "json").out
    second = nvme("list-subsys", "-o", "json", "--output-format-version=2").out
    assert second == nvme("list-subsys", "-o", "json", "-v").out != plain
    listed = nvme("list", "-o", "json").out
    assert nvme("list", "-o", "json", "--output-format-version=2").out == listed
