"""Comparisons on the page Model: what changed, nothing, too little to see, and not measured are told apart."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch

from attention_core.learned import FactorCurve, HeadCosts
from visualiser.figures.head_costs import Costs
from visualiser.figures.plots.factor_curve import factor_curve
from visualiser.figures.plots.layer_entropies import layer_entropies
from visualiser.figures.plots.model_says import model_says
from visualiser.figures.plots.moved_heads import moved_heads
from visualiser.locale import LANGUAGES
from visualiser.locale.message import Message, write_all
from visualiser.pages.model import present
from visualiser.pages.model.reading import Read, read
from visualiser.pages.model.sentences import insight
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View


def shown(changes: str, **own: Any) -> Read:
    query = urlencode({"page": "model", "changes": changes, **own})
    return read(PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {}, "model"))


def said(found: Read) -> list[Message]:
    """Return all that is said of a state."""
    figures = present.figures_of(found.shown)
    return [
        *insight(found.shown, found.model, found.footnote, found.changes),
        *(one for figure in figures for one in figure.sentence(found.shown, View())),
        *(one for figure in figures for one in figure.brief(found.shown, View())),
    ]


def keys(found: Read) -> set[str]:
    return {one.key for one in said(found)}


@pytest.mark.parametrize("change", ["hide:10", "causal"])
def test_a_change_without_effect_is_told_as_none(change: str) -> None:
    """Token 0 was named, with “7.69×10⁻¹⁰ → 7.69×10⁻¹⁰”."""
    found = shown(change, layer=2, row=2)
    (first, second, *_) = insight(found.shown, found.model, found.footnote, found.changes)
    assert (first.key, second.key) == ("short.says.same", "says.same")
    assert [one.key for one in model_says.sentence(found.shown, View())] == ["says.same"]
    assert "says.changed" not in keys(found)


def test_nothing_at_all_changes_under_a_mask_that_is_there() -> None:
    found = keys(shown("causal", layer=2, row=2))
    assert {"says.same", "says.still_any", "table.layer_entropies.same", "brief.model_says.same"} <= found
    assert not {"says.changed", "says.moved_any", "says.unmoved_any", "table.layer_entropies.summary"} & found


@pytest.mark.parametrize("changes", ["mute@2.1", "mute@2.1,mute@2.2"])
def test_entropies_that_are_equal_are_not_told_as_changed(changes: str) -> None:
    """Lesson 7 said "changed most: 0.823 before, 0.823 now"."""
    found = layer_entropies.sentence(shown(changes, layer=2).shown, View())
    assert [one.key for one in found] == ["table.layer_entropies.same"]


def test_heads_that_are_not_measured_are_named() -> None:
    """ "No other head reads elsewhere" was said of heads that all have gates."""
    found = shown("sigmoid", layer=2)
    assert [one.key for one in moved_heads.sentence(found.shown, View())] == ["says.unmeasured"]
    (told,) = [one for one in said(found) if one.key == "says.unmeasured"][:1]
    assert told.written("en") == (
        "How far all heads of layer 1 and all heads of layer 2 moved is not measured: "
        "in one of the states weights need not add up to 1."
    )
    assert not {"says.still_any", "says.unmoved_any", "says.still", "says.unmoved"} & keys(found)


def test_some_heads_are_measured_and_the_others_named() -> None:
    found = shown("sigmoid@2,factor:2,mute@1.2", layer=2)
    told = {one.key: one for one in moved_heads.sentence(found.shown, View())}
    assert [*told] == ["says.moved_any", "says.unmeasured", "says.silent"]
    assert write_all(told["says.unmeasured"].facts["heads"], "en") == ["all heads of layer 2"]
    assert write_all(told["says.silent"].facts["heads"], "en") == ["head 1.2"]
    entropies = [one.key for one in layer_entropies.sentence(found.shown, View())]
    assert entropies == ["table.layer_entropies.summary", "table.layer_entropies.left_out"]


def test_less_than_three_digits_show_is_said_so() -> None:
    found = shown("factor:1.0005@1.1", layer=2)
    told = {one.key: one for one in said(found)}
    assert {"says.unmoved", "says.unseen"} <= told.keys()
    assert 0 < told["says.unmoved"].facts["share"] < told["says.unmoved"].facts["least"] == 5e-4
    assert 0 < told["says.unseen"].facts["apart"] < 5e-3


def test_a_query_that_reads_all_keys_alike_reads_none_most() -> None:
    """The first of equal keys was named."""
    found = shown("uniform@2.1", layer=2, head=1)
    told = {one.key: one for one in said(found)}
    assert {"model.reads_tied", "table.head_map.tied", "table.head_row.tied"} <= told.keys()
    assert told["model.reads_tied"].facts["count"] == 20
    assert "model.reads" not in told
    beside_a_sink = shown("factor:0,sink:2", layer=2, head=1)
    assert "model.reads_sink_tied" in keys(beside_a_sink)


def test_a_muted_head_is_not_said_to_read() -> None:
    over = {"corpus": True, "text": False}
    for name, told in over.items():
        found = [one for one in said(shown("mute@2.1", layer=2, head=1, over=name)) if one.key.startswith("model.")]
        names = [one.key for one in found]
        assert ("model.as_trained" in names) == told
        assert not {"model.does", "model.does_text", "model.does_elsewhere"} & set(names)


def curve(logs: list[float]) -> list[str]:
    found = shown("factor:2").shown
    times = np.logspace(-1, 1, len(logs))
    made = replace(found, curve=FactorCurve(times, np.array(logs, dtype=np.float64)))
    said = factor_curve.sentence(made, View())
    assert all(one.facts["count"] == len(logs) for one in said)
    return [one.key.rpartition(".")[2] for one in said] + [one.key for one in factor_curve.brief(made, View())]


def test_the_best_factor_is_that_of_those_tried() -> None:
    assert curve([-9, -2, -3]) == ["summary", "brief.factor_curve"]
    assert curve([-9, -4, -3]) == ["end", "brief.factor_curve"]
    assert curve([-3, -4, -9]) == ["end", "brief.factor_curve"]
    assert curve([-3, -3, -3]) == ["same"]
    assert curve([-3, -3.0001, -3]) == ["unseen"]


@pytest.mark.parametrize(
    ("nats", "of_text", "key", "head"),
    [
        ([0.1, 2.0, -3.0], True, "most", "1.2"),
        ([-0.1, 0.0, -3.0], True, "gains", "2.1"),
        ([1e-4, 0.0, -2e-4], True, "none", None),
        ([0.0, 0.0, 0.0], True, "same", None),
        ([float("nan")] * 3, True, "unmeasured", None),
        ([float("nan"), 0.1, 0.3], True, "most", "2.1"),
        ([0.1, 0.2, 0.0], False, "most_kl", "1.2"),
        ([1e-4, 0.0, 0.0], False, "none_kl", None),
    ],
)
def test_costs_are_compared_over_all_heads(nats: list[float], of_text: bool, key: str, head: str | None) -> None:
    found = Costs(
        HeadCosts(((0, 0), (0, 1), (1, 0)), torch.tensor(nats, dtype=torch.float64), -60.0 if of_text else None)
    )
    told = found.said()
    assert told.key == f"muting.{key}"
    assert told.facts.get("head") == head
    for lang in LANGUAGES:
        assert told.written(lang)
