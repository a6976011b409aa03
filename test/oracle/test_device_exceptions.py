# SPDX-License-Identifier: GPL-2.0-or-later
"""What the lab lists beside the oracle's exceptions is documented, too; it is run there."""

from __future__ import annotations

from conftest import TOP
from device_exceptions import EXCEPTIONS


def test_every_exception_is_documented() -> None:
    """Users read of it in doc/compatibility-list.md."""
    text = " ".join((TOP / "doc/compatibility-list.md").read_text().split())
    assert [e.documented for e in EXCEPTIONS if e.documented not in text] == []
