"""What heads of decoders write: the measured projections, gains and words are those of the modelling code."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.learned import WritingModel, written
from attention_core.models import FolderModel, Mute, text_model
from tests.attention_core.models import small_folders

pytestmark = pytest.mark.slow

TEXT = "the cat sees the dog and the cat"


@cache
def made(name: str) -> tuple[Any, FolderModel]:
    model = small_folders.MODELS[name]()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():  # norms with gains and biases of their own, and biases everywhere
        for one in model.parameters():
            if one.dim() == 1:
                one.copy_(1 + torch.randn(one.shape, generator=generator))
    return model, text_model(model, small_folders.byte_level(), name)


def rms(x: Tensor, gains: Tensor) -> Tensor:
    return gains * x


def layer_norm(x: Tensor, gains: Tensor) -> Tensor:
    return gains * (x - x.mean(-1, keepdim=True))


# how each family names its projection (rows are components of the heads' joined outputs), its last norm and its words
Named = tuple[Callable[[Any, int], Tensor], Callable[[Any], Tensor], Callable[[Tensor, Tensor], Tensor]]
NAMED: dict[str, Named] = {
    "llama": (lambda m, at: m.model.layers[at].self_attn.o_proj.weight.T, lambda m: m.model.norm.weight, rms),
    "gpt2": (lambda m, at: m.transformer.h[at].attn.c_proj.weight, lambda m: m.transformer.ln_f.weight, layer_norm),
    "neox": (
        lambda m, at: m.gpt_neox.layers[at].attention.dense.weight.T, lambda m: m.gpt_neox.final_layer_norm.weight,
        layer_norm,
    ),
    "cohere": (lambda m, at: m.model.layers[at].self_attn.o_proj.weight.T, lambda m: m.model.norm.weight, layer_norm),
}  # fmt: skip


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("layer", [1, 2])
def test_what_a_head_writes_is_its_slice_of_the_projection(name: str, layer: int) -> None:
    model, found = made(name)
    assert isinstance(found, WritingModel)
    weight, norm, directed = NAMED[name]
    writer = found.writer(layer)
    rows = weight(model, layer - 1)
    torch.testing.assert_close(writer.W_O.flatten(0, 1), rows, atol=1e-5, rtol=1e-4)

    run = found.run(TEXT)
    V = run.layers[layer - 1].V
    assert V is not None
    h, d_v = writer.W_O.shape[:2]
    said = written(writer, run.layers[layer - 1], 1, run.ids)
    for head in range(1, h + 1):
        said = written(writer, run.layers[layer - 1], head, run.ids)
        for key in (0, len(run.ids) - 1):
            value = V[(head - 1) * V.shape[0] // h, key].double()
            stream = value @ rows[(head - 1) * d_v : head * d_v].double()
            logits = model.get_output_embeddings().weight.double() @ directed(stream, norm(model).double())
            logits = logits - logits.mean()
            expected = logits.topk(5)
            torch.testing.assert_close(said.logits[key].double(), expected.values, atol=1e-3, rtol=1e-3)
            assert int(said.rank[key]) == int((logits > logits[run.ids[key]]).sum())
            assert [one.own for one in said.first(key)] == [number == run.ids[key] for number in said.tokens[key]]
    assert said.copying == float((said.rank < 5).double().mean())


def test_what_all_heads_write_is_what_muting_them_takes_out_of_the_last_layer() -> None:
    """One layer, so that nothing reads the stream between attention and the last norm but a network that is cut out."""
    model, found = made("llama")
    given = found.run(TEXT)
    writer = found.writer(2)
    attention: list[Tensor] = []
    hook = model.model.layers[1].self_attn.register_forward_hook(lambda module, args, out: attention.append(out[0]))
    try:
        found.run(TEXT)
        found.run(TEXT, changes=[Mute(1, 3)])
    finally:
        hook.remove()
    layer = given.layers[1]
    assert layer.V is not None
    added = layer.weights[3] @ layer.V[3 * layer.V.shape[0] // 6] @ writer.W_O[3]
    torch.testing.assert_close((attention[0] - attention[1])[0], added, atol=1e-5, rtol=1e-3)


def test_the_model_is_as_it_was_and_has_no_hooks() -> None:
    model, found = made("gpt2")
    before = found.run(TEXT).layers[1].weights
    found.writer(1)
    assert torch.equal(found.run(TEXT).layers[1].weights, before)
    assert not any(module._forward_hooks for module in model.modules())


@pytest.mark.parametrize(
    ("name", "code"), [("bert", "writes_no_words"), ("roberta", "writes_no_words"), ("gptj", "writing_unread")]
)
def test_what_writes_no_words_is_refused(name: str, code: str) -> None:
    _, found = made(name)
    with pytest.raises(InvalidInput) as refused:
        found.writer(1)
    assert refused.value.code == code


def test_a_norm_behind_attention_is_no_linear_map_into_the_stream(tmp_path: Path) -> None:
    import transformers as hf

    config = hf.Gemma2Config(
        vocab_size=320, hidden_size=48, num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=2, head_dim=8,
        intermediate_size=17, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    model = small_folders.built(hf.Gemma2ForCausalLM, config)
    with pytest.raises(InvalidInput) as refused:
        text_model(model, small_folders.byte_level()).writer(1)
    assert refused.value.code == "writing_unread"
