"""Whatever came after 1/√d_k, in any combination, is that of mpmath from the tensors on, to rounding."""

import pytest

from tests.draws import cases
from tests.references.comparing import Compared
from tests.references.exact_states import compared_with_exact, states

MOST = 5.0
"""Units of `Compared`. Over 2,000 states 2.8 was measured (docs/truth.md)."""
COUNT = 180

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def all_compared() -> list[Compared]:
    return list(compared_with_exact(cases(COUNT), 0))


def test_no_number_is_further_from_the_exact_one_than_rounding(all_compared: list[Compared]) -> None:
    assert [one for one in all_compared if not one.float32 <= MOST] == []


def test_every_normalisation_has_its_quantities_in_memory_and_in_passes(all_compared: list[Compared]) -> None:
    whole = {"weights", "statistics", "Jacobian"}
    passed = {"weights, streamed", "statistics, streamed"}
    for name in ("softmax", "sink", "sigmoid", "entmax"):
        found = {one.quantity for one in all_compared if one.reference == f"mpmath, {name}"}
        assert found == (whole if name == "entmax" else whole | passed)


def test_the_states_have_every_pair_of_settings() -> None:
    met = {
        (config.normalisation, config.softcap > 0, config.qk_norm, config.log_n) for _, config, _ in states(COUNT, 0)
    }
    assert len(met) == 4 * 2 * 2 * 2
