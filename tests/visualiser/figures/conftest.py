"""Inputs of prime sizes, so that a swapped axis cannot pass."""

from collections.abc import Callable
from typing import Any

import pytest

from attention_core import AttentionConfig, AttentionResult, compute


@pytest.fixture
def result() -> Callable[..., AttentionResult]:
    def make(**settings: Any) -> AttentionResult:
        return compute(AttentionConfig(**{"n": 7, "h": 3, "d_k": 5, **settings}))

    return make
