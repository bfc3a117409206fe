"""Tests that await run on asyncio, as the server does."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """What pytest's anyio plugin runs tests on that carry its mark."""
    return "asyncio"
