"""Our sinks, softcaps and QK-norm are those of gpt-oss, Gemma 2 and Qwen 3 in transformers, to rounding."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from attention_core import AttentionInputs, compute
from attention_core.result import compute as computing
from attention_core.result.streamed import StreamedCells
from tests.offline import offline
from tests.references.comparing import Compared
from tests.references.comparing_models import compared_with_models, configuration, heads, in_memory, largest_score
from tests.references.modelling import MODELS, Layer, drawn, layers_of, qwen_3

MOST, MOST_64 = 9.0, 5.0
"""Units of `Compared`, in float32 and in the model's precision. Over 420 models 7.3 and 3.1 (docs/truth.md)."""
COUNT = 12

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _no_network() -> Iterator[None]:
    with offline():
        yield


@pytest.fixture(scope="module")
def layers(_no_network: None) -> list[Layer]:
    return list(layers_of(COUNT))


@pytest.fixture(scope="module")
def all_compared(layers: list[Layer]) -> list[Compared]:
    return list(compared_with_models(layers))


@pytest.mark.night
def test_no_number_is_further_from_a_model_s_than_rounding(all_compared: list[Compared]) -> None:
    assert [one for one in all_compared if not one.float32 <= MOST] == []
    assert [one for one in all_compared if one.float64 is not None and not one.float64 <= MOST_64] == []


@pytest.mark.night
def test_each_model_is_held_in_memory_and_in_passes_under_both_masks(all_compared: list[Compared]) -> None:
    usual = {"weights", "output", "weights, streamed", "entropy, streamed"}
    for model in MODELS:
        own = [one for one in all_compared if one.reference == model]
        assert {one.quantity for one in own} == usual | ({"sink weight, streamed"} if model == "gpt-oss" else set())
        assert {one.case.split(", ")[1].split(" ")[0] for one in own} == {"causal", "window"}
        assert len({one.case for one in own}) == 2 * COUNT


def test_what_came_after_the_root_acts_in_these_layers(layers: list[Layer]) -> None:
    """A sink takes from a hundredth to nearly all, caps lie above and below the scores, vectors differ in length."""
    shares = torch.cat([1 - one.weights.sum(-1).flatten() for one in layers if one.sinks is not None])
    assert shares.min() < 0.01
    assert shares.max() > 0.99
    over = [largest_score(one) / one.softcap for one in layers if one.softcap]
    assert min(over) < 0.5
    assert max(over) > 5
    lengths = torch.cat([one.Q.norm(dim=-1).flatten() / one.Q.shape[-1] ** 0.5 for one in layers if one.qk_norm])
    assert lengths.min() < 0.3
    assert lengths.max() > 3


def test_keys_outside_the_mask_get_exactly_nothing(layers: list[Layer]) -> None:
    for layer in layers:
        assert torch.equal(in_memory(layer, torch.float64)["weights"] > 0, layer.weights > 0), layer.name


def test_compute_without_a_matrix_is_a_model_s_too(layers: list[Layer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
    for layer in layers[::3]:
        unit = MOST * 2.0**-24 * max(1.0, largest_score(layer))
        for head, tensors in enumerate(heads(layer, torch.float32)):
            if layer.window is not None:
                continue
            result = compute(configuration(layer, head), AttentionInputs(*tensors), device="cpu")
            assert isinstance(result.cells, StreamedCells)
            found = result.tile(slice(None), slice(None))[0]
            torch.testing.assert_close(found.double(), layer.weights[head], rtol=0, atol=unit)


@pytest.mark.parametrize("eps", [1e-6, 1e-3, 0.1])
def test_epsilon_moves_a_weight_no_further_than_it_moves_scores(eps: float) -> None:
    """ε takes the share ε/2 (1/q̄² + 1/k̄²) of a score at most, q̄² and k̄² the mean squares; ours has none."""
    moved = 0.0
    for seed in range(6):
        for layer in qwen_3(replace(drawn(seed), loud=1.0), eps):
            ours = in_memory(layer, torch.float64)["weights"]
            squares = [one.square().mean(-1).amin() for one in (layer.Q, layer.K)]
            share = float(sum(eps / 2 / one for one in squares))
            by_score = torch.tensor(2 * share * largest_score(layer)).expm1()
            rounding = MOST_64 * 2.0**-24 * max(1.0, largest_score(layer))
            assert ((ours - layer.weights).abs() <= by_score * layer.weights + rounding).all()
            moved = max(moved, float((ours - layer.weights).abs().max()) / rounding)
    assert moved > 1  # what is bounded is there
