"""A model that several visitors share: each capture has its own layers, and nothing but the chosen ones is kept."""

import copy
import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor
from transformers.masking_utils import AttentionMaskInterface
from transformers.modeling_utils import AttentionInterface

from attention_core.models import Capture, CapturedLayer, capture
from attention_core.models.eager import recording
from attention_core.studies.tensor_memory import TensorMemory
from tests.attention_core.models.held import same
from tests.attention_core.models.small_models import READ, SEEN, text

pytestmark = pytest.mark.slow

TENSORS = ("Q", "K", "V", "scores", "weights", "sink", "sink_score")


def tensors(layer: CapturedLayer) -> list[Tensor]:
    return [one for one in (getattr(layer, name) for name in TENSORS) if one is not None]


def equal(one: Capture, other: Capture) -> bool:
    pairs = zip(one.layers, other.layers, strict=True)
    return one.names == other.names and all(
        torch.equal(a, b) for left, right in pairs for a, b in zip(tensors(left), tensors(right), strict=True)
    )


@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", ["gpt-oss", "GPT-J", "Llama, SDPA"])
def test_threads_that_capture_at_once_get_their_own_layers(family: str) -> None:
    """Nor does a thread that only runs the model notice: it keeps its kernel, and its numbers to the bit."""
    name, _, kernel = family.partition(", ")
    model, _ = {**READ, **SEEN}[name]()
    if kernel:
        model.set_attn_implementation("sdpa")
    texts = [text(n, seed=n) for n in (5, 7, 11)]
    alone = [capture(model, **one) for one in texts]
    assert not equal(alone[0], capture(model, **text(5, seed=99)))  # a mix-up would show
    with torch.no_grad():
        plain = model(**texts[0])
    assert same(plain, alone[0].output) == (not kernel)
    start = Barrier(4)

    def captured(one: dict[str, Any]) -> list[Capture]:
        start.wait()
        return [capture(model, **one) for _ in range(8)]

    def ran() -> list[Any]:
        start.wait()
        with torch.no_grad():
            return [model(**texts[0]) for _ in range(8)]

    with ThreadPoolExecutor(4) as threads:
        working = [threads.submit(captured, one) for one in texts]
        visitor = threads.submit(ran)
        for expected, found in zip(alone, working, strict=True):
            assert all(equal(one, expected) for one in found.result())
        assert all(same(one, plain) for one in visitor.result())


def test_the_model_is_left_as_it_was() -> None:
    model = hf.LlamaForCausalLM(READ["Llama"]()[0].config.__class__(**READ["Llama"]()[0].config.to_dict())).eval()
    model.set_attn_implementation("sdpa")
    before = copy.deepcopy(model.state_dict())
    doors = AttentionInterface.get_interface, AttentionMaskInterface.__getitem__
    capture(model, **text())
    assert model.config._attn_implementation == "sdpa"
    assert doors == (AttentionInterface.get_interface, AttentionMaskInterface.__getitem__)
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert recording.get() is None


def test_a_run_that_fails_leaves_nothing_behind() -> None:
    model, inputs = READ["BERT"]()
    with pytest.raises(IndexError):
        capture(model, input_ids=inputs["input_ids"] + 1000)
    assert recording.get() is None
    assert AttentionInterface.get_interface.__module__ == "transformers.modeling_utils"
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert len(capture(model, **inputs).layers) == 2


@pytest.mark.parametrize("family", ["BERT", "gpt-oss", "GPT-J", "BART"])
def test_chosen_layers_are_those_of_a_whole_capture(family: str) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    whole = capture(model, **inputs)
    for chosen in ([1], [1, 0], [], range(len(whole.names))):
        found = capture(model, layers=chosen, **inputs)
        assert [layer.index for layer in found.layers] == sorted(chosen)
        assert found.names == whole.names
        assert same(found.output, whole.output)
        for layer in found.layers:
            assert layer.name == whole.names[layer.index]
            assert all(
                torch.equal(a, b) for a, b in zip(tensors(layer), tensors(whole.layers[layer.index]), strict=True)
            )


@torch.no_grad()
def eager_peak(model: Any, inputs: dict[str, Any]) -> int:
    with TensorMemory() as memory:
        model(**inputs)
    return memory.peak


@pytest.mark.night(but=1)
@pytest.mark.parametrize("make", [READ["Gemma 3"], SEEN["MPNet"]], ids=["Gemma 3", "MPNet"])
def test_what_is_not_chosen_is_not_kept(make: Any) -> None:
    """To the byte after the run, and during it no more than one layer's matrices beside those of the forward pass."""
    model, inputs = make()
    model.config.use_cache = False
    inputs = text(31 if "MPNet" not in type(model).__name__ else 23)
    capture(model, **inputs)  # what a first run makes and keeps

    def held(layers: list[int] | None) -> tuple[Capture, int, int]:
        gc.collect()
        with TensorMemory() as memory:
            found = capture(model, layers=layers, **inputs)
            gc.collect()
            return found, memory.now, memory.peak

    every, all_now, all_peak = held(None)
    sizes = [sum(one.nbytes for one in tensors(layer)) for layer in every.layers]
    none, no_now, no_peak = held([])
    last, one_now, one_peak = held([len(sizes) - 1])
    assert (len(none.layers), len(last.layers)) == (0, 1)
    assert one_now - no_now == sizes[-1]
    assert all_now - no_now == sum(sizes)
    assert no_peak == eager_peak(model, inputs)
    assert one_peak <= no_peak + sizes[-1]
    assert all_peak >= no_now + sum(sizes)
