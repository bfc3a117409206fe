"""A long run, row by row, has what a capture has; no n × n tensor is made; what cannot be cut is refused."""

import copy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
import transformers as hf
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_core import AttentionConfig, Cancelled, InvalidInput, attention_statistics, compute, stopping
from attention_core.exact.masks import Band
from attention_core.learned import ModelRun, head_measures, layer_inputs
from attention_core.models import Capture, CapturedLayer, LongLayer, capture, long_statistics
from attention_core.models.long_inputs import long_inputs
from attention_core.result.compute import adopted
from tests.attention_core.models.small_models import READ, SEEN, VOCABULARY, Run, built, text

pytestmark = pytest.mark.slow

ALL = {**READ, **SEEN}
CUT_PICTURES = ("Swin", "Swin v2")
"""Their windows are a batch."""
WHOLE = ("DeepSeek V3.2", "T5", *SEEN)
"""Families that make n × n tensors by themselves: an indexer's mask, a bias, all of attention."""
DELIMITERS = frozenset({3, 7})


@cache
def made(family: str) -> tuple[Run, Capture]:
    model, inputs = ALL[family]()
    return (model, inputs), capture(model, **copy.deepcopy(inputs))


def long(family: str, **settings: Any) -> Any:
    (model, inputs), _ = made(family)
    return long_statistics(model, **settings, **copy.deepcopy(inputs))


def expected(layer: CapturedLayer) -> dict[str, Tensor]:
    """Return statistics of the rows from their definitions, in float64, of what a capture holds."""
    p = layer.weights.double()
    square, cube = p.square().sum(-1), (p**3).sum(-1)
    entropy = torch.special.entr(p).sum(-1)
    scores = torch.where(layer.allowed, layer.scores.double(), -torch.inf)
    if layer.sink is not None and layer.sink_score is not None:
        entropy = entropy + torch.special.entr(layer.sink.double())
        scores = torch.cat([scores, layer.sink_score.double().unsqueeze(-1)], -1)
    return {
        "entropy": entropy,
        "largest_weight": p.amax(-1),
        "jacobian_norm": (square - 2 * cube + square**2).clamp_min(0).sqrt(),
        "logsumexp": scores.logsumexp(-1),
    }


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", [name for name in ALL if name not in CUT_PICTURES])
def test_statistics_are_those_of_a_capture_whatever_the_blocks(family: str) -> None:
    _, full = made(family)
    for rows in (1, 3, 5, None):
        found = long(family, rows=rows)
        assert found.names == full.names
        for layer, whole in zip(found.layers, full.layers, strict=True):
            assert (layer.name, layer.index, layer.kind) == (whole.name, whole.index, whole.kind)
            assert layer.Q is None
            for name, values in expected(whole).items():
                torch.testing.assert_close(
                    layer.statistics.statistic(name).double(), values, rtol=2e-4, atol=2e-4, msg=f"{layer.name} {name}"
                )


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", [name for name in READ if name not in CUT_PICTURES])
def test_tensors_and_what_is_done_to_them_are_those_of_a_capture(family: str) -> None:
    _, full = made(family)
    found = long(family, rows=4, tensors=range(len(full.layers)))
    for layer, whole in zip(found.layers, full.layers, strict=True):
        for name in "QKV":
            torch.testing.assert_close(getattr(layer, name), getattr(whole, name), rtol=1e-4, atol=1e-4)
        assert (layer.scale, layer.softcap) == (whole.scale, whole.softcap)
        assert layer.biased == (family == "T5" and layer.kind == "self")
        assert (layer.sinks is None) == (whole.sink_score is None)
        if layer.sinks is not None and whole.sink_score is not None:
            assert layer.sinks == tuple(whole.sink_score[:, 0].tolist())
        if layer.mask is not None:
            h, n_q, n_k = whole.scores.shape
            assert torch.equal(layer.mask.dense(n_q, n_k).expand(h, n_q, n_k), whole.allowed)


