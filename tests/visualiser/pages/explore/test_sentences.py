"""Explore's sentences in the states that students meet, and in those where an earlier sentence was false."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute
from visualiser.locale import LANGUAGES, number
from visualiser.locale.message import write_all
from visualiser.pages.explore.sentences import in_full, insight
from visualiser.state.view import View


def describe(view: View | None = None, **settings: Any) -> str:
    return " ".join(write_all(in_full(compute(AttentionConfig(**settings)), view), "en"))


def keys(result: AttentionResult, view: View | None = None) -> list[str]:
    return [sentence.key.removeprefix("insight.") for sentence in in_full(result, view)]


def uploaded(Q: torch.Tensor, K: torch.Tensor, **settings: Any) -> AttentionResult:
    return compute(AttentionConfig(source="upload", **settings), AttentionInputs(Q=Q[None], K=K[None], V=K[None]))


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
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
def test_one_to_three_sentences_in_both_languages(lang: str, settings: dict[str, Any], view: View) -> None:
    written = write_all(in_full(compute(AttentionConfig(**settings)), replace(view, lang=lang)), lang)
    assert 1 <= len(written) <= 3
    assert all(sentence.endswith(".") and "{" not in sentence for sentence in written)


def test_unscaled_scores_at_d_k_512_saturate_and_the_numbers_are_those_of_the_result() -> None:
    result = compute(AttentionConfig(d_k=512, scaling="none"))
    first, second = write_all(in_full(result), "en")
    mean, variance = float(result.scaled.mean()), float(result.scaled.var(correction=0))
    assert first == (
        f"The scores have variance {number(variance)}: they spread by ±{number(variance**0.5)} around their mean of "
        f"{number(mean)}. Footnote 4 predicts variance 512 and mean 0 for d_k = 512 with this scaling."
    )
    assert "saturated" in second
    assert f"one key takes {number(float(result.largest_weight.mean()))} of a row's weight" in second
    assert f"the median norm of the softmax Jacobian is {number(float(result.jacobian_norm.quantile(0.5)))}" in second


def test_scaled_scores_at_the_same_d_k_do_not() -> None:
    description = describe(d_k=512)
    assert "saturat" not in description
    assert "Changing a score still moves the weights" in description


def test_small_norms_of_uniform_rows_are_not_called_saturation() -> None:
    description = describe(d_k=512, scaling="d_k")
    assert "nearly uniform" in description
    assert "not because of saturation" in description


def test_two_uniform_keys_have_the_largest_norm_and_nothing_else_is_said() -> None:
    description = describe(n=2, scaling="custom", scale=0.0)
    assert "small" not in description
    assert "the Jacobian's norm is 0.5 on average, where 0.5 is possible" in description


def test_a_mask_that_leaves_one_key_makes_no_row_spread_its_weight() -> None:
    """?n=2&mask=causal&scaling=custom&scale=0: a norm of 0.25 "because the weight is spread over many keys"."""
    result = compute(AttentionConfig(n=2, mask="causal", scaling="custom", scale=0.0))
    assert keys(result) == ["zero", "uniform_few", "mask.causal"]
    assert in_full(result)[1].facts["norm"] == pytest.approx(0.25)


def test_saturation_with_a_mean_norm_above_a_uniform_rows_is_told_of_half_of_the_rows() -> None:
    """The mean norm is 0.08 here, that of a row uniform over 512 keys 0.044: "almost no gradient passes" was false."""
    result = compute(AttentionConfig(d_k=512, scaling="none"))
    assert float(result.jacobian_norm.mean()) > 0.044
    (saturated,) = (sentence for sentence in in_full(result) if sentence.key == "insight.saturated")
    assert saturated.facts["norm"] < 0.03
    assert "almost no gradient" not in saturated.written("en")


def test_the_footnote_is_cited_only_where_it_applies() -> None:
    assert "Footnote 4 predicts variance" in describe()
    assert "Footnote 4 predicts nothing" in describe(source="text")
    assert "Footnote" not in describe(mechanism="additive")


def test_equal_scores_are_told_by_their_value() -> None:
    """Q ≡ 5, K ≡ 3: "variance 0, so a typical score is ±0", while every score was 30."""
    result = uploaded(torch.full((3, 4), 5.0), torch.full((6, 4), 3.0))
    first, second = in_full(result)
    assert first.key == "insight.scores.equal"
    assert first.facts["score"] == pytest.approx(30.0)
    assert second.key == "insight.uniform_few"


def test_scores_are_told_with_their_mean() -> None:
    """Their mean is −1.2 at this seed: a typical score is not ±0.64, their standard deviation."""
    result = compute(AttentionConfig(n=2, h=1, d_model=46, seed=488455))
    facts = in_full(result)[0].facts
    assert facts["mean"] == pytest.approx(float(result.scaled.mean()))
    assert abs(facts["mean"]) > 0.5


@pytest.mark.parametrize(
    ("n_q", "n_k", "mask", "expected"),
    [
        (3, 6, "causal", {"mask.causal_more": {"keys": 6, "first": 4}}),
        (6, 3, "causal", {"mask.causal_fewer": {"query": 3}, "mask.empty": {"empty": 3}}),
        (4, 4, "causal", {"mask.causal": {"keys": 4}}),
        (6, 3, "window", {"mask.window": {"keys": 3}, "mask.empty": {"empty": 2}}),
        (2, 2, "window", {"mask.nothing": {}}),
    ],
)
def test_a_mask_is_described_for_the_numbers_of_queries_and_keys(
    n_q: int, n_k: int, mask: str, expected: dict[str, dict[str, int]]
) -> None:
    """A file of Q 3 × 4 and K 6 × 4 under the causal mask: query 0 sees four keys, not itself alone."""
    draws = torch.Generator().manual_seed(0)
    Q, K = (torch.randn(count, 4, generator=draws) for count in (n_q, n_k))
    payload = {s.key.removeprefix("insight."): s.facts for s in in_full(uploaded(Q, K, mask=mask, window=1))}
    assert {key: facts for key, facts in payload.items() if key.startswith("mask")}.keys() == expected.keys()
    for key, facts in expected.items():
        assert payload[key].items() >= facts.items()


def test_a_locked_row_names_its_strongest_key_and_its_own_ceiling() -> None:
    result = compute(AttentionConfig(source="text", mask="causal"))
    row = 3
    key = int(result.weights[2, row].argmax())
    assert result.tokens is not None
    first = write_all(in_full(result, View(row=row, head=3)), "en")[0]
    assert first.startswith(f"Query 3 “on”, head 3: key {key} “{result.tokens[key]}” gets")
    assert "of at most 1.39 nats" in first
    assert first.endswith(" of 4 keys.")


def test_a_locked_row_with_one_key_has_no_choice_and_one_with_equal_keys_no_strongest() -> None:
    assert keys(compute(AttentionConfig(mask="causal")), View(row=0))[0] == "row_one_key"
    uniform = compute(AttentionConfig(scaling="custom", scale=0.0, n=5))
    tied = in_full(uniform, View(row=2))[0]
    assert (tied.key, tied.facts["count"]) == ("insight.row_tied", 5)


def test_repeated_tokens_are_pointed_out_and_positions_change_the_claim() -> None:
    assert "“the” occurs 4 times: equal tokens have equal embeddings" in describe(source="text")
    assert "sinusoidal positions" in describe(source="text", positions=True)
    assert "times" not in describe(source="text", text="one two three")


def test_saturation_is_judged_by_rows_that_have_a_choice_and_told_of_all() -> None:
    """A causal mask's first row gives 1 to its only key: it counts in the mean that is told, not in the verdict."""

    def rows(seed: int) -> tuple[float, float, list[str]]:
        config = AttentionConfig(n=3, h=1, d_k=8, tie=False, scaling="none", mask="causal", seed=seed)
        largest = compute(config).largest_weight[0]
        return float(largest.mean()), float(largest[1:].mean()), write_all(in_full(compute(config)), "en")

    of_all, choosing, written = rows(9)
    assert of_all > 0.9 > choosing
    assert "is saturated:" not in written[1]
    seed = next(seed for seed in range(100) if rows(seed)[1] > 0.95)
    of_all, choosing, written = rows(seed)
    assert number(of_all) != number(choosing)
    assert "is saturated:" in written[1]
    assert number(of_all) in written[1]


