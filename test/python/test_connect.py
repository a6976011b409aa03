# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors by class and word, nvme.connect(), controllers by name, secrets."""

import errno
import json

import pytest
from conftest import Python
from fake_sysfs import HOSTID, HOSTNQN, FakeHost

NQN = "nqn.2025-01.test:one"
KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

FAIL = f"""
    import errno
    import pickle

    root = nvme.root()
    ctrl = nvme.ctrl(root, "{NQN}", "mptcp", "127.0.0.1", trsvcid=1)
    try:
        ctrl.connect(nvme.host(root))
    except nvme.Error as error:
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.errno, again.code) == (type(error), error.errno, error.code)
        name = errno.errorcode.get(error.errno, error.errno)
        print(type(error).__name__, error.code, name, error.retryable)
"""


#: What the kernel logs besides.
INVALID = f'nvme nvme0: Connect Invalid Data Parameter, subsysnqn "{NQN}"'
NOT_ALLOWED = "nvme nvme0: Connect for subsystem one is not allowed, hostnqn: two"
UNKNOWN_KEY = "nvme nvme0: qid 0: authentication failed"


@pytest.mark.parametrize(
    ("number", "log", "expected"),
    [
        (errno.ECONNREFUSED, "", "RefusedError refused 1017 True"),
        (errno.ETIMEDOUT, "", "TimedOutError timeout ETIMEDOUT True"),
        (errno.EHOSTUNREACH, "", "UnreachableError unreachable EHOSTUNREACH True"),
        (errno.ENETUNREACH, "", "UnreachableError unreachable ENETUNREACH True"),
        (errno.ECONNRESET, "", "Error closed ECONNRESET True"),
        (errno.EIO, "", "NotAllowedError not-allowed EIO False"),
        (errno.EALREADY, "", "AlreadyConnectedError already-connected 1012 False"),
        (errno.EINVAL, "", "Error invalid 1013 False"),
        (errno.ENOKEY, "", "AuthenticationError authentication 1020 False"),
        (errno.EKEYREJECTED, "", "AuthenticationError authentication EKEYREJECTED False"),
        (errno.EXDEV, "", "Error other 1006 False"),
        (errno.EADDRINUSE, "", "Error invalid 1014 False"),
        (errno.ENODEV, "", "Error invalid 1015 False"),
        (errno.EOPNOTSUPP, "", "Error unsupported 1016 False"),
        (errno.EADDRNOTAVAIL, "", "Error invalid 1018 False"),
        (errno.EIO, INVALID, "NotAllowedError not-allowed EIO False"),
        (errno.EIO, NOT_ALLOWED, "NotAllowedError not-allowed EIO False"),
        (errno.EIO, UNKNOWN_KEY, "AuthenticationError authentication EKEYREJECTED False"),
        (errno.ECONNREFUSED, UNKNOWN_KEY, "AuthenticationError authentication 1017 False"),
    ],
)
def test_reasons(python: Python, host: FakeHost, number: int, log: str, expected: str) -> None:
    """Each reason of a refused connect has a class, a word, and whether to try again."""
    (host.sys / "module/nvme_mptcp").mkdir(parents=True)
    host.answer_error(number, *([log] if log else []))
    assert python(FAIL) == f"{expected}\n"


def test_unreachable_within_a_timeout(python: Python) -> None:
    """A network that says so is not waited for: the error is what it said."""
    out = python(f"""
        import errno, sys
        root = nvme.root()
        ctrl = nvme.ctrl(root, "{NQN}", "mptcp", "127.0.0.1", trsvcid=1)
        type(ctrl)._silent = lambda *_: (errno.EHOSTUNREACH, "127.0.0.1:1: No route to host")
        try:
            ctrl.connect(nvme.host(root), timeout=30)
        except nvme.UnreachableError as error:
            print(error.errno == errno.EHOSTUNREACH, error)
    """)
    assert out == "True 127.0.0.1:1: No route to host\n"


