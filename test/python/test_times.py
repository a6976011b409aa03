# SPDX-License-Identifier: LGPL-2.1-or-later
"""Seconds that a caller gives, and waiting for exactly so long."""

import pytest
from conftest import Python
from test_mptcp import in_namespace

CALLS = {
    "monitor.wait(VALUE)": "timeout",
    "keeper.wait(VALUE)": "timeout",
    "mptcp.check(interval=VALUE)": "interval",
    "mptcp.report(interval=VALUE)": "interval",
    "mptcp.metrics(interval=VALUE)": "interval",
    "mptcp.repair(apply=False, wait=VALUE)": "wait",
    "mptcp.Keeper(metrics_interval=VALUE)": "metrics_interval",
}


def test_what_is_no_time_is_named() -> None:
    """Not a number, and no number: the argument is named, whoever takes it."""
    out = in_namespace(f"""
    monitor, keeper = mptcp.monitor(), mptcp.Keeper()
    for call in {list(CALLS)}:
        for value in ("float('nan')", "'1'", "[]"):
            attempt(lambda: eval(call.replace("VALUE", value)))
    for call in ("check", "report", "metrics"):
        for value in (-1, float("inf"), 10**400):
            attempt(lambda: getattr(mptcp, call)(interval=value))
    """)
    lines = out.splitlines()
    for i, name in enumerate(CALLS.values()):
        nan, text, other = lines[3 * i : 3 * i + 3]
        assert nan.startswith(f"ValueError {name} is nan, not a ")
        assert text == f"TypeError {name} must be a number of seconds, not str"
        assert other == f"TypeError {name} must be a number of seconds, not list"
    wrong = [f"ValueError interval is {value}" for value in ("-1", "in", "10")] * 3
    assert len(lines) == 3 * len(CALLS) + len(wrong)
    assert all(map(str.startswith, lines[3 * len(CALLS) :], wrong))


@pytest.mark.parametrize(("value", "error"), [("'1'", "TypeError"), ("10**400", "ValueError")])
def test_timeouts_of_calls(python: Python, value: str, error: str) -> None:
    """Also those that the kernel is at work for."""
    out = python(f"""
    root = nvme.root()
    ctrl = nvme.ctrl(root, "nqn.2", "tcp", "10.1.1.1")
    attempt(
        lambda: ctrl.connect(nvme.host(root), timeout={value}),
        lambda: ctrl.discover(timeout={value}),
    )
    """)
    begun = [line.startswith(f"{error} timeout ") for line in out.splitlines()]
    assert begun == [True, True]


def test_waiting_lasts() -> None:
    """What a handler of a signal does meanwhile ends no wait; infinite is for ever."""
    out = in_namespace("""
    import signal, threading, time
    rings = []
    signal.signal(signal.SIGALRM, lambda *_: rings.append(1))

    def lasts(call):
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        began = time.monotonic()
        result = call()
        signal.setitimer(signal.ITIMER_REAL, 0)
        return result, time.monotonic() - began >= 0.3, len(rings) > 1

    monitor, keeper = mptcp.monitor(), mptcp.Keeper()
    while keeper.wait(0):
        keeper.round()
    print(*lasts(lambda: monitor.wait(0.3)))
    print(*lasts(lambda: keeper.wait(0.3)))
    for waits in (monitor, keeper):
        threading.Timer(0.6, waits.close).start()
        print(*lasts(lambda: waits.wait(float("inf"))))
    """)
    assert out.splitlines() == [
        "None True True",
        "False True True",
        "None True True",
        "False True True",
    ]


def test_a_loop_that_ended() -> None:
    """A task that a closed loop left behind neither holds the monitor nor keeps it open."""
    out = in_namespace("""
    import asyncio, gc, os

    async def begin(monitor):
        task = asyncio.ensure_future(anext(monitor))
        await asyncio.sleep(0.01)
        return task

    def leave(monitor):
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)
        task = loop.run_until_complete(begin(monitor))
        loop.close()
        return task

    descriptors = len(os.listdir("/proc/self/fd"))
    with mptcp.monitor() as monitor:
        left = leave(monitor)
    print(monitor.closed, len(os.listdir("/proc/self/fd")) - descriptors)

    async def again(monitor):
        task = await begin(monitor)
        monitor.close()
        return await asyncio.gather(task, return_exceptions=True)

    with mptcp.monitor() as monitor:
        more = leave(monitor)
        print(asyncio.run(again(monitor)))
        del left, more
        gc.collect()
    print(len(os.listdir("/proc/self/fd")) - descriptors)
    """)
    assert out.splitlines() == ["True 0", "[StopAsyncIteration()]", "0"]


def test_a_flood_of_events() -> None:
    """While events come faster than they are read, other tasks run and a timeout is one."""
    out = in_namespace("""
    import asyncio, time

    class Flood:
        def next(self, wait_ms):
            return '{"event":"created","type":1,"time_us":1}'
        def close(self):
            pass

    async def read(monitor):
        ends = time.monotonic() + 10
        async for event in monitor:
            if time.monotonic() > ends:
                return "starved"

    async def main():
        monitor = mptcp.monitor()
        monitor._monitor = Flood()
        try:
            print(await asyncio.wait_for(read(monitor), 0.1))
        except asyncio.TimeoutError:
            print("timeout")
        monitor.close()

    asyncio.run(main())
    """)
    assert out == "timeout\n"
