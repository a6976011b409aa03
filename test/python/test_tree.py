# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hosts, subsystems, controllers and namespaces as Python sees them."""

import errno

import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

NQN = "nqn.2025-01.test:one"


def populate(host):
    """Two subsystems: one with two mptcp controllers and a namespace, one with a tcp controller."""
    one = host.subsystem(0, NQN)
    one.controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2")
    one.controller(1, "mptcp", "traddr=10.1.2.1,trsvcid=4420,src_addr=10.1.2.2")
    one.namespace(1)
    host.subsystem(1, NQN + "2").controller(2, "tcp", "traddr=10.1.1.1,trsvcid=4421")


def test_lists_hosts_subsystems_and_controllers(python, host):
    populate(host)
    out = python("""
        for host in nvme.root().hosts():
            print(host.hostnqn, host.hostid)
            for subsystem in host.subsystems():
                print(subsystem.name, subsystem.subsysnqn, subsystem.iopolicy)
                for ctrl in subsystem.controllers():
                    print(ctrl.name, ctrl.transport, ctrl.traddr, ctrl.trsvcid, ctrl.state)
                for ns in subsystem.namespaces():
                    print(ns.name, ns.nsid, ns.uuid.hex())
    """)
    assert out.splitlines() == [
        f"{HOSTNQN} {HOSTID}",
        f"nvme-subsys0 {NQN} numa",
        "nvme0 mptcp 10.1.1.1 4420 live",
        "nvme1 mptcp 10.1.2.1 4420 live",
        "nvme0n1 1 00000000000000000000000000000001",
        f"nvme-subsys1 {NQN}2 numa",
        "nvme2 tcp 10.1.1.1 4421 live",
    ]


def test_empty_machine(python):
    assert python("print(list(nvme.root().hosts()))") == "[]\n"


def test_raw_iterators_by_keyword(python, host):
    """The keywords of libnvme 1.x are the names in its header."""
    populate(host)
    out = python("""
        root = nvme.root()
        h = nvme.nvme_first_host(r=root)
        print(h.hostnqn, nvme.nvme_next_host(r=root, h=h))
        s = nvme.nvme_first_subsystem(h=h)
        print(s.name, nvme.nvme_next_subsystem(h=h, s=s).name)
        c = nvme.nvme_subsystem_first_ctrl(s=s)
        print(c.name, nvme.nvme_subsystem_next_ctrl(s=s, c=c).name)
        n = nvme.nvme_subsystem_first_ns(s=s)
        print(n.name, nvme.nvme_subsystem_next_ns(s=s, n=n))
        print(nvme.nvme_ctrl_first_ns(c=c), nvme.nvme_ctrl_next_ns(c=c, n=n))
    """)
    assert out.splitlines() == [
        f"{HOSTNQN} None",
        "nvme-subsys0 nvme-subsys1",
        "nvme0 nvme1",
        "nvme0n1 None",
        "None None",
    ]


def test_objects_outlive_every_order_of_collection(python, host):
    populate(host)
    out = python("""
        import gc
        import itertools

        def objects():
            root = nvme.root()
            host = next(root.hosts())
            subsystem = next(host.subsystems())
            ctrl = next(subsystem.controllers())
            return [root, host, subsystem, ctrl, next(subsystem.namespaces())]

        for order in itertools.permutations(range(5)):
            kept = objects()
            for index in order[:4]:
                kept[index] = None
                gc.collect(0)
            print(str(kept[order[4]])[:5])
    """)
    assert len(out.splitlines()) == 120
    assert set(out.splitlines()) == {"<libn", "nvme.", "nvme_"}


def test_refresh_makes_old_objects_raise(python, host):
    populate(host)
    out = python("""
        root = nvme.root()
        host = next(root.hosts())
        ctrl = next(next(host.subsystems()).controllers())
        root.refresh_topology()
        attempt(lambda: host.hostnqn, lambda: ctrl.state, lambda: list(host.subsystems()))
        print(next(root.hosts()).hostnqn)
    """)
    lines = out.splitlines()
    stale = [line.split(" belongs")[0] for line in lines[:3]]
    assert stale == [f"ReferenceError this {kind}" for kind in ("host", "ctrl", "host")]
    assert lines[3] == HOSTNQN


def test_unknown_attributes_and_read_only_ones_raise(python, host):
    populate(host)
    out = python("""
        root = nvme.root()
        ctrl = next(next(next(root.hosts()).subsystems()).controllers())
        for name, value in (("persistant", True), ("state", "dead"), ("transport", "tcp")):
            attempt(lambda: setattr(ctrl, name, value))
        ctrl.persistent = True
        print(ctrl.persistent)
    """)
    *refused, last = out.splitlines()
    assert [line.split()[0] for line in refused] == ["AttributeError"] * 3
    assert last == "True"


