"""Encoders with their decoders: the three kinds of layers, a target that is given, and one that the model writes."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch.utils.flop_counter import FlopCounterMode

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.learned import Given, LearnedModel, ModelRun
from attention_core.models import FolderModel, ModelFolder
from attention_core.models.readers.translations import TranslationReader
from attention_core.models.writing import MOST_WRITTEN, known_start, write
from attention_core.models.writing_rules import UNKNOWN, WritingRules
from tests.attention_core.models import small_folders
from tests.attention_core.models.small_folders import CONTEXT, PAIRS

pytestmark = pytest.mark.slow

SOURCE, TARGET = "The keys to the cabinet are old.", "the cat sees 고양이"
LAYERS = {"t5": (2, 2, 2), "bart": (2, 3, 3), "mbart": (2, 3, 3), "marian": (2, 3, 3)}
"""Layers of the encoder, the decoder and between them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in PAIRS:
        small_folders.write(root, name)
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


@cache
def own(folder: ModelFolder, name: str) -> Any:
    return small_folders.reloaded(folder.path / name)


def reader(model: FolderModel) -> TranslationReader:
    assert isinstance(model.reader, TranslationReader)
    return model.reader


def require_own_weights(model: Any, run: ModelRun) -> None:
    """Require the run's weights to be those that the model returns when it is asked for them."""
    source, target = (torch.tensor([line.ids]) for line in run.lines)
    with torch.no_grad():
        made = model(input_ids=source, decoder_input_ids=target, output_attentions=True)
    expected = [*made.encoder_attentions, *made.decoder_attentions, *made.cross_attentions]
    assert len(expected) == len(run.layers)
    assert all(torch.equal(one[0], layer.weights) for one, layer in zip(expected, run.layers, strict=True))


@pytest.mark.night(but=2)
@pytest.mark.parametrize("target", ["", TARGET])
@pytest.mark.parametrize("name", PAIRS)
def test_weights_of_all_three_kinds_are_the_model_s_own(folder: ModelFolder, name: str, target: str) -> None:
    run = loaded(folder, name).run(Given(SOURCE, target))
    encoder, decoder, cross = LAYERS[name]
    assert run.between == ((0, 0),) * encoder + ((1, 1),) * decoder + ((1, 0),) * cross
    assert run.parts == (
        ("encoder", 1, encoder), ("decoder", encoder + 1, decoder), ("cross", encoder + decoder + 1, cross)
    )  # fmt: skip
    assert run.part(encoder + decoder + cross) == ("cross", cross)
    assert [layer.kind for layer in run.layers] == ["self"] * (encoder + decoder) + ["cross"] * cross
    assert [line.name for line in run.lines] == ["source", "target"]
    require_own_weights(own(folder, name), run)


@pytest.mark.night(but=1)
@pytest.mark.parametrize("text", [SOURCE, "cat", "고양이와 강아지", "a . a . a . a ."])
@pytest.mark.parametrize("name", PAIRS)
def test_a_target_that_nobody_gives_is_what_generate_writes(folder: ModelFolder, name: str, text: str) -> None:
    run = loaded(folder, name).run(Given(text))
    source, target = run.lines
    most = min(MOST_WRITTEN, loaded(folder, name).most_tokens)
    given = {"num_beams": 1, "do_sample": False, "max_length": most}
    written = own(folder, name).generate(torch.tensor([source.ids]), **given)[0].tolist()
    ended = written[-1] in reader(loaded(folder, name)).sides.rules.ends and len(written) < most
    assert target.cut == (not ended)
    assert len(target.ids) == (len(written) - 1 if ended else most)
    assert list(target.ids[: most - 1]) == written[:-1]  # BART is made to end at the longest


