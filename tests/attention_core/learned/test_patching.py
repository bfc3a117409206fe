"""What each head carries of a second text: the shipped model written out in float64, and hooks on small ones."""

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.changes import Factor, Hide, Mute, PatchEach, Replace
from attention_core.language import shipped
from attention_core.language.model import LanguageModel
from attention_core.language.words import WORDS, read
from attention_core.learned import Given, PatchingModel, each_muted, patched_heads, shipped_model
from attention_core.models import FolderModel, ModelFolder
from tests.attention_core.models import small_folders
from tests.references.changed_model import Changed, Patch, changed

A = "Anna Miller sees Ben Taylor . Ben Taylor sees Anna"
B = "Anna Taylor sees Ben Miller . Ben Miller sees Anna"
LAYERS = {"headlight": 2, "headlight-one-layer": 1}
BESIDE = [Factor(0.5), Hide(2), Replace(0, 1, 0, 2), Mute(0, 3)]


def shipped_patching(name: str) -> PatchingModel:
    model = shipped_model(name)
    assert isinstance(model, PatchingModel)
    return model


def written_out(name: str, changes: Sequence[Any], head: tuple[int, int], what: str, at: Sequence[int]) -> Changed:
    parameters = shipped(LAYERS[name]).model.parameters
    other = changed(parameters, read(B).ids, changes)
    return changed(parameters, read(A).ids, changes, Patch(*head, what, at, other))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("changes", [[], BESIDE], ids=["alone", "beside"])
@pytest.mark.parametrize("what", ["output", "weights"])
@pytest.mark.parametrize("at", [None, [9], [2, 5]], ids=["all", "one", "two"])
def test_a_patched_run_is_the_one_written_out(name: str, changes: list[Any], what: str, at: list[int] | None) -> None:
    heads = tuple((layer, head) for layer in range(LAYERS[name]) for head in range(4))
    own, other = (torch.tensor(read(one).ids) for one in (A, B))
    each = PatchEach(heads, what, None if at is None else tuple(at))
    single = shipped(LAYERS[name]).model
    double = LanguageModel({key: value.double() for key, value in single.parameters.items()})
    exact, rounded = (one.each_patched(own, other, each, changes).double().numpy() for one in (double, single))
    apart = []
    for place, head in enumerate(heads):
        expected = written_out(name, changes, head, what, range(len(own)) if at is None else at)
        largest = np.abs(expected.logits).max()
        assert np.abs(exact[place] - expected.logits).max() < 1e-9 * largest
        assert np.abs(rounded[place] - expected.logits).max() < 1e-4 * largest
        without = changed(single.parameters, read(A).ids, changes)
        apart.append(np.abs(expected.logits - without.logits).max())
    if not changes and (what == "output" or name == "headlight"):
        assert max(apart) > 1e-2


@pytest.mark.parametrize("what", ["output", "weights"])
def test_the_change_of_ln_p_of_the_answer(what: str) -> None:
    found = patched_heads(shipped_patching("headlight"), A, B, " Miller", what, [-1])
    number = WORDS.index("Miller")
    parameters = shipped(2).model.parameters
    own, other = (changed(parameters, read(one).ids).log_probabilities[-1, number] for one in (A, B))
    assert (found.answer, found.number) == ("Miller", number)
    assert found.log == pytest.approx(own, abs=1e-4)
    assert found.other_log == pytest.approx(other, abs=1e-4)
    for head, nats in zip(found.heads, found.nats.tolist(), strict=True):
        patched = written_out("headlight", [], head, what, [10]).log_probabilities[-1, number]
        assert nats == pytest.approx(patched - own, abs=1e-4)
    assert float(found.nats.abs().max()) > 1e-3  # ten times what it may be off


def test_a_text_patched_from_itself_stays() -> None:
    assert patched_heads(shipped_patching("headlight"), A, A, " Miller").nats.abs().max() < 1e-5


def test_texts_of_other_counts_are_refused_with_both_counts_and_the_place() -> None:
    with pytest.raises(InvalidInput) as problem:
        patched_heads(shipped_patching("headlight"), A, A.replace("Ben Taylor sees", "Ben sees"), " Miller")
    assert problem.value.code == "patch_counts"
    assert str(problem.value) == (
        "The text has 11 tokens and the second text 10; both must have as many. From token 8 on, counted from 0, the "
        "one has 'Taylor' where the other has ''."
    )


