"""Every mark of a figure has a name, presented as well; what has no place says why."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn, mapped
from tests.browser.boxes import boxes, require_apart, require_inside
from visualiser.locale import text

PANELS = ("score-distribution", "entropy", "gradient")


def named(page: Page) -> list[str]:
    """Return the visible entries of all legends."""
    return [entry.strip() for entry in page.locator(".chart-legend .entry:visible").all_inner_texts()]


@pytest.mark.parametrize("query", ["", "present=1", "h=16", "row=2"])
def test_boxes_and_diamonds_are_in_a_legend(open_page: Callable[..., Page], query: str) -> None:
    page = open_page(query)
    row = "figure.locked_row" if "row" in query else "figure.pointed_row"
    wanted = {text("en", "figure.boxes"), text("en", row)}
    page.wait_for_function("(n) => document.querySelectorAll('.chart-legend .entry').length >= n", arg=8)
    assert wanted <= set(named(page))


def test_legends_stand_below_the_maps_where_these_leave_room_and_in_the_panels_elsewhere(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("", viewport={"width": 1280, "height": 720})
    legends = page.locator("#figure-heat-maps .legends")
    expect(legends).to_be_visible()
    require_inside(page, *boxes(page, "#figure-heat-maps .legends .entry"))
    require_apart(*boxes(page, "#figure-heat-maps canvas.cells", "#figure-heat-maps .legends"))
    height = page.locator("#figure-score-distribution .chart-area").bounding_box()
    controls.choose(page, "scaling", "none")
    drawn.wait_painted(page, "scaling=none")
    expect(legends).to_contain_text(text("en", "figure.score_distribution.before"))
    page.set_viewport_size({"width": 1024, "height": 640})
    expect(legends).to_be_hidden()
    expect(page.locator("#figure-score-distribution .chart-legend")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(legends).to_be_visible()
    assert page.locator("#figure-score-distribution .chart-area").bounding_box() == height


def test_a_pinned_a_is_named_and_a_missing_difference_says_why(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    controls.reveal(page, "#preset-one_against_eight").click()
    drawn.wait_painted(page, "pin=h%3D1")
    expect(page.locator("#side-all")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#side-all")).to_have_text(text("en", "side.both"))
    titles = page.locator("#figure-heat-maps .panel-title:visible")
    expect(titles).to_have_count(9)
    assert [title[0] for title in titles.all_inner_texts()] == ["A", *"BBBBBBBB"]
    assert named(page).count(text("en", "figure.pinned_overlay.a")) == 2  # of the scores, and of the boxes
    off = page.locator("#side-difference")
    expect(off).to_be_disabled()
    expect(off).to_have_attribute("title", text("en", "figure.compare.unlike"))
    expect(page.locator("#side-why")).to_have_text(text("en", "side.unlike"))
    require_inside(page, *boxes(page, "#side-why", ".compared .pinned"))
    controls.slide(page, "h", 1)
    expect(page.locator("#side-why")).to_be_hidden()
    expect(off).to_be_enabled()


@pytest.mark.parametrize("query", ["", "&present=1", "&lang=ko"])
def test_the_strips_of_the_map_name_their_marks(open_page: Callable[..., Page], query: str) -> None:
    page = open_page(f"{mapped.QUERY}{query}", painted=False)
    mapped.wait(page)
    legend = page.locator(".strips-legend")
    expect(legend).to_have_text(text("ko" if "ko" in query else "en", "map.strips_legend"))
    expect(legend).to_be_visible()
    require_inside(page, *boxes(page, ".strips-legend"))


def test_whys_factor_names_its_curves_and_presented_leaves_them_height(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&present=1&predict=false", painted=False)
    page.locator("#figure-temperature[data-painted]").wait_for()
    legend = page.locator("#figure-mechanism-maps .legends")
    expect(legend).to_contain_text(text("en", "figure.temperature.largest_weight"))
    for panel in page.evaluate("document.querySelector('#figure-temperature').living.panels.map(({ box }) => box)"):
        assert panel["bottom"] - panel["top"] > 45
    require_inside(page, *boxes(page, "#figure-mechanism-maps .legends .entry"))
    require_apart(*boxes(page, "#figure-mechanism-maps canvas.cells", "#figure-mechanism-maps .legends"))


def test_in_a_talk_all_sentences_but_the_first_are_one_press_away(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&present=1&predict=false", painted=False)
    page.locator("#figure-temperature[data-painted]").wait_for()
    sentences = page.locator("#insight p")
    expect(page.locator(".more-said")).to_be_visible()
    expect(sentences.first).to_be_visible()
    for other in sentences.all()[1:]:
        expect(other).to_be_hidden()
    require_inside(page, *boxes(page, ".more-said", "#insight .insight"))
    page.locator(".more-said").click()
    expect(sentences.last).to_be_visible()
    page.keyboard.press("Escape")
    expect(sentences.last).to_be_hidden()
    expect(page.locator(".more-said")).to_be_focused()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_whys_factor_is_named_by_its_tab_and_where_it_stands_alone_by_its_title(
    open_page: Callable[..., Page], lang: str
) -> None:
    window = {"viewport": {"width": 1366, "height": 768}}
    page = open_page(f"page=why&predict=false&lang={lang}", painted=False, **window)
    page.locator("#figure-temperature[data-painted]").wait_for()
    title = page.locator("#figure-temperature .figure h2")
    width = "(title) => title.getBoundingClientRect().width"
    assert title.evaluate(width) <= 1
    page.locator("#figure-temperature .enlarge").click()
    page.wait_for_function("() => document.documentElement.classList.contains('focusing')")
    assert title.evaluate(width) > 50
