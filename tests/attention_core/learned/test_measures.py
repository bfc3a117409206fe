"""Every measure of a head against plain loops, on random runs and on small random models of transformers."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig, compute
from attention_core.learned import (
    HEAD_MEASURES,
    Line,
    ModelRun,
    chances,
    head_measures,
    layer_inputs,
    mean_measures,
    shipped_model,
)
from attention_core.learned.head_totals import totals
from attention_core.models import CapturedLayer
from tests.attention_core.learned.oracles import (
    captured,
    captured_layers,
    heads_of,
    means,
    measured,
    random_run,
    with_layers,
)

SEEDS = st.integers(0, 10**6)
DELIMITERS = st.sampled_from([frozenset[int](), frozenset({0}), frozenset({1, 3, 7})])
MODEL = shipped_model("headlight")
TEXT = "Anna Miller sees the keys . ( Anna Miller , Ben Taylor ) the keys . Ben"


def assert_equal(found: dict[str, torch.Tensor], expected: dict[str, list[list[float]]]) -> None:
    assert list(found) == list(HEAD_MEASURES)
    for name, rows in expected.items():
        right = torch.tensor(rows, dtype=torch.float64)
        assert torch.allclose(found[name], right, rtol=1e-4, atol=1e-5, equal_nan=True), name


def test_the_measures_in_their_order_and_units():
    assert {name: measure.unit for name, measure in HEAD_MEASURES.items()} == {
        "entropy": "nats",
        "distance": "tokens",
        "sink": "share",
        "previous_token": "share",
        "own_token": "share",
        "next_token": "share",
        "induction": "share",
        "same_token": "share",
        "delimiter": "share",
        "local": "share",
        "picture": "share",
        "variance": "ratio",
        "monotone": "ratio",
        "end": "share",
    }
    assert list(HEAD_MEASURES) == [measure.name for measure in HEAD_MEASURES.values()]
    assert {name for name, measure in HEAD_MEASURES.items() if measure.chance} == {
        name for name, measure in HEAD_MEASURES.items() if measure.unit == "share" or name == "monotone"
    }
    ways = [(measure.keys, measure.rows, measure.across) for measure in HEAD_MEASURES.values()]
    assert all(sum(way is not None for way in found) == 1 for found in ways)


@pytest.mark.slow
@settings(max_examples=150)
@given(SEEDS, DELIMITERS)
def test_every_measure_is_that_of_plain_loops(seed: int, delimiters: frozenset[int]):
    run = random_run(seed)
    found = head_measures(run, delimiters)
    heads = max(layer.weights.shape[0] for layer in run.layers)
    assert all(rows.shape == (len(run.layers), heads) for rows in found.values())
    assert_equal(found, means(run, heads, delimiters))


@pytest.mark.slow
@settings(max_examples=50)
@given(SEEDS, DELIMITERS)
def test_a_mean_of_several_texts_weighs_the_rows_that_count(seed: int, delimiters: frozenset[int]):
    """The second text has fewer tokens, so the mean is not that of the two means."""
    run = random_run(seed)
    half = max(1, len(run.ids) // 2)
    short = with_layers(run, lambda layer: cut(layer, half))
    found = mean_measures(iter([run, short]), delimiters)
    for number, head in heads_of(run):
        one, two = (measured(of, captured_layers(of)[number], head, delimiters) for of in (run, short))
        for name in one:
            count = one[name][1] + two[name][1]
            expected = (one[name][0] + two[name][0]) / count if count else math.nan
            assert float(found[name][number, head]) == pytest.approx(expected, rel=1e-4, abs=1e-5, nan_ok=True)


def cut(layer: CapturedLayer, n_q: int) -> CapturedLayer:
    """Return a layer with its first queries alone."""
    return replace(
        layer,
        Q=None if layer.Q is None else layer.Q[:, :n_q],
        scores=layer.scores[:, :n_q],
        weights=layer.weights[:, :n_q],
        sink=None if layer.sink is None else layer.sink[:, :n_q],
        sink_score=None if layer.sink_score is None else layer.sink_score[:, :n_q],
    )


def test_a_mean_needs_a_text():
    with pytest.raises(ValueError, match=r"^a mean needs at least one run$"):
        mean_measures([], frozenset())


@pytest.mark.slow
@settings(max_examples=50)
@given(SEEDS, DELIMITERS)
def test_chances_are_the_measures_of_heads_that_read_all_keys_alike(seed: int, delimiters: frozenset[int]):
    run = random_run(seed)

    def even(layer: CapturedLayer) -> CapturedLayer:
        weights = (layer.allowed / layer.allowed.sum(-1, keepdim=True)).nan_to_num()
        return replace(layer, weights=weights, sink=None, sink_score=None)

    expected = head_measures(with_layers(run, even), delimiters)
    found = chances(run, delimiters)
    assert set(found) == {name for name, measure in HEAD_MEASURES.items() if measure.chance}
    for name, rows in found.items():
        torch.testing.assert_close(rows, expected[name], equal_nan=True)


@pytest.mark.parametrize("name", ["Llama", "gpt-oss", "T5", "BERT", "Gemma 2", "BLOOM", "DeepSeek V3"])
def test_captured_layers_are_measured_as_plain_loops_do(name: str):
    run = captured(name)
    heads = max(layer.weights.shape[0] for layer in run.layers)
    assert_equal(head_measures(run, frozenset({3, 5})), means(run, heads, frozenset({3, 5})))


def test_what_families_have_is_seen():
    """Guards the test above: grouped keys, a sink, a bias beside q·k, layers without Q and K, cross-attention."""
    grouped = captured("Llama").layers[0]
    assert grouped.Q is not None
    assert grouped.K is not None
    assert grouped.Q.shape[0] == 3 * grouped.K.shape[0]
    assert captured("gpt-oss").layers[0].sink is not None
    t5 = head_measures(captured("T5"), frozenset({3}))
    kinds = [(layer.kind, layer.weights.shape[1]) for layer in captured("T5").layers]
    assert set(kinds) == {("self", 11), ("self", 7), ("cross", 7)}
    for number, (kind, n_q) in enumerate(kinds):
        assert not t5["entropy"][number].isnan().any()
        assert not t5["variance"][number].isnan().any()
        assert bool(t5["distance"][number].isnan().all()) == (kind == "cross")
        assert bool(t5["same_token"][number].isnan().all()) == (n_q == 7)  # the run's ids are the encoder's
    bloom = head_measures(captured("BLOOM"), frozenset())
    assert bloom["variance"].isnan().all()
    assert bloom["delimiter"].isnan().all()
    assert not bloom["entropy"].isnan().any()


def test_a_bias_of_the_scores_leaves_the_variance_of_q_and_k():
    """Scores that are three times as large have the same products behind them."""
    run = captured("T5")
    louder = with_layers(run, lambda layer: replace(layer, scores=layer.scores * 3))
    before, after = (head_measures(one, frozenset())["variance"] for one in (run, louder))
    assert torch.equal(before, after)


@pytest.mark.parametrize("layer", [1, 2])
def test_entropy_and_variance_are_those_of_the_result_of_the_same_layer(layer: int):
    run = MODEL.run(TEXT)
    result = compute(AttentionConfig(source="model"), layer_inputs(run, layer))
    found = head_measures(run, MODEL.delimiters)
    torch.testing.assert_close(found["entropy"][layer - 1], result.entropy.double().mean(-1), rtol=1e-5, atol=1e-6)
    # the result has the variance of scaled scores: the factor is 1/√d_k, so it is the ratio
    torch.testing.assert_close(found["variance"][layer - 1], result.score_variance.double(), rtol=1e-5, atol=1e-6)


def test_inputs_tell_how_many_heads_of_keys_the_layer_has():
    run = captured("Llama")
    h, groups = run.layers[0].Q.shape[0], run.layers[0].K.shape[0]
    found = layer_inputs(run, 1)
    assert (h, groups) == (6, 2)
    assert (found.K.shape[0], found.trained.grouped) == (h, groups)
    assert layer_inputs(MODEL.run(TEXT), 1).trained.grouped == 0


def test_entropy_with_a_sink_is_that_of_the_result():
    run = captured("gpt-oss")
    found = head_measures(run, frozenset())["entropy"]
    for head in range(1, 7):
        result = compute(AttentionConfig(source="model"), layer_inputs(run, 2, head))
        torch.testing.assert_close(found[1, head - 1], result.entropy.double().mean(), rtol=1e-4, atol=1e-5)


def test_a_text_of_one_token_has_an_entropy_and_nothing_else():
    found = head_measures(MODEL.run(""), MODEL.delimiters)
    zeros, nothing = torch.zeros(2, 4, dtype=torch.float64), torch.full((2, 4), math.nan, dtype=torch.float64)
    assert set(found) == set(HEAD_MEASURES)
    for name, rows in found.items():
        expected = zeros if name in ("entropy", "distance") else nothing
        assert torch.equal(rows.nan_to_num(-1), expected.nan_to_num(-1)), name


def test_delimiters_are_those_of_the_model_and_not_the_first_token():
    run = MODEL.run("Anna waits . Ben waits .")
    assert run.ids[0] in MODEL.delimiters
    marks = [key for key in range(1, 7) if run.tokens[key] == "."]
    assert marks == [3, 6]
    weights = run.layers[1].weights.double()
    expected = weights[:, 3:, marks].sum(-1).mean(-1)  # rows from the first mark on
    torch.testing.assert_close(head_measures(run, MODEL.delimiters)["delimiter"][1], expected)
    assert head_measures(MODEL.run("Anna waits"), MODEL.delimiters)["delimiter"].isnan().all()


def given_weights(p: list[list[float]], causal: bool) -> ModelRun:
    """Return a run of one head with these weights, over tokens that are all different."""
    weights = torch.tensor([p], dtype=torch.float64)
    scores = torch.zeros_like(weights)
    if causal:
        scores = scores.masked_fill(torch.ones_like(weights, dtype=torch.bool).triu(1), -torch.inf)
    layer = CapturedLayer("x#1", 0, "self", None, None, None, None, None, scores, weights)
    return ModelRun.of_text(tuple("abcdefg"[: len(p)]), tuple(range(len(p))), (layer,), cut=False)


def test_own_and_next_token_of_a_map_by_hand():
    """The first row of own tokens does not count: under a causal mask it has nothing else to read."""
    own = [[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 0.5]]
    found = head_measures(given_weights(own, causal=True), frozenset())
    assert float(found["own_token"]) == (0.75 + 1 + 0.5) / 3
    assert math.isnan(float(found["next_token"]))
    ahead = [[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]]
    run = given_weights(ahead, causal=False)
    found, even = head_measures(run, frozenset()), chances(run, frozenset())
    assert float(found["next_token"]) == (1 + 0.5 + 0.25) / 3  # the last row has no next one
    assert float(found["own_token"]) == (0 + 0.25 + 0) / 3
    assert (float(even["next_token"]), float(even["own_token"])) == (0.25, 0.25)


def test_a_causal_model_has_no_row_for_the_next_token():
    found = totals(MODEL.run(TEXT), MODEL.delimiters).row_counts
    n = len(MODEL.run(TEXT).ids)
    assert set(found["next_token"].flatten().tolist()) == {0}
    assert set(found["own_token"].flatten().tolist()) == {n - 1}
    assert set(found["entropy"].flatten().tolist()) == {n}


def test_chances_of_layers_and_heads_with_other_masks_are_their_own():
    """Layers and heads whose masks are the same are computed once: no other may get their chance."""
    run = captured("Gemma 2")
    masks = [layer.allowed for layer in run.layers]
    assert not torch.equal(masks[0], masks[1])
    apart = with_layers(run, lambda layer: replace(layer, scores=with_one_key_less(layer.scores)))
    for one in (run, apart):
        found = chances(one, frozenset({3, 5}))
        for number, layer in enumerate(captured_layers(one)):
            for head in range(layer.weights.shape[0]):
                weights = (layer.allowed / layer.allowed.sum(-1, keepdim=True)).nan_to_num()
                even = measured(one, replace(layer, weights=weights, sink=None), head, frozenset({3, 5}))
                for name in ("local", "delimiter", "own_token"):
                    total, count = even[name]
                    expected = total / count if count else math.nan
                    assert float(found[name][number, head]) == pytest.approx(expected, rel=1e-5, nan_ok=True)


def with_one_key_less(scores: torch.Tensor) -> torch.Tensor:
    """Forbid the second head's last query its own token."""
    found = scores.clone()
    found[1, -1, -1] = -torch.inf
    return found


