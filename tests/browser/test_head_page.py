"""The page of one head: from a head in one press, its passages shaded by what the head reads, and back to the text."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import corpus_texts, shipped_model
from tests.browser.modelled import painted

SHADES = """strip => [...strip.querySelectorAll(".token")].map((token) =>
  parseFloat(token.style.getPropertyValue("--share")))"""


def test_a_head_over_many_texts_from_the_model_in_one_press_and_back(led_page: Callable[..., Page]) -> None:
    page = led_page("page=model&layer=2&head=1", painted=False)
    painted(page)
    page.get_by_role("button", name="many texts").click()
    page.locator("#head-page[data-painted*='texts=synthetic'] .head-measures").wait_for()
    expect(page.locator("#head-page h2")).to_have_text("Head 2.1 over many texts")
    expect(page.locator("#figure-head-map")).to_be_hidden()
    expect(page.locator("#insight")).to_be_hidden()
    # the passage is one of those that the model read, and its tokens are shaded by the row that is pointed at
    strip = page.locator("#head-page .token-strip:not(.is-plain)").first
    strip.wait_for()
    tokens = strip.locator(".token").all_inner_texts()
    run = next(
        one
        for one in map(shipped_model("headlight").run, (text.rpartition(" ")[0] for text in corpus_texts(40)))
        if [*one.tokens] == tokens
    )
    strip.locator(".token").nth(9).hover()
    weights = run.layers[1].weights[0, 9]
    assert strip.evaluate(SHADES) == pytest.approx([72 * float(weight) ** 0.5 for weight in weights], abs=0.05)
    # another measure sorts anew, another head is one press away, and all of it is in the link
    page.get_by_role("button", name="same token").click()
    page.locator("#head-page[data-painted*='by=same_token']").wait_for()
    page.get_by_role("button", name="Go to head 2.2").click()
    expect(page.locator("#head-page h2")).to_have_text("Head 2.2 over many texts")
    expect(page).to_have_url(re.compile(r"head=2.*texts=synthetic.*by=same_token"))
    # a passage opens as the text of the page Model
    text = page.locator("#head-page .token-strip:not(.is-plain)").first.locator(".token").all_inner_texts()
    page.get_by_role("button", name="open this text").first.click()
    painted(page, head="2", texts=None)
    expect(page.locator("#head-page")).to_be_hidden()
    assert page.locator("#model-text .token").all_inner_texts() == text
