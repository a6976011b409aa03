# SPDX-License-Identifier: LGPL-2.1-or-later
"""The target, built, saved, restored and cleared on a fake configfs."""

import copy
import errno
import json
import os
import re
import signal
import stat
from collections.abc import Callable
from functools import reduce
from ipaddress import ip_address, ip_interface
from operator import getitem
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fake_configfs import FakeConfigfs
from fake_target import HOST, KEY, NQN, THREE, TWO, build, build_several

from libnvme import _nvmet_check, nvmet

# As nvmetcli writes it: attributes are strings.
CONFIG: dict[str, Any] = json.loads(f"""{{
    "hosts": [{{"nqn": "{HOST}"}}],
    "ports": [{{
        "addr": {{"adrfam": "ipv4", "traddr": "0.0.0.0", "treq": "not specified",
                  "trsvcid": "4420", "trtype": "mptcp"}},
        "portid": 1, "referrals": [], "subsystems": ["{NQN}"]
    }}],
    "subsystems": [{{
        "allowed_hosts": ["{HOST}"],
        "attr": {{"allow_any_host": "0", "version": "1.3"}},
        "namespaces": [{{
            "ana": {{"grpid": "1"}},
            "device": {{"nguid": "ef90689c-6c46-d44c-89c1-4067801309a8", "path": "/dev/ram0",
                        "uuid": "8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57"}},
            "enable": 1, "nsid": 1, "resv": {{"enable": "0"}}
        }}],
        "nqn": "{NQN}"
    }}]
}}""")


def changed(path: list[Any], value: object) -> dict[str, Any]:
    """CONFIG with another value in one place."""
    config = copy.deepcopy(CONFIG)
    reduce(getitem, path[:-1], config)[path[-1]] = value
    return config


