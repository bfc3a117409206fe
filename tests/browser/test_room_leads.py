"""Sequences in which a lesson, the room and the visitor all want to lead a page: docs/decisions/who-leads.md."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import controls
from tests.browser.in_class import answered, asks, choice, follows, here, opened, phase, shows, votes
from tests.browser.test_lessons import at, reveal
from visualiser.locale import text

WIDE = {"viewport": {"width": 1280, "height": 720}}
NAME = "why-sqrt-d-k"
LOST = ["net::ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED", "status of 503"]


def loading(page: Page | BrowserContext) -> list[str]:
    """Note each page that is loaded from now on, here or in any tab of a browser."""
    found: list[str] = []
    page.on("request", lambda sent: found.append(sent.url) if sent.is_navigation_request() else None)
    return found


def asked(open_page: Callable[..., Page], errors: list[str] | None = None) -> tuple[Page, Page]:
    """Open a class at the question of the lesson's second step, and ask it; return teacher and student."""
    teacher = open_page(f"lesson={NAME}&step=2&lang=en", expected_errors=errors or [], **WIDE)
    at(teacher, 2)
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, **WIDE)
    follows(student)
    here(teacher, 1)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    return teacher, student


def opens_lesson(page: Page, name: str) -> None:
    """Choose a lesson in the menu."""
    page.locator("#lessons-open > summary").click()
    page.locator(f"#lesson-{name}").click()


def test_a_lesson_in_the_address_of_who_follows_loads_no_page_for_ever(open_page: Callable[..., Page]) -> None:
    teacher = open_page("source=text", **WIDE)
    code = opened(teacher)
    student = open_page(f"source=text&room={code}&lesson=heads&step=3", painted=False, **WIDE)
    follows(student)
    shows(student, "source=text")
    loaded = loading(student)
    teacher.locator(controls.page_link("why")).click()
    student.locator("#figure-sweep[data-painted]").wait_for()
    follows(student)
    student.wait_for_function("() => !location.search.includes('lesson=')")
    assert len(loaded) == 1


@pytest.mark.parametrize("held", [False, True])
def test_nobody_opens_the_lesson_of_the_vote(open_page: Callable[..., Page], held: bool) -> None:
    if held:
        teacher = open_page("n=8&lang=en", **WIDE)
        student = open_page(f"room={opened(teacher)}&lang=en", painted=False, **WIDE)
        follows(student)
        shows(student, "n=8")
        teacher.locator("#room-lock").click()
        student.locator("#class[data-mode=held]").wait_for()
    else:
        teacher, student = asked(open_page)
    before = student.evaluate("() => location.search")
    if not held:
        student.locator("#room-fold").click()
    opens_lesson(student, NAME)
    expect(student.locator("#class .class-said")).to_have_text(text("en", "room.held" if held else "room.held_vote"))
    expect(student.locator("#lesson #lesson-next")).to_have_count(0)
    expect(student.locator("#lesson-reveal")).to_have_count(0)
    assert student.evaluate("() => location.search") == before
    follows(student)


def test_a_call_closes_the_lesson_of_who_has_left(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, **WIDE)
    follows(student)
    opens_lesson(student, "heads")
    follows(student, so=False)
    at(student, 1)
    teacher.locator("#room-call").click()
    follows(student)
    shows(student, "n=8")
    expect(student.locator("#lesson")).to_have_count(0)
    assert "lesson=" not in student.evaluate("() => location.search")


def test_a_result_hides_no_later_question_and_a_fold_is_of_one_card(open_page: Callable[..., Page]) -> None:
    teacher, student = asked(open_page)
    votes(student, 0)
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        page.locator("#room-fold").click()
        expect(page.locator("#room-card")).to_have_class("class-card is-folded")
    for step in (3, 4, 5):
        teacher.keyboard.press("PageDown")
        at(teacher, step)
    phase(student, "")
    expect(teacher.locator("#lesson-ask")).to_be_in_viewport()
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    for page, wanted in ((teacher, "#room-reveal"), (student, "#room-ballot")):
        expect(page.locator("#room-card")).to_have_class("class-card")
        expect(page.locator(wanted)).to_be_in_viewport()