def test_wrong_types_name_the_argument(python):
    out = python("""
        root = nvme.root()
        host = nvme.host(root)
        ctrl = nvme.ctrl(root, "nqn", "tcp", traddr="10.1.1.1")
        attempt(
            lambda: nvme.host(root, hostnqn=5),
            lambda: nvme.ctrl(root, "nqn", "tcp", traddr=b"10.1.1.1"),
            lambda: nvme.host(root, "nqn\\0x"),
            lambda: nvme.host(root, "nqn\\udcff"),
            lambda: nvme.host("root"),
            lambda: nvme.host(None),
            lambda: nvme.nvme_next_host(root, h=5),
            lambda: ctrl.connect(root),
            lambda: ctrl.init(host, "0"),
            lambda: ctrl.discover(lsp="0"),
            lambda: ctrl.discover(lsp=1 << 40),
            lambda: ctrl.discover(lsp=128),
            lambda: ctrl.supported_log_pages(rae=1),
            lambda: setattr(ctrl, "persistent", 1),
            lambda: setattr(host, "dhchap_key", b"DHHC-1"),
            lambda: nvme.ns(nvme.subsystem(host, "nqn"), nsid=-1),
            lambda: nvme.nbft_get(None),
            lambda: root.log_level(5),
        )
    """)
    assert out.splitlines() == [
        "TypeError new_host: argument 'hostnqn' must be str, not int",
        "TypeError new_ctrl: argument 'traddr' must be str, not bytes",
        "ValueError new_host: argument 'hostnqn' holds a null character",
        "ValueError new_host: argument 'hostnqn' holds a lone surrogate",
        "TypeError new_host: argument 'r' must be nvme.root, not str",
        "TypeError new_host: argument 'r' must be nvme.root, not NoneType",
        "TypeError nvme_next_host: argument 'h' must be nvme.host, not int",
        "TypeError ctrl__connect: argument 'h' must be nvme.host, not root",
        "TypeError ctrl_init: argument 'instance' must be int, not str",
        "TypeError ctrl__discovery_log: argument 'lsp' must be int, not str",
        "OverflowError ctrl__discovery_log: argument 'lsp' is out of range: 1099511627776",
        "ValueError discover: argument 'lsp' is 128, not 0 to 127",
        "TypeError ctrl__supported_log_pages: argument 'rae' must be bool, not int",
        "TypeError ctrl_persistent_set: argument 'persistent' must be bool, not int",
        "TypeError host_dhchap_key_set: argument 'dhchap_key' must be str, not bytes",
        "OverflowError new_ns: argument 'nsid' is out of range: -1",
        "TypeError nbft_get: argument 'filename' must be str",
        "TypeError log_level: argument 'level' must be str, not int",
    ]


def test_nothing_odd_reaches_the_kernel(python, host):
    """Text that is no ASCII, control characters, commas and over-long values are refused."""
    out = python("""
        root = nvme.root()
        root.log_level("crit")
        good = {"subsysnqn": "nqn.2025-01.test:one", "transport": "mptcp", "traddr": "10.1.1.1"}
        for name, value in (
            ("subsysnqn", "nqn.2025-01.test:\u00e9"),
            ("subsysnqn", "nqn." + "x" * 220),
            ("subsysnqn", "nqn.2025-01.test,hostnqn=evil"),
            ("traddr", "10.1.1.1\\n"),
            ("traddr", "1" * 300),
            ("trsvcid", "4420,nqn=evil"),
            ("host_iface", "eth\u00e9"),
            ("host_traddr", "x" * 300),
        ):
            attempt(lambda: nvme.ctrl(root, **good | {name: value}).connect(nvme.host(root)))
        for key, value in (("host_iface", "a,b"), ("host_traddr", "\u00e9")):
            attempt(lambda: nvme.ctrl(root, **good).connect(nvme.host(root), {key: value}))
    """)
    assert [line.split()[0] for line in out.splitlines()] == [
        "ValueError", *["Error"] * 5, "ValueError", "Error", "Error", "ValueError",
    ]  # fmt: skip
    assert host.connects == []


def test_connect_and_disconnect(python, host):
    controller = host.subsystem(0, NQN).controller(0, "mptcp", connected=False)
    host.answer_connected(controller)
    out = python(f"""
        root = nvme.root()
        host = nvme.host(root)
        ctrl = nvme.ctrl(root, "{NQN}", "mptcp", traddr="10.1.1.1", trsvcid="4420")
        print(ctrl.connected(), ctrl.name)
        ctrl.connect(host, {{"queue_size": 64, "host_iface": "eth1", "hdr_digest": True}})
        print(ctrl.connected(), ctrl.name, ctrl.state)
        attempt(lambda: ctrl.connect(host))
        del root, host
        ctrl.disconnect()
        print(ctrl.connected())
    """)
    assert out.splitlines() == [
        "False None",
        "True nvme0 live",
        "AttributeError Existing controller connection",
        "False",
    ]
    assert host.connects == [
        f"nqn={NQN},transport=mptcp,traddr=10.1.1.1,host_iface=eth1,trsvcid=4420,"
        f"hostnqn={HOSTNQN},hostid={HOSTID},queue_size=64,ctrl_loss_tmo=600,hdr_digest"
    ]
    assert host.deleted == ["nvme0"]


