# SPDX-License-Identifier: LGPL-2.1-or-later
from collections.abc import Mapping
from typing import Any

def snapshot(netns: str | None, /) -> str: ...
def check(
    netns: str | None,
    ctrls: tuple[str, ...],
    way: tuple[str | None, str | None, str | None, str | None],
    peer: str | None,
    ignore: tuple[str, ...],
    role: int,
    trial: bool,
    interval_ms: int,
    /,
) -> str: ...
def report(netns: str | None, interval_ms: int, /) -> str: ...
def read_report(file: str, /) -> None: ...
def save(file: str | bytes, text: str, secret: bool, /) -> None: ...
def setup(
    netns: str | None,
    traddrs: tuple[str, ...],
    devices: tuple[str, ...],
    role: int,
    replace: bool,
    apply: bool,
    /,
) -> tuple[str, int]: ...
def repair(
    netns: str | None,
    ctrls: tuple[str, ...],
    devices: tuple[str, ...],
    role: int,
    force: bool,
    apply: bool,
    /,
) -> tuple[str, int]: ...
def make(description: tuple[Any, ...], data: Mapping[str, Any], /) -> Any: ...

class Monitor:
    def __init__(self, netns: str | None, /) -> None: ...
    def next(self, timeout_ms: int, /) -> str | None: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...
