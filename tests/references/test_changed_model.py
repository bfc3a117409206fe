"""The changed shipped model is the one written out in float64: every change, everywhere, alone and with others."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core.changes import Causal, Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform
from attention_core.language import shipped
from attention_core.language.model import LanguageModel
from attention_core.learned import shipped_model
from tests.references.changed_model import HEADS, Changed, changed

NAMES = {"headlight": 2, "headlight-one-layer": 1}
TEXTS = (
    "Anna Miller sees Ben Taylor . Ben",
    "the keys to the cabinet near the rivers are old . ( the dogs near the river sleep . )",
    "서랍 열쇠 고양이 강 나무 서랍 열쇠 고양이 강",
)
EXACT = 1e-9
"""The share of the largest number that a run in float64 may be off; × 16 it is off by 1e-13."""
TOLERANCE = 1e-4
"""The share of the largest number that a float32 run may be off: with scores up to 28 it is off by 2e-6. The least
change below moves a weight by hundredths."""
LARGE = 100.0
"""Drawn factors make larger scores, and what they may be off grows with them from here on: float32 rounds by the size.
Two layers of × 13 end at 480, which are off by 1e-3, and the weights by 1.2e-4; in float64 by 1e-13."""


@cache
def in_float64(layers: int) -> LanguageModel:
    return LanguageModel({name: value.double() for name, value in shipped(layers).model.parameters.items()})


def held(name: str, text: str, changes: list[Any], drawn: bool = False) -> Changed:
    """Return the changed run written out; weights, scores and logits of ours are its, in float64 and in float32.

    `drawn` is True for changes whose scores have no bound.
    """
    model = shipped(NAMES[name]).model
    run = shipped_model(name).run(text, changes=changes)
    expected = changed(model.parameters, run.ids, changes)
    exact = in_float64(NAMES[name])(run.ids, changes)
    near(exact.logits, exact.layers, expected, EXACT)
    largest = max(float(np.abs(scores[scores > -np.inf]).max(initial=0.0)) for scores in expected.scores)
    rounded = max(1.0, largest / LARGE) if drawn else 1.0
    near(model(run.ids, changes).logits, run.layers, expected, TOLERANCE * rounded)
    assert len(run.layers) == NAMES[name]
    return expected


def near(logits: Tensor, layers: Sequence[Any], expected: Changed, tolerance: float) -> None:
    """Require that a run is off by at most this share of the largest numbers, and has the same mask."""
    assert np.abs(logits.double().numpy() - expected.logits).max() < tolerance * np.abs(expected.logits).max()
    for layer, weights, scores in zip(layers, expected.weights, expected.scores, strict=True):
        assert np.abs(layer.weights.double().numpy() - weights).max() < tolerance
        allowed = scores > -np.inf
        assert np.array_equal(layer.allowed.numpy(), allowed)
        off = np.abs(layer.scores.double().numpy()[allowed] - scores[allowed])
        assert off.size == 0 or off.max() < tolerance * max(1.0, np.abs(scores[allowed]).max())


def numbers(most: int) -> st.SearchStrategy[Any]:
    return st.none() | st.sets(st.integers(0, most), min_size=1)


def changes_of(layers: int, n: int) -> st.SearchStrategy[list[tuple[type[Any], tuple[Any, ...]]]]:
    """Draw changes as classes and their arguments: they check themselves, which a strategy must not wait for."""
    layer, head = st.integers(0, layers - 1), st.integers(0, HEADS - 1)
    reach = (numbers(layers - 1), numbers(HEADS - 1))
    vector = st.tuples(*[st.floats(-1, 1)] * 16)
    one = {
        Factor: (st.floats(0, 16), *reach),
        Treat: (st.booleans(), st.sampled_from([0.0, 0.5, 5.0]), st.booleans(), *reach),
        Normalise: (st.sampled_from(["softmax", "sink", "sigmoid", "entmax"]), st.floats(-3, 3), *reach),
        Causal: (st.booleans(), st.none() | st.integers(1, n), *reach),
        Hide: (st.integers(0, n - 1), *reach),
        Mute: (layer, head),
        Uniform: (layer, head),
        Replace: (layer, head, layer, head),
        Mean: (layer, head, vector),
    }
    # one of a kind: of two factors, masks or normalisations of one head nothing is said here
    return st.lists(st.sampled_from(list(one)), min_size=1, max_size=4, unique=True).flatmap(
        lambda kinds: st.tuples(*(st.tuples(st.just(kind), st.tuples(*one[kind])) for kind in kinds)).map(list)
    )


ALONE = (
    Factor(0.0), Factor(0.6), Factor(16.0, heads=[2]), Treat(qk_norm=True), Treat(softcap=0.5), Treat(log_n=True),
    Treat(True, 5.0, True, heads=[0, 3]), Normalise("softmax"), Normalise("sink", 1.5), Normalise("sigmoid"),
    Normalise("entmax"), Causal(False), Causal(True, 2), Causal(False, 3, heads=[1]), Hide(0), Hide(4), Mute(0, 1),
    Uniform(0, 2), Replace(0, 0, 0, 3), Mean(0, 1, tuple(np.linspace(-1, 1, 16))),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.night(but=10)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", ALONE, ids=lambda change: type(change).__name__)
def test_each_change_alone_is_the_one_written_out_and_acts(change: Any, name: str) -> None:
    for text in TEXTS:
        found = held(name, text, [change])
        if change not in (Normalise("softmax"),):
            own = held(name, text, [])
            assert np.abs(found.logits - own.logits).max() > 100 * TOLERANCE
            last = NAMES[name] - 1
            if getattr(change, "layers", 0) is None:  # all layers, the one that reads words as well
                assert np.abs(found.weights[last] - own.weights[last]).max() > 10 * TOLERANCE


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_run_is_the_one_written_out(name: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    n = len(shipped_model(name).run(text).ids)
    held(name, text, [kind(*given) for kind, given in data.draw(changes_of(NAMES[name], n))], drawn=True)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_change_the_run_is_the_model_s_own_bit_for_bit(name: str) -> None:
    for text in TEXTS:
        own = shipped_model(name).run(text)
        for changes in ((), []):
            found = shipped_model(name).run(text, changes=changes)
            for one, other in zip(found.layers, own.layers, strict=True):
                assert torch.equal(one.weights, other.weights)
                assert torch.equal(one.scores, other.scores)


@pytest.mark.slow
def test_zero_ablation_of_every_head_is_mute() -> None:
    """As TransformerLens does it: zeros in the place of `hook_z`. A head that reads nothing adds nothing."""
    text = TEXTS[0]
    for layer in range(2):
        for head in range(HEADS):
            muted = held("headlight", text, [Mute(layer, head)])
            zeros = held("headlight", text, [Mean(layer, head, (0.0,) * 16)])
            assert np.abs(muted.logits - zeros.logits).max() < 1e-12
            assert np.all(muted.outputs[layer][head] == 0)


def test_each_head_muted_in_one_batch_is_each_head_muted() -> None:
    model, text = shipped().model, TEXTS[0]
    ids = torch.tensor(shipped_model("headlight").run(text).ids)
    heads = [(layer, head) for layer in (1, 0) for head in range(HEADS)]
    mean = Mean(1, 3, tuple(np.linspace(-1, 1, 16)))
    for beside in ([], [Factor(2.0), Hide(2, layers=[1])], [Mute(0, 3)], [Replace(1, 0, 1, 1), mean]):
        logits = model.each_muted(ids, heads, beside)
        assert logits.shape[:2] == (len(heads), len(ids))
        for one, muted in zip(logits, heads, strict=True):
            expected = changed(model.parameters, ids.tolist(), [*beside, Mute(*muted)]).logits
            assert np.abs(one.double().numpy() - expected).max() < TOLERANCE * np.abs(expected).max()


def test_taking_the_head_that_copies_away_makes_the_repeat_improbable() -> None:
    """What the lesson shows: Taylor after the second Ben is the induction head's, which needs the head below it."""
    text = TEXTS[0]
    found = shipped_model("headlight").run(text)
    at, word = len(found.ids) - 1, found.ids[found.tokens.index("Taylor")]
    whole = held("headlight", text, []).log_probabilities[at, word]
    cost = {
        (layer, head): whole - held("headlight", text, [Mute(layer, head)]).log_probabilities[at, word]
        for layer in range(2)
        for head in range(HEADS)
    }
    assert max(cost.values()) > 1
    before = {layer: max((cost[layer, head], head) for head in range(HEADS))[1] for layer in range(2)}
    induction = found.layers[1].weights[before[1]]
    muted = shipped_model("headlight").run(text, changes=[Mute(0, before[0])]).layers[1].weights[before[1]]
    key = found.tokens.index("Taylor")
    assert float(induction[at, key]) > 2 * float(muted[at, key])
