# SPDX-License-Identifier: LGPL-2.1-or-later
"""Common parts of libnvme.nvme's classes: text, equality, documents; and their arguments."""

from __future__ import annotations

import os
import sys

from ._errors import Error

TYPE_CHECKING = False  # typing defines it, but importing typing takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn, TypeVar

    _T = TypeVar("_T")


def path(value: Any) -> Any:
    """Return a path as str; other values unchanged, for the callee to check."""
    return os.fsdecode(value) if isinstance(value, os.PathLike) else value


def address(value: Any) -> Any:
    """Return an IP address as str, without an interface's prefix length; other values unchanged."""
    ipaddress = sys.modules.get("ipaddress")  # if it was never imported, there are no such objects
    if not ipaddress or not isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return value
    return str(value).partition("/")[0]  # the attribute ip of an interface drops the zone


def number_text(value: Any) -> Any:
    """Return a number as str; other values unchanged, for the callee to check."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def options(cfg: Any) -> Any:
    """Return connection options with addresses as str."""
    if not isinstance(cfg, dict):
        return cfg
    return {key: address(value) for key, value in cfg.items()}


def number(text: str | None, more: int = 0) -> int | None:
    """Return a number that the kernel wrote, plus more; None if it is not a number."""
    try:
        return None if text is None else int(text) + more
    except ValueError:
        return None


def node(text: str | None) -> int | None:
    """Return a NUMA node; None for the kernel's -1, which means no node."""
    found = number(text)
    return None if found is None or found < 0 else found


class Kind:
    """Properties that differ between classes."""

    __slots__ = ("children", "denotes", "keys", "words")

    def __init__(
        self,
        denotes: Callable[[Any], tuple[Any, ...] | None],
        words: Callable[[Any], str],
        keys: tuple[str, ...],
        children: tuple[str, ...] = (),
    ) -> None:
        #: The identity of an object; None: the Python object itself.
        self.denotes = denotes
        #: Text that identifies an object to users.
        self.words = words
        #: Names of the properties in its dict; none of them is a secret.
        self.keys = keys
        #: Names of the generators of its child objects.
        self.children = children


def _ctrl_denotes(ctrl: Any) -> tuple[Any, ...] | None:
    if ctrl.name is None:
        return None
    to = (ctrl.subsysnqn, ctrl.transport, ctrl.traddr, ctrl.trsvcid)
    return (ctrl.name, *to, ctrl.host_traddr, ctrl.host_iface)


def _ctrl_words(ctrl: Any) -> str:
    name, state = ctrl.name or "not connected", ctrl.state
    where = ctrl.address or ",".join(
        f"{key}={value}"
        for key in ("traddr", "trsvcid", "host_traddr", "host_iface")
        if (value := getattr(ctrl, key))
    )
    words = (name, f"({state})" if state else None, ctrl.subsysnqn, ctrl.transport, where)
    return " ".join(word for word in words if word)


def _host_denotes(host: Any) -> tuple[Any, ...]:
    return (host.hostnqn, host.hostid)


KINDS = {
    "root": Kind(
        lambda root: None,
        lambda root: root.config_file or "",
        ("config_file", "application"),
        ("hosts",),
    ),
    "host": Kind(
        _host_denotes,
        lambda host: f"{host.hostnqn} {host.hostid or ''}".rstrip(),
        ("hostnqn", "hostid", "hostsymname"),
        ("subsystems",),
    ),
    "subsystem": Kind(
        lambda it: (*_host_denotes(it.host), it.subsysnqn, it.name),
        lambda subsystem: f"{subsystem.name or 'not connected'} {subsystem.subsysnqn}",
        tuple(
            "name subsysnqn model serial firmware subsystype iopolicy application sysfs_dir".split()
        ),
        ("controllers", "namespaces"),
    ),
    "ctrl": Kind(
        _ctrl_denotes,
        _ctrl_words,
        tuple(
            "name state subsysnqn transport address traddr trsvcid port host_traddr host_iface"
            " cntrltype dctype cntlid controller_id model serial firmware numa_node node"
            " queue_count queues sqsize queue_size phy_slot discovered discovery_ctrl"
            " unique_discovery_ctrl persistent keyring tls_key_identity sysfs_dir".split()
        ),
        ("namespaces", "paths"),
    ),
    "ns": Kind(
        lambda ns: (ns.subsystem.subsysnqn, ns.nsid, ns.name),
        lambda ns: f"{ns.name} {ns.nsid} {ns.subsystem.subsysnqn}",
        tuple("name nsid eui64 nguid uuid size block_size used sysfs_dir".split()),
    ),
    "path": Kind(
        lambda path: (path.name, path.ctrl.subsysnqn, path.ctrl.name),
        lambda path: f"{path.name} {path.ana_state or ''} {path.ctrl.subsysnqn}",
        tuple("name ana_state numa_nodes queue_depth sysfs_dir".split()),
    ),
}


