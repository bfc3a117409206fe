"""The maps' colours end at the 99.5 % quantile, marked as open above; one press shows the full range, one goes back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, compute
from tests.browser import controls, drawn
from tests.browser.boxes import boxes, require_apart
from tests.browser.comparison import assert_page_shows, query
from visualiser.state.view import View

CONFIG = AttentionConfig(n=32, h=2)
FULL = View(colour_range="full")
NAMES = {"en": "Full colour range", "ko": "전체 색 범위"}


def bar(page: Page) -> list[str]:
    ((_, ticks),) = drawn.colour_bars(page)
    return ticks


@pytest.mark.parametrize("lang", NAMES)
def test_one_press_shows_the_full_range_and_another_goes_back(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"n=32&h=2&lang={lang}")
    view = View(lang=lang)
    result = compute(CONFIG, device="cpu")
    assert_page_shows(page, CONFIG, view, chosen_language=True)
    top = bar(page)[-1]
    assert top.startswith(">")
    assert float(top[1:]) < float(result.weights.max())
    button = page.get_by_role("button", name=NAMES[lang])
    expect(button).to_have_attribute("aria-pressed", "false")
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    button.click()
    full = View(lang=lang, colour_range="full")
    assert_page_shows(page, CONFIG, full, chosen_language=True)
    expect(button).to_have_attribute("aria-pressed", "true")
    assert not any(text[0] in "<>" for text in bar(page))
    page.wait_for_url("**colour_range=full**")
    button.press("Enter")
    assert_page_shows(page, CONFIG, view, chosen_language=True)
    assert bar(page)[-1] == top


def test_a_cell_above_the_top_says_its_value_and_the_table_how_many_there_are(led_page: Callable[..., Page]) -> None:
    page = led_page("n=32&h=2")
    weights = compute(CONFIG, device="cpu").weights
    head, row, column = (int(place) for place in (weights == weights.max()).nonzero()[0])
    page.mouse.move(*drawn.in_view(page, *drawn.panels(page)[head].centre(row, column)))
    tip = page.locator("#figure-heat-maps .tip")
    expect(tip).to_contain_text(f"{float(weights.max()):.3g}")
    top = float(bar(page)[-1][1:])
    caption, _ = drawn.table(page, "heat-maps")
    assert f"from 0 to {top:g}" in caption
    assert f"{int((weights > top).sum())} of {weights.numel()} cells" in caption


@pytest.mark.parametrize("way", ["full", "shared"])
def test_a_link_opens_the_full_range(open_page: Callable[..., Page], way: str) -> None:
    page = open_page(f"n=32&h=2&colour_range={way}")
    assert_page_shows(page, CONFIG, FULL)
    assert page.locator("#message").inner_text().strip() == ""
    controls.wait_shown(page, colour_range="full")
    expect(page.locator("#full-range")).to_have_attribute("aria-pressed", "true")


def test_scales_of_single_heads_and_a_class_that_does_not_see_the_control_have_no_button(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("n=32&h=2&colour_range=per_head")
    expect(page.locator("#full-range")).to_be_hidden()
    controls.choose(page, "colour_range", "quantile")
    drawn.wait_painted(page, query(CONFIG))
    expect(page.locator("#full-range")).to_be_visible()
    for hidden in ("colour_range", "controls"):
        page.goto(f"{page.url.split('?')[0]}?n=32&h=2&hide={hidden}")
        page.locator("#figure-heat-maps[data-painted]").wait_for()
        expect(page.locator("#full-range")).to_be_hidden()


@pytest.mark.parametrize("stage", ["weights", "scaled"])
@pytest.mark.parametrize(
    ("width", "height", "more"),
    [(1280, 720, ""), (1280, 720, "&present=1"), (1280, 720, "&row=3"), (1024, 640, "&row=3"), (390, 844, "")],
)
def test_bar_button_and_tools_stand_apart(
    led_page: Callable[..., Page], stage: str, width: int, height: int, more: str
) -> None:
    page = led_page(f"stage={stage}{more}", viewport={"width": width, "height": height})
    one, button, *tools = (
        place.bounding_box()
        for place in (
            page.locator("#figure-heat-maps .ticks span").last,
            page.locator("#full-range"),
            *page.locator("#figure-heat-maps .tools > *").all(),
        )
    )
    assert one
    assert button
    assert one["x"] + one["width"] <= button["x"]
    for tool in filter(None, tools):
        assert button["x"] + button["width"] <= tool["x"] + 1
    assert button["x"] + button["width"] <= width


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 640), (1920, 1080), (390, 844)])
@pytest.mark.parametrize("h", [2, 3, 8, 16])
def test_a_bar_for_each_head_stands_in_the_figure(
    led_page: Callable[..., Page], h: int, width: int, height: int
) -> None:
    page = led_page(f"h={h}&colour_range=per_head", viewport={"width": width, "height": height})
    (figure,) = boxes(page, "#figure-heat-maps")
    bars = boxes(page, "#figure-heat-maps .colour-bar")
    assert len(bars) == h
    assert all(figure.left <= bar.left and bar.right <= figure.right for bar in bars)
    require_apart(*bars)
    (shown,) = boxes(page, "#figure-heat-maps .bars")
    require_apart(shown, *boxes(page, "#figure-heat-maps .stage", "#figure-heat-maps .tools", "#panels .figure-place"))
