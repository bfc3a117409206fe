"""Models in what people hold: what wraps a model of transformers, and modules of torch that attend by themselves."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf
from PIL import Image
from torch import Tensor, nn

from attention_core import InvalidInput
from attention_core.models import capture
from tests.attention_core.models.held import same
from tests.attention_core.models.small_models import READ
from tests.visualiser.notebook.test_weights import run_of
from visualiser.models.only_run import Named
from visualiser.notebook.own_attention import run_attending
from visualiser.notebook.things import Wish, handed
from visualiser.notebook.wrapped import unwrapped


def encoder() -> Any:
    torch.manual_seed(0)
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2).eval()


X = torch.randn(1, 6, 32, generator=torch.Generator().manual_seed(1))


@pytest.mark.slow
def test_the_one_model_in_a_module_is_found() -> None:
    model, inputs = READ["BERT"]()
    holder = nn.Module()
    holder.inner = nn.Sequential(model)
    for wrapped in (model, nn.Sequential(model), nn.DataParallel(model), nn.DataParallel(nn.Sequential(model)), holder):
        assert unwrapped(wrapped) == (model, {})
    run = run_of(handed(holder, Wish(options=inputs)))
    own = capture(model, **inputs).layers
    assert all(torch.equal(a.weights, b.weights) for a, b in zip(run.layers, own, strict=True))


@pytest.mark.slow
def test_several_models_are_named() -> None:
    both = nn.ModuleDict({"query": READ["BERT"]()[0], "answer": READ["GPT-2"]()[0]})
    with pytest.raises(InvalidInput, match=r"holds 2 models of transformers: query \(Bert\w+\), answer \(GPT2\w+\)"):
        handed(both, Wish())


@pytest.mark.slow
def test_what_came_along_with_a_model_is_used() -> None:
    """A SentenceTransformer has its tokenizer, a pipeline has its tokenizer and its processor."""
    model, _ = READ["GPT-2"]()
    tokenizer = SimpleNamespace(convert_ids_to_tokens=list)
    sentences: Any = nn.Sequential(model)
    sentences.tokenizer = tokenizer
    assert unwrapped(sentences) == (model, {"tokenizer": tokenizer})
    pipeline = object.__new__(hf.pipelines.TextGenerationPipeline)
    pipeline.__dict__.update(model=model, tokenizer=tokenizer, image_processor=None)
    assert unwrapped(pipeline) == (model, {"tokenizer": tokenizer, "processor": None})


@pytest.mark.slow
def test_an_adapter_before_the_tokens_is_refused() -> None:
    model, inputs = READ["GPT-2"]()
    adapted: Any = nn.Sequential(model)
    adapted.peft_config = {"default": SimpleNamespace(is_prompt_learning=True)}
    with pytest.raises(InvalidInput, match="puts vectors of its own before the tokens"):
        handed(adapted, Wish(options=inputs))
    adapted.peft_config = {"default": SimpleNamespace(is_prompt_learning=False)}
    assert unwrapped(adapted)[0] is model


def test_nothing_of_transformers_is_loaded_for_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "transformers", raising=False)
    monkeypatch.delitem(sys.modules, "transformers.pipelines", raising=False)
    for thing in (nn.Linear(2, 2), torch.ones(2), ModuleType("x"), None):
        assert unwrapped(thing) == (thing, {})
    assert "transformers" not in sys.modules


def test_an_encoder_of_torch_gives_the_weights_that_it_computes() -> None:
    model = encoder()
    before = model(X)
    _, expected = model.layers[0].self_attn(X, X, X, need_weights=True, average_attn_weights=False)
    for given, named in (((X,), {}), ((), {"src": X})):
        got = run_attending(model, given, named, None)
        assert got.names == ("layers.0.self_attn#1", "layers.1.self_attn#1")
        assert torch.equal(got.layers[0].weights, expected[0].detach())
        torch.testing.assert_close(got.layers[1].weights.sum(-1), torch.ones(4, 6))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert same([model(X)], [before])


def test_a_decoder_of_torch_has_two_sequences() -> None:
    torch.manual_seed(0)
    model = nn.Transformer(32, 4, 1, 1, 64, batch_first=True).eval()
    target = X[:, :4]
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    run = run_of(handed(model, Wish((X, target), Named([list("abcdef"), list("wxyz")]), options={"tgt_mask": mask})))
    assert [name for name, _, _ in run.parts] == ["encoder", "decoder", "cross"]
    assert [line.tokens for line in run.lines] == [tuple("abcdef"), tuple("wxyz")]
    assert torch.equal(run.layers[1].allowed[0], torch.ones(4, 4, dtype=torch.bool).tril())


def test_one_attention_reads_a_sequence_itself_or_another_one() -> None:
    attention = nn.MultiheadAttention(32, 4, batch_first=True).eval()
    assert run_attending(attention, (X,), {}, None).layers[0].kind == "self"
    padded = torch.tensor([[True] * 2 + [False] * 4])
    by_place = run_attending(attention, (X, X, X, padded, False), {}, None).layers[0]
    assert (by_place.weights[..., :2] == 0).all()
    causal = nn.Transformer.generate_square_subsequent_mask(6)
    by_place = run_attending(attention, (X, X, X, None, True, causal), {}, None).layers[0]
    assert (by_place.weights.triu(1) == 0).all()
    crossed = run_attending(attention, (X, X[:, :3], X[:, :3]), {}, None).layers[0]
    assert (crossed.kind, tuple(crossed.weights.shape)) == ("cross", (4, 6, 3))


def _refused(x: Any, *more: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        handed(x, Wish(more))
    return caught.value.code


def test_modules_that_cannot_be_read_say_what_would_work() -> None:
    two: Tensor = torch.cat([X, X])
    assert _refused(nn.Linear(2, 3), X) == "notebook_module"
    for given in ("a text", Path("cat.jpg"), Image.new("RGB", (4, 4))):
        assert _refused(encoder(), given) == "notebook_text_of_module"
    assert _refused(encoder(), X[..., :5]) == "notebook_not_run"
    assert _refused(encoder().train(), X) == "model_training"
    assert _refused(encoder(), two) == "notebook_batch"


@pytest.mark.parametrize(
    ("about", "name"),
    [({"architecture": "vit_tiny_patch16_224", "tag": "augreg"}, "vit_tiny_patch16_224.augreg"), (None, "…")],
)
def test_a_model_of_timm_is_led_through_transformers(about: dict[str, str] | None, name: str) -> None:
    kind = type("VisionTransformer", (nn.Module,), {"__module__": "timm.models.vision_transformer"})
    model = kind()
    model.pretrained_cfg = about
    with pytest.raises(InvalidInput) as caught:
        handed(model, Wish(("cat.jpg",)))
    assert caught.value.code == "notebook_timm"
    assert f'AutoModel.from_pretrained("timm/{name}")' in str(caught.value)
