"""QK-norm and a factor that grows with ln n, in memory, in passes, in number formats, and with tensors from outside."""

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import CHOICES, AttentionConfig, AttentionInputs, compute, compute_rows, draw_inputs, layers
from attention_core.inputs.sources import additive_parameters
from attention_core.result import compute as computing
from attention_core.result.streamed import StreamedCells


def drawn(draws: random.Random) -> tuple[AttentionConfig, AttentionInputs]:
    """Return a small state with both settings at random, and tensors whose vectors differ in length by up to 10⁶."""
    settings: dict[str, Any] = {
        name: draws.choice(CHOICES[name]) for name in ("mechanism", "scaling", "mask") if name in CHOICES
    }
    config = AttentionConfig(
        **settings,
        h=draws.randint(1, 2),
        d_k=draws.randint(1, 9),
        tie=False,
        scale=draws.choice((0.0, 0.5, 3.0)),
        window=draws.randint(1, 4),
        seed=draws.randint(0, 10**6),
        source="upload",
        qk_norm=draws.random() < 0.7,
        log_n=draws.random() < 0.7,
    )
    generator = torch.Generator().manual_seed(config.seed)
    n_q, n_k = draws.choice(((1, 1), (5, 5), (3, 8), (7, 2)))

    def vectors(n: int) -> torch.Tensor:
        lengths = 10.0 ** torch.empty(config.h, n, 1).uniform_(-3, 3 if config.qk_norm else 0, generator=generator)
        found = torch.randn(config.h, n, config.d_k, generator=generator) * lengths
        if draws.random() < 0.2:
            found[0, 0] = 0.0
        return found

    Q, K = vectors(n_q), vectors(n_k)
    return config, AttentionInputs(Q, K, torch.randn(config.h, n_k, 3, generator=generator))


def in_float64(config: AttentionConfig, inputs: AttentionInputs) -> np.ndarray:
    """Return the scaled scores by another way: with lengths instead of root mean squares."""
    Q, K = (tensor.double().numpy() for tensor in (inputs.Q, inputs.K))
    if config.qk_norm:
        for tensor in (Q, K):
            length = np.linalg.norm(tensor, axis=-1, keepdims=True)
            tensor *= math.sqrt(tensor.shape[-1]) / np.where(length == 0, 1, length)
    if config.mechanism == "additive":
        W_q, W_k, w = (p.double().numpy() for p in additive_parameters(config))
        return (np.tanh((Q @ W_q)[:, :, None] + (K @ W_k)[:, None]) * w[:, None, None]).sum(-1)
    factor = {"sqrt_d_k": 1 / math.sqrt(Q.shape[-1]), "none": 1.0, "d_k": 1 / Q.shape[-1], "custom": config.scale}
    grown = math.log(K.shape[1]) / math.log(32) if config.log_n else 1.0
    return Q @ K.swapaxes(1, 2) * factor[config.scaling] * grown


@pytest.mark.night(but=1)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 50))])
def test_scores_in_memory_and_in_passes_are_those_of_float64(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = random.Random(seed)
    for _ in range(40):
        config, inputs = drawn(draws)
        expected = torch.from_numpy(in_float64(config, inputs))
        close: dict[str, Any] = {"rtol": 1e-4, "atol": 2e-5 * (1 + float(expected.abs().max()))}
        whole = compute(config, inputs, device="cpu")
        torch.testing.assert_close(whole.scaled.double(), expected, **close)
        some = (whole.Q.shape[1] - 1, 0)
        torch.testing.assert_close(compute_rows(config, some, inputs, device="cpu").scaled, whole.scaled[:, list(some)])
        with monkeypatch.context() as here:
            here.setattr(computing, "STREAMED_ABOVE", 0)
            streamed = compute(config, inputs, device="cpu")
        assert isinstance(streamed.cells, StreamedCells)
        tile = streamed.tile(slice(None), slice(None), "scaled")
        torch.testing.assert_close(tile.double(), expected, **close)
        torch.testing.assert_close(streamed.entropy, whole.entropy, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(streamed.score_variance, whole.score_variance, **close)


def test_scores_of_normalised_vectors_stay_within_their_bound() -> None:
    for scaling, most in (("sqrt_d_k", 8.0), ("none", 64.0), ("d_k", 1.0)):
        config = AttentionConfig(n=40, h=2, d_k=64, tie=False, qk_norm=True, scaling=scaling, source="structured")
        assert compute(config).scaled.abs().max() <= most * (1 + 1e-6)
        assert compute(replace(config, qk_norm=False)).scaled.abs().max() > most


def test_the_length_of_what_is_given_does_not_matter() -> None:
    config = AttentionConfig(n=9, h=2, d_k=5, qk_norm=True)
    given = draw_inputs(config)
    longer = AttentionInputs(given.Q * 1024, given.K / 64, given.V)  # powers of two change no digit
    torch.testing.assert_close(compute(config, longer).weights, compute(config, given).weights, rtol=0, atol=0)


def test_the_factor_grows_with_the_keys_and_not_with_the_queries() -> None:
    generator = torch.Generator().manual_seed(3)
    Q, K = torch.randn(1, 4, 8, generator=generator), torch.randn(1, 256, 8, generator=generator)
    config = AttentionConfig(source="upload", log_n=True, scaling="none")
    result = compute(config, AttentionInputs(Q, K, K))
    assert result.config.factor == pytest.approx(8 / 5)  # ln 256 / ln 32
    torch.testing.assert_close(result.scaled, Q @ K.mT * 1.6)
    assert AttentionConfig(n=32, log_n=True).factor == AttentionConfig(n=32).factor
    assert AttentionConfig(n=1, log_n=True).factor == 0
    assert AttentionConfig(n=64, log_n=True, mechanism="additive").factor == 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_format_rounds_what_is_normalised(dtype: str) -> None:
    config = AttentionConfig(n=9, h=2, d_k=5, tie=False, dtype=dtype, qk_norm=True)
    result = compute(config, device="cpu")
    held = draw_inputs(config).Q.to(getattr(torch, dtype)).double()
    normed = (held / held.square().mean(-1, keepdim=True).sqrt()).float().to(getattr(torch, dtype)).float()
    torch.testing.assert_close(result.Q, normed, rtol=0, atol=0)


def test_layers_compare_normalised_queries_and_keys() -> None:
    config = AttentionConfig(n=5, h=2, d_k=3, tie=False, qk_norm=True, log_n=True, source="text")
    (layer,) = layers(config, 1)
    result = compute(config, device="cpu")
    torch.testing.assert_close(layer.attention.weights, result.weights)
    torch.testing.assert_close(layer.attention.heads, result.output)
