"""The page Model in a browser: it shows what the model does, a press chooses, and nothing answers a question early."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import ModelRun, shipped_model
from tests.browser.boxes import boxes, require_apart
from tests.browser.test_phone import LYING, STANDING, phone
from visualiser.state import share

TEXT = share.beginning("model").config.text
SHORT = "Ben sees Anna . Ben"
SHARES = """() => [...document.querySelectorAll("#model-text .token")].map((token) =>
  parseFloat(token.style.getPropertyValue("--share")))"""


def painted(page: Page, figure: str = "head-map", **wanted: str) -> None:
    """Wait until a figure shows a link with these values."""
    page.wait_for_function(
        """([id, wanted]) => {
          const { painted } = document.getElementById(id)?.dataset ?? {};
          const found = new URLSearchParams(painted ?? "");
          return painted !== undefined && Object.entries(wanted).every(([name, value]) => found.get(name) === value);
        }""",
        arg=[f"figure-{figure}", {"page": "model", **wanted}],
    )


def opened(open_page: Callable[..., Page], query: str = "", **options: object) -> Page:
    page = open_page(
        f"page=model{query}" if "lang=" in query else f"page=model&lang=en{query}", painted=False, **options
    )
    painted(page)
    return page


def require_shaded(page: Page, run: ModelRun, layer: int, head: int, row: int) -> None:
    """Require that the tokens are the model's, each as dark as the root of what the row gives it."""
    assert page.locator("#model-text .token").all_inner_texts() == list(run.tokens)
    weights = run.layers[layer - 1].weights[head - 1, row]
    assert page.evaluate(SHARES) == pytest.approx([72 * float(weight) ** 0.5 for weight in weights], abs=0.05)


def test_it_opens_with_the_tokens_and_the_weights_of_the_last_one(open_page: Callable[..., Page]) -> None:
    page = opened(open_page)
    require_shaded(page, shipped_model("headlight").run(TEXT), 1, 1, 19)
    assert page.locator(".small-maps button").count() == 8


def test_typing_gives_the_tokens_and_weights_of_the_new_text(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, "&layer=2")
    page.locator("#control-text textarea").fill(SHORT)
    painted(page, text=SHORT)
    require_shaded(page, shipped_model("headlight").run(SHORT), 2, 1, 5)


def test_a_press_on_a_small_map_chooses_the_head(open_page: Callable[..., Page]) -> None:
    page = opened(open_page)
    page.locator('.small-maps button[data-head="2.4"]').click()
    painted(page, layer="2", head="4")
    assert page.locator('.small-maps [aria-pressed="true"]').evaluate_all(
        "(all) => all.map((one) => one.dataset.head)"
    ) == ["2.4"]
    require_shaded(page, shipped_model("headlight").run(TEXT), 2, 4, 19)
    links = page.locator(".open-in a").evaluate_all("(all) => all.map((one) => [one.dataset.page, one.href])")
    assert [name for name, _ in links] == ["explore", "anatomy", "map"]
    for _, href in links:
        found = {name: value for name, (value,) in parse_qs(urlsplit(href).query).items()}
        assert (found["source"], found["layer"], found["head"], found["text"]) == ("model", "2", "4", TEXT)


def test_pointing_at_a_token_shades_by_it_and_a_press_keeps_it(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, "&layer=2")
    run = shipped_model("headlight").run(TEXT)
    page.locator('#model-text [data-row="15"]').hover()
    require_shaded(page, run, 2, 1, 15)
    page.mouse.move(5, 5)
    require_shaded(page, run, 2, 1, 19)
    page.locator('#model-text [data-row="15"]').click()
    painted(page, row="15")
    page.mouse.move(5, 5)
    require_shaded(page, run, 2, 1, 15)


