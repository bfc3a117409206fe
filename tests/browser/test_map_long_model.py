"""A folder's model over more than a thousand tokens: from the page Model to the Map, and what the Map then holds."""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import transformers as hf
from playwright.sync_api import Page, expect

from attention_core.models import FolderModel, ModelFolder
from tests.attention_core.models.small_folders import write
from tests.attention_core.models.small_models import built
from tests.browser.modelled import loaded
from tests.browser.served import serving
from visualiser.locale import text

N = 1200
TEXT = " ".join(["Anna", "sees", "Ben", "."][place % 4] for place in range(500))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    config = hf.GPT2Config(
        vocab_size=320, n_embd=24, n_layer=2, n_head=3, n_positions=N, bos_token_id=0, eos_token_id=0
    )
    write(root, "gpt2", built(hf.GPT2LMHeadModel, config))
    return root


@pytest.fixture(scope="module")
def own(folder: Path) -> FolderModel:
    return ModelFolder(folder).load("gpt2")


@pytest.fixture(scope="module")
def page(folder: Path, open_module_page: Callable[..., Page]) -> Iterator[Page]:
    with serving(None, HEADLIGHT_MODELS=str(folder)) as app:
        page = open_module_page("page=model&lang=en&model=gpt2&layer=2&head=3", painted=False, url=app.url)
        loaded(page, model="gpt2", layer="2", head="3")
        yield page


def saved(page: Page, label: str) -> list[dict[str, str]]:
    """Press what saves a CSV file, in the menu, and return its lines."""
    with page.expect_download() as download:
        page.evaluate(
            "(label) => [...document.querySelectorAll('button')].find((one) => one.textContent === label).click()",
            text("en", label),
        )
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def computed(page: Page) -> None:
    """Wait until a map is there: it starts by itself if it is expected to be short."""
    page.wait_for_function(
        "() => document.querySelector('[data-run]') && !document.querySelector('.map-run p')?.hidden"
    )
    page.locator("[data-run=ended], [data-run=idle]").first.wait_for(state="attached")
    if page.locator("[data-run=idle]").count() and page.locator("#run-start").is_visible():
        page.locator("#run-start").click()
    page.locator("[data-run=ended]").wait_for(state="attached")


def test_a_long_text_goes_from_the_page_model_to_the_map(page: Page, own: FolderModel) -> None:
    page.locator("#control-text textarea").fill(TEXT)
    n = own.tokens(TEXT, 10**6)
    assert n > N
    cut = page.locator("#model-text .token-cut")
    expect(cut).to_contain_text(text("en", "model.shown_of", shown=512, all=f"{n}"))
    assert page.locator("#model-text .token").count() == 512
    cut.get_by_role("link", name=text("en", "model.long_on_map")).click()
    page.wait_for_url(re.compile(r"page=map"))
    assert "text=" not in page.url  # it is handed over in the browser
    computed(page)
    rows = saved(page, "export.rows")
    assert len(rows) == 3 * N
    layer = own.run(TEXT, 512).layers[1]  # rows of a causal model do not hang on what comes later
    entropy = torch.special.entr(layer.weights.double()).sum(-1)
    for head in range(3):
        found = [float(row["entropy_nats"]) for row in rows if row["head"] == str(head + 1)]
        assert found[:512] == pytest.approx(entropy[head].tolist(), rel=2e-3, abs=1e-4)
        assert len(found) == N


def test_every_head_is_saved_by_a_run_of_its_own(page: Page, own: FolderModel) -> None:
    lines = saved(page, "export.heads")
    right = own.read_long(TEXT, measured=True)
    assert [(line["layer"], line["head"]) for line in lines] == [(str(a), str(b)) for a in (1, 2) for b in (1, 2, 3)]
    for number, layer in enumerate(right.layers):
        means = layer.statistics.entropy.double().mean(-1).tolist()
        found = [float(line["entropy_nats"]) for line in lines if line["layer"] == str(number + 1)]
        assert found == pytest.approx(means, rel=1e-4)
    assert {line["tokens"] for line in lines} == {str(N)}


def test_a_file_of_every_head_needs_a_model(page: Page) -> None:
    page.goto(re.sub(r"\?.*", "?page=map&n=256&lang=en", page.url))
    page.locator("[data-run=ended]").wait_for(state="attached")
    page.evaluate(
        "(label) => [...document.querySelectorAll('button')].find((one) => one.textContent === label).click()",
        text("en", "export.heads"),
    )
    expect(page.get_by_text(text("en", "map.heads_of_model"))).to_be_attached()
