# SPDX-License-Identifier: GPL-2.0-or-later
"""What the oracle's lists of exceptions, and the lab's beside them, say is documented."""

from importlib import import_module

import pytest
from conftest import TOP

LISTS = {
    path.stem: import_module(path.stem)
    for path in sorted((TOP / "test/oracle").glob("*exceptions.py"))
}


@pytest.mark.parametrize("name", LISTS)
def test_every_exception_is_documented(name: str) -> None:
    text = " ".join((TOP / "doc/compatibility-list.md").read_text().split())
    listed = getattr(LISTS[name], "DEVIATIONS" if name == "exceptions" else "EXCEPTIONS")
    assert [e.documented for e in listed if e.documented not in text] == []
