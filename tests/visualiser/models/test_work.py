"""The one rule for what a model's run takes, against counts of its own, and every page that asks it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers as hf
from torch.utils.flop_counter import FlopCounterMode

from attention_core import AttentionConfig
from attention_core.learned import SHIPPED, LearnedModel, layer_inputs, shipped_model
from attention_core.models import ModelFolder
from attention_core.studies.tensor_memory import TensorMemory
from tests.attention_core.models.small_folders import write
from tests.attention_core.models.small_models import built
from tests.offline import offline
from tests.visualiser.works import asking
from visualiser import models
from visualiser.models import runs
from visualiser.models.run_work import Work
from visualiser.pages import shell
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest

ONCE = 1e3
"""The seconds of a run that cannot be overlooked, in a test."""

MIDDLE = {
    "gpt2": lambda: built(
        hf.GPT2LMHeadModel,
        hf.GPT2Config(vocab_size=320, n_embd=96, n_layer=3, n_head=3, n_positions=320, bos_token_id=0, eos_token_id=0),
    ),
    "bert": lambda: built(
        hf.BertForMaskedLM,
        hf.BertConfig(
            vocab_size=320, hidden_size=64, num_hidden_layers=2, num_attention_heads=8, intermediate_size=256,
            max_position_embeddings=320,
        ),
    ),
}  # fmt: skip
"""Models whose scores take megabytes: wide heads with an MLP, and narrow ones."""


def text(words: int) -> str:
    return " ".join(["Anna", "sees", "Ben", "."][place % 4] for place in range(words))


def counted(work: Callable[[], object]) -> int:
    """Return the multiply-adds of matrix products as torch counts them: two operations each."""
    with FlopCounterMode(display=False) as found:
        work()
    return found.get_total_flops() // 2


def assert_priced(model: LearnedModel, n: int) -> None:
    """Hold the price of a run and of a layer of it between what they take and twice that."""
    found = models.work(runs.sizes_of(model, n))
    with TensorMemory() as memory:
        run = model.run(text(n), n)
        given = layer_inputs(run, 1)
    assert len(run.tokens) == n
    assert given.Q.shape[1] == n
    assert memory.peak <= found.memory <= 2 * max(memory.peak, 2**20)
    products = counted(lambda: layer_inputs(model.run(text(n), n), 1))
    assert products == found.multiply_adds


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("n", [2, 23, 64])
def test_a_shipped_model_takes_what_is_counted(name: str, n: int) -> None:
    model = shipped_model(name)
    assert counted(lambda: model.run(text(n), n)) == model.multiply_adds(n)
    assert_priced(model, n)


@pytest.mark.night(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("name", MIDDLE)
def test_a_model_of_a_folder_takes_what_is_counted(tmp_path: Path, name: str) -> None:
    with offline():
        write(tmp_path, name, MIDDLE[name]())
        model = ModelFolder(tmp_path).load(name)
        for n in (37, 130, 317):
            assert_priced(model, n)


def prices(query: str) -> Iterator[tuple[str, Cost]]:
    """Yield what each page says that a trained layer takes."""

    def asked(page: str) -> PageRequest:
        return asking(query, page)

    for page in ("explore", "anatomy", "map", "model"):
        yield page, LIVE[page].frame[1](asked(page))
    run = LIVE["map"].run
    assert run is not None
    yield "map run", run[1](asked("map"))
    for kind, file in LIVE["model"].files.items():
        yield kind, file.price(asked("model"))
    config = asked("explore").reading.state.config
    given: dict[str, Any] = {"source": "model", "model": config.model, "text": config.text, "layer": 1}
    for name in ("attention", "anatomy", "map", "model"):
        yield f"/{name}", shell.ENDPOINTS[name].price(given)


def test_every_page_asks_the_one_rule_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[models.Sizes] = []

    def work(of: models.Sizes) -> Work:
        asked.append(of)
        return Work(ONCE, 2**40, 2**39, 10**15)

    monkeypatch.setattr(models, "work", work)
    for where, cost in prices("source=model&layer=1&text=Anna+sees+Ben"):
        twice = where in ("model", "/model", *LIVE["model"].files)  # once to read it, once to say what comes next
        times = 1 + twice
        assert times * ONCE <= cost.seconds < (times + 1) * ONCE, where
        assert 2**40 <= cost.memory < 2 * 2**40, where
        assert 10**15 <= cost.multiply_adds < 2 * 10**15, where
    assert {(of.layers, of.h, of.n, of.d_k) for of in asked} == {(2, 4, 4, 16)}


def test_a_model_that_is_not_loaded_costs_next_to_nothing_where_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "known", lambda name: None)
    for where, cost in prices("source=model&layer=1&text=Anna+sees+Ben"):
        assert cost.memory <= 2 * SMALL.memory, where


def test_heads_without_queries_are_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = models.Sizes(layers=3, h=5, n=7, d_k=0, multiply_adds=11)
    monkeypatch.setattr(models, "sizes", lambda config, most, own=b"": sizes)
    for where, cost in prices("source=model&layer=1&text=Anna+sees+Ben"):
        assert cost.multiply_adds >= 11, where
    assert models.sizes(AttentionConfig(source="model"), 64) is sizes
