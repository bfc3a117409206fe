"""The browser's way back from a lesson's step on another page: it leads to where the visitor was, and stays there."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.test_lessons import at
from visualiser.locale import text

NAME = "first-look"
"""Its second step is on Explore, its third on Why."""


def tab(page: Page) -> dict[str, str]:
    """Return what the address says of the lesson."""
    read = (
        "() => Object.fromEntries([...new URLSearchParams(location.search)].filter(([k]) => 'lesson step'.includes(k)))"
    )
    return page.evaluate(read)


def test_back_from_a_step_on_another_page_shows_the_step_before(open_page: Callable[..., Page]) -> None:
    page = open_page(f"lesson={NAME}&step=2&lang=en")
    at(page, 2)
    page.locator("#lesson-next").click()
    page.wait_for_url("**page=why**step=3**")
    at(page, 3)
    page.go_back()
    page.wait_for_url("**step=2**")
    at(page, 2)
    assert "page=why" not in page.url
    page.go_forward()
    page.wait_for_url("**page=why**step=3**")
    at(page, 3)


def test_back_from_a_lesson_that_was_opened_on_another_page_reads_no_lesson(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&lang=en", painted=False)
    page.locator("#lessons-open > summary").click()
    page.locator(f"#lesson-{NAME}").click()
    page.wait_for_url(f"**lesson={NAME}**")
    at(page, 1)
    page.go_back()
    page.wait_for_url("**page=cost**")
    page.locator(".figure-place[data-painted]").first.wait_for()
    expect(page.locator("#lesson")).to_have_count(0)
    assert tab(page) == {}


def test_a_page_that_the_browser_kept_shows_its_own_step_again(open_page: Callable[..., Page]) -> None:
    page = open_page(f"lesson={NAME}&step=2&lang=en")
    at(page, 2)

    def stays(route: Route) -> None:
        route.fulfill(status=204)

    page.route("**page=why**", stays)
    page.locator("#lesson-next").click()
    count = page.locator("#lesson .lesson-count")
    expect(count).to_have_text(text("en", "lesson.count", step=3, steps=3))
    assert tab(page) == {"lesson": NAME, "step": "2"}
    page.evaluate("() => { dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })); }")
    expect(count).to_have_text(text("en", "lesson.count", step=2, steps=3))
    at(page, 2)
