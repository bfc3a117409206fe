"""The two experiments as values: accepted settings, messages for the others, and the order of curves."""

import re
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from attention_core import InvalidInput
from attention_core.experiments import (
    HEADS_BOUNDS,
    QUALITY_BOUNDS,
    HeadsCurve,
    HeadsExperiment,
    QualityCurve,
    QualityExperiment,
)


def test_the_default_experiments():
    quality, heads = QualityExperiment(), HeadsExperiment()
    assert (quality.task, quality.steps, quality.batch, quality.learning_rate) == ("reverse", 150, 16, 3e-3)
    assert quality.curves[:5] == (
        QualityCurve("scaled", 4),
        QualityCurve("unscaled", 4),
        QualityCurve("additive", 4),
        QualityCurve("qk_norm_unscaled", 4),
        QualityCurve("scaled", 16),
    )
    assert (len(quality.curves), quality.every_seed) == (20, (0, 1, 2, 3, 4))
    assert (heads.steps, heads.batch, heads.m, heads.classes, heads.d_model) == (600, 64, 4, 8, 48)
    assert heads.curves == tuple(HeadsCurve(h, 48 // h) for h in (1, 2, 3, 4, 8))


@pytest.mark.parametrize("task", ["recall", "noisy"])
def test_each_task_has_its_own_length(task):
    assert (QualityExperiment(task=task).steps, QualityExperiment(task=task).batch) == (300, 32)
    assert QualityExperiment(task=task, steps=7).steps == 7


def test_lists_keep_their_order_and_lose_what_comes_twice():
    given: dict[str, Any] = {"d_k": [64, 4, 64.0], "mechanism": "unscaled"}
    experiment = QualityExperiment(**given, seed=11, seeds=3)
    assert (experiment.d_k, experiment.mechanism, experiment.every_seed) == ((64, 4), ("unscaled",), (11, 12, 13))
    assert hash(experiment) == hash(QualityExperiment(d_k=(64, 4), mechanism=("unscaled",), seed=11, seeds=3))
    with pytest.raises(FrozenInstanceError):
        experiment.steps = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("settings", "code", "message"),
    [
        ({"task": "sort"}, "unknown_choice", "task must be one of reverse, recall, noisy; got 'sort'."),
        (
            {"mechanism": ["scaled", "dot"]},
            "unknown_choice",
            "mechanism must be one of scaled, unscaled, additive, qk_norm_unscaled; got 'dot'.",
        ),
        ({"d_k": ()}, "nothing_chosen", "d_k must name at least one value; got none."),
        ({"d_k": (4, 2048)}, "out_of_range", "d_k must be between 1 and 1024; got 2048."),
        ({"d_k": "64"}, "not_a_number", "d_k must be a whole number; got '64'."),
        ({"steps": True}, "not_a_number", "steps must be a whole number; got True."),
        ({"learning_rate": float("nan")}, "not_a_number", "learning_rate must be a finite number; got nan."),
        ({"learning_rate": 1}, "out_of_range", "learning_rate must be between 1e-05 and 0.3; got 1.0."),
        ({"seeds": 0}, "out_of_range", "seeds must be between 1 and 20; got 0."),
        (
            {"initialisation": "zero"},
            "unknown_choice",
            "initialisation must be one of standard, small_projections, large_projections, large_w; got 'zero'.",
        ),
    ],
)
def test_what_quality_refuses(settings, code, message):
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$") as caught:
        QualityExperiment(**settings)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("settings", "code", "message"),
    [
        (
            {"h": (1, 5)},
            "not_divisible",
            "d_model must be a multiple of every h (h · d_k = d_model); got d_model 48 and h 5.",
        ),
        ({"h": []}, "nothing_chosen", "h must name at least one value; got none."),
        ({"m": 9}, "out_of_range", "m must be between 1 and 8; got 9."),
        ({"mlp": 1}, "unknown_choice", "mlp must be one of True, False; got 1."),
    ],
)
def test_what_heads_refuses(settings, code, message):
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$") as caught:
        HeadsExperiment(**settings)
    assert caught.value.code == code


RECIPE = {"steps": (1, 3000), "batch": (1, 128), "seeds": (1, 20), "seed": (0, 2**31 - 1), "evaluation": (32, 4096)}
ENDS = {
    QualityExperiment: RECIPE | {"learning_rate": (1e-5, 0.3), "d_k": (1, 1024)},
    HeadsExperiment: RECIPE
    | {"h": (1, 16), "m": (1, 8), "d_model": (8, 128), "classes": (2, 64), "mlp_width": (1, 256)},
}


@pytest.mark.parametrize(("made", "field"), [(made, field) for made, ends in ENDS.items() for field in ends])
def test_both_ends_of_every_setting_are_taken_and_nothing_beyond(made, field):
    low, high = ENDS[made][field]
    fitting = {"d_model": 48} if field == "h" else {"h": 1} if field == "d_model" else {}
    for end in (low, high):
        taken = getattr(made(**{**fitting, field: end}), field)
        assert taken in (end, (end,))
    step = 1 if isinstance(low, int) else 1e-6
    for beyond in (low - step, high + step):
        with pytest.raises(InvalidInput, match=f"^{field} must be between {low} and {high}; got "):
            made(**{**fitting, field: beyond})


def test_defaults_lie_within_their_bounds():
    for experiment, bounds in ((QualityExperiment(), QUALITY_BOUNDS), (HeadsExperiment(), HEADS_BOUNDS)):
        for name, bound in bounds.items():
            value = getattr(experiment, name)
            values = value if isinstance(value, tuple) else (value,)
            assert all(bound.minimum <= number <= bound.maximum for number in values), name
            assert bound.minimum <= bound.default <= bound.maximum, name
    heads = HeadsExperiment()
    assert all(getattr(heads, name) == HEADS_BOUNDS[name].default for name in HEADS_BOUNDS if name != "h")
