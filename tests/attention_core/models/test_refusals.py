"""What cannot be captured is refused with a sentence."""

import subprocess
import sys
from typing import Any

import pytest
import torch
import transformers as hf
from torch import nn

from attention_core import InvalidInput
from attention_core.models import capture
from tests.attention_core.models.small_models import READ, VOCABULARY, built, text


def refused(code: str, model: nn.Module, **inputs: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        capture(model, **inputs)
    assert caught.value.code == code
    return str(caught.value)


def test_a_module_that_is_no_model_of_transformers() -> None:
    assert refused("not_a_model", nn.Linear(2, 3)) == "model must be a model of transformers; got a Linear."


def test_a_text_in_place_of_its_tokens() -> None:
    sentence = 'A model reads tokens: capture(model, **tokenizer("a text", return_tensors="pt")).'
    assert refused("capture_text", nn.Linear(2, 3), input_ids="a text") == sentence
    with pytest.raises(InvalidInput, match="A model reads tokens"):
        capture(nn.Linear(2, 3), "a text")


@pytest.mark.slow
def test_a_model_in_training() -> None:
    model, inputs = READ["BERT"]()
    message = refused("model_training", model.train(), **inputs)
    assert message == (
        "The model is in training mode: after the softmax, dropout takes some weights away and divides the others "
        "by 1 − p, so rows do not add up to 1. Call model.eval() first."
    )


@pytest.mark.slow
def test_a_layer_that_is_fused_whatever_the_model_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model, inputs = READ["Llama"]()
    attention = model.model.layers[1].self_attn

    def forward(hidden_states: torch.Tensor, **_: Any) -> tuple[torch.Tensor, None]:
        return nn.functional.scaled_dot_product_attention(hidden_states, hidden_states, hidden_states), None

    monkeypatch.setattr(attention, "forward", forward)
    message = refused("attention_fused", model, **inputs)
    assert message.startswith("model.layers.1.self_attn attends in one step that keeps no weights;")


@pytest.mark.slow
def test_layers_that_are_built_alike_and_attend_unlike_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    model, inputs = READ["Llama"]()
    monkeypatch.setattr(model.model.layers[1].self_attn, "forward", lambda hidden_states, **_: (hidden_states, None))
    assert refused("attention_count", model, **inputs) == (
        "model.layers.0 and model.layers.1 are built alike, but attention was seen 1 times in the one and 0 times "
        "in the other, so some was missed."
    )
    monkeypatch.setattr(model.model.layers[0].self_attn, "forward", lambda hidden_states, **_: (hidden_states, None))
    assert refused("attention_none", model, **inputs) == "No attention was seen in this run of the model."


@pytest.mark.slow
def test_attention_in_bands() -> None:
    """Longformer's softmax is over n × h × what is near, from which no h × n_q × n_k matrix can be taken."""
    config = hf.LongformerConfig(
        vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=17,
        attention_window=4, max_position_embeddings=31,
    )  # fmt: skip
    message = refused("attention_band", built(hf.LongformerModel, config), **text(12))
    assert message == (
        "LongformerModel attends within a band around each query and never makes all scores, and transformers has no "
        'full attention for its weights. RoBERTa, or BigBird with attention_type="original_full", would do.'
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 96])
def test_attention_in_blocks_names_the_way_that_works(n: int) -> None:
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 24, "num_attention_heads": 3, "intermediate_size": 17}
    config = {**sizes, "num_hidden_layers": 2, "block_size": 4, "num_random_blocks": 1, "max_position_embeddings": 128}
    blocks = built(hf.BigBirdModel, hf.BigBirdConfig(**config))
    assert refused("attention_blocks", blocks, **text(n)) == (
        "BigBirdModel attends in blocks, some of them random, and never makes all scores. Load it with "
        'attention_type="original_full": the same weights then attend to every key.'
    )
    full = built(hf.BigBirdModel, hf.BigBirdConfig(**config, attention_type="original_full"))
    own = full(**text(n), output_attentions=True).attentions
    for layer, weights in zip(capture(full, **text(n)).layers, own, strict=True):
        assert torch.equal(layer.weights, weights[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layers", "message"),
    [([2], "layers must be between 0 and 1; got 2."), ([-1], "layers must be at least 0; got -1.")],
)
def test_layers_that_are_not_there(layers: list[int], message: str) -> None:
    model, inputs = READ["BERT"]()
    assert refused("out_of_range", model, layers=layers, **inputs) == message


@pytest.mark.slow
def test_an_eager_function_with_two_softmaxes(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.llama import modeling_llama

    own = modeling_llama.eager_attention_forward

    def twice(module: Any, query: torch.Tensor, *given: Any, **settings: Any) -> Any:
        query.softmax(-1)
        return own(module, query, *given, **settings)

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", twice)
    model, inputs = READ["Llama"]()
    message = refused("attention_unread", model, **inputs)
    assert message == (
        "The attention of model.layers.0.self_attn#1 must be one softmax of the shape batch × h × n_q × 11; "
        "its softmaxes: 1 × 6 × 11 × 8, 1 × 6 × 11 × 11."
    )


_WITHOUT = """
import sys
sys.modules["transformers"] = None  # as if it were not installed
import torch
from attention_core.models import capture, long_statistics
for ask in (capture, long_statistics):
    try:
        ask(torch.nn.Linear(2, 3))
    except Exception as error:
        print(error.code, error)
"""


@pytest.mark.night
@pytest.mark.slow
def test_without_transformers_a_sentence_says_how_to_get_it() -> None:
    run = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=True)
    sentence = (
        "transformers_missing Reading a model needs the package transformers, which is not installed: "
        'pip install "headlight[models]".'
    )
    assert run.stdout.splitlines() == [sentence] * 2


@pytest.mark.night
@pytest.mark.slow
def test_nothing_loads_transformers_at_the_start() -> None:
    code = "import sys, attention_core.models, visualiser.launch; print('transformers' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
