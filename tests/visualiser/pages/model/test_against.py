"""What is pinned as A: `before` is the run with its changes, and no figure or sentence speaks of another state."""

import random
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
import torch

from attention_core.changes import Factor, Hide, Mute
from attention_core.learned import Said, SayingModel, attention_moved, shipped_model
from tests.visualiser.pages.model.test_changes import some_item
from visualiser.figures import saying
from visualiser.figures.plots.layer_entropies import layer_entropies
from visualiser.figures.plots.layer_entropies import values as entropies
from visualiser.figures.plots.model_says import model_says
from visualiser.locale import LANGUAGES, text
from visualiser.pages.model import changes, live, price
from visualiser.pages.model.reading import Read, read
from visualiser.pages.model.sentences import insight
from visualiser.pages.model.take_away import FILES
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View

TEXT = share.beginning("model").config.text
MODEL = shipped_model("headlight")


def asked(now: str, against: str, **settings: object) -> PageRequest:
    query = urlencode({"page": "model", "changes": now, "against": against, **settings})
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {}, "model")


def shown(now: str, against: str, **settings: object) -> Read:
    return read(asked(now, against, **settings))


def numbers(found: Read) -> tuple[torch.Tensor, dict[str, tuple[float, float]], np.ndarray]:
    """Return all that is told of the two states: how far heads moved, each outcome, and the layers' entropies."""
    at = found.shown
    assert at.before is not None
    said = {one.name: (one.before, one.after) for one in saying.outcomes(at)}
    return attention_moved(at.before, at.run), said, np.array(entropies(at))


def names(found: Read, lang: str = "en") -> set[str]:
    """Return what the legends of the two figures call the states."""
    view = View(lang=lang)
    traces = (*model_says.drawing(found.shown, view).data, *layer_entropies.drawing(found.shown, view).data)
    return {trace["name"] for trace in traces if trace["name"]}


def test_without_a_pin_the_other_state_is_the_model_as_it_is() -> None:
    found = shown("mute@1.1", "")
    assert not found.shown.pinned
    assert found.against == ()
    assert found.shown.before is found.before
    assert torch.equal(found.before.layers[1].weights, MODEL.run(TEXT).layers[1].weights)
    assert names(found) == {text("en", f"figure.model_says.{name}") for name in ("before", "now")}
    assert "against" not in parse_qs(share.canonical(found.state))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_both_states_are_those_of_a_direct_computation(lang: str) -> None:
    a, b = [Factor(2.0), Hide(3)], [Mute(0, 0)]
    found = shown("mute@1.1", "factor:2,hide:3", layer=2, lang=lang).shown
    then, now = MODEL.run(TEXT, changes=a), MODEL.run(TEXT, changes=b)
    assert found.pinned
    assert found.before is not None
    for one, other in ((found.before, then), (found.run, now)):
        for layer, same in zip(one.layers, other.layers, strict=True):
            assert torch.equal(layer.weights, same.weights)
    assert isinstance(MODEL, SayingModel)
    first, second = (MODEL.says(TEXT, changes=each) for each in (a, b))
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    p, q = first.logs[-1].double(), second.logs[-1].double()
    assert saying.apart(found) == pytest.approx(float((p.exp() * (p - q)).sum()), rel=1e-4)
    assert saying.apart(found) > 0.01
    assert saying.text_logs(found) == (first.text_log, second.text_log)
    moved = dict(saying.moved(found))  # a head is left out if only one of the two changes it: here all are
    p, q = (run.layers[1].weights[2].double() for run in (then, now))
    assert moved[2, 3] == pytest.approx(float((p - q).abs().sum(-1).mean()) / 2, rel=1e-4)
    assert names(shown("mute@1.1", "factor:2,hide:3", lang=lang), lang) == {"A", "B"}


