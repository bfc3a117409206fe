"""The Map page as its visitors open it: a link, a text, a mask, a phone, a first step."""

from collections.abc import Callable

import pytest
import torch
from playwright.sync_api import Page

from tests.browser import mapped
from tests.browser.mapped import QUERY, assert_painted, pooled, view, wait, wheel


def test_a_step_into_the_map_finds_its_tiles_there(open_page: Callable[..., Page]) -> None:
    """The next step is fetched once everything in sight is there; after that no server is needed."""
    page = open_page(QUERY, painted=False)
    wait(page)
    # the entry appears when the last tile has come
    page.wait_for_function("() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/tiles'))")
    page.route("**/page/map/tiles", lambda route: None)  # never answered
    link = wheel(page, 0.3, 0.6, -200)
    assert view(link).across == pytest.approx(750, abs=0.01)
    level2 = pooled(mapped.weights()[0], 4, maximum=False)
    near = view(link)
    rows = slice(int(near.top) // 512 * 128, (int(near.top + near.down) // 512 + 1) * 128)
    columns = slice(int(near.left) // 512 * 128, (int(near.left + near.across) // 512 + 1) * 128)
    assert_painted(page, near, level2, 4, scaled_by=level2[rows, columns])


def test_the_window_of_a_link_is_restored(open_page: Callable[..., Page]) -> None:
    link = f"{QUERY}&head=2&row=1003&pooling=maximum&left=901.25&top=850.5&across=300"
    page = open_page(link, painted=False)
    wait(page, *link.split("&"))
    page.wait_for_function("(link) => document.getElementById('figure-row').dataset.painted === link", arg=link)
    assert page.evaluate("location.search.slice(1)") == link
    level1 = pooled(mapped.weights()[1], 2, maximum=True)
    assert_painted(page, view(link), level1, 2, scaled_by=level1[256:768, 256:768])
    assert "1003" in page.locator(".row-numbers dd").first.inner_text()


def test_tokens_are_labels_and_never_markup(open_page: Callable[..., Page]) -> None:
    page = open_page("source=text&text=the+cat+%3Cb%3Esat%3C%2Fb%3E+on+the+mat&page=map&h=2&lang=ko", painted=False)
    wait(page)
    words = ["the", "cat", "<", "b", ">", "sat", "<", "/", "b", ">", "on", "the", "mat"]
    assert page.locator(".map-rows span").all_inner_texts() == [f"{word} {row}" for row, word in enumerate(words)]
    assert page.locator(".map-rows b, .map-columns b").count() == 0
    assert page.locator("html").get_attribute("lang") == "ko"
    shown = page.locator("#map").inner_text()
    assert "map." not in shown
    assert "전체" in page.locator("#map-all").inner_text()


def test_masked_cells_are_hatched(open_page: Callable[..., Page]) -> None:
    page = open_page("n=300&h=2&mask=causal&page=map", painted=False)
    wait(page)
    pixels, *_ = mapped.seen(page, mapped.View(0, 0, 300, 300), 2, n=300)
    alpha = pixels[..., 3]
    rows, columns = torch.arange(150)[:, None], torch.arange(150)[None, :]
    assert ((alpha > 0) == (columns <= rows).numpy()).all()
    assert page.locator(".masked-legend").count() == 1


def test_a_phone_shows_the_strips_below(open_page: Callable[..., Page]) -> None:
    page = open_page("n=300&h=2&page=map", painted=False, viewport={"width": 390, "height": 844})
    wait(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    map_box, strip = (page.locator(name).first.bounding_box() for name in (".map-cells", ".strip-cells"))
    assert map_box is not None
    assert strip is not None
    assert strip["y"] > map_box["y"] + map_box["height"]
    assert strip["width"] == pytest.approx(map_box["width"], abs=1)
