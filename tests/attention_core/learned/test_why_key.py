"""A score as a sum: its parts against plain loops, what the model adds beside them, and sums that are shown."""

import math
import random
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from attention_core.learned import LearnedLayer, Part, Why, shipped_model, why
from attention_core.models import CapturedLayer
from tests.attention_core.learned.oracles import captured, captured_layers, random_layer

LAYER = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben").layers[1]


def assert_explains(layer: LearnedLayer, biased: bool) -> None:
    """Every cell's parts are those of plain loops, and with what comes beside them they give the model's score."""
    assert layer.Q is not None
    assert layer.K is not None
    assert layer.scale is not None
    Q, K, scores = layer.Q.double().numpy(), layer.K.double().numpy(), layer.scores.double().numpy()
    h, n_q, n_k = scores.shape
    allowed = layer.allowed
    biases = []
    for head in range(h):
        group = head // (h // K.shape[0])
        for row in range(n_q):
            for key in range(n_k):
                found = why(layer, head + 1, row, key)
                expected = {c: layer.scale * Q[head, row, c] * K[group, key, c] for c in range(Q.shape[-1])}
                assert {part.components: part.value for part in found.parts} == pytest.approx(
                    {(c,): value for c, value in expected.items()}, abs=1e-12
                )
                sizes = [abs(part.value) for part in found.parts]
                assert sizes == sorted(sizes, reverse=True)
                assert found.dot == pytest.approx(sum(expected.values()), abs=1e-9)
                cap = layer.softcap
                capped = cap * math.tanh(found.dot / cap) if cap else found.dot
                assert found.softcap == pytest.approx(capped - found.dot, abs=1e-12)
                assert found.forbidden == (not allowed[head, row, key])
                if found.forbidden:
                    assert (found.score, found.bias) == (-math.inf, 0)
                    assert found.total == pytest.approx(capped)
                else:
                    assert found.total == found.score == scores[head, row, key]
                    assert found.dot + found.softcap + found.bias == pytest.approx(found.score, rel=1e-5, abs=1e-5)
                    biases.append(found.bias)
    assert any(biases) == biased


def test_the_shipped_model():
    assert_explains(LAYER, biased=False)


@pytest.mark.slow
@pytest.mark.night(but=2)
@pytest.mark.parametrize("name", ["GPT-2", "Llama", "Gemma 2", "gpt-oss", "DeepSeek V3", "BERT"])
def test_models_whose_scores_are_products(name: str):
    assert_explains(captured_layers(captured(name))[-1], biased=False)


def test_what_these_models_bring():
    """Guards the test above: it sees grouped keys, a softcap that changes scores, and masked keys."""
    llama, gemma = captured_layers(captured("Llama"))[-1], captured_layers(captured("Gemma 2"))[-1]
    assert llama.K is not None
    assert llama.K.shape[0] < llama.weights.shape[0]
    assert gemma.softcap == 2
    assert abs(why(gemma, 1, 5, 0).softcap) > 0.01
    assert why(llama, 1, 0, 1).forbidden
    assert not why(llama, 1, 1, 0).forbidden


@pytest.mark.slow
def test_a_bias_is_what_the_products_leave():
    t5 = captured_layers(captured("T5"))
    assert_explains(t5[0], biased=True)
    [bert] = captured_layers(captured("BERT"))[:1]
    raised = replace(bert, scores=bert.scores + 0.25)
    for row, key in ((0, 0), (3, 7)):
        assert why(bert, 2, row, key).bias == 0
        assert why(raised, 2, row, key).bias == pytest.approx(0.25, abs=1e-5)


def test_a_low_precision_sum_has_no_bias():
    """The noise of a format is no bias: in bfloat16 the sum itself is off by percents."""
    generator = torch.Generator().manual_seed(0)
    Q, K = (torch.randn(2, 5, 64, generator=generator).bfloat16() for _ in range(2))
    scores = Q @ K.mT * 0.125
    layer = CapturedLayer("layer", 0, "self", Q, K, K, 0.125, 0.0, scores, scores.softmax(-1))
    cells = [why(layer, head, row, key) for head in (1, 2) for row in range(5) for key in range(5)]
    assert {cell.bias for cell in cells} == {0}
    assert max(abs(cell.score - cell.dot) for cell in cells) > 1e-3
    for cell in cells:
        assert_adds_up(cell, 2, 5)


def test_pairs_are_one_part_each():
    single = {part.components: part.value for part in why(LAYER, 1, 6, 4).parts}
    pairs = ((0, 8), (9, 1), (3, 16))
    found = {part.components: part.value for part in why(LAYER, 1, 6, 4, pairs).parts}
    assert len(single) == 16
    assert set(found) == {(0, 8), (9, 1), *((c,) for c in (2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15))}
    assert found[0, 8] == pytest.approx(single[(0,)] + single[(8,)])
    assert found[9, 1] == pytest.approx(single[(9,)] + single[(1,)])
    with pytest.raises(ValueError, match=r"^a component is in one pair at most; \[1\] are in several$"):
        why(LAYER, 1, 6, 4, ((0, 1), (1, 2)))


def test_what_is_not_there_is_refused():
    [first, *_] = captured_layers(captured("BLOOM"))
    with pytest.raises(InvalidInput) as refused:
        why(first, 1, 0, 0)
    assert refused.value.code == "no_queries"
    for head, row, key in ((0, 0, 0), (5, 0, 0), (1, 8, 0), (1, -1, 0), (1, 0, 8)):
        with pytest.raises(InvalidInput) as refused:
            why(LAYER, head, row, key)
        assert refused.value.code == "out_of_range"