def test_a_text_ends_where_the_model_ends_it(tmp_path: Path) -> None:
    """A model whose output layer prefers one token to all others writes it until it is the one that ends."""
    model = PAIRS["bart"]()
    small_folders.write(tmp_path, "m", model)
    first = ModelFolder(tmp_path).load("m").run(Given(SOURCE)).lines[1].ids[2]
    settings = json.loads((tmp_path / "m" / "generation_config.json").read_text())
    (tmp_path / "m" / "generation_config.json").write_text(json.dumps(settings | {"eos_token_id": [7, first]}))
    model = ModelFolder(tmp_path).load("m")
    target = model.run(Given(SOURCE)).lines[1]
    assert first not in target.ids
    assert not target.cut
    assert target.end == reader(model).sides.cutter.of_ids([first]).tokens[0]
    last = len(target) - 1
    assert target.after(last) == target.end  # the row that wrote the end
    given = model.run(Given(SOURCE, TARGET)).lines[1]
    assert (given.after(1), given.after(len(given) - 1)) == (given.tokens[2], "")


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", PAIRS)
def test_a_given_target_begins_as_the_decoder_does_and_is_not_ended(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    target = model.run(Given(SOURCE, TARGET)).lines[1]
    start = own(folder, name).generation_config.decoder_start_token_id
    settings = json.loads((folder.path / name / "generation_config.json").read_text())
    before = (start, *filter(None, (settings.get("forced_bos_token_id"),)))
    assert len(before) == (2 if name == "mbart" else 1)
    if name == "marian":  # transformers has its tokenizer with another package alone
        words = reader(model).sides.cutter.cut(TARGET, 99).ids[:-1]
    else:
        tokenizer = hf.AutoTokenizer.from_pretrained(folder.path / name)
        words = tokenizer(TARGET, add_special_tokens=False)["input_ids"]
    assert target.ids == (*before, *words)
    assert target.forms[len(before) :] == reader(model).sides.cutter.names.forms(words)
    assert [stood for stood in target.stands if stood] == (["고양이"] if name == "marian" else [])
    assert not target.cut
    short = model.run(Given(SOURCE, TARGET), 4)
    assert short.lines[1].ids == target.ids[:4]
    assert short.cut


def rules_of(tmp_path: Path, **settings: Any) -> WritingRules:
    small_folders.write(tmp_path, "bart")
    path = tmp_path / "bart" / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    return reader(ModelFolder(tmp_path).load("bart")).sides.rules


def test_rules_of_writing_are_read_and_nothing_else_is_taken_for_one(tmp_path: Path) -> None:
    found = rules_of(
        tmp_path,
        decoder_start_token_id=11, forced_bos_token_id=12, eos_token_id=[2, 3], suppress_tokens=[5, "x", -1, True],
        begin_suppress_tokens=[6], bad_words_ids=[[7], [8, 9]], lang_to_id={"<|en|>": 13}, no_timestamps_token_id=None,
    )  # fmt: skip
    assert found == WritingRules((11, 12), frozenset({2, 3}), frozenset({5, 7}), frozenset({6}), frozenset({13}))


def test_a_language_that_is_not_said_is_found_before_what_follows_it(tmp_path: Path) -> None:
    found = rules_of(
        tmp_path,
        decoder_start_token_id=11, forced_decoder_ids=[[1, None], [2, 14]], no_timestamps_token_id=15,
        lang_to_id={"<|en|>": 21, "<|ko|>": 22, "<|xx|>": 10**8},
    )  # fmt: skip
    assert found.start == (11, UNKNOWN, 14, 15)
    model = ModelFolder(tmp_path).load("bart")
    target = model.run(Given(SOURCE, TARGET)).lines[1]
    assert target.ids[0] == 11
    assert target.ids[1] in (21, 22)
    assert target.ids[2:4] == (14, 15)
    assert model.run(Given(SOURCE)).lines[1].ids[:4] == target.ids[:4]
    inner = reader(model).sides.loaded.model
    source = {"input_ids": torch.tensor([[5, 6, 7]])}
    with torch.no_grad():
        logits = inner(**source, decoder_input_ids=torch.tensor([[11]])).logits[0, -1]
    assert known_start(inner, source, found)[1] == (21 if logits[21] >= logits[22] else 22)


def test_what_is_suppressed_is_never_written(folder: ModelFolder) -> None:
    model, rules = own(folder, "bart"), WritingRules((2,))
    source = {"input_ids": torch.tensor([[5, 6, 7, 8]])}
    free, _ = write(model, source, rules)
    banned, _ = write(model, source, replace(rules, banned=frozenset(free[1:])))
    assert not set(banned[1:]) & set(free[1:])
    first, _ = write(model, source, replace(rules, banned_first=frozenset({free[1]})))
    assert first[1] != free[1]


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", PAIRS)
def test_sizes_and_prices_hold_for_any_source_and_target(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    assert isinstance(model, LearnedModel)
    assert model.takes == {"text", "target"}
    assert (model.layers, model.h, model.d_k) == (sum(LAYERS[name]), 3, 8)
    assert model.most_tokens == (512 if name == "t5" else CONTEXT)
    for given in (Given("cat"), Given(SOURCE), Given(SOURCE, TARGET), Given("cat", "the cat " * 40)):
        with FlopCounterMode(display=False) as counted:
            run = model.run(given)
        assert max(map(len, run.lines)) <= model.positions(given)
        assert counted.get_total_flops() <= 2 * model.multiply_adds(model.positions(given))


def test_a_model_that_cannot_write_asks_for_a_target(tmp_path: Path) -> None:
    config = PAIRS["bart"]().config
    small_folders.write(tmp_path, "body", hf.BartModel(config))
    model = ModelFolder(tmp_path).load("body")
    with pytest.raises(
        InvalidInput, match=r"^The model body lacks the layer that writes; give it a target\.$"
    ) as caught:
        model.run(Given(SOURCE, "  "))
    assert caught.value.code == "target_empty"
    assert len(model.run(Given(SOURCE, TARGET)).layers) == 8


def test_an_encoder_by_itself_is_a_model_of_a_text(tmp_path: Path) -> None:
    small_folders.write(tmp_path, "encoder", hf.T5EncoderModel(PAIRS["t5"]().config))
    model = ModelFolder(tmp_path).load("encoder")
    assert model.takes == {"text"}
    assert model.run(SOURCE).parts == ()


def test_a_visitor_who_leaves_ends_the_writing(folder: ModelFolder) -> None:
    model, asked = loaded(folder, "t5"), 0

    def left() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    with stopping(left), pytest.raises(Cancelled):
        model.run(Given("Nobody has read this source before."))  # what was written is kept
    assert asked == 6
