"""`compute` gives the same result streamed and dense."""

import math
from importlib import import_module
from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, InvalidInput, compute, compute_rows, draw_inputs
from attention_core.exact.softmax import entropy
from attention_core.result.dense import DenseCells
from attention_core.result.streamed import StreamedCells

MODULE = import_module("attention_core.result.compute")  # the package's attribute of this name is the function
SMALL: dict[str, Any] = {"n": 29, "h": 3, "d_k": 5, "d_model": 11, "window": 4}
ROWS = ("entropy", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight", "ceiling")
WHOLE = ("score_mean", "score_variance", "output", "concatenation", "projection", "V", "Q", "K")


@pytest.fixture
def streaming(monkeypatch):
    """Stream every result."""
    monkeypatch.setattr(MODULE, "STREAMED_ABOVE", 0)


def both(monkeypatch, *arguments, way=compute):
    dense = way(*arguments)
    assert isinstance(dense.cells, DenseCells)
    with monkeypatch.context() as patched:
        patched.setattr(MODULE, "STREAMED_ABOVE", 0)
        streamed = way(*arguments)
    assert isinstance(streamed.cells, StreamedCells)
    return dense, streamed


def assert_agree(dense, streamed):
    for name in (*ROWS, *WHOLE):
        torch.testing.assert_close(getattr(streamed, name), getattr(dense, name), rtol=2e-5, atol=2e-6)
    for name in ("config", "tokens", "rows", "predicted_mean", "predicted_variance"):
        assert getattr(streamed, name) == getattr(dense, name)
    n_q = dense.weights.shape[1]
    for stage in ("scores", "scaled", "masked", "weights"):
        whole = getattr(dense, stage)
        tile = streamed.tile(slice(1, n_q), range(7, 13), stage)
        torch.testing.assert_close(tile, whole[:, 1:, 7:13], rtol=2e-5, atol=2e-6)
        assert torch.equal(dense.tile(slice(1, n_q), range(7, 13), stage), whole[:, 1:, 7:13])


@pytest.mark.night(but=5)
@pytest.mark.parametrize("mask", ["none", "causal", "window"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"scaling": "none"},
        {"scaling": "custom", "scale": 0.0},
        {"mechanism": "additive"},
        {"source": "text"},
    ],
    ids=str,
)
def test_both_ways_agree(monkeypatch, mask, given):
    assert_agree(*both(monkeypatch, AttentionConfig(**{**SMALL, "mask": mask, **given})))


@pytest.mark.usefixtures("streaming")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_pass_rounds_the_inputs_alone(dtype):
    config = AttentionConfig(**{**SMALL, "dtype": dtype})
    streamed, inputs = compute(config), draw_inputs(config)
    Q, K = (tensor.to(getattr(torch, dtype)).float() for tensor in (inputs.Q, inputs.K))
    scores = streamed.tile(slice(None), slice(None), "scores")
    torch.testing.assert_close(scores, Q @ K.mT, rtol=2e-5, atol=2e-6)
    torch.testing.assert_close(streamed.entropy, entropy((scores * config.factor).softmax(-1)), rtol=2e-5, atol=2e-6)
    assert streamed.broken is None
    assert streamed.marks("weights") is None


@pytest.mark.usefixtures("streaming")
def test_a_pass_always_subtracts_the_maximum():
    with pytest.raises(InvalidInput) as caught:
        compute(AttentionConfig(**{**SMALL, "subtract_max": False}))
    assert (caught.value.code, caught.value.details["field"]) == ("streamed_softmax", "subtract_max")


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_both_ways_agree_about_rows(monkeypatch, mask):
    config = AttentionConfig(**{**SMALL, "mask": mask})
    assert_agree(*both(monkeypatch, config, [4, 1, 28, 4], way=compute_rows))


def test_both_ways_agree_about_inputs_from_outside(monkeypatch):
    generator = torch.Generator().manual_seed(5)
    Q, K, V = (torch.randn(2, *shape, generator=generator) for shape in ((31, 7), (23, 7), (23, 13)))
    assert_agree(*both(monkeypatch, AttentionConfig(mask="causal", source="upload"), AttentionInputs(Q, K, V)))


@pytest.mark.usefixtures("streaming")
@pytest.mark.parametrize("name", ["scores", "scaled", "masked", "weights", "mask"])
def test_the_whole_matrices_are_not_there(name):
    result = compute(AttentionConfig(**SMALL, mask="causal"))
    message = f"{name} of 3 × 29 × 29 cells were not kept; ask for a part of them with .tile(rows, columns)."
    with pytest.raises(InvalidInput) as caught:
        getattr(result, name)
    assert (caught.value.code, str(caught.value)) == ("streamed", message)


@pytest.mark.usefixtures("streaming")
def test_no_mask_is_none_either_way():
    assert compute(AttentionConfig(**SMALL)).mask is None


@pytest.mark.usefixtures("streaming")
@pytest.mark.parametrize("size", [1e30, 1e5])
def test_overflow_is_an_error(size):
    Q, K, V = (torch.full((1, 5, 3), size) for _ in range(3))
    dtype = "float32" if size > 1e20 else "float16"
    with pytest.raises(InvalidInput) as caught:
        compute(AttentionConfig(source="upload", dtype=dtype), AttentionInputs(Q, K, V))
    assert caught.value.code == ("overflow" if dtype == "float32" else "overflow_float16")


@pytest.mark.slow
def test_the_way_is_decided_by_the_number_of_cells():
    """The page's largest experiment is dense; one of half a gigabyte per stage is not."""
    assert 16 * 512 * 512 <= MODULE.STREAMED_ABOVE < 8 * 4096 * 4096
    result = compute(AttentionConfig(n=6000, h=1, d_k=3))
    assert isinstance(result.cells, StreamedCells)
    assert result.entropy.shape == (1, 6000)
    assert result.entropy.mean().item() == pytest.approx(math.log(6000) - 0.5, abs=0.1)
