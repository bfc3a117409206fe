"""Explore is one screen: what a control changes is in sight while it moves, at every size, with one head or sixteen."""

import math
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig
from tests.browser import drawn
from tests.browser.boxes import SIZES, Box, boxes, require_apart, require_inside, require_still, require_together
from tests.browser.brought import Desk
from tests.browser.comparison import query
from visualiser.state.view import View

HEADS = (1, 3, 8, 16)
LANGUAGES = ("en", "ko")
PANELS = tuple(f"#figure-{name}" for name in ("score-distribution", "entropy", "gradient"))
DESKTOPS = tuple(size for size in SIZES if size[0] >= 1024)
PHONES = tuple(size for size in SIZES if size[0] < 1024)

LEGIBLE = 11
"""CSS pixels of the smallest type."""
BAR = 120
"""CSS pixels: the most that a phone's controls may take of its height."""

_TITLES = """(titles) => titles.filter((one) => one.checkVisibility()).map((one) => ({ text: one.innerText,
  size: parseFloat(getComputedStyle(one).fontSize), cut: one.scrollWidth - one.clientWidth }))"""


@pytest.fixture(scope="module")
def desk(open_module_page: Callable[..., Page]) -> Desk:
    return Desk(open_module_page)


@pytest.fixture(scope="module")
def held(open_module_page: Callable[..., Page]) -> Desk:
    """Return phones."""
    return Desk(open_module_page, is_mobile=True, has_touch=True)


def every_state(desk: Desk, size: tuple[int, int]) -> Iterator[tuple[Page, int]]:
    """Bring one visit in each language through all numbers of heads."""
    for lang in LANGUAGES:
        for h in HEADS:
            yield desk(query(AttentionConfig(h=h), View(lang=lang), chosen_language=True), size), h


@pytest.mark.parametrize("size", DESKTOPS, ids=str)
def test_everything_stands_on_one_screen(desk: Desk, size: tuple[int, int]) -> None:
    for wide, h in every_state(desk, size):
        require_together(wide, "#banner", "#insight", "#controls", "#stage-row", "#figure-heat-maps", *PANELS)
        require_inside(wide, *boxes(wide, "#controls > :not(#group-more, #message)", ".insight", "#pin"))
        for panel in PANELS:
            head, chart = require_together(wide, f"{panel} header", f"{panel} .chart-area")
            assert chart.height > 2 * head.height, f"{panel} has room for its curves"
        require_heads(wide, h)
        require_largest(wide)


@pytest.mark.parametrize("size", DESKTOPS, ids=str)
def test_a_row_and_a_pinned_state_share_the_screen(desk: Desk, size: tuple[int, int]) -> None:
    config, view = AttentionConfig(d_k=512, mask="causal"), View(row=30)
    wide = desk(query(config, view, pinned="scaling=none"), size)
    of_row = [f"#figure-{name}" for name in drawn.OF_ROW]
    require_together(wide, "#banner", "#insight", "#controls", "#stage-row", "#figure-heat-maps", *of_row, *PANELS)
    for figure in (*of_row, *PANELS):
        head, stage = require_together(wide, f"{figure} header", f"{figure} .stage")
        assert stage.height > 2 * head.height, f"{figure} has room"
    require_heads(wide, 8)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_leaves_the_stages_their_line(desk: Desk, lang: str) -> None:
    """In the narrowest window the maps are narrower than their four stages and their tools."""
    wide = desk(query(AttentionConfig(), View(lang=lang, row=3), chosen_language=True), (1024, 640))
    stages = require_together(wide, "#control-stage label", "#pin")
    assert len({stage.top for stage in stages[:-1]}) == 1
    require_apart(*boxes(wide, "#figure-heat-maps .colour-bar", "#figure-heat-maps .tools > *"))
    require_together(wide, "#stage-row", "#figure-heat-maps", "#row-detail", *PANELS)


@pytest.mark.parametrize("size", PHONES, ids=str)
def test_a_phone_shows_all_heads_one_panel_and_one_control(held: Desk, size: tuple[int, int]) -> None:
    for page, h in every_state(held, size):
        require_together(page, "#banner", "#insight", "#controls", "#figure-heat-maps")
        require_heads(page, h)
        require_largest(page)
        (bar,) = boxes(page, "#controls")
        assert bar.height <= BAR or bar.width < size[0] / 4, "a bar below, or a column beside on a phone that lies"
        first, second = (boxes(page, panel)[0] for panel in PANELS[:2])
        require_inside(page, first)
        require_apart(first, bar, *boxes(page, "#figure-heat-maps"))
        peeks = second.left < size[0] - 10 and second.top < size[1] - 10
        assert peeks or page.locator(".dots button >> visible=true").count() == len(PANELS), "a sign of the others"
        if h == HEADS[-1]:
            swipe(page)


def swipe(page: Page) -> None:
    """Expect each panel to come wholly into sight."""
    for panel in PANELS:
        page.locator(panel).evaluate("(one) => one.scrollIntoView({ behavior: 'instant', inline: 'start' })")
        require_inside(page, *boxes(page, panel))
        require_still(page)


def require_heads(page: Page, h: int) -> None:
    """Expect every head in the window: square cells, apart, each below a title that can be read."""
    maps = boxes(page, "#figure-heat-maps canvas.cells")
    titles = boxes(page, "#figure-heat-maps .panel-title")
    assert len(maps) == len(titles) == h
    require_inside(page, *maps, *titles)
    require_apart(*maps, *titles, *boxes(page, "#figure-heat-maps header"))
    for title, cells in zip(titles, maps, strict=True):
        assert cells.width == pytest.approx(cells.height, abs=1), "cells are square"
        assert abs(title.bottom - cells.top) < title.height, "the title stands over its head"
    for i, found in enumerate(page.locator("#figure-heat-maps .panel-title").evaluate_all(_TITLES), 1):
        assert str(i) in found["text"].split()
        assert found["cut"] <= 0, f"{found} is cut"
        assert found["size"] >= LEGIBLE


def require_largest(page: Page) -> None:
    """Expect the size of the maps that the best number of columns allows, from the room and the gaps on the screen.

    A grid without a hole in its last line is preferred to one whose cells are up to 5 % wider.
    """
    (stage,) = boxes(page, "#figure-heat-maps .stage")
    maps = boxes(page, "#figure-heat-maps canvas.cells")
    titles = boxes(page, "#figure-heat-maps .panel-title")
    words = boxes(page, "#figure-heat-maps .word")
    first = maps[0]
    beside = first.left - min(word.left for word in words)
    below = max(word.bottom for word in words) - max(one.bottom for one in maps)
    above = first.top - titles[0].top
    across = min((one.left - first.right for one in maps if one.left > first.right), default=8.0)
    down = min((one.top - first.bottom for one in maps if one.top > first.bottom), default=above + 4)
    width, height = stage.width - beside, stage.height - below

    def side(columns: int) -> float:
        lines = math.ceil(len(maps) / columns)
        return min((width - (columns - 1) * across) / columns, (height - above - (lines - 1) * down) / lines)

    full = [columns for columns in range(1, len(maps) + 1) if len(maps) % columns == 0]
    best = max(*(side(columns) for columns in full), *(0.95 * side(columns) for columns in range(1, len(maps) + 1)))
    assert first.width > 0.93 * best, f"{len(maps)} maps of {first.width} could be {best:.0f} wide in {_size(stage)}"


def _size(box: Box) -> str:
    return f"{box.width:.0f} × {box.height:.0f}"
