"""What each head costs is what muting it alone makes of what the model says, in every family."""

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import torch

from attention_core import Cancelled, stopping
from attention_core.changes import Changing, MuteEach
from attention_core.learned import Given, Picture, Said, SayingModel, divergence, each_muted, head_costs, shipped_model
from attention_core.models import Factor, FolderModel, Hide, ModelFolder, Mute
from tests.attention_core.models import small_folders, small_pictured, small_pictures
from tests.attention_core.models.small_pictured import coloured

pytestmark = pytest.mark.slow

TEXT = "the cat sees the dog"
PICTURE = Picture("one", coloured(20, 20))
GIVEN = {
    "llama": Given(TEXT), "gpt2": Given(TEXT), "bert": Given(TEXT), "t5": Given(TEXT, "the dog"),
    "vit": Given(pictures=(PICTURE,)), "llava": Given("what says the cat", "the dog", (PICTURE,)),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in ("llama", "gpt2", "t5", "roberta"):
        small_folders.write(root, name)
    small_folders.write(root, "bert", tokenizer=small_folders.word_pieces())
    small_pictures.write(root, "vit")
    small_pictured.write(root, "llava")
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


def one_by_one(model: SayingModel, given: Given, changes: Sequence[Any], **more: Any) -> list[float]:
    """Return the cost of each head by a run without it, with the equations written out."""
    before = model.says(given, changes=changes, **more)
    assert isinstance(before, Said)
    found = []
    for layer, one in enumerate(model.run(given).layers):
        for head in range(one.weights.shape[-3]):
            after = model.says(given, changes=[*changes, Mute(layer, head)], **more)
            assert isinstance(after, Said)
            if before.kind == "next":
                lost = [
                    float(before.logs[row, true]) - float(after.logs[row, true])
                    for row, true in enumerate(before.truth)
                    if true >= 0
                ]
                found.append(sum(lost))
            else:
                found.append(float(divergence(before, after).sum()))
    return found


@pytest.mark.night(but=1)
@pytest.mark.parametrize("changes", [[], [Factor(2.0), Mute(1, 0)]], ids=["alone", "beside"])
@pytest.mark.parametrize("name", GIVEN)
def test_costs_are_those_of_each_head_muted_alone(folder: ModelFolder, name: str, changes: list[Any]) -> None:
    model, given = loaded(folder, name), GIVEN[name]
    expected = one_by_one(model, given, changes)
    found = head_costs(model, given, changes=changes)
    assert found is not None
    assert found.nats.tolist() == pytest.approx(expected, abs=1e-4)
    assert max(map(abs, expected)) > 1e-3  # heads of a random model matter too
    assert found.of_text == (name not in ("bert", "vit"))
    if changes:
        assert float(found.nats[found.heads.index((1, 0))]) == pytest.approx(0, abs=1e-4)


def test_the_masked_word_is_that_of_the_chosen_position(folder: ModelFolder) -> None:
    model, given = loaded(folder, "bert"), GIVEN["bert"]
    found = {}
    for at in (1, 3):
        costs = head_costs(model, given, at=at)
        assert costs is not None
        found[at] = costs.nats.tolist()
        assert found[at] == pytest.approx(one_by_one(model, given, [], at=at), abs=1e-4)
    assert found[1] != pytest.approx(found[3], abs=1e-3)


@pytest.mark.parametrize("name", ["headlight", "headlight-one-layer"])
@pytest.mark.parametrize("changes", [[], [Factor(0.5), Hide(2)]], ids=["alone", "beside"])
def test_costs_of_the_shipped_models(name: str, changes: list[Any]) -> None:
    model, given = shipped_model(name), Given("Anna Miller sees Ben Taylor . Ben Taylor sees Anna Miller")
    assert isinstance(model, SayingModel)
    found = head_costs(model, given, changes=changes)
    assert found is not None
    assert found.heads == tuple((layer, head) for layer in range(model.layers) for head in range(4))
    assert found.nats.tolist() == pytest.approx(one_by_one(model, given, changes), abs=1e-4)
    some = head_costs(model, given, changes=changes, heads=[(0, 2), (0, 1)])
    assert some is not None
    assert some.nats.tolist() == pytest.approx([float(found.nats[2]), float(found.nats[1])], abs=1e-5)


def test_a_model_that_says_no_distribution_has_no_costs(folder: ModelFolder) -> None:
    assert head_costs(loaded(folder, "roberta"), "The cat sees. The dog sees!") is None


def test_batches_are_bounded_tell_their_progress_and_can_be_cancelled(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, given = loaded(folder, "llama"), GIVEN["llama"]
    whole = head_costs(model, given)
    assert whole is not None
    monkeypatch.setattr(each_muted, "MOST_BYTES", 5 * each_muted.sequence_bytes(model, model.positions(given)))
    sizes: list[int] = []
    own = FolderModel.says_without_each

    def counted(self: FolderModel, heads: Any, *more: Any) -> Any:
        sizes.append(len(heads))
        return own(self, heads, *more)

    monkeypatch.setattr(FolderModel, "says_without_each", counted)
    told: list[float] = []
    found = head_costs(model, given, progress=told.append)
    assert found is not None
    assert sizes == [5, 5, 2]
    assert told == pytest.approx([5 / 12, 10 / 12, 1])
    assert found.nats.tolist() == pytest.approx(whole.nats.tolist(), abs=1e-5)
    left = threading.Event()

    def leave(done: float) -> None:
        left.set()

    sizes.clear()
    with stopping(left.is_set), pytest.raises(Cancelled):
        head_costs(model, given, progress=leave)
    assert sizes == [5]


def test_a_layer_of_windows_mutes_all_windows_of_its_sequence() -> None:
    """Its batch is sequences × windows, the windows of a sequence beside each other."""
    changes = Changing([MuteEach(((0, 1), (1, 0), (0, 0)))]).of(0, 2, 4, lined=True)
    assert changes is not None
    weights = torch.full((6, 2, 4, 4), 0.25)
    found = changes.weights(torch.zeros(6, 2, 4, 4), weights, torch.ones(6, 2, 4, 4, dtype=torch.bool))
    silent = (found == 0).all(-1).all(-1).tolist()
    assert silent == [[False, True]] * 2 + [[False, False]] * 2 + [[True, False]] * 2
