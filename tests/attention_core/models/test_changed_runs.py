"""Changes of the models of a folder: the layers and heads are those of the run, in the order in which it lists them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import torch
from torch import Tensor

from attention_core import InvalidInput
from attention_core.learned import Given, Picture, Sound
from attention_core.models import FolderModel, Hide, ModelFolder, Mute, Replace, Uniform
from tests.attention_core.models import small_folders, small_pictured, small_pictures
from tests.attention_core.models.small_pictured import coloured

pytestmark = pytest.mark.slow

TEXT: Final = "The keys to the cabinet are old."
TRANSLATION: Final = Given(TEXT, "the cat sees")
PICTURES: Final = Given(pictures=(Picture("drawn", coloured(20, 20)),))
GIVEN: Final = {
    "gpt2": Given(TEXT), "bert": Given(TEXT), "gptj": Given(TEXT), "t5": TRANSLATION, "bart": TRANSLATION,
    "whisper": Given(target="the cat sees", sound=Sound("made", torch.arange(8000).mul(0.1).sin(), 16_000)),
    "vit": PICTURES, "clip": PICTURES, "swin": PICTURES,
    "llava": Given("what says the cat", "a cat", (Picture("drawn", coloured(20, 32)),)),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in GIVEN:
        _writer(name)(root, name)
    return ModelFolder(root)


def _writer(name: str) -> Callable[[Path, str], Path]:
    if name == "whisper":
        return small_folders.write_whisper
    if name in small_pictures.VISION:
        return small_pictures.write
    return small_pictured.write if name in small_pictured.FAMILIES else small_folders.write


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


def last(weights: Tensor) -> Tensor:
    return weights[..., -1, :, :]


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", GIVEN)
def test_the_muted_head_is_the_one_of_that_layer_of_the_run(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), GIVEN[name]
    own = model.run(given)
    for at, layer in enumerate(own.layers):
        h = layer.weights.shape[-3]
        run = model.run(given, changes=[Mute(at, h - 1)])
        assert (run.ids, run.between) == (own.ids, own.between)
        assert [one.name for one in run.layers] == [one.name for one in own.layers]
        assert bool((last(run.layers[at].weights) == 0).all())
        assert torch.equal(run.layers[at].weights[..., : h - 1, :, :], layer.weights[..., : h - 1, :, :])
        assert run.layers[at].unnormalised == {h - 1}
        others = [one for number, one in enumerate(run.layers) if number != at]
        assert all(bool((last(one.weights).sum(-1) > 0.99).all()) for one in others)
        assert not any(one.unnormalised for one in others)
        if name not in ("t5", "bart", "whisper"):
            before = zip(run.layers[:at], own.layers[:at], strict=True)
            assert all(torch.equal(one.weights, other.weights) for one, other in before)


@pytest.mark.night(but=3)
@pytest.mark.parametrize("name", GIVEN)
def test_without_a_change_a_run_is_what_it_was(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), GIVEN[name]
    model.run(given, changes=[Uniform(0, 0)])
    own, found = model.run(given), model.run(given, changes=())
    assert all(torch.equal(one.weights, other.weights) for one, other in zip(own.layers, found.layers, strict=True))


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", ["t5", "bart", "whisper"])
def test_a_head_is_replaced_by_one_of_that_layer_of_the_run(folder: ModelFolder, name: str) -> None:
    """An encoder's layers come first, a decoder's own and those between take turns in the model and not in the run."""
    model, given = loaded(folder, name), GIVEN[name]
    own = model.run(given)
    for _, first, count in own.parts:
        at, by = first - 1, first + count - 2
        run = model.run(given, changes=[Replace(at, 0, by, 2)])
        assert torch.equal(run.layers[at].weights[0], own.layers[by].weights[2])
    parts = [first - 1 for _, first, _ in own.parts]
    with pytest.raises(InvalidInput) as caught:
        model.run(given, changes=[Replace(parts[0], 0, parts[1], 0)])
    assert caught.value.code == "change_shape"


@pytest.mark.parametrize("name", ["t5", "bart", "whisper"])
def test_a_key_is_hidden_in_the_chosen_layers_of_the_run(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), GIVEN[name]
    own = model.run(given)
    decoder = [first - 1 for part, first, _ in own.parts if part == "decoder"]
    run = model.run(given, changes=[Hide(1, layers=decoder)])
    for at, layer in enumerate(run.layers):
        assert bool((layer.weights[..., 1] == 0).all()) == (at in decoder)


@pytest.mark.night(but=3)
@pytest.mark.parametrize("name", GIVEN)
def test_a_layer_that_the_run_does_not_have_is_refused(folder: ModelFolder, name: str) -> None:
    model, given = loaded(folder, name), GIVEN[name]
    with pytest.raises(InvalidInput) as caught:
        model.run(given, changes=[Mute(len(model.run(given).layers), 0)])
    assert caught.value.code == "out_of_range"
