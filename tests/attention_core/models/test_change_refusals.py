"""A change that a model cannot make is refused with a code."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from attention_core import InvalidInput
from attention_core.models import Causal, Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform, capture
from tests.attention_core.models.small_models import READ, SEEN

pytestmark = pytest.mark.slow


def refused(code: str, family: str, change: Callable[[], Any]) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    with pytest.raises(InvalidInput) as caught:
        capture(model, changes=[change()], **inputs)
    assert caught.value.code == code
    assert str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda: Mute(2, 0), lambda: Mute(-1, 0), lambda: Mute(0, 6), lambda: Mute(0, -1), lambda: Uniform(0, 6),
        lambda: Mean(0, 6, (0.0,) * 8), lambda: Replace(0, 0, 2, 0), lambda: Replace(0, 0, 0, 6),
        lambda: Factor(16.5), lambda: Factor(-0.1), lambda: Factor(1.0, layers=[2]), lambda: Factor(1.0, heads=[6]),
        lambda: Hide(11), lambda: Hide(-1), lambda: Hide(0, layers=[2]), lambda: Normalise(layers=[0, 7]),
        lambda: Treat(qk_norm=True, heads=[-1]), lambda: Causal(window=0), lambda: Causal(heads=[9]),
        lambda: Factor(2.0, heads=[0, 6]), lambda: Replace(0, 0, -1, 0), lambda: Replace(0, 0, 0, -1),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(change: Callable[[], Any]) -> None:
    refused("out_of_range", "Llama", change)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    for change in (lambda: Factor(value), lambda: Normalise("sink", sink=value), lambda: Treat(softcap=value)):
        with pytest.raises(InvalidInput):
            capture(READ["Llama"]()[0], changes=[change()], **READ["Llama"]()[1])


def test_an_unknown_normalisation_is_refused() -> None:
    refused("unknown_choice", "Llama", lambda: Normalise("relu"))


@pytest.mark.parametrize(
    "change",
    [lambda: Factor(2.0), lambda: Treat(qk_norm=True), lambda: Causal(False), lambda: Mean(0, 0, (0.0,) * 8)],
)
@pytest.mark.parametrize("family", ["GPT-J", "MPNet"])
def test_what_a_family_does_not_hand_over_cannot_be_changed(family: str, change: Callable[[], Any]) -> None:
    refused("change_unreached", family, change)


def test_a_mask_of_layers_between_two_texts_is_refused_with_its_reason() -> None:
    refused("change_crosses", "T5", lambda: Causal(True, layers=[3]))  # T5's calls: 2 of 11 × 11, then 7 × 7, 7 × 11


def test_a_key_that_the_chosen_layers_do_not_have_is_refused_though_others_have_it() -> None:
    refused("out_of_range", "T5", lambda: Hide(9, layers=[2]))


def test_what_does_not_fit_is_refused() -> None:
    refused("change_shape", "T5", lambda: Replace(0, 0, 2, 0))  # 11 × 11 by 7 × 7
    refused("change_shape", "T5", lambda: Replace(3, 0, 0, 0))  # 7 × 11 by 11 × 11
    refused("change_shape", "Llama", lambda: Mean(0, 0, (0.0,) * 7))
