"""Our attention is that of torch, ONNX, keras, scipy and mpmath, to rounding."""

import pytest

from tests.references.cases import CASES
from tests.references.comparing import Compared, compared
from tests.references.others import REFERENCES

MOST, MOST_64 = 4.0, 5.0
"""Units of `Compared`, in float32 and float64. Measured on two processors: 3.2 and 4.01 (docs/truth.md)."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def all_compared() -> list[Compared]:
    return list(compared())


@pytest.mark.night
def test_no_number_is_further_from_others_than_rounding(all_compared: list[Compared]) -> None:
    assert [one for one in all_compared if not one.float32 <= MOST] == []
    assert [one for one in all_compared if one.float64 is not None and not one.float64 <= MOST_64] == []


@pytest.mark.night
def test_every_reference_is_held_against_every_case_that_it_can_compute(all_compared: list[Compared]) -> None:
    dot = {name for name, make in CASES.items() if make().hidden is None}
    met = {reference: {one.case for one in all_compared if one.reference == reference} for reference in REFERENCES}
    assert met == {
        "torch SDPA": dot,
        "torch MultiheadAttention": dot,
        "ONNX Attention-23": dot,
        "keras AdditiveAttention": set(CASES) - dot,
        "scipy softmax, entropy": set(CASES),
        "mpmath, 420 digits": set(CASES),
    }


def test_the_exact_reference_gives_every_quantity(all_compared: list[Compared]) -> None:
    found = {one.quantity for one in all_compared if one.reference == "mpmath, 420 digits"}
    assert found == {"weights", "output", "entropy", "jacobian_norm", "jacobian_trace"}
