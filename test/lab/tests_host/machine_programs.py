#!/usr/bin/python3 -IS
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stands in for the programs of a real machine, by the name that it is called by.

The machine is the directory THREAD_ROOT. What it is asked is in its calls.log; a line of its file
``broken`` is the beginning of a command that fails, of ``slow`` that of one that takes its time.
"""

import fcntl
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(os.environ["THREAD_ROOT"])
NAME, WORDS = Path(sys.argv[0]).name, sys.argv[1:]
CONTROLLERS = ROOT / "sys/class/nvme"


def option(name):
    return WORDS[WORDS.index(name) + 1] if name in WORDS else ""


def put(path, text):
    """Writes a file so that whoever reads it meanwhile sees the old text or the new one."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    made.write_text(text)
    made.replace(path)


def load(name):
    return json.loads((ROOT / name).read_text())


def nvme_version():
    print("nvme version 2.16 (nvme-mptcp 0.2.0)")


def nvme_show_endpoints():
    print(json.dumps(load("mptcp.json")))


def nvme_setup():
    state, plan = load("mptcp.json"), load("plan.json")
    there = [e["address"] for e in state["endpoints"]]
    new = [address for address in plan["links"].values() if address not in there]
    steps = [{"action": "add", "command": f"ip mptcp endpoint add {a}"} for a in new]
    if state["limits"] != plan["limits"]:
        steps.append({"action": "limits", "command": "ip mptcp limits set"})
    steps += plan["steps"]
    if "--apply" in WORDS:
        for address in new:
            id = 1 + max([e["id"] for e in state["endpoints"]], default=0)
            state["endpoints"].append(
                {"id": id, "address": address, "flags": ["signal"], "subflows": 0}
            )
        state["limits"] = plan["limits"]
        put(ROOT / "mptcp.json", json.dumps(state))
        put(ROOT / "proc/sys/net/mptcp/add_addr_timeout", "2\n")
    links = [{"link": name, "address": a} for name, a in plan["links"].items()]
    print(json.dumps({"links": links, "steps": steps}))


def nvme_connect():
    with (ROOT / "kernel.lock").open("w") as lock:
        # the kernel's part, which takes unused subsystems away, does not come between
        fcntl.flock(lock, fcntl.LOCK_EX)
        connect_one()


def connect_one():
    count = len(list(CONTROLLERS.iterdir()))
    nqn, transport = option("--nqn"), option("--transport")
    # whoever sees a controller sees all of it
    top, made = CONTROLLERS / f"nvme{7 + count}", ROOT / f"made-{os.getpid()}"
    (made / f"nvme7c{7 + count}n1").mkdir(parents=True)
    port, lines = option("--trsvcid"), ""
    for queue in range(2):
        for link, address in enumerate(("127.0.0.21", "127.0.0.22")):
            lines += (
                f"0 0 127.0.0.1{link + 1}:{41000 + queue} {address}:{port} cwnd:1{link} "
                f"bytes_acked:900000 token:0000000a(id:0)/{count}{queue}ab(id:{link})\n"
            )
    facts = {"subsysnqn": nqn, "transport": transport, "queue_count": "2", "delete_controller": "",
             "ss": lines if transport == "mptcp" else ""}  # fmt: skip
    for name, text in facts.items():
        (made / name).write_text(text)
    made.rename(top)
    subsystem = ROOT / "sys/class/nvme-subsystem/nvme-subsys7"
    if not subsystem.exists():
        (subsystem / "nvme7n1").mkdir(parents=True)
        (subsystem / "subsysnqn").write_text(f"{nqn}\n")
        (subsystem / "iopolicy").write_text("numa\n")
        (subsystem / "nvme7n1/nsid").write_text("1\n")
        (ROOT / "dev/nvme7n1").touch()
    print(f"connecting to device: {top.name}")


def ip():
    if WORDS == ["-V"]:
        print("ip utility, iproute2-6.1.0, libbpf 1.1.2")
    elif WORDS == ["-j", "address", "show"]:
        print((ROOT / "addresses.json").read_text())
    elif WORDS[:3] == ["-j", "route", "get"]:
        route = load("routes.json").get(WORDS[3])
        if not route:
            sys.exit("RTNETLINK answers: Network is unreachable")
        print(json.dumps([{"dst": WORDS[3], **route}]))
    elif WORDS[:4] == ["mptcp", "endpoint", "delete", "id"]:
        state = load("mptcp.json")
        state["endpoints"] = [e for e in state["endpoints"] if str(e["id"]) != WORDS[4]]
        put(ROOT / "mptcp.json", json.dumps(state))
    elif WORDS[:3] == ["mptcp", "limits", "set"]:
        state = load("mptcp.json")
        state["limits"] = {WORDS[i]: int(WORDS[i + 1]) for i in (3, 5)}
        put(ROOT / "mptcp.json", json.dumps(state))
    else:
        sys.exit(f"ip: {WORDS}")


def ss():
    for path in sorted(CONTROLLERS.glob("*/ss")):
        print(path.read_text(), end="")


def modules(change):
    path = ROOT / "proc/modules"
    name = WORDS[0].replace("-", "_")
    lines = [line for line in path.read_text().splitlines() if line.split()[0] != name]
    put(path, "".join(f"{line}\n" for line in change(f"{name} 1 0", lines)))
    place = ROOT / "sys/module" / name
    if name == "brd":
        place.mkdir() if NAME == "modprobe" else place.rmdir()


def modinfo():
    field, name = WORDS[1:]
    aliases = {"nvme-mptcp": "nvme-mptcp", "nvmet-tcp": "nvmet-transport-3\nnvmet-transport-4"}
    print({"filename": f"/lib/modules/{name}.ko", "srcversion": "ABC",
           "alias": aliases.get(name, "")}[field])  # fmt: skip


def fio():
    if WORDS == ["--version"]:
        print("fio-3.33")
        return
    disk = next(word.partition("=")[2] for word in WORDS if word.startswith("--filename"))
    assert disk == str(ROOT / "dev/nvme7n1"), disk
    for path in (ROOT / "sys/class/net").glob("*/statistics/rx_bytes"):
        put(path, str(int(path.read_text()) + (1 << 20)))
    percentiles = {p: 1e6 for p in ("50.000000", "99.000000", "99.900000")}
    part = {"bw_bytes": 1 << 22, "iops": 32.0, "clat_ns": {"percentile": percentiles}}
    print("note\n" + json.dumps({"jobs": [{"error": 0, "read": part, "write": part}]}))


def begins_in(name, asked):
    path = ROOT / name
    return path.exists() and any(asked.startswith(line) for line in path.read_text().splitlines())


def main():
    asked = " ".join([NAME, *WORDS])
    with (ROOT / "calls.log").open("a") as log:
        log.write(f"{asked}\n")
    if begins_in("slow", asked):
        time.sleep(4)
    if begins_in("broken", asked):
        sys.exit(f"{NAME}: broken")
    if NAME == "nvme-mptcp":
        globals()[f"nvme_{WORDS[0].replace('-', '_')}"]()
    elif NAME == "modprobe":
        modules(lambda new, old: [new, *old])
    elif NAME == "rmmod":
        modules(lambda _, old: old)
    else:
        globals()[NAME]()


main()
