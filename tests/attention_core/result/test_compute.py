"""From config to result: every control against the oracle, and the caller's guarantees."""

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, InvalidInput, compute, compute_rows, draw_inputs
from attention_core.inputs.sources import additive_parameters
from tests.attention_core import oracles
from tests.attention_core.oracles import causal, window

SMALL: dict[str, Any] = {"n": 7, "h": 3, "d_k": 5, "d_model": 11}
STAGES = ("scores", "scaled", "masked", "weights")


def outside(n_q=5, n_k=7, d_k=11, d_v=13, dtype=torch.float32, size=1.0):
    generator = torch.Generator().manual_seed(4)
    Q, K, V = (
        torch.randn(3, n, d, generator=generator).to(dtype) * size for n, d in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    return AttentionInputs(Q, K, V)


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"scaling": "none"},
        {"scaling": "d_k"},
        {"scaling": "custom", "scale": 3.7},
        {"mechanism": "additive"},
        {"source": "text", "text": "a rose is a rose is a rose", "positions": True},
        {"source": "text", "text": "나는 나", "split": "characters", "mechanism": "additive"},
    ],
    ids=str,
)
def test_every_setting_against_float64(given, mask):
    config = AttentionConfig(**{**SMALL, "mask": mask, "window": 2, **given})
    result = compute(config)
    inputs = draw_inputs(config)
    allowed = {"none": None, "causal": causal(config.n, config.n), "window": window(config.n, config.n, 2)}[mask]
    parameters = additive_parameters(config)
    for head in range(config.h):
        Q, K, V = inputs.Q[head], inputs.K[head], inputs.V[head]
        W_q, W_k, w = (t[head] for t in parameters)
        additive = config.mechanism == "additive"
        compatibility = oracles.additive(W_q.double().numpy(), W_k.double().numpy(), w.double().numpy())
        scores, weights, output = oracles.attention(
            Q, K, V, compatibility if additive else oracles.dot, config.factor, allowed
        )
        plain = ((Q @ W_q).unsqueeze(1) + K @ W_k).tanh() @ w if additive else (Q.unsqueeze(1) * K).sum(-1)
        hidden = (
            torch.zeros_like(plain) if allowed is None else torch.zeros_like(plain).masked_fill(~allowed, -torch.inf)
        )
        plain_weights = (plain * config.factor + hidden).softmax(-1)
        rounding = torch.finfo(torch.float32).eps * scores.abs().max()
        oracles.assert_as_exact_as(plain + rounding, result.scores[head], scores)
        oracles.assert_as_exact_as(plain_weights + torch.finfo(torch.float32).eps, result.weights[head], weights)
        oracles.assert_as_exact_as(plain_weights @ V + rounding, result.output[head], output)
        exact_entropy = torch.tensor([oracles.entropy(row) for row in weights.tolist()], dtype=torch.float64)
        assert oracles.error(result.entropy[head], exact_entropy) <= 8 * torch.finfo(torch.float32).eps * math.log(
            config.n
        )
    assert torch.equal(result.scaled, result.scores * config.factor)
    assert torch.equal(
        result.masked == -torch.inf,
        torch.zeros_like(result.masked).bool() if allowed is None else ~allowed.expand_as(result.masked),
    )


@pytest.mark.parametrize("given", [{}, {"mask": "causal"}, {"mechanism": "additive"}, {"source": "text"}], ids=str)
def test_rows_are_the_rows_of_the_whole(given):
    """Equal up to the last digits: products of fewer rows may sum in another order."""
    config = AttentionConfig(**{**SMALL, **given})
    whole, rows = compute(config), compute_rows(config, [4, 1, 4])
    assert rows.rows == (4, 1, 4)
    assert whole.rows is None
    for name in (*STAGES, "output", "entropy", "jacobian_norm", "largest_weight"):
        assert torch.allclose(getattr(rows, name), getattr(whole, name)[:, [4, 1, 4]], rtol=1e-5, atol=1e-6)
    assert torch.equal(rows.ceiling, whole.ceiling[[4, 1, 4]])
    assert torch.equal(rows.Q, whole.Q)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([7], "rows must be between 0 and 6; got 7."),
        ([0, -1], "rows must be between 0 and 6; got -1."),
    ],
)
def test_rows_that_are_no_query(rows, message):
    with pytest.raises(InvalidInput) as caught:
        compute_rows(AttentionConfig(**SMALL), rows)
    assert str(caught.value) == message


