"""Texts without their signs; the cases of tests/scripts/emphasis.json hold in the browser too."""

import json
from pathlib import Path

import pytest

from visualiser.export.emphasis import plainly

CASES = json.loads((Path(__file__).parents[2] / "scripts" / "emphasis.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("written", "plain"), CASES)
def test_a_text_loses_its_signs(written: str, plain: str) -> None:
    assert plainly(written) == plain
