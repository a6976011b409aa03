# SPDX-License-Identifier: LGPL-2.1-or-later
"""The schema of the JSON configuration and the library accept and refuse the same samples.

The library's side is in test/unit/config_read.c. A schema says nothing about text that is not JSON,
nor about keys that are given twice: those samples are named syntax-*. The build makes the schema of
libnvme/config.schema.txt and the tables of options and transports.
"""

import json
from pathlib import Path

import jsonschema
import pytest
from conftest import BUILD

TOP = Path(__file__).parents[2]
SAMPLES = TOP / "test/data/config"
GOOD = sorted(SAMPLES.glob("good/*.json"))
BAD = sorted(path for path in SAMPLES.glob("bad/*.json") if not path.name.startswith("syntax-"))
#: The library reads them, with a warning or as 1.16 does.
LENIENT = sorted(SAMPLES.glob("lenient/*.json"))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """The schema, itself valid."""
    schema = json.loads((BUILD / "libnvme/config.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )


def test_there_are_samples() -> None:
    """An empty directory would make the tests below pass."""
    assert len(GOOD) >= 6
    assert len(BAD) >= 20


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_samples_fit(validator: jsonschema.Draft202012Validator, path: Path) -> None:
    validator.validate(json.loads(path.read_text()))


@pytest.mark.parametrize("path", [*BAD, *LENIENT], ids=lambda path: path.stem)
def test_bad_samples_do_not(validator: jsonschema.Draft202012Validator, path: Path) -> None:
    """What the library refuses does not fit, nor what no program should write."""
    assert not validator.is_valid(json.loads(path.read_text()))
