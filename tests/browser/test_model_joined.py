"""A translation on the page Model: the lines between source and target, and a sound beside what is written of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import Given, ModelRun
from attention_core.models import ModelFolder
from tests.attention_core.models.small_folders import write, write_whisper
from tests.browser import controls
from tests.browser.modelled import loaded, painted
from tests.browser.served import serving
from visualiser.models.sounds import tones

SOURCE, TARGET = "The keys to the cabinet", "the cat sees"
LAYER, HEAD = 7, 2
"""The second layer between both lines of the small BART."""

PATHS = """() => [...document.querySelectorAll(".joined-links path")].map(({ dataset }) =>
  [Number(dataset.query), Number(dataset.key)])"""
WIDTHS = """() => [...document.querySelectorAll(".joined-links path")].map((path) =>
  Number(path.getAttribute("stroke-width")))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    write(root, "bart")
    write_whisper(root)
    return root


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(None, HEADLIGHT_MODELS=str(folder)) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    query = f"page=model&lang=en&model=bart&layer={LAYER}&head={HEAD}&over=text&text={SOURCE}&target={TARGET}"
    page = open_module_page(query, painted=False, url=url)
    loaded(page, "model-heads", "head-map", model="bart")
    return page


@pytest.fixture(scope="module")
def run(folder: Path) -> ModelRun:
    return ModelFolder(folder).load("bart").run(Given(SOURCE, TARGET), 128)


def joined(run: ModelRun, row: int | None = None, key: int | None = None) -> list[list[int]]:
    """Return the pairs that lines join: those with a weight of at least a tenth."""
    weights = run.layers[LAYER - 1].weights[HEAD - 1]
    return [
        [q, k]
        for q in range(len(weights))
        for k in range(weights.shape[1])
        if weights[q, k] >= 0.1 and row in (None, q) and key in (None, k)
    ]


def lines(page: Page) -> Any:
    return page.evaluate(PATHS)


def tokens(page: Page, line: int) -> list[str]:
    return page.locator(".joined-line").nth(line).locator(".token").all_inner_texts()


def test_lines_join_what_the_head_reads(page: Page, run: ModelRun) -> None:
    assert tokens(page, 0) == list(run.lines[0].tokens)
    assert tokens(page, 1) == list(run.lines[1].tokens)
    page.mouse.move(1, 1)
    assert lines(page) == joined(run)
    weights = run.layers[LAYER - 1].weights[HEAD - 1]
    assert page.evaluate(WIDTHS) == pytest.approx([0.6 + 5.4 * float(weights[q, k]) for q, k in joined(run)], abs=1e-3)
    expect(page.locator(".joined-said")).to_contain_text("from 0.1 up")
    assert [one.strip() for one in page.locator(".small-maps-part").all_inner_texts()] == [
        "encoder", "decoder", "cross-attention",
    ]  # fmt: skip


def test_a_token_that_is_pointed_at_shows_its_own_lines(page: Page, run: ModelRun) -> None:
    target = page.locator(".joined-line").nth(1).locator(".token")
    target.nth(2).hover()
    assert lines(page) == joined(run, row=2)
    weights = run.layers[LAYER - 1].weights[HEAD - 1]
    most = int(weights[2].argmax())
    said = page.locator(".joined-said")
    own = [*run.lines[1].tokens[2:4], run.lines[0].tokens[most]]
    asks, then, read = (token.replace(" ", "␣") for token in own)
    expect(said).to_contain_text(f"2 “{asks}” → “{then}” reads {most} “{read}” most, {float(weights[2, most]):.3g}")
    source = page.locator(".joined-line").nth(0).locator(".token")
    source.nth(most).hover()
    assert lines(page) == joined(run, key=most)
    expect(said).to_contain_text(f"is read most by {int(weights[:, most].argmax())} ")
    target.nth(1).focus()  # by the keyboard
    assert lines(page) == joined(run, row=1)
    page.mouse.move(1, 1)


def test_a_pressed_token_stays(page: Page, run: ModelRun) -> None:
    page.locator(".joined-line").nth(1).locator(".token").nth(3).click()
    painted(page, "head-map", row="3")
    page.mouse.move(1, 1)
    assert lines(page) == joined(run, row=3)
    page.locator(".joined-line").nth(1).locator(".token").nth(3).click()
    painted(page, "head-map", row=None)


def test_an_empty_target_is_written_by_the_model(page: Page, folder: Path) -> None:
    written = ModelFolder(folder).load("bart").run(Given(SOURCE), 128).lines[1]
    page.locator("#control-target textarea").fill("")
    painted(page, "head-map", target=None)
    page.mouse.move(1, 1)
    assert len(tokens(page, 1)) == len(written)
    expect(page.locator(".joined-said")).to_contain_text("The model wrote the target.")


def test_a_layer_within_one_line_shows_that_line(page: Page, run: ModelRun) -> None:
    page.locator('.small-maps [data-head="1.1"]').click()
    painted(page, "head-map", layer=None)
    expect(page.locator(".joined")).to_be_hidden()
    assert page.locator(".token-strip .token").all_inner_texts() == list(run.lines[0].tokens)


def test_a_sound_is_a_band_of_moments(page: Page, folder: Path) -> None:
    controls.choose(page, "model", "whisper")
    loaded(page, "head-map", model="whisper")
    page.locator('.small-maps [data-head="7.2"]').click()
    painted(page, "head-map", layer="7", head="2")
    expect(page.locator("#control-text")).to_be_hidden()
    band = page.locator(".sound-line")
    assert band.get_attribute("aria-valuemax") == "99"
    band.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowRight")
    assert band.get_attribute("aria-valuetext") == "0.02\u00a0s"
    weights = ModelFolder(folder).load("whisper").run(Given(sound=tones()), 128).layers[6].weights[1]
    assert lines(page) == [[q, 1] for q in range(len(weights)) if weights[q, 1] >= 0.03]
