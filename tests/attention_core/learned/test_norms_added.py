"""The norms of what heads add for a key, held against parameters in float64."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.errors import InvalidInput
from attention_core.language import shipped
from attention_core.learned import NAMES, ProjectingModel, shipped_model, value_norms
from attention_core.models import text_model
from tests.attention_core.models import small_folders


@pytest.mark.parametrize(("name", "layer"), [("headlight", 1), ("headlight", 2), ("headlight-one-layer", 1)])
def test_a_norm_is_that_of_the_value_through_the_head_s_rows(name: str, layer: int) -> None:
    model = shipped_model(name)
    assert isinstance(model, ProjectingModel)
    found = model.run(NAMES).layers[layer - 1]
    rows = shipped(model.layers).model.parameters[f"W_O/{layer}"].double().numpy()
    assert found.V is not None
    for head in range(4):
        true = np.linalg.norm(found.V[head].double().numpy() @ rows[16 * head : 16 * head + 16], axis=-1)
        np.testing.assert_allclose(value_norms(found, model.projection(layer), head + 1), true, rtol=1e-5)


def _bert(model: Any, hidden: torch.Tensor, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
    block = model.encoder.layer[layer].attention
    return hidden @ block.self.value.weight.T + block.self.value.bias, block.output.dense.weight


def _llama(model: Any, hidden: torch.Tensor, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
    block = model.layers[layer]
    return block.input_layernorm(hidden) @ block.self_attn.v_proj.weight.T, block.self_attn.o_proj.weight


@pytest.mark.slow
@pytest.mark.parametrize(("family", "parts"), [("bert", _bert), ("llama", _llama)])
def test_an_encoder_and_grouped_heads_have_the_norms_of_their_parameters(family: str, parts: Any) -> None:
    body = small_folders.MODELS[family]()
    with torch.no_grad():  # small random weights would hide a bias
        for name, one in body.named_parameters():
            if name.endswith("bias"):
                one.copy_(torch.linspace(-1, 1, one.numel()))
    model = text_model(body, small_folders.word_pieces(), family)
    assert isinstance(model, ProjectingModel)
    run = model.run("The keys to the cabinet")
    inner = getattr(body, body.base_model_prefix, body)
    with torch.no_grad():
        states = inner(torch.tensor([run.ids]), output_hidden_states=True).hidden_states
        for layer, found in enumerate(run.layers):
            values, W_O = parts(inner, states[layer], layer)
            h, shared = found.weights.shape[0], found.weights.shape[0] // found.V.shape[0]  # type: ignore[union-attr]
            d_v = W_O.shape[1] // h
            for head in range(h):
                at = head // shared * d_v
                added = values[0, :, at : at + d_v] @ W_O[:, head * d_v : head * d_v + d_v].T
                true = np.linalg.norm(added.double().numpy(), axis=-1)
                norms = value_norms(found, model.projection(layer + 1), head + 1)
                np.testing.assert_allclose(norms, true, rtol=1e-3)


def test_what_is_not_there_is_refused() -> None:
    model = shipped_model("headlight")
    assert isinstance(model, ProjectingModel)
    found = model.run(NAMES).layers[0]
    with pytest.raises(InvalidInput, match="between 1 and 2"):
        model.projection(3)
    with pytest.raises(InvalidInput, match="between 1 and 4"):
        value_norms(found, model.projection(1), 5)
    with pytest.raises(InvalidInput) as refused:
        value_norms(found, torch.zeros(4, 15, 64), 1)
    assert refused.value.code == "norms_unread"