def plain(key: str, value: Any) -> Any:
    """Return a value as in JSON: an identifier that is all zeros becomes None."""
    if not isinstance(value, bytes):
        return value
    if not any(value):
        return None
    if key != "uuid":
        return value.hex()
    import uuid

    return str(uuid.UUID(bytes=value))


_bases: dict[type, type | None] = {}


def _base(cls: type) -> type | None:
    """Return the class of libnvme.nvme that a class is, or is derived from."""
    if cls not in _bases:
        _bases[cls] = next((c for c in cls.__mro__ if c.__module__ == Error.__module__), None)
    return _bases[cls]


def _kind(thing: Any) -> Kind:
    base = _base(type(thing))
    assert base is not None
    return KINDS[base.__name__]


def add_metaclass(metaclass: Callable[..., type]) -> Callable[[type], type]:
    """Return a decorator that recreates a class with a metaclass."""

    def wrapper(cls: type) -> type:
        own = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, own)

    return wrapper


def _is_declared(cls: type, name: str) -> bool:
    """Return whether a name is a property, or belongs to a derived class."""
    if isinstance(getattr(cls, name, None), property):
        return True
    return any(name in vars(c) for c in cls.__mro__[: cls.__mro__.index(_base(cls) or object)])


def guard_attributes(store: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
    """Return a __setattr__ that refuses unknown names, such as misspelt ones."""

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if name == "thisown":
            self.this.own(value)
        elif name == "this" or _is_declared(type(self), name):
            store(self, name, value)
        else:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    return set_attribute


def _visible(text: str) -> str:
    """Escape characters that cannot be printed: names come from other machines."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def _denoted(thing: Any) -> tuple[Any, ...]:
    settled: tuple[Any, ...] | None = getattr(thing, "_settled", None)
    return settled or _kind(thing).denotes(thing) or (id(thing),)


class Common:
    """Methods that each class copies, see methods.i: swig gives classes no base of their own."""

    def __repr__(self) -> str:
        try:
            words = _kind(self).words(self)
        except (ReferenceError, RuntimeError) as error:
            words = f"({error})"
        except TypeError:
            words = "(without its __init__())"
        cls = type(self)
        return f"<{cls.__module__}.{cls.__qualname__} {_visible(words)}>".replace(" >", ">")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if _base(type(other)) is not _base(type(self)):
            return NotImplemented
        return _denoted(self) == _denoted(other)

    def __hash__(self) -> int:
        # The hash must not change, or a set or dict would not find the object again.
        denoted = _denoted(self)
        object.__setattr__(self, "_settled", denoted)
        return hash(denoted)

    def __copy__(self: _T) -> _T:
        return self  # handles are shared, not copied

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"{self!r} belongs to its root in this process: "
            "it can be neither pickled nor deeply copied, but to_dict() can"
        )

    def keys(self) -> Iterator[str]:
        """Yield the names of the properties that dict() contains; none is a secret."""
        return iter(_kind(self).keys)

    def __getitem__(self, key: str) -> Any:
        if key not in _kind(self).keys:
            raise KeyError(key)
        return getattr(self, key)

    def to_dict(self) -> dict[str, Any]:
        """Return the properties and child objects as in JSON, without secrets.

        Identifiers of namespaces are text there, None if unset.
        """
        kind = _kind(self)
        document = {key: plain(key, getattr(self, key)) for key in kind.keys}
        for name in kind.children:
            document[name] = [child.to_dict() for child in getattr(self, name)()]
        return document

    def to_json(self, indent: int | None = None) -> str:
        """Return to_dict() as JSON."""
        import json

        return json.dumps(self.to_dict(), indent=indent)
