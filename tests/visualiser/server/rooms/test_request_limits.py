"""What the limits of rooms remember has a bound."""

from unittest.mock import Mock

import pytest

from visualiser.server.rooms import request_limits
from visualiser.server.rooms.request_limits import RequestLimits, Visitor


def test_the_secret_that_was_used_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "_SECRETS", 2)
    limits, visitor = RequestLimits(Mock(), lambda: 0.0), Visitor("192.0.2.7", "t")
    for secret, code in (("first", "AAAAAA"), ("second", "BBBBBB"), ("first", "AAAAAA"), ("third", "CCCCCC")):
        limits.remember(visitor, secret, code)
    known = [limits.open(visitor, secret) for secret in ("first", "second", "third")]
    assert known == ["AAAAAA", "", "CCCCCC"]
