# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects of libnvme.nvme as scripts use them: in sets, dicts and JSON, with addresses."""

import json

import pytest
from conftest import TOP, Python
from fake_sysfs import HOSTID, HOSTNQN, FakeHost

NQN = "nqn.2025-01.test:one"
NBFT = TOP / "test/fuzz/corpus/nbft/good"
SECRET = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"


@pytest.fixture(autouse=True)
def machine(host: FakeHost) -> FakeHost:
    """A subsystem with two controllers and a namespace."""
    one = host.subsystem(0, NQN)
    one.controller(
        0,
        "mptcp",
        "traddr=10.1.1.1,trsvcid=4420,host_traddr=10.1.1.2,host_iface=eth1",
        ctrl_loss_tmo="off",
        reconnect_delay=2,
        fast_io_fail_tmo=7,
        kato=5,
        sqsize=63,
        dhchap_secret=SECRET,
    )
    one.controller(1, "tcp", "traddr=fd00::1,trsvcid=4421", numa_node=1, ctrl_loss_tmo=60)
    one.namespace(1, size=2048, nuse=3, uuid=None, **{"queue/logical_block_size": 4096})
    return host


OBJECTS = """
    root = nvme.root()
    host = next(root.hosts())
    subsystem = next(host.subsystems())
    first, second = subsystem.controllers()
    ctrl = first
    ns = next(subsystem.namespaces())
    path = next(first.paths())
"""


@pytest.fixture
def python(host: FakeHost) -> Python:
    return Python(host, OBJECTS)


def test_repr(python: Python) -> None:
    out = python("""
    for thing in (root, host, subsystem, first, second, ns, path):
        print(repr(thing))
    print([nvme.ctrl(root, "nqn.2", "tcp", traddr="10.1.1.1", trsvcid="1")])
    root.refresh_topology()
    print(repr(first))
    """)
    assert out.splitlines() == [
        "<libnvme.nvme.root>",
        f"<libnvme.nvme.host {HOSTNQN} {HOSTID}>",
        f"<libnvme.nvme.subsystem nvme-subsys0 {NQN}>",
        f"<libnvme.nvme.ctrl nvme0 (live) {NQN} mptcp "
        "traddr=10.1.1.1,trsvcid=4420,host_traddr=10.1.1.2,host_iface=eth1>",
        f"<libnvme.nvme.ctrl nvme1 (live) {NQN} tcp traddr=fd00::1,trsvcid=4421>",
        f"<libnvme.nvme.ns nvme0n1 1 {NQN}>",
        f"<libnvme.nvme.path nvme0c0n1 optimized {NQN}>",
        "[<libnvme.nvme.ctrl not connected nqn.2 tcp traddr=10.1.1.1,trsvcid=1>]",
        "<libnvme.nvme.ctrl (this ctrl belongs to a tree that has been refreshed; "
        "look it up again from its root)>",
    ]


def test_equality(python: Python) -> None:
    out = python("""
    def everything(root):
        for host in root.hosts():
            yield host
            for subsystem in host.subsystems():
                yield from (subsystem, *subsystem.controllers(), *subsystem.namespaces())
                for ctrl in subsystem.controllers():
                    yield from ctrl.paths()

    one, two = list(everything(root)), list(everything(nvme.root()))
    print(len(one), one == two, len({*one, *two}), any(a is b for a in one for b in two))
    print(first == second, first != second, first == "nvme0", root == nvme.root(), root == root)
    print(path.ctrl == first, path.ns == ns, ns.subsystem == first.subsystem == subsystem)
    """)
    assert out.splitlines() == ["7 True 7 False", "False True False False True", "True True True"]


def test_sets_keep_what_they_have(python: Python, host: FakeHost) -> None:
    """A controller is found again after connecting, disconnecting and a new scan."""
    host.answer_connected(host.subsystem(1, NQN + "2").controller(2, "tcp", connected=False))
    out = python("""
    fresh = nvme.ctrl(root, "nqn.2025-01.test:one2", "tcp", traddr="10.1.1.1")
    twin = nvme.ctrl(root, "nqn.2025-01.test:one2", "tcp", traddr="10.1.1.1")
    print(fresh == twin, len({fresh, twin}))
    kept = {fresh: 1, second: 2}
    fresh.connect(host)
    print(kept[fresh])
    fresh.disconnect()
    print(kept[fresh])
    before = {first, second}
    first.disconnect()
    root.refresh_topology()
    now = [c for h in root.hosts() for s in h.subsystems() for c in s.controllers()]
    print(len(before), second in kept, [c.name for c in now if c in before])
    """)
    assert out.splitlines() == ["False 2", "1", "1", "2 True ['nvme1']"]


