"""A model of the Hub is searched for, fetched with progress, cancelled, fetched again, and its heads are seen."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attention_core.models import HubFolder
from tests.attention_core.models.small_folders import write
from tests.browser import controls
from tests.browser.modelled import TEXT, painted, require_shaded
from tests.browser.served import FLEETING, serving
from tests.hub_server import Behaviour, Hub, hub
from visualiser.locale import text

NAME = "small/gpt2"

WIDE = """() => [...document.querySelectorAll("#models *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
  .map((one) => one.outerHTML.slice(0, 80))"""
"""What is wider than its place in the list."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    root = tmp_path_factory.mktemp("hub")
    for name in ("gpt2", "llama"):
        write(root / "small", name)
    with hub(root) as found:
        yield found


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def url(server: Hub, downloads: Path) -> Iterator[str]:
    """Serve the shipped list and two models of this Hub."""
    variables = {
        "HEADLIGHT_MODELS": f"list,{NAME},small/llama",
        "HEADLIGHT_DOWNLOADS": str(downloads),
        "HF_ENDPOINT": server.url,
        "HF_HUB_OFFLINE": "0",
    }
    with serving(None, FLEETING, **variables) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    found = open_module_page("page=model&lang=en", url=url, painted=False)
    painted(found)
    return found


def search(page: Page, words: str) -> list[str]:
    """Open the list, look for words, and return the names of what is left."""
    if not page.locator("#models").is_visible():
        controls.reveal(page, "#models-open").click()
        expect(page.locator("#models-search")).to_be_focused()
    page.locator(".models-list button").first.wait_for(state="attached")
    page.locator("#models-search").fill(words)
    return page.locator(".models-list li:not([hidden]) b").all_inner_texts()


def said(page: Page, key: str, **facts: object) -> None:
    """Wait until the box of the model says so."""
    expect(page.locator(".model-loading > .said")).to_have_text(text("en", key, **facts))


def test_the_list_is_searched_by_name_licence_and_kind(page: Page) -> None:
    assert len(search(page, "")) == 13
    expect(page.locator(".models-count")).to_have_text(text("en", "hub.count", count=13, models=13))
    expect(page.locator(".models-network")).to_have_text("")
    assert search(page, "gpt2") == ["openai-community/gpt2", NAME]
    assert search(page, "MIT") == ["openai-community/gpt2", "openai/clip-vit-base-patch32"]
    assert search(page, "picture apache") == ["WinKawaks/vit-tiny-patch16-224", "HuggingFaceTB/SmolVLM-256M-Instruct"]
    assert search(page, "translation") == ["google-t5/t5-small"]
    assert search(page, "nothing has this name") == []
    facts = [text("en", "hub.takes.text"), "523 MB", "MIT", text("en", "hub.to_fetch")]
    assert search(page, "openai gpt2")
    line = page.locator("[data-model='openai-community/gpt2']")
    expect(line.locator(".models-facts")).to_have_text(" · ".join(facts))
    assert search(page, "qwen3")
    large = page.locator("[data-model='Qwen/Qwen3-0.6B']")
    expect(large).to_have_attribute("aria-disabled", "true")
    expect(large.locator(".models-cannot")).to_contain_text("2867 MB")
    large.click(force=True)  # playwright would wait until it is enabled
    expect(page.locator("#models")).to_be_visible()
    assert "Qwen" not in page.url
    page.keyboard.press("Escape")


def test_the_keyboard_walks_the_list_and_comes_back(page: Page) -> None:
    search(page, "small/")
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"[data-model='{NAME}']")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-model='small/llama']")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#models-search")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#models")).to_be_hidden()
    expect(page.locator("#models-open")).to_be_focused()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_list_fits(open_page: Callable[..., Page], url: str, lang: str, width: int, height: int) -> None:
    page = open_page(f"page=model&lang={lang}", url=url, painted=False, viewport={"width": width, "height": height})
    painted(page)
    if width < 821:
        page.locator(".control-names [aria-controls=control-model]").click()
    page.locator("#models-open").click()
    page.locator(".models-list button").first.wait_for()
    box = page.locator("#models").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height
    assert page.evaluate(WIDE) == []


