"""Softcap, sink, gates and entmax on the Anatomy page: boxes, steps, sentences, formulas, endpoint, links."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig, InvalidInput, layers, normalisations
from attention_core.normalisations import Normalisation
from attention_core.result.walk import weighing_of
from tests.attention_core.normalisations import oracles
from tests.visualiser.pages.anatomy.test_live import TEXT, asked
from visualiser.locale import LANGUAGES, number, texts
from visualiser.pages.anatomy import endpoint as anatomy_endpoint
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.state import share

OWN = {
    "softmax": ("softmax", "softmax", ("exponentials",)),
    "sink": ("softmax", "softmax_sink", ("exponentials",)),
    "sigmoid": ("sigmoid", "sigmoid", ("lowered",)),
    "entmax": ("entmax", "entmax", ("halved", "roots")),
}
"""By normalisation: the box of the weights, its title, the steps in it before the weights."""


@pytest.mark.parametrize("mechanism", ["dot_product", "additive"])
@pytest.mark.parametrize("name", OWN)
def test_the_box_of_the_weights_is_the_normalisations_and_a_softcap_stands_before_the_mask(
    name: str, mechanism: str
) -> None:
    config = AttentionConfig(n=5, d_model=21, h=3, mechanism=mechanism, normalisation=name, sink=-1.5)
    capped = replace(config, softcap=2.5)
    box, title, steps = OWN[name]
    plain, bent = (walk_steps.boxes(replace(each, layer=2)) for each in (config, capped))
    assert {one for one in plain if plain[one]["step"] == "weights"} == {box}
    assert (plain[box]["title"], plain[box].get("setting")) == (title, "b = −1.5" if name == "sink" else None)
    assert bent.keys() - plain.keys() == {"softcap"}
    assert (bent["softcap"]["numbers"], bent["softcap"]["setting"]) == ("5 × 5", "c = 2.5")
    there = walk_steps.steps(replace(capped, layer=2))
    before = "scaled" if mechanism == "dot_product" else "scores"
    at = there.index(before)
    assert there[at : at + 4 + len(steps)] == (before, "capped", "masked", *steps, "weights")
    assert walk_steps.weighing(config) == (*steps, "weights")
    assert "capped" not in walk_steps.steps(replace(config, layer=2))
    assert all(f"anatomy.box.{one['title']}" in texts(lang) for lang in LANGUAGES for one in bent.values())


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", OWN)
def test_every_step_of_other_weights_speaks_and_shows_the_numbers_of_the_core(name: str) -> None:
    query = f"text={TEXT}&normalisation={name}&sink=0.5&softcap=1.5&mask=causal&row=2&head=2"
    config = share.read(f"page=anatomy&{query}").state.config
    assert (config.normalisation, config.softcap) == (name, 1.5)
    layer = layers(config, 1)[0]
    masked = layer.attention.masked[1].double().numpy()
    weights = oracles.weights(name, masked, 0.5)
    sent = asked(f"{query}&step=weights")["walk"]
    assert (sent["normalisation"], sent["softcap"]) == (name, 1.5)
    assert sent.get("sink") == (0.5 if name == "sink" else None)
    np.testing.assert_allclose(sent["tensors"]["weights"]["values"], weights, rtol=1e-5, atol=1e-9)
    for tensor, formula in weighing_of(config).formulas.items():
        assert tensor in sent["tensors"]
        if name != "softmax":
            assert sent["formulas"][tensor][0] == formula
    assert sent["formulas"]["masked"][0].startswith("c · tanh(sᵢⱼ / c) + Mᵢⱼ")
    for lang in LANGUAGES:
        said = {
            rows: {
                step: asked(f"{query}&step={step}&rows={rows}&lang={lang}")["walk"]["sentences"]
                for step in sent["steps"]
            }
            for rows in ("one", "all")
        }
        written = " ".join(sentence for steps in said.values() for found in steps.values() for sentence in found)
        assert "{" not in written
        softmax = texts(lang)["anatomy.one.weights"], texts(lang)["anatomy.all.weights"]
        assert all((one in written) == (name == "softmax") for one in softmax)
        assert number(1.5) in said["one"]["capped"][0]
        total = float(weights[2].sum())
        if name == "sink":
            assert number(total) in said["one"]["weights"][0]
            assert number(1 - total) in said["one"]["weights"][0]
            assert number(max(float(masked[2].max()), 0.5)) in said["one"]["exponentials"][0]
        if name == "sigmoid":
            assert number(total) in said["one"]["weights"][0]
            assert number(math.log(4)) in said["one"]["lowered"][0]
        if name == "entmax":
            assert number(float(oracles.entmax_threshold(masked)[2, 0])) in said["one"]["roots"][0]
            assert str((weights[2] > 0).sum()) in said["one"]["weights"][0]


@pytest.mark.parametrize("name", OWN)
def test_a_lone_key_has_the_whole_weight_only_of_weights_that_add_up_to_1(name: str) -> None:
    query = f"text={TEXT}&normalisation={name}&sink=0.5&mask=causal&row=0&step=weights"
    weight = float(layers(share.read(f"page=anatomy&{query}").state.config, 1)[0].attention.weights[0, 0, 0])
    *_, last = asked(query)["figures"]["insight"]
    whole = name in ("softmax", "entmax")
    assert ("with the whole weight" in last) == whole == (weight == 1)
    assert (f"with the weight {number(weight)}" in last) == (not whole)


@pytest.mark.parametrize("name", OWN)
def test_the_reason_of_the_verdict_is_the_normalisations(name: str) -> None:
    query = f"text=one+two+three+four&row=1&seed=3&predict=true&normalisation={name}&sink=1&step=weights"
    layer = layers(share.read(f"page=anatomy&{query}").state.config, 1)[0]
    weights, masked = layer.attention.weights[0, 1], layer.attention.masked[0, 1]
    found = asked(query, prediction={"name": "anatomy_largest", "answer": str(int(weights.argmax()))})["verdict"]
    assert found["right"] is True
    reason = found["sentences"][1]
    assert number(float(weights.max())) in reason
    assert number(float(masked.max())) in reason
    words = {"softmax": "; the softmax makes", "sink": "; beside the sink", "sigmoid": "σ(", "entmax": "entmax makes"}
    assert [word for word in words.values() if word in reason] == [words[name]]


@pytest.mark.parametrize("name", OWN)
def test_the_endpoint_gives_every_number_on_the_way_to_the_weights(name: str) -> None:
    values = {"h": 3, "d_model": 6, "d_k": 5, "mask": "causal", "seed": 2, "normalisation": name, "sink": 0.5}
    found: Any = anatomy_endpoint.anatomy(**values, softcap=1.5, layer=2, head=3, row=2)
    scaled = np.array(found["scaled"])
    np.testing.assert_allclose(found["capped"], 1.5 * np.tanh(scaled / 1.5), rtol=1e-5, atol=1e-6)
    masked = np.array([-np.inf if one is None else one for one in found["masked"]])
    assert (found["masked"][:3], found["masked"][3]) == (found["capped"][:3], None)
    weights = oracles.weights(name, masked[None], 0.5)[0]
    np.testing.assert_allclose(found["weights"], weights, rtol=1e-5)
    weighing = found["weighing"]
    assert found["shapes"][OWN[name][0]] == [4, 4]
    assert (found["exponentials"] is None) == (found["exponentials_sum"] is None) == (name in ("sigmoid", "entmax"))
    if name == "sink":
        assert weighing["missing"] == pytest.approx([1 - weights.sum()], rel=1e-5)
        assert weighing["maximum"] == pytest.approx([max(masked.max(), 0.5)])
        assert found["exponentials_sum"] == pytest.approx(sum(weighing["exponentials"]) + weighing["sunk"][0])
    elif name == "sigmoid":
        assert weighing["lowered"] == [pytest.approx(one - math.log(4)) if np.isfinite(one) else None for one in masked]
        assert weighing["mass"] == pytest.approx([weights.sum()])
    elif name == "entmax":
        assert np.square(weighing["roots"]) == pytest.approx(weights)
        assert weighing["threshold"] == pytest.approx([oracles.entmax_threshold(masked[None])[0, 0]], abs=1e-6)
    else:
        assert np.divide(weighing["exponentials"], weighing["sums"]) == pytest.approx(weights)
    assert anatomy_endpoint.anatomy(**values)["capped"] is None


def test_a_step_of_other_weights_gives_way_to_the_next_that_the_layer_has() -> None:
    assert asked("step=exponentials&normalisation=sigmoid")["state"]["controls"]["step"] == "lowered"
    assert asked("step=roots")["state"]["controls"]["step"] == "weights"
    assert asked("step=capped")["state"]["controls"]["step"] == "masked"


def test_a_normalisation_without_a_walk_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    relu = Normalisation(weights=lambda config, masked, mask: masked.relu())
    monkeypatch.setattr(normalisations, "NORMALISATIONS", {**normalisations.NORMALISATIONS, "relu": relu})
    config = AttentionConfig(n=5, h=3)
    object.__setattr__(config, "normalisation", "relu")
    for called in (walk_steps.steps, walk_steps.boxes):
        with pytest.raises(InvalidInput, match=r"softmax, sink, sigmoid, entmax to be walked through; got 'relu'\.$"):
            called(config)