@pytest.mark.night
def test_masks_are_rules_of_positions() -> None:
    def masks(family: str) -> list[Band | None]:
        return [layer.mask for layer in long(family, rows=3).layers]

    assert masks("BERT") == [Band()] * 2
    assert masks("Llama") == [Band(after=0)] * 2
    assert masks("Gemma 2") == [Band(3, 0), Band(after=0)]
    assert masks("ModernBERT") == [Band(), Band(2, 2)]
    assert masks("DeepSeek V3.2") == [None, None]  # which keys, an indexer says
    (model, _), _ = made("BERT")
    padded = long_statistics(model, rows=3, **text(padded=3))
    assert [layer.mask for layer in padded.layers] == [None, None]
    shown = capture(model, **text(padded=3))
    for layer, whole in zip(padded.layers, shown.layers, strict=True):
        torch.testing.assert_close(layer.statistics.entropy, expected(whole)["entropy"].float(), rtol=1e-4, atol=1e-5)


@pytest.mark.night
@pytest.mark.parametrize("family", ["GPT-2", "Llama", "Gemma 2", "gpt-oss", "BERT", "GPT-J"])
def test_measures_are_those_of_the_whole_run(family: str) -> None:
    (model, inputs), full = made(family)
    ids = tuple(inputs["input_ids"][0].tolist())
    right = head_measures(ModelRun.of_text(("",) * len(ids), ids, full.layers, False), DELIMITERS)
    for rows in (2, 7, None):
        found = long_statistics(model, rows=rows, delimiters=DELIMITERS, **copy.deepcopy(inputs))
        for number, layer in enumerate(found.layers):
            assert layer.totals is not None
            for name, values in layer.totals.means.items():
                torch.testing.assert_close(
                    values[0], right[name][number], rtol=1e-3, atol=1e-4, equal_nan=True, msg=f"{name} {layer.name}"
                )


@pytest.mark.night
@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["GPT-2", "Llama", "Gemma 3", "gpt-oss", "ModernBERT", "OPT"]), st.data())
def test_any_text_in_any_blocks(family: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 29))
    inputs = text(n, seed=data.draw(st.integers(0, 99)))
    (model, _), _ = made(family)
    full = capture(model, **inputs)
    found = long_statistics(model, rows=data.draw(st.integers(1, n)), **inputs)
    for layer, whole in zip(found.layers, full.layers, strict=True):
        right = expected(whole)
        for name in ("entropy", "jacobian_norm", "largest_weight"):
            torch.testing.assert_close(layer.statistics.statistic(name).double(), right[name], rtol=1e-3, atol=1e-4)