def test_weights_in_half_precision_are_measured_in_single():
    run = captured("Llama")

    def halved(layer: CapturedLayer) -> CapturedLayer:
        assert layer.Q is not None
        assert layer.K is not None
        return replace(layer, weights=layer.weights.bfloat16(), Q=layer.Q.bfloat16(), K=layer.K.bfloat16())

    half = with_layers(run, halved)
    exact, found = (head_measures(one, frozenset({3})) for one in (run, half))
    for name, rows in found.items():
        torch.testing.assert_close(rows, exact[name], rtol=0.02, atol=0.02, equal_nan=True)
    assert_equal(found, means(half, 6, frozenset({3})))


def across(p: list[list[float]], allowed: list[list[bool]] | None = None, kind: str = "cross") -> dict[str, float]:
    """Return what is measured across two lines for one head with these weights, and its chances as NAME?"""
    weights = torch.tensor([p], dtype=torch.float32)
    scores = torch.zeros_like(weights) if allowed is None else torch.where(torch.tensor([allowed]), 0.0, -torch.inf)
    layer = CapturedLayer("x#1", 0, kind, None, None, None, None, None, scores, weights)
    lines = tuple(Line(name, ("t",) * n, (5,) * n) for name, n in (("source", len(p[0])), ("target", len(p))))
    run = ModelRun(lines, (layer,), ((1, 0),))
    found, even = head_measures(run, frozenset()), chances(run, frozenset())
    return {name: float(found[name][0, 0]) for name in ("monotone", "end", "sink", "distance", "entropy")} | {
        f"{name}?": float(even[name][0, 0]) for name in ("monotone", "end")
    }


