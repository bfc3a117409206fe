"""What models say: what their own layers of words and classes make, before and after a change, in every family."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor

from attention_core.learned import (
    Given,
    Likeness,
    Picture,
    Said,
    SayingModel,
    attention_moved,
    divergence,
    head_costs,
    shipped_model,
)
from attention_core.models import Factor, FolderModel, Hide, ModelFolder, Mute, Normalise, Uniform, text_model
from attention_core.models.last_states import LastStates
from tests.attention_core.models import small_folders, small_pictured, small_pictures
from tests.attention_core.models.small_pictured import coloured

pytestmark = pytest.mark.slow

TEXT = "the cat sees the dog"
NEXT = ("gpt2", "llama", "gptj")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in (*NEXT, "roberta", "t5", "bart"):
        small_folders.write(root, name)
    small_folders.write(root, "bert", tokenizer=small_folders.word_pieces())
    small_pictures.write(root, "vit")
    small_pictures.write(root, "deit")
    small_pictured.write(root, "llava")
    small_pictured.write(root, "qwen2_vl")
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


@cache
def own(folder: ModelFolder, name: str) -> Any:
    return small_folders.reloaded(folder.path / name)


def logs(logits: Tensor) -> Tensor:
    return logits.detach().log_softmax(-1)


def said(model: SayingModel, given: Given, **more: Any) -> Said:
    found = model.says(given, **more)
    assert isinstance(found, Said)
    return found


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", NEXT)
def test_a_decoder_says_the_token_after_each(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), Given(TEXT)
    found, ids = said(model, given), model.run(given).ids
    with torch.no_grad():
        expected = logs(own(folder, name)(input_ids=torch.tensor([ids])).logits[0])
    torch.testing.assert_close(found.logs, expected, atol=1e-5, rtol=1e-5)
    assert found.kind == "next"
    assert found.truth == (*ids[1:], -1)
    assert model.outcomes == expected.shape[-1]
    text = sum(float(expected[row, ids[row + 1]]) for row in range(len(ids) - 1))
    assert found.text_log == pytest.approx(text, rel=1e-5)


def test_an_encoder_fills_in_the_word_that_is_masked(folder: ModelFolder) -> None:
    model, given = loaded(folder, "bert"), Given(TEXT)
    ids = list(model.run(given).ids)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder.path / "bert")
    for at in (1, 3):
        found = said(model, given, at=at)
        masked = [tokenizer.mask_token_id if place == at else one for place, one in enumerate(ids)]
        with torch.no_grad():
            expected = logs(own(folder, "bert")(input_ids=torch.tensor([masked])).logits[0, at : at + 1])
        torch.testing.assert_close(found.logs, expected, atol=1e-5, rtol=1e-5)
        assert (found.kind, found.places, found.truth) == ("masked", (at,), (ids[at],))


@pytest.mark.parametrize("name", NEXT)
def test_what_is_said_right_after_a_run_needs_no_second_one(folder: ModelFolder, name: str) -> None:
    model, text = loaded(folder, name), f"{TEXT} the dog"
    runs: list[Any] = []
    hook = model.model.base_model.register_forward_pre_hook(lambda *_: runs.append(1))
    try:
        for changes in ([], [Mute(0, 0)], [Uniform(1, 2)]):
            alone = model.says(text, changes=changes)
            assert len(runs) == 1
            model.run(text, changes=changes)
            again = model.says(text, changes=changes)
            assert len(runs) == 2
            assert isinstance(alone, Said)
            assert isinstance(again, Said)
            assert torch.equal(again.logs, alone.logs)
            assert (again.truth, again.places) == (alone.truth, alone.places)
            runs.clear()
    finally:
        hook.remove()


def test_states_of_a_few_runs_are_kept_and_large_ones_of_fewer() -> None:
    small, large, few = LastStates(), LastStates(), LastStates()
    for at in range(17):
        assert at < 2 or small.of(0) is not None
        small.keep(at, torch.zeros(1, 2, 3), 16)
        few.keep(at, torch.zeros(1, 2, 3))
        large.keep(at, torch.zeros(1, 2, 2**20))  # 8 MiB
    assert [at for at in range(17) if small.of(at) is not None] == [0, *range(2, 17)]
    assert [at for at in range(17) if few.of(at) is not None] == [*range(9, 17)]
    assert [at for at in range(17) if large.of(at) is not None] == [15, 16]


def test_a_sentence_that_was_read_is_not_read_again(folder: ModelFolder) -> None:
    model, first, second = loaded(folder, "roberta"), "The dog sees the cat.", "The cat sees"
    runs: list[Any] = []
    hook = model.model.base_model.register_forward_pre_hook(lambda *_: runs.append(1))
    try:
        for changes, text, expected in (
            ([], f"{first} {second}", 3),
            ([], f"{first} {second} a", 2),
            ([], first, 1),
            ([Mute(0, 0)], f"{first} {second}", 3),
            ([Hide(2)], f"{first} {second} a", 1),
        ):
            model.run(text, changes=changes)
            found = model.says(text, changes=changes)
            assert len(runs) == expected
            assert isinstance(found, Likeness)
            assert len(found.sentences) == found.vectors.shape[0] == (1 if text == first else 2)
            runs.clear()
    finally:
        hook.remove()


def test_a_family_that_scales_what_its_words_make_is_run_again() -> None:
    config = hf.CohereConfig(
        vocab_size=300, hidden_size=24, intermediate_size=32, num_hidden_layers=2, num_attention_heads=3,
        num_key_value_heads=3, logit_scale=0.25, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(0)
    bare = hf.CohereForCausalLM(config).eval()
    model = text_model(bare, small_folders.byte_level())
    run, found = model.run(TEXT), model.says(TEXT)
    assert isinstance(found, Said)
    with torch.no_grad():
        expected = logs(bare(torch.tensor([run.ids])).logits[0])
    torch.testing.assert_close(found.logs, expected, atol=1e-5, rtol=1e-5)


def test_an_encoder_without_words_says_how_like_sentences_are(folder: ModelFolder) -> None:
    model = loaded(folder, "roberta")
    found = model.says(Given("The cat sees. The dog sees!\nthe cat sees the dog"))
    assert isinstance(found, Likeness)
    assert found.sentences == ("The cat sees.", "The dog sees!", "the cat sees the dog")
    states = []
    for sentence in found.sentences:
        ids = torch.tensor([model.run(sentence).ids])
        with torch.no_grad():
            states.append(own(folder, "roberta")(input_ids=ids).last_hidden_state[0].mean(0))
    for one in range(3):
        for other in range(3):
            expected = torch.nn.functional.cosine_similarity(states[one], states[other], dim=0)
            assert float(found.cosines[one, other]) == pytest.approx(float(expected), abs=1e-5)
    changed = model.says(Given("The cat sees. The dog sees!"), changes=[Mute(0, 0)])
    assert isinstance(changed, Likeness)
    assert not torch.allclose(changed.vectors[:2], found.vectors[:2])


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", ["t5", "bart"])
def test_a_translation_model_says_the_token_after_each_of_its_target(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), Given(TEXT, "the dog")
    found, run = said(model, given), model.run(given)
    source, target = (torch.tensor([line.ids]) for line in run.lines)
    with torch.no_grad():
        expected = logs(own(folder, name)(input_ids=source, decoder_input_ids=target).logits[0])
    torch.testing.assert_close(found.logs, expected, atol=1e-5, rtol=1e-5)
    assert found.line == 1
    for layer in range(len(run.layers)):  # the numbers are those of the run, which lists layers in another order
        assert float(divergence(found, said(model, given, changes=[Mute(layer, 0)])).max()) > 0
        changed = model.run(given, changes=[Mute(layer, 0)])
        silent = [float(one.weights[0].abs().sum()) == 0 for one in changed.layers]
        assert silent == [at == layer for at in range(len(run.layers))]


def test_a_vision_model_says_its_classes_and_one_without_says_nothing(folder: ModelFolder) -> None:
    model, given = loaded(folder, "vit"), Given(pictures=(Picture("one", coloured(20, 20)),))
    found = said(model, given)
    assert found.kind == "classes"
    assert found.name(1) == "LABEL_1"
    assert found.logs.shape == (1, 2)
    assert float(found.logs.exp().sum()) == pytest.approx(1)
    assert float(divergence(found, said(model, given, changes=[Mute(1, 2)]))) > 0
    bare = loaded(folder, "deit")
    assert bare.says(given) is None
    assert bare.outcomes == 0


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", ["llava", "qwen2_vl"])
def test_a_text_with_a_picture_is_said_on_as_the_whole_model_does(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    size = {"llava": (20, 32), "qwen2_vl": (40, 64)}[name]
    given = Given("what says the cat", "the dog", (Picture("one", coloured(*size)),))
    found, run = said(model, given), model.run(given)
    assert len(found.places) == len(run.tokens)
    alone = said(model, Given(TEXT))
    ids = model.run(Given(TEXT)).ids
    with torch.no_grad():
        expected = logs(own(folder, name)(input_ids=torch.tensor([ids])).logits[0])
    torch.testing.assert_close(alone.logs, expected, atol=1e-4, rtol=1e-4)
    changed = said(model, given, changes=[Uniform(1, 0)])
    assert float(divergence(found, changed).max()) > 0


def test_distances_are_those_of_loops() -> None:
    model, text = shipped_model("headlight"), "Anna Miller sees Ben Taylor . Ben"
    assert isinstance(model, SayingModel)
    changes = [Mute(0, 0), Factor(1.5, layers=[1]), Normalise("sink", 1.0, layers=[1], heads=[3])]
    before, after = said(model, Given(text)), said(model, Given(text), changes=changes)
    for row, found in enumerate(divergence(before, after).tolist()):
        p, q = before.logs[row].double(), after.logs[row].double()
        assert found == pytest.approx(sum(math.exp(a) * float(a - b) for a, b in zip(p, q, strict=True)), abs=1e-9)
    then, now = model.run(text), model.run(text, changes=changes)
    moved = attention_moved(then, now)
    assert math.isnan(float(moved[0, 0]))
    n = len(then.tokens)
    for layer, head in ((0, 1), (1, 0), (1, 3)):
        rows = []
        for row in range(n):
            pairs = zip(then.layers[layer].weights[head, row], now.layers[layer].weights[head, row], strict=True)
            apart = sum(abs(float(a) - float(b)) for a, b in pairs)
            sink = now.layers[layer].sink
            rows.append((apart + (0.0 if sink is None else float(sink[head, row]))) / 2)
        assert float(moved[layer, head]) == pytest.approx(sum(rows) / n, abs=1e-6)


def test_the_largest_outcomes_hold_what_came() -> None:
    model, text = shipped_model("headlight"), "Anna Miller sees Ben Taylor . Ben sees"
    assert isinstance(model, SayingModel)
    before, after = (said(model, Given(text), changes=changes) for changes in ((), [Mute(0, 0), Mute(1, 0)]))
    for row, true in enumerate(after.truth):
        found = after.first(before, row)
        assert len(found) == 5
        most = [max(one.before, one.after) for one in found]
        assert most == sorted(most, reverse=True)
        assert int(before.logs[row].argmax()) in {one.number for one in found}
        assert true < 0 or true in {one.number for one in found}
        for one in found:
            assert one.before == float(before.logs[row, one.number])
    assert said(model, Given(text), changes=[]).at(3) == 3


def test_sentences_beyond_what_a_model_reads_are_left_out(folder: ModelFolder) -> None:
    model = loaded(folder, "roberta")
    long = "the cat " * model.most_tokens + "."
    found = model.says(Given(f"The cat sees. {long} The dog sees."))
    assert isinstance(found, Likeness)
    assert found.sentences == ("The cat sees.",)
    assert model.says(Given(long)) is None
    assert model.says(Given("The cat sees. The dog sees."), most=3) is None


def test_a_model_whose_layer_of_words_is_lacking_says_nothing(folder: ModelFolder) -> None:
    path: Path = folder.path / "llama"
    model = hf.LlamaForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    made = text_model(model, hf.AutoTokenizer.from_pretrained(path))
    assert isinstance(made.says(TEXT), Said)
    with torch.no_grad():
        model.lm_head.weight[7].fill_(torch.nan)
    assert made.says(TEXT) is None
    assert head_costs(made, TEXT) is None
    assert made.run(TEXT).layers