def test_a_seed_reproduces_everything_and_visitors_do_not_meet():
    """Eight at once, two seeds: each gets what it would get alone."""
    configs = [AttentionConfig(**SMALL, seed=seed) for seed in (0, 1)] * 4
    alone = [compute(config) for config in configs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(compute, configs))
    for a, b in zip(alone, together, strict=True):
        assert torch.equal(a.weights, b.weights)
        assert torch.equal(a.output, b.output)
    assert not torch.equal(together[0].weights, together[1].weights)


def test_inputs_from_outside_decide_about_the_sizes():
    inputs = outside()
    result = compute(AttentionConfig(source="upload"), inputs)
    assert (result.config.n, result.config.h, result.config.d_k, result.config.tie) == (5, 3, 11, False)
    assert result.weights.shape == (3, 5, 7)
    assert result.output.shape == (3, 5, 13)
    assert result.concatenation.shape == (5, 39)
    assert result.projection.shape == (5, 512)
    assert torch.equal(result.scaled, result.scores * (1 / math.sqrt(11)))


def test_nothing_is_predicted_of_inputs_from_outside():
    result = compute(AttentionConfig(), outside())
    assert result.config.source == "upload"
    assert result.predicted_variance is None


def test_the_callers_own_output_projection_is_used():
    inputs = dataclasses.replace(outside(), W_O=torch.eye(39)[:, :17])
    result = compute(AttentionConfig(source="upload"), inputs)
    assert torch.equal(result.projection, result.concatenation @ torch.eye(39)[:, :17])


def test_upload_without_inputs():
    with pytest.raises(InvalidInput) as caught:
        compute(AttentionConfig(source="upload"))
    assert caught.value.code == "inputs_missing"


@pytest.mark.parametrize(
    ("inputs", "dtype", "name"),
    [
        (outside(size=1e30), "float32", "Q and K"),
        (outside(dtype=torch.float64, size=1e300), "float32", "Q and K"),
        (outside(size=1e5), "float16", "Q and K"),
        (dataclasses.replace(outside(), V=torch.full((3, 7, 13), 1e5)), "float16", "V"),
    ],
    ids=["scores", "float64 into float32", "float16", "values"],
)
def test_overflow_is_an_error_and_no_picture_of_nan(inputs, dtype, name):
    with pytest.raises(InvalidInput) as caught:
        compute(AttentionConfig(source="upload", dtype=dtype), inputs)
    message = f"{name} must be small enough for every number computed in {dtype} to be finite; some overflowed."
    code = "overflow_float16" if dtype == "float16" else "overflow"  # another precision can help only there
    assert (caught.value.code, str(caught.value)) == (code, message)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_rounds_the_inputs_and_every_step(dtype):
    config = AttentionConfig(**SMALL, dtype=dtype)
    result = compute(config)
    inputs = draw_inputs(config)
    assert torch.equal(result.Q, inputs.Q.to(getattr(torch, dtype)).float())
    assert torch.equal(result.V, inputs.V.to(getattr(torch, dtype)).float())
    assert not torch.equal(result.Q, inputs.Q)
    assert torch.equal(result.scores, (result.Q @ result.K.mT).to(getattr(torch, dtype)).float())
    assert result.weights.dtype == torch.float32
    for stage in (*STAGES, "output"):
        matrix = getattr(result, stage)
        assert torch.equal(matrix, matrix.to(getattr(torch, dtype)).float()), stage


def test_result_is_frozen_and_takes_no_gradients():
    inputs = outside()
    inputs.Q.requires_grad_()
    inputs.V.requires_grad_()
    result = compute(AttentionConfig(source="upload"), inputs)
    assert not result.weights.requires_grad
    assert not result.projection.requires_grad
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.weights = result.scores  # type: ignore[misc]


def test_stages_by_name():
    result = compute(AttentionConfig(**SMALL, mask="causal"))
    assert all(result.stage(name) is getattr(result, name) for name in STAGES)
    with pytest.raises(InvalidInput, match=r"^stage must be one of scores, scaled, masked, weights; got 'output'\.$"):
        result.stage("output")
