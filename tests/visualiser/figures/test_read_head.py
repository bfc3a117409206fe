"""The figures of the Model page hold the numbers of the run, worked out here by plain loops."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.learned import HEAD_MEASURES, Line, shipped_model
from attention_core.learned.head_totals import totals
from visualiser.drawing.labels import said
from visualiser.figures.plots.head_entropy import head_entropy
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.plots.head_row import head_row
from visualiser.figures.plots.head_scatter import head_scatter
from visualiser.figures.plots.head_scores import head_scores
from visualiser.figures.plots.model_heads import model_heads
from visualiser.figures.plots.why_key import why_key
from visualiser.figures.read_head import ReadHead
from visualiser.figures.small_maps import MASKED, SIDE, small_maps
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.state.view import View

WORDS = "Anna sees Ben . the keys to the cabinet are old . "
TEXTS = (WORDS, "x", "한국어 👩‍👩‍👧 <b> the </b>", WORDS * 9)


def read(text: str = WORDS, layer: int = 2, head: int = 3, row: int | None = None, **more: Any) -> ReadHead:
    model = shipped_model("headlight")
    run = model.run(text)
    row = len(run.tokens) - 1 if row is None else row
    key = int(run.layers[layer - 1].weights[head - 1, row].argmax())
    found = totals(run, model.delimiters)
    given = {"measures": found.means, "counts": found.row_counts, "labels": {}, "axes": ("variance", "sink")}
    return ReadHead(run, layer, head, row, key, **{**given, **more})


def traces(drawn: Any, kind: str) -> list[dict[str, Any]]:
    return [trace for trace in drawn.data if trace.get("meta", {}).get("kind") == kind]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("head", [1, 4])
def test_the_large_map_has_the_weights_and_nothing_where_the_mask_forbids(text: str, head: int) -> None:
    shown = read(text, head=head)
    z = np.asarray(head_map.drawing(shown, View()).data[0]["z"], dtype=float)
    own = shown.run.layers[1].weights[head - 1].numpy()
    for q in range(len(own)):
        for k in range(len(own)):
            assert math.isnan(z[q, k]) if k > q else z[q, k] == own[q, k]


def test_a_query_of_a_target_is_called_with_what_its_row_leads_to() -> None:
    shown = read("the cat")
    target = replace(shown.run.lines[0], name="target", end="</s>")
    shown = replace(shown, run=replace(shown.run, lines=(target,)))
    first, last = target.tokens[0], len(target) - 1
    assert shown.said_query(0) == f"0 “{said(first)}” → “{said(target.tokens[1])}”"
    assert shown.said_query(last) == f"{last} “{said(target.tokens[last])}” → “</s>”"
    assert shown.said_key(0) == f"0 “{said(first)}”"


def long(n: int) -> ReadHead:
    """Return two layers of four random causal heads over n tokens, more than a model that ships reads."""
    allowed = torch.ones(n, n, dtype=torch.bool).tril().expand(4, n, n)
    scores = torch.randn(2, 4, n, n, generator=torch.Generator().manual_seed(n)).masked_fill(~allowed, -torch.inf)
    layers: Any = tuple(SimpleNamespace(allowed=allowed, weights=each.softmax(-1)) for each in scores)
    line = Line("text", ("x",) * n, (0,) * n)
    run: Any = SimpleNamespace(
        tokens=line.tokens, layers=layers, keys=lambda layer: line, queries=lambda layer: line, windows=(None, None)
    )
    return replace(read(), run=run)


@pytest.mark.parametrize("shown", [*map(read, TEXTS), long(67), long(128)])
def test_a_small_map_has_the_largest_weight_of_each_square(shown: ReadHead) -> None:
    codes = np.concatenate(small_maps(shown))
    n = len(shown.run.tokens)
    step = math.ceil(n / SIDE)
    side = math.ceil(n / step)
    assert codes.shape == (8, side, side)
    assert side <= SIDE
    for place, (layer, head) in enumerate(shown.heads):
        weights = shown.run.layers[layer - 1].weights[head - 1].numpy()
        largest = weights.max()
        for i in range(side):
            for j in range(side):
                cells = [
                    weights[q, k]
                    for q in range(i * step, min(n, (i + 1) * step))
                    for k in range(j * step, min(n, (j + 1) * step))
                    if k <= q
                ]
                if cells:
                    assert abs(codes[place, i, j] - 254 * max(cells) / largest) <= 0.51
                else:
                    assert codes[place, i, j] == MASKED


@pytest.mark.parametrize("text", TEXTS)
def test_entropy_and_its_ceiling_are_those_of_the_rows(text: str) -> None:
    shown = read(text)
    drawn = head_entropy.drawing(shown, View())
    bars, chosen = traces(drawn, "entropy")[0]["y"], traces(drawn, "row")[0]
    for q, row in enumerate(shown.weights.astype(np.float64)):
        assert bars[q] == pytest.approx(-sum(p * math.log(p) for p in row if p > 0), abs=1e-9)
        assert shown.ceiling[q] == pytest.approx(math.log(q + 1))
        assert bars[q] <= shown.ceiling[q] + 1e-6
    assert ([*chosen["x"]], [*chosen["y"]]) == ([shown.row], [bars[shown.row]])
    np.testing.assert_array_equal(drawn.data[2]["y"], shown.ceiling)


@pytest.mark.parametrize("text", TEXTS)
def test_the_histogram_of_scores_sums_to_one_and_the_ticks_are_the_rows(text: str) -> None:
    shown = read(text)
    drawn = head_scores.drawing(shown, View())
    bars = traces(drawn, "histogram")[0]
    assert float(bars["y"].sum() * (bars["x"][1] - bars["x"][0])) == pytest.approx(1)
    own = shown.run.layers[1].scores[2].numpy()
    n = len(own)
    cells = [float(own[q, k]) for q in range(n) for k in range(q + 1)]
    np.testing.assert_array_equal(traces(drawn, "row")[0]["x"], own[n - 1].astype(np.float64))
    mean = sum(cells) / len(cells)
    variance = sum((cell - mean) ** 2 for cell in cells) / len(cells)
    table = head_scores.table(shown, View())
    assert [float(column.values[0]) for column in table.columns] == pytest.approx([mean, variance])
    if variance > 1e-6:
        normal = drawn.data[1]
        at = int(np.argmin(abs(np.asarray(normal["x"]) - mean)))
        x = float(normal["x"][at])
        expected = math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        assert float(normal["y"][at]) == pytest.approx(expected)


@pytest.mark.parametrize("row", [0, 1, 7, None])
def test_the_bars_of_a_row_are_its_weights(row: int | None) -> None:
    shown = read(row=row)
    drawn = head_row.drawing(shown, View())
    bars, key = traces(drawn, "row")[0], traces(drawn, "key")[0]
    own = shown.run.layers[1].weights[2, shown.row].numpy()
    np.testing.assert_array_equal(np.asarray(bars["y"])[: shown.row + 1], own[: shown.row + 1])
    assert np.isnan(np.asarray(bars["y"], dtype=float)[shown.row + 1 :]).all()
    assert ([*key["x"]], [*key["y"]]) == ([shown.key], [own.max()])


@pytest.mark.parametrize("x", HEAD_MEASURES)
@pytest.mark.parametrize("y", ["induction", "variance"])
def test_a_point_stands_at_the_two_measures_of_its_head(x: str, y: str) -> None:
    shown = read(axes=(x, y))
    drawn = head_scatter.drawing(shown, View())
    for layer, trace in enumerate(traces(drawn, "heads")):
        np.testing.assert_array_equal(np.asarray(trace["x"]), shown.measures[x][layer].double().numpy())
        np.testing.assert_array_equal(np.asarray(trace["y"]), shown.measures[y][layer].double().numpy())
    chosen = traces(drawn, "chosen")[0]
    np.testing.assert_array_equal(np.asarray(chosen["x"]), [float(shown.measures[x][1, 2])])
    low, high = drawn.layout["xaxis"]["range"]
    there = shown.measures[x][~shown.measures[x].isnan()]
    assert all(low <= float(value) <= high for value in there.flatten())


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("row", [0, 5, None])
def test_the_bars_of_a_score_add_up_to_it_at_the_digits_shown(layer: int, row: int | None) -> None:
    shown = read(layer=layer, row=row)
    drawn = why_key.drawing(shown, View())
    total = sum(float(value) for trace in drawn.data for value in trace["y"])
    score = float(shown.run.layers[layer - 1].scores[2, shown.row, shown.key])
    assert total == pytest.approx(round(score, 2), abs=0.00501)
    parts = [float(column) for column in why_key.table(shown, View()).columns[1].values]
    assert sum(parts) == pytest.approx(score, rel=1e-4, abs=1e-4)
    layer_run = shown.run.layers[layer - 1]
    assert layer_run.Q is not None
    assert layer_run.K is not None
    products = (layer_run.Q[2, shown.row].double() * layer_run.K[2, shown.key].double() / 4).tolist()
    assert sorted(parts) == pytest.approx(sorted(products), abs=1e-6)


def test_of_a_forbidden_key_the_bars_are_what_the_mask_hides_and_the_words_say_so() -> None:
    shown = replace(read(row=1), key=4)
    layer = shown.run.layers[1]
    assert layer.Q is not None
    assert layer.K is not None
    hidden = float(layer.Q[2, 1].double() @ layer.K[2, 4].double()) / 4
    total = sum(float(value) for trace in why_key.drawing(shown, View()).data for value in trace["y"])
    assert total == pytest.approx(round(hidden, 2), abs=0.00501)
    for lang, forbids in (("en", "The mask forbids query 1 to read key 4"), ("ko", "1번 쿼리에게 4번 키를 금지")):
        view = View(lang=lang)
        said = why_key.summary(shown, view)
        assert forbids in said
        (brief,) = write_all(why_key.brief(shown, view), lang)
        for words in (said, brief, text(lang, "figure.why_key.hint")):
            assert "−∞" in words


@pytest.mark.slow
@pytest.mark.parametrize("figure", [model_heads, head_map, head_row, head_entropy, head_scores, head_scatter, why_key])
@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("text", TEXTS)
def test_every_figure_draws_and_says_any_text(figure: Any, lang: str, text: str) -> None:
    view = View(lang=lang)
    shown = read(text)
    assert figure.summary(shown, view)
    assert "<b>" not in figure.drawing(shown, view).json()
    if figure.is_tabled:
        table = figure.table(shown, view)
        assert len({len(column.values) for column in table.columns}) == 1


def test_the_table_of_heads_names_the_layers() -> None:
    table = model_heads.table(read(), View())
    names = [*table.columns[2].values]
    assert names == [layer.name for layer in read().run.layers for _ in range(4)]


@pytest.mark.parametrize(("count", "ends"), [(1, "5.1 local 0.61."), (8, "5.8 local 0.68."), (9, "5.9 local 0.69.")])
def test_the_caption_names_the_labels_of_a_few_heads(count: int, ends: str) -> None:
    [said] = model_heads.sentence(labelled(count), View())
    assert said.facts["count"] == count
    assert said.written("en").endswith(ends)


def test_the_caption_of_many_heads_says_how_many_it_does_not_name() -> None:
    """23 heads of a published model have a label, and the list ended with “and” after eight."""
    [said] = model_heads.sentence(labelled(23), View())
    assert said.facts["count"] == 23
    assert "23 have a label over the corpus: 5.1 local 0.61, " in said.written("en")
    assert said.written("en").endswith("5.8 local 0.68 and 15 more, which the table has.")


def labelled(count: int) -> ReadHead:
    return read(labels={(5, head): [("local", 0.6 + head / 100)] for head in range(1, count + 1)})
