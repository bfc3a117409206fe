"""A change that others overrule changes no weight and no output of a run, and one that they do not changes some."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, Final

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core.changes import (
    Causal,
    Change,
    Factor,
    Hide,
    LayerSize,
    Mean,
    Mute,
    Normalise,
    Replace,
    Treat,
    Uniform,
    overruled,
)
from attention_core.language import shipped
from attention_core.language.model import LanguageModel
from attention_core.learned import shipped_model
from tests.draws import cases

IDS: Final = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben sleeps").ids
H: Final = 4
SHIPPED: Final = [LayerSize(H, len(IDS), True)] * 2


def random_list(draws: Random) -> list[Change]:
    """Return changes of which no two have the same value, so that each that decides shows.

    Entmax is left out: it gives a single key all weight, whatever its score.
    """

    def reach() -> dict[str, Any]:
        layers, heads = (draws.sample(range(most), draws.randint(1, most)) for most in (2, H))
        return {"layers": draws.choice((None, layers)), "heads": draws.choice((None, heads))}

    def place() -> tuple[int, int]:
        return draws.choice(((0, 0), (0, 1), (1, 0)))

    makers: list[Callable[[], Change]] = [
        *(lambda times=times: Factor(times, **reach()) for times in (0.3, 2.5)),
        lambda: Treat(qk_norm=True, **reach()),
        lambda: Treat(log_n=True, softcap=3.0, **reach()),
        *(lambda cap=cap: Treat(softcap=cap, **reach()) for cap in (5.0, 8.0)),
        lambda: Normalise("sigmoid", **reach()),
        *(lambda sink=sink: Normalise("sink", sink, **reach()) for sink in (-1.0, 0.7, 2.0)),
        *(lambda args=args: Causal(*args, **reach()) for args in ((False, None), (False, 3), (True, 2))),
        *(lambda key=key: Hide(key, **reach()) for key in (1, 4)),
        lambda: Mute(*place()),
        lambda: Uniform(*place()),
        *(lambda by=by: Replace(*place(), *by) for by in ((1, 1), (0, 3))),
        *(lambda number=number: Mean(*place(), (number,) * 16) for number in (0.5, -0.7)),
    ]
    return [make() for make in draws.sample(makers, draws.randint(2, 7))]


@cache
def model() -> LanguageModel:
    """Return the shipped model in float64 with a third of its scores: no row is of one key alone."""
    parameters = shipped(2).model.parameters
    return LanguageModel({name: one.double() * (0.3 if "W_Q" in name else 1) for name, one in parameters.items()})


def made(changes: Sequence[Change]) -> list[Tensor]:
    """Return every layer's weights and the logits of that model."""
    run = model()(IDS, changes)
    return [*(layer.weights for layer in run.layers), run.logits]


@pytest.mark.slow
@settings(max_examples=cases(90), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_is_overruled_decides_nothing_and_all_else_something(seed: int) -> None:
    changes = random_list(Random(seed))
    idle, whole = overruled(changes, SHIPPED), made(changes)
    for place in range(len(changes)):
        without = made([*changes[:place], *changes[place + 1 :]])
        same = all(torch.allclose(one, other, rtol=0, atol=1e-11) for one, other in zip(whole, without, strict=True))
        assert same == (place in idle), (changes, place)


def test_a_change_that_meets_one_head_alone_is_not_overruled() -> None:
    muted = [Mute(0, head) for head in range(1, H)]
    assert overruled([Factor(2.0, layers=[0]), *muted], SHIPPED) == frozenset()
    assert overruled([Factor(2.0, layers=[0]), *muted, Mute(0, 0)], SHIPPED) == {0}
    assert overruled([Factor(2.0), *muted, Mute(0, 0)], SHIPPED) == frozenset()


def test_only_the_layers_where_a_change_can_act_decide() -> None:
    both = [LayerSize(1, 5, True), LayerSize(1, 3, False)]
    assert overruled([Hide(4), Mute(0, 0)], both) == {0}
    assert overruled([Hide(2), Mute(0, 0)], both) == frozenset()
    assert overruled([Causal(True), Mute(0, 0)], both) == {0}
    assert overruled([Causal(True), Mute(0, 0)], [both[0]._replace(n_k=3)] * 2) == frozenset()
    assert overruled([Causal(True), Uniform(0, 0)], both) == frozenset()


def test_what_acts_nowhere_is_not_said_to_be_overruled() -> None:
    assert overruled([Mute(7, 0), Hide(90)], SHIPPED) == frozenset()


def test_a_kind_of_change_that_is_not_known_is_refused() -> None:
    class Other(Change):
        def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
            return (0,)

    with pytest.raises(TypeError, match="Other"):
        overruled([Other()], SHIPPED)
