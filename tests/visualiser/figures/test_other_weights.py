"""Figures, files and scripts of weights that are no plain softmax: sinks, gates, entmax, softcaps."""

import contextlib
import csv
import io
import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig, AttentionResult, compute, normalisations
from visualiser.drawing.saturation import saturated_share, threshold
from visualiser.drawing.weighed import faint_below
from visualiser.export import npz, rows_csv, snippet
from visualiser.figures import compare, entropy, gradient, heat_maps, row_weights, score_distribution
from visualiser.pages.explore.endpoint import attention
from visualiser.pages.explore.sentences import in_full
from visualiser.state.view import View

NAMES = ("softmax", "sink", "sigmoid", "entmax")


def drawn(draws: random.Random, **given: Any) -> AttentionResult:
    """Return a small result whose weights are no plain softmax."""
    normalisation = draws.choice(NAMES)
    softcap = draws.choice((0.5, 3, 50) if normalisation == "softmax" else (0, 0, 1, 20))
    config = AttentionConfig(
        **{
            "n": draws.randint(2, 12),
            "h": draws.randint(1, 3),
            "d_k": draws.choice((1, 4, 64)),
            "tie": False,
            "seed": draws.randrange(1000),
            "scaling": draws.choice(("sqrt_d_k", "none")),
            "mask": draws.choice(("none", "causal", "window")),
            "window": 1,
            "normalisation": normalisation,
            "sink": draws.choice((-3.0, 0.0, 5.0)),
            "softcap": softcap,
            **given,
        }
    )
    return compute(config, device="cpu")


@pytest.mark.parametrize("seed", range(30))
def test_faint_keys_get_less_than_a_hundredth_of_the_largest_weight(seed: int) -> None:
    result = drawn(random.Random(seed))
    shape = result.weights.shape
    allowed = np.ones(shape, bool) if result.mask is None else result.mask.expand(shape).numpy()
    p = result.weights.double().numpy()
    share = p / p.max(-1, keepdims=True)
    below = result.masked.numpy() < faint_below(result).numpy()[..., None]
    sure = allowed & (np.abs(share - 0.01) > 1e-5)
    np.testing.assert_array_equal(below[sure], (share < 0.01)[sure])
    assert saturated_share(result, View()) == pytest.approx((below & allowed).sum() / allowed.sum())


@pytest.mark.parametrize("seed", range(30))
def test_every_value_lies_within_the_axes_of_its_boxes(seed: int) -> None:
    result = drawn(random.Random(seed))
    for figure in (entropy, gradient):
        for view in (View(), View(row=0), View(lang="ko", columns=1)):
            shown = figure.drawing(result, view)
            for trace in shown.data:
                if trace["type"] == "box":
                    low, high = shown.layout[trace["yaxis"].replace("y", "yaxis")]["range"]
                    assert low <= np.min(trace["lowerfence"]) <= np.max(trace["upperfence"]) <= high, trace["meta"]


def test_gates_show_their_sum_and_the_largest_in_place_of_an_entropy() -> None:
    result = compute(AttentionConfig(n=7, h=2, d_k=5, tie=False, normalisation="sigmoid"))
    shown = entropy.drawing(result, View())
    boxes = {trace["meta"]["kind"]: trace for trace in shown.data if trace["type"] == "box"}
    assert boxes.keys() == {"mass", "largest_weight"}
    np.testing.assert_allclose(boxes["mass"]["upperfence"], result.weights.sum(-1).amax(-1).numpy(), rtol=1e-5)
    columns = {column.label: column for column in entropy.table(result, View()).columns}
    assert "mean sum of the gates" in columns
    assert not [label for label in columns if "entropy" in label]
    assert entropy.summary(result, View()).startswith("Gates have no entropy")
    (brief,) = entropy.brief(result, View())
    assert brief.written("en").startswith("none · Σg ")


def test_a_sink_raises_the_ceiling_and_has_boxes_of_its_own() -> None:
    result = compute(AttentionConfig(n=7, h=2, d_k=5, tie=False, normalisation="sink", sink=1.0))
    shown = entropy.drawing(result, View())
    boxes = {trace["meta"]["kind"]: trace for trace in shown.data if trace["type"] == "box"}
    assert boxes.keys() == {"entropy", "sink_weight"}
    least = (1 - result.weights.sum(-1)).amin(-1).numpy()
    np.testing.assert_allclose(boxes["sink_weight"]["lowerfence"], least, rtol=1e-4)
    (ceiling,) = [trace for trace in shown.data if trace.get("name") == "ceiling ln(n + 1)"]
    assert ceiling["y"][0] == pytest.approx(math.log(8))


def test_only_complete_rows_are_held_against_an_even_one() -> None:
    for name in NAMES:
        result = compute(AttentionConfig(n=7, h=2, d_k=5, tie=False, normalisation=name))
        drawing = row_weights.drawing(result, View(row=1))
        levels = [trace for trace in drawing.data if trace["meta"].get("kind") == "level"]
        assert len(levels) == (name in ("softmax", "entmax")), name


