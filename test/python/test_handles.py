# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects of libnvme.nvme in what Python does with any object: looking, copying, deriving."""

import pytest
from conftest import Python
from fake_sysfs import FakeHost
from test_objects import machine, python

__all__ = ["machine", "python"]

EVIL = "nqn.\x1b[31m\u202e\nevil"
KINDS = ("root", "host", "subsystem", "ctrl", "ns", "path")


@pytest.mark.parametrize("kind", KINDS)
def test_looking_and_copying(python: Python, kind: str) -> None:
    """An interpreter that completes names, and a debugger, look at everything.

    A copy is the same handle; what would be one of another process, or tree, is refused.
    """
    out = python(f"""
    import copy, dataclasses, inspect, pickle
    print("to_dict" in dir({kind}), list(vars({kind})), {kind}.__weakref__)
    print("keys" in dict(inspect.getmembers({kind})))
    attempt(lambda: iter({kind}), lambda: "name" in {kind})

    @dataclasses.dataclass
    class Row:
        thing: object

    print(copy.copy({kind}) is {kind}, dataclasses.replace(Row({kind})).thing is {kind})
    calls = (copy.deepcopy, pickle.dumps, lambda thing: dataclasses.asdict(Row(thing)))
    for call in calls:
        try:
            call({kind})
        except TypeError as error:
            print(str(error) == str(error).replace("Swig", "") and "to_dict()" in str(error))
    """)
    assert out.splitlines() == [
        "True ['this'] None",
        "True",
        f"TypeError '{kind}' object is not iterable",
        f"TypeError '{kind}' object is not a container",
        "True True",
        *["True"] * 3,
    ]


def test_derived_classes(python: Python) -> None:
    """They denote what their base does, and declare what they have themselves."""
    out = python("""
    class Root(nvme.root):
        pass

    class Host(nvme.host):
        def subsystems(self):
            return (s for s in super().subsystems() if "one" in s.subsysnqn)

    class Ctrl(nvme.ctrl):
        tag = None
        __slots__ = ("slot",)

        def __init__(self, *args, tag, **kwargs):
            super().__init__(*args, **kwargs)
            self.tag = self.slot = tag

    mine = Host(Root())
    print(mine == host, host == mine, {mine, host} == {mine}, mine == 1, mine == ctrl)
    print(repr(mine).split()[0], dict(mine) == dict(host), mine.to_dict() == host.to_dict())
    there = Ctrl(root, "nqn.2", "tcp", "10.1.1.1", tag="a")
    print(repr(there), there.tag, there.slot, there.options(), there == there)
    for name, value in (("tga", 1), ("state", "dead"), ("connect", None)):
        try:
            setattr(there, name, value)
        except AttributeError as error:
            print(name)
    class Unmade(nvme.ctrl):
        def __init__(self):
            pass
    print(repr(Unmade()))
    """)
    assert out.splitlines() == [
        "True True True False False",
        "<__main__.Host True True",
        "<__main__.Ctrl not connected nqn.2 tcp traddr=10.1.1.1> a a {} True",
        "tga",
        "state",
        "connect",
        "<__main__.Unmade (without its __init__())>",
    ]


def test_names_of_others_are_shown_and_no_more(python: Python, host: FakeHost) -> None:
    """What a target chose as its name does nothing to the terminal that a repr is printed on."""
    host.subsystem(1, EVIL.replace("\n", "")).controller(2, "tcp", state="\x1b[2J")
    out = python(f"""
    root = nvme.root()
    things = [nvme.host(root, hostnqn={EVIL.replace(chr(0x202E), "")!r})]
    for host in root.hosts():
        for subsystem in host.subsystems():
            things += [subsystem, *subsystem.controllers()]
    for thing in things:
        assert repr(thing).isprintable(), ascii(repr(thing))
        print(ascii(repr(thing)))
    """)
    assert r"nqn.\\x1b[31m\\nevil" in out and r"nqn.\\x1b[31m\\u202eevil" in out
    assert r"(\\x1b[2J)" in out


def test_addresses_of_interfaces(python: Python) -> None:
    """ip_interface() is an address with the length of its network, which is no part of it."""
    out = python("""
    from ipaddress import ip_interface
    root = nvme.root()
    made = nvme.ctrl(root, "nqn.2", "tcp", ip_interface("10.1.1.1/24"),
                     host_traddr=ip_interface("fe80::2%lo/64"))
    print(made.traddr, made.host_traddr)
    """)
    assert out == "10.1.1.1 fe80::2%lo\n"


def test_what_is_missing_is_named(python: Python) -> None:
    """It is neither made up nor taken from whatever comes first."""
    out = python("""
    root = nvme.root()
    root.log_level("crit")
    numbered(
        lambda: nvme.ctrl(root, None, "tcp", "10.1.1.1"),
        lambda: nvme.ctrl(root, "nqn.2", None, "10.1.1.1"),
        lambda: nvme.ctrl(root, "nqn.2", "mptcp"),
        lambda: nvme.subsystem(next(root.hosts()), None),
    )
    """)
    assert [line.partition(":")[0] for line in out.splitlines()] == [
        f"Error 22 {name} is None" for name in ("subsysnqn", "transport", "traddr", "subsysnqn")
    ]


OTHER = """
try:
    from libnvme import nvme
except ImportError as error:
    print(error, flush=True)
from libnvme import mptcp
print(len(mptcp.metrics()) > 100, flush=True)
"""


def test_other_interpreters_are_refused(python: Python) -> None:
    """Another interpreter of the process would hang with the first message of the library."""
    out = python(f"""
    try:
        import _xxsubinterpreters as interpreters
        other = interpreters.create(isolated=False)
    except ImportError:  # 3.13
        import _interpreters as interpreters
        other = interpreters.create("legacy")
    interpreters.run_string(other, {OTHER!r})
    interpreters.destroy(other)
    print(len(list(nvme.root().hosts())))
    """)
    assert out.splitlines() == [
        "libnvme.nvme works in the main interpreter of a process alone",
        "True",
        "1",
    ]
