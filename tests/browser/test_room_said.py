"""The bar of a student: notices go with their state, answers stay in sight, a changed curve is told from the sent."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls
from tests.browser.in_class import asks as ask
from tests.browser.in_class import asks_of_page, choice, follows, here, opened, phase, votes
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture(scope="module")
def pair(open_module_page: Callable[..., Page]) -> tuple[Page, Page]:
    """Open a room, and join it on a phone."""
    teacher = open_module_page(START, viewport={"width": 1280, "height": 720})
    code = opened(teacher)
    student = open_module_page(f"room={code}", painted=False, **PHONE)
    here(teacher, 1)
    return teacher, student


def test_a_phone_s_bar_cuts_no_word(pair: tuple[Page, Page], open_page: Callable[..., Page]) -> None:
    teacher, student = pair
    korean = open_page(f"room={teacher.locator('#room-code').inner_text()}&lang=ko", painted=False, **PHONE)
    cut = "(one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]"
    for page, lang in ((student, "en"), (korean, "ko")):
        follows(page)
        state = page.locator(".class-state")
        assert state.inner_text().split() == text(lang, "room.follows").split()
        assert max(state.evaluate(cut)) <= 1
    assert teacher.locator(".class-menu").first.text_content().count(text("en", "share.machine")) == 1  # type: ignore[union-attr]


def test_the_answers_stay_in_sight_while_the_class_discusses(pair: tuple[Page, Page]) -> None:
    teacher, student = pair
    ask(teacher, "Which?", ["one", "two"], right=0)
    phase(student, "open")
    votes(student, 1)
    teacher.locator("#room-closed").click()
    phase(student, "closed")
    assert choice(student, 1).is_checked()
    assert choice(student, 0).is_disabled()
    assert text("en", "room.discuss") in student.locator("#room-ballot").inner_text()
    teacher.locator("#room-over").click()
    phase(student, "")


def test_a_curve_changed_after_it_was_sent_is_told_from_the_one_sent(pair: tuple[Page, Page]) -> None:
    teacher, student = pair
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Accuracy?")
    teacher.locator("#ask-form input[value=curve]").check()
    for box, name in (("#ask-x", "heads"), ("#ask-y", "accuracy")):
        teacher.locator(box).fill(name)
    teacher.locator("#ask-send").click()
    phase(student, "open")
    point = student.locator("#room-ballot [role=slider]").first
    point.focus()
    student.keyboard.press("End")
    student.locator("#room-send").click()
    student.locator("#class[data-answered^='1 [']").wait_for()
    sent = student.locator("#room-ballot .class-sent").get_attribute("points")
    point.focus()
    student.keyboard.press("Home")
    expect(student.locator("#room-ballot [role=status]")).to_have_text(text("en", "room.changed"))
    assert student.locator("#room-ballot .predict-drawn").get_attribute("points") != sent
    assert student.locator("#room-ballot .class-sent").get_attribute("points") == sent
    teacher.locator("#room-closed").click()
    phase(student, "closed")
    assert student.locator("#room-ballot .predict-drawn").get_attribute("points") == sent
    teacher.locator("#room-reveal").click()
    for page in pair:
        phase(page, "reveal")
    assert student.locator("#room-results .predict-drawn").get_attribute("points") == sent
    assert teacher.locator("#room-results svg").count() == 0  # one curve alone makes no picture
    teacher.locator("#room-over").click()
    phase(student, "")


def test_a_notice_goes_when_its_state_ends(pair: tuple[Page, Page]) -> None:
    teacher, student = pair
    teacher.locator("#predict-open").click()
    for page in pair:
        page.locator("#predict .predict").wait_for()
    controls.slide(student, "n", 20)
    notice = student.locator(".class-said")
    expect(notice).to_have_text(text("en", "room.left"))
    asks_of_page(teacher)
    phase(student, "open")
    follows(student)
    expect(notice).to_have_text("")
    student.locator(controls.page_link("why")).click()
    expect(notice).to_have_text(text("en", "room.held_vote"))
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    assert notice.inner_text() == ""
