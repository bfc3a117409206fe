"""The drawings of the Model page hold the numbers of the run, recomputed here by plain numpy from its tensors."""

import itertools
import math
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.learned import HEAD_MEASURES, head_measures, shipped_model
from visualiser.drawing.drawing import Drawing
from visualiser.figures.plots.head_entropy import head_entropy
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.plots.head_row import head_row
from visualiser.figures.plots.head_scatter import head_scatter
from visualiser.figures.plots.head_scores import head_scores
from visualiser.figures.plots.model_heads import model_heads
from visualiser.figures.plots.why_key import DIGITS, MOST, terms, why_key
from visualiser.figures.read_head import ReadHead
from visualiser.figures.small_maps import MASKED, SIDE, small_maps
from visualiser.pages.model import reading
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View

WORDS = ("Anna", "Ben", "sees", "the", "keys", "고양이", ".", "(", ")", "🦆")


def read(**settings: Any) -> ReadHead:
    query = "&".join(f"{name}={value}" for name, value in {"page": "model", **settings}.items())
    return reading.read(PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {}, "model")).shown


def any_head(seed: int) -> ReadHead:
    draws = random.Random(seed)
    text = "+".join(draws.choices(WORDS, k=draws.choice((1, 2, 9, 30, 63))))
    places = {"layer": draws.choice((1, 2)), "head": draws.randint(1, 4), "row": draws.randrange(64)}
    key = draws.choice((-1, draws.randrange(64)))
    return read(text=text, model=draws.choice(("headlight", "headlight-one-layer")), key=key, **places)


def trace(drawn: Drawing, kind: str) -> dict[str, Any]:
    return next(one for one in drawn.data if one.get("meta", {}).get("kind") == kind)


SEEDS = pytest.mark.parametrize("seed", range(12))


@SEEDS
def test_the_large_map_holds_the_weights_and_nothing_where_the_mask_forbids(seed: int) -> None:
    shown = any_head(seed)
    z = np.asarray(head_map.drawing(shown, View()).data[0]["z"])
    weights = shown.run.layers[shown.layer - 1].weights[shown.head - 1].numpy()
    below = np.tri(len(z), dtype=bool)
    assert np.isnan(z[~below]).all()
    assert (z[below] == weights[below]).all()
    logarithms = np.asarray(head_map.drawing(shown, View(colour="log")).data[0]["z"])
    seen = below & (weights > 1e-6)
    assert np.allclose(10 ** logarithms[seen], weights[seen], rtol=1e-4)


@SEEDS
def test_a_small_map_is_each_cell_as_a_share_of_the_head_s_largest_weight(seed: int) -> None:
    shown = any_head(seed)
    codes = np.concatenate(small_maps(shown))
    assert codes.shape[0] == sum(len(layer.weights) for layer in shown.run.layers)
    for code, (layer, head) in zip(codes, shown.heads, strict=True):
        weights = shown.run.layers[layer - 1].weights[head - 1].numpy()
        below = np.tri(len(weights), dtype=bool)
        assert (code[~below] == MASKED).all()
        assert np.abs(code[below] - 254 * weights[below] / weights[below].max()).max() <= 0.51
        assert code[below].max() == 254


def test_a_long_text_s_small_map_has_the_largest_weight_of_each_square() -> None:
    n, step = 2 * SIDE + 5, 3
    generator = np.random.default_rng(0)
    weights = generator.random((2, n, n), dtype=np.float32)
    allowed = np.tri(n, dtype=bool)[None].repeat(2, 0)

    layer = SimpleNamespace(weights=torch.from_numpy(weights), allowed=torch.from_numpy(allowed))
    shown = SimpleNamespace(run=SimpleNamespace(layers=[layer]), of_picture=False)
    codes = np.concatenate(small_maps(shown))  # pyright: ignore[reportArgumentType]
    side = math.ceil(n / step)
    assert codes.shape == (2, side, side)
    for head in range(2):
        top = weights[head][allowed[head]].max()
        for row in range(side):
            for column in range(side):
                rows, columns = slice(step * row, step * row + step), slice(step * column, step * column + step)
                open_ones = weights[head, rows, columns][allowed[head, rows, columns]]
                code = int(codes[head, row, column])
                assert code == MASKED if not len(open_ones) else abs(code - 254 * open_ones.max() / top) <= 0.51


@SEEDS
def test_bars_of_a_row_are_its_weights_and_the_chosen_key_stands_out(seed: int) -> None:
    shown = any_head(seed)
    drawn = head_row.drawing(shown, View())
    bars, key = trace(drawn, "row"), trace(drawn, "key")
    weights = shown.attention.weights[shown.head - 1, shown.row].numpy()
    assert (bars["y"][: shown.row + 1] == weights[: shown.row + 1]).all()
    assert np.isnan(bars["y"][shown.row + 1 :]).all()
    assert key["x"].tolist() == [shown.key]
    assert np.array_equal(key["y"], bars["y"][[shown.key]], equal_nan=True)


