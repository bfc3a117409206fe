"""What each head costs, and the curve of the factor, on the page: read from the tiles, and computed in a run."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import SayingModel, head_costs, shipped_model
from tests.attention_core.models.small_folders import write
from tests.browser.modelled import TEXT, loaded, painted, shown
from tests.browser.served import serving
from tests.browser.test_model import opened
from visualiser.locale import text

COST = "#control-cost label:has(input[value=text])"
BARS = """() => [...document.querySelectorAll(".small-maps button")].map((tile) => [
  tile.dataset.head, parseFloat(tile.querySelector(".small-map-cost em")?.textContent.replace("−", "-")),
  parseFloat(tile.querySelector(".small-map-cost i")?.style.width),
])"""


def costs() -> dict[str, float]:
    model = shipped_model("headlight")
    assert isinstance(model, SayingModel)
    found = head_costs(model, TEXT)
    assert found is not None
    return {f"{at[0] + 1}.{at[1] + 1}": nats for at, nats in zip(found.heads, found.nats.tolist(), strict=True)}


def test_each_tile_shows_what_its_head_costs_and_the_largest_comes_first(led_page: Callable[..., Page]) -> None:
    page = opened(led_page)
    assert page.locator(".small-map-cost").count() == 0
    page.locator(COST).click()
    painted(page, cost="text")
    true = costs()
    tiles = {head: (nats, width) for head, nats, width in page.evaluate(BARS)}
    assert list(tiles) == sorted(tiles)
    assert {head: nats for head, (nats, _) in tiles.items()} == pytest.approx(true, rel=6e-3)
    most = max(true.values())
    assert {head: width for head, (_, width) in tiles.items()} == pytest.approx(
        {head: 100 * nats / most for head, nats in true.items()}, abs=0.5
    )
    assert page.locator("#costs-start").is_hidden()
    first = max(true, key=lambda head: true[head])
    expect(page.locator("#insight")).to_contain_text(f"Muting head {first} costs most: ln p of this text falls")
    page = opened(led_page, "&cost=text&sort=cost")
    assert [head for head, *_ in page.evaluate(BARS)] == sorted(true, key=lambda head: -true[head])
    page.locator("#control-cost label:has(input[value=none])").click()
    painted(page, cost=None)
    assert page.locator(".small-map-cost").count() == 0


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_factor_of_all_heads_draws_its_curve(led_page: Callable[..., Page], lang: str) -> None:
    page = opened(led_page, f"&changes=factor:3&lang={lang}")
    painted(page, "factor-curve", changes="factor:3")
    expect(page.locator("#figure-factor-curve")).to_be_visible()
    expect(page.locator("#figure-layer-entropies")).to_be_hidden()
    expect(page.locator("#figure-factor-curve")).to_contain_text(text(lang, "figure.factor_curve.title"))
    drawn = page.evaluate(
        """() => document.getElementById("figure-factor-curve").living.drawn.map(({ trace }) =>
             [trace.meta.kind ?? trace.meta.part, [...trace.x], [...trace.y]])"""
    )
    (logs,) = [one for one in drawn if one[0] == "logs"]
    (best,) = [one for one in drawn if one[0] == "best"]
    assert len(logs[1]) == 25
    assert best[2][0] == max(logs[2])
    page.goto(page.url.replace("factor:3", "mute@1.1").replace("factor%3A3", "mute@1.1"))
    painted(page, "layer-entropies", changes="mute@1.1")
    expect(page.locator("#figure-factor-curve")).to_be_hidden()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("models")
    write(root, "llama")
    with serving(None, "tests/browser/fleeting/long_costs.py", HEADLIGHT_MODELS=str(root)) as app:
        yield app.url


def test_costs_of_a_larger_model_are_a_run_that_can_be_cancelled(
    url: str, open_module_page: Callable[..., Page]
) -> None:
    page = open_module_page("page=model&lang=en&model=llama&cost=text", painted=False, url=url)
    loaded(page, model="llama")
    assert page.locator(".small-map-cost").count() == 0
    expect(page.locator(".head-costs > .said")).to_contain_text("12 runs of the model")
    page.locator("#costs-start").click()
    page.locator("#costs-cancel").click()
    expect(page.locator(".head-costs .run .said")).to_have_text(text("en", "muting.cancelled"))
    assert page.locator(".small-map-cost").count() == 0
    link = shown(page)
    page.locator("#costs-start").click()
    expect(page.locator(".small-map-cost")).to_have_count(12)
    expect(page.locator(".head-costs")).to_be_hidden()
    assert shown(page) == link
    page.locator("#model-text .token").nth(3).click()
    painted(page, row="3")
    expect(page.locator(".small-map-cost")).to_have_count(12)
