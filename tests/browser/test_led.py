"""A page that is led to a link shows what an opened one shows; what cannot be put away is left by loading it anew."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls, drawn
from tests.browser.comparison import picture

LINK = "n=9&h=3&mask=causal&row=4"

_MENUS = "document.querySelectorAll('details.menu[open]').length"

LEAVES: dict[str, Callable[[Page], object]] = {
    "a store": lambda page: page.evaluate("localStorage.left = 1"),
    "the dark": lambda page: page.get_by_role("button", name="Dark", exact=True).click(),
    "a fold": lambda page: controls.press(page, "[aria-controls=group-more]"),
}


def test_a_led_page_shows_what_an_opened_one_shows(
    open_page: Callable[..., Page], led_page: Callable[..., Page]
) -> None:
    page = led_page("n=32&head=2", viewport={"width": 390, "height": 844})
    page.evaluate("window.marked = true")
    page.locator("#menus .presets > summary").click()
    assert page.evaluate(_MENUS) == 1
    page.mouse.move(*drawn.in_view(page, *drawn.panels(page)[0].centre(3, 3)))
    assert led_page(LINK) is page
    assert page.evaluate("window.marked"), "nothing was loaded"
    assert page.evaluate(_MENUS) == 0
    assert page.evaluate("[location.search.slice(1), innerWidth, scrollY]") == [LINK, 1360, 0]
    assert page.locator("#figure-heat-maps .tip").is_hidden()
    opened, led = picture(open_page(LINK)), picture(page)
    assert [name for name in opened if opened[name] != led[name]] == []


@pytest.mark.parametrize("what", LEAVES)
def test_what_cannot_be_put_away_is_left_by_loading_the_page(led_page: Callable[..., Page], what: str) -> None:
    page = led_page("n=9&h=2")
    page.evaluate("window.marked = true")
    LEAVES[what](page)
    assert led_page("n=8&h=2") is page
    assert page.evaluate("window.marked") is None
    assert page.evaluate("[localStorage.left ?? null, document.body.classList.contains('dark')]") == [None, False]
    assert page.locator("#group-more").is_hidden()
