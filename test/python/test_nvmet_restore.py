# SPDX-License-Identifier: LGPL-2.1-or-later
"""Restoring changes what differs, leaves the rest alone, and is undone if it does not succeed."""

import copy
import errno
import json
import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_configfs import FakeConfigfs
from fake_target import HOST, KEY, NQN, THREE, TWO, build, build_several, nvmet

OTHER = "nqn.2025-01.test:other"

#: What a later nvmetcli has besides, and an attribute that no kernel has.
LATER: dict[str, Any] = json.loads(f"""{{
    "discovery": {{"nqn": "nqn.2025-01.test:discovery"}},
    "hosts": [],
    "ports": [{{
        "addr": {{"adrfam": "ipv4", "traddr": "10.1.1.1", "trsvcid": "4420", "trtype": "tcp"}},
        "ana_groups": [{{"ana": {{"state": "optimized"}}, "grpid": 1}}],
        "param": {{"inline_data_size": "16384", "colour": "blue"}},
        "portid": 1, "referrals": [], "subsystems": ["{NQN}"]
    }}],
    "subsystems": [{{
        "allowed_hosts": [],
        "attr": {{"allow_any_host": "1", "cntlid_min": "300", "cntlid_max": "400"}},
        "namespaces": [{{
            "ana": {{"grpid": "3"}}, "device": {{"path": "/dev/ram0"}}, "enable": 1, "nsid": 1,
            "resv": {{"enable": "1"}}, "shade": {{"of": {{"grey": "50"}}}}
        }}],
        "nqn": "{NQN}",
        "passthru": {{"device": {{"path": ""}}, "enable": 0, "io": {{"timeout": "9"}}}}
    }}]
}}""")


def changed(saved: dict[str, Any]) -> dict[str, Any]:
    """A configuration in which every kind of thing differs."""
    config = copy.deepcopy(saved)
    config["hosts"] = [{"nqn": HOST}, {"nqn": "nqn.2025-01.test:h", "dhchap": {"key": KEY}}]
    one, *_ = config["subsystems"]
    one["attr"]["serial"] = "S2"
    one["allowed_hosts"] = ["nqn.2025-01.test:h"]
    one["namespaces"][0]["device"]["path"] = "/dev/ram7"
    one["namespaces"] = one["namespaces"][:1] + [{"nsid": 5, "device": {"path": "/dev/ram5"}}]
    config["subsystems"].append({"nqn": OTHER, "attr": {"allow_any_host": "1"}})
    config["ports"][0]["addr"]["trsvcid"] = "4421"
    config["ports"][0]["subsystems"] = [NQN, OTHER]
    config["ports"] = config["ports"][:1] + [
        {"portid": 7, "addr": {"trtype": "loop"}, "subsystems": [OTHER]}
    ]
    return config


def test_what_is_equal_is_left_alone(
    target: nvmet.Target, operations: list[tuple[str, str]]
) -> None:
    build(target)
    saved = json.loads(json.dumps(target.save()))
    saved["ports"][0]["addr"]["traddr"] = "0:0::0"
    saved["ports"][0]["portid"] = "02"
    device = saved["subsystems"][0]["namespaces"][1]["device"]
    device["uuid"] = device["uuid"].upper()
    del saved["hosts"][0]["dhchap"]["hash"]
    operations.clear()
    target.restore(saved)
    assert operations == []


def test_only_the_difference_is_changed(
    target: nvmet.Target, operations: list[tuple[str, str]]
) -> None:
    """A subsystem is added, one goes, a namespace gets another device: others notice nothing."""
    build_several(target)
    config = target.save()
    config["subsystems"].append({"nqn": OTHER, "attr": {"allow_any_host": "1"}})
    gone, kept = config["subsystems"][1], config["subsystems"][2]
    assert (gone["nqn"], kept["nqn"]) == (THREE, TWO)
    config["subsystems"].remove(gone)
    kept["namespaces"][0]["device"]["path"] = "/dev/ram9"
    config["ports"][1]["subsystems"] = [NQN, TWO, OTHER]
    config["ports"][2]["subsystems"] = [TWO]
    operations.clear()
    target.restore(config)
    namespace = f"subsystems/{TWO}/namespaces/1"
    changes = [operation for operation in operations if operation[0] != "require"]
    assert changes[:2] == [
        ("mkdir", f"subsystems/{OTHER}"),
        ("write", f"subsystems/{OTHER}/attr_allow_any_host"),
    ]
    assert changes[2:4] == [
        ("unlink", f"ports/2/subsystems/{THREE}"),
        ("unlink", f"ports/3/subsystems/{THREE}"),
    ]
    # The first is refused while it is shown.
    assert changes[4:] == [
        ("write", f"{namespace}/device_path"),
        ("write", f"{namespace}/device_path"),
        ("write", f"{namespace}/enable"),
        ("write", f"{namespace}/device_path"),
        ("write", f"{namespace}/enable"),
        ("unlink", f"subsystems/{THREE}/allowed_hosts/{HOST}"),
        ("write", f"subsystems/{THREE}/namespaces/1/enable"),
        ("rmdir", f"subsystems/{THREE}/namespaces/1"),
        ("rmdir", f"subsystems/{THREE}"),
        ("symlink", f"ports/2/subsystems/{OTHER}"),
    ]