@pytest.mark.parametrize("seed", range(6))
def test_swapping_swaps_the_numbers(seed: int) -> None:
    chance = random.Random(seed)
    one, other = (changes.write([some_item(chance) for _ in range(2)]) for _ in range(2))
    found, swapped = shown(one, other), shown(other, one)
    (moved, said, layers), (back, unsaid, relayers) = numbers(found), numbers(swapped)
    torch.testing.assert_close(moved, back, equal_nan=True)
    for name in said.keys() & unsaid.keys():  # the five largest are those of now
        assert said[name] == unsaid[name][::-1]
    np.testing.assert_array_equal(layers, relayers[::-1])
    assert found.state.own["changes"] == swapped.state.own["against"]


def test_equal_lists_change_nothing() -> None:
    found = shown("mute@1.1,factor:2", "mute@1.1,factor:2.0")
    assert found.state.own["against"] == found.state.own["changes"] == "mute@1.1,factor:2"
    assert found.shown.before is found.shown.run
    assert not found.shown.changed
    assert found.shown.saying is not None
    assert found.shown.saying.before is found.shown.saying.after
    assert "model.pinned_same" in {one.key for one in insight(found.shown, found.model, None, found.changes)}


def test_what_both_states_change_is_no_change_of_a_heads_own() -> None:
    assert shown("mute@1.1,hide:2@2.4", "mute@1.1").shown.touched == {(2, 4)}
    assert shown("mute@1.1", "mute@1.1,mute@2.2").shown.touched == {(2, 2)}
    assert shown("", "mute@1.3").shown.touched == {(1, 3)}


def test_a_pin_alone_is_compared_with_the_model_as_it_is() -> None:
    found = shown("", "mute@1.1")
    assert found.shown.run is found.before
    assert found.shown.changed
    keys = {one.key for one in insight(found.shown, found.model, None, found.changes)}
    assert "model.pinned" in keys
    assert "model.changed" not in keys


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_a_cannot_have_is_left_out_by_name(lang: str) -> None:
    found = shown("mute@1.1", "mute@7.1,mute@1.2,nothing", lang=lang)
    assert found.state.own["against"] == "mute@1.2"
    told = [one for one in found.notices if one.startswith("A: ")]
    assert len(told) == 2
    assert "mute@7.1" in told[0]
    assert shown("mute@1.1", "mute@7.1").shown.pinned is False


def test_a_question_is_not_answered_by_what_is_pinned() -> None:
    asks = shown("", "mute@2.1", predict="true", question="model_mute", layer=2)
    assert asks.posed is not None
    assert not asks.shown.pinned
    assert asks.shown.before is asks.before
    assert asks.shown.saying is not None
    assert asks.shown.saying.before is asks.shown.saying.after
    assert asks.state.own["against"] == "mute@2.1"


def test_the_runs_of_a_cost_what_they_take() -> None:
    plain, one, two = (price.frame(asked(*each)) for each in (("", ""), ("mute@1.1", ""), ("mute@1.1", "mute@1.2")))
    assert plain.seconds < one.seconds < two.seconds
    assert two.multiply_adds - one.multiply_adds == one.multiply_adds - plain.multiply_adds
    assert two.memory > one.memory
    assert changes.runs("mute@1.1", "replace:1.2@1.1") == 4


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_file_names_a(lang: str) -> None:
    written = b"".join(FILES["html"].content(asked("mute@1.1", "factor:2", lang=lang))).decode()
    found = shown("mute@1.1", "factor:2", lang=lang)
    said = [changes.said(one, lang) for one in found.against]
    assert said[0] in written
    assert live._values(found)["against"] == [{"written": "factor:2", "said": said[0]}]


def test_tables_name_a_and_b() -> None:
    found = shown("mute@1.1", "factor:2")
    table = layer_entropies.table(found.shown, View())
    then, now = (column for column in table.columns if column.label in ("A", "B"))
    np.testing.assert_array_equal((then.values, now.values), entropies(found.shown))
    assert {then.kind, now.kind} == {"layer_entropy"}


def test_layers_without_a_share_have_no_entropy() -> None:
    found = shown("sigmoid", "")
    assert np.isnan(entropies(found.shown)).all()
    drawn = layer_entropies.drawing(found.shown, View())
    np.testing.assert_allclose(drawn.layout["yaxis"]["range"], (0, 0.11))
    (told,) = layer_entropies.sentence(found.shown, View())
    assert told.key == "table.layer_entropies.none"
