"""The checker's own arithmetic: what it calls an equation that holds."""

import pytest

from tests.checker.equations import agrees, wrong


@pytest.mark.parametrize("written", ["66.2", "66.3", "66.25"])
def test_a_half_may_be_written_as_either_neighbour(written: str) -> None:
    assert agrees(66.25, written)


@pytest.mark.parametrize(("value", "written"), [(66.25, "66.1"), (66.25, "66.4"), (66.26, "66.2"), (2.0, "2.01")])
def test_another_number_is_none(value: float, written: str) -> None:
    assert not agrees(value, written)


def test_an_equation_is_found_and_computed() -> None:
    assert list(wrong("100 · 23 / 80 = 28.7")) == []
    assert list(wrong("√(9 + 16) = 5")) == []
    assert list(wrong("so 3 / 4 = 0.7")) == ["3 / 4 is 0.75, not 0.7"]