def test_a_translation_word_by_word_reads_in_order():
    found = across([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    assert (found["monotone"], found["end"]) == (1, 0)
    assert (found["monotone?"], found["end?"]) == (0.5, 0.25)
    assert math.isnan(found["sink"])
    assert math.isnan(found["distance"])
    assert found["entropy"] == 0
    assert across([[0, 0, 1], [0, 1, 0], [1, 0, 0]])["monotone"] == 0
    assert across([[0, 0, 1], [0, 0, 1], [0, 0, 1]])["monotone"] == 0.5
    assert across([[0, 0, 1], [0, 0, 1], [0, 0, 1]])["end"] == 1
    # 0.6 · 0.3 behind, half of 0.4 · 0.3 + 0.6 · 0.7 beside
    assert across([[0.6, 0.4], [0.7, 0.3]])["monotone"] == pytest.approx(0.6 * 0.3 + (0.6 * 0.7 + 0.4 * 0.3) / 2)
    assert math.isnan(across([[0.5, 0.5]])["monotone"])


@settings(max_examples=50)
@given(SEEDS)
def test_the_order_is_that_of_two_keys_drawn_by_their_rows(seed: int):
    generator = torch.Generator().manual_seed(seed)
    n, m = (int(torch.randint(2, 7, (), generator=generator)) for _ in range(2))
    weights = torch.rand(n, m, generator=generator) ** 4
    p = (0.8 * weights / weights.sum(-1, keepdim=True)).tolist()  # a sink beside the keys takes a fifth
    expected = 0.0
    for before, row in pairwise(p):
        for k, one in enumerate(before):
            expected += sum(one * other * (1.0 if j > k else 0.5 if j == k else 0.0) for j, other in enumerate(row))
    found = across(p)
    assert found["monotone"] == pytest.approx(expected / 0.64 / (n - 1), rel=1e-4)
    assert found["end"] == pytest.approx(sum(row[-1] for row in p) / n, rel=1e-4)
