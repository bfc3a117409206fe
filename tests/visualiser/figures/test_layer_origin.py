"""Layers that read another's keys, and layers of a model of which some have no map."""

from typing import Any

import pytest
import torch
import transformers as hf

from attention_core.learned import ModelRun
from attention_core.models import capture
from tests.attention_core.models.small_models import READ, VOCABULARY, built, text
from visualiser.figures.layer_origin import keys_of, own_numbers

pytestmark = pytest.mark.slow

GEMMA: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 17, "max_position_embeddings": 31, "sliding_window": 4, "num_kv_shared_layers": 2,
    "vocab_size_per_layer_input": VOCABULARY, "hidden_size_per_layer_input": 5, "num_hidden_layers": 6,
    "layer_types": ["sliding_attention", "full_attention"] * 3,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip


def run(model: Any, inputs: dict[str, Any]) -> ModelRun:
    layers = capture(model, **inputs).layers
    ids = tuple(inputs["input_ids"][0].tolist())
    return ModelRun.of_text(tuple(map(str, ids)), ids, layers, cut=False)


def gemma(name: str) -> Any:
    if name == "Gemma 4":
        return built(hf.Gemma4ForCausalLM, hf.Gemma4TextConfig(**GEMMA, global_head_dim=8))
    own = {"laurel_rank": 3, "activation_sparsity_pattern": [0.0] * 6, "altup_num_inputs": 2}
    return built(hf.Gemma3nForCausalLM, hf.Gemma3nTextConfig(**GEMMA, **own))


@pytest.mark.parametrize("name", ["Gemma 3n", "Gemma 4"])
def test_layers_that_share_keys_are_there_and_say_whose(name: str) -> None:
    """Each of the last two reads the keys of the last layer of its kind before."""
    found = run(gemma(name), text(7))
    assert len(found.layers) == 6
    assert [keys_of(found, layer) for layer in range(1, 7)] == [None, None, None, None, 3, 4]
    assert own_numbers(found) == (1, 2, 3, 4, 5, 6)
    assert not torch.equal(found.layers[2].weights, found.layers[4].weights)


def test_layers_of_a_hybrid_are_called_by_the_model_s_numbers() -> None:
    """Three of four layers are linear."""
    model, inputs = READ["Qwen 3 Next"]()
    found = run(model, inputs)
    assert [layer.name for layer in found.layers] == ["model.layers.3.self_attn#1"]
    assert own_numbers(found) == (4,)
    assert keys_of(found, 1) is None


@pytest.mark.parametrize("family", ["ALBERT", "Swin"])
def test_names_that_do_not_tell_are_left_aside(family: str) -> None:
    model, inputs = READ[family]()
    layers = capture(model, **inputs).layers
    names = ("a",) * 4
    found = ModelRun.of_text(names, (0,) * 4, layers, cut=False)
    assert own_numbers(found) == tuple(range(1, len(layers) + 1))
