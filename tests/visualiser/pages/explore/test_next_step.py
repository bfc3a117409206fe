"""The next step that Explore offers: one whose effect the state makes visible, and that the visitor can take."""

from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute
from visualiser.locale import LANGUAGES
from visualiser.pages.explore.facts import Facts
from visualiser.pages.explore.next_step import WIDE, suggestion
from visualiser.state.view import View

OFFERED: list[tuple[dict[str, Any], str | None]] = [
    ({}, "unscale"),
    ({"n": 512}, "unscale"),
    ({"n": 256, "scaling": "none"}, "scale"),
    ({"scaling": "none"}, "scale"),
    ({"scaling": "none", "d_k": 2}, "d_k"),
    ({"scaling": "d_k", "d_k": 512}, "too_small"),
    ({"mechanism": "additive"}, "compare_unscaled"),
    ({"mechanism": "additive", "d_k": 4}, None),
    ({"scaling": "custom", "scale": 0.0}, None),
    ({"mask": "window", "window": 1, "n": 1}, None),
    ({"scaling": "none", "d_k": 1, "source": "structured"}, "log"),  # 1/√d_k is 1 as well
    ({"source": "text", "text": "a a", "scaling": "d_k"}, None),  # equal keys: no factor makes them differ
]


@pytest.mark.parametrize(("settings", "name"), OFFERED)
def test_the_next_step_is_one_whose_effect_this_state_makes_visible(settings: dict[str, Any], name: str | None) -> None:
    found = suggestion(compute(AttentionConfig(**settings)))
    assert (found and found.name) == name


@pytest.mark.slow
@pytest.mark.parametrize("settings", [settings for settings, name in OFFERED if name])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_button_does_what_it_says(settings: dict[str, Any], lang: str) -> None:
    result = compute(AttentionConfig(**settings))
    step = suggestion(result)
    assert step is not None
    of_the_config = {name: value for name, value in step.change.items() if name not in ("pin", "colour")}
    changed = compute(AttentionConfig(**{**settings, **of_the_config}))
    before, after = Facts(result), Facts(changed)
    label = step.label(lang)
    match step.name:
        case "unscale" | "d_k":
            assert after.moments[1] > before.moments[1]
            assert after.mean("entropy") < before.mean("entropy")
        case "scale":
            assert before.moments[1] > WIDE > after.moments[1]
            assert "1/√d_k" in label
        case "log":
            assert step.change == {"colour": "log"}
        case "too_small":
            assert after.moments[1] > before.moments[1]
        case "compare_unscaled":
            assert changed.config.mechanism == "dot_product"
            assert step.change["pin"] is True
            assert "A" in label
            assert "B" in label
    if step.name == "d_k":
        assert str(changed.config.d_k) in label


def test_logarithmic_colours_are_offered_only_where_linear_ones_are_seen_and_others_would_show_more() -> None:
    result = compute(AttentionConfig(n=256, h=2))
    names = [
        (step := suggestion(result, view)) and step.name
        for view in (
            View(colour_range="full"),
            View(colour_range="full", head=2),
            View(colour_range="per_head"),
            View(),  # up to the quantile, more than one weight in twenty is seen to differ from zero
            View(colour_range="full", colour="log"),
            View(colour_range="full", stage="scaled"),
            View(colour_range="full", hide=("colour",)),
        )
    ]
    assert names == ["log", "log", "log", "unscale", "unscale", "unscale", "unscale"]
    lost = compute(AttentionConfig(n=64, h=2, d_k=512, scaling="custom", scale=1.0))  # beyond four decades as well
    assert suggestion(lost) is None


def test_no_step_is_offered_that_the_page_could_not_take() -> None:
    widest = compute(AttentionConfig(n=2, h=1, d_k=1024, tie=False, scaling="none", source="structured"))
    step = suggestion(widest)
    assert step is None or step.name != "d_k"


def test_a_files_width_is_not_raised() -> None:
    Q, K = torch.eye(3)[None], torch.eye(3)[None]
    config = AttentionConfig(source="upload", scaling="none")
    assert suggestion(compute(config, AttentionInputs(Q=Q, K=K, V=K))) is None


def test_a_control_that_a_class_does_not_see_is_not_moved() -> None:
    result = compute(AttentionConfig(scaling="none"))
    assert suggestion(result, View(hide=("mask",))) is not None
    assert suggestion(result, View(hide=("scaling",))) is None
    assert suggestion(result, View(hide=("controls",))) is None
