# SPDX-License-Identifier: GPL-2.0-or-later
"""What became of the tests of several boots, the ones that never ended among them."""

from pathlib import Path

import pytest
from nvmelab import junit

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_good" time="2"/>
<testcase classname="tests.test_a" name="test_bad" time="1"><failure>x</failure></testcase>
<testcase classname="tests.test_a" name="test_bad" time="1"><error>teardown</error></testcase>
<testcase classname="tests.test_a" name="test_left_out" time="0"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_boot_that_ended_by_itself(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(REPORT)
    tally = junit.of_boot(tmp_path, "test-6.12", 1)
    assert tally.line() == "1 passed, 1 failed, 1 skipped"
    assert tally.failed == ["test_a::test_bad"]


@pytest.mark.parametrize("status", [1, 124])
def test_a_boot_that_was_ended(tmp_path: Path, status: int) -> None:
    """Tests that nobody knows anything of are not counted as nothing."""
    (tmp_path / "junit.xml").write_text(REPORT)
    total = junit.of_boot(tmp_path, "test-6.12-1", 0)
    total.add(junit.of_boot(tmp_path / "none", "test-6.12-2", status))
    assert total.line() == "1 passed, 2 failed, 1 skipped"
    assert total.failed[1] == f"test-6.12-2 ended with status {status} before its tests had"


def test_a_boot_without_tests(tmp_path: Path) -> None:
    assert junit.of_boot(tmp_path, "test-pci", 0).line() == "0 passed, 0 failed, 0 skipped"
