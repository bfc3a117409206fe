"""Requests of the fuzzer against a real server; ``python -m tests.fuzz`` sends any number."""

import pytest

from tests import draws
from tests.fuzz.fuzzer import fuzz

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]

REQUESTS = 150 if draws.NIGHT is None else 20_000


def test_random_requests_find_nothing() -> None:
    seed = draws.seed("fuzz")
    report = fuzz(list(range(REQUESTS)), seed=seed)
    assert (seed, report.failures) == (seed, [])
    assert sum(report.statuses.values()) == REQUESTS
