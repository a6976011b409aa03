# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several shapes at a time, each in namespaces of its own: most of what a test takes is waiting."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from shape_net import Net, lacks
from shape_nvme import Machines

#: Rows wait nine tenths of their time, except on emulated processors.
AT_ONCE = int(os.environ.get("SHAPES_AT_ONCE", "0")) or 10 * (os.cpu_count() or 1)

MADE_HERE = ("net", "machines")


def at_once(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test that gets @net and @machines of its own, and runs beside others."""
    names = [name for name in inspect.signature(test).parameters if name not in MADE_HERE]

    @functools.wraps(test)
    def awaited(**given: Any) -> None:
        given["proofs"][given["request"].node.nodeid].result()

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("request", "proofs", *names)]
    awaited.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    awaited.shape_test = test  # type: ignore[attr-defined]
    return awaited


def require(*kinds: str) -> None:
    """Skip a test where this kernel lacks any of these kinds of devices, or firewall."""
    for kind in kinds:
        if reason := lacks(kind):
            pytest.skip(f"skipped: {reason}")


def prove(test: Callable[..., None], given: dict[str, Any], directory: Path) -> None:
    """Run one of them."""
    with Net() as net:
        test(**given, net=net, machines=Machines(net, directory))


@pytest.fixture(scope="session")
def proofs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What became of each: begun in the order of the tests, as soon as the first one is awaited."""
    pool = ThreadPoolExecutor(AT_ONCE)
    begun: dict[str, Future[None]] = {}
    for item in request.session.items:
        function = getattr(item, "function", None)
        if hasattr(function, "shape_test"):
            given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
            directory = tmp_path_factory.mktemp("shape")
            begun[item.nodeid] = pool.submit(prove, function.shape_test, given, directory)
    yield begun
    pool.shutdown(cancel_futures=True)
