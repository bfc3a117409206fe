import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, AttentionResult, compute
from visualiser import locale
from visualiser.figures import FIGURES, compare
from visualiser.state.view import View
from visualiser.tables import Table


def table(name: str, result: AttentionResult, view: View | None = None) -> Table:
    return FIGURES[name.replace("-", "_")].table(result, view or View())


def summary(name: str, result: AttentionResult, view: View | None = None) -> str:
    return FIGURES[name.replace("-", "_")].summary(result, view or View())


NAMES = ("heat-maps", "score-distribution", "entropy", "gradient", "row-weights", "jacobian")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("view", [View(), View(row=5, head=2)])
@pytest.mark.parametrize("settings", [{}, {"mask": "causal"}, {"source": "text"}, {"n": 1}, {"mechanism": "additive"}])
def test_every_figure_has_a_table_of_equal_columns_and_a_sentence(name, lang, view, settings):
    result = compute(AttentionConfig(**{"n": 7, "h": 3, "d_k": 5, **settings}))
    view = replace(view, lang=lang)
    shown = table(name, result, view)
    assert shown.caption
    assert len({len(column.values) for column in shown.columns}) == 1
    assert summary(name, result, view).endswith(".")


def values(shown: Table, label: str) -> Any:
    return next(column.values for column in shown.columns if column.label == label)


def test_the_largest_cell_of_a_head_is_where_the_table_says():
    result = compute(AttentionConfig(n=7, h=3, d_k=5, mask="causal"))
    shown = table("heat-maps", result, View(stage="masked"))
    for head in range(3):
        query, key = values(shown, "at query")[head], values(shown, "at key")[head]
        assert result.masked[head, query, key] == result.masked[head].max()
        assert values(shown, "largest value")[head] == result.masked[head].max()


def test_a_locked_row_lists_its_keys_and_marks_the_masked():
    result = compute(AttentionConfig(n=7, h=3, d_k=5, mask="causal"))
    shown = table("heat-maps", result, View(row=4, head=2))
    weights = values(shown, "weight")
    np.testing.assert_array_equal(weights[:5], result.weights[1, 4, :5].numpy())
    assert np.isnan(weights[5:]).all()


def test_statistics_are_those_of_the_result():
    result = compute(AttentionConfig(n=7, h=3, d_k=5))
    np.testing.assert_array_equal(values(table("score-distribution", result), "variance"), result.score_variance)
    np.testing.assert_allclose(values(table("entropy", result), "median"), result.entropy.median(-1).values)
    np.testing.assert_allclose(
        values(table("gradient", result), "median trace tr J"), result.jacobian_trace.median(-1).values
    )
    own = result.weights[0, 2] * (1 - result.weights[0, 2])
    np.testing.assert_allclose(values(table("jacobian", result, View(row=2)), "∂p/∂s of its own score"), own, rtol=1e-5)


def test_a_summary_gives_the_prediction_of_footnote_4_where_there_is_one():
    scaled = compute(AttentionConfig(n=7, h=3, d_k=5, scaling="none"))
    assert "footnote 4 predicts 0 and 5;" in summary("score-distribution", scaled)
    additive = compute(AttentionConfig(n=7, h=3, d_k=5, mechanism="additive"))
    assert "footnote" not in summary("score-distribution", additive)


def test_rows_without_a_key_count_in_no_mean():
    result = compute(AttentionConfig(n=7, h=3, d_k=5))
    assert math.isclose(
        float(values(table("entropy", result), "mean entropy (nats)")[0]), float(result.entropy[0].mean())
    )


def test_a_difference_table_needs_equal_sizes_for_the_change():
    a = compute(AttentionConfig(n=7, h=3, d_k=5))
    b = compute(AttentionConfig(n=7, h=3, d_k=5, mask="causal"))
    changed = (b.weights - a.weights).abs()
    allowed = torch.ones(7, 7).tril().bool()
    largest = changed.masked_fill(~allowed, 0).amax((1, 2))
    np.testing.assert_allclose(values(compare.table((a, b), View()), "largest change |B − A|"), largest)
    assert len(compare.table((a, compute(AttentionConfig(n=5, h=2, d_k=5))), View()).columns) == 3


def test_an_unknown_figure_is_an_error():
    result = compute(AttentionConfig(n=7, h=3, d_k=5))
    with pytest.raises(KeyError):
        table("map", result)
    with pytest.raises(KeyError):
        summary("map", result)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_gradients_sentences_give_norm_and_trace_as_what_they_are(lang: str) -> None:
    result = compute(AttentionConfig(n=7, h=3, d_k=5))
    norm, trace = float(result.jacobian_norm.mean()), float(result.jacobian_trace.mean())
    sentence = locale.text(lang, "table.gradient.summary", norm=norm, trace=trace, most=1 - 1 / 7)
    assert summary("gradient", result, View(lang=lang)).startswith(sentence)
    norm, trace = float(result.jacobian_norm[1, 4]), float(result.jacobian_trace[1, 4])
    sentence = locale.text(lang, "table.jacobian.summary", query=4, head=2, norm=norm, trace=trace)
    assert summary("jacobian", result, View(lang=lang, row=4, head=2)).startswith(sentence)
    assert abs(norm - trace) > 0.01