@pytest.mark.parametrize("question", ["model_previous", "model_key"])
def test_nothing_answers_before_the_reveal(open_page: Callable[..., Page], question: str) -> None:
    page = opened(open_page, f"&layer=2&predict=true&question={question}")
    assert page.locator("#predict label").count() == (8 if question == "model_previous" else 20)
    assert not page.locator(".small-map-name b").count()
    assert "induction" not in page.locator("#figures").inner_text()
    if question == "model_key":
        assert set(page.evaluate(SHARES)) == {0}
    right = "1.1" if question == "model_previous" else "5 “Taylor”"
    page.locator("#predict label", has_text=right).click()
    page.locator("#predict-reveal").click()
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    expect(page.locator(".small-map-name b").first).to_be_visible()


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=str)
@pytest.mark.parametrize("query", ["", "&predict=true", "&overview=scatter"])
def test_it_is_one_screen(open_page: Callable[..., Page], size: tuple[int, int], query: str) -> None:
    width, height = size
    page = opened(open_page, query, viewport={"width": width, "height": height})
    over = page.evaluate(
        "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    assert max(over) <= 0


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_on_a_phone_the_map_is_as_wide_as_the_window_and_the_panels_are_a_swipe_away(
    open_page: Callable[..., Page], lang: str
) -> None:
    page = opened(open_page, f"&layer=2&lang={lang}", **phone(STANDING))
    (cells,) = boxes(page, "#figure-head-map canvas.cells")
    assert cells.width >= 0.55 * STANDING[0]
    assert page.locator("#one-head + .dots button:visible").count() == 5
    page.locator("#one-head + .dots button").nth(2).tap()
    page.wait_for_function(
        "() => Math.abs(document.getElementById('figure-why-key').getBoundingClientRect().left - 10) < 40"
    )
    for link in boxes(page, ".open-in a"):
        assert min(link.width, link.height) >= 24, link


@pytest.mark.parametrize("step", [2, 5, 9])
def test_on_a_phone_a_step_on_all_heads_has_them_alone(open_page: Callable[..., Page], step: int) -> None:
    page = open_page(f"lesson=learned-heads&step={step}&lang=en", painted=False, **phone(STANDING))
    figure = "#figure-head-scatter" if step == 9 else "#figure-model-heads"
    page.locator(f"{figure}.is-taught-now[data-painted]").wait_for()
    page.wait_for_function("() => !document.getElementById('one-head').checkVisibility()")
    text, overview, strip = boxes(page, "#model-text", figure, "#lesson")
    require_apart(text, overview, strip)
    assert overview.height > 0.25 * STANDING[1]


@pytest.mark.parametrize("size", [LYING, (1000, 700), (1280, 720)], ids=str)
@pytest.mark.parametrize("query", ["", "&predict=true", "&overview=scatter"])
def test_its_parts_stand_apart(open_page: Callable[..., Page], size: tuple[int, int], query: str) -> None:
    page = opened(open_page, query, viewport={"width": size[0], "height": size[1]})
    places = [f"#figure-{name}" for name in ("head-map", "why-key", "head-scores", "head-entropy")]
    overview = "#figure-head-scatter" if "scatter" in query else "#figure-model-heads"
    require_apart(*boxes(page, "#model-text", overview, *places))
    (cells,) = boxes(page, "#figure-head-map canvas.cells")
    assert min(cells.width, cells.height) >= 110


def test_every_term_of_a_score_has_its_name(open_page: Callable[..., Page]) -> None:
    for lang in ("en", "ko"):
        page = opened(open_page, f"&layer=2&lang={lang}", viewport={"width": 1280, "height": 720})
        names = page.locator("#figure-why-key .word.tick.middle").all_inner_texts()
        assert len(names) == 9
        assert names[-1] == "+8"


def test_no_label_breaks_within_a_word(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, viewport={"width": 1280, "height": 720})
    broken = page.locator(".small-map-name b").evaluate_all(
        """(all) => all.flatMap((one) => {
          const text = one.firstChild, range = document.createRange();
          return [...text.data.matchAll(/[^ ]+/g)].filter(({ 0: word, index }) => {
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return range.getClientRects().length > 1;
          }).map(([word]) => word);
        })"""
    )
    assert broken == []
