"""What a query reads, layer by layer: the drawing, the table and the sentences hold the shares of the run."""

import random
from dataclasses import replace

import numpy as np
import pytest

from attention_core.learned import Line, ModelRun, PatchGrid, shares
from tests.attention_core.learned.oracles import random_layer
from tests.attention_core.learned.test_weight_shares import pictured_line
from visualiser.figures import row_shares
from visualiser.figures.plots.picture_reads import picture_reads
from visualiser.figures.plots.reads_by_layer import reads_by_layer
from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import write_all
from visualiser.pages.model import reasons
from visualiser.reasons.explained import explained
from visualiser.state.view import View


def pictured(seed: int) -> ReadHead:
    chosen = random.Random(seed)
    line = pictured_line(chosen)
    layers = tuple(random_layer(chosen, len(line), len(line), index) for index in range(3))
    run = ModelRun((line,), layers, ((0, 0),) * 3)
    return ReadHead(run, 2, 1, len(line) - 1, 0, {}, {}, ("entropy", "sink"))


SEEDS = pytest.mark.parametrize("seed", range(8))


@SEEDS
def test_curves_are_the_means_over_the_heads_of_each_layer(seed: int) -> None:
    shown = pictured(seed)
    line = shown.run.lines[0]
    drawn = {trace["meta"]["part"]: trace for trace in reads_by_layer.drawing(shown, View()).data}
    assert set(drawn) >= {"text", "picture", "first"}
    assert ("sink" in drawn) == any(layer.sink is not None for layer in shown.run.layers)
    for name, trace in drawn.items():
        assert trace["x"].tolist() == [1, 2, 3]
        expected = [float(shares(layer, line).parts[name][:, shown.row].mean()) for layer in shown.run.layers]
        assert trace["y"].tolist() == pytest.approx(expected, abs=1e-5, nan_ok=True)
    whole = np.sum([trace["y"] for trace in drawn.values()], axis=0)
    assert whole[~np.isnan(whole)] == pytest.approx(1, abs=1e-5)
    table = reads_by_layer.table(shown, View())
    assert [column.label for column in table.columns][1:] == [trace["name"] for trace in drawn.values()]
    assert np.array_equal(table.columns[1].values, next(iter(drawn.values()))["y"], equal_nan=True)


@SEEDS
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_sentences_say_what_the_query_gives_and_why(seed: int, lang: str) -> None:
    shown = pictured(seed)
    parts = row_shares.of_row(shown)
    assert parts is not None
    said = row_shares.said(shown, parts)
    (written,) = write_all([said], lang)
    weights = shown.weights[shown.row]
    if parts.most is not None:
        number, row, column = shown.run.lines[0].patches[parts.most]
        assert f"{row + 1}·{column + 1}" in written
        assert weights[parts.most] == max(weights[at] for at in shown.run.lines[0].patches if at)
        assert said.facts.get("picture", 1) == shown.run.lines[0].grids[number].picture + 1
    (told,) = explained([said], lang, reasons.reasons(reasons.Told(shown, ())))
    read = [key for key in ({0} | {parts.most} - {None}) if shown.allowed[shown.row, key]]
    assert sum(isinstance(piece, tuple) for piece in told) == len(read) + (1 if parts.most is None else 2)
    (summary,) = explained(reads_by_layer.sentence(shown, View()), lang, reasons.reasons(reasons.Told(shown, ())))
    assert sum(isinstance(piece, tuple) for piece in summary) == 1


@SEEDS
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_each_of_several_pictures_has_its_share(seed: int, lang: str) -> None:
    shown = pictured(seed)
    parts = row_shares.of_row(shown)
    assert parts is not None
    found = row_shares.each_picture(parts)
    line, weights = shown.run.lines[0], shown.weights[shown.row]
    pictures = sorted({grid.picture for grid in line.grids})
    if len(pictures) == 1:
        assert found == []
        return
    for picture, said in zip(pictures, found, strict=True):
        own = {at for grid in line.grids if grid.picture == picture for at in grid.positions if at}
        assert said.facts == {"picture": picture + 1, "share": pytest.approx(float(weights[[*own]].sum()), abs=1e-5)}
    told = explained(found, lang, reasons.reasons(reasons.Told(shown, ())))
    assert all(sum(isinstance(piece, tuple) for piece in one) == 1 for one in told)


@SEEDS
def test_the_patches_of_a_drawing_are_in_the_rows_of_their_picture(seed: int) -> None:
    shown = pictured(seed)
    line = shown.run.lines[0]
    drawn = picture_reads.drawing(shown, View()).data
    assert picture_reads(shown, View()).to_json()
    assert len(drawn) == len(line.grids)
    for position, (grid, row, column) in line.patches.items():
        weight = shown.weights[shown.row, position] if shown.allowed[shown.row, position] else np.nan
        assert drawn[grid]["z"][row][column] == pytest.approx(weight, nan_ok=True)
        assert drawn[grid]["meta"]["picture"] == line.grids[grid].picture + 1


def test_a_layer_that_attends_from_elsewhere_has_no_share() -> None:
    shown = pictured(1)
    line = shown.run.lines[0]
    other = replace(line, name="source")
    run = ModelRun((line, other), shown.run.layers, ((0, 0), (0, 0), (1, 1)))
    found = row_shares.by_layer(replace(shown, run=run))
    assert np.isnan(found["picture"]).tolist() == [False, False, True]


def test_a_text_alone_has_no_share_of_pictures() -> None:
    shown = pictured(1)
    plain = replace(shown.run.lines[0], grids=())
    assert row_shares.of_row(replace(shown, run=replace(shown.run, lines=(plain,)))) is None


def test_patches_with_a_class_token_are_no_text_with_pictures() -> None:
    picture = Line("picture", ("CLS", "1·1", "1·2"), (-1, -2, -3), (PatchGrid(0, 1, 1, 2),))
    assert not picture.is_mixed
    assert replace(picture, ids=(5, -2, -3)).is_mixed
    assert not replace(picture, ids=(5, 6, 7), grids=()).is_mixed
