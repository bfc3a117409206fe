"""Every mark of a figure has a name, presented as well; what has no place says why."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn, mapped
from tests.browser.boxes import boxes, require_apart, require_inside
from tests.browser.brought import NARROW, Desk, sized
from visualiser.locale import text

PANELS = ("score-distribution", "entropy", "gradient")


@pytest.fixture(scope="module")
def desk(open_module_page: Callable[..., Page]) -> Desk:
    return Desk(open_module_page)


def named(page: Page) -> list[str]:
    """Return the visible entries of all legends."""
    return [entry.strip() for entry in page.locator(".chart-legend .entry:visible").all_inner_texts()]


@pytest.mark.parametrize("query", ["", "present=1", "h=16", "row=2"])
def test_boxes_and_diamonds_are_in_a_legend(desk: Desk, query: str) -> None:
    page = desk(query)
    row = "figure.locked_row" if "row" in query else "figure.pointed_row"
    wanted = {text("en", "figure.boxes"), text("en", row)}
    page.wait_for_function("(n) => document.querySelectorAll('.chart-legend .entry').length >= n", arg=8)
    assert wanted <= set(named(page))


def test_below_the_maps_only_a_figure_with_something_to_name_has_its_name(desk: Desk) -> None:
    page = desk("present=1&normalisation=sigmoid")  # gates have no ceiling of an entropy
    titles = page.locator("#figure-heat-maps .legends strong:visible")
    expect(titles).to_have_text([text("en", f"figure.{name}.title") for name in ("score_distribution", "gradient")])


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (2560, 1440), (390, 844)])
@pytest.mark.parametrize("query", ["", "h=1", "scaling=none&row=2", "lang=ko&mask=causal", "page=why&predict=false"])
def test_legends_stand_in_their_figures(desk: Desk, query: str, size: tuple[int, int]) -> None:
    page = desk(query, size)
    page.wait_for_function("() => document.querySelectorAll('#figures .chart-legend .entry').length > 3")
    legends = page.locator("#figures .chart-legend:visible").all()
    assert len(legends) >= (3 if "page" not in query else 1)
    for legend in legends:
        name = legend.evaluate("(one) => one.closest('.figure-place, [id^=figure-]')?.id")
        assert name
        assert name.startswith("figure-")
        if not legend.locator(".entry").count():
            continue
        (figure,) = boxes(page, f"#{name} .figure")
        heading, area = boxes(page, f"#{name} header", f"#{name} .chart-area")
        for entry in boxes(page, f"#{name} .chart-legend .entry"):
            assert heading.bottom - 6 <= entry.top, f"{entry} stands over the title"
            assert entry.bottom <= area.top + 1, f"{entry} stands over its figure"
            assert figure.left - 1 <= entry.left, entry
            assert entry.right <= figure.right + 1, entry
        assert area.height > 75, f"{name} has lost its room: {area}"


_CUT = """() => [...document.querySelectorAll("#figures .brief")].flatMap((brief) => {
  const room = brief.getBoundingClientRect();
  const tools = brief.closest("header").querySelector(".tools").getBoundingClientRect();
  if (!brief.checkVisibility() || !brief.textContent) return [];
  const range = document.createRange();
  range.selectNodeContents(brief);
  // signs for copying alone have no size
  const seen = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
  return seen.filter(({ left, right, top, bottom }) =>
    left < room.left - 1 || right > room.right + 1 ||
    (top + bottom) / 2 < room.top + 3 || (top + bottom) / 2 > room.bottom - 3 ||
    (right > tools.left + 1 && bottom > tools.top && top < tools.bottom && tools.width > 0))
    .map(({ left, right, top, bottom }) => [brief.textContent, left, right, top, bottom, room.right, room.bottom]);
})"""


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080), (390, 844)])
@pytest.mark.parametrize("query", ["", "row=3", "scaling=none&d_k=512&row=3", "lang=ko&row=9"])
def test_no_number_beside_a_title_is_cut_through(desk: Desk, query: str, size: tuple[int, int]) -> None:
    page = desk(query, size)
    expect(page.locator("#figure-gradient .brief")).not_to_have_text("")
    assert page.evaluate(_CUT) == []


@pytest.mark.parametrize("width", [1366, 390])
def test_no_number_beside_a_title_is_cut_through_in_a_lesson(open_page: Callable[..., Page], width: int) -> None:
    page = open_page("lesson=first-look", viewport={"width": width, "height": 768})
    for size in [(1280, 720), (1366, 768), (1920, 1080)] if width > NARROW else [(390, 844)]:
        sized(page, *size)
        expect(page.locator("#figure-gradient .brief")).not_to_have_text("")
        assert page.evaluate(_CUT) == []


def test_a_pinned_a_is_named_and_a_missing_difference_says_why(desk: Desk) -> None:
    page = desk("")
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
def test_the_strips_of_the_map_name_their_marks(desk: Desk, query: str) -> None:
    page = desk(f"{mapped.QUERY}{query}")
    mapped.wait(page)
    legend = page.locator(".strips-legend")
    expect(legend).to_have_text(text("ko" if "ko" in query else "en", "map.strips_legend"))
    expect(legend).to_be_visible()
    require_inside(page, *boxes(page, ".strips-legend"))
    # the dots are dark on a light page and light on a dark one
    assert not {"dark", "white", "black", "light"} & set(re.findall(r"\w+", legend.inner_text().lower()))
    assert not re.search("어두|밝은|흰|검은", legend.inner_text())


def test_whys_factor_names_its_curves_and_presented_leaves_them_height(desk: Desk) -> None:
    page = desk("page=why&present=1&predict=false")
    page.locator("#figure-temperature[data-painted]").wait_for()
    legend = page.locator("#figure-mechanism-maps .legends")
    expect(legend).to_contain_text(text("en", "figure.temperature.largest_weight"))
    for panel in page.evaluate("document.querySelector('#figure-temperature').living.panels.map(({ box }) => box)"):
        assert panel["bottom"] - panel["top"] > 45
    require_inside(page, *boxes(page, "#figure-mechanism-maps .legends .entry"))
    require_apart(*boxes(page, "#figure-mechanism-maps canvas.cells", "#figure-mechanism-maps .legends"))


def test_in_a_talk_all_sentences_but_the_first_are_one_press_away(desk: Desk) -> None:
    page = desk("page=why&present=1&predict=false")
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


@pytest.mark.parametrize("lang", ["", "&lang=ko"])
def test_whys_factor_is_named_by_its_tab_and_where_it_stands_alone_by_its_title(desk: Desk, lang: str) -> None:
    page = desk(f"page=why&predict=false{lang}", (1366, 768))
    page.locator("#figure-temperature[data-painted]").wait_for()
    title = page.locator("#figure-temperature .figure h2")
    width = "(title) => title.getBoundingClientRect().width"
    assert title.evaluate(width) <= 1
    page.locator("#figure-temperature .enlarge").click()
    page.wait_for_function("() => document.documentElement.classList.contains('focusing')")
    assert title.evaluate(width) > 50
