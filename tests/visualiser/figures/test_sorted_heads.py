"""Heads sorted by a measure or by one weight, those below a least left out: their order, counts and sentences."""

import math
from typing import Any

import numpy as np
import pytest

from attention_core.learned import Score
from tests.visualiser.pages.model.test_live import read
from visualiser.figures.plots.model_heads import model_heads
from visualiser.figures.sorted_heads import WEIGHT, SortedHeads, SortRules, said, sorted_heads, weights_here
from visualiser.pages.model import QUESTIONS, live
from visualiser.pages.model.sentences import insight

HEADS = [(1, 1), (1, 2), (2, 1), (2, 2)]
VALUES = np.array([0.2, math.nan, 0.9, 0.2])
SCORES = [Score(value, 0.1 * at, 3 + at, 7) for at, value in enumerate(VALUES)]


def found(rules: SortRules, scores: list[Score] = SCORES, values: np.ndarray = VALUES) -> SortedHeads:
    return sorted_heads(rules, HEADS, values, scores, {(1, 2): ["local"], (2, 2): ["induction"], (2, 1): []})


def written(heads: SortedHeads, corpus: bool = True, chosen: tuple[int, int] = (2, 1)) -> list[str]:
    return [one.written("en") for one in said(heads, "3 “Ben”", "5 “Taylor”", corpus, chosen)]


def test_equal_heads_keep_their_order_and_one_without_a_value_is_last() -> None:
    assert found(SortRules("induction")).places == [2, 0, 3, 1]
    assert found(SortRules(), [], np.zeros(0)).places == [0, 1, 2, 3]
    assert found(SortRules("induction", "labelled")).shown == [(2, 2), (1, 2)]


def test_the_least_of_a_measure_is_counted_from_its_chance() -> None:
    assert found(SortRules("induction", "least", 0.2)).places == [2, 0]  # 0.2 − 0 and 0.9 − 0.2; not 0.2 − 0.3
    assert found(SortRules("entropy", "least", 0.2), scores=[]).places == [2, 0, 3]
    assert found(SortRules("layer", "least", 0.2), [], np.zeros(0)).places == [0, 1, 2, 3]


def test_the_sentence_has_the_first_of_all_heads_its_rows_and_its_chance() -> None:
    assert written(found(SortRules("induction", "labelled"))) == [
        "Over the corpus, of 4 heads, “induction” is largest in head 2.1: 0.9 (5 of 7 rows; chance: 0.2).",
        "Heads with a label over the corpus: 2 of 4.",
        "Head 2.1 stays chosen; it is not among those shown.",
    ]


def test_a_search_says_how_many_of_all_heads_it_found() -> None:
    assert written(found(SortRules(WEIGHT, "least", 0.1), scores=[])) == [
        "In 3 of 4 heads, 3 “Ben” gives 5 “Taylor” at least 0.1 of its weight, most in head 2.1: 0.9."
    ]
    assert written(found(SortRules("induction", "least", 0.1)), corpus=False) == [
        "Over this input, “induction” is at least 0.1 above its chance in 2 of 4 heads; "
        "it is largest in head 2.1: 0.9 (5 of 7 rows; chance: 0.2)."
    ]
    assert written(found(SortRules(WEIGHT, "least", 0.95), scores=[]), chosen=(1, 1)) == [
        "In 0 of 4 heads, 3 “Ben” gives 5 “Taylor” at least 0.95 of its weight, most in head 2.1: 0.9.",
        "Head 1.1 stays chosen; it is not among those shown.",
    ]


def test_heads_that_are_alike_are_no_largest_one() -> None:
    alike = found(SortRules(WEIGHT), [], np.array([0.5, 0.5, 0.1, math.nan]))
    assert written(alike) == ["Of 4 heads, 3 “Ben” reads 5 “Taylor” most in 2 heads alike: weight 0.5."]


@pytest.mark.parametrize("values", [np.zeros(4), np.full(4, math.nan)], ids=["nothing", "forbidden"])
def test_a_key_that_no_head_reads_is_said_to_be_unread(values: np.ndarray) -> None:
    assert written(found(SortRules(WEIGHT), [], values)) == ["3 “Ben” reads 5 “Taylor” in none of 4 heads."]


def test_weights_of_one_cell_are_those_of_every_head() -> None:
    shown = read(layer=2, head=1, row=7, key=2).shown
    weights = weights_here(shown.run, 2, 7, 2)
    assert weights.tolist() == [float(one) for layer in shown.run.layers for one in layer.weights[:, 7, 2]]
    assert np.isnan(weights_here(shown.run, 2, 2, 7)).all()  # the mask forbids what comes later
    assert np.isnan(weights_here(shown.run, 2, 7, 99)).all()


def test_heads_are_found_by_an_example_and_keep_their_names() -> None:
    state = read(layer=2, head=1, row=7, key=2, sort="weight", only="least", least=0.5)
    shown, heads = state.shown, state.shown.sorted_heads
    weights = {at: float(shown.run.layers[at[0] - 1].weights[at[1] - 1, 7, 2]) for at in shown.heads}
    assert heads.shown == sorted((at for at in weights if weights[at] >= 0.5), key=lambda at: -weights[at])
    assert live._values(state)["order"] == heads.places
    assert [live._values(state)["values"][place][0] for place in heads.places] == ["1", "0.959"]
    gist, first, *_ = insight(shown, state.model, state.footnote)
    assert gist.written("en") == "“Anna” gives “Miller” that much of its weight in 2 of 8 heads."
    assert first.key == "model.sorted.weight_least"
    assert [one.written("en") for one in model_heads.brief(shown, state.state.view)] == ["2 of 8"]


def test_the_figure_and_the_table_have_the_heads_that_are_shown_in_their_order() -> None:
    state = read(layer=2, head=1, row=7, key=2, sort="weight", only="least", least=0.05)
    shown, view = state.shown, state.state.view
    names = [f"{layer}.{head}" for layer, head in shown.sorted_heads.shown]
    assert [str(one["text"]).split(" ")[0] for one in model_heads.drawing(shown, view).layout["annotations"]] == names
    columns = {one.label: one for one in model_heads.table(shown, view).columns}
    listed = [f"{layer}.{head}" for layer, head in zip(columns["layer"].values, columns["head"].values, strict=True)]
    assert listed == names
    weights = columns["weight 7 “Anna” → 2 “Miller”"]
    assert weights.made is not None
    assert [float(value) for value in weights.values] == [
        float(weights.made(line).facts["value"]) for line in range(len(names))
    ]


def test_no_head_at_all_is_drawn_and_listed() -> None:
    state = read(layer=2, head=1, row=7, key=2, sort="weight", only="least", least=2)
    assert state.shown.sorted_heads.places == []
    assert model_heads.drawing(state.shown, state.state.view).data == []
    assert len(model_heads.table(state.shown, state.state.view).columns[0].values) == 0


@pytest.mark.parametrize("settings", [{"sort": "weight", "only": "least"}, {"sort": "previous_token", "only": "least"}])
def test_a_question_leaves_no_head_out(settings: dict[str, Any]) -> None:
    state = read(predict="true", question=QUESTIONS[0], layer=2, head=1, row=7, **settings)
    assert state.posed is not None
    assert live.ordered(state) == [*range(8)]
    assert live._values(state)["values"] == []
    assert model_heads.brief(state.shown, state.state.view) == []
