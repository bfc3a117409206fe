"""A changed run is the run of a model whose modelling code was edited by hand, and with no change the model's own."""

import copy
import math
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any, Final

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from attention_core.models import (
    Capture,
    CapturedLayer,
    Factor,
    Hide,
    Mean,
    Mute,
    Normalise,
    Replace,
    Uniform,
    capture,
)
from tests.attention_core.models.changing import FAMILIES, OF_A_HEAD, REACHES, REACHING, Drawn, drawn
from tests.attention_core.models.edited import PLACES, Line, run_edited
from tests.attention_core.models.held import added, rebuilt, same
from tests.attention_core.models.small_models import text
from tests.references.changed_model import acts

pytestmark = pytest.mark.slow

TOLERANCE: Final = 1e-5
"""The share of a tensor's largest number that it may be off. The models run in float64, but Llama and ViT round their
weights to float32, 6e-8, and the layers behind them enlarge that. A change that is wrong is off by thousandths."""

SEEDS: Final = 3
AS_IT_WAS: Final = {
    ("causal", "llama"), ("not causal", "bert"), ("not causal", "vit"),
    *(("softmax", family) for family in ("llama", "bert", "t5", "vit")),
}  # fmt: skip
"""Changes to what a family does anyway. Of two layers of gpt-oss one has a window, and all have sinks."""


def tensors(output: Any) -> list[Tensor]:
    return [one for one in tree_leaves(output) if isinstance(one, Tensor)]


def close(found: Tensor, expected: Tensor) -> None:
    assert found.shape == expected.shape
    assert bool(found.isfinite().all())
    atol = TOLERANCE * max(1.0, float(expected.abs().max()))
    torch.testing.assert_close(found.double(), expected.double(), rtol=0, atol=atol)


def held(d: Drawn, changes: Sequence[Any], lines: Sequence[Line]) -> Capture:
    """Return the changed run; its output, all hidden states and all weights are those of the edited model."""
    inputs = {**d.inputs, "output_hidden_states": True}
    expected = run_edited(d.family, d.model, inputs, lines)
    found = capture(d.model, changes=changes, **copy.deepcopy(inputs))
    pairs = list(zip(tensors(found.output), tensors(expected.output), strict=True))
    assert len(pairs) > len(expected.weights) // 2
    for one, other in pairs:
        close(one, other)
    for layer, weights in zip(found.layers, expected.weights, strict=True):
        close(layer.weights, weights[0])
        consistent(layer, biased=d.family == "t5" and layer.kind == "self")
    return found


def consistent(layer: CapturedLayer, biased: bool) -> None:
    """Require what a captured layer says of itself: scores of its Q and K, and rows that add up to 1 less the sink."""
    if layer.Q is not None and not biased:
        assert float(added(layer).abs().max()) <= TOLERANCE * max(1.0, float(rebuilt(layer).abs().max()))
    sink = torch.zeros(()) if layer.sink is None else layer.sink
    total = layer.weights.sum(-1) + sink
    usual = [head for head in range(len(total)) if head not in layer.unnormalised]
    rows = layer.allowed.any(-1)[usual]
    assert bool(((total[usual] - 1).abs()[rows] < TOLERANCE).all())
    if layer.sink is not None:
        assert layer.sink_score is not None
        assert bool((layer.sink[layer.sink_score == -torch.inf] == 0).all())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_edited_code_without_a_line_is_the_model_s_own(family: str) -> None:
    """Else what follows would compare with another model."""
    for seed in range(SEEDS):
        d = drawn(family, seed)
        with torch.no_grad():
            assert same(d.model(**d.inputs), run_edited(family, d.model, d.inputs).output)


@pytest.mark.night(but=4)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", REACHING)
def test_a_change_is_the_edit_wherever_it_reaches(case: str, family: str) -> None:
    acted = []
    for at, reach in enumerate(REACHES.values()):
        d = drawn(family, (at + len(case)) % SEEDS)
        change, lines = REACHING[case](d, reach(d))
        with torch.no_grad():
            own = d.model(**d.inputs)
        acted.append(not same(held(d, [change], lines).output[0], own[0]))
    assert any(acted) or (case, family) in AS_IT_WAS


