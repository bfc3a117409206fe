"""Explore is one screen: what a control changes is in sight while it moves, at every size, with one head or sixteen."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.boxes import SIZES, Box, boxes, require_apart, require_inside, require_still, require_together
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
def wide(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page()


def every_state(page: Page, app_url: str) -> Any:
    """Move one visit through all numbers of heads in both languages."""
    for lang in LANGUAGES:
        page.goto(f"{app_url}?lang={lang}")
        drawn.wait_painted(page, query(AttentionConfig(), View(lang=lang), chosen_language=True))
        for h in HEADS:
            controls.slide(page, "h", h)
            drawn.wait_painted(page, query(AttentionConfig(h=h), View(lang=lang), chosen_language=True))
            yield lang, h


@pytest.mark.parametrize("size", DESKTOPS, ids=str)
def test_everything_stands_on_one_screen(wide: Page, app_url: str, size: tuple[int, int]) -> None:
    wide.set_viewport_size({"width": size[0], "height": size[1]})
    for _, h in every_state(wide, app_url):
        require_together(wide, "#banner", "#insight", "#controls", "#stage-row", "#figure-heat-maps", *PANELS)
        require_inside(wide, *boxes(wide, "#controls > :not(#group-more, #message)", ".insight", "#pin"))
        for panel in PANELS:
            head, chart = require_together(wide, f"{panel} header", f"{panel} .chart-area")
            assert chart.height > 2 * head.height, f"{panel} has room for its curves"
        require_heads(wide, h)
        require_largest(wide)


@pytest.mark.parametrize("size", DESKTOPS, ids=str)
def test_a_row_and_a_pinned_state_share_the_screen(wide: Page, app_url: str, size: tuple[int, int]) -> None:
    wide.set_viewport_size({"width": size[0], "height": size[1]})
    config, view = AttentionConfig(d_k=512, mask="causal"), View(row=30)
    link = query(config, view, pinned="scaling=none")
    wide.goto(f"{app_url}?{link}")
    drawn.wait_painted(wide, link)
    of_row = [f"#figure-{name}" for name in drawn.OF_ROW]
    require_together(wide, "#banner", "#insight", "#controls", "#stage-row", "#figure-heat-maps", *of_row, *PANELS)
    for figure in (*of_row, *PANELS):
        head, stage = require_together(wide, f"{figure} header", f"{figure} .stage")
        assert stage.height > 2 * head.height, f"{figure} has room"
    require_heads(wide, 8)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_leaves_the_stages_their_line(wide: Page, app_url: str, lang: str) -> None:
    """In the narrowest window the maps are narrower than their four stages and their tools."""
    wide.set_viewport_size({"width": 1024, "height": 640})
    link = query(AttentionConfig(), View(lang=lang, row=3), chosen_language=True)
    wide.goto(f"{app_url}?{link}")
    drawn.wait_painted(wide, link)
    stages = require_together(wide, "#control-stage label", "#pin")
    assert len({stage.top for stage in stages[:-1]}) == 1
    require_apart(*boxes(wide, "#figure-heat-maps .colour-bar", "#figure-heat-maps .tools > *"))
    require_together(wide, "#stage-row", "#figure-heat-maps", "#row-detail", *PANELS)


@pytest.mark.parametrize("size", PHONES, ids=str)
def test_a_phone_shows_all_heads_one_panel_and_one_control(
    open_page: Callable[..., Page], app_url: str, size: tuple[int, int]
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    page = open_page(viewport=viewport, is_mobile=True, has_touch=True)
    for _, h in every_state(page, app_url):
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
    swipe(page, size)


def swipe(page: Page, size: tuple[int, int]) -> None:
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
    assert first.width > 0.93 * best, f"{len(maps)} maps of {first.width} could be {best:.0f} wide in {_told(stage)}"


def _told(box: Box) -> str:
    return f"{box.width:.0f} × {box.height:.0f}"