class Largest(TorchDispatchMode):
    """The most cells of a tensor that any operation makes, and of one with two axes of `n`."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n, self.cells, self.square = n, 0, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **kwargs or {})
        for one in tree_leaves(made):
            if isinstance(one, Tensor) and one.untyped_storage().nbytes() >= one.numel():
                self.cells = max(self.cells, one.numel())
                if list(one.shape).count(self.n) > 1:
                    self.square = max(self.square, one.numel())
        return made


def _longer(family: str, n: int) -> Run:
    """Return a model of this family with room for n tokens, and a text of them."""
    kind, config = {
        "GPT-2": (hf.GPT2LMHeadModel, hf.GPT2Config(
            vocab_size=VOCABULARY, n_embd=24, n_layer=2, n_head=3, n_positions=n, bos_token_id=1, eos_token_id=2)),
        "Gemma 2": (hf.Gemma2ForCausalLM, hf.Gemma2Config(
            vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            head_dim=8, intermediate_size=17, max_position_embeddings=n, sliding_window=64, pad_token_id=0)),
        "BERT": (hf.BertModel, hf.BertConfig(
            vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=17,
            max_position_embeddings=n)),
        "T5": (hf.T5EncoderModel, hf.T5Config(
            vocab_size=VOCABULARY, d_model=24, d_kv=8, d_ff=17, num_layers=2, num_heads=3)),
    }[family]  # fmt: skip
    return built(kind, config), text(n)


@pytest.mark.night
@pytest.mark.parametrize("family", ["GPT-2", "Gemma 2", "BERT"])
def test_no_tensor_is_as_large_as_the_scores_of_one_head(family: str) -> None:
    n = 1009
    model, inputs = _longer(family, n)
    with Largest(n) as seen:
        found = long_statistics(model, rows=16, delimiters=DELIMITERS, **inputs)
    assert seen.square == 0
    assert seen.cells <= 16 * 9 * n  # a block's marked keys of nine measures; a head's scores are 1,009 × 1,009
    assert found.square == 0
    with Largest(n) as seen:
        capture(model, **inputs)
    assert seen.square >= 3 * n**2  # the count sees what a capture makes


def test_a_model_that_makes_n_by_n_by_itself_is_bounded_by_name() -> None:
    model, inputs = _longer("T5", 211)
    found = long_statistics(model, rows=16, **inputs)
    assert found.square >= 3 * 211**2 * 4
    full = capture(model, **inputs)
    for layer, whole in zip(found.layers, full.layers, strict=True):
        torch.testing.assert_close(layer.statistics.entropy.double(), expected(whole)["entropy"], rtol=1e-3, atol=1e-4)
    with pytest.raises(InvalidInput) as caught:
        long_statistics(model, rows=16, most_square=2**18, **inputs)
    assert caught.value.code == "attention_square"
    assert str(caught.value).startswith("encoder.block.0.layer.0.SelfAttention makes a tensor of 211 × 211 by itself")


def test_a_mask_that_a_model_works_with_is_bounded_before_it_is_made() -> None:
    (model, inputs), _ = made("DeepSeek V3.2")
    with pytest.raises(InvalidInput) as caught:
        long_statistics(model, most_square=100, **copy.deepcopy(inputs))
    assert caught.value.code == "attention_square"


def test_only_chosen_layers_are_read_and_the_rest_does_not_run() -> None:
    (model, inputs), full = made("Gemma 3")
    ran: list[int] = []
    hooks = [
        layer.register_forward_hook(lambda *_, at=at: ran.append(at)) for at, layer in enumerate(model.model.layers)
    ]
    try:
        found = long_statistics(model, layers=[1, 2], tensors=[2], rows=3, **copy.deepcopy(inputs))
    finally:
        for hook in hooks:
            hook.remove()
    assert [layer.index for layer in found.layers] == [1, 2]
    assert [layer.Q is None for layer in found.layers] == [True, False]
    assert found.names == full.names[:3]
    assert ran == [0, 1]  # the run ends within layer 2
    with pytest.raises(InvalidInput, match=r"layers must be between 0 and 5; got 6\."):
        long_statistics(model, layers=[6], **copy.deepcopy(inputs))


@pytest.mark.night
def test_progress_grows_and_a_visitor_who_leaves_stops_it() -> None:
    (model, inputs), full = made("Llama")
    told: list[float] = []
    long_statistics(model, rows=2, progress=told.append, **copy.deepcopy(inputs))
    assert all(one < other for one, other in pairwise(told))
    assert told[-1] == len(full.layers)
    seen: list[float] = []
    with stopping(lambda: len(seen) > 2), pytest.raises(Cancelled):
        long_statistics(model, rows=2, progress=seen.append, **copy.deepcopy(inputs))
    assert len(seen) == 3
    torch.testing.assert_close(  # nothing of a stopped run is left
        capture(model, **copy.deepcopy(inputs)).layers[0].weights, full.layers[0].weights, rtol=0, atol=0
    )


def refused(code: str, model: Any, **inputs: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        long_statistics(model, **inputs)
    assert caught.value.code == code
    return str(caught.value)


def test_windows_of_a_picture_and_several_texts_are_refused() -> None:
    (model, inputs), _ = made("Swin")
    assert refused("long_batch", model, **inputs) == (
        "The attention of encoder.layers.0.blocks.0.attention#1 reads 16 sequences at once, and a long run reads one."
    )
    (model, inputs), _ = made("Llama")
    both = {name: torch.cat([one, one]) for name, one in inputs.items()}
    assert refused("long_batch", model, **both) == "A long run reads one text; got 2."


def test_a_function_whose_rows_hang_on_other_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.llama import modeling_llama

    own = modeling_llama.eager_attention_forward

    def centred(module: Any, query: Tensor, *given: Any, **settings: Any) -> Any:
        return own(module, query - query.mean(-2, keepdim=True), *given, **settings)

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", centred)
    model, inputs = READ["Llama"]()
    assert refused("attention_rows", model, rows=3, **inputs) == (
        "The attention of model.layers.0.self_attn#1 has rows that hang on other rows."
    )


def test_a_function_that_reads_what_cannot_be_cut_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.llama import modeling_llama

    own = modeling_llama.eager_attention_forward

    def by_place(module: Any, query: Tensor, *given: Any, position_ids: Tensor, **settings: Any) -> Any:
        return own(module, query * (1 + 0 * position_ids.sum()), *given, **settings)

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", by_place)
    model, inputs = READ["Llama"]()
    places = torch.arange(11).unsqueeze(0)
    found = long_statistics(model, position_ids=places, **inputs)  # in one block nothing is cut
    assert len(found.layers) == 2
    assert refused("attention_rows", model, rows=3, position_ids=places, **inputs) == (
        "The attention of model.layers.0.self_attn#1 reads a tensor that cannot be cut into rows."
    )


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", ["GPT-2", "Llama", "Gemma 2", "gpt-oss", "BERT", "ModernBERT"])
def test_a_layer_as_inputs_of_a_pass_is_that_of_a_short_run(family: str) -> None:
    (model, inputs), full = made(family)
    found = long_statistics(model, rows=4, tensors=range(len(full.layers)), **copy.deepcopy(inputs))
    ids = tuple(inputs["input_ids"][0].tolist())
    run = ModelRun.of_text(tuple(map(str, ids)), ids, full.layers, False)
    for number, layer in enumerate(found.layers, 1):
        if layer.mask == Band(3, 0):  # no choice of `mask` is it
            with pytest.raises(InvalidInput) as caught:
                long_inputs(layer)
            assert caught.value.code == "learned_mask"
            continue
        own, short = long_inputs(layer, run.lines[0], 1), layer_inputs(run, number, 1)
        assert own.trained == short.trained
        assert own.tokens == short.tokens
        torch.testing.assert_close(own.Q, short.Q, rtol=1e-4, atol=1e-4)
        result = compute(adopted(AttentionConfig(source="model"), own), own)
        torch.testing.assert_close(result.entropy[0], layer.statistics.entropy[0], rtol=1e-3, atol=1e-4)


def test_layers_that_are_no_inputs_are_refused_by_name() -> None:
    def code(layer: LongLayer) -> str:
        with pytest.raises(InvalidInput) as caught:
            long_inputs(layer)
        return caught.value.code

    assert code(long("T5", tensors=[0]).layers[0]) == "learned_bias"
    assert code(long("GPT-J", tensors=[0]).layers[0]) == "no_queries"
    assert code(long("Llama").layers[0]) == "no_queries"  # its tensors were not kept


def test_statistics_are_those_of_a_pass_over_the_same_queries() -> None:
    layer = long("Llama", rows=3, tensors=[1]).layers[1]
    assert layer.Q is not None
    assert layer.K is not None
    passed = attention_statistics(layer.Q, layer.K.repeat_interleave(3, 0), scale=layer.scale, causal=True)
    for name in passed.names:
        torch.testing.assert_close(
            passed.statistic(name), layer.statistics.statistic(name), rtol=1e-4, atol=1e-5, msg=name
        )
    assert torch.equal(passed.largest_at, layer.statistics.largest_at)
    torch.testing.assert_close(passed.score_mean, layer.statistics.score_mean, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(passed.score_variance, layer.statistics.score_variance, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("band", "choice"), [(Band(), ("none", 1)), (Band(after=0), ("causal", 1)), (Band(3, 3), ("window", 3))]
)
def test_the_rule_of_a_layer_is_a_choice_of_the_page(band: Band, choice: tuple[str, int]) -> None:
    trained = long_inputs(replace(long("Llama", tensors=[0]).layers[0], mask=band)).trained
    assert trained is not None
    assert (trained.mask, trained.window) == choice


@pytest.mark.parametrize("band", [None, Band(3, 0), Band(0, 0), Band(3, 2)])
def test_a_rule_that_is_no_choice_is_refused(band: Band | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        long_inputs(replace(long("Llama", tensors=[0]).layers[0], mask=band))
    assert refused.value.code == "learned_mask"