@pytest.mark.night(but=8)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", OF_A_HEAD)
def test_a_change_of_a_head_is_the_edit(case: str, family: str) -> None:
    for seed in range(SEEDS):
        d = drawn(family, seed)
        change, lines = OF_A_HEAD[case](d, {})
        found = held(d, [change], lines)
        with torch.no_grad():
            assert not same(found.output[0], d.model(**d.inputs)[0])


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", FAMILIES)
def test_three_changes_at_once_are_all_their_edits(family: str) -> None:
    """In whatever order they are given: only of two that set the same weights, the last of the list wins."""
    every = {**REACHING, **OF_A_HEAD}
    kinds = [("factor",), ("qk_norm", "softcap", "treatments"), ("hide", "hide the first"),
             ("not causal", "window", "causal window"), ("sink", "sigmoid", "entmax"), ("mute",), ("uniform",),
             ("replace",), ("mean",)]  # fmt: skip
    triples = list(combinations(kinds, 3))
    draws = Random(family)
    for number, triple in enumerate(draws.sample(triples, 12)):
        d = drawn(family, number % SEEDS)
        names = [draws.choice(kind) for kind in triple]
        draws.shuffle(names)
        made = [every[name](d, draws.choice(list(REACHES.values()))(d)) for name in names]
        if "mean" in names and {"mute", "uniform", "replace"} & set(names[names.index("mean") :]):
            made[names.index("mean")] = made[names.index("mean")][0], []
        held(d, [change for change, _ in made], [line for _, lines in made for line in lines])


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_normalisation_of_a_head_decides_if_it_has_a_sink(family: str) -> None:
    draws = Random(family)
    for number in range(12):
        d = drawn(family, number % SEEDS)
        kinds = draws.choices(["sink", "sink", "softmax", "sigmoid", "entmax"], k=3)
        reaches = draws.choices(list(REACHES.values()), k=3)
        changes: list[Any] = [
            Normalise(kind, draws.uniform(-2, 2) if kind == "sink" else 0.0, **reach(d))
            for kind, reach in zip(kinds, reaches, strict=True)
        ]
        changes.insert(draws.randrange(4), draws.choice([Mute(d.layer, d.head), Hide(0)]))
        for at, layer in enumerate(capture(d.model, changes=changes, **d.inputs).layers):
            any_sink = False
            for head in range(len(layer.weights)):
                there = [change for change in changes if acts(change, at, head)]
                last = next((change for change in reversed(there) if isinstance(change, Normalise)), None)
                if any(isinstance(change, Mute) for change in there):
                    score = -math.inf
                elif last is None:
                    score = None if family == "gpt_oss" else -math.inf  # those have a learned sink each
                else:
                    score = last.sink if last.normalisation == "sink" else -math.inf
                any_sink = any_sink or score != -math.inf
                if layer.sink is None or layer.sink_score is None:
                    assert score == -math.inf
                elif score is not None:
                    scores = layer.sink_score[head].double()
                    torch.testing.assert_close(scores, torch.full_like(scores, score), rtol=1e-3, atol=0)
                    assert bool((layer.sink[head] > 0).all()) == (score != -math.inf)
            assert any_sink or family == "gpt_oss" or layer.sink is None


@pytest.mark.parametrize(
    ("first", "last"), [("mute", "uniform"), ("uniform", "mute"), ("replace", "uniform"), ("mean", "mute")]
)
def test_of_two_that_set_a_head_the_last_wins(first: str, last: str) -> None:
    d = drawn("bert", 0)
    (one, _), (other, lines) = OF_A_HEAD[first](d, {}), OF_A_HEAD[last](d, {})
    held(d, [one, other], lines)
    found, turned = (capture(d.model, changes=changes, **d.inputs) for changes in ([one, other], [other, one]))
    assert not same(found.output, turned.output)


def test_two_keys_can_be_hidden_and_two_factors_multiply() -> None:
    d = drawn("llama", 1)
    hidden = [REACHING[name](d, {}) for name in ("hide", "hide the first")]
    held(d, [change for change, _ in hidden], [line for _, lines in hidden for line in lines])
    twice = capture(d.model, changes=[Factor(2.0), Factor(1.5)], **d.inputs)
    assert all(
        torch.allclose(a.weights, b.weights)
        for a, b in zip(twice.layers, capture(d.model, changes=[Factor(3.0)], **d.inputs).layers, strict=True)
    )