def test_stale_objects_do_not_compare(python: Python) -> None:
    """An object that was never hashed cannot tell what it denoted: no wrong answer is given."""
    out = python("""
    hash(second)
    root.refresh_topology()
    again = list(next(next(root.hosts()).subsystems()).controllers())
    print(second == again[1], second == again[0])
    attempt(lambda: first == again[0])
    """)
    same, raised = out.splitlines()
    assert same == "True False" and raised.startswith("ReferenceError ")


def test_numbers(python: Python) -> None:
    """Numbers have properties of their own; those of libnvme 1.x stay text."""
    out = python("""
    for ctrl in (first, second, nvme.ctrl(root, "nqn.2", "tcp", traddr="10.1.1.1")):
        print(ctrl.port, ctrl.queues, ctrl.queue_size, ctrl.controller_id, ctrl.node)
        print(ctrl.trsvcid, ctrl.queue_count, ctrl.sqsize, ctrl.cntlid, ctrl.numa_node)
    print([type(v).__name__ for v in (first.trsvcid, first.queue_count, first.port)])
    """)
    assert out.splitlines() == [
        "4420 5 64 1 None",
        "4420 5 63 1 -1",
        "4421 5 128 2 1",
        "4421 5 127 2 1",
        "None None None None None",
        "None None None None None",
        "['str', 'str', 'int']",
    ]


def test_namespaces(python: Python, host: FakeHost) -> None:
    """Size and use in bytes; None where the kernel tells nothing."""
    host.subsystem(1, NQN + "2").namespace(1, size=None)
    out = python("""
    print(ns.size, ns.block_size, ns.used, ns.subsystem.name, ns.sysfs_dir.endswith("/nvme0n1"))
    other = next(list(host.subsystems())[1].namespaces())
    print(other.size, other.block_size, other.used)
    """)
    assert out.splitlines() == [f"{2048 * 512} 4096 {3 * 4096} nvme-subsys0 True", "None None None"]


def test_documents(python: Python) -> None:
    """dict() has the properties with their values, to_dict() and to_json() also what is below."""
    out = python("""
    import json
    first.dhchap_key = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
    for thing in (root, host, subsystem, first, ns, path):
        assert all(getattr(thing, key) == value for key, value in dict(thing).items())
        assert json.loads(thing.to_json()) == thing.to_dict()
        assert "DHHC" not in thing.to_json() + repr(dict(thing)) + repr(thing)
    attempt(lambda: first["dhchap_key"], lambda: first["nosuch"], lambda: first[0])
    print(dict(ns)["nguid"])
    print(root.to_json(indent=2))
    """)
    lines = out.splitlines()
    assert lines[:3] == ["KeyError 'dhchap_key'", "KeyError 'nosuch'", "KeyError 0"]
    assert lines[3] == repr(bytes(15) + b"\1")
    tree = json.loads("\n".join(lines[4:]))
    [below] = tree["hosts"]
    [subsystem] = below["subsystems"]
    assert [ctrl["name"] for ctrl in subsystem["controllers"]] == ["nvme0", "nvme1"]
    assert subsystem["controllers"][0]["port"] == 4420
    assert subsystem["controllers"][0]["paths"][0]["ana_state"] == "optimized"
    [ns] = subsystem["namespaces"]
    assert (ns["uuid"], ns["nguid"], ns["size"]) == (None, "00" * 15 + "01", 1048576)


def test_addresses_and_paths(python: Python, host: FakeHost) -> None:
    """Objects of ipaddress and pathlib are taken for addresses and paths, numbers as ports."""
    host.answer_error(111)
    config = host.root / "config.json"
    config.write_text('[{"hostnqn": "nqn.2025-01.test:configured"}]')
    out = python(f"""
        from ipaddress import ip_address
        from pathlib import Path
        root = nvme.root(Path({str(config)!r}))
        print([h.hostnqn for h in root.hosts()][-1], root.config_file == {str(config)!r})
        print(len(nvme.nbft_get(Path({str(NBFT)!r}))))
        ctrl = nvme.ctrl(
            root, "nqn.2", "mptcp", ip_address("fd00::1"), ip_address("fd00::2"), trsvcid=8009
        )
        print(ctrl.traddr, ctrl.host_traddr, ctrl.trsvcid, ctrl.port)
        try:
            ctrl.connect(nvme.host(root), {{"host_traddr": ip_address("fd00::3")}})
        except nvme.Error as error:
            print(error.errno)
        for bad in (True, 5.0, b"4420"):
            attempt(lambda: nvme.ctrl(root, "nqn.2", "tcp", "10.1.1.1", trsvcid=bad))
    """)
    lines = out.splitlines()
    assert lines[0] == "nqn.2025-01.test:configured True"
    assert lines[1] == "4"
    assert lines[2] == "fd00::1 fd00::2 8009 8009"
    assert lines[4:] == [
        f"TypeError new_ctrl: argument 'trsvcid' must be str, not {kind}"
        for kind in ("bool", "float", "bytes")
    ]
    assert "traddr=fd00::1,host_traddr=fd00::2,trsvcid=8009" in host.connects[0]


