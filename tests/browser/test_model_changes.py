"""The controls that change the running model: what they write, what the page then shows, and the way back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_core.changes import Factor, Hide, Mute
from attention_core.learned import shipped_model
from tests.browser.boxes import boxes
from tests.browser.modelled import TEXT, painted, require_shaded, shown
from tests.browser.test_model import opened
from tests.browser.test_phone import STANDING, phone
from visualiser.locale import text

MODEL = shipped_model("headlight")
MAP = '.small-maps button[data-head="2.1"] canvas'


def unfold(page: Page) -> None:
    page.locator("#change-model summary").click()


def chips(page: Page) -> list[str]:
    return page.locator(".change-chip span").all_inner_texts()


def pixels(page: Page) -> str:
    return page.locator(MAP).evaluate("(canvas) => canvas.toDataURL()")


def test_a_muted_head_changes_a_later_map_and_one_click_brings_it_back(
    led_page: Callable[..., Page],
) -> None:
    page = opened(led_page)
    link, before = shown(page), pixels(page)
    unfold(page)
    expect(page.locator(".changes-none")).to_have_text(text("en", "changes.none"))
    page.locator("#change-head").get_by_label("muted").check(force=True)
    painted(page, changes="mute@1.1")
    assert chips(page) == ["1.1 muted"]
    expect(page.locator('.small-maps button[data-head="1.1"]')).to_contain_text("muted")
    expect(page.locator("#insight")).to_contain_text("muted")
    assert pixels(page) != before
    page.locator('.small-maps button[data-head="2.1"]').click()
    painted(page, changes="mute@1.1", layer="2")
    require_shaded(page, MODEL.run(TEXT, changes=[Mute(0, 0)]), 2, 1, 19)
    page.locator('.small-maps button[data-head="1.1"]').click()
    painted(page, changes="mute@1.1", layer=None)
    page.locator(".change-chip button").click()
    painted(page, changes=None, layer=None)
    assert shown(page) == link
    assert pixels(page) == before
    assert chips(page) == []
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    require_shaded(page, MODEL.run(TEXT), 1, 1, 19)


def test_a_chip_says_that_another_change_overrules_it(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&changes=factor:4@1.1,mute@1.1")
    unfold(page)
    idle, acts = page.locator(".change-chip").all()
    expect(idle.locator("em")).to_have_text("overruled")
    expect(idle.locator("em")).to_have_attribute("title", text("en", "changes.overruled_why"))
    expect(acts.locator("em")).to_have_count(0)
    acts.locator("button").click()
    painted(page, changes="factor:4@1.1")
    expect(page.locator(".change-chip em")).to_have_count(0)


def test_a_dragged_factor_is_painted(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2")
    unfold(page)
    slider = page.locator("#change-factor")
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], y, steps=6)
    page.mouse.up()
    factor = float(page.locator("#change-model output").inner_text().removeprefix("× "))
    assert 3 < factor < 5
    painted(page, changes=f"factor:{factor:.3g}")
    require_shaded(page, MODEL.run(TEXT, changes=[Factor(factor)]), 2, 1, 19)
    slider.focus()
    page.keyboard.press("Home")
    painted(page, changes="factor:0")
    assert chips(page) == ["factor × 0"]
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    painted(page, changes=None)


def test_a_head_is_muted_beside_its_map(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2&head=2")
    mute = page.locator(".mute-head").last  # after the way to the head's own page
    mute.focus()
    page.keyboard.press("Enter")
    painted(page, changes="mute@2.2")
    expect(mute).to_be_focused()
    assert chips(page) == ["2.2 muted"]
    expect(mute).to_have_text(text("en", "changes.run_this", head="2.2"))
    mute.click()
    painted(page, changes=None)


def test_changes_act_where_they_are_told_to(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2&row=19&key=4")
    unfold(page)
    page.locator("#change-where").get_by_label("layer 2").check(force=True)
    page.locator("#change-hide").click()
    painted(page, changes="hide:4@2")
    require_shaded(page, MODEL.run(TEXT, changes=[Hide(4, layers={1})]), 2, 1, 19)
    page.locator("#change-weights").get_by_label("sink").check(force=True)
    painted(page, changes="hide:4@2,sink:0@2")
    page.locator("#change-sink-value").fill("2.5")
    painted(page, changes="hide:4@2,sink:2.5@2")
    page.locator("#change-other").select_option("1.2")
    painted(page, changes="hide:4@2,sink:2.5@2,replace:1.2@2.1")
    page.locator("#change-mask").get_by_label("Causal").check(force=True)
    page.locator("#change-causal-value").fill("3")
    painted(page, changes="hide:4@2,sink:2.5@2,replace:1.2@2.1,causal:3@2")
    assert len(chips(page)) == 4
    page.locator("#changes-undo").click()
    painted(page, changes=None)


def test_what_a_link_cannot_have_is_said(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&changes=mute@1.1,mute@7.1,%3Cb%3Ehello")
    assert chips(page) == ["1.1 muted"]
    expect(page.locator("#message")).to_contain_text("mute@7.1")
    expect(page.locator("#message")).to_contain_text("<b>hello")
    assert page.locator("#message b").count() == 0
    painted(page, changes="mute@1.1")


def test_korean_and_another_model(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&lang=ko&changes=mute@1.1,factor:2.5@1")
    assert chips(page) == ["1.1 끔", "스케일링 계수 × 2.5(1층)"]
    expect(page.locator("#change-model summary")).to_contain_text("모델 바꾸기")
    page.locator("#control-model").get_by_label("층 1개").check(force=True)
    painted(page, model="headlight-one-layer", changes=None)
    assert chips(page) == []


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_on_a_phone_it_is_one_of_the_controls(open_page: Callable[..., Page], lang: str) -> None:
    page = opened(open_page, f"&lang={lang}&changes=factor:2", **phone(STANDING))
    name = text(lang, "control.changes.label")
    page.locator(".control-names button", has_text=name).tap()
    expect(page.locator("#change-model .changes")).to_be_visible()
    (undo,) = boxes(page, ".change-chip button")
    assert min(undo.width, undo.height) >= 24
    page.locator(".change-chip button").tap()
    painted(page, changes=None)


def test_a_state_is_pinned_compared_swapped_and_unpinned_by_one_click(led_page: Callable[..., Page]) -> None:
    page = opened(led_page)
    unfold(page)
    page.locator("#change-head").get_by_label("muted").evaluate("(box) => box.click()")
    painted(page, changes="mute@1.1")
    line, swap = page.locator(".changes-against"), page.locator("#changes-swap")
    expect(line).to_be_hidden()
    page.locator("#changes-pin").click()
    painted(page, changes="mute@1.1", against="mute@1.1")
    expect(line).to_contain_text("A: 1.1 muted")
    expect(page.locator("#changes-pin")).to_have_count(0)
    page.locator("#change-head").get_by_label("uniform").evaluate("(box) => box.click()")
    painted(page, changes="uniform@1.1", against="mute@1.1")
    legend = page.locator("#figure-model-says .chart-legend .entry")
    expect(legend).to_have_text(["A", "B"])
    swap.click()
    painted(page, changes="mute@1.1", against="uniform@1.1")
    assert chips(page) == ["1.1 muted"]
    expect(line).to_contain_text("A: 1.1 uniform")
    page.locator(".against-chip button").click()
    painted(page, changes="mute@1.1", against=None)
    expect(line).to_be_hidden()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.locator(".change-chip button").click()
    painted(page, changes=None, against=None)