@pytest.mark.parametrize(("digits", "most", "named"), [(-1, 1, "digits"), (21, 1, "digits"), (2, 0, "most")])
def test_a_sum_is_not_rounded_to_what_cannot_be_shown(digits: int, most: int, named: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{named} ") as refused:
        why(LAYER, 1, 6, 4).rounded(digits, most)
    assert refused.value.code == "out_of_range"


@pytest.mark.parametrize("name", ["Q", "K", "scores"])
@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_numbers_that_are_none_are_refused(name: str, value: float):
    [layer, *_] = captured_layers(captured("BERT"))
    assert why(layer, 1, 2, 2).parts
    broken = replace(layer, **{name: torch.full_like(getattr(layer, name), value)})
    if name == "scores" and math.isnan(value):
        assert why(broken, 1, 2, 2).forbidden  # NaN is above no bound: such a cell is not allowed
        return
    with pytest.raises(InvalidInput) as refused:
        why(broken, 1, 2, 2)
    assert refused.value.code == "not_finite"


def assert_adds_up(cell: Why, digits: int, most: int) -> None:
    """What is shown adds up exactly, and each number is less than a unit from its own value and what rounding lost."""
    found = cell.rounded(digits, most)
    texts = [f"{value:.{digits}f}" for _, value in found.parts]
    with localcontext() as context:
        context.prec = 2000
        others = Decimal(f"{found.others:.{digits}f}")
        assert sum(map(Decimal, texts), others) == found.dot
        assert found.dot + found.softcap + found.bias == found.total
    unit = Fraction(1, 10**digits)
    total = Fraction(cell.total)
    assert abs(Fraction(found.total) - total) <= unit / 2
    assert f"{found.total:.{digits}f}".removeprefix("-") == f"{cell.total:.{digits}f}".removeprefix("-")
    assert len(found.parts) == min(most, len(cell.parts))
    assert found.count == len(cell.parts) - len(found.parts)
    assert [components for components, _ in found.parts] == [part.components for part in cell.parts[:most]]
    values = [Fraction(part.value) for part in cell.parts]
    lost = abs(total - Fraction(cell.softcap) - Fraction(cell.bias) - sum(values))
    last = 0 if found.count else 1  # the largest part takes what is lost if there are no others
    for (_, shown), value in list(zip(found.parts, values, strict=False))[last:]:
        assert abs(Fraction(shown) - value) < unit
    assert abs(Fraction(found.parts[0][1]) - values[0]) < unit + lost
    assert abs(Fraction(found.others) - sum(values[most:])) < unit + lost if found.count else found.others == 0
    for shown, value in ((found.softcap, cell.softcap), (found.bias, cell.bias)):
        assert abs(Fraction(shown) - Fraction(value)) < unit
        assert value != 0 or shown == 0


NUMBERS = st.one_of(
    st.floats(-10, 10),
    st.floats(-1e30, 1e30),
    st.floats(-1e-6, 1e-6),
    st.integers(-1000, 1000).map(lambda n: n / 200),  # halves of a unit
    st.sampled_from([0.0, -0.0, 5e-324, 1e300, -1e300, 0.005, 0.015]),
)


@pytest.mark.night
@settings(max_examples=2000, deadline=None)
@given(
    st.lists(NUMBERS, min_size=1, max_size=24),
    st.one_of(st.just(0.0), NUMBERS),
    st.one_of(st.just(0.0), NUMBERS),
    st.booleans(),
    st.integers(0, 8),
    st.integers(1, 26),
)
def test_what_is_shown_adds_up(
    values: list[float], softcap: float, bias: float, forbidden: bool, digits: int, most: int
):
    ordered = sorted(values, key=lambda value: -abs(value))
    dot = math.fsum(values)
    bias = 0.0 if forbidden else bias
    score = -math.inf if forbidden else float(torch.tensor(dot + softcap + bias).clamp(-1e38, 1e38))
    if not math.isfinite(dot + softcap):
        return
    parts = tuple(Part((c,), value) for c, value in enumerate(ordered))
    assert_adds_up(Why(parts, dot, softcap, bias, score, forbidden), digits, most)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(1, 9))
def test_what_is_shown_of_any_layer_adds_up(seed: int, digits: int, most: int):
    chosen = random.Random(seed)
    layer = random_layer(chosen, chosen.randint(1, 5), chosen.randint(1, 5))
    if layer.Q is None:
        return
    h, n_q, n_k = layer.weights.shape
    cell = why(layer, chosen.randint(1, h), chosen.randrange(n_q), chosen.randrange(n_k))
    assert cell.bias == 0
    assert_adds_up(cell, digits, most)


def test_a_sum_by_hand():
    """Three thirds are 0.33 + 0.33 + 0.34; 33.42 − 13.349 + 2.5 are 23 tenths if the largest remainders go up."""
    thirds = Why(tuple(Part((c,), 1 / 3) for c in range(3)), 1.0, 0.0, 0.0, 1.0, False)
    assert sorted(str(value) for _, value in thirds.rounded(2, 3).parts) == ["0.33", "0.33", "0.34"]
    assert str(thirds.rounded(2, 1).others) == "0.67"
    assert thirds.rounded(2, 1).count == 2
    capped = Why((Part((0,), 3.456), Part((1,), -0.114)), 3.342, -1.3349, 0.25, 2.2571, False).rounded(1, 5)
    assert [str(value) for _, value in capped.parts] == ["3.4", "-0.1"]
    assert (str(capped.dot), str(capped.softcap), str(capped.bias), str(capped.total)) == ("3.3", "-1.3", "0.3", "2.3")


@pytest.mark.parametrize(("digits", "most"), [(-1, 3), (21, 3), (2, 0)])
def test_digits_and_parts_have_bounds(digits: int, most: int):
    with pytest.raises(InvalidInput) as refused:
        why(LAYER, 1, 2, 1).rounded(digits, most)
    assert refused.value.code == "out_of_range"
