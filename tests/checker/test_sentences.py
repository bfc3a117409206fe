"""Every sentence is true in a share of the random states; `python -m tests.checker` runs the whole number."""

import os
import random
from typing import Final

import pytest

from tests.checker.checking import checked
from tests.checker.pages import PAGES

STATES: Final = os.environ.get("HEADLIGHT_CHECKED_STATES")
"""Random states of each page in one run; without it fifty, or fewer of a page whose states take long."""
FEWER: Final = {"explore_predicted": 8, "why": 12, "explore": 25, "map": 25}


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_sentence_is_true(page: str) -> None:
    states = int(STATES or FEWER.get(page, 50))
    seed = random.SystemRandom().randrange(2**32)
    again = f"python -m tests.checker --page {page} --seed {seed} --states {states}"
    assert (again, checked(PAGES[page], states, seed)) == (again, {})
