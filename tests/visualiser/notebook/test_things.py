"""What a notebook hands over becomes a link whose answer has the very numbers, or a sentence."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_core import CHOICES, AttentionConfig, AttentionInputs, AttentionResult, InvalidInput, compute
from attention_core.learned import layer_inputs
from attention_core.models import Capture, capture, text_model
from tests.attention_core.models import small_folders
from tests.attention_core.models.small_models import READ, text
from visualiser import models
from visualiser.models.only_run import Named
from visualiser.notebook.things import Handed, Wish, handed
from visualiser.pages.explore.frame import result_of
from visualiser.pages.model import MOST_TOKENS, reading
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.upload.handed import HANDED, enclosed

SIZES = {"Q": (3, 11, 5), "K": (3, 13, 5), "V": (3, 13, 7)}


def tensors(seed: int = 0) -> list[Tensor]:
    draws = torch.Generator().manual_seed(seed)
    return [torch.randn(size, generator=draws) for size in SIZES.values()]


def request(found: Handed, **further: Any) -> PageRequest:
    upload = HANDED.find(found.held) or b""
    return PageRequest(found.query(**further), None, frozenset(), upload, "en", "light", 0, "", {}, found.page)


def explored(found: Handed) -> AttentionResult:
    """Return what Explore makes of a link."""
    asked = request(found)
    assert asked.reading.notices == ()
    return result_of(asked.reading.state, asked.upload)


def read(found: Handed, **further: Any) -> reading.Read:
    """Return what the Model page makes of a link."""
    asked = request(found, **further)
    assert asked.reading.notices == ()
    return reading.read(asked)


def wish(*more: Any, tokens: Any = None, tokenizer: Any = None, batch: int | None = None, **options: Any) -> Wish:
    return Wish(more, Named(tokens, tokenizer, None, batch), options=options)


def same(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one.float(), other.float(), atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_configuration_is_its_link(seed: int) -> None:
    draws = random.Random(seed)
    chosen: dict[str, Any] = {
        name: draws.choice(CHOICES[name]) for name in ("mechanism", "scaling", "mask", "normalisation", "dtype")
    }
    config = AttentionConfig(
        n=draws.choice((7, 31, 509)), h=draws.choice((1, 5)), d_k=draws.choice((3, 97)), seed=draws.randrange(1000),
        scale=draws.choice((0.5, 3.0)), window=draws.choice((2, 5)), qk_norm=draws.random() < 0.5, **chosen,
    )  # fmt: skip
    state = share.read(handed(config, wish()).query(), page="explore").state
    read_again = {name: value for name, value in state.config.chosen.items() if name not in ("scale", "window")}
    assert read_again == {name: value for name, value in config.chosen.items() if name not in ("scale", "window")}


def test_settings_of_a_configuration_may_be_given_besides() -> None:
    found = explored(handed(AttentionConfig(n=7, h=2, d_k=5), wish(mask="causal", d_k=3)))
    assert same(found.weights, compute(AttentionConfig(n=7, h=2, d_k=3, mask="causal")).weights)


@pytest.mark.parametrize("make", [lambda one: one, lambda one: one.numpy(), lambda one: one.double()[None]])
def test_q_k_and_v_are_those_of_the_page(make: Callable[[Tensor], Any]) -> None:
    Q, K, V = tensors()
    found = explored(handed(make(Q), wish(make(K), make(V), mask="causal", scaling="custom", scale=0.7)))
    expected = compute(
        AttentionConfig(source="upload", mask="causal", scaling="custom", scale=0.7), AttentionInputs(Q, K, V)
    )
    assert same(found.weights, expected.weights)
    assert same(found.output, expected.output)


def test_two_tensors_have_the_keys_as_values_and_a_matrix_is_one_head() -> None:
    Q, K, _ = tensors()
    found = explored(handed(Q[1], wish(K[1])))
    assert same(found.output, compute(AttentionConfig(source="upload"), AttentionInputs(Q[1:2], K[1:2], K[1:2])).output)


def test_grouped_queries_share_their_keys_and_values() -> None:
    Q, K, V = tensors()
    found = explored(handed(torch.cat([Q, Q]), wish(K, V)))
    repeated = AttentionInputs(torch.cat([Q, Q]), K.repeat_interleave(2, 0), V.repeat_interleave(2, 0))
    assert same(found.output, compute(AttentionConfig(source="upload"), repeated).output)


def test_a_result_of_a_seed_is_its_link_and_holds_nothing() -> None:
    result = compute(AttentionConfig(n=7, h=2, d_k=5, seed=3, mask="causal"))
    found = handed(result, wish())
    assert found.held == ""
    assert same(explored(found).weights, result.weights)


def test_a_result_of_tensors_is_theirs() -> None:
    Q, K, V = tensors()
    result = compute(AttentionConfig(source="upload", scaling="none"), AttentionInputs(Q, K, V))
    assert same(explored(handed(result, wish())).weights, result.weights)


@pytest.mark.parametrize("name", ["GPT-2", "Llama", "Gemma 2"])
def test_a_result_of_a_trained_layer_has_its_factor_and_its_mask(name: str) -> None:
    model, inputs = READ[name]()
    run = models.HELD.find(handed(model, wish(**inputs)).settings["model"])
    assert run is not None
    result = compute(AttentionConfig(source="model"), layer_inputs(run.model.run(""), 2))
    assert same(explored(handed(result, wish())).weights, result.weights)


def test_long_tensors_go_to_the_map() -> None:
    Q = torch.randn(2, 701, 5, generator=torch.Generator().manual_seed(0))
    found = handed(Q, wish(Q))
    assert found.page == "map"
    assert request(found).reading.notices == ()


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "Llama", "gpt-oss", "ViT", "Qwen 3 Next", "DeepSeek V3"])
def test_a_model_with_inputs_shows_the_run_of_these_inputs(name: str) -> None:
    model, inputs = READ[name]()
    expected = capture(model, **inputs)
    last = len(expected.layers)
    found = read(handed(model, wish(**inputs)), layer=last, head=3)
    assert len(found.shown.run.layers) == last
    assert np.array_equal(found.shown.weights, expected.layers[-1].weights[2].float().numpy())
    ids = inputs["input_ids"][0].tolist() if "input_ids" in inputs else None
    assert ids is None or list(found.shown.run.ids) == ids
    assert found.shown.labels == {}


def test_the_text_of_a_link_changes_nothing_of_a_run_that_is_the_only_one() -> None:
    model, inputs = READ["GPT-2"]()
    found = handed(model, wish(**inputs))
    assert read(found, text="another text").shown.run is read(found).shown.run


def test_a_capture_has_the_tokens_that_it_is_given() -> None:
    model, inputs = READ["BERT"]()
    tokens = list("abcabcabca.")
    found = read(handed(capture(model, **inputs), wish(tokens=tokens)))
    assert found.shown.run.tokens == tuple(tokens)
    ids = found.shown.run.ids
    assert [ids[0] == one for one in ids] == [one == "a" for one in tokens]  # equal tokens are the same token
    assert found.model.delimiters == {ids[-1]}


def test_a_capture_may_have_a_tokenizer_and_ids() -> None:
    tokenizer, model = small_folders.byte_level(), small_folders.MODELS["gpt2"]()
    ids = tokenizer("The keys; 고양이", return_tensors="pt", return_token_type_ids=False)
    found = read(handed(capture(model, **ids), wish(tokenizer=tokenizer, **ids)))
    assert "".join(found.shown.run.tokens) == "The keys; 고₁고₂양₁양₂이₁이₂"
    assert list(found.shown.run.ids) == ids["input_ids"][0].tolist()


def test_a_layer_is_a_capture_of_one() -> None:
    model, inputs = READ["Llama"]()
    layer = capture(model, **inputs).layers[1]
    found = read(handed(layer, wish()), head=4)
    assert np.array_equal(found.shown.weights, layer.weights[3].numpy())


def test_one_sequence_of_a_batch_is_shown() -> None:
    model, _ = READ["BERT"]()
    inputs: dict[str, Any] = {name: torch.cat([text(seed=1)[name], text(seed=2)[name]]) for name in text()}
    alone = capture(model, **text(seed=2))
    found = read(handed(model, wish(batch=1, **inputs)), head=2)
    assert torch.allclose(torch.from_numpy(found.shown.weights), alone.layers[0].weights[1], atol=1e-6)
    assert list(found.shown.run.ids) == text(seed=2)["input_ids"][0].tolist()


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", ["gpt2", "bert", "llama"])
def test_a_model_with_its_tokenizer_reads_any_text(name: str) -> None:
    tokenizer = {
        "gpt2": small_folders.byte_level,
        "bert": small_folders.word_pieces,
        "llama": small_folders.with_blanks,
    }[name]()
    model = small_folders.MODELS[name]()
    found = handed(model, wish("The keys", tokenizer=tokenizer))
    for written in ("The keys", "the cat sees 고양이"):
        ids = tokenizer(written, return_tensors="pt", return_token_type_ids=False)
        shown = read(found, text=written).shown
        assert list(shown.run.ids) == ids["input_ids"][0].tolist()
        expected = capture(model, **ids).layers[0].weights[0]
        assert torch.allclose(torch.from_numpy(shown.weights), expected, atol=1e-5)


@pytest.mark.slow
def test_inputs_that_the_tokenizer_makes_again_leave_the_text_free_and_others_are_the_only_run() -> None:
    tokenizer, model = small_folders.word_pieces(), small_folders.MODELS["bert"]()
    ids: dict[str, Any] = dict(tokenizer("the cat sees", return_tensors="pt"))
    assert handed(model, wish(tokenizer=tokenizer, **ids)).settings["text"] == "the cat sees"
    other: dict[str, Any] = ids | {"attention_mask": torch.tensor([[1, 1, 1, 1, 0]])}
    assert "text" not in handed(model, wish(tokenizer=tokenizer, **other)).settings


def test_the_tokenizer_stays_as_it_is() -> None:
    tokenizer, model = small_folders.word_pieces(), small_folders.MODELS["bert"]()
    tokenizer.backend_tokenizer.enable_truncation(4)
    handed(model, wish("the cat sees the keys", tokenizer=tokenizer))
    assert len(tokenizer.backend_tokenizer.encode("the cat sees the keys").ids) == 4


@pytest.mark.slow
def test_a_model_is_labelled_by_the_corpus_if_that_is_wished() -> None:
    tokenizer, model = small_folders.byte_level(), small_folders.MODELS["gpt2"]()
    found = handed(model, replace(wish("The keys", tokenizer=tokenizer), corpus=True))
    held = models.HELD.find(found.settings["model"])
    assert held is not None
    assert held.measures.documents == 24
    assert "over" not in found.settings["hide"].split(",")


@pytest.mark.slow
def test_a_folder_model_is_shown_as_it_is() -> None:
    made = text_model(small_folders.MODELS["gpt2"](), small_folders.byte_level(), "mine")
    assert read(handed(made, wish("the cat"))).shown.run.tokens[-1].strip()


def test_what_is_no_longer_held_is_said() -> None:
    Q, K, V = tensors()
    name = handed(Q, wish(K, V)).held
    assert enclosed(b"\0held:" + name.encode()) == HANDED.find(name)
    model, inputs = READ["GPT-2"]()
    shown = handed(model, wish(**inputs))
    for _ in range(8):
        handed(Q, wish(K, V))
        handed(model, wish(**inputs))
    with pytest.raises(InvalidInput) as gone:
        enclosed(b"\0held:" + name.encode())
    assert gone.value.code == "held_gone"
    with pytest.raises(InvalidInput) as gone:
        read(shown)
    assert gone.value.code == "held_gone"


def test_nothing_that_is_held_is_in_a_list() -> None:
    model, inputs = READ["GPT-2"]()
    name = handed(model, wish(**inputs)).settings["model"]
    assert models.is_offered(name)
    assert name not in models.offered()


def test_a_file_that_is_no_name_is_itself() -> None:
    assert enclosed(b"held:x") == b"held:x"
    with pytest.raises(InvalidInput):
        enclosed(b"\0held:../x")


def gpt_2(**changed: Any) -> tuple[Any, dict[str, Any]]:
    model, inputs = READ["GPT-2"]()
    return model, inputs | changed


REFUSED: dict[str, Callable[[], object]] = {
    "notebook_kind": lambda: handed("a text", wish()),
    "notebook_inputs": lambda: handed(gpt_2()[0], wish()),
    "notebook_tokenizer": lambda: handed(gpt_2()[0], wish("a text")),
    "notebook_text": lambda: handed(gpt_2()[0], wish(7, tokenizer=object())),
    "notebook_more": lambda: handed(AttentionConfig(), wish(7)),
    "notebook_unknown": lambda: handed(AttentionConfig(), wish(masking="causal")),
    "notebook_page": lambda: handed(AttentionConfig(n=4096), wish()),
    "notebook_tensors": lambda: handed(torch.ones(3, 2), wish(*[torch.ones(3, 2)] * 3)),
    "notebook_tensor": lambda: handed(torch.ones(3, 2), wish("K")),
    "upload_rank": lambda: handed(torch.ones(3), wish(torch.ones(3))),
    "upload_size": lambda: handed(torch.ones(17, 3, 2), wish(torch.ones(17, 3, 2))),
    "shape": lambda: handed(torch.ones(2, 3, 2), wish(torch.ones(3, 3, 2))),
    "not_finite": lambda: handed(torch.full((3, 2), torch.nan), wish(torch.ones(3, 2))),
    "notebook_empty": lambda: handed(Capture(None, (), ("a",)), wish()),
    "notebook_batch": lambda: handed(gpt_2()[0], wish(input_ids=torch.ones(2, 5, dtype=torch.long))),
    "notebook_no_batch": lambda: handed(gpt_2()[0], wish(batch=2, input_ids=torch.ones(2, 5, dtype=torch.long))),
    "notebook_tokens": lambda: handed(capture(gpt_2()[0], **gpt_2()[1]), wish(tokens=["a"])),
    "model_training": lambda: handed(gpt_2()[0].train(), wish(**gpt_2()[1])),
    "notebook_module": lambda: handed(torch.nn.Linear(2, 3), wish(input=torch.ones(2))),
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_cannot_be_shown_is_refused_in_a_sentence(code: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        REFUSED[code]()
    assert problem.value.code == code
    assert str(problem.value)[-1] in ".)"


def test_a_longer_run_than_the_page_shows_is_refused() -> None:
    n = MOST_TOKENS + 1
    weights = torch.eye(n).expand(2, n, n)
    layer = replace(
        capture(gpt_2()[0], **gpt_2()[1]).layers[0], Q=None, K=None, V=None, weights=weights, scores=weights
    )
    with pytest.raises(InvalidInput) as problem:
        handed(Capture(None, (layer,), ("a",)), wish())
    assert problem.value.details == {"n": n, "most": n - 1}


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", ["bart", "t5"])
@pytest.mark.parametrize("target", ["", "a mat"])
def test_a_model_with_a_decoder_reads_a_text_and_a_target(family: str, target: str) -> None:
    model, tokenizer = small_folders.PAIRS[family](), small_folders.byte_level()
    told: dict[str, Any] = {"target": target} if target else {}
    found = handed(model, wish("the cat sat", tokenizer=tokenizer, **told))
    source, written = read(found).shown.run.lines
    assert source.name == "source"
    assert source.ids == tuple(tokenizer("the cat sat")["input_ids"])
    if target:
        count = len(tokenizer.tokenize(target))
        assert written.ids[1 : 1 + count] == tuple(tokenizer(target, add_special_tokens=False)["input_ids"])
    own = capture(
        model, input_ids=torch.tensor([source.ids]), decoder_input_ids=torch.tensor([written.ids])
    )  # fmt: skip
    run = read(found).shown.run
    assert 0 < len(run.layers) == len(own.layers)
    by_name = {layer.name: layer for layer in own.layers}
    for layer in run.layers:
        assert same(layer.weights, by_name[layer.name].weights)


@pytest.mark.slow
def test_a_target_without_a_decoder_is_said() -> None:
    with pytest.raises(InvalidInput) as caught:
        handed(small_folders.MODELS["gpt2"](), wish("the cat", tokenizer=small_folders.byte_level(), target="a mat"))
    assert caught.value.code == "notebook_target"


def test_a_capture_of_a_model_with_a_decoder_has_both_its_lines() -> None:
    model = small_folders.PAIRS["bart"]()
    inputs: dict[str, Any] = {
        "input_ids": torch.tensor([[5, 6, 7, 8, 9]]),
        "decoder_input_ids": torch.tensor([[2, 11, 12]]),
    }
    run = read(handed(model, wish(**inputs))).shown.run
    assert [line.ids for line in run.lines] == [(5, 6, 7, 8, 9), (2, 11, 12)]
    own = capture(model, **inputs).layers
    assert [layer.weights.shape for layer in run.layers] == [layer.weights.shape for layer in own]
    assert sorted(set(run.between)) == [(0, 0), (1, 0), (1, 1)]
