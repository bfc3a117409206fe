"""A room on every page and in every tab: the Map's cells and questions, another language, a hidden tab."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls, mapped
from tests.browser.in_class import answered, asks_of_page, follows, here, opened, phase, shows, votes
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
MAP = "n=300&h=2&d_k=16&page=map"
SEEN = """
Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
Object.defineProperty(document, "visibilityState", { get: () => (window.isAway ? "hidden" : "visible") });
"""


def hides(page: Page, away: bool) -> None:
    """Hide a tab behind another, or show it again."""
    page.evaluate(
        "(away) => { window.isAway = away; document.dispatchEvent(new Event('visibilitychange')); }", arg=away
    )


def test_a_hidden_tab_is_not_counted_and_finds_the_class_again(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    student = open_page(f"{START}&room={code}", init_script=SEEN, painted=False)
    other = open_page(f"{START}&room={code}", painted=False)
    for page in (student, other):
        follows(page)
    here(teacher, 2)
    hides(student, True)
    here(teacher, 1)
    controls.slide(teacher, "n", 12)
    shows(other, "n=12&h=2&d_model=16")
    shows(student, START)
    controls.slide(teacher, "n", 14)
    hides(student, False)
    here(teacher, 2)
    shows(student, "n=14&h=2&d_model=16")
    follows(student)


def test_the_teacher_s_language_moves_nobody_else_s(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    students = [open_page(f"room={code}&lang={lang}", painted=False) for lang in ("en", "ko")]
    for page in students:
        follows(page)
    controls.choose(teacher, "lang", "ko")
    teacher.locator("html[lang=ko]").wait_for()
    here(teacher, 2)
    assert teacher.locator("#room-code").inner_text() == code
    assert teacher.locator("#room-call").inner_text() == text("ko", "room.call")
    controls.slide(teacher, "n", 12)
    for page, lang in zip(students, ("en", "ko"), strict=True):
        shows(page, "n=12&h=2&d_model=16")
        follows(page)
        assert page.locator("html").get_attribute("lang") == lang
        assert page.locator(".class-state").inner_text() == text(lang, "room.follows")


def test_the_cell_of_the_map_that_the_teacher_points_at_is_told_at_the_student(open_page: Callable[..., Page]) -> None:
    teacher = open_page(MAP, painted=False)
    mapped.wait(teacher, "n=300")
    code = opened(teacher)
    student = open_page(f"room={code}", painted=False, viewport={"width": 390, "height": 844}, has_touch=True)
    mapped.wait(student, "n=300")
    follows(student)
    tip = "document.querySelector('#figure-map .tip:not([hidden])')?.textContent"
    for x, y in ((0.3, 0.4), (0.7, 0.2)):
        before = teacher.evaluate(f"() => {tip} ?? ''")
        teacher.mouse.move(*mapped.at(teacher, x, y))
        teacher.wait_for_function(f"(before) => ({tip} ?? before) !== before", arg=before)
        place = teacher.evaluate(f"() => {tip}")
        student.wait_for_function(f"(text) => {tip} === text", arg=place)
    teacher.mouse.move(1, 1)
    student.locator("#figure-map .tip").wait_for(state="hidden")
    follows(student)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_question_of_the_map_is_asked_and_revealed(open_page: Callable[..., Page], lang: str) -> None:
    teacher = open_page(f"{MAP}&predict=true&question=narrow_head", painted=False)
    teacher.locator("#predict-reveal").wait_for()
    code = opened(teacher)
    student = open_page(f"room={code}&lang={lang}", painted=False)
    follows(student)
    student.locator("#figure-strips.is-covered").wait_for()
    student.locator("#predict .predict").wait_for()
    asks_of_page(teacher)
    phase(student, "open")
    asked = student.locator("#room-ballot legend").inner_text()
    assert asked == student.evaluate("() => document.querySelector('#predict legend').innerText") or lang == "ko"
    votes(student, 0)
    answered(teacher, 1)
    for page in (teacher, student):
        assert page.locator("#figure-strips.is-covered").count() == 1
        assert page.locator("#room-results").count() == 0
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        assert page.locator("#room-results tr.is-true").count() == 1
        page.locator("#predict[data-verdict]").wait_for()
        page.locator("#figure-strips:not(.is-covered)").wait_for()
    right = student.locator("#predict label.is-real").inner_text()
    assert student.locator("#room-results tr.is-true th").inner_text().startswith(right)
