"""Maps of whole layers, held against plain loops in float64."""

import random
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
import torch

from attention_core.errors import InvalidInput
from attention_core.learned import NAMES, Line, ModelRun, mean_of_heads, rollout, shipped_model, without_first
from attention_core.models import CapturedLayer
from tests import draws
from tests.attention_core.learned.oracles import captured_layers, random_layer

Map = npt.NDArray[np.float64]


def shipped_run(name: str = "headlight") -> ModelRun:
    return shipped_model(name).run(NAMES)


def plain_mean(weights: Map, allowed: npt.NDArray[np.bool_]) -> Map:
    h, n_q, n_k = weights.shape
    found = np.zeros((n_q, n_k))
    for head, q, k in np.argwhere(allowed):
        found[q, k] += weights[head, q, k] / h
    return found


def plain_rollout(run: ModelRun) -> Map:
    found, product = list[Map](), np.eye(len(run.tokens))
    for layer in run.layers:
        mixed = 0.5 * plain_mean(layer.weights.double().numpy(), layer.allowed.numpy()) + 0.5 * np.eye(len(product))
        for q in range(len(mixed)):
            mixed[q] /= mixed[q].sum()
        product = mixed @ product
        found.append(product)
    return np.stack(found)


def random_run(seed: int) -> ModelRun:
    """Return three layers of self-attention over eleven tokens, with masks and learned sinks of any kind."""
    chosen, n = random.Random(seed), 11
    layers = tuple(replace(random_layer(chosen, n, n, index), kind="self") for index in range(3))
    return ModelRun.of_text(("word",) * n, (1,) * n, layers, cut=False)


@pytest.mark.parametrize("name", ["headlight", "headlight-one-layer"])
def test_rollout_of_the_shipped_models(name: str) -> None:
    run = shipped_run(name)
    found = rollout(run)
    n = len(run.tokens)
    assert found.dtype == torch.float64
    assert found.shape == (len(run.layers), n, n)
    np.testing.assert_allclose(found.numpy(), plain_rollout(run), rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found.sum(-1).numpy(), 1, rtol=1e-12)
    assert float(found.triu(1).abs().max()) == 0  # a causal model hands nothing back


@pytest.mark.parametrize("seed", range(draws.cases(100)))
def test_rollout_under_masks_and_learned_sinks(seed: int) -> None:
    run = random_run(seed)
    np.testing.assert_allclose(rollout(run).numpy(), plain_rollout(run), rtol=1e-4, atol=1e-7)


def weighed(layer: CapturedLayer, scores: torch.Tensor, weights: torch.Tensor) -> CapturedLayer:
    """Return a layer of self-attention of which these scores and weights are all that is known."""
    return replace(layer, kind="self", Q=None, K=None, V=None, scores=scores, weights=weights)


def test_a_learned_sink_leaves_a_position_more_of_its_own() -> None:
    """Two positions, one head: the second gives 0.2 to the first, 0.3 to itself and 0.5 to the sink."""
    weights = torch.tensor([[[1.0, 0.0], [0.2, 0.3]]])
    layer = weighed(random_layer(random.Random(0), 2, 2), torch.zeros(1, 2, 2), weights)
    run = ModelRun.of_text(("a", "b"), (1, 2), (layer,), cut=False)
    np.testing.assert_allclose(rollout(run)[0, 1].numpy(), [0.2 / 1.5, 1.3 / 1.5], rtol=1e-6)


def test_a_row_that_reads_nothing_keeps_its_position() -> None:
    layer = random_layer(random.Random(1), 3, 3)
    scores = torch.zeros(2, 3, 3)
    scores[:, 0] = -torch.inf  # as of padding
    changed = weighed(layer, scores, scores.softmax(-1))
    assert bool(changed.weights[:, 0].isnan().all())
    run = ModelRun.of_text(("a", "b", "c"), (1, 2, 3), (changed, changed), cut=False)
    found = rollout(run)
    assert found[:, 0].tolist() == [[1.0, 0.0, 0.0]] * 2
    assert bool(found.isfinite().all())


