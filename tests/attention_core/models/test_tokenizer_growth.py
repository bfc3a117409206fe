"""A stranger's tokenizer makes no more of a text than is bounded before it runs, and a real one is let through."""

from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from attention_core import InvalidInput
from attention_core.models.cutting import Cutter
from attention_core.models.tokenizer_growth import MOST_MADE, Growth, require_known

BOMB = normalizers.Sequence([normalizers.Replace("e", "e" * 30)] * 9)
"""1 kB as a file; 30⁹ letters for each e."""


def made(**parts: Any) -> Any:
    """Return a tokenizer of two words with these parts, as transformers holds one."""
    backend = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    for name, part in parts.items():
        setattr(backend, name, part)
    return SimpleNamespace(
        is_fast=True, backend_tokenizer=backend, all_special_ids=[],
        convert_ids_to_tokens=lambda ids: [backend.id_to_token(one) for one in ids],
    )  # fmt: skip


def test_a_chain_of_replacements_ends_before_it_runs() -> None:
    cutter = Cutter(made(normalizer=BOMB))
    for read in (cutter.cut, cutter.count):
        with pytest.raises(InvalidInput) as caught:
            read("the keys", 10)
        assert (caught.value.code, caught.value.details) == ("text_grows", {"limit": MOST_MADE})
    assert cutter.cut("a", 10).ids == (0,)  # nothing of it grows


def test_a_single_step_that_makes_too_much_is_not_run() -> None:
    growth = Growth(made(normalizer=normalizers.Replace("e", "e" * 2**22)).backend_tokenizer)
    with pytest.raises(InvalidInput, match="more than 1048576 characters"):
        growth.require("e" * 10)


def test_bytes_of_bytes_count_as_well() -> None:
    steps = pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(add_prefix_space=False)] * 12)
    with pytest.raises(InvalidInput):
        Growth(made(pre_tokenizer=steps).backend_tokenizer).require("고" * 1000)


def test_a_pattern_that_takes_for_ever_is_a_sentence() -> None:
    cutter = Cutter(made(normalizer=normalizers.Replace(Regex("(x+x+)+y"), "z")))
    with pytest.raises(InvalidInput) as caught:
        cutter.cut("x" * 60, 10)
    assert caught.value.code == "text_not_cut"


REFUSED = {
    "decodes": {"decoder": decoders.Sequence([decoders.Replace("e", "e" * 30)] * 9)},
    "repeats": {"post_processor": processors.TemplateProcessing(single=" ".join(["$A"] * 65), special_tokens=[])},
    "adds": {"post_processor": processors.TemplateProcessing(single="[X] " * 80 + "$A", special_tokens=[("[X]", 0)])},
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_a_tokenizer_may_not_do(kind: str) -> None:
    refusal = InvalidInput("model_tokenizer", "no")
    with pytest.raises(InvalidInput, match="no"):
        require_known(made(**REFUSED[kind]), refusal)
    require_known(made(normalizer=BOMB), refusal)  # it is bounded text by text


def test_a_step_of_python_has_no_bound_of_ours_and_is_refused_of_a_stranger() -> None:
    class Own:
        def normalize(self, text: Any) -> None:
            text.lowercase()

    own = made(normalizer=normalizers.Normalizer.custom(Own()))
    Growth(own.backend_tokenizer).require("A" * 1000)
    with pytest.raises(InvalidInput):
        require_known(own, InvalidInput("model_tokenizer", "no"))


USUAL = {
    "BERT": {"normalizer": normalizers.BertNormalizer(), "pre_tokenizer": pre_tokenizers.BertPreTokenizer(),
             "decoder": decoders.WordPiece()},
    "GPT-2": {"pre_tokenizer": pre_tokenizers.ByteLevel(), "decoder": decoders.ByteLevel(),
              "post_processor": processors.ByteLevel()},
    "Llama": {"normalizer": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
              "decoder": decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                            decoders.Strip(" ", 1, 0)])},
    "ALBERT": {"normalizer": normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Replace(Regex(" {2,}"), " ")]), "pre_tokenizer": pre_tokenizers.Metaspace(),
        "decoder": decoders.Metaspace()},
}  # fmt: skip


@pytest.mark.parametrize("kind", USUAL)
def test_usual_tokenizers_read_a_long_text(kind: str) -> None:
    tokenizer = made(**USUAL[kind])
    require_known(tokenizer, InvalidInput("model_tokenizer", "no"))
    Growth(tokenizer.backend_tokenizer).require("Die Schlüssel 고양이 \ufdfa " * 800)