def test_disconnect_names_the_controller(python: Python, host: FakeHost) -> None:
    host.subsystem(0, NQN).controller(3, "mptcp")
    (host.fake / "nvme3").rmdir()
    (host.fake / "delete-errno").write_text(str(errno.EACCES))
    out = python("""
        ctrl = nvme.root().controller("nvme3")
        for call in ctrl.disconnect, ctrl.reset:
            try:
                call()
            except nvme.Error as error:
                print(error.code, error)
    """)
    first, second = out.splitlines()
    assert first == "privileges nvme3: disconnecting failed: Permission denied (needs root)"
    assert second.partition(" ")[2].startswith("nvme3: resetting failed: ")


def test_controllers_by_name(python: Python, host: FakeHost) -> None:
    host.subsystem(0, NQN).controller(3, "mptcp")
    host.subsystem(1, NQN + "2").controller(7, "tcp")
    out = python("""
        root = nvme.root()
        print(sorted(ctrl.name for ctrl in root.controllers()), root.controller("nvme7").transport)
        attempt(lambda: root.controller("nvme9"), lambda: root.controller(None))
    """)
    assert out.splitlines() == [
        "['nvme3', 'nvme7'] tcp",
        "LookupError no controller nvme9; refresh_topology() finds newly connected ones",
        "TypeError controller: argument 'name' must be str, not NoneType",
    ]


def test_connect_connects_or_finds(python: Python, host: FakeHost) -> None:
    """The second call returns what the first one connected, in another root as well."""
    address = "traddr=127.0.0.1,trsvcid=4420"
    subsystem = host.subsystem(4, NQN)
    host.answer_connected(subsystem.controller(4, "mptcp", address, connected=False))
    out = python(f"""
        from ipaddress import ip_address
        made = nvme.connect("{NQN}", ip_address("127.0.0.1"), cfg={{"ctrl_loss_tmo": -1}})
        found = nvme.connect("{NQN}", "127.0.0.1", trsvcid=4420)
        root = nvme.root()
        own = nvme.connect("{NQN}", "127.0.0.1", host=nvme.host(root), root=root)
        same = nvme.connect("{NQN}", "127.0.0.1", host=nvme.host(root))
        print(made.name, found.name, found == made == own == same)
    """)
    assert out == "nvme4 nvme4 True\n"
    [line] = host.connects
    assert "transport=mptcp" in line and "ctrl_loss_tmo=-1" in line


def test_only_what_lives_is_connected_already(python: Python, host: FakeHost) -> None:
    """Neither one that dies, nor another controller that has the name now."""
    subsystem = host.subsystem(4, NQN)
    made = [
        subsystem.controller(i, "mptcp", "traddr=127.0.0.1,trsvcid=4420", connected=False)
        for i in range(4, 8)
    ]
    for controller in made:
        host.answer_connected(controller)
    out = python(f"""
        from pathlib import Path
        root = nvme.root()
        own = nvme.host(root)
        kept = []

        def connect(cfg=None):
            kept.append(nvme.ctrl(root, "{NQN}", "mptcp", "127.0.0.1"))
            attempt(lambda: kept[-1].connect(own, cfg or {{}}))
            print(kept[-1].name)

        connect()
        connect()
        Path("{made[0].directory}/state").write_text("deleting\\n")
        connect()
        Path("{made[1].directory}/uevent").unlink()
        Path("{made[1].directory}/address").write_text("traddr=10.1.1.9,trsvcid=4420\\n")
        connect()
        connect({{"duplicate_connect": True}})
    """)
    assert [line for line in out.splitlines() if line.startswith(("nvme", "Already"))] == [
        "nvme4",
        "AlreadyConnectedError already connected as nvme4",
        "nvme5",
        "nvme6",
        "nvme7",
    ]
    assert len(host.connects) == 4