@pytest.mark.parametrize(
    ("settings", "view", "key"),
    [
        ({}, View(), "insight.between"),
        ({}, View(row=3), "insight.row"),
        ({"mask": "causal"}, View(row=0), "insight.row_one_key"),
        ({"scaling": "custom", "scale": 0.0}, View(), "insight.zero"),
        ({"scaling": "custom", "scale": 0.0}, View(row=3), "insight.row_tied"),
        ({"d_k": 512, "tie": False, "scaling": "none"}, View(), "insight.saturated"),
        ({"d_k": 512, "tie": False, "scaling": "none", "dtype": "float16"}, View(), "insight.format.both"),
        (
            {"d_k": 512, "tie": False, "scaling": "none", "dtype": "float16", "subtract_max": False},
            View(),
            "insight.format.broken",
        ),
    ],
)
def test_what_was_just_done_or_broke_stands_first(settings: dict[str, Any], view: View, key: str) -> None:
    result = compute(AttentionConfig(**settings))
    first, *others = insight(result, view)
    assert first.key == f"short.{key}"
    assert others == in_full(result, view)


def test_a_long_token_makes_no_long_first_sentence() -> None:
    result = compute(AttentionConfig(source="text", text="a " + "x" * 90))
    first, second, *_ = insight(result, View(row=1))
    assert len(first.written("en")) <= 90 < len(second.written("en"))
