"""A folder's model is loaded by its link: a cancelled load changes nothing, and its heads are measured in sight."""

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


def runs(page: Page, above: float, run: str = "run") -> None:
    """Wait until so much of a run is done."""
    page.wait_for_function(
        "([run, above]) => document.querySelector(`#${run}-cancel`)?.checkVisibility() && "
        "document.querySelector(`#${run}-cancel`).parentElement.querySelector('progress').value > above",
        arg=[run, above],
    )
    expect(page.locator(f"#{run}-start")).to_be_hidden()


def begin(page: Page, above: float = 0) -> None:
    """Load by a press, and wait until so much is done."""
    page.locator("#run-start").click()
    runs(page, above)


def run_is(page: Page, state: str) -> None:
    """Wait until the load is in a state."""
    page.locator(f"#run [data-run={state}]").wait_for(state="attached")


def cancel(page: Page) -> None:
    """Cancel the load, and wait until that is said."""
    page.locator("#run-cancel").click()
    run_is(page, "cancelled")
    expect(page.locator("#run .run .said")).to_have_text(text("en", "model.cancelled"))


def choose(page: Page, model: str) -> None:
    """Choose a model whose load was cancelled before, and wait until it is offered."""
    controls.choose(page, "model", model)
    offered = text("en", "model.unloaded", model=model, megabytes=1)
    expect(page.locator(".model-loading > .said")).to_have_text(offered)


def test_a_load_begins_by_itself_and_a_cancelled_one_changes_nothing(page: Page, folder: Path, gates: Path) -> None:
    painted(page, layer="2", head="3", row="5")
    controls.choose(page, "model", "llama")
    runs(page, 0)
    expect(page.locator(".model-loading > .said")).to_have_text(text("en", "model.loading", model="llama", megabytes=1))
    expect(page.locator(".model-facts")).to_have_text("text · 2 layers, 6 heads each")
    cancel(page)
    standing = page.evaluate(STANDING)
    assert "model=llama" in standing[0]
    assert "is-of-another" in standing[2][0][2]
    begin(page)
    cancel(page)
    assert page.evaluate(STANDING) == standing
    # one model is loaded at a time: the server has ended that load as well
    controls.choose(page, "model", "gpt2")
    runs(page, 0)
    cancel(page)
    choose(page, "llama")
    assert page.evaluate(STANDING) == standing
    (gates / "read").touch()
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


def test_heads_are_measured_while_the_model_is_shown(page: Page, gates: Path) -> None:
    box, said = page.locator(".head-measuring"), page.locator(".head-measuring > .said")
    runs(page, 0, "measure")
    expect(said).to_have_text(text("en", "model.measuring"))
    controls.choose(page, "over", "corpus")
    painted(page, "head-map", model="llama", over=None)
    expect(said).to_have_text(text("en", "model.measuring"))  # a frame does not end it
    expect(page.locator("#insight")).to_contain_text("Over this text head ")
    page.locator("#measure-cancel").click()
    expect(said).to_have_text(text("en", "model.heads_not_measured"))
    expect(page.locator("#measure-start")).to_have_text(text("en", "model.measure"))
    controls.choose(page, "overview", "scatter")
    painted(page, "head-scatter", model="llama", overview="scatter")
    expect(said).to_have_text(text("en", "model.heads_not_measured"))  # nor does it begin again by itself
    controls.choose(page, "overview", "grid")
    (gates / "corpus").touch()
    page.locator("#measure-start").click()
    expect(box).to_be_hidden()
    expect(page.locator("#insight")).to_contain_text("over the corpus")


def test_a_load_ends_with_the_wish_for_its_model_and_a_link_keeps_its_head(
    page: Page, url: str, folder: Path, gates: Path
) -> None:
    for gate in gates.iterdir():
        gate.unlink()
    link = "page=model&lang=en&model=gpt2&layer=2&head=3&row=4"
    page.goto(f"{url}?{link}")
    runs(page, 0)
    assert page.locator(".small-map-place").count() == 6  # the outline of two layers
    controls.choose(page, "model", "headlight")
    painted(page, model=None)
    run_is(page, "cancelled")
    expect(page.locator(".model-loading")).to_be_hidden()
    choose(page, "gpt2")
    expect(page.locator("#run .run .said")).to_have_text("")
    expect(page.locator("#run-start")).to_be_visible()
    page.goto(f"{url}?{link}")
    runs(page, 0)
    cancel(page)
    canonical = page.evaluate("async () => (await headlight).act('valueOf').state.canonical")
    assert canonical == link
    for gate in ("read", "corpus"):
        (gates / gate).touch()
    page.locator("#run-start").click()
    painted(page, "head-map", "why-key", model="gpt2", layer="2", head="3", row="4")
    require_shaded(page, ModelFolder(folder).load("gpt2").run(TEXT), 2, 3, 4)
