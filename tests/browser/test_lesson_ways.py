"""A lesson's ways: keys, the blank screen, leaving and coming back, a phone, the first visit, the help."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls, drawn
from tests.browser.test_lessons import at

LESSON = "lesson=why-sqrt-d-k"


def test_keys_of_a_slide_clicker_lead_through_a_lesson(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&lang=en")
    at(page, 1)
    for key, step in (("PageDown", 2), ("ArrowRight", 3), ("PageUp", 2), ("ArrowLeft", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        at(page, step)
    assert "step=1" in page.url
    for sign in (".", "b"):
        page.keyboard.press(sign)
        expect(page.locator("#lesson-blank")).to_be_visible()
        page.keyboard.press(sign)
        expect(page.locator("#lesson-blank")).to_have_count(0)
    page.keyboard.press(".")
    page.keyboard.press("Escape")
    expect(page.locator("#lesson-blank")).to_have_count(0)
    page.keyboard.press("b")
    page.keyboard.press("PageDown")  # brings the page back, and moves nothing unseen
    expect(page.locator("#lesson-blank")).to_have_count(0)
    assert "step=1" in page.url
    page.keyboard.press("PageDown")
    at(page, 2)


def test_keys_stay_with_what_has_the_focus(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&lang=en")
    at(page, 1)
    page.locator("#control-d_k input[type=number]").first.focus()
    page.keyboard.press("ArrowLeft")
    page.locator("#figure-heat-maps .stage").focus()
    for key in ("ArrowRight", "PageDown"):
        page.keyboard.press(key)
    assert page.locator("#lesson").get_attribute("data-step") == "1"
    controls.write(page, "n", 9)
    expect(page.locator("#lesson-again")).to_be_visible()  # the state has changed: the way back
    page.locator("#lesson-again").click()
    drawn.wait_painted(page, "lang=en")
    expect(page.locator("#lesson-again")).to_be_hidden()


def test_who_leaves_a_lesson_comes_back_to_its_place(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&step=7&lang=ko", painted=False)
    at(page, 7)
    page.locator("#lesson-leave").click()
    expect(page.locator("#lesson")).to_have_count(0)
    assert "lesson" not in page.url
    assert page.evaluate("document.documentElement.classList.contains('in-lesson')") is False
    page.locator("#lessons-open > summary").click()
    page.locator("#lesson-why-sqrt-d-k").click()
    at(page, 7)
    page.reload()
    at(page, 7)


def test_an_answer_comes_before_the_truth_and_stays(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&step=2&lang=en")
    at(page, 2)
    expect(page.locator("#lesson-reveal")).to_be_disabled()
    assert page.locator("#lesson .is-real").count() == 0
    page.locator(".lesson-answer").nth(2).click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='2']").wait_for()
    drawn.wait_painted(page, "scaling=none&lang=en")
    page.locator("#lesson-next").click()
    at(page, 3)
    page.locator("#lesson-back").click()
    page.locator("#lesson [data-truth='2']").wait_for()


def test_a_lesson_on_a_phone_covers_no_figure(open_page: Callable[..., Page]) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_page(f"{LESSON}&step=8&lang=ko", painted=False, **phone)
    at(page, 8)
    # the figures are swiped until the step's own is in sight
    page.wait_for_function("() => document.querySelector('#figure-temperature .figure').getBoundingClientRect().x < 60")
    panel, figure = (page.locator(one).bounding_box() for one in ("#lesson", "#figure-temperature .figure"))
    assert panel
    assert figure
    assert panel["y"] + panel["height"] <= 845
    assert figure["y"] + figure["height"] <= panel["y"] + 1
    assert -1 <= figure["x"] < 60
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#lesson-back").tap()
    at(page, 7)


def test_a_talk_keeps_its_large_type_from_step_to_step(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&present=1&lang=en")
    at(page, 1)
    page.keyboard.press("PageDown")
    at(page, 2)
    assert "present=1" in page.url
    size = page.locator("#lesson .lesson-said p").first.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    assert size >= 0.024 * 900
    page.keyboard.press(".")
    page.locator("#lesson-blank").wait_for()
    page.keyboard.press("Escape")  # wakes, and leaves no talk
    expect(page.locator("#lesson-blank")).to_have_count(0)
    assert "present=1" in page.url


@pytest.mark.parametrize(
    ("link", "asked"),
    [("lesson=saturation&step=2", "why"), ("page=cost&lesson=words-to-b&step=4", "anatomy"), ("n=9", "explore")],
)
def test_a_link_leads_straight_to_the_page_of_its_step(open_page: Callable[..., Page], link: str, asked: str) -> None:
    """No other page computes anything first."""
    page = open_page()
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.goto(f"{page.url.split('?')[0]}?{link}&lang=en")
    if "step" in link:
        at(page, int(link[-1]))
    else:
        drawn.wait_painted(page, f"{link}&lang=en")
    routes = {url.split("/page/")[1].split("/")[0].split("?")[0] for url in posts if "/page/" in url}
    assert routes == {asked}


def test_an_unknown_lesson_is_named_and_the_page_stands(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&lang=en")
    expect(page.locator("#message .error")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#message img").count() == 0


def test_the_first_visit_has_one_way_in_that_can_be_dismissed_for_good(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})
    before = page.locator("#figure-heat-maps").bounding_box()
    page.locator("#first-way").wait_for()
    page.locator("#first-dismiss").click()
    expect(page.locator("#first-visit")).to_have_count(0)
    assert page.locator("#figure-heat-maps").bounding_box() == before
    page.reload()
    drawn.wait_painted(page)
    page.locator("#insight .insight p").first.wait_for()
    expect(page.locator("#first-visit")).to_have_count(0)


def test_the_way_in_leads_to_a_short_lesson_and_a_link_offers_none(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator("#first-way").click()
    at(page, 1)
    assert "lesson=first-look" in page.url
    page = open_page("n=9")
    page.locator("#insight .insight p").first.wait_for()
    expect(page.locator("#first-visit")).to_have_count(0)


def test_the_help_names_sections_symbols_words_and_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("lang=ko")
    page.locator("#help-open").click()
    help_ = page.locator("#help")
    help_.wait_for()
    assert help_.locator("a[href*='arxiv.org']").count() >= 5
    assert help_.locator("dt").count() == help_.locator("dd").count() >= 15
    for term in ("nat", "ln p", "KL", "코퍼스", "귀납", "싱크"):
        expect(help_.locator("dt").filter(has_text=term).first).to_be_visible()
    assert "help." not in help_.inner_text()
    page.keyboard.press("Escape")
    expect(help_).to_have_count(0)


def test_a_lesson_that_was_left_goes_on_or_starts_again_with_fresh_questions(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LESSON}&step=2&lang=en")
    at(page, 2)
    page.locator(".lesson-answer").nth(2).click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='2']").wait_for()
    page.locator("#lesson-leave").click()
    page.locator("#lessons-open > summary").click()
    entry = page.locator(".lesson-entry:has(#lesson-why-sqrt-d-k)")
    expect(entry.locator(".promise")).to_contain_text("go on at step 2")
    entry.locator("> .lesson-from-start").click()
    at(page, 1)
    page.locator("#lesson-next").click()
    at(page, 2)
    expect(page.locator("#lesson .is-real")).to_have_count(0)
    expect(page.locator("#lesson-reveal")).to_be_disabled()
