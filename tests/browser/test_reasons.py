"""Every number of a sentence and of a title says where it comes from: by pointer, by keyboard and by touch."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import drawn
from tests.browser.boxes import boxes, require_inside
from tests.browser.brought import Desk
from tests.browser.test_accessibility import violations
from tests.checker import equations
from visualiser.locale import text
from visualiser.reasons.kinds import SECTIONS

TIP = ".reason-tip:popover-open"
PHONE = (390, 844)

OPENED = {
    "explore": "",
    "a row": "n=9&h=2&row=4&mask=causal",
    "why": "page=why&n=9&predict=false",
    "anatomy": "page=anatomy&step=output",
    "cost": "page=cost&predict=false",
    "train": "page=train&predict=false",
    "map": "page=map&n=256&predict=false",
}
"""The pages with a sentence whose numbers can be asked."""


@pytest.fixture(scope="module")
def desk(open_module_page: Callable[..., Page]) -> Desk:
    return Desk(open_module_page)


@pytest.fixture(scope="module")
def held(open_module_page: Callable[..., Page]) -> Desk:
    """Return phones."""
    return Desk(open_module_page, is_mobile=True, has_touch=True)


SENTENCE = "#insight p:has(.asked ~ .asked) >> nth=0"


def numbers(page: Page, sentence: str) -> Locator:
    """Return the numbers of a sentence, once they are there; one that stands behind the first is opened."""
    found = page.locator(sentence).locator(".asked")
    found.first.wait_for(state="attached")
    if not found.first.is_visible():
        page.locator(".more-said").click()
    found.first.wait_for()
    return found


def tip_text(page: Page) -> str:
    """Return what the tip says of the number that describes itself by it."""
    tip = page.locator(TIP)
    tip.wait_for()
    number = page.locator("[aria-describedby=reason]")
    expect(number).to_have_count(1)
    require_inside(page, *boxes(page, TIP))
    return tip.locator("#reason").inner_text()


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("opened", OPENED)
def test_a_sentence_is_one_tab_stop_and_arrows_go_through_its_numbers(desk: Desk, opened: str, lang: str) -> None:
    page = desk(f"{OPENED[opened]}&lang={lang}")
    found = numbers(page, SENTENCE)
    plain = page.locator(SENTENCE).text_content()
    stops = found.evaluate_all("(all) => all.map((one) => one.tabIndex)")
    assert stops == [0, *[-1] * (len(stops) - 1)]
    found.first.focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    reasons = []
    for place in range(len(stops)):
        expect(found.nth(place)).to_be_focused()
        reasons.append(tip_text(page))
        page.keyboard.press("ArrowRight")
    assert len(set(reasons)) > 1
    assert not [wrong for one in reasons for wrong in equations.wrong(one)]
    assert page.locator(SENTENCE).text_content() == plain, "a reader hears the sentence and nothing else"
    assert not violations(page, within=None if lang == "en" else f"#insight, {TIP}")
    page.keyboard.press("Enter")
    link = page.locator(f"{TIP} a")
    expect(link).to_be_focused()
    assert link.get_attribute("href") in SECTIONS.values()
    assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener")
    page.keyboard.press("Escape")
    expect(page.locator(TIP)).to_have_count(0)
    expect(found.last).to_be_focused()
    assert page.locator("[aria-describedby=reason]").count() == 0


def test_a_pointer_opens_the_tip_and_may_enter_it(desk: Desk) -> None:
    page = desk("lang=en")
    found = numbers(page, SENTENCE)
    before = boxes(page, "#insight", "#figure-heat-maps", "#controls")
    found.first.hover()
    first = tip_text(page)
    assert before == boxes(page, "#insight", "#figure-heat-maps", "#controls"), "a tip moves nothing"
    page.locator(f"{TIP} a").hover()
    expect(page.locator(TIP)).to_be_visible()
    found.nth(1).hover()
    expect(page.locator("#reason")).not_to_have_text(first)
    page.mouse.move(640, 700)
    expect(page.locator(TIP)).to_have_count(0)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("opened", OPENED)
def test_a_tap_opens_the_tip_and_a_tap_elsewhere_closes_it(held: Desk, opened: str, lang: str) -> None:
    page = held(f"{OPENED[opened]}&lang={lang}", PHONE)
    number = numbers(page, SENTENCE).first
    number.tap()
    assert tip_text(page)
    page.touchscreen.tap(195, 20)
    expect(page.locator(TIP)).to_have_count(0)


def test_titles_answer_on_a_phone(held: Desk) -> None:
    page = held("lang=en", PHONE)
    numbers(page, "#figure-score-distribution .brief").first.tap()
    assert tip_text(page)


def test_a_row_of_the_map_and_a_step_of_the_walk_answer(desk: Desk) -> None:
    page = desk("page=map&n=256&row=7&lang=en")
    found = numbers(page, ".row-numbers")
    found.first.focus()
    page.keyboard.press("End")
    expect(found.last).to_be_focused()
    assert tip_text(page)
    page = desk("page=anatomy&step=queries&lang=en")
    numbers(page, ".step-says p:first-child").first.hover()
    assert tip_text(page)


def test_titles_and_shapes_answer(desk: Desk) -> None:
    page = desk("n=9&h=2&row=3&lang=en")
    for place in ("#figure-entropy .brief", "#figure-jacobian .brief", "#arithmetic p:first-child"):
        numbers(page, place).last.hover()
        assert tip_text(page)
        page.keyboard.press("Escape")
    expect(page.locator(TIP)).to_have_count(0)
    assert drawn.wait_painted(page), "Escape closed the tip alone"


def test_what_a_number_says_is_in_the_language_of_the_page(desk: Desk) -> None:
    page = desk("lang=ko")
    numbers(page, "#figure-entropy .brief").first.hover()
    assert re.search("행 256개의 평균", tip_text(page))
    assert page.locator(f"{TIP} a").text_content() == text("ko", "reason.section.entropy")


def test_on_a_stage_nothing_shows_until_somebody_points(desk: Desk) -> None:
    page = desk("present=1&lang=en")
    found = numbers(page, SENTENCE)
    page.mouse.move(640, 700)
    assert found.first.evaluate("(one) => getComputedStyle(one).textDecorationLine") == "none"
    found.first.hover()
    assert tip_text(page)
    assert found.first.evaluate("(one) => getComputedStyle(one).textDecorationLine") == "underline"


@pytest.mark.parametrize(
    "asked",
    [
        "n=12&h=2&predict=true&question=unscaled_entropy",
        "n=12&h=4&source=structured&predict=true&question=narrow_head",
        "page=map&n=256&h=4&predict=true&question=far_head",
        "page=map&n=256&h=4&predict=true&question=keys_used",
    ],
)
def test_a_verdict_says_where_its_numbers_come_from(open_page: Callable[..., Page], asked: str) -> None:
    page = open_page(asked, painted=False)
    page.locator("#predict input").first.check()
    page.locator("#predict-reveal").click()
    found = numbers(page, ".predict-verdict p:has(.asked) >> nth=0")
    for place in range(found.count()):
        found.nth(place).hover()
        expect(found.nth(place)).to_have_attribute("aria-describedby", "reason")
        assert not [*equations.wrong("\n".join(page.locator("#reason p:not(.spoken)").all_inner_texts()))]
    assert found.count() > 2
    assert tip_text(page)


def test_widths_beside_titles_and_captions_of_strips_answer(desk: Desk) -> None:
    page = desk("page=why&n=9&predict=false&lang=en")
    found = numbers(page, "#figure-mechanism-maps .brief")
    assert page.locator("#figure-mechanism-maps .brief").text_content() == f"d_k = {found.first.text_content()}"
    found.first.hover()
    assert text("en", "reason.made.control", name="d_k") in tip_text(page)
    page = desk("page=map&n=256&predict=false&lang=en")
    found = numbers(page, ".map-strips")
    assert found.evaluate_all("(all) => all.map((one) => one.tabIndex)") == [0, *[-1] * (found.count() - 1)]
    found.first.focus()
    page.keyboard.press("End")
    expect(found.last).to_be_focused()
    assert "e^H" in tip_text(page)
    assert not violations(page)