def test_a_model_is_fetched_cancelled_fetched_again_and_seen(page: Page, server: Hub, downloads: Path) -> None:
    gate = threading.Event()
    server.behaviour = Behaviour(gate=gate)
    search(page, NAME)
    page.keyboard.press("Enter")
    expect(page.locator("#models")).to_be_hidden()
    said(page, "model.unfetched_unsized", model=NAME)
    page.wait_for_function("() => new URLSearchParams(location.search).get('model') === 'small/gpt2'")
    expect(page.locator(".models-chosen")).to_have_text(NAME)
    expect(page.locator("#run-start")).to_have_text(text("en", "hub.fetch"))
    page.locator("#run-start").click()
    said(page, "hub.fetching", model=NAME)
    page.wait_for_function("() => document.querySelector('#run progress').value > 0.4")
    assert page.locator("#run progress").evaluate("(bar) => bar.value") < 1
    assert list(downloads.rglob("*.safetensors"))
    page.locator("#run-cancel").click()
    page.locator("#run [data-run=cancelled]").wait_for(state="attached")
    expect(page.locator("#run .run .said")).to_have_text(text("en", "model.cancelled"))
    said(page, "model.unfetched_unsized", model=NAME)
    for _ in range(200):
        if not list(downloads.glob("[!.]*")) and not list(downloads.glob(".fetch-*")):
            break
        page.wait_for_timeout(50)
    assert [one.name for one in downloads.iterdir()] == [".turn"]
    gate.set()
    page.locator("#run-start").click()
    painted(page, "model-heads", "head-map", model=NAME)
    expect(page.locator(".model-loading")).to_be_hidden()
    run = HubFolder(downloads).load(NAME).run(TEXT)
    require_shaded(page, run, 1, 1, len(run.tokens) - 1)
    search(page, NAME)
    expect(page.locator(f"[data-model='{NAME}'] .models-facts")).to_contain_text(text("en", "hub.loaded"))
    expect(page.locator(f"[data-model='{NAME}']")).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")


def test_a_link_leads_to_a_model_that_was_fetched_and_a_wrong_one_to_a_sentence(page: Page, server: Hub) -> None:
    server.behaviour = Behaviour(flipped={"model.safetensors"})
    search(page, "small/llama")
    page.keyboard.press("Enter")
    expect(page.locator("#run-start")).to_have_text(text("en", "hub.fetch"))
    page.locator("#run-start").click()
    page.locator("#run [data-run=failed]").wait_for(state="attached")
    problem = text("en", "error.hub_wrong", file="model.safetensors", value="small/llama")
    expect(page.get_by_text(problem)).to_be_visible()
    server.behaviour = Behaviour()


def test_without_a_network_the_list_says_what_is_here(open_page: Callable[..., Page], tmp_path: Path) -> None:
    write(tmp_path / "models", "gpt2")
    variables = {"HEADLIGHT_MODELS": f"{tmp_path / 'models'},list", "HF_ENDPOINT": "http://127.0.0.1:9"}
    with serving(None, FLEETING, **variables, HEADLIGHT_DOWNLOADS=str(tmp_path / "downloads")) as app:
        page = open_page("page=model&lang=en", url=app.url, painted=False)
        painted(page)
        search(page, "")
        expect(page.locator(".models-network.is-away")).to_have_text(text("en", "hub.network.away"))
        here = re.compile(f"{text('en', 'hub.here')}|{text('en', 'hub.loaded')}")
        names = page.locator(".models-list li", has_text=here).locator("b").all_inner_texts()
        assert names == ["Headlight's language model", "Headlight's one-layer language model", "gpt2"]
        page.keyboard.press("Escape")
        page.goto(f"{app.url}?page=model&lang=en&model=openai-community/gpt2")
        page.locator("#run-start").click()
        page.locator("#run [data-run=failed]").wait_for(state="attached")
        expect(page.get_by_text(text("en", "error.hub_offline", value="openai-community/gpt2"))).to_be_visible()
        page.close()