def test_everything_that_differs_is_changed(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """As if the target had been empty before."""
    build(target)
    config = changed(target.save())
    target.restore(config)
    after = target.save()
    target.clear()
    target.restore(config)
    assert target.save() == after
    assert after["ports"][0]["addr"]["trsvcid"] == "4421"
    assert after["subsystems"][0]["attr"]["serial"] == "S2"


def test_what_is_not_named_is_shut(target: nvmet.Target) -> None:
    """What lets hosts in, and keys that they need, do not outlive the configuration."""
    build(target)
    [subsystem], [host] = target.subsystems(), target.hosts()
    subsystem.disallow(host)
    subsystem.set("attr_allow_any_host", True)
    target.restore({"hosts": [{"nqn": HOST}], "subsystems": [{"nqn": NQN}]})
    assert subsystem.get("attr_allow_any_host") == "0"
    assert host.get("dhchap_key") == ""
    assert [*target.ports(), *subsystem.namespaces(), *subsystem.hosts()] == []


class Stopped(BaseException):
    """What no "except Exception" catches."""


def at(
    monkeypatch: pytest.MonkeyPatch, count: int, happens: Callable[[], None]
) -> Callable[[], int]:
    """Let something happen at one of the operations from now on; returns how many there were."""
    done = 0

    def note(module: Any, name: str) -> None:
        operation = getattr(module, name)

        def noted(*args: Any) -> Any:
            nonlocal done
            done += 1
            if done == count:
                happens()
            return operation(*args)

        monkeypatch.setattr(module, name, noted)

    for module, name in (
        (nvmet, "_mkdir"), (nvmet, "_rmdir"), (nvmet, "_symlink"), (nvmet, "_unlink"),
        (nvmet.Node, "_write"),
    ):  # fmt: skip
        note(module, name)
    return lambda: done


def fail(error: BaseException) -> Callable[[], None]:
    def happens() -> None:
        raise error

    return happens


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOMEM, "x"),
        Stopped(),
        KeyboardInterrupt(),
        UnicodeEncodeError("", "", 0, 0, ""),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_ends_it_is_undone(
    target: nvmet.Target,
    configfs: FakeConfigfs,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
) -> None:
    """At every single operation; what the kernel takes at the second try is not what ends it."""
    build(target)
    before, saved = configfs.tree(), target.save()
    config, undone = changed(saved), 0
    for count in range(1, 1000):
        with monkeypatch.context() as patch:
            operations_done = at(patch, count, fail(error))
            try:
                target.restore(config)
            except type(error):
                undone += 1
                assert configfs.tree() == before, count
        target.restore(saved)
        assert configfs.tree() == before, count
        if operations_done() < count:
            break
    assert undone > 20


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_undone(
    target: nvmet.Target,
    configfs: FakeConfigfs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
) -> None:
    """The program ends by the signal, as others do, and has put back what there was before."""
    build(target)
    before, file, backup = configfs.tree(), tmp_path / "new.json", tmp_path / "run/before.json"
    nvmet.store(changed(target.save()), file)
    arguments = ["restore", str(file), "--root", str(configfs.root), "--backup", str(backup)]
    for count in (1, 7, 25):
        child = os.fork()
        if not child:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            at(monkeypatch, count, lambda: os.kill(os.getpid(), number))
            os._exit(nvmet.main(arguments))
        _, status = os.waitpid(child, 0)
        if number == signal.SIGINT:
            assert os.waitstatus_to_exitcode(status) == 130
        else:
            assert os.WTERMSIG(status) == number
        assert configfs.tree() == before
        assert list(backup.parent.iterdir()) == []