def test_failed_connect_carries_the_kernels_words(python, host):
    host.answer_error(errno.ECONNREFUSED, "nvme nvme0: failed to connect socket: -111")
    out = python(f"""
        root = nvme.root()
        ctrl = nvme.ctrl(root, "{NQN}", "mptcp", traddr="10.1.1.1", trsvcid="4420")
        numbered(lambda: ctrl.connect(nvme.host(root)))
        print(issubclass(nvme.RefusedError, RuntimeError))
    """)
    sentence, last = out.splitlines()
    assert sentence.startswith("RefusedError 1017 ") and last == "True"
    assert "10.1.1.1:4420" in sentence
    assert "connection refused" in sentence.lower()
    assert "failed to connect socket: -111" in sentence


@pytest.mark.parametrize(("nqn", "port"), [(NQN, 4420), (DISCOVERY_NQN, 8009)])
def test_default_port(python, host, nqn, port):
    host.answer_connected(host.subsystem(0, nqn).controller(0, "mptcp", connected=False))
    python(f"""
        root = nvme.root()
        ctrl = nvme.ctrl(root, "{nqn}", "mptcp", traddr="10.1.1.1")
        ctrl.connect(nvme.host(root), {{"nr_io_queues": 3}})
    """)
    assert f",traddr=10.1.1.1,trsvcid={port}," in host.connects[0]
    assert host.sent("nr_io_queues") == ["3" if nqn == NQN else None]
    assert (host.run / "mptcp").is_dir()


def test_cfg_is_checked_before_anything_is_written(python, host):
    out = python(f"""
        root = nvme.root()
        host = nvme.host(root)
        ctrl = nvme.ctrl(root, "{NQN}", "mptcp", traddr="10.1.1.1")
        for cfg in (
            {{"queue_sise": 1}}, {{"tos": "high"}}, {{"tos": 1 << 40}}, {{"host_iface": 1}}, 5,
            {{"nr_io_queues": 70000}}, {{"queue_size": -1}}, {{"host_iface": 16 * "i"}},
            # whatever else a flag is given is true or false by accident
            *({{"hdr_digest": value}} for value in ("no", 1, 0, [])),
        ):
            attempt(lambda: ctrl.connect(host, cfg))
    """)
    assert out.splitlines() == [
        "KeyError \"cfg has no key 'queue_sise'\"",
        "TypeError cfg['tos'] must be int, not str",
        "OverflowError cfg['tos'] is 1099511627776, which does not fit a C int",
        "TypeError cfg['host_iface'] must be str, not int",
        "TypeError cfg must be a dict or None, not int",
        "ValueError cfg['nr_io_queues'] is 70000, not from 0 to 65535",
        "ValueError cfg['queue_size'] is -1, not from 0 to 65536",
        "ValueError cfg['host_iface'] is longer than 15 characters",
        *(
            f"TypeError cfg['hdr_digest'] must be a bool, not {kind}"
            for kind in ("str", "int", "int", "list")
        ),
    ]
    assert host.connects == []


def test_creation_failures_raise(python):
    out = python(f"""
        root = nvme.root()
        root.log_level("crit")
        for arguments in (
            ("{NQN}", "mptcp"), ("{NQN}", None, "10.1.1.1"), (None, "tcp", "10.1.1.1")
        ):
            numbered(lambda: nvme.ctrl(root, *arguments))
    """)
    assert [line.split()[:2] for line in out.splitlines()] == [["Error", f"{errno.EINVAL}"]] * 3


def test_host_identity_files(python, host):
    assert python("print(nvme.hostnqn_from_file(), nvme.hostid_from_file())") == (
        f"{HOSTNQN} {HOSTID}\n"
    )
    (host.etc / "hostnqn").unlink()
    (host.etc / "hostid").write_text("")
    assert python("print(nvme.hostnqn_from_file(), nvme.hostid_from_file())") == "None None\n"


def test_kinds_with_bad_bytes(python, host):
    """As with all strings of /sys, what is no UTF-8 comes as surrogate escapes."""
    controller = host.subsystem(0, NQN).controller(0, "mptcp")
    for name in ("cntrltype", "dctype"):
        (controller.directory / name).write_bytes(b"io\xff\x80\n")
    out = python("""
        root = nvme.root()
        for host in root.hosts():
            for subsystem in host.subsystems():
                for ctrl in subsystem.controllers():
                    print(ascii(ctrl.cntrltype), ascii(ctrl.dctype))
    """)
    assert out == "'io\\udcff\\udc80' 'io\\udcff\\udc80'\n"
