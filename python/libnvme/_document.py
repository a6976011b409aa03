# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convert the documents of libnvme.mptcp: frozen dataclasses from JSON, and back."""

from __future__ import annotations

import gc
import json
import types
from collections.abc import Callable
from dataclasses import MISSING, field, fields, is_dataclass
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

_T = TypeVar("_T")

VERSION = 1  # version of all documents

_makers: dict[type, Callable[[dict[str, Any]], Any]] = {}


def _key(name: str) -> str:
    return name.removesuffix("_")  # from_ is "from"


def _maker(cls: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes an object of a dataclass from a dict, and tuples from lists."""
    if cls not in _makers:
        names = [member.name for member in fields(cls)]
        keys = [_key(name) for name in names]
        below = [(m.name, _maker(m.metadata["of"])) for m in fields(cls) if "of" in m.metadata]

        def made(data: dict[str, Any]) -> Any:
            found = [tuple(v) if type(v) is list else v for v in map(data.get, keys)]
            values = dict(zip(names, found, strict=True))
            for name, maker in below:
                value = values[name]
                if isinstance(value, tuple):
                    values[name] = tuple(map(maker, value))
                elif value is not None:
                    values[name] = maker(value)
            return cls(**values)

        _makers[cls] = made
    return _makers[cls]


def make(cls: type[_T], document: str | dict[str, Any]) -> _T:
    """Make an object of a dataclass from the library's JSON, or from a dict; ignore other keys."""
    collecting = gc.isenabled()
    gc.disable()  # the many new objects contain no garbage
    try:
        data = json.loads(document) if isinstance(document, str) else document
        made: _T = _maker(cls)(data)
    finally:
        if collecting:
            gc.enable()
    return made


def of(cls: type, default: Any = MISSING) -> Any:
    """Declare a field with one or several objects of a class."""
    return field(metadata={"of": cls}, default=default)


class _Shape(NamedTuple):
    """The values that a place in the JSON may have."""

    kinds: tuple[type, ...]
    optional: bool
    items: _Shape | None
    """Shape of the items of a list, or of an object without a class; None: any."""
    below: type | None
    """Class of the object, or of the objects in the list."""


_shapes: dict[type, dict[str, _Shape]] = {}
_KINDS: dict[Any, tuple[type, ...]] = {
    int: (int,),
    float: (int, float),
    str: (str,),
    bool: (bool,),
    tuple: (list,),
    dict: (dict,),
}


def _shape(hint: Any, below: type | None) -> _Shape:
    args = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    kinds: list[type] = []
    items = None
    for arg in args:
        origin = get_origin(arg)
        if is_dataclass(arg):
            kinds.append(dict)
        elif arg is not type(None):
            kinds += _KINDS.get(origin or arg, (str,))  # all other types are words
        if origin in (tuple, dict) and not below:
            item = get_args(arg)[0 if origin is tuple else 1]
            items = None if item is Any else _shape(item, None)
    return _Shape(tuple(kinds), type(None) in args, items, below)


def _shapes_of(cls: type) -> dict[str, _Shape]:
    if cls not in _shapes:
        hints = get_type_hints(cls)
        _shapes[cls] = {
            member.name: _shape(hints[member.name], member.metadata.get("of"))
            for member in fields(cls)
        }
    return _shapes[cls]


def _require_shape(value: Any, shape: _Shape, place: str) -> None:
    if value is None:
        if not shape.optional:
            raise ValueError(f"{place}: missing")
        return
    if not isinstance(value, shape.kinds) or (isinstance(value, bool) and bool not in shape.kinds):
        raise ValueError(f"{place}: unexpected type {type(value).__name__}")
    if shape.below and isinstance(value, list):
        for i, item in enumerate(value):
            _require(shape.below, item, f"{place}[{i}]")
    elif shape.below:
        _require(shape.below, value, place)
    elif shape.items and isinstance(value, list):
        for i, item in enumerate(value):
            _require_shape(item, shape.items, f"{place}[{i}]")
    elif shape.items and isinstance(value, dict):
        for key, item in value.items():
            _require_shape(item, shape.items, f"{place}.{key}")


def _require(cls: type, data: Any, where: str) -> None:
    """Raise ValueError, which names the place, if data does not fit the class."""
    if not isinstance(data, dict):
        raise ValueError(f"{where}: must be an object")
    for name, shape in _shapes_of(cls).items():
        _require_shape(data.get(_key(name)), shape, f"{where}.{_key(name)}")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {_key(m.name): _plain(getattr(value, m.name)) for m in fields(value)}
    return dict(value) if isinstance(value, dict) else value


def read_document(
    cls: type[_T],
    text: str | bytes,
    complete: Callable[[dict[str, Any]], dict[str, Any]] = lambda data: data,
) -> _T:
    """Implement Document.from_json(); complete adds parts that a document may omit."""
    name = cls.__name__
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: not JSON: {error}") from None
    if isinstance(data, dict):
        if set(data) == {"error"}:  # printed by a command that failed
            raise ValueError(f"{name}: an error, not a document: {data['error']}")
        version = data.get("version", VERSION)
        if version != VERSION or not isinstance(version, int) or isinstance(version, bool):
            raise ValueError(f"{name}.version: {version!r} is not {VERSION}")
        data = complete(data)
    _require(cls, data, name)
    return make(cls, data)


class Document:
    """Base class of whole documents."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document as lists and dicts, as in JSON."""
        made: dict[str, Any] = _plain(self)
        return made if "version" in made else {"version": VERSION} | made

    def to_json(self, indent: int | None = None) -> str:
        """Return the document as JSON, which from_json() reads, here or on another machine."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls: type[_T], text: str | bytes) -> _T:
        """Make a document from the output of to_json() or of the command's -o json; it is not
        trusted.

        Unknown keys are ignored. ValueError, which names the place, is raised if text is no such
        document.
        """
        return read_document(cls, text)
