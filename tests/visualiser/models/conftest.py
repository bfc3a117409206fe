"""Models of a folder need nothing from outside."""

from collections.abc import Iterator

import pytest

from tests.offline import offline


@pytest.fixture(autouse=True)
def _offline() -> Iterator[None]:
    with offline():
        yield
