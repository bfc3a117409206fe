"""The bar of the class: axe finds nothing, keys reach all of it, it covers no figure, and it needs no stream."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser import controls
from tests.browser.in_class import answered, asks, follows, here, opened, phase, shows
from tests.browser.test_accessibility import violations
from visualiser.locale import text

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
START = "n=8&h=2&d_model=16"

_COVERED = """() => {
  const bar = document.getElementById("class").getBoundingClientRect();
  return [...document.querySelectorAll(".figure-place, #insight, #banner")]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top < bar.bottom - 0.5 && bottom > bar.top + 0.5;
    })
    .map(({ id }) => id);
}"""

_OPENS = """() => ({ done: new Promise((done) => {
  const frames = (n) => (n ? requestAnimationFrame(() => frames(n - 1)) : done());
  document.getElementById("room-open").parentElement.addEventListener("toggle", () => frames(10), { once: true });
}) })"""
"""The menu was opened, and what that starts is done."""


@pytest.fixture(scope="module")
def pair(open_module_page: Callable[..., Page]) -> tuple[Page, Page, str]:
    """Open a room on a desk, and join it on a phone in Korean, in the dark."""
    teacher = open_module_page(START, viewport={"width": 1280, "height": 720})
    code = opened(teacher)
    student = open_module_page(f"{START}&room={code}&lang=ko", painted=False, color_scheme="dark", **PHONE)
    follows(student)
    here(teacher, 1)
    return teacher, student, code


def bar(page: Page) -> list[str]:
    return violations(page, within="#class")


def test_axe_finds_nothing_in_any_phase(pair: tuple[Page, Page, str]) -> None:
    teacher, student, _ = pair
    for page in pair[:2]:
        assert not violations(page)
    invite = teacher.locator("details.class-menu > summary").first
    invite.click()
    teacher.wait_for_function("() => document.querySelector('.class-qr').naturalWidth > 0")
    assert not bar(teacher)
    teacher.locator("#room-enlarge").click()
    teacher.locator("#room-wall img").wait_for()
    assert not violations(teacher, within="#room-wall")
    teacher.keyboard.press("Escape")
    teacher.locator("#room-wall").wait_for(state="detached")
    teacher.locator("#room-ask > summary").click()
    assert not bar(teacher)
    teacher.keyboard.press("Escape")
    asks(teacher, "Which?", ["one", "two"], right=0)
    phase(student, "open")
    for page in pair[:2]:
        assert not bar(page)
        assert page.evaluate(_COVERED) == []
    student.locator("#room-ballot input").first.focus()
    student.keyboard.press("Space")
    answered(teacher, 1)
    teacher.locator("#room-reveal").click()
    for page in pair[:2]:
        phase(page, "reveal")
        assert not bar(page)
        assert page.evaluate(_COVERED) == []
    assert text("ko", "room.few.choice") in student.locator("#room-results").inner_text()  # one answer is no secret
    assert student.locator("#room-results td[data-count]").count() == 0
    teacher.locator("#room-over").click()
    phase(student, "")


def test_a_student_goes_and_comes_back_by_keys(pair: tuple[Page, Page, str]) -> None:
    _, student, _ = pair
    controls.slide(student, "n", 12)
    follows(student, so=False)
    assert not bar(student)
    assert student.locator(".class-said").inner_text() == text("ko", "room.left")
    student.locator("#room-back").focus()
    student.keyboard.press("Enter")
    follows(student)
    shows(student, START)
    assert student.evaluate("() => document.activeElement.id") == "room-leave"


def test_where_streams_are_cut_the_page_asks(pair: tuple[Page, Page, str], open_page: Callable[..., Page]) -> None:
    teacher, _, code = pair
    student = open_page(url="about:blank", painted=False, expected_errors=["status of 503"])
    statuses: list[int] = []

    def cut(route: Route) -> None:
        route.fulfill(status=503, json={"message": "No more streams.", "retry": 10})

    def heard(sent: Request) -> None:
        answer = sent.response()
        if sent.url.split("?")[0].endswith(f"/room/{code}") and answer:
            statuses.append(answer.status)

    student.route("**/room/*/stream*", cut)
    student.on("requestfinished", heard)
    student.goto(f"{teacher.url.split('?')[0]}?room={code}")
    follows(student)
    shows(student, START)
    controls.slide(teacher, "n", 10)
    shows(student, "n=10&h=2&d_model=16")
    student.wait_for_event("requestfinished", predicate=lambda _: 304 in statuses)
    here(teacher, 2)


def test_a_student_who_looks_for_a_place_for_the_code_opens_no_room(
    pair: tuple[Page, Page, str], open_page: Callable[..., Page]
) -> None:
    _, _, code = pair
    for lang, shape in (("en", PHONE), ("ko", {"viewport": {"width": 1280, "height": 720}})):
        student = open_page(f"{START}&lang={lang}", **shape)
        student.locator("#room-open").click()
        student.locator("#room-field").wait_for()
        assert student.locator("#class").count() == 0
        for part in ("#room-field", "#room-join", "#room-begin"):
            box = student.locator(part).bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= shape["viewport"]["width"]
        assert not violations(student, within=".class-ways")
        student.locator("#room-field").fill(code[:2])
        student.keyboard.press("Escape")
        student.locator("#room-field").wait_for(state="hidden")
        opens = student.evaluate_handle(_OPENS)
        student.locator("#room-open").click()
        student.evaluate("(opens) => opens.done", opens)
        expect(student.locator("#room-field")).to_have_value(code[:2])  # what was typed stays
        student.locator("#room-field").fill(f"{code[:3]} {code[3:].lower()}")
        student.keyboard.press("Enter")
        follows(student)
        assert student.locator("#room-count").count() == 0
        assert f"room={code}" in student.url


def test_a_wrong_code_can_be_typed_anew(pair: tuple[Page, Page, str], open_page: Callable[..., Page]) -> None:
    teacher, _, code = pair
    student = open_page(f"{START}&room=CCCCCC", painted=False, expected_errors=["status of 404"])
    student.locator("#room-field").wait_for()
    assert student.locator(".class-said").inner_text() == text("en", "error.room_none")
    assert student.locator(".class-state").inner_text() == ""  # nothing is being found
    student.locator("#room-field").fill("wrong")
    student.keyboard.press("Enter")
    student.locator(".class-wrong:visible").wait_for()
    student.locator("#room-field").fill(code.lower())
    student.keyboard.press("Enter")
    follows(student)
    assert f"room={code}" in student.url
    assert teacher.locator("#room-code").inner_text() == code
