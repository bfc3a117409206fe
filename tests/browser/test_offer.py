"""The suggestion beside the sentence is a button: pressing it brings the state that it promises."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls, drawn
from visualiser.locale import text

STEPS = [
    ("", "en", "unscale", {}, "scaling=none"),
    ("scaling=none&seed=3", "ko", "scale", {}, "seed=3&lang=ko"),
    ("d_k=2&scaling=none", "en", "d_k", {"d_k": 16}, "d_k=16&scaling=none"),
    ("d_k=512&scaling=d_k", "ko", "too_small", {}, "d_k=512&lang=ko"),
    ("mechanism=additive&n=8", "en", "compare_unscaled", {}, "n=8&scaling=none&pin=n%3D8%26mechanism%3Dadditive"),
]


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("")


@pytest.mark.parametrize(("query", "lang", "name", "fields", "reached"), STEPS, ids=[step[2] for step in STEPS])
def test_pressing_the_suggestion_reaches_the_promised_state(
    page: Page, app_url: str, query: str, lang: str, name: str, fields: dict[str, int], reached: str
) -> None:
    page.goto(f"{app_url}?{query}" + (f"&lang={lang}" if lang == "ko" else ""))
    offer = page.locator("#insight .offer")
    offer.wait_for()
    plain = (offer.text_content() or "").replace("→", "").strip()
    assert plain == text(lang, f"insight.try.{name}", **fields)
    offer.focus()
    page.keyboard.press("Enter")
    drawn.wait_painted(page, reached)
    controls.wait_shown(page, scaling="none" if "scaling=none" in reached else "sqrt_d_k")