def test_a_rehearsal_does_not_show_through_the_vote(open_page: Callable[..., Page]) -> None:
    teacher = open_page(f"lesson={NAME}&step=2&lang=en", **WIDE)
    at(teacher, 2)
    reveal(teacher)
    teacher.locator("#lesson [data-truth]").wait_for()
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, **WIDE)
    follows(student)
    for _ in range(2):  # and again, after the result
        teacher.locator("#lesson-ask").click()
        for page in (teacher, student):
            phase(page, "open")
            page.wait_for_function(
                """() => { const { data } = document.getElementById("figure-score-distribution").living.shown;
                  const before = data.find((one) => one.meta?.kind === "before" || one.name === "before");
                  return !before || before.x.length === 0; }"""
            )
        teacher.locator("#room-reveal").click()
        phase(student, "reveal")
        teacher.locator("#room-over").click()
        phase(teacher, "")


def test_a_teacher_who_is_offline_sees_it_and_the_reveal_follows_by_itself(open_page: Callable[..., Page]) -> None:
    teacher, student = asked(open_page, LOST)
    votes(student, 0)
    answered(teacher, 1)
    state = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    teacher.context.set_offline(True)
    teacher.locator("#class[data-silent=true]").wait_for()
    teacher.locator("#room-reveal").click()
    teacher.locator("#class[data-reveal=waiting]").wait_for()
    expect(teacher.locator("#class .class-said")).to_have_text(text("en", "room.reveal_waits"))
    assert teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted") == state
    phase(student, "open")
    teacher.context.set_offline(False)
    for page in (teacher, student):
        phase(page, "reveal")


def test_the_keyboard_is_where_the_class_is_asked(open_page: Callable[..., Page]) -> None:
    teacher, student = asked(open_page)
    for page, wanted in ((teacher, "room-reveal"), (student, "room-ballot")):
        found = []
        for _ in range(3):
            page.keyboard.press("Tab")
            found.append(page.evaluate("(id) => document.activeElement.closest(`#${id}`) !== null", wanted))
        assert any(found), page.evaluate("() => document.activeElement.outerHTML")
    teacher.locator("#room-reveal").click()
    phase(teacher, "reveal")
    teacher.wait_for_function("() => document.activeElement?.closest('#room-card') !== null")


def test_an_answer_is_in_when_the_room_has_it(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, expected_errors=LOST, **WIDE)
    follows(student)
    full = {"message": "This room takes no more: it is full.", "retry": 1}
    student.route("**/answer*", lambda route: route.fulfill(status=503, json=full))
    asks(teacher, "Which?", ["one", "two"])
    phase(student, "open")
    with student.expect_response("**/answer*"):
        choice(student, 0).click()
    status = student.locator("#room-ballot [role=status]")
    expect(status).to_have_text(text("en", "room.answering"))
    student.unroute("**/answer*")
    answered(teacher, 1)
    expect(status).to_have_text(text("en", "room.answered_mine"))
    student.context.set_offline(True)  # a room that does not answer may be made again without it
    expect(status).to_have_text(text("en", "room.answer_kept"))
    student.context.set_offline(False)
    expect(status).to_have_text(text("en", "room.answered_mine"))


def test_the_clicker_closes_a_vote_and_reveals_in_two_presses_each(open_page: Callable[..., Page]) -> None:
    teacher, student = asked(open_page)
    votes(student, 0)
    for key, then in (("press_close", "closed"), ("press_reveal", "reveal")):
        teacher.keyboard.press("PageDown")
        expect(teacher.locator("#class .class-said")).to_have_text(text("en", f"room.{key}"))
        teacher.keyboard.press("PageDown")
        for page in (teacher, student):
            phase(page, then)