def test_a_mean_is_that_of_all_heads() -> None:
    for layer in shipped_run().layers:
        weights, allowed = mean_of_heads(layer)
        true = plain_mean(layer.weights.double().numpy(), layer.allowed.numpy())
        np.testing.assert_allclose(weights.numpy(), true, rtol=1e-5, atol=1e-9)
        assert torch.equal(allowed, torch.ones_like(allowed).tril())


def test_a_mean_counts_no_weight_that_a_head_may_not_read() -> None:
    """One head reads two keys alike, the other one alone: what either may read is allowed."""
    scores = torch.tensor([[[0.0, 0.0, -torch.inf]], [[-torch.inf, -torch.inf, 0.0]]])
    layer = weighed(random_layer(random.Random(2), 1, 3), scores, torch.tensor(1 / 3).expand(2, 1, 3))
    weights, allowed = mean_of_heads(layer)
    np.testing.assert_allclose(weights.numpy(), [[1 / 6] * 3], rtol=1e-6)
    assert allowed.tolist() == [[True] * 3]


def test_rows_without_the_first_key_add_up_to_one() -> None:
    for layer in shipped_run().layers:
        found = without_first(layer.weights, layer.allowed).double().numpy()
        assert np.isnan(found[:, 0]).all()  # under a causal mask it reads only the first
        weights = layer.weights.double().numpy()
        for head in range(len(weights)):
            for q in range(1, weights.shape[1]):
                rest = [0.0, *weights[head, q, 1:]]
                np.testing.assert_allclose(found[head, q], np.array(rest) / sum(rest), rtol=1e-5, atol=1e-9)


def test_rows_of_the_mean_without_the_first_key() -> None:
    weights, allowed = mean_of_heads(shipped_run().layers[1])
    found = without_first(weights, allowed)
    np.testing.assert_allclose(found[1:].sum(-1).numpy(), 1, rtol=1e-6)
    assert bool(found[0].isnan().all())


def test_the_first_key_leaves_the_digits_of_the_others() -> None:
    weights = torch.tensor([[1.0, 3e-12, 1e-12, 1e-12], [1.0, 0.0, 0.0, 0.0]])
    allowed = torch.tensor([[True, True, True, False], [True] * 4])
    found = without_first(weights, allowed)
    np.testing.assert_allclose(found[0].numpy(), [0, 0.75, 0.25, 0], rtol=1e-6)
    assert bool(found[1].isnan().all())
    assert weights[0, 0] == 1  # those of the run are left alone


def refused(run: ModelRun) -> dict[str, object]:
    with pytest.raises(InvalidInput) as problem:
        rollout(run)
    assert problem.value.code == "rollout_lines"
    return dict(problem.value.details)


def test_rollout_refuses_what_is_no_one_line() -> None:
    run = random_run(3)
    layers, n = captured_layers(run), len(run.tokens)
    target = Line("target", run.tokens, run.ids)
    assert refused(replace(run, lines=(run.lines[0], target), between=((0, 0), (1, 1), (1, 0)))) == {"value": 2}
    assert refused(replace(run, lines=(run.lines[0], target), between=((0, 1), (0, 0), (0, 0)))) == {"value": 1}
    assert refused(replace(run, layers=(*layers[:2], replace(layers[2], kind="cross")))) == {"value": 3}
    windows = torch.arange(n).unsqueeze(0)
    assert refused(replace(run, windows=(None, windows, None))) == {"value": 2}
    for n_q, n_k in ((n, n - 1), (1, n), (7, 7)):
        other = replace(random_layer(random.Random(4), n_q, n_k), kind="self")
        assert refused(replace(run, layers=(layers[0], other, layers[2]))) == {"value": 2}


def test_rollout_of_no_layer_is_empty() -> None:
    assert rollout(ModelRun.of_text(("a", "b", "c"), (1, 2, 3), (), cut=False)).shape == (0, 3, 3)
