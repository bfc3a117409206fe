"""Five hundred requests of the fuzzer against a real server; ``python -m tests.fuzz`` sends any number."""

import pytest

from tests.fuzz.fuzzer import fuzz

pytestmark = pytest.mark.slow


def test_five_hundred_requests_find_nothing() -> None:
    report = fuzz(list(range(500)), seed=1)
    assert report.failures == []
    assert sum(report.statuses.values()) == 500
