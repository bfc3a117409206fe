"""Requests have one key if the same answer is right for them."""

from typing import Any

import pytest

from visualiser.server.live.cache_key import key_of

FIELDS = {"query": "n=4", "previous": "n=3", "known": ["a"], "address": "http://x/"}


@pytest.mark.parametrize(
    ("fields", "same", "same_comparing"),
    [
        ({"known": ["b"]}, True, True),
        ({"address": "http://y/"}, True, True),
        ({"lang": "ko"}, True, True),  # the visitor's language is settled already
        ({"previous": "n=5"}, True, False),
        ({"query": "n=5"}, False, False),
        ({"row": 1}, False, False),
    ],
)
def test_fields_on_which_an_answer_depends(fields: dict[str, Any], same: bool, same_comparing: bool) -> None:
    for compares, alike in ((False, same), (True, same_comparing)):
        one, other = (key_of(found, "en", compares=compares) for found in (FIELDS, FIELDS | fields))
        assert (one == other) is alike, compares


def test_the_language_and_the_models_that_stand_count() -> None:
    keys = [
        key_of({}, lang, compares=False, standing=standing) for lang in ("en", "ko") for standing in ((), (0,), (1,))
    ]
    assert len(set(keys)) == 6
    assert {len(key or b"") for key in keys} == {16}


def test_the_order_of_fields_does_not_count() -> None:
    one, other = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert key_of(one, "en", compares=True) == key_of(other, "en", compares=True)


def test_what_nests_too_deeply_has_no_key() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert key_of({"deep": deep}, "en", compares=False) is None