def test_a_softcap_leaves_the_histogram_and_bends_what_is_masked() -> None:
    plain, capped = (
        compute(AttentionConfig(n=20, h=2, d_k=64, tie=False, scaling="none", softcap=softcap)) for softcap in (0, 5)
    )
    for name in ("pooled", "exact"):
        drawings = [score_distribution.drawing(one, View()) for one in (plain, capped)]
        of = [next(trace["y"] for trace in one.data if trace["meta"].get("kind") == name) for one in drawings]
        np.testing.assert_array_equal(*of)
    bent = heat_maps.drawing(capped, View(stage="masked")).data[0]["z"]
    np.testing.assert_allclose(bent, 5 * np.tanh(plain.scaled[0].numpy() / 5), rtol=1e-5, atol=1e-6)
    # ln 100 below the largest capped score, where the cap has not bent it yet
    edge = float(np.median(capped.masked.amax(-1).numpy())) - math.log(100)
    assert threshold(capped, View()) == pytest.approx(5 * math.atanh(edge / 5), rel=0.02)


@pytest.mark.parametrize(("one", "other"), [*itertools.permutations(NAMES, 2)])
def test_two_normalisations_are_compared_as_far_as_both_have_numbers(one: str, other: str) -> None:
    from visualiser.drawing.pinned_overlay import pinned_overlay

    a, b = (compute(AttentionConfig(n=6, h=2, d_k=3, tie=False, normalisation=name)) for name in (one, other))
    table = compare.table((a, b), View())
    for column, result in zip(table.columns[1:3], (a, b), strict=True):
        lacks = "entropy" not in normalisations.of(result.config).statistics
        assert np.isnan(column.values).all() == lacks
    for figure in (entropy, gradient):
        both = pinned_overlay(figure.drawing(a, View()), figure.drawing(b, View()), "en")
        kinds = [trace["meta"]["kind"] for trace in both.data if trace["type"] == "box"]
        own = [trace["meta"]["kind"] for trace in figure.drawing(b, View()).data if trace["type"] == "box"]
        others = [trace["meta"]["kind"] for trace in figure.drawing(a, View()).data if trace["type"] == "box"]
        assert sorted(kinds) == sorted([*own, *(kind for kind in others if kind in own)])


@pytest.mark.parametrize("name", NAMES)
def test_files_have_the_statistics_that_the_rows_have(name: str) -> None:
    result = compute(AttentionConfig(n=5, h=2, d_k=3, tie=False, normalisation=name, softcap=2.0, mask="causal"))
    lines = list(csv.DictReader(io.StringIO(b"".join(rows_csv(result)).decode("utf-8-sig"))))
    held = np.load(io.BytesIO(npz(result)))
    for statistic in normalisations.of(result.config).statistics:
        if statistic in ("logsumexp", "sum_of_squares"):
            continue
        values = result.statistic(statistic).expand(2, 5).numpy()
        column = f"{statistic}_nats" if statistic in ("entropy", "ceiling") else statistic
        np.testing.assert_allclose([float(line[column]) for line in lines], values.flatten(), rtol=1e-6, atol=1e-30)
        np.testing.assert_array_equal(np.broadcast_to(held[statistic], (2, 5)), values)
    assert ("entropy_nats" in lines[0]) == ("entropy" in held) == (name != "sigmoid")


@pytest.mark.parametrize("name", NAMES)
def test_the_endpoint_has_null_for_what_a_row_lacks(name: str) -> None:
    found: Any = attention(n=7, h=3, d_k=5, normalisation=name, sink=2.0)
    result = compute(AttentionConfig(n=7, h=3, d_k=5, normalisation=name, sink=2.0))
    if name == "sigmoid":
        assert (found["entropy"], found["entropy_ceiling"]) == ([None] * 3, None)
        np.testing.assert_allclose(found["mass"], result.weights.sum(-1).mean(-1).numpy(), rtol=1e-5)
    else:
        np.testing.assert_allclose(found["entropy"], result.entropy.mean(-1).numpy())
    assert ("sink_weight" in found) == (name == "sink")
    assert ("support" in found) == (name == "entmax")


@pytest.mark.parametrize("seed", range(24))
def test_the_script_prints_the_numbers_of_the_page(seed: int) -> None:
    result = drawn(random.Random(1000 + seed), source=("gaussian", "text")[seed % 2])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet(result.config), "snippet", "exec"), {})  # noqa: S102
    first = "mass" if result.config.normalisation == "sigmoid" else "entropy"
    for head, line in enumerate(printed.getvalue().splitlines()[1:]):
        expected = (
            result.statistic(first)[head].double().mean(),
            result.score_variance[head],
            result.jacobian_norm[head].double().mean(),
            result.weights[head].max(),
        )
        np.testing.assert_allclose([float(one) for one in line.split()[1:]], expected, rtol=3e-5, atol=1e-6)


def test_what_is_said_of_a_mask_is_true_of_incomplete_rows() -> None:
    for name in NAMES:
        result = compute(AttentionConfig(n=5, h=2, d_k=3, tie=False, normalisation=name, mask="causal"))
        keys = [one.key for one in in_full(result)]
        assert ("insight.mask.keys" in keys) == (name in ("sink", "sigmoid")), name
        assert ("insight.mask.causal" in keys) == (name in ("softmax", "entmax")), name
