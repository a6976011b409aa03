# SPDX-License-Identifier: GPL-2.0-or-later
"""Endpoints and limits of the path manager: as they are, as a plan has them, and taken back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .journal import Journal
from .place import Refused, at, run, text_of

TIMEOUT = "/proc/sys/net/mptcp/add_addr_timeout"
PORTS, INLINE = "/sys/kernel/config/nvmet/ports", "param_inline_data_size"

#: Steps of a plan that leave alone what was there before.
HARMLESS = ("add", "limits", "setting")

LIMITS = ("subflows", "add_addr_accepted")

State = dict[str, Any]


def state() -> State:
    """Endpoints by id (address, flags, live subflows), limits, and what setup may set beside."""
    shown = json.loads(run(["nvme-mptcp", "show-endpoints", "-o", "json"]))
    names = ("address", "flags", "subflows")
    return {
        "endpoints": {str(e["id"]): {name: e[name] for name in names} for e in shown["endpoints"]},
        "limits": {name: int(shown["limits"][name]) for name in LIMITS},
        "timeout": text_of(at(TIMEOUT)),
        "inline": {path.parent.name: text_of(path) for path in at(PORTS).glob(f"*/{INLINE}")},
    }


def find(role: str) -> list[tuple[str, str]]:
    """The links that `nvme mptcp setup` would use, each with its address; nothing is changed."""
    made = json.loads(run(["nvme-mptcp", "setup", "--role", role, "-o", "json"]))
    return [(link["link"], link["address"]) for link in made["links"]]


def plan(journal: Journal, role: str, traddrs: Sequence[str], devices: Sequence[str]) -> list[str]:
    """Makes the endpoints of these links, and limits, as `nvme mptcp setup` plans them.

    Returns the commands that would do the same. A plan that changes what others have made is
    refused, before anything is done.
    """
    command = [
        "nvme-mptcp", "setup", "--role", role, "--traddr", ",".join(traddrs),
        "--dev", ",".join(devices), "-o", "json",
    ]  # fmt: skip
    steps = json.loads(run(command))["steps"]
    others = [step["command"] for step in steps if step["action"] not in HARMLESS]
    if others:
        raise Refused(
            f"`nvme mptcp setup` would change endpoints that others made ({'; '.join(others)}): "
            "set this machine up by it yourself, or take these endpoints away"
        )
    before = state()
    # without a step too: the kernel makes endpoints of its own for subflows of ours
    entry = journal.note("mptcp", f"endpoints and limits for {', '.join(devices)}", before=before)
    if steps:
        run([*command, "--apply"])
    after = state()
    journal.complete(entry, made=_new(before, after), after=after)
    return [step["command"] for step in steps]


def _new(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Addresses of endpoints that are in ``after`` only, by id; another address is another one."""
    old = {number: e["address"] for number, e in before["endpoints"].items()}
    new = {number: e["address"] for number, e in after["endpoints"].items()}
    return {number: address for number, address in new.items() if old.get(number) != address}


def take_back(entry: Mapping[str, Any]) -> str:
    """Deletes what setup made and the kernel made of it, and has limits and setting as before.

    What somebody else has changed since stays as they want it.
    """
    before, now = entry["before"], state()
    # an agent that was killed while it made them did not get to note them: they are the new ones
    made = entry.get("made", _new(before, now))
    after = entry.get("after", now)
    stays = []
    for number, address in _new(before, now).items():
        if made.get(number) == address or _is_idle_implicit(now["endpoints"][number]):
            run(["ip", "mptcp", "endpoint", "delete", "id", number])
    if now["limits"] != before["limits"]:
        if now["limits"] == after["limits"]:
            words = [w for name, value in before["limits"].items() for w in (name, str(value))]
            run(["ip", "mptcp", "limits", "set", *words])
        else:
            stays.append("the limits are not those that setup made")
    if now["timeout"] != before["timeout"]:
        if now["timeout"] == after["timeout"]:
            at(TIMEOUT).write_text(f"{before['timeout']}\n")
        else:
            stays.append("net.mptcp.add_addr_timeout is not what setup made it")
    return "; ".join([*stays, *_take_back_inline(before, after, now)])


def _take_back_inline(before: State, after: State, now: State) -> Iterator[str]:
    """Has ports take what they took before; yields what stays."""
    for port, size in now["inline"].items():
        was, made = (kept.get("inline", {}).get(port, size) for kept in (before, after))
        if was in (made, size):
            continue
        if size != made:
            yield f"{INLINE} of port {port} is not what setup made it"
            continue
        try:
            at(f"{PORTS}/{port}/{INLINE}").write_text(f"{was}\n")
        except OSError as error:  # the kernel refuses it once the port is enabled
            yield f"{INLINE} of port {port} stays {size}: {error.strerror}"


def _is_idle_implicit(endpoint: Mapping[str, Any]) -> bool:
    """Did the kernel make it, for subflows that are gone?"""
    return "implicit" in (endpoint["flags"] or ()) and not endpoint["subflows"]
