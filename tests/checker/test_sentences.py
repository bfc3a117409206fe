"""Every sentence is true in a share of the random states; `python -m tests.checker` runs the whole number."""

import os
import random

import pytest

from tests.checker.checking import checked
from tests.checker.pages import PAGES

STATES = int(os.environ.get("HEADLIGHT_CHECKED_STATES", "100"))
"""Random states of each page in one run."""


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_sentence_is_true(page: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    again = f"python -m tests.checker --page {page} --seed {seed} --states {STATES}"
    assert (again, checked(PAGES[page], STATES, seed)) == (again, {})