@pytest.mark.night(but=6)
@pytest.mark.parametrize("family", ["llama", "bert", "vit", "gpt_oss"])
@pytest.mark.parametrize(
    "change",
    [
        lambda d, at: Mute(at, d.head), lambda d, at: Uniform(at, d.head), lambda d, at: Factor(2.5, layers=[at]),
        lambda d, at: Normalise("entmax", layers=[at]), lambda d, at: Mean(at, d.head, d.z),
        lambda d, at: Hide(d.key, layers=[at], heads=[d.head]),
    ],
    ids=["Mute", "Uniform", "Factor", "Normalise", "Mean", "Hide"],
)  # fmt: skip
def test_later_layers_differ_and_earlier_ones_do_not(family: str, change: Callable[[Drawn, int], Any]) -> None:
    d = drawn(family, 0)
    whole = capture(d.model, **d.inputs)
    for at in range(len(whole.layers)):
        found = capture(d.model, changes=[change(d, at)], **d.inputs)
        for one, own in zip(found.layers, whole.layers, strict=True):
            equal = [torch.equal(getattr(one, name), getattr(own, name)) for name in ("Q", "K", "V", "weights")]
            assert all(equal) if one.index < at else all(equal[:3]) if one.index == at else not any(equal)
        assert not same(found.output[0], whole.output[0])
    assert same(capture(d.model, **d.inputs).output, whole.output)  # nothing of a change stays


def test_a_hidden_key_leaves_a_row_without_keys_with_nothing() -> None:
    """Causal, so the first query could read the first key alone."""
    for family in ("llama", "gpt_oss"):
        d = drawn(family, 0)
        found = capture(d.model, changes=[Hide(0)], **d.inputs)
        assert all(bool(one.isfinite().all()) for one in tensors(found.output))
        for layer in found.layers:
            assert bool((layer.weights[:, 0] == 0).all())
            assert bool((layer.weights[:, :, 0] == 0).all())
            assert bool((layer.weights[:, 1:].sum(-1) > 0).all())
            assert not bool(layer.allowed[:, :, 0].any())


def test_every_key_of_a_text_can_be_hidden() -> None:
    d = drawn("bert", 0)
    n = d.plain[0].shape[-1]
    found = capture(d.model, changes=[Hide(key) for key in range(n)], **d.inputs)
    assert all(bool((layer.weights == 0).all()) for layer in found.layers)
    assert bool(found.output[0].isfinite().all())


def test_several_sequences_are_changed_alike() -> None:
    d = drawn("llama", 2)
    n = d.plain[0].shape[-1]
    texts = [text(n, seed=seed) for seed in (3, 4)]
    both: dict[str, Any] = {name: torch.cat([one[name] for one in texts]) for name in texts[0]}
    for names in (["hide", "mean"], ["replace", "entmax"], ["not causal", "mute"], ["qk_norm", "uniform"]):
        changes = [{**REACHING, **OF_A_HEAD}[name](d, {})[0] for name in names]
        together = capture(d.model, changes=changes, **both)
        for at, one in enumerate(texts):
            alone = capture(d.model, changes=changes, **one)
            close(together.output.logits[at], alone.output.logits[0])
            for layer, own in zip(together.layers, alone.layers, strict=True):
                close(layer.weights[at], own.weights)


def test_chosen_layers_of_a_changed_run_are_those_of_all() -> None:
    d = drawn("gpt_oss", 1)
    last = len(d.plain) - 1
    changes = [Mute(0, d.head), Factor(2.0), Replace(last, 0, 0, 1)]
    whole = capture(d.model, changes=changes, **d.inputs)
    found = capture(d.model, changes=changes, layers=[last], **d.inputs)
    assert same(found.output, whole.output)
    assert [layer.index for layer in found.layers] == [last]
    assert torch.equal(found.layers[0].weights, whole.layers[last].weights)


def test_every_place_of_the_edited_code_has_a_line() -> None:
    d = drawn("bert", 0)
    lines = [line for case in (*REACHING.values(), *OF_A_HEAD.values()) for line in case(d, {})[1]]
    assert {place for place, _ in lines} == set(PLACES)