def test_what_a_description_leaves_open(python: Python, host: FakeHost) -> None:
    """It is used for what the caller does not say, and for no other portal or transport."""
    port = {
        "transport": "mptcp", "traddr": "10.1.1.1", "trsvcid": "4420", "queue_size": 64,
        "ctrl_loss_tmo": 20, "dhchap_key": KEY,
    }  # fmt: skip
    config = host.root / "config.json"
    subsystems = [{"nqn": NQN, "ports": [port]}]
    config.write_text(
        json.dumps([{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": subsystems}])
    )
    host.answer_error(errno.ECONNREFUSED, times=3)
    python(f"""
        root = nvme.root({str(config)!r})
        own = nvme.host(root)
        for transport, key in (("mptcp", None), ("tcp", None), ("mptcp", "DHHC-1:00:own:")):
            ctrl = nvme.ctrl(root, "{NQN}", transport, "10.1.1.1", trsvcid="4420")
            if key:
                ctrl.dhchap_host_key = key
            try:
                ctrl.connect(own, {{"queue_size": 32}})
            except nvme.RefusedError:
                pass
    """)
    assert [line.partition(f",hostid={HOSTID},")[2] for line in host.connects] == [
        f"dhchap_secret={KEY},queue_size=32,ctrl_loss_tmo=20",
        "queue_size=32,ctrl_loss_tmo=600",
        "dhchap_secret=DHHC-1:00:own:,queue_size=32,ctrl_loss_tmo=20",
    ]


def test_names_and_brackets(python: Python, host: FakeHost) -> None:
    """The kernel gets addresses, of either side."""
    host.answer_error(errno.ECONNREFUSED, times=2)
    out = python(f"""
        root = nvme.root()
        for traddr, source in (
            ("localhost", "localhost"), ("[fd00::1]", "[fd00::2]"), ("name.invalid", None),
            ("10.1.1.1", "name.invalid"),
        ):
            ctrl = nvme.ctrl(root, "{NQN}", "mptcp", traddr)
            cfg = {{"host_traddr": source}} if source else {{}}
            attempt(lambda: ctrl.connect(nvme.host(root), cfg))
    """)
    assert not [line for line in host.connects if "localhost" in line or "[" in line]
    assert host.sent("host_traddr")[0] and host.sent("host_traddr")[1] == "fd00::2"
    assert host.sent("traddr")[1] == "fd00::1" and len(host.connects) == 2
    assert 'Error traddr "name.invalid": neither' in out
    assert 'Error host_traddr "name.invalid": ' in out


def test_subsystems_of_other_applications(python: Python, host: FakeHost) -> None:
    config = host.root / "config.json"
    subsystems = [{"nqn": NQN, "application": "theirs", "ports": []}]
    config.write_text(
        json.dumps([{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": subsystems}])
    )
    host.answer_error(errno.ECONNREFUSED)
    out = python(f"""
        root = nvme.root({str(config)!r})
        for root.application in "ours", "theirs":
            ctrl = nvme.ctrl(root, "{NQN}", "mptcp", "10.1.1.1")
            attempt(lambda: ctrl.connect(nvme.host(root)))
    """)
    refused, asked = out.splitlines()
    assert refused == f"Error subsystem {NQN} is not managed by ours"
    assert asked.startswith("RefusedError") and len(host.connects) == 1


def test_connect_raises(python: Python, host: FakeHost) -> None:
    host.subsystem(4, NQN).controller(4, "mptcp", "traddr=127.0.0.2,trsvcid=4420")
    host.answer_error(errno.ECONNREFUSED)
    out = python(f"""
        attempt(lambda: nvme.connect("{NQN}", "127.0.0.1"))
    """)
    assert out.startswith("RefusedError 127.0.0.1:4420: connection refused")


def secrets(host: FakeHost, **attributes: str) -> None:
    """A connected controller nvme0 with attributes."""
    host.subsystem(0, NQN).controller(0, "mptcp", **attributes)


REKEY = """
    new, other = nvme.generate_dhchap_key(), nvme.generate_dhchap_key("sha256", hostnqn="nqn.h:h")
    ctrl = nvme.root().controller("nvme0")
"""


@pytest.fixture
def rekeying(host: FakeHost) -> Python:
    """Python with a new secret, another one and the controller."""
    return Python(host, REKEY)


def test_rekey(rekeying: Python, host: FakeHost) -> None:
    secrets(host, dhchap_secret=KEY, dhchap_ctrl_secret=KEY)
    out = rekeying("""
    from pathlib import Path
    ctrl.rekey(new)
    print(Path(ctrl.sysfs_dir, "dhchap_secret").read_text().startswith(new))
    ctrl.rekey(None, other)
    print(Path(ctrl.sysfs_dir, "dhchap_ctrl_secret").read_text().startswith(other))
    print(ctrl.dhchap_host_key == new, ctrl.dhchap_key == other)
    """)
    assert out.split() == ["True"] * 4


def test_rekey_is_refused(rekeying: Python, host: FakeHost) -> None:
    """Where the kernel has no secret to replace, and where the text is none, nothing changes."""
    secrets(host)
    out = rekeying(f"""
    for args in (new,), ("secret",), ("{KEY[:-3]}a:",), (None,), (5,):
        attempt(lambda: ctrl.rekey(*args))
    print(ctrl.dhchap_host_key)
    attempt(lambda: nvme.ctrl(nvme.root(), "{NQN}", "tcp", "127.0.0.1").rekey(new))
    """)
    lines = out.splitlines()
    why = "Error nvme0: dhchap_secret not replaced: No such file or directory"
    assert lines[0].split(";")[0] == why
    assert lines[1].startswith("ValueError key is not a DH-HMAC-CHAP secret: DHHC-1:00:")
    assert lines[2].startswith("ValueError key is not a DH-HMAC-CHAP secret: ")
    assert lines[3].startswith("ValueError rekey: key and ctrl_key are None")
    assert lines[4] == "TypeError argument 'key' must be str, not int"
    assert lines[5:] == ["None", "AttributeError No controller connection"]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ("", "00"),
        ("length=64", "00"),
        ('"sha256"', "01"),
        ('"sha384", 48', "02"),
        (f'"sha512", hostnqn="{HOSTNQN}"', "03"),
    ],
)
def test_generated_secrets(python: Python, arguments: str, kind: str) -> None:
    out = python(
        f"print(nvme.generate_dhchap_key({arguments}), nvme.generate_dhchap_key({arguments}))"
    )
    first, second = out.split()
    assert first != second
    assert first.startswith(f"DHHC-1:{kind}:")
    checked = python.nvme("check-dhchap-key", "--key", first)
    assert checked.returncode == 0, checked.stderr


def test_secrets_that_cannot_be(python: Python) -> None:
    out = python("""
        attempt(
            lambda: nvme.generate_dhchap_key("md5"),
            lambda: nvme.generate_dhchap_key(length=16),
            lambda: nvme.generate_dhchap_key("sha256", 64),
            lambda: nvme.generate_dhchap_key(hostnqn="nqn.2025-01.test:h"),
        )
    """)
    begins = ("hmac is", "length is", "length is", "hostnqn: ")
    assert all(map(str.startswith, out.splitlines(), (f"ValueError {text}" for text in begins)))


def test_importing_is_quick(python: Python) -> None:
    out = python(
        """
        import sys
        slow = "asyncio dataclasses inspect logging typing uuid json ipaddress"
        print(sorted(set(slow.split()) & set(sys.modules)))
        print(nvme.Incomplete.__name__, "connect_all" in dir(nvme))
        attempt(lambda: nvme.nosuch)
        """,
        "-S",
    )
    first, second, third = out.splitlines()
    assert first == "[]"
    assert second == "Incomplete True"
    assert third == "AttributeError module 'libnvme.nvme' has no attribute 'nosuch'"