def test_build(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    build(target)
    tree = {name: text.strip() for name, text in configfs.tree().items()}
    top = f"subsystems/{NQN}"
    assert tree[f"{top}/attr_allow_any_host"] == "0"
    assert tree[f"{top}/attr_serial"] == "S1"
    assert tree[f"{top}/namespaces/1/ana_grpid"] == "2"
    assert tree[f"{top}/namespaces/10/enable"] == "1"
    assert tree[f"{top}/allowed_hosts/{HOST}"] == str(configfs.root / "hosts" / HOST)
    assert tree["ports/2/addr_trtype"] == "mptcp"
    assert tree["ports/2/addr_adrfam"] == "ipv6"
    assert tree["ports/2/param_inline_data_size"] == "8192"
    assert tree["ports/2/ana_groups/2/ana_state"] == "non-optimized"
    assert tree["ports/2/referrals/other/enable"] == "1"
    assert tree[f"ports/10/subsystems/{NQN}"] == str(configfs.root / top)
    assert tree[f"hosts/{HOST}/dhchap_key"] == KEY
    assert [port.portid for port in target.ports()] == [2, 10]


@pytest.mark.parametrize(
    ("traddr", "adrfam", "expected"),
    [
        (ip_address("::1"), None, "ipv6"),
        ("fd00::1", None, "ipv6"),
        (ip_address("192.0.2.1"), None, "ipv4"),
        ("::1", "ipv4", "ipv4"),
        ("nn-0x1000:pn-0x2000", "fc", "fc"),
    ],
)
def test_families(target: nvmet.Target, traddr: Any, adrfam: str | None, expected: str) -> None:
    port = target.create_port(7, trtype="mptcp", traddr=traddr, trsvcid=4420, adrfam=adrfam)
    assert port.get("addr_adrfam") == expected
    assert port.get("addr_traddr") == str(traddr)


def test_python_objects(target: nvmet.Target) -> None:
    """Paths and UUIDs are taken as they are; nodes are equal if they are one directory."""
    number = UUID("8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57")
    subsystem = target.create_subsystem(NQN)
    made = subsystem.create_namespace(Path("/dev/ram0"), uuid=number)
    assert made.get("device_path") == "/dev/ram0"
    assert made.get("device_uuid") == str(number)
    assert list(subsystem.namespaces()) == [made]
    assert {made, *subsystem.namespaces(), subsystem} == {made, subsystem}
    assert subsystem != made
    assert subsystem != NQN


def test_what_is_linked_is_the_targets(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """What a port offers, and whom a subsystem lets in, are the target's: not links to them."""
    build(target)
    [subsystem], [host] = target.subsystems(), target.hosts()
    for port in target.ports():
        [offered] = port.subsystems()
        assert {offered, subsystem} == {subsystem} and offered.path == subsystem.path
    [allowed] = offered.hosts()
    assert {allowed, host} == {host}
    for port in target.ports():
        for node in (*port.referrals(), *port.ana_groups()):
            assert node.path.is_dir() and not node.path.is_symlink()
        port.close()
    offered.create_namespace("/dev/ram0", 5)
    offered.delete()
    allowed.delete()
    assert [*target.subsystems(), *target.hosts()] == []


def test_links_of_other_names(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """The kernel takes links of any name, and shows where they lead from the top of configfs."""
    build(target)
    [subsystem] = target.subsystems()
    port = target.create_port(3, trtype="loop")
    os.symlink(f"../../../../nvmet/subsystems/{NQN}", port.path / "subsystems" / "disk")
    assert list(port.subsystems()) == [subsystem]
    assert target.save()["ports"][1]["subsystems"] == [NQN]


def test_links_that_go_meanwhile(target: nvmet.Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no longer offered is none of the port's."""
    build_several(target)
    port = next(port for port in target.ports() if port.portid == 2)
    readlink = os.readlink

    def go(path: Path) -> str:
        if path.name == TWO:
            path.unlink()
        return readlink(path)

    monkeypatch.setattr(os, "readlink", go)
    assert [offered.nqn for offered in port.subsystems()] == [NQN, THREE]


def test_save_and_restore_are_inverse(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    build(target)
    before, saved = configfs.tree(), target.save()
    target.clear()
    assert list(configfs.tree()) == ["discovery_nqn"]
    target.restore(json.loads(json.dumps(saved)))
    assert configfs.tree() == before
    target.restore(saved)
    assert configfs.tree() == before


def test_restores_files_of_nvmetcli(target: nvmet.Target) -> None:
    """The format that users have is understood, and every value of it is kept."""
    target.restore(CONFIG)
    saved = target.save()
    assert saved["hosts"] == CONFIG["hosts"]
    for kind in ("ports", "subsystems"):
        [now], [given] = saved[kind], CONFIG[kind]
        for key, value in given.items():
            if isinstance(value, dict):
                assert value.items() <= now[key].items()
            else:
                assert now[key] == value


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["subsystems", 0, "namespaces", 0, "device", "path"], "/dev/missing", "'/dev/missing'"),
        (["ports", 0, "addr", "trtype"], "carrier-pigeon", "carrier-pigeon"),
        (["ports", 0, "addr", "seal"], "wax", "addr_seal"),
        (["hosts", 0, "dhchap"], {"key": "secret"}, "dhchap_key"),
    ],
)
def test_failure_rolls_back(
    target: nvmet.Target, configfs: FakeConfigfs, path: list[Any], value: object, named: str
) -> None:
    """What the kernel refuses is named, and the target is what it was."""
    build(target)
    before = configfs.tree()
    with pytest.raises(OSError, match=named) as error:
        target.restore(changed(path, value))
    assert "secret" not in str(error.value)
    assert configfs.tree() == before


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["subsystems", 0, "nqn"], "../../x", "subsystems[0].nqn: '../../x' is not a valid name"),
        (["subsystems", 0, "nqn"], "n" * 224, "has more than 223 bytes"),
        (["subsystems", 0, "nqn"], 5, "subsystems[0].nqn: 5 is not a string"),
        (["subsystems", 0, "namespaces", 0, "nsid"], 0, "namespaces[0].nsid: 0 is not between"),
        (["subsystems", 0, "attr", "a/b"], "1", "subsystems[0].attr: 'a/b' is not a valid name"),
        (["subsystems", 0, "attr", "model"], ["x"], "attr.model: ['x'] is neither"),
        (["subsystems", 0, "attr", "model"], "a\nb", "attr.model: control characters"),
        (["ports", 0, "portid"], "one", "ports[0].portid: 'one' is not a number"),
        (["ports", 0, "subsystems"], ["nqn.other"], "nqn.other is not among the subsystems"),
        (["ports", 0, "port_ids"], [], "ports[0].port_ids: unknown key"),
        (["ports", 0, "a/b"], "1", "ports[0]: 'a/b' is not a valid name"),
        (["hosts", 0, "dhchp"], {}, "hosts[0]: unknown key 'dhchp'"),
        (["subsystem"], [], "subsystem: unknown key"),
        (["subsystems", 0, "attr", "serial"], "\ud800", "attr.serial: characters that cannot"),
        (["subsystems", 0, "resv"], {"x": "\ud800"}, "subsystems[0].resv.x.value: characters"),
        (["ports", 0, "addr", "traddr"], "1" * 4096, "addr.traddr: 4096 bytes, more than"),
        (["ports"], {}, "ports: not a list"),
        (["hosts"], [{"nqn": HOST}] * 2, f"duplicate {HOST}"),
        (["hosts"], [{}], "hosts[0]: nqn is missing"),
        (["ports"], [{"portid": 1}, {"portid": "01"}], "ports: duplicate 1"),
        (["ports", 0, "referrals"], [{"name": "a"}] * 2, "ports[0].referrals: duplicate a"),
        (["ports", 0, "subsystems"], [NQN, NQN], f"ports[0].subsystems: duplicate {NQN}"),
        (
            ["subsystems", 0, "namespaces"],
            [{"nsid": 1}, {"nsid": "01"}],
            "subsystems[0].namespaces: duplicate 1",
        ),
        (
            ["ports", 0, "ana_groups"],
            [{"grpid": 2, "ana": {"state": state}} for state in ("optimized", "inaccessible")],
            "ports[0].ana_groups: duplicate 2",
        ),
    ],
)
def test_nonsense_touches_nothing(
    target: nvmet.Target, configfs: FakeConfigfs, path: list[Any], value: object, words: str
) -> None:
    """A file is checked as a whole before anything changes; the error says where."""
    build(target)
    before = configfs.tree()
    with pytest.raises(nvmet.ConfigError) as error:
        target.restore(changed(path, value))
    assert words in str(error.value)
    assert configfs.tree() == before


