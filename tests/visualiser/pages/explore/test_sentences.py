from dataclasses import replace
from typing import Any

import pytest

from attention_core import AttentionConfig, compute
from visualiser.locale import number
from visualiser.pages.explore.sentences import WIDE, insight, measure, suggestion
from visualiser.state.view import View


def told(view: View | None = None, **settings) -> str:
    return " ".join(insight(compute(AttentionConfig(**settings)), view))


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"d_k": 512, "scaling": "none"},
        {"d_k": 512, "scaling": "d_k"},
        {"d_k": 512, "mechanism": "additive"},
        {"mask": "causal"},
        {"mask": "window", "window": 1},
        {"source": "text"},
        {"n": 1},
        {"n": 2, "scaling": "custom", "scale": 0.0},
    ],
)
@pytest.mark.parametrize("view", [View(), View(row=1, head=3)])
def test_one_to_three_sentences_in_both_languages(lang, settings, view):
    sentences = insight(compute(AttentionConfig(**settings)), replace(view, lang=lang))
    assert 1 <= len(sentences) <= 3
    assert all(sentence.endswith(".") and "{" not in sentence for sentence in sentences)


def test_unscaled_scores_at_d_k_512_saturate_and_the_numbers_are_those_of_the_result():
    result = compute(AttentionConfig(d_k=512, scaling="none"))
    first, second = insight(result)
    variance = float(result.scaled.var(correction=0))
    assert first == (
        f"The scores have variance {number(variance)}, so a typical score is ±{number(variance**0.5)}; "
        "footnote 4 predicts variance 512 for d_k = 512 with this scaling."
    )
    assert "saturated" in second
    assert f"one key takes {number(float(result.largest_weight.mean()))} of a row's weight" in second


def test_scaled_scores_at_the_same_d_k_do_not():
    said = told(d_k=512)
    assert "saturat" not in said
    assert "Changing a score still moves the weights" in said


def test_small_norms_of_uniform_rows_are_not_called_saturation():
    said = told(d_k=512, scaling="d_k")
    assert "nearly uniform" in said
    assert "not because of saturation" in said


def test_two_uniform_keys_have_the_largest_norm_and_nothing_else_is_said():
    said = told(n=2, scaling="custom", scale=0.0)
    assert "is small" not in said
    assert "Jacobian norm 0.5, where 0.5 is the most" in said


def test_a_mask_that_leaves_one_key_is_not_called_saturation():
    result = compute(AttentionConfig(n=2, h=1, mask="causal", scaling="custom", scale=0.0))
    measures = measure(result)
    assert measures is not None
    assert measures.chosen == 0.5  # row 0 has one key and no choice
    assert measures.largest == 0.75  # the mean over both rows, as in the captions
    assert "saturated" not in " ".join(insight(result))


def test_the_footnote_is_cited_only_where_it_applies():
    assert "footnote 4" in told()
    assert "footnote 4" not in told(source="text")
    assert "footnote 4" not in told(mechanism="additive")


def test_a_locked_row_names_its_strongest_key():
    config = AttentionConfig(source="text")
    result = compute(config)
    key = int(result.weights[2, 1].argmax())
    assert result.tokens is not None
    first = insight(result, View(row=1, head=3))[0]
    assert first.startswith(f"Query 1 “cat”, head 3: key {key} “{result.tokens[key]}” gets")


def test_repeated_tokens_are_pointed_out_and_positions_change_the_claim():
    assert "“the” comes 4 times: equal tokens have equal embeddings" in told(source="text")
    assert "sinusoidal positions" in told(source="text", positions=True)
    assert "times" not in told(source="text", text="one two three")


def test_saturation_is_judged_by_rows_that_have_a_choice_and_told_of_all() -> None:
    """A causal mask's first row gives 1 to its only key: it counts in the mean that is told, not in the verdict."""

    def rows(seed: int) -> tuple[float, float, list[str]]:
        config = AttentionConfig(n=3, h=1, d_k=8, tie=False, scaling="none", mask="causal", seed=seed)
        largest = compute(config).largest_weight[0]
        return float(largest.mean()), float(largest[1:].mean()), insight(compute(config))

    told, choosing, said = rows(9)
    assert told > 0.9 > choosing
    assert "saturated" not in said[1]
    seed = next(seed for seed in range(100) if rows(seed)[1] > 0.9)
    told, choosing, said = rows(seed)
    assert number(told) != number(choosing)
    assert "saturated" in said[1]
    assert number(told) in said[1]


OFFERED: list[tuple[dict[str, Any], str | None]] = [
    ({}, "unscale"),
    ({"scaling": "none"}, "scale"),
    ({"scaling": "none", "d_k": 2}, "d_k"),
    ({"scaling": "d_k", "d_k": 512}, "too_small"),
    ({"mechanism": "additive"}, "compare_unscaled"),
    ({"mechanism": "additive", "d_k": 4}, None),
    ({"scaling": "custom", "scale": 0.0}, None),
    ({"mask": "window", "window": 1, "n": 1}, None),
]


@pytest.mark.parametrize(("settings", "name"), OFFERED)
def test_the_next_step_is_one_whose_effect_this_state_makes_visible(settings: dict[str, Any], name: str | None) -> None:
    found = suggestion(compute(AttentionConfig(**settings)))
    assert (found and found.name) == name


@pytest.mark.parametrize("settings", [settings for settings, name in OFFERED if name])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_button_does_what_it_says(settings: dict[str, Any], lang: str) -> None:
    result = compute(AttentionConfig(**settings))
    step = suggestion(result)
    assert step is not None
    changed = compute(AttentionConfig(**{**settings, **{k: v for k, v in step.change.items() if k != "pin"}}))
    before, after = (measure(one) for one in (result, changed))
    assert before is not None
    assert after is not None
    said = step.said(lang)
    match step.name:
        case "unscale" | "d_k":
            assert after.variance > before.variance
            assert after.entropy < before.entropy
        case "scale":
            assert before.variance > WIDE > after.variance
            assert "1/√d_k" in said
        case "too_small":
            assert after.variance > before.variance
        case "compare_unscaled":
            assert changed.config.mechanism == "dot_product"
            assert step.change["pin"] is True
            assert "A" in said
            assert "B" in said
    if step.name == "d_k":
        assert str(changed.config.d_k) in said


def test_no_step_is_offered_that_the_page_could_not_take() -> None:
    widest = compute(AttentionConfig(n=2, h=1, d_k=1024, tie=False, scaling="none", source="structured"))
    measures, step = measure(widest), suggestion(widest)
    assert measures is not None
    assert step is None or step.name != "d_k"
