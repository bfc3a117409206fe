"""A folder's model is loaded on the page: a cancelled load changes nothing, and a later one succeeds."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attention_core.models import ModelFolder
from tests.attention_core.models.small_folders import write
from tests.browser import controls
from tests.browser.modelled import TEXT, painted, require_shaded
from tests.browser.served import serving
from visualiser.locale import text

GATED = "tests/browser/fleeting/gated.py"

STANDING = """async () => {
  const { state, figures } = (await headlight).act("valueOf");
  return [
    state.canonical, document.querySelector("#control-model input:checked").value,
    [...figures.all].map(([name, { root, living }]) => [
      name, root.dataset.painted, root.className, JSON.stringify(living?.shown ?? null),
    ]),
    ...["#model-text", ".small-maps", "#insight"].map((one) => document.querySelector(one)?.outerHTML),
    document.querySelector(".model-loading > .said").textContent,
  ];
}"""
"""The link, the chosen model, every figure with its numbers, and the words around them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    for name in ("gpt2", "llama"):
        write(root, name)
    return root


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gates")


@pytest.fixture(scope="module")
def url(folder: Path, gates: Path) -> Iterator[str]:
    """Serve the models of the folder, each load behind gates."""
    with serving(None, GATED, HEADLIGHT_MODELS=str(folder), GATES=str(gates)) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    """Open a page of that server, which is closed before the server ends."""
    return open_module_page("page=model&lang=en&layer=2&head=3&row=5", painted=False, url=url)


def begin(page: Page, above: float) -> None:
    """Load, and wait until so much is done."""
    page.locator("#run-start").click()
    page.wait_for_function("(above) => document.querySelector('#run progress').value > above", arg=above)
    assert page.locator("#run progress").evaluate("(bar) => bar.value") < 1
    expect(page.locator("#run-start")).to_be_hidden()


def run_is(page: Page, state: str) -> None:
    """Wait until the load is in a state."""
    page.locator(f"#run [data-run={state}]").wait_for(state="attached")


def cancel(page: Page) -> None:
    """Cancel the load, and wait until that is said."""
    page.locator("#run-cancel").click()
    run_is(page, "cancelled")
    expect(page.locator("#run .run .said")).to_have_text(text("en", "model.cancelled"))


def choose(page: Page, model: str) -> None:
    """Choose a model, and wait until its load is offered."""
    controls.choose(page, "model", model)
    offered = text("en", "model.unloaded", model=model, megabytes=1)
    expect(page.locator(".model-loading > .said")).to_have_text(offered)


def test_a_cancelled_load_changes_nothing_and_a_later_one_succeeds(page: Page, folder: Path, gates: Path) -> None:
    painted(page, layer="2", head="3", row="5")
    choose(page, "llama")
    standing = page.evaluate(STANDING)
    assert "model=llama" in standing[0]
    assert "is-of-another" in standing[2][0][2]
    for gate, above in (("read", 0), ("corpus", 0.8)):
        begin(page, above)
        cancel(page)
        assert page.evaluate(STANDING) == standing
        if gate == "read":  # one model is loaded at a time: the server has ended that load as well
            choose(page, "gpt2")
            begin(page, 0)
            cancel(page)
            choose(page, "llama")
            assert page.evaluate(STANDING) == standing
        (gates / gate).touch()
    # what was read before the second one was cancelled is not taken for a loaded model
    controls.choose(page, "over", "text")
    page.wait_for_function("() => location.search.includes('over=text')")
    offer = page.locator(".model-loading")
    expect(offer).to_be_visible()
    page.locator("#run-start").click()
    painted(page, "model-heads", "head-map", "why-key", model="llama", over="text", layer=None, head=None, row=None)
    run = ModelFolder(folder).load("llama").run(TEXT)
    require_shaded(page, run, 1, 1, len(run.tokens) - 1)
    assert page.locator(".small-maps button").count() == 12
    expect(offer).to_be_hidden()
    expect(page.locator(".is-of-another")).to_have_count(0)


def test_a_load_ends_with_the_wish_for_its_model_and_a_link_keeps_its_head(
    page: Page, url: str, folder: Path, gates: Path
) -> None:
    for gate in gates.iterdir():
        gate.unlink()
    link = "page=model&lang=en&model=gpt2&layer=2&head=3&row=4"
    page.goto(f"{url}?{link}")
    begin(page, 0)
    controls.choose(page, "model", "headlight")
    painted(page, model=None)
    run_is(page, "cancelled")
    expect(page.locator(".model-loading")).to_be_hidden()
    choose(page, "gpt2")
    expect(page.locator("#run .run .said")).to_have_text("")
    expect(page.locator("#run-start")).to_be_visible()
    page.goto(f"{url}?{link}")
    begin(page, 0)
    cancel(page)
    canonical = page.evaluate("async () => (await headlight).act('valueOf').state.canonical")
    assert canonical == link
    for gate in ("read", "corpus"):
        (gates / gate).touch()
    page.locator("#run-start").click()
    painted(page, "head-map", "why-key", model="gpt2", layer="2", head="3", row="4")
    require_shaded(page, ModelFolder(folder).load("gpt2").run(TEXT), 2, 3, 4)