def test_secrets_are_not_told(target: nvmet.Target) -> None:
    """Also one that is no string."""
    with pytest.raises(nvmet.ConfigError) as error:
        target.restore({"hosts": [{"nqn": HOST, "dhchap": {"dhchap_key": [KEY]}}]})
    assert KEY not in str(error.value)
    with pytest.raises(ValueError, match="single line") as wrong:
        target.create_host(HOST, dhchap_key=f"{KEY}\nmore")
    assert KEY not in str(wrong.value)


@pytest.mark.parametrize("number", [-1, True, None, 1.5, "x", "../hosts/evil", "", "1\n", 2**32])
def test_numbers_are_numbers(target: nvmet.Target, configfs: FakeConfigfs, number: Any) -> None:
    """They become directories: nothing else becomes one, wherever it leads."""
    subsystem = target.create_subsystem(NQN)
    port = target.create_port(1, trtype="loop")
    before = configfs.tree()
    for call in (
        lambda: target.create_port(number, trtype="loop"),
        lambda: subsystem.create_namespace("/dev/ram0", number),
        lambda: port.set_ana(number, "optimized"),
    ):
        with pytest.raises(nvmet.ConfigError) as error:
            call()
        assert str(error.value).startswith(("portid: ", "nsid: ", "group: "))
    assert configfs.tree() == before


def test_values_are_what_they_mean(target: nvmet.Target) -> None:
    """Bytes are a path, an interface is its address, and a key may end with its line."""
    subsystem = target.create_subsystem(NQN)
    assert subsystem.create_namespace(os.fsencode("/dev/ram0")).get("device_path") == "/dev/ram0"
    port = target.create_port(1, trtype="mptcp", traddr=ip_interface("fd00::1/64"))
    assert (port.get("addr_traddr"), port.get("addr_adrfam")) == ("fd00::1", "ipv6")
    assert target.create_host(HOST, dhchap_key=f"{KEY}\n").get("dhchap_key") == KEY
    with pytest.raises(ValueError, match="device_path: a value must be a single line"):
        subsystem.create_namespace("/dev/ram1\n/dev/ram0", 2)
    assert [namespace.nsid for namespace in subsystem.namespaces()] == [1]


def is_offer(operation: tuple[str, str], of: str = "") -> bool:
    """Does it make a port listen for a subsystem, or end that?"""
    return operation[0] in ("symlink", "unlink") and (
        re.fullmatch(rf"ports/{of or '[0-9]+'}/subsystems/[^/]+", operation[1]) is not None
    )


def test_clear_closes_ports_first(target: nvmet.Target, operations: list[tuple[str, str]]) -> None:
    """No port listens any more when what is behind it goes; each is closed without a pause."""
    build_several(target)
    operations.clear()
    target.clear()
    offers = [operation for operation in operations if is_offer(operation)]
    assert operations[: len(offers)] == offers
    assert [path.split("/")[1] for _, path in offers] == ["1", "2", "2", "2", "3", "3"]