@pytest.mark.parametrize("answer", ["", "  "])
def test_an_answer_without_a_token_is_refused(answer: str) -> None:
    with pytest.raises(InvalidInput, match="begins no token of its own") as problem:
        patched_heads(shipped_patching("headlight"), A, B, answer)
    assert problem.value.code == "patch_answer"


def test_a_text_that_is_cut_is_refused() -> None:
    with pytest.raises(InvalidInput, match="only up to its token 5") as problem:
        patched_heads(shipped_patching("headlight"), A, B, " Miller", most=5)
    assert problem.value.code == "patch_cut"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in ("llama", "gpt2"):
        small_folders.write(root, name)
    small_folders.write(root, "bert", tokenizer=small_folders.word_pieces())
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


PROJECTIONS = {
    "llama": lambda model, layer: model.model.layers[layer].self_attn.o_proj,
    "gpt2": lambda model, layer: model.transformer.h[layer].attn.c_proj,
}


def by_hooks(model: FolderModel, texts: tuple[str, str], head: tuple[int, int], at: Sequence[int]) -> torch.Tensor:
    """Return the last logits in float64, the input of W_O taken from another run by a hook of torch."""
    whole = model.model
    own, other = (torch.tensor([model.run(one).ids]) for one in texts)
    layer, number = head
    projection = PROJECTIONS[model.name](whole, layer)
    kept: list[torch.Tensor] = []
    columns = slice(model.d_k * number, model.d_k * (number + 1))

    def replace(module: Any, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor]:
        found = given[0].clone()
        found[:, list(at), columns] = kept[0][:, list(at), columns]
        return (found,)

    whole.double()
    try:
        with torch.no_grad():
            with projection.register_forward_pre_hook(lambda module, given: kept.append(given[0].clone())):
                whole(other)
            with projection.register_forward_pre_hook(replace):
                return whole(own).logits[0, -1].log_softmax(-1)
    finally:
        whole.float()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("at", [None, [-1]], ids=["all", "last"])
def test_a_model_of_a_folder_is_patched_as_by_hooks_in_float64(
    folder: ModelFolder, name: str, at: list[int] | None
) -> None:
    model, texts = loaded(folder, name), ("the cat sees the dog", "the dog sees the cat")
    found = patched_heads(model, *texts, " the", positions=at)
    n = len(model.run(texts[0]).ids)
    expected = [
        float(by_hooks(model, texts, head, range(n) if at is None else [n - 1])[found.number]) - found.log
        for head in found.heads
    ]
    assert len(found.heads) == sum(one.weights.shape[-3] for one in model.run(texts[0]).layers)
    assert found.nats.tolist() == pytest.approx(expected, abs=1e-4)
    assert max(map(abs, expected)) > 1e-3


@pytest.mark.slow
def test_a_model_that_foretells_no_text_is_refused(folder: ModelFolder) -> None:
    with pytest.raises(InvalidInput, match="Choose a causal language model") as problem:
        patched_heads(loaded(folder, "bert"), "the cat", "the dog", "sees")
    assert problem.value.code == "patch_says_no_next"


@pytest.mark.slow
def test_batches_are_bounded_tell_their_progress_and_can_be_cancelled(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, texts = loaded(folder, "llama"), ("the cat sees the dog", "the dog sees the cat")
    whole = patched_heads(model, *texts, " the")
    n = model.positions(Given(texts[0]))
    monkeypatch.setattr(each_muted, "MOST_BYTES", 6 * each_muted.sequence_bytes(model, n))
    told: list[float] = []
    found = patched_heads(model, *texts, " the", progress=told.append)
    assert told == pytest.approx([5 / 12, 10 / 12, 1])
    assert found.nats.tolist() == pytest.approx(whole.nats.tolist(), abs=1e-5)
    left = threading.Event()
    told.clear()

    def leave(done: float) -> None:
        told.append(done)
        left.set()

    with stopping(left.is_set), pytest.raises(Cancelled):
        patched_heads(model, *texts, " the", progress=leave)
    assert told == pytest.approx([5 / 12])
