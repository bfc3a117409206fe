"""Every sentence is true in fixed states, at night in thousands; `python -m tests.checker` takes any number."""

from typing import Final

import pytest

from tests import draws
from tests.checker.checking import checked
from tests.checker.pages import PAGES

GATE: Final = 200
"""States of all pages together in the gate."""
NIGHT: Final = 20_000
"""The same at night."""
SLOWER: Final = {"explore_predicted": 4, "why": 3, "explore": 2, "map": 2}
"""How many times fewer a page has whose states take long."""


def states(page: str) -> int:
    """Return the number of states of a page."""
    shares = {name: 1 / SLOWER.get(name, 1) for name in PAGES}
    total = GATE if draws.NIGHT is None else NIGHT
    return round(total * shares[page] / sum(shares.values()))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_sentence_is_true(page: str) -> None:
    seed = draws.seed("checker", page)
    again = f"python -m tests.checker --page {page} --seed {seed} --states {states(page)}"
    assert (again, checked(PAGES[page], states(page), seed)) == (again, {})


def test_all_states_are_shared_out() -> None:
    assert abs(sum(map(states, PAGES)) - (GATE if draws.NIGHT is None else NIGHT)) < len(PAGES)
