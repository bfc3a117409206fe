"""Models of a folder: what transformers would load, with sizes, context and rotary pairs as measured."""

import gc
import json
import random
import weakref
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import torch
import transformers as hf
from torch.nn.modules import module as registration
from torch.utils.flop_counter import FlopCounterMode

from attention_core import AttentionConfig, Cancelled, InvalidInput, compute, stopping
from attention_core.learned import LearnedModel, TokenModel, layer_inputs
from attention_core.models import FolderModel, ModelFolder, capture, tokens_of, weights
from attention_core.models.cutting import Cutter
from attention_core.models.readers.texts import TextReader
from tests.attention_core.models import small_folders
from tests.attention_core.models.small_folders import CONTEXT, MODELS, PAIRS, write, write_whisper

pytestmark = pytest.mark.slow

TEXT = "The keys to the cabinet 고양이는 👩‍👩‍👧 are é naïve 😀.\n ok"
HALVES, NEIGHBOURS = ((0, 4), (1, 5), (2, 6), (3, 7)), ((0, 1), (2, 3), (4, 5), (6, 7))
MEASURED = {
    "gpt2": (2, 3, 8, CONTEXT, ()),
    "bert": (2, 3, 8, CONTEXT, ()),
    "roberta": (2, 3, 8, CONTEXT - 2, ()),
    "llama": (2, 6, 8, CONTEXT, HALVES),
    "cohere": (2, 6, 8, CONTEXT, NEIGHBOURS),
    "glm": (2, 6, 8, CONTEXT, NEIGHBOURS[:2]),
    "neox": (2, 3, 16, CONTEXT, ((0, 2), (1, 3))),
    "deepseek": (2, 6, 12, CONTEXT, ((8, 10), (9, 11))),
    "gptj": (2, 3, 0, CONTEXT, ()),
}
"""Layers, h, d_k, the longest text and the rotary pairs of each model."""
TOKENIZERS = ("byte_level", "word_pieces", "with_blanks")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in MODELS:
        write(root, name)
    for name in TOKENIZERS:
        write(root, name, MODELS["bert"](), getattr(small_folders, name)())
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


def cutter(model: FolderModel) -> Cutter:
    assert isinstance(model.reader, TextReader)
    return model.reader.cutter


def texts(seed: int) -> Iterator[str]:
    """Yield texts of words, marks, blanks, Korean in both forms, emoji of several code points and of four bytes."""
    draw = random.Random(seed)
    pieces = [
        "the",
        "cat",
        "Keys",
        "naïve",
        "고양이",
        "고",
        "e\u0301",
        "😀",
        "👩‍👩‍👧",
        "🇰🇷",
        "한국어를",
        "漢字",
        "'",
        ".",
        "—",
    ]
    blanks = [" ", " ", "", "  ", "\n", "\t", "\u3000"]
    for _ in range(60):
        yield "x" + "".join(draw.choice(blanks) + draw.choice(pieces) for _ in range(draw.randrange(1, 9)))


def test_every_subfolder_that_is_a_model_is_listed(folder: ModelFolder) -> None:
    assert folder.names == tuple(sorted([*MODELS, *TOKENIZERS]))


@pytest.mark.night(but=2)
@pytest.mark.parametrize("name", MODELS)
def test_weights_are_those_of_the_model_that_transformers_loads(folder: ModelFolder, name: str) -> None:
    run = loaded(folder, name).run(TEXT)
    kind = getattr(hf, json.loads((folder.path / name / "config.json").read_text())["architectures"][0])
    model = kind.from_pretrained(folder.path / name, attn_implementation="eager", dtype=torch.float32)
    if hasattr(model.config, "_experts_implementation"):
        model.config._experts_implementation = "eager"
    reader = model.base_model
    ids = hf.AutoTokenizer.from_pretrained(folder.path / name)(TEXT, return_tensors="pt")["input_ids"]
    assert run.ids == tuple(ids[0].tolist())
    own = capture(reader, input_ids=ids)
    assert [layer.name for layer in run.layers] == [layer.name for layer in own.layers]
    assert all(torch.equal(one.weights, two.weights) for one, two in zip(run.layers, own.layers, strict=True))
    assert {layer.kind for layer in run.layers} == {"self"}


