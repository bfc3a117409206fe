"""What only some visitors use is not shown before its own style sheet is there."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn
from tests.browser.held import Held

WANTED = (
    ("lesson", "lesson=why-sqrt-d-k&step=2&lang=ko", (), "#lesson"),
    ("lesson", "lang=ko", ("#lessons-open > summary",), ".lesson-entry >> nth=0"),
    ("lesson", "lang=en", ("#help-open",), "#help"),
    ("share", "lang=en", ("#share-open",), "#share"),
    ("class", "lang=en", ("#room-open",), "#room-begin"),
)
"""The style sheet; a link and what is pressed there; what then is shown."""

RULES = "(name) => [...document.styleSheets].some((one) => one.href?.endsWith(`/css/${name}.css`))"


@pytest.mark.parametrize(("style", "query", "presses", "shown"), WANTED, ids=[shown for *_, shown in WANTED])
def test_nothing_is_shown_undressed(
    open_page: Callable[..., Page], style: str, query: str, presses: tuple[str, ...], shown: str
) -> None:
    page = open_page(new=True)
    held = Held(page, f"**/css/{style}.css")
    with page.expect_request(f"**/css/{style}.css"):
        page.goto(f"{page.url.split('?')[0]}?{query}")
        drawn.wait_painted(page)
        for one in presses:
            button = page.locator(one)
            (button if button.is_visible() else controls.reveal(page, one)).click()
    page.evaluate("async () => { for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame); }")
    assert page.locator(shown).count() == 0
    assert not page.evaluate(RULES, style)
    held.release()
    page.locator(shown).wait_for()
    assert page.evaluate(RULES, style)


@pytest.mark.parametrize(("style", "menu"), [("lesson", "#lessons-open"), ("class", ".menu.room")])
def test_a_menu_is_busy_until_it_is_filled(open_page: Callable[..., Page], style: str, menu: str) -> None:
    page = open_page(new=True)
    held = Held(page, f"**/css/{style}.css")
    with page.expect_request(f"**/css/{style}.css"):
        page.locator(f"{menu} > summary").click()
    expect(page.locator(f"{menu} [aria-busy]")).to_have_attribute("aria-busy", "true")
    held.release()
    expect(page.locator(f"{menu} [aria-busy]")).to_have_attribute("aria-busy", "false")
    assert page.locator(f"{menu} button:visible").count() > 0