def test_a_second_signal_does_not_stop_the_undoing(
    target: nvmet.Target, configfs: FakeConfigfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is impatient presses Ctrl-C more than once."""
    build(target)
    before, saved = configfs.tree(), target.save()
    with monkeypatch.context() as patch:
        for count in range(10, 40):
            at(patch, count, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            target.restore(changed(saved))
    assert configfs.tree() == before


def test_a_kill_leaves_a_file(
    target: nvmet.Target,
    configfs: FakeConfigfs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The file has what there was before the first restore that was killed."""
    build(target)
    before, config = configfs.tree(), changed(target.save())
    backup = tmp_path / "run/before.json"
    for count in (9, 3):
        child = os.fork()
        if not child:
            os.umask(0o077)
            at(monkeypatch, count, lambda: os.kill(os.getpid(), signal.SIGKILL))
            target.restore(config, backup=backup)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert configfs.tree() != before
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o755
    target.restore(nvmet.load(backup), backup=backup)
    assert configfs.tree() == before
    assert str(backup) in caplog.text
    assert list(backup.parent.iterdir()) == []


def test_an_absent_address_stops_nothing_else(
    target: nvmet.Target,
    configfs: FakeConfigfs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The port is named, with its address and the kernel's reason; the next restore opens it."""
    build_several(target)
    tree, file = configfs.tree(), tmp_path / "config.json"
    backup = tmp_path / "before.json"
    nvmet.store(target.save(), file)
    symlink, absent = os.symlink, True

    def refuse(source: Path, link: Path) -> None:
        if absent and "ports/2" in str(link):
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
        symlink(source, link)

    monkeypatch.setattr(os, "symlink", refuse)
    target.clear()
    arguments = ["restore", str(file), "--root", str(configfs.root), "--backup", str(backup)]
    for _ in range(2):
        assert nvmet.main(arguments) == 1
        assert capsys.readouterr().err == (
            "nvmet: restore: port 2, mptcp 10.1.2.1:4420: Cannot assign requested address;"
            " everything else is restored\n"
        )
        there = configfs.tree()
        assert tree.keys() - there.keys() == {
            f"ports/2/subsystems/{nqn}" for nqn in (NQN, TWO, THREE)
        }
        # By this the unit knows that it has to try again.
        assert [path.name for path in tmp_path.glob("before.*")] == ["before.incomplete"]
    absent = False
    assert nvmet.main(arguments) == 0
    assert configfs.tree() == tree
    assert list(tmp_path.glob("before.*")) == []


def test_another_reason_undoes_everything(
    target: nvmet.Target, configfs: FakeConfigfs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel refuses what is configured; if that fails too, the file stays."""
    build(target)
    before, config, backup = configfs.tree(), changed(target.save()), tmp_path / "before.json"
    symlink = os.symlink
    for refused, words in (("ports/7", "ports/7"), ("ports/", "could not be restored either")):

        def refuse(source: Path, link: Path, refused: str = refused) -> None:
            if refused in str(link):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            symlink(source, link)

        assert configfs.tree() == before and not backup.exists()
        with monkeypatch.context() as patch:
            patch.setattr(os, "symlink", refuse)
            with pytest.raises(OSError, match=words):
                target.restore(config, backup=backup)
    assert configfs.tree() != before
    target.restore(nvmet.load(backup), backup=backup)
    assert configfs.tree() == before


def test_a_later_nvmetcli(
    target: nvmet.Target, configfs: FakeConfigfs, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What the kernel has is set, in groups or not; the rest is warned about, and kept on save."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LATER))
    assert nvmet.main(["restore", str(file), "--root", str(configfs.root)]) == 0
    tree = {name: text.strip() for name, text in configfs.tree().items()}
    top = f"subsystems/{NQN}"
    for name, value in {
        "discovery_nqn": "nqn.2025-01.test:discovery",
        f"{top}/attr_cntlid_min": "300",
        f"{top}/namespaces/1/ana_grpid": "3",
        f"{top}/namespaces/1/resv_enable": "1",
        f"{top}/passthru/io_timeout": "9",
        "ports/1/param_inline_data_size": "16384",
    }.items():
        assert tree[name] == value
    warned = sorted(record.getMessage().split(" is not set")[0] for record in caplog.records)
    assert [text.split("/nvmet/")[1] for text in warned] == [
        "ports/1/param_colour", f"{top}/namespaces/1/shade_of_grey",
    ]  # fmt: skip
    assert nvmet.main(["save", str(file), "--root", str(configfs.root)]) == 0
    saved = json.loads(file.read_text())
    assert saved["ports"][0]["param"]["colour"] == "blue"
    [namespace] = saved["subsystems"][0]["namespaces"]
    assert namespace["shade"] == {"of": {"grey": "50"}}
    assert namespace["ana"] == {"grpid": "3"} and namespace["resv"] == {"enable": "1"}
    before = configfs.tree()
    assert nvmet.main(["restore", str(file), "--root", str(configfs.root)]) == 0
    assert configfs.tree() == before


def test_bytes_that_are_no_text(target: nvmet.Target, configfs: FakeConfigfs) -> None:
    """The path of a device need not be UTF-8; half a character is none."""
    subsystem = target.create_subsystem(NQN)
    subsystem.create_namespace(b"/dev/disk\xff")
    saved = json.loads(json.dumps(target.save()))
    before = configfs.root / f"subsystems/{NQN}/namespaces/1/device_path"
    assert before.read_bytes() == b"/dev/disk\xff"
    target.clear()
    target.restore(saved)
    assert before.read_bytes() == b"/dev/disk\xff"
    saved["subsystems"][0]["attr"]["model"] = "\ud800"
    with pytest.raises(nvmet.ConfigError, match=r"attr\.model: characters that cannot be encoded"):
        target.restore(saved)
    assert before.read_bytes() == b"/dev/disk\xff"
