# SPDX-License-Identifier: LGPL-2.1-or-later
"""Events of the path manager, for threads, for select() and for asyncio."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _mptcp
from ._arguments import Path, path_text
from ._document import make
from ._documents import Event
from ._names import MODULE
from ._times import wait

if TYPE_CHECKING:
    import asyncio


class Monitor:
    """Listens to the path manager from its creation; iterating waits for the next event.

    Requires CAP_NET_ADMIN. It can be closed, also by a with statement, and passed to select(). In
    asyncio, async for waits without blocking the loop. Closing it ends both kinds of iteration, and
    wakes a thread in wait().
    """

    def __init__(self, netns: Path | None = None) -> None:
        self._netns = path_text(netns)
        self._monitor = _mptcp.Monitor(self._netns)
        self._sleeping: asyncio.Future[None] | None = None
        self._closed = False

    def __repr__(self) -> str:
        where = f" in {self._netns}" if self._netns else ""
        return f"<{MODULE}.Monitor{where}{' (closed)' if self._closed else ''}>"

    def wait(self, timeout: float | None = None) -> Event | None:
        """Return the next event, or None if there is none within timeout seconds.

        None is also returned if another thread closes the monitor meanwhile; ValueError is raised
        if it was closed before.
        """
        document = wait(self._monitor.next, timeout, lambda: self._closed)
        return None if document is None else make(Event, document)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when there is an event."""
        return self._monitor.fileno()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._closed

    def close(self) -> None:
        """Stop listening, also while another thread waits; a second call does nothing."""
        self._closed = True
        sleeping = self._sleeping
        if sleeping is not None:
            with contextlib.suppress(RuntimeError):  # a closed loop watches nothing
                sleeping.get_loop().call_soon_threadsafe(_wake, sleeping)
                return  # the loop watches the descriptor and closes it
        self._monitor.close()

    def __iter__(self) -> Iterator[Event]:
        while not self._closed:
            event = self.wait()
            if event:
                yield event

    def __aiter__(self) -> Monitor:
        return self

    async def __anext__(self) -> Event:
        import asyncio  # already imported by the caller

        await asyncio.sleep(0)  # let other tasks run even if events never end
        if self._sleeping is not None and not self._sleeping.get_loop().is_closed():
            raise RuntimeError("another task is waiting for this monitor")
        while not self._closed:
            event = self.wait(0)
            if event:
                return event
            await self._sleep()
        raise StopAsyncIteration

    async def _sleep(self) -> None:
        """Wait until there may be an event, or it is closed."""
        import asyncio

        loop, descriptor = asyncio.get_running_loop(), self.fileno()
        self._sleeping = sleeping = loop.create_future()
        loop.add_reader(descriptor, _wake, sleeping)
        try:
            await sleeping
        finally:
            if not loop.is_closed():
                loop.remove_reader(descriptor)
            if self._sleeping is sleeping:
                self._sleeping = None
                if self._closed:
                    self._monitor.close()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Monitor:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.close()


def _wake(sleeping: asyncio.Future[None]) -> None:
    if not sleeping.done():
        sleeping.set_result(None)


def monitor(netns: Path | None = None) -> Monitor:
    """Listen to the path manager: for event in mptcp.monitor(): ..., or async for."""
    return Monitor(netns)