@pytest.mark.night(but=3)
@pytest.mark.parametrize("name", MODELS)
def test_sizes_context_and_pairs_are_measured(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    assert isinstance(model, LearnedModel)
    assert (model.layers, model.h, model.d_k, model.most_tokens, model.pairs) == MEASURED[name]
    assert model.positional == frozenset()
    long = model.run("the cat " * 600)
    assert (len(long.tokens), long.cut) == (model.most_tokens, True)


@pytest.mark.night(but=2)
@pytest.mark.parametrize("name", MODELS)
def test_multiply_adds_of_any_length_are_those_that_torch_counts(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    for n in (2, 3, 11, 37, CONTEXT, 200):
        with FlopCounterMode(display=False) as counted:
            run = model.run("the cat " * 600, min(n, model.most_tokens))
        assert 2 * model.multiply_adds(len(run.tokens)) == counted.get_total_flops()


@pytest.mark.night(but=3)
@pytest.mark.parametrize("name", MODELS)
def test_bytes_are_known_before_loading(folder: ModelFolder, name: str) -> None:
    """To what a model makes for itself: tables of rotations, numbers of positions, masks."""
    sized, model = folder.sized(name), loaded(folder, name)
    assert sized.parameters == model.parameters
    assert abs(model.bytes - sized.bytes) <= 0.05 * sized.bytes


def test_half_precision_takes_four_bytes_in_memory(tmp_path: Path) -> None:
    whole, half = MODELS["llama"](), MODELS["llama"]().to(torch.bfloat16)
    write(tmp_path, "whole", whole)
    write(tmp_path, "half", half)
    folder = ModelFolder(tmp_path)
    assert folder.sized("half").bytes == folder.sized("whole").bytes
    assert folder.load("half").model.dtype == torch.float32


def test_a_rotary_layer_is_an_input_of_the_instrument(folder: ModelFolder) -> None:
    run = loaded(folder, "llama").run(TEXT)
    result = compute(AttentionConfig(source="model"), layer_inputs(run, 2), device="cpu")
    torch.testing.assert_close(result.weights, run.layers[1].weights)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_run_has_the_same_names_from_a_text_and_from_its_numbers(folder: ModelFolder, name: str) -> None:
    """And each token that is read has a name of its own, whole or as a numbered part of a character."""
    found = cutter(loaded(folder, name))
    for text in texts(1):
        cut = found.cut(text, 512)
        assert cut.tokens == tokens_of(found._tokenizer, cut.ids)
        assert cut.forms == tuple(found._tokenizer.convert_ids_to_tokens(list(cut.ids)))
        assert not any("\ufffd" in token or not token for token in cut.tokens)


def test_tokens_as_they_are_read(folder: ModelFolder) -> None:
    shown = cutter(loaded(folder, "word_pieces")).cut("The CAT, 漢!", 20)
    assert shown.tokens[:2] == ("[CLS]", "the")  # a model without capitals reads none
    assert shown.tokens[-1] == "[SEP]"
    unknown = [stood for token, stood in zip(shown.tokens, shown.stands, strict=True) if token == "[UNK]"]
    assert "漢" in unknown
    assert [stood for stood in shown.stands if stood] == unknown
    named = cutter(loaded(folder, "with_blanks")).cut("the 강 cat", 20).tokens
    assert named == ("<s>", " the", " ", "강₁", "강₂", "강₃", " ca", "t")
    inserted = cutter(loaded(folder, "with_blanks")).cut("강", 20).tokens
    assert inserted == ("<s>", " ", "강₁", "강₂", "강₃")
    assert cutter(loaded(folder, "with_blanks")).cut("강", 3).tokens[-1].startswith("<0x")  # the rest is cut off


def test_a_tokenizer_that_does_not_say_where_its_tokens_stand(tmp_path: Path) -> None:
    """ByT5 reads bytes: each is a part of a character, and nothing is broken."""
    path = tmp_path / "m"
    config = PAIRS["t5"]().config
    config.vocab_size = 384
    hf.T5EncoderModel(config).save_pretrained(path)
    hf.ByT5Tokenizer().save_pretrained(path)
    model = ModelFolder(tmp_path).load("m")
    assert cutter(model)._backend is None
    run = model.run("a 고😀!")
    assert run.tokens == ("a", " ", "고₁", "고₂", "고₃", "😀₁", "😀₂", "😀₃", "😀₄", "!", "</s>")
    assert model.run("a 고😀!", 5).tokens == ("a", " ", "<0xEA>", "<0xB3>", "</s>")
    assert ord("!") + 3 in model.delimiters
    assert ord("a") + 3 not in model.delimiters


def test_what_a_tokenizer_puts_behind_a_text_stays_behind_its_beginning(folder: ModelFolder) -> None:
    model = loaded(folder, "word_pieces")
    run, short = model.run("the cat sees the keys", 40), model.run("the cat sees the keys", 4)
    assert not run.cut
    assert short.cut
    assert short.tokens == (*run.tokens[:3], "[SEP]")
    assert model.run("the cat sees the keys", 1).tokens == ("[CLS]",)
    assert model.run("", 9).tokens == ("[CLS]", "[SEP]")


@pytest.mark.parametrize("name", [*TOKENIZERS, "gpt2", "roberta", "llama"])
def test_tokens_by_their_numbers_are_read_as_a_text_of_them_is(folder: ModelFolder, name: str) -> None:
    """With what stands around every text; special tokens are none of which a text consists."""
    model = loaded(folder, name)
    assert isinstance(model, TokenModel)
    run = model.run(TEXT)
    special = cutter(model).special
    inner = [one for one in run.ids if one not in special]
    assert {*inner} <= {*model.vocabulary}
    assert not {*model.vocabulary} & special
    if inner == [*run.ids[run.ids.index(inner[0]) :]][: len(inner)]:  # no unknown token within
        again = model.run_tokens(inner)
        assert again.ids == run.ids
        for one, other in zip(again.layers, run.layers, strict=True):
            assert torch.equal(one.weights, other.weights)


def test_a_model_that_reads_no_text_by_itself_reads_no_tokens(tmp_path: Path) -> None:
    model = ModelFolder(write_whisper(tmp_path).parent).load("whisper")
    assert model.vocabulary == ()
    with pytest.raises(InvalidInput) as caught:
        model.run_tokens([1, 2])
    assert caught.value.code == "model_no_text"


def test_a_text_without_a_token_is_refused(folder: ModelFolder) -> None:
    with pytest.raises(InvalidInput, match=r"text must hold at least one token\.") as caught:
        loaded(folder, "byte_level").run("")
    assert caught.value.code == "text_empty"


def test_delimiters_are_special_tokens_marks_and_line_ends(folder: ModelFolder) -> None:
    model = loaded(folder, "byte_level")
    backend = cutter(model)._backend
    assert backend is not None
    found = {backend.decode([one], skip_special_tokens=False) for one in model.delimiters}
    assert {"<|endoftext|>", ".", ",", "\n", "'", ";"} <= found
    assert not any(sign.isalnum() for one in found - {"<|endoftext|>"} for sign in one)
    assert not {" ", "$", "+", "�"} & found


@pytest.mark.night(but=2)
@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 1])
def test_a_load_that_is_stopped_leaves_nothing(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr(weights, "_STRETCH", 4096)
    asked = count()
    with stopping(lambda: next(asked) < 0):
        folder.load("llama")
    every = next(asked) - 1
    assert every > folder.sized("llama").bytes / 4096  # one a stretch at least
    after = int(share * every)
    asked = count()
    with stopping(lambda: next(asked) >= after), pytest.raises(Cancelled):
        folder.load("llama")
    assert next(asked) == after + 1  # nothing went on
    assert not registration._global_parameter_registration_hooks
    assert not registration._global_buffer_registration_hooks


def test_a_model_that_nobody_holds_is_gone_at_once(tmp_path: Path) -> None:
    """No part of it holds another that holds it: its memory does not wait for the garbage collector."""
    write(tmp_path, "llama")
    gc.disable()
    try:
        model = ModelFolder(tmp_path).load("llama")
        model.run(TEXT)
        held = [weakref.ref(one) for one in model.model.parameters()]
        del model
        assert not any(one() is not None for one in held)
    finally:
        gc.enable()


def test_progress_rises_to_one(folder: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_STRETCH", 4096)
    told: list[float] = []
    folder.load("llama", told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len([one for one in told if 0 < one < 0.9]) > 20


def test_numbers_in_several_files_are_one_model(tmp_path: Path, folder: ModelFolder) -> None:
    model = MODELS["llama"]()
    model.save_pretrained(tmp_path / "llama", max_shard_size="50KB")
    small_folders.byte_level().save_pretrained(tmp_path / "llama")
    sharded = ModelFolder(tmp_path)
    assert len(sharded.sized("llama").weights) > 2
    assert sharded.sized("llama").bytes == folder.sized("llama").bytes
    run, own = sharded.load("llama").run(TEXT), loaded(folder, "llama").run(TEXT)
    assert torch.equal(run.layers[1].weights, own.layers[1].weights)
