"""Requests of the fuzzer against a real server, other ones in each run; ``python -m tests.fuzz`` sends any number."""

import os
import random

import pytest

from tests.fuzz.fuzzer import fuzz

pytestmark = pytest.mark.slow

REQUESTS = int(os.environ.get("HEADLIGHT_FUZZED", "150"))


def test_random_requests_find_nothing() -> None:
    seed = random.SystemRandom().randrange(2**31)
    report = fuzz(list(range(REQUESTS)), seed=seed)
    assert (seed, report.failures) == (seed, [])
    assert sum(report.statuses.values()) == REQUESTS
