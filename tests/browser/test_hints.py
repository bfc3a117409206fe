"""Choices whose word does not explain itself say what they mean, under the pointer and beside the keyboard's focus."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.boxes import boxes, require_inside
from visualiser.locale import text


def choice(page: Page, name: str, value: str) -> Locator:
    return page.locator(f"#control-{name} label", has=page.locator(f"input[value='{value}']"))


@pytest.mark.parametrize("query", ["", "lang=ko", "present=1"])
def test_a_choice_is_explained_under_the_pointer(led_page: Callable[..., Page], query: str) -> None:
    page = led_page(query)
    tip = page.locator(".choice-tip")
    expect(tip).to_be_hidden()
    lang = "ko" if "ko" in query else "en"
    for name, value in (("mask", "causal"), ("mechanism", "additive")):
        choice(page, name, value).hover()
        expect(tip).to_be_visible()
        hint = text(lang, f"hint.{name}.{value}")
        expect(choice(page, name, value).locator("input")).to_have_accessible_description(hint)
        assert hint[:12] in (tip.text_content() or "")
        require_inside(page, *boxes(page, ".choice-tip"))
    page.mouse.move(700, 5)
    expect(tip).to_be_hidden()


def test_the_planted_input_is_explained_to_the_keyboard_until_escape(led_page: Callable[..., Page]) -> None:
    page = led_page("")
    tip = page.locator(".choice-tip")
    choice(page, "source", "gaussian").locator("input").focus()
    page.keyboard.press("ArrowRight")
    expect(choice(page, "source", "structured").locator("input")).to_be_focused()
    expect(tip).to_contain_text("sink")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_a_choice_whose_word_says_it_has_no_hint(led_page: Callable[..., Page]) -> None:
    page = led_page("")
    source, scaling = choice(page, "source", "structured"), choice(page, "scaling", "none")
    source.hover()
    expect(page.locator(".choice-tip")).to_be_visible()
    scaling.hover()
    expect(page.locator(".choice-tip")).to_be_hidden()
    assert scaling.locator("input").get_attribute("aria-describedby") is None


def test_a_page_that_moves_under_a_mouse_at_rest_explains_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9", viewport={"width": 1280, "height": 720})
    tip, box = page.locator(".choice-tip"), choice(page, "stage", "scores").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] + 20)
    page.clock.install()
    # as when a lesson begins: it takes the room of the sentences, and the choices stand under the mouse
    page.evaluate("() => { document.querySelector('#stage-row').style = 'position: relative; z-index: 9; top: 30px'; }")
    expect(page.locator("#control-stage:hover")).to_be_attached()
    page.clock.run_for(2000)
    expect(tip).to_be_hidden()
    page.mouse.move(box["x"] + 42, box["y"] + box["height"] + 21)
    page.clock.run_for(2000)
    expect(tip).to_be_visible()
    expect(tip).to_have_text(text("en", "hint.stage.scores"))


def test_a_hint_goes_when_its_choice_is_pressed_until_the_pointer_has_left(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9")
    tip = page.locator(".choice-tip")
    sink = choice(page, "normalisation", "sink")
    sink.hover()
    expect(tip).to_be_visible()
    page.clock.install()
    sink.click()
    expect(page.locator("#control-sink")).to_be_visible()
    expect(tip).to_be_hidden()
    box = sink.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 6)
    page.clock.run_for(2000)
    expect(tip).to_be_hidden()
    page.mouse.move(box["x"] + 4, box["y"] - 200)
    page.mouse.move(box["x"] + 4, box["y"] + 6)
    page.clock.run_for(2000)
    expect(tip).to_be_visible()


def test_a_tap_leaves_no_hint_over_the_page(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9", viewport={"width": 820, "height": 1180}, has_touch=True)
    page.clock.install()
    choice(page, "stage", "scores").tap()
    page.clock.run_for(2000)
    expect(page.locator("#control-stage input[value=scores]")).to_be_checked()
    expect(page.locator(".choice-tip")).to_be_hidden()
