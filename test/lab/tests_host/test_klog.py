# SPDX-License-Identifier: GPL-2.0-or-later
"""The judge of kernel logs: what must fail a run does, what a healthy boot says does not."""

import pytest
from nvmelab import klog
from nvmelab.runner import split_console

BAD = [
    "[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000008",
    "[   12.345678] BUG: KASAN: slab-use-after-free in nvme_tcp_io_work+0x1c2/0x3a0 [nvme_tcp]",
    "[   12.345678] kernel BUG at net/core/skbuff.c:200!",
    "[    1.000000] WARNING: CPU: 1 PID: 77 at net/mptcp/protocol.c:1200 mptcp_sendmsg+0x40/0x50",
    "[   33.000001] WARNING: possible circular locking dependency detected",
    "[   33.000001] WARNING: possible recursive locking detected",
    "[   33.000001] WARNING: suspicious RCU usage",
    "[   33.000001] WARNING: inconsistent lock state",
    "[  120.000000] INFO: task kworker/0:1H:55 blocked for more than 60 seconds.",
    "[   23.968136] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI",
    "[   23.968136] Oops: general protection fault, probably for non-canonical address 0xdead",
    "[   23.968136] general protection fault: 0000 [#1] SMP",
    "[   23.968136] Kernel panic - not syncing: Fatal exception in interrupt",
    "[   60.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "[   60.000000] rcu: INFO: rcu_preempt self-detected stall on CPU",
    "[   60.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [fio:300]",
    "[   60.000000] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 40s!",
    "[   60.000000] BUG: scheduling while atomic: python3/138/0x00000002",
    "[   60.000000] BUG: sleeping function called from invalid context at net/core/sock.c:3600",
    "[   60.000000] refcount_t: underflow; use-after-free.",
    "[   60.000000] list_del corruption. prev->next should be ffff888, but was 0000",
    "[   60.000000] UBSAN: array-index-out-of-bounds in drivers/nvme/host/tcp.c:300:2",
    "[   60.000000] BUG: KFENCE: out-of-bounds read in nvmet_tcp_io_work+0x10/0x20",
    "[   60.000000] sysfs: cannot create duplicate filename '/class/nvme/nvme0'",
    "[   60.000000] unregister_netdevice: waiting for h1 to become free. Usage count = 2",
    "[   60.000000] Out of memory: Killed process 300 (fio) total-vm:1kB",
    "[   60.000000] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
    "[   60.000000] kmemleak: unreferenced object 0xffff888003a1c000 (size 64):",
    "[   60.000000] kmemleak: Cannot allocate a kmemleak_object structure",
    "[   60.000000] BUG: MAX_LOCKDEP_CHAINS too low!",
    "[   60.000000] INFO: lockdep is turned off.",
    "[   60.000000] WARNING: lock held when returning to user space!",
    "[   60.000000][    T1] WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2",
    "lab init: mounting /dev/vda on /lower: No such device",
]

GOOD = [
    "[    0.000000] Linux version 6.12.117+deb12-amd64 (debian-kernel@lists.debian.org)",
    "[    0.100000] Kernel command line: console=ttyS0 panic=-1 oops=panic",
    "[    0.100000] kfence: initialized - using 2097152 bytes for 255 objects",
    "[    0.100000] kasan: KernelAddressSanitizer initialized",
    "[    0.100000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar",
    "[    0.100000] ... MAX_LOCKDEP_SUBCLASSES:  8",
    "[    0.100000] kmemleak: Kernel memory leak detector initialized (mem pool available: 15000)",
    "[    0.100000] kmemleak: Automatic memory scanning thread started",
    "[    0.100000] rcu: Preemptible hierarchical RCU implementation.",
    "[    0.100000] rcu: \tRCU debug extended QS entry/exit.",
    "[    0.100000] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
    "[    0.100000] clocksource: watchdog on CPU1: Marking clocksource 'tsc' as unstable",
    "[    7.743760] nvme_auth: loading out-of-tree module taints kernel.",
    "[    7.743760] nvme_auth: module verification failed: signature and/or required key missing",
    '[   15.571780] nvme nvme0: Removing ctrl: NQN "nqn.2024-01.lab:disk"',
    "[   15.571780] nvme nvme0: failed to connect socket: -111",
    "[   15.571780] nvme nvme0: starting error recovery",
    "[   15.571780] lab: begin test_that_is_named_BUG_and_WARNING: too",
    "[   15.571780] DEBUG: nothing",
]


@pytest.mark.parametrize("line", BAD)
def test_trouble_is_found(line: str) -> None:
    (finding,) = klog.findings([line])
    assert finding.number == 1
    assert finding.text in line


@pytest.mark.parametrize("line", GOOD)
def test_health_is_not_trouble(line: str) -> None:
    assert klog.findings([line]) == []


def test_trouble_is_attributed_to_the_test_that_ran() -> None:
    log = [GOOD[0], "[   10.000000] lab: begin test_connect[tcp]", GOOD[9], BAD[3]]
    (finding,) = klog.findings(log)
    assert (finding.number, finding.during) == (4, "test_connect[tcp]")
    assert str(finding).startswith("line 4 (during test_connect[tcp]): WARNING: CPU: 1")


def test_only_the_kernels_part_of_the_console_is_judged(tmp_path) -> None:
    console, kernel = tmp_path / "console.log", tmp_path / "kernel.log"
    console.write_bytes(
        b"SeaBIOS (version 1.16.2)\r\nBUG: printed by a program\n"
        b"[    1.000000] hello \xff\n" + BAD[0].encode() + b"\n"
    )
    (finding,) = split_console(console, kernel)
    assert "NULL pointer" in finding.text
    lines = kernel.read_text().splitlines()
    assert len(lines) == 2
    assert lines[finding.number - 1] == BAD[0]


def test_a_console_that_never_came_has_no_trouble(tmp_path) -> None:
    assert split_console(tmp_path / "none", tmp_path / "kernel.log") == []


def trap(eflags: str) -> list[str]:
    """A warning about a trap flag that nobody set, with these flags."""
    return [
        "[   38.870178] WARNING: CPU: 0 PID: 172 at arch/x86/kernel/traps.c:1120 "
        "exc_debug_kernel+0xca/0x160",
        f"[   38.878062] RSP: 0000:fffffe3440af1f28 EFLAGS: {eflags}",
        "[   38.878689] Call Trace:",
    ]


def test_flags_that_no_processor_has_are_the_emulators() -> None:
    assert klog.findings(trap("43608002")) == []
    assert [found.number for found in klog.findings(trap("00000302"))] == [1, 3]
    another = (
        "[   38.9] WARNING: CPU: 1 PID: 77 at net/mptcp/protocol.c:1200 mptcp_sendmsg+0x40/0x50"
    )
    found = klog.findings([*trap("43608002"), another, "[   38.9] Call Trace:"])
    assert [one.text for one in found] == [klog.message(another)]