@SEEDS
def test_the_histogram_has_the_area_one_and_holds_the_scores(seed: int) -> None:
    shown = any_head(seed)
    drawn = head_scores.drawing(shown, View())
    bars, ticks = trace(drawn, "histogram"), trace(drawn, "row")
    width = float(bars["x"][1] - bars["x"][0])
    assert float(bars["y"].sum()) * width == pytest.approx(1)
    scores = shown.attention.scores[shown.head - 1].double().numpy()
    below = scores[np.tri(len(scores), dtype=bool)]
    for middle, height in zip(bars["x"], bars["y"], strict=True):
        inside = (below >= middle - width / 2 - 1e-9) & (below <= middle + width / 2 + 1e-9)
        assert height * width * len(below) <= inside.sum() + 1e-6
    assert np.allclose(ticks["x"], scores[shown.row, : shown.row + 1])
    table = head_scores.table(shown, View())
    assert [float(np.asarray(one.values)[0]) for one in table.columns] == pytest.approx([below.mean(), below.var()])


@SEEDS
def test_entropies_and_their_ceilings(seed: int) -> None:
    shown = any_head(seed)
    drawn = head_entropy.drawing(shown, View())
    p = shown.attention.weights[shown.head - 1].double().numpy()
    wanted = [-sum(x * math.log(x) for x in row if x > 0) for row in p]
    assert trace(drawn, "entropy")["y"] == pytest.approx(wanted, abs=1e-12)
    assert trace(drawn, "row")["x"].tolist() == [shown.row]
    assert trace(drawn, "row")["y"][0] == pytest.approx(wanted[shown.row], abs=1e-12)
    assert drawn.data[2]["y"] == pytest.approx([math.log(keys) for keys in range(1, len(p) + 1)])
    assert all(entropy <= ceiling + 1e-6 for entropy, ceiling in zip(wanted, drawn.data[2]["y"], strict=True))


@pytest.mark.parametrize("over", ["corpus", "text"])
def test_points_stand_at_their_measures(over: str) -> None:
    draws = random.Random(over)
    for _ in range(8):
        x, y = (draws.choice([name for name, one in HEAD_MEASURES.items() if one.of_any_text]) for _ in range(2))
        shown = read(over=over, x=x, y=y, layer=2, head=draws.randint(1, 4))
        drawn = head_scatter.drawing(shown, View())
        measures = shown.measures
        if over == "text":
            model = shipped_model("headlight")
            measures = head_measures(shown.run, model.delimiters)
        for layer in (1, 2):
            points = next(one for one in drawn.data if one.get("meta") == {"kind": "heads", "layer": layer})
            assert points["x"].tolist() == pytest.approx(measures[x][layer - 1].tolist(), nan_ok=True)
            assert points["y"].tolist() == pytest.approx(measures[y][layer - 1].tolist(), nan_ok=True)
        chosen = trace(drawn, "chosen")
        assert float(chosen["x"][0]) == pytest.approx(float(measures[x][1, shown.head - 1]), nan_ok=True)


@SEEDS
def test_the_terms_that_are_shown_add_up_to_the_score_that_is_shown(seed: int) -> None:
    shown = any_head(seed)
    found = terms(shown, "en")
    drawn = why_key.drawing(shown, View())
    heights = {int(x): float(y) for one in drawn.data for x, y in zip(one["x"], one["y"], strict=True)}
    assert len(found) <= MOST + 1
    assert [heights[at] for at in range(len(found))] == [value for _, value, _ in found]
    attention = shown.attention
    assert attention.Q is not None
    assert attention.K is not None
    q, k = attention.Q[shown.head - 1, shown.row].double(), attention.K[shown.head - 1, shown.key].double()
    score = float(q @ k) / math.sqrt(len(q))
    assert f"{sum(heights.values()):.{DIGITS}f}".replace("-0.00", "0.00") in {
        f"{score + off:.{DIGITS}f}".replace("-0.00", "0.00") for off in (-1e-5, 0, 1e-5)
    }
    sizes = [abs(value) for _, value, kind in found if kind == "part"]
    assert all(size >= after - 0.011 for size, after in itertools.pairwise(sizes))


def test_all_heads_for_a_file_are_the_maps_that_the_script_paints() -> None:
    shown = read(text="Anna+sees+Ben+.+Anna")
    drawn = model_heads.drawing(shown, View())
    for code, one in zip(np.concatenate(small_maps(shown)), drawn.data, strict=True):
        z = np.asarray(one["z"])
        assert (np.isnan(z) == (code == MASKED)).all()
        assert np.abs(254 * z[~np.isnan(z)] - code[code != MASKED]).max() <= 0.51
