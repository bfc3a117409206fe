"""Prices of models at their published sizes, with random weights: what a run takes, and never more than twice that."""

from typing import Any

import pytest
import torch
import transformers as hf

from attention_core.learned import Given
from attention_core.models import FolderModel, text_model
from attention_core.models.counting import MultiplyAdds
from attention_core.studies.tensor_memory import TensorMemory
from tests.attention_core.models.small_folders import byte_level
from visualiser.models.run_work import sizes_of, work

SIZES: dict[str, tuple[Any, Any]] = {
    "GPT-2": (hf.GPT2LMHeadModel, hf.GPT2Config()),
    "BERT": (hf.BertForMaskedLM, hf.BertConfig()),
    "SmolLM2-135M": (
        hf.LlamaForCausalLM,
        hf.LlamaConfig(
            hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
            vocab_size=49152, max_position_embeddings=8192, tie_word_embeddings=True,
        ),
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=SIZES)
def model(request: pytest.FixtureRequest) -> FolderModel:
    """A model of that size, which leaves the memory before the next one is made."""
    kind, config = SIZES[request.param]
    torch.manual_seed(1)
    return text_model(kind(config).eval(), byte_level(), request.param)


@pytest.mark.parametrize("n", [8, 33, 128, 512])
def test_a_run_takes_what_it_is_priced_at(model: FolderModel, n: int) -> None:
    text = "the keys to the cabinet " * n
    read = Given(text)
    assert min(n, model.positions(read)) == n
    priced = work(sizes_of(model, n))
    with MultiplyAdds() as counted, TensorMemory() as memory:
        run = model.run(read, n)
    assert len(run.tokens) == n
    assert memory.peak <= priced.memory <= 2 * memory.peak
    assert counted.total <= priced.multiply_adds <= 2 * counted.total
