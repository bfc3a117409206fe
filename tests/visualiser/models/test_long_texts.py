"""What reading a long text takes, against counts of its own; a read layer is kept within a bound and is the model's."""

from collections.abc import Iterator

import pytest
import torch
import transformers as hf

from attention_core import AttentionConfig, InvalidInput
from attention_core.learned import LongModel, layer_inputs
from attention_core.models import FolderModel
from attention_core.studies.tensor_memory import TensorMemory
from tests.attention_core.models.small_folders import write
from tests.attention_core.models.small_models import built
from tests.offline import offline
from visualiser import models
from visualiser.models import folder, listing, long_texts

pytestmark = [pytest.mark.slow, pytest.mark.night]

CONTEXT = 1100
TEXT = " ".join(["Anna", "sees", "Ben", "."][place % 4] for place in range(900))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[folder.LoadedModels]:
    root = tmp_path_factory.mktemp("models")
    with offline():
        write(
            root,
            "gpt2",
            built(
                hf.GPT2LMHeadModel,
                hf.GPT2Config(
                    vocab_size=320, n_embd=96, n_layer=3, n_head=3, n_positions=CONTEXT, bos_token_id=0, eos_token_id=0
                ),
            ),
        )
        write(root, "t5")
        found = folder.LoadedModels(root, 2**30, 2**30)
        for name in ("gpt2", "t5"):
            found.load(name, lambda done: None)
        yield found


@pytest.fixture(autouse=True)
def _folder(loaded: folder.LoadedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "FOLDER", loaded)
    long_texts._KEPT.clear()


def model() -> FolderModel:
    found = models.long_model("gpt2")
    assert found is not None
    return found


def config(layer: int = 2, text: str = TEXT) -> AttentionConfig:
    return AttentionConfig(source="model", model="gpt2", layer=layer, text=text)


@pytest.mark.night
def test_a_model_reads_as_far_as_its_table_of_positions_goes() -> None:
    assert isinstance(model(), LongModel)
    assert (model().context, model().most_tokens) == (CONTEXT, 512)
    assert model().square == 0
    assert models.long_model("t5") is None  # declares no more than it reads at once
    assert models.long_model("headlight") is None
    assert models.long_model("nothing") is None
    assert len(model().read_long(TEXT * 3, [1]).ids) == CONTEXT
    with pytest.raises(InvalidInput, match=r"layer must be between 1 and 3; got 4\."):
        model().read_long(TEXT, [4])


@pytest.mark.night
@pytest.mark.parametrize("n", [200, 701, CONTEXT])
def test_the_price_is_not_below_what_is_counted(n: int) -> None:
    with TensorMemory() as memory:
        model().read_long(TEXT * 3, [2], tensors=True, most=n)
    of_layer = long_texts.work(model(), n, 2, 1, 1)
    assert memory.peak <= of_layer.memory <= memory.peak + 2**26
    assert of_layer.multiply_adds < model().multiply_adds(n)
    with TensorMemory() as memory:
        model().read_long(TEXT * 3, measured=True, most=n)
    of_heads = long_texts.work(model(), n, 3, 3)
    assert memory.peak <= of_heads.memory <= memory.peak + 2**26
    assert of_heads.seconds > of_layer.seconds


@pytest.mark.night
def test_the_longest_text_is_the_last_that_fits() -> None:
    for memory in (2**23, 2**26, 2**30):
        n = long_texts.longest(model(), 16_384, memory, 1e6, 3, 3)
        assert n == CONTEXT or long_texts.work(model(), n + 1, 3, 3).memory > memory
        assert n == 1 or long_texts.work(model(), n, 3, 3).memory <= memory
    assert long_texts.longest(model(), 700, 2**30, 1e6, 3, 3) == 700
    slow = long_texts.longest(model(), 16_384, 2**30, 0.1, 3, 3)
    assert 1 < slow < CONTEXT
    assert long_texts.work(model(), slow + 1, 3, 3).seconds > 0.1


def test_a_layer_is_read_once_and_is_that_of_a_short_run() -> None:
    n, told = 300, list[float]()
    assert long_texts.layer_read(config(), n) is None
    found = models.read_layer(config(), n, told.append)
    assert long_texts.layer_read(config(), n) is found
    assert long_texts.layer_read(config(layer=1), n) is None
    assert long_texts.layer_read(config(), n - 1) is None
    assert found.cut
    assert (found.heads, told[-1]) == (3, 1.0)
    right = layer_inputs(model().run(TEXT, n), 2)
    assert found.inputs.tokens == right.tokens
    assert found.inputs.trained == right.trained
    for name in "QKV":
        torch.testing.assert_close(getattr(found.inputs, name), getattr(right, name), rtol=1e-3, atol=1e-4)


def test_layers_that_are_kept_stay_within_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    size = models.read_layer(config(), 100, lambda done: None).bytes
    monkeypatch.setattr(long_texts, "MOST_BYTES", 2 * size)
    for layer in (1, 2, 3):
        models.read_layer(config(layer), 100, lambda done: None)
    assert [key[1] for key in long_texts._KEPT] == [2, 3]
    monkeypatch.setattr(long_texts, "MOST_BYTES", size - 1)
    models.read_layer(config(1), 100, lambda done: None)
    assert not long_texts._KEPT


def test_the_tokens_of_a_whole_text_are_counted() -> None:
    n = model().tokens(TEXT * 3, 10**6)
    assert long_texts.whole(config(text=TEXT * 3)) == n > CONTEXT
    assert long_texts.whole(AttentionConfig(source="model", model="headlight", text="Anna sees Ben")) == 4
