"""A link restores the page exactly, and no content of a link does harm."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from attention_core import BOUNDS, AttentionConfig
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows, picture, query
from visualiser.state.view import View

MARKUP = '<b>x</b> <img src=q onerror="window.harmed=1"> &lt; $a^2$ <b>x</b> =1+1'


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page(permissions=["clipboard-read", "clipboard-write"])


def notices(page: Page) -> list[str]:
    return page.locator(".notices li").all_inner_texts()


def visit(page: Page, app_url: str, **parameters: object) -> None:
    page.goto(f"{app_url}?{urlencode(parameters)}")
    drawn.wait_painted(page)


def test_a_copied_link_opens_the_very_same_page(page: Page, app_url: str, open_page: Callable[..., Page]) -> None:
    visit(page, app_url, n=11, h=3, source="text", text="α β α 🙂 <b>x</b>", seed=7, mask="window", window=2)
    controls.slide(page, "d_k", 33)
    controls.choose(page, "stage", "masked")
    common = {
        "h": 3,
        "source": "text",
        "text": "α β α 🙂 <b>x</b>",
        "seed": 7,
        "mask": "window",
        "window": 2,
        "d_k": 33,
    }
    config = AttentionConfig(**common, scaling="custom", scale=0.3)
    pinned = query(AttentionConfig(**common), View(stage="masked"))
    drawn.wait_painted(page, pinned)  # what is pinned is what is on screen
    page.locator("#pin").click()
    controls.choose(page, "scaling", "custom")
    controls.write(page, "scale", 0.3)
    controls.choose(page, "stage", "weights")
    controls.choose(page, "colour", "log")
    controls.write(page, "row", 2)
    drawn.wait_painted(page, query(config, View(colour="log", row=2), pinned=pinned))
    controls.press(page, "#take-link")
    page.get_by_text("The link is copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    page.wait_for_function("(link) => location.href === link", arg=link)  # the address is the same link
    other = open_page(link.split("?")[1])
    assert drawn.wait_painted(other) == drawn.wait_painted(page)
    assert picture(other) == picture(page)
    shown = {name: value for name, value in controls.shown(page).items() if name != "n"}
    controls.wait_shown(other, **shown)
    assert not notices(other)


def test_a_link_holds_only_what_differs(page: Page, app_url: str) -> None:
    visit(page, app_url, n=32, h=8, d_k=64, seed=0, mechanism="dot_product", stage="weights", mask="causal", row=1)
    assert drawn.wait_painted(page) == "mask=causal&row=1"
    page.wait_for_function("() => location.search === '?mask=causal&row=1'")
    assert_page_shows(page, AttentionConfig(mask="causal"), View(row=1))


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("n", "100000", BOUNDS["n"].maximum),
        ("n", "-4", BOUNDS["n"].minimum),
        ("h", "0", 1),
        ("d_k", "1e9", BOUNDS["d_k"].maximum),
        ("d_model", "7", BOUNDS["d_model"].minimum),
        ("seed", "99999999999999999999", BOUNDS["seed"].maximum),
        ("h", "three", 8),
        ("n", "nan", 32),
        ("d_k", "", 64),
        ("mechanism", "flash", "dot_product"),
        ("stage", "<script>", "weights"),
        ("tie", "perhaps", True),
    ],
)
def test_what_is_out_of_range_becomes_the_nearest_with_a_notice(
    page: Page, app_url: str, name: str, value: str, used: object
) -> None:
    visit(page, app_url, **{"seed": 1, name: value})
    (notice,) = notices(page)
    assert name in notice
    assert value[:10] in notice
    assert controls.shown(page)[name] == used
    values: dict[str, Any] = {} if name == "stage" else {name: used}
    assert_page_shows(page, AttentionConfig(**{"seed": 1, **values}))


def test_unknown_parameters_are_ignored_and_several_problems_all_told(page: Page, app_url: str) -> None:
    visit(
        page, app_url, utm="x", __proto__="1", constructor="2", onload="alert(1)", h=99, head=40, row=900, colour="red"
    )
    assert len(notices(page)) == 4
    assert_page_shows(page, AttentionConfig(h=16), View(head=16, row=31))


def test_markup_in_a_text_is_shown_and_never_run(page: Page, app_url: str) -> None:
    visit(page, app_url, source="text", text=MARKUP, split="words", row=0)
    result = assert_page_shows(page, AttentionConfig(source="text", text=MARKUP), View(row=0))
    assert result.tokens is not None
    assert page.evaluate("window.harmed") is None
    assert page.locator("#figures :is(b, img)").count() == 0
    assert controls.shown(page)["text"] == MARKUP
    _, lines = drawn.table(page, "heat-maps")
    assert tuple(line[1] for line in lines[1:]) == result.tokens
    panel = drawn.panels(page)[0]
    page.mouse.move(*drawn.in_view(page, *panel.centre(0, 0)))
    page.wait_for_function("() => document.querySelector('.tip span').textContent.includes('→')")
    assert page.locator(".tip *:not(strong, span)").count() == 0
    assert f"“{result.tokens[0]}”" in page.locator(".tip span").inner_text()
    assert page.evaluate("document.querySelectorAll('#figures script').length") == 0


def test_a_text_that_is_too_long_is_cut_with_a_notice(page: Page, app_url: str) -> None:
    visit(page, app_url, source="text", text="a " * 600, h=1)
    (notice,) = notices(page)
    assert "512" in notice
    assert drawn.panels(page)[0].y[0] == 511.5


def test_a_pin_in_a_link_is_read_by_the_same_rules(page: Page, app_url: str) -> None:
    visit(page, app_url, n=5, pin="n=5&h=99&pin=h=2&evil=1")
    assert drawn.wait_painted(page) == query(AttentionConfig(n=5), pinned=query(AttentionConfig(n=5, h=16)))
    assert len(drawn.panels(page)) == 8
    page.locator("#side-all").click()
    page.wait_for_function("document.querySelectorAll('#figure-heat-maps canvas.cells:not([hidden])').length === 24")
    assert len(drawn.panels(page)) == 8 + 16


def test_a_link_to_an_upload_shows_random_tensors_and_says_so(page: Page, app_url: str) -> None:
    visit(page, app_url, source="upload", n=6)
    (notice,) = notices(page)
    assert "own file" in notice
    assert_page_shows(page, AttentionConfig(n=6))


def test_without_the_clipboard_the_link_is_offered_for_copying_by_hand(open_page: Callable[..., Page]) -> None:
    none = "delete Navigator.prototype.clipboard; document.execCommand = () => false;"
    page = open_page("n=5&h=2", init_script=none)
    controls.press(page, "#take-link")
    fallback = page.locator("textarea.fallback")
    fallback.wait_for()
    assert fallback.input_value() == page.url
    selected = page.evaluate(
        "(() => { const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd); })()"
    )
    assert json.dumps(selected) == json.dumps(page.url)