def test_options(python: Python) -> None:
    """A connection's options, as connect() takes them; what the kernel shows now is what counts."""
    out = python("""
    import json
    print(json.dumps([first.options(), second.options()]))
    print(nvme.ctrl(root, "nqn.2", "tcp", "10.1.1.1", host_iface="eth0").options())
    """)
    first, second = json.loads(out.splitlines()[0])
    assert first == {
        "host_traddr": "10.1.1.2",
        "host_iface": "eth1",
        "ctrl_loss_tmo": -1,
        "reconnect_delay": 2,
        "fast_io_fail_tmo": 7,
        "keep_alive_tmo": 5,
        "nr_io_queues": 4,
        "queue_size": 64,
    }
    assert second == {"ctrl_loss_tmo": 60, "nr_io_queues": 4, "queue_size": 128}
    assert out.splitlines()[1] == "{'host_iface': 'eth0'}"


def test_reconnecting_keeps_options(python: Python, host: FakeHost) -> None:
    """What was asked for is known of a controller that this program connected, digests included."""
    made = host.subsystem(1, NQN + "2").controller(
        2, "mptcp", connected=False, ctrl_loss_tmo=60, kato=9, queue_count=6
    )
    host.answer_connected(made)
    host.answer_error(111)
    python("""
        root = nvme.root()
        ctrl = nvme.ctrl(root, "nqn.2025-01.test:one2", "mptcp", "10.1.1.1")
        ctrl.connect(nvme.host(root), {"hdr_digest": True, "nr_poll_queues": 2, "tos": 8})
        options = ctrl.options()
        ctrl.disconnect()
        again = nvme.ctrl(root, "nqn.2025-01.test:one2", "mptcp", "10.1.1.1")
        try:
            again.connect(nvme.host(root), options)
        except nvme.Error:
            pass
    """)
    line = host.connects[1].split(",")
    for option in (
        "hdr_digest", "nr_poll_queues=2", "nr_io_queues=3", "tos=8", "ctrl_loss_tmo=60",
        "keep_alive_tmo=9", "queue_size=128",
    ):  # fmt: skip
        assert option in line, option


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"tls_key": "0a0b0c0d"}, {"tls": True, "tls_key": 0x0A0B0C0D}),
        ({"tls_key": "0a0b0c0d", "tls_mode": "tls"}, {"tls": True, "tls_key": 0x0A0B0C0D}),
        ({"tls_key": "0a0b0c0d", "tls_mode": "concat"}, {"concat": True}),
        ({}, {}),
    ],
)
def test_options_keep_tls(
    python: Python, host: FakeHost, attributes: dict[str, object], expected: dict[str, object]
) -> None:
    host.subsystem(1, NQN + "2").controller(2, "tcp", **attributes)
    out = python("""
    import json
    print(json.dumps(next(list(host.subsystems())[1].controllers()).options()))
    """)
    found = json.loads(out)
    assert {key: found[key] for key in found if key in ("tls", "concat", "tls_key")} == expected


def test_reset(python: Python, host: FakeHost) -> None:
    out = python("""
    first.reset()
    attempt(nvme.ctrl(root, "nqn.2", "tcp", "10.1.1.1").reset)
    """)
    assert out == "AttributeError No controller connection\n"
    assert "reset" in " ".join(host.written)


def test_a_configuration_that_others_changed(python: Python, host: FakeHost) -> None:
    """It is not overwritten: the change of the other program would be lost."""
    config = host.root / "config.json"
    config.write_text('[{"hostnqn": "nqn.2025-01.test:one"}, {"hostnqn": "nqn.2025-01.test:two"}]')
    out = python(f"""
        import errno
        from pathlib import Path
        def changed(name):
            root = nvme.root({str(config)!r})
            nvme.host(root, f"nqn.2025-01.test:{{name}}").dhchap_key = f"DHHC-1:00:{{name}}:"
            return root
        root, other = changed("one"), changed("two")
        root.log_level("crit")
        other.update_config()
        try:
            root.update_config()
        except nvme.Error as error:
            print(error.errno == errno.ESTALE, {str(config)!r} in str(error))
        changed("one").update_config()
        late, text = changed("two"), Path({str(config)!r}).read_text()
        Path({str(config)!r}).unlink()
        late.log_level("crit")
        attempt(late.update_config)
        Path({str(config)!r}).write_text(text)
    """)
    same, gone = out.splitlines()
    assert same == "True True" and gone.startswith("Error ") and "nqn" not in gone
    keys = {h["hostnqn"]: h.get("dhchap_key") for h in json.loads(config.read_text())}
    assert keys["nqn.2025-01.test:one"] == "DHHC-1:00:one:"
    assert keys["nqn.2025-01.test:two"] == "DHHC-1:00:two:"