def test_restore_opens_ports_last(
    target: nvmet.Target, configfs: FakeConfigfs, operations: list[tuple[str, str]]
) -> None:
    """Everything is in place when the first port listens; each has all its subsystems in a row."""
    build_several(target)
    before, saved = configfs.tree(), target.save()
    target.clear()
    operations.clear()
    target.restore(saved)
    assert configfs.tree() == before
    first = next(i for i, operation in enumerate(operations) if is_offer(operation))
    assert {operation[0] for operation in operations[first:]} == {"symlink", "require"}
    for port, count in (("1", 1), ("2", 3), ("3", 2)):
        where = [i for i, operation in enumerate(operations) if is_offer(operation, port)]
        assert where == list(range(where[0], where[0] + count))
    # The one with most of them while it has the machine for itself.
    assert operations[first][1].startswith("ports/2/")


@pytest.mark.parametrize("how", ["gone", "refused"])
def test_port_opens_whole_or_not_at_all(
    target: nvmet.Target, configfs: FakeConfigfs, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """A port that cannot offer one of them does not listen for the others."""
    build_several(target)
    port = target.create_port(4, trtype="mptcp", traddr="10.1.4.1")
    before = configfs.tree()
    names = [NQN, TWO, "nqn.gone" if how == "gone" else THREE]
    symlink = os.symlink

    def refuse_third(source: Path, link: Path) -> None:
        if how == "refused" and Path(link).name == THREE:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        symlink(source, link)

    monkeypatch.setattr(os, "symlink", refuse_third)
    with pytest.raises(OSError, match=re.escape(names[2])):
        port.add(*(nvmet.Subsystem(configfs.root / "subsystems" / name) for name in names))
    assert configfs.tree() == before


def test_port_is_not_left_half_open(
    target: nvmet.Target, configfs: FakeConfigfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever presses Ctrl-C between two subsystems waits for the last one."""
    build_several(target)
    before, port = configfs.tree(), nvmet.Port(configfs.root / "ports/2")
    offered = list(target.subsystems())
    for name, change in (("unlink", port.close), ("symlink", lambda: port.add(*offered))):
        operation = getattr(os, name)

        def interrupted(*args: Any, operation: Callable[..., None] = operation) -> None:
            operation(*args)
            os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(os, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            change()
        assert len(list(port.subsystems())) == (0 if name == "unlink" else 3)
        monkeypatch.setattr(os, name, operation)
    assert configfs.tree() == before


def test_failed_namespace_leaves_none(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """A namespace that cannot be enabled is not left behind."""
    subsystem = target.create_subsystem(NQN)
    with pytest.raises(OSError, match="enable"):
        subsystem.create_namespace(configfs.bad_device)
    assert list(subsystem.namespaces()) == []


def test_live_namespace_stays(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """One that is there and shown is not removed since another one cannot be made in its place."""
    build(target)
    before = configfs.tree()
    [subsystem] = target.subsystems()
    with pytest.raises(OSError, match="device_path") as error:
        subsystem.create_namespace("/dev/other")
    assert error.value.errno == errno.EBUSY
    assert configfs.tree() == before
    assert subsystem.create_namespace("/dev/ram0", ana_group=2, buffered=True).enabled
    assert configfs.tree() == before


@pytest.mark.parametrize(
    "make",
    [
        lambda target: target.create_port(1, trtype="carrier-pigeon", traddr="10.1.1.1"),
        lambda target: target.create_port(1, trtype="tcp", traddr="10.1.1.1", flavour="sour"),
        lambda target: target.create_subsystem("nqn.2025-01.test:two", flavour="sour"),
        lambda target: target.create_host("nqn.2025-01.test:h", dhchap_key="secret"),
        lambda target: next(target.ports()).create_referral("half", trtype="carrier-pigeon"),
        lambda target: next(target.subsystems()).create_namespace("/dev/missing", 7),
    ],
    ids=["port", "port-param", "subsystem", "host", "referral", "namespace"],
)
def test_nothing_half_made(
    target: nvmet.Target, configfs: FakeConfigfs, make: Callable[[nvmet.Target], object]
) -> None:
    build(target)
    before = configfs.tree()
    with pytest.raises(OSError, match="."):
        make(target)
    assert configfs.tree() == before


def test_nobody_is_let_in_by_default(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """As in the kernel."""
    assert target.create_subsystem(NQN).get("attr_allow_any_host") == "0"
    assert target.create_subsystem(NQN, allow_any_host=True).get("attr_allow_any_host") == "1"


def test_devices_are_looked_at_first(
    target: nvmet.Target, configfs: FakeConfigfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running target is not cleared for a configuration whose device is not there."""
    build(target)
    config = changed(["subsystems", 0, "namespaces", 0, "device", "path"], configfs.bad_device)
    removed: list[Path] = []
    monkeypatch.setattr(nvmet, "_rmdir", removed.append)
    with pytest.raises(FileNotFoundError) as error:
        target.restore(config)
    assert "subsystems[0].namespaces[0].device.path" in str(error.value)
    assert error.value.filename == configfs.bad_device
    assert removed == []
    monkeypatch.setattr(_nvmet_check, "_stat", lambda path: os.stat("/dev/null"))
    with pytest.raises(nvmet.ConfigError, match="neither a block device nor a file"):
        target.restore(CONFIG)
    assert removed == []


def test_errors_name_what_is_missing(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """Not the file that could not be written because of it."""
    build(target)
    gone = nvmet.Subsystem(configfs.root / "subsystems" / "nqn.gone")
    port = next(target.ports())
    for call in (
        lambda: port.add(gone),
        lambda: gone.create_namespace("/dev/ram0"),
        lambda: gone.set("attr_serial", "1"),
    ):
        with pytest.raises(FileNotFoundError, match="there is no such subsystem") as error:
            call()
        assert error.value.filename == str(gone.path)
    with pytest.raises(FileNotFoundError, match="no such attribute"):
        next(target.subsystems()).set("attr_flavour", "sour")
    with pytest.raises(FileNotFoundError, match="the device '/dev/missing'"):
        next(target.subsystems()).create_namespace(configfs.bad_device, 9)


def test_command_line(
    target: nvmet.Target, configfs: FakeConfigfs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Save, clear, restore; a file with keys is for its owner only."""
    build(target)
    before = configfs.tree()
    file = tmp_path / "config.json"
    root = ["--root", str(configfs.root)]
    assert nvmet.main(["save", str(file), *root]) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert nvmet.main(["clear", *root]) == 0
    assert list(configfs.tree()) == ["discovery_nqn"]
    assert nvmet.main(["restore", str(file), *root]) == 0
    assert configfs.tree() == before
    file.write_text('{"hosts": [')
    assert nvmet.main(["restore", str(file), *root]) == 1
    assert f"nvmet: restore: {file}: " in capsys.readouterr().err
    assert configfs.tree() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "nvmet"]


def test_found_or_made(target: nvmet.Target) -> None:
    for made in (True, False):
        subsystem = target.create_subsystem(NQN)
        port = target.create_port(1, trtype="mptcp", traddr="10.1.1.1")
        host = target.create_host(HOST)
        namespace = subsystem.create_namespace("/dev/ram0")
        assert [node.made for node in (subsystem, port, host, namespace)] == [made] * 4
    assert not target.subsystem(NQN).made


def test_keys_are_properties(target: nvmet.Target) -> None:
    host = target.create_host(HOST)
    assert (host.dhchap_key, host.dhchap_hash) == (None, "hmac(sha256)")
    host.dhchap_key = KEY
    assert (host.dhchap_key, host.get("dhchap_key")) == (KEY, KEY)


def test_port_removes_what_it_added(target: nvmet.Target) -> None:
    one, two = (target.create_subsystem(f"{NQN}{i}") for i in (1, 2))
    port = target.create_port(1, trtype="mptcp", traddr="10.1.1.1")
    port.add(one, two)
    port.remove(one)
    assert list(port.subsystems()) == [two]
    two.allow(target.create_host(HOST))
    two.disallow(*two.hosts())
    assert list(two.hosts()) == []


def test_apply_returns_changes(target: nvmet.Target) -> None:
    """What changed, without keys; the second time nothing does."""
    build(target)
    wanted = target.save()
    target.clear()
    target.create_subsystem(NQN, serial="S2")
    changes = target.apply(wanted)
    shown = [str(change) for change in changes]
    assert f"subsystems/{NQN}/attr/serial: S2 → S1" in shown
    assert "ports/2: added" in shown
    assert f"hosts/{HOST}: added" in shown
    assert KEY not in repr(changes)
    assert target.apply(wanted) == ()
    wanted["ports"] = [port for port in wanted["ports"] if port["portid"] != 10]
    assert [str(change) for change in target.apply(wanted)] == ["ports/10: removed"]
