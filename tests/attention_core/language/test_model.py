"""The forward pass, against the formulas in float64 written number by number, and against `compute`."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig, AttentionInputs, InvalidInput, compute
from attention_core.language import CONTEXT, WORDS, LanguageModel, read
from attention_core.language.model import forward, initial, positions, shapes


def large(seed: int, layers: int) -> LanguageModel:
    """Return an untrained model whose weights are far from even."""
    return LanguageModel({name: 3 * value for name, value in initial(seed, layers).items()})


def normed(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def written_out(model: LanguageModel, ids: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return logits and each layer's weights, in float64 and cell by cell."""
    p = {name: value.double().numpy() for name, value in model.parameters.items()}
    n, d, h = len(ids), 64, 4
    P = np.zeros((n, d))
    for position in range(n):
        for wave in range(d // 2):
            angle = 2 * math.pi * position / (3 * (200 / 3) ** (wave / (d // 2 - 1)))
            P[position, wave], P[position, d // 2 + wave] = math.sin(angle), math.cos(angle)
    x, kept = p["E"][ids], []
    for layer in range(1, model.layers + 1):
        y = normed(x)
        z = y + P if layer == model.layers else P
        Q, K, V = z @ p[f"W_Q/{layer}"], z @ p[f"W_K/{layer}"], y @ p[f"W_V/{layer}"]
        weights, joined = np.zeros((h, n, n)), np.zeros((n, d))
        for head in range(h):
            own = slice(16 * head, 16 * head + 16)
            for q in range(n):
                powers = [math.exp(Q[q, own] @ K[k, own] / 4) for k in range(q + 1)]
                weights[head, q, : q + 1] = np.array(powers) / sum(powers)
            joined[:, own] = weights[head] @ V[:, own]
        x = x + joined @ p[f"W_O/{layer}"]
        kept.append(weights)
    return normed(x) @ p["U"], kept


@pytest.mark.parametrize("layers", [1, 2])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 31))
def test_the_forward_pass_is_the_formula(layers: int, seed: int, n: int):
    model = large(seed, layers)
    ids = torch.randint(len(WORDS), (n,), generator=torch.Generator().manual_seed(seed)).tolist()
    found, (logits, weights) = model(ids), written_out(model, ids)
    scale = np.abs(logits).max()
    assert np.abs(found.logits.double().numpy() - logits).max() < 1e-4 * scale
    for layer, expected in zip(found.layers, weights, strict=True):
        assert np.abs(layer.weights.double().numpy() - expected).max() < 1e-4


@pytest.mark.parametrize("layers", [1, 2])
def test_the_weights_are_those_that_compute_makes_of_the_same_tensors(layers: int):
    reading = read("the keys to the cabinet near the rivers are 낡은 . ( Anna Miller sees 낡은 keys . )")
    n = len(reading.ids)
    found = large(11, layers)(reading)
    assert [(layer.name, layer.index, layer.kind) for layer in found.layers] == [
        ("layer 1", 0, "self"),
        ("layer 2", 1, "self"),
    ][:layers]
    for layer in found.layers:
        config = AttentionConfig(source="upload", n=n, h=4, d_k=16, d_model=64, mask="causal")
        assert layer.Q is not None
        assert layer.K is not None
        inputs = AttentionInputs(layer.Q, layer.K, layer.V, reading.tokens)
        computed = compute(config, inputs, device="cpu")
        assert layer.scale == 0.25
        assert torch.allclose(layer.weights, computed.weights, atol=1e-6, rtol=0)
        masked = computed.stage("masked")
        assert torch.equal(layer.allowed, masked > -torch.inf)
        assert torch.allclose(layer.scores[layer.allowed], masked[layer.allowed], atol=1e-5, rtol=1e-6)
        assert layer.weights.sum(-1) == pytest.approx(torch.ones(4, n))
        assert (layer.softcap, layer.sink, layer.sink_score) == (0.0, None, None)


def test_nothing_is_recorded_for_a_gradient():
    found = large(3, 2)([0, 5, 7])
    tensors = [
        found.logits,
        *(tensor for layer in found.layers for tensor in (layer.Q, layer.K, layer.V, layer.weights)),
    ]
    assert not any(tensor.requires_grad for tensor in tensors)
    assert found.logits.shape == (3, len(WORDS))


@pytest.mark.parametrize("layers", [1, 2])
def test_a_batch_has_the_numbers_of_its_texts(layers: int):
    parameters = large(5, layers).parameters
    ids = torch.randint(len(WORDS), (7, 23), generator=torch.Generator().manual_seed(5))
    logits, kept = forward(parameters, ids)
    for row, text in zip(logits, ids, strict=True):
        assert torch.allclose(row, LanguageModel(parameters)(text).logits, atol=1e-4)
    if layers == 2:
        assert kept[0].weights.shape == (4, 23, 23)  # places alone: the same for every text
    assert kept[-1].weights.shape == (7, 4, 23, 23)


def test_what_comes_later_changes_nothing_before():
    model = large(7, 2)
    short, long = model([0, 5, 7, 11]), model([0, 5, 7, 11, 13, 17])
    assert torch.allclose(short.logits, long.logits[:4], atol=1e-5)


def test_positions_are_sinusoids_of_the_stated_wavelengths():
    P = positions(7, torch.float64)
    assert P.shape == (7, 64)
    assert torch.allclose(P[0], torch.cat([torch.zeros(32), torch.ones(32)]).double())
    assert torch.allclose(P[3, 0], torch.tensor(0.0).double(), atol=1e-9)  # one wave of three tokens
    assert P[5, 31].item() == pytest.approx(math.sin(2 * math.pi * 5 / 200))
    assert torch.allclose(P.square().sum(-1), torch.full((7,), 32.0).double())


def test_a_model_is_as_small_as_stated():
    assert sum(rows * columns for rows, columns in shapes(2).values()) == 53_248
    assert sum(rows * columns for rows, columns in shapes(1).values()) == 36_864


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], f"ids must be 1 to {CONTEXT} whole numbers, <bos> first; got 0."),
        ([0] * 97, f"ids must be 1 to {CONTEXT} whole numbers, <bos> first; got 97."),
        (torch.zeros(2, 3, dtype=torch.long), f"ids must be 1 to {CONTEXT} whole numbers, <bos> first; got 2 × 3."),
        ([0, 160], "ids must be whole numbers from 0 to 159."),
        ([0, -1], "ids must be whole numbers from 0 to 159."),
        (torch.tensor([0.0, 1.5]), "ids must be whole numbers from 0 to 159."),
    ],
)
def test_what_is_no_text_is_refused(ids: object, message: str):
    with pytest.raises(InvalidInput) as refused:
        large(0, 1)(ids)  # type: ignore[arg-type]
    assert str(refused.value) == message
