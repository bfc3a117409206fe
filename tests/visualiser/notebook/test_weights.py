"""Weights that somebody else computed: what is shown of them, and what is refused."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import Tensor

from attention_core import InvalidInput
from attention_core.learned import ModelRun, head_measures
from attention_core.models import GivenLayer
from tests.attention_core.models.small_models import READ, VOCABULARY
from visualiser import models
from visualiser.export.model_run import given_script
from visualiser.models.given_weights import given_weights
from visualiser.models.only_run import Named, OnlyRun
from visualiser.notebook.things import Handed, Wish, handed


def causal(h: int = 4, n: int = 5) -> Tensor:
    scores = torch.randn(h, n, n, generator=torch.Generator().manual_seed(n))
    return scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf).softmax(-1)


def run_of(found: Handed) -> ModelRun:
    held = models.HELD.find(str(found.settings["model"]))
    assert held is not None
    assert isinstance(held.model, OnlyRun)
    return held.model.the_run


def shown(x: Any, tokens: Any = None, batch: int | None = None, **options: Any) -> ModelRun:
    return run_of(handed(x, Wish(named=Named(tokens, None, None, batch), options=options)))


W = causal()
FORMS: dict[str, Callable[[], Any]] = {
    "tensor": lambda: W,
    "array": lambda: W.numpy(),
    "lists": lambda: W.tolist(),
    "bfloat16": lambda: W.bfloat16(),
    "batch of one": lambda: W[None],
    "tuple": lambda: (W,),
    "layers of heads": lambda: [list(W)],
    "dict": lambda: {"attention": W, "input_ids": torch.arange(5)[None]},
    "saved by nnsight": lambda: [SimpleNamespace(value=W)],
}


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_shown_as_they_were_given(form: str) -> None:
    run = shown(FORMS[form](), tokens=list("abcde"))
    (layer,) = run.layers
    assert layer.weights.shape == (4, 5, 5)
    torch.testing.assert_close(layer.weights, W, atol=4e-3 if form == "bfloat16" else 0, rtol=0)
    assert run.lines[0].tokens == tuple("abcde")
    assert not layer.unnormalised
    assert torch.equal(layer.allowed[0], torch.ones(5, 5, dtype=torch.bool).tril())
    measured = head_measures(run, frozenset())
    torch.testing.assert_close(measured["entropy"][0], torch.special.entr(layer.weights).sum(-1).mean(-1).double())
    assert measured["variance"].isnan().all()


def test_four_axes_are_layers() -> None:
    run = shown(torch.stack([W, W.flip(0)]))
    assert [layer.name for layer in run.layers] == ["layer.1", "layer.2"]
    assert torch.equal(run.layers[1].weights, W.flip(0))


def test_a_cache_of_transformer_lens_is_ordered_by_its_numbers() -> None:
    cache = {
        "hook_embed": torch.randn(1, 5, 8),
        **{f"blocks.{n}.attn.hook_pattern": W[None] * (n + 1) / 12 for n in (10, 9, 2)},
        "blocks.2.attn.hook_attn_scores": torch.randn(1, 4, 5, 5),
    }
    run = shown(cache)
    assert [layer.name for layer in run.layers] == [f"blocks.{n}.attn.hook_pattern" for n in (2, 9, 10)]
    torch.testing.assert_close(run.layers[2].weights, W * 11 / 12)
    assert run.layers[0].unnormalised == {0, 1, 2, 3}


def test_rows_after_dropout_do_not_add_up_and_their_zeros_are_no_mask() -> None:
    torch.manual_seed(3)
    full = torch.rand(4, 9, 9).softmax(-1)
    run = shown(torch.nn.functional.dropout(full, 0.3))
    (layer,) = run.layers
    assert layer.unnormalised == {0, 1, 2, 3}
    assert layer.allowed.all()
    assert head_measures(run, frozenset())["entropy"].isnan().all()


def test_masks_are_read_off_zeros() -> None:
    window = torch.ones(6, 6).tril().triu(-1)
    padded = torch.ones(6, 6)
    padded[:, 4:] = 0
    padded[5] = 0
    for mask in (window, padded, torch.ones(6, 6), torch.ones(2, 6).triu(), torch.ones(6, 6).tril()):
        layer = GivenLayer("a", 0, "self", None, None, None, None, None, mask[None], mask[None])
        assert torch.equal(layer.allowed[0], mask > 0)
    held_out = torch.ones(6, 6)
    held_out[3, 2] = 0
    layer = GivenLayer("a", 0, "self", None, None, None, None, None, held_out[None], held_out[None])
    assert layer.allowed.all()


def test_two_lists_of_tokens_are_told_apart_by_their_lengths() -> None:
    cross = torch.rand(4, 3, 5).softmax(-1)
    read, asking = tuple("abcde"), tuple("xyz")
    for tokens in ([read, asking], [asking, read]):
        run = shown(cross, tokens=tokens)
        assert [(line.name, line.tokens) for line in run.lines] == [("source", read), ("target", asking)]
        assert run.crosses(1)
    assert [name for name, _, _ in run.parts] == ["cross"]


def test_one_row_is_a_step_with_a_cache() -> None:
    run = shown(torch.rand(4, 1, 6).softmax(-1), tokens=list("abcdef"))
    assert [(line.name, line.tokens) for line in run.lines] == [("text", tuple("abcdef")), ("step", ("f",))]
    assert run.between == ((1, 0),)
    assert run.parts == ()


def gpt_2() -> tuple[Any, Tensor]:
    model, inputs = READ["GPT-2"]()
    return model, inputs["input_ids"][:, :5]


def t5() -> tuple[Any, Tensor]:
    config = hf.T5Config(
        vocab_size=VOCABULARY, d_model=24, d_kv=8, d_ff=17, num_layers=2, num_heads=3, decoder_start_token_id=0,
        attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(1)
    return hf.T5ForConditionalGeneration(config).eval(), torch.randint(3, VOCABULARY, (1, 5))


ASKED: dict[str, Any] = {"max_new_tokens": 4, "min_new_tokens": 4, "do_sample": False, "pad_token_id": 0,
                         "output_attentions": True, "return_dict_in_generate": True}  # fmt: skip


@pytest.mark.slow
def test_what_a_model_returned() -> None:
    model, ids = gpt_2()
    for given in (model(ids, output_attentions=True), model(ids, output_attentions=True).attentions):
        run = shown(given, input_ids=ids)
        assert run.ids == tuple(ids[0].tolist())
        assert all(
            torch.equal(one.weights, own[0]) for one, own in zip(run.layers, _attentions(model, ids), strict=True)
        )
    with pytest.raises(InvalidInput, match="holds no attention weights: load the model with attn_implementation"):
        shown(model(ids))


def _attentions(model: Any, ids: Tensor) -> tuple[Tensor, ...]:
    return model(ids, output_attentions=True).attentions


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_what_generate_returned_is_one_run(cache: str) -> None:
    """Its rows are those of one forward pass over what was written."""
    model, ids = gpt_2()
    out = model.generate(ids, **ASKED, **({} if cache == "dynamic" else {"cache_implementation": cache}))
    run = shown(out)
    assert run.ids == tuple(out.sequences[0, :8].tolist())
    assert run.lines[0].written == 5
    for layer, own in zip(run.layers, _attentions(model, out.sequences[:, :8]), strict=True):
        torch.testing.assert_close(layer.weights, own[0], atol=1e-6, rtol=1e-5)
    bare = shown(out.attentions)
    assert all(torch.equal(a.weights, b.weights) for a, b in zip(bare.layers, run.layers, strict=True))


@pytest.mark.slow
def test_one_token_that_was_written_has_read_nothing_yet() -> None:
    model, ids = gpt_2()
    run = shown(model.generate(ids, **{**ASKED, "max_new_tokens": 1, "min_new_tokens": 1}))
    assert run.ids == tuple(ids[0].tolist())
    assert run.lines[0].written == 0


def test_the_script_of_weights_alone_needs_nothing_else() -> None:
    assert given_script("layer.2", head=2, row=3) == (
        "# needs torch, and `weights`: those that the notebook handed over as layer.2, h × n_q × n_k\n\n"
        "for key, weight in enumerate(weights[2 - 1, 3].tolist()):\n    print(key, weight)\n"
    )


@pytest.mark.slow
def test_what_a_translator_generated_has_a_source_and_a_target() -> None:
    model, ids = t5()
    out = model.generate(ids, **ASKED)
    run = shown(out, input_ids=ids)
    assert [(line.name, line.ids) for line in run.lines] == [
        ("source", tuple(ids[0].tolist())),
        ("target", tuple(out.sequences[0, :4].tolist())),
    ]
    assert [name for name, _, _ in run.parts] == ["encoder", "decoder", "cross", "decoder", "cross"]
    own = model(input_ids=ids, decoder_input_ids=out.sequences[:, :4], output_attentions=True)
    for layer, expected in zip(run.layers[3::2], own.cross_attentions, strict=True):
        torch.testing.assert_close(layer.weights, expected[0], atol=1e-6, rtol=1e-5)
    crossed = shown(out.cross_attentions)
    assert [len(line) for line in crossed.lines] == [5, 4]


def beams() -> Any:
    model, ids = gpt_2()
    return model.generate(ids, **ASKED, num_beams=2)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "scores": (lambda: torch.randn(4, 5, 5), "weights_numbers"),
    "nan": (lambda: torch.full((4, 5, 5), torch.nan), "weights_numbers"),
    "five axes": (lambda: [torch.rand(2, 2, 4, 5, 5)], "weights_shape"),
    "nothing": (lambda: torch.rand(4, 0, 5), "weights_shape"),
    "a batch": (lambda: (torch.rand(2, 4, 5, 5),), "notebook_batch"),
    "words": (lambda: ["a", "b"], "notebook_kind"),
    "a tokenizer's": (lambda: {"input_ids": torch.arange(5)[None]}, "notebook_kind"),
    "an empty list": (list, "notebook_kind"),
    "heads of two sizes": (lambda: [[torch.rand(5, 5), torch.rand(4, 4)]], "weights_shape"),
    "ragged": (lambda: [[1.0], [1.0, 2.0]], "notebook_kind"),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_cannot_be_weights_is_refused_in_a_sentence(form: str) -> None:
    make, code = REFUSED[form]
    with pytest.raises(InvalidInput) as caught:
        shown(make())
    assert caught.value.code == code


@pytest.mark.slow
def test_several_beams_are_refused() -> None:
    with pytest.raises(InvalidInput, match="generate with num_beams=1"):
        shown(beams())


def test_one_of_a_batch_is_chosen() -> None:
    two = torch.stack([W, W.flip(0)])
    found = given_weights((two,), 1)
    assert found is not None
    assert torch.equal(found.capture.layers[0].weights, W.flip(0))
    assert np.isnan(found.capture.layers[0].scores.numpy()).all()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_padding_on_the_left_counts_in_no_measure(kernel: str) -> None:
    """A padded text has the measures of the same text alone, its sink among them: transformers#32390."""
    model, inputs = READ["Llama"]()
    model.set_attn_implementation(kernel)
    ids, pads = inputs["input_ids"], 4
    padded = torch.cat([torch.zeros(1, pads, dtype=torch.long), ids], 1)
    mask = (torch.arange(padded.shape[1]) >= pads).long()[None]
    positions = (mask.cumsum(-1) - 1).clamp_min(0)
    alone = handed(model, Wish(options={"input_ids": ids}))
    given = {"input_ids": padded, "attention_mask": mask}
    found = handed(model, Wish(options={**given, "position_ids": positions}))
    expected, measured = (head_measures(run_of(one), frozenset({5, 7})) for one in (alone, found))
    assert expected["sink"].isfinite().all()
    for name, value in expected.items():
        torch.testing.assert_close(measured[name], value, rtol=1e-3, atol=1e-4, equal_nan=True)
    (layer, *_), n = run_of(found).layers, padded.shape[1]
    real = mask[0].bool()
    assert torch.equal(layer.allowed[0], torch.ones(n, n, dtype=torch.bool).tril() & real & real[:, None])
    assert found.notes == ()
    assert handed(model, Wish(options=given)).notes == ("notebook.left_padded",)
