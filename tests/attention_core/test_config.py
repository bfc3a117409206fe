"""Defaults, the rule of d_k and tie, and the whole message of every error."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from attention_core import BOUNDS, CHOICES, AttentionConfig, InvalidInput


def test_defaults_are_the_papers_base_model():
    config = AttentionConfig()
    assert (config.n, config.d_model, config.h, config.d_k, config.tie) == (32, 512, 8, 64, True)


def test_every_bound_holds_the_default_of_its_field():
    config = AttentionConfig()
    for field, bound in BOUNDS.items():
        assert bound.default == getattr(config, field)
        assert bound.minimum <= bound.default <= bound.maximum


def test_every_choice_offers_the_default_of_its_field():
    config = AttentionConfig()
    assert all(getattr(config, field) in choices for field, choices in CHOICES.items())


@pytest.mark.parametrize(
    ("given", "d_k", "tie"),
    [
        ({}, 64, True),
        ({"h": 4}, 128, True),
        ({"d_model": 8, "h": 16}, 1, True),
        ({"d_k": 64}, 64, True),
        ({"d_k": 65}, 65, False),
        ({"d_k": 64, "h": 4}, 64, False),
        ({"tie": True, "d_k": 7}, 64, True),
        ({"tie": True, "d_model": 100, "h": 7}, 14, True),
        ({"tie": False}, 64, False),
        ({"tie": False, "h": 4}, 64, False),
        ({"tie": False, "d_k": 512}, 512, False),
        ({"tie": None, "d_k": None}, 64, True),
    ],
)
def test_tie_and_d_k_decide_about_each_other(given, d_k, tie):
    config = AttentionConfig(**given)
    assert (config.d_k, config.tie) == (d_k, tie)


@pytest.mark.parametrize(
    ("given", "factor"),
    [
        ({}, 1 / 8),
        ({"scaling": "none"}, 1.0),
        ({"scaling": "d_k"}, 1 / 64),
        ({"scaling": "custom", "scale": 0.3}, 0.3),
        ({"d_k": 7}, 1 / math.sqrt(7)),
        ({"mechanism": "additive"}, 1.0),
        ({"mechanism": "additive", "scaling": "custom", "scale": 0.3}, 1.0),
    ],
)
def test_factor(given, factor):
    assert AttentionConfig(**given).factor == factor


def test_a_config_is_a_frozen_value():
    config = AttentionConfig(n=5)
    assert config == AttentionConfig(n=5)
    assert hash(config) == hash(AttentionConfig(n=5))
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.n = 6  # type: ignore[misc]


def test_replace_keeps_what_is_valid():
    config = dataclasses.replace(AttentionConfig(d_k=512), d_k=64, tie=None)
    assert config == AttentionConfig()


def test_text_decides_about_n():
    assert AttentionConfig(source="text", text="a b c").n == 3
    assert AttentionConfig(source="text", text="a b c", split="characters").n == 3
    assert AttentionConfig(text="a b c").n == 32


def test_numbers_may_come_as_json_or_numpy_has_them():
    from_json: dict[str, Any] = {"n": 5.0, "h": np.int64(3), "scale": 2, "seed": 2**31 - 1}
    config = AttentionConfig(**from_json)
    assert (config.n, config.h, config.scale, config.seed) == (5, 3, 2.0, 2**31 - 1)
    assert [type(value) for value in (config.n, config.h, config.scale)] == [int, int, float]


def test_python_takes_sizes_beyond_the_page():
    config = AttentionConfig(n=1, h=17, d_model=4096, d_k=2048)
    assert (config.n, config.h, config.d_model, config.d_k) == (1, 17, 4096, 2048)


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ({"n": 0}, "out_of_range", "n must be at least 1; got 0."),
        ({"d_k": -3}, "out_of_range", "d_k must be at least 1; got -3."),
        ({"tie": True, "d_k": 0}, "out_of_range", "d_k must be at least 1; got 0."),
        ({"scale": 16.5}, "out_of_range", "scale must be between 0.0 and 16.0; got 16.5."),
        ({"seed": 2**31}, "out_of_range", "seed must be between 0 and 2147483647; got 2147483648."),
        ({"n": "32"}, "not_a_number", "n must be a whole number; got '32'."),
        ({"n": 2.5}, "not_a_number", "n must be a whole number; got 2.5."),
        ({"h": True}, "not_a_number", "h must be a whole number; got True."),
        ({"h": float("nan")}, "not_a_number", "h must be a whole number; got nan."),
        ({"window": math.inf}, "not_a_number", "window must be a whole number; got inf."),
        ({"scale": math.nan}, "not_a_number", "scale must be a finite number; got nan."),
        ({"scale": -math.inf}, "not_a_number", "scale must be a finite number; got -inf."),
        ({"scale": 10**400}, "not_a_number", f"scale must be a finite number; got 1{'0' * 40}…."),
        ({"scale": "2"}, "not_a_number", "scale must be a finite number; got '2'."),
        ({"scale": None}, "not_a_number", "scale must be a finite number; got None."),
        ({"mask": "diag"}, "unknown_choice", "mask must be one of none, causal, window; got 'diag'."),
        ({"mask": None}, "unknown_choice", "mask must be one of none, causal, window; got None."),
        ({"dtype": ["float32"]}, "unknown_choice", "dtype must be one of float32, float16, bfloat16; got ['float32']."),
        ({"tie": "yes"}, "unknown_choice", "tie must be one of True, False; got 'yes'."),
        ({"positions": 1}, "unknown_choice", "positions must be one of True, False; got 1."),
        ({"text": 5}, "not_a_text", "text must be a string; got 5."),
        ({"source": "text", "text": " "}, "text_empty", "text must hold at least one word or character; got ' '."),
        ({"text": "x" * 65537}, "text_too_long", "text must have at most 65536 characters; got 65537."),
    ],
)
def test_what_cannot_be_is_refused_with_the_whole_story(given, code, message):
    with pytest.raises(InvalidInput) as caught:
        AttentionConfig(**given)
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_details_let_a_page_say_it_in_another_language():
    with pytest.raises(InvalidInput) as caught:
        AttentionConfig(scale=99)
    limits = {"minimum": 0.0, "maximum": 16.0, "range": "0.0 … 16.0"}
    assert caught.value.details == {"field": "scale", "value": "99.0", **limits}
    with pytest.raises(InvalidInput) as caught:
        AttentionConfig(mask="fr")
    assert caught.value.details == {"field": "mask", "value": "'fr'", "choices": "none, causal, window"}


def test_a_message_quotes_little_of_a_huge_value():
    with pytest.raises(InvalidInput) as caught:
        AttentionConfig(mask="x" * 10_000_000)
    assert len(str(caught.value)) < 100
