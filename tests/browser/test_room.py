"""The room: three students' pages follow their teacher's, leave it and come back."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from playwright.sync_api import Page

from tests.browser import controls
from tests.browser.in_class import answered, asks_of_page, ended, follows, here, moved_from, opened, phase, shows, votes
from tests.visualiser.test_lessons import LESSONS
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
MOVED = "n=10&h=2&d_model=16&scaling=none"


@dataclass(frozen=True)
class Class:
    """A teacher, three students, and how others join."""

    teacher: Page
    students: list[Page]
    code: str
    open: Callable[..., Page]

    def shows(self, query: str) -> None:
        """Wait until all pages show this state."""
        for page in (self.teacher, *self.students):
            shows(page, query)


@pytest.fixture(scope="module")
def taught(open_module_page: Callable[..., Page]) -> Class:
    late = ["status of 410"]  # the page's word that it has left may be under way while the room ends
    teacher = open_module_page(START, expected_errors=late)
    code = opened(teacher)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    joins = partial(open_module_page, painted=False, expected_errors=late)
    first = joins(f"room={code}")
    second = joins(f"room={code.lower()}&lang=ko")
    third = joins(f"room={code}", **phone)
    found = Class(teacher, [first, second, third], code, open_module_page)
    here(teacher, 3)
    return found


@pytest.fixture
def moved(taught: Class) -> Class:
    """Bring the class to `MOVED`, whatever happened before."""
    controls.slide(taught.teacher, "n", 10)
    controls.choose(taught.teacher, "scaling", "none")
    taught.shows(MOVED)
    return taught


def test_pages_follow_and_language_and_layout_stay_the_students(taught: Class) -> None:
    taught.shows(START)
    controls.slide(taught.teacher, "n", 12)
    controls.choose(taught.teacher, "scaling", "none")
    taught.shows("n=12&h=2&d_model=16&scaling=none")
    korean = taught.students[1]
    assert korean.locator("html").get_attribute("lang") == "ko"
    assert "lang=ko" in korean.url
    assert korean.locator(".class-state").inner_text() == text("ko", "room.follows")
    controls.wait_shown(taught.students[0], n=12, scaling="none")


def test_the_cell_that_the_teacher_points_at_is_marked_everywhere(taught: Class) -> None:
    teacher = taught.teacher
    teacher.locator("#figure-heat-maps .stage").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        teacher.keyboard.press(key)
    tip = teacher.locator("#figure-heat-maps .tip span").inner_text()
    for student in (taught.students[0], taught.students[2]):
        student.wait_for_function(
            "(text) => document.querySelector('#figure-heat-maps .tip:not([hidden]) span')?.textContent === text",
            arg=tip,
        )
        marked = "() => [...document.querySelectorAll('.cell-mark')].filter((one) => !one.hidden).length === 2"
        student.wait_for_function(marked)
    teacher.locator("#room-call").focus()
    for student in taught.students:
        student.locator("#figure-heat-maps .tip").wait_for(state="hidden")


def test_a_student_leaves_by_touching_a_control_and_comes_back_by_one_button(moved: Class) -> None:
    teacher, (first, second, _) = moved.teacher, moved.students
    controls.slide(first, "n", 20)
    follows(first, so=False)
    assert first.locator(".class-said").inner_text() == text("en", "room.left")
    controls.slide(teacher, "n", 12)
    shows(second, "n=12&h=2&d_model=16&scaling=none")
    shows(first, "n=20&h=2&d_model=16&scaling=none")
    first.reload()  # who has left stays where they are
    follows(first, so=False)
    shows(first, "n=20&h=2&d_model=16&scaling=none")
    first.locator("#room-back").click()
    follows(first)
    shows(first, "n=12&h=2&d_model=16&scaling=none")


def test_the_teacher_calls_back_and_holds(moved: Class) -> None:
    teacher, (first, second, _) = moved.teacher, moved.students
    controls.slide(first, "n", 30)
    follows(first, so=False)
    teacher.locator("#room-call").click()
    follows(first)
    shows(first, MOVED)
    teacher.locator("#room-lock").click()
    second.wait_for_function(
        "(text) => document.querySelector('.class-state').textContent === text", arg=text("ko", "room.locked")
    )
    controls.slide(second, "n", 40)
    second.wait_for_function(
        "(text) => document.querySelector('.class-said').textContent === text", arg=text("ko", "room.held")
    )
    shows(second, MOVED)
    controls.wait_shown(second, n=10)
    follows(second)
    teacher.locator("#room-lock").click()
    second.wait_for_function(
        "(text) => document.querySelector('.class-state').textContent === text", arg=text("ko", "room.follows")
    )
    controls.slide(second, "n", 40)
    follows(second, so=False)
    second.locator("#room-back").click()
    shows(second, MOVED)


_DRAG_AND_BACK = """async () => {
  const range = document.querySelector("#control-n input[type=range]");
  for (const at of [700, 720]) {
    range.value = at;
    range.dispatchEvent(new Event("input", { bubbles: true }));
  }
  document.getElementById("room-back").click();
  await new Promise((resolve) => setTimeout(resolve, 400)); // the timer of the drag is older and shorter
}"""


def test_who_comes_back_before_a_drag_has_ended_stays_with_the_class(moved: Class) -> None:
    """The end of the drag was taken for a move of its own, which left the class again."""
    second = moved.students[1]
    second.evaluate(_DRAG_AND_BACK)
    follows(second)
    shows(second, MOVED)
    assert second.locator(".class-said").inner_text() == ""


def test_an_offered_state_is_shown_to_all(moved: Class) -> None:
    teacher, (first, *_) = moved.teacher, moved.students
    controls.slide(first, "n", 6)
    follows(first, so=False)
    shows(first, "n=6&h=2&d_model=16&scaling=none")
    first.locator("#room-offer").click()
    offers = teacher.locator(".class-menu:has(#room-offers)")
    offers.locator("summary").click()
    assert "n = 6" in offers.locator(".class-offer span").first.inner_text()
    offers.locator(".class-show").click()
    moved.shows("n=6&h=2&d_model=16&scaling=none")
    offers.wait_for(state="hidden")
    first.locator("#room-back").click()
    follows(first)


def test_a_question_that_changes_the_state_leaves_all_pages_together(taught: Class) -> None:
    teacher, students = taught.teacher, taught.students
    teacher.locator("#predict-open").click()
    for page in (teacher, *students):
        page.locator("#predict .predict").wait_for()
    asks_of_page(teacher)
    for student in students:
        phase(student, "open")
        student.locator("#predict").wait_for(state="hidden")
        votes(student, 0)
    controls.reveal(students[0], "#control-n input[type=number]").fill("30")  # nobody looks at another state meanwhile
    students[0].wait_for_function(
        "(text) => document.querySelector('.class-said').textContent === text", arg=text("en", "room.held_vote")
    )
    answered(teacher, 3)
    state = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
        page.locator("#predict[data-verdict]").wait_for()
        assert page.locator("#room-results tr.is-true").count() == 1
    own, whole = (one.locator("#predict .predict-verdict p").all_inner_texts() for one in (teacher, students[0]))
    assert len(own) == len(whole) - 1 > 0, "no verdict, since the teacher gave no answer, and all else"
    taught.shows(moved_from(teacher, state))
    for student in students:
        follows(student)
    teacher.locator("#room-over").click()


def test_the_step_of_a_lesson_is_shown_to_all(taught: Class) -> None:
    teacher, (first, second, _) = taught.teacher, taught.students
    teacher.goto(f"{teacher.url.split('?')[0]}?lesson=first-look&step=1&room={taught.code}")
    teacher.locator("#lesson-next").wait_for()
    same = "(text) => document.querySelector('#lesson .lesson-said')?.innerText === text"
    for step in (1, 2):
        sentence = teacher.locator("#lesson .lesson-said").inner_text()
        first.wait_for_function(same, arg=sentence)
        second.locator("#lesson .lesson-said").wait_for()
        assert second.locator("#lesson .lesson-said").inner_text() != sentence  # in Korean
        assert first.locator("#lesson-next").count() == 0
        if step == 1:
            teacher.locator("#lesson-next").click()
            teacher.wait_for_function(f"(text) => !({same})(text)", arg=sentence)
    teacher.locator("#lesson-ask").click()
    asked = LESSONS["first-look"]["steps"][1]["question"]
    for student, lang in ((first, "en"), (second, "ko")):
        legend = student.locator("#room-ballot legend", has_text=asked["text"][lang])
        legend.wait_for()
        labels = [label.strip() for label in student.locator("#room-ballot label").all_inner_texts()]
        assert labels == [answer["text"][lang] for answer in asked["answers"]]
    teacher.locator("#room-over").click()
    second.locator("#room-ballot").wait_for(state="detached")
    teacher.locator("#lesson-leave").click()
    for student in (first, second):
        student.locator("#lesson").wait_for(state="detached")


def test_another_page_its_reload_and_a_late_student(taught: Class) -> None:
    teacher, (first, second, third) = taught.teacher, taught.students
    third.locator("#room-leave").click()
    here(teacher, 2)
    assert "room=" not in third.url
    teacher.locator(controls.page_link("cost")).click()
    for page in (teacher, first, second):
        page.wait_for_url("**page=cost**")
    here(teacher, 2)
    teacher.reload()
    here(teacher, 2)
    assert teacher.locator("#room-code").inner_text() == taught.code
    third.locator("#room-open").click()
    third.locator("#room-begin").click()  # by mistake
    other = third.locator("#room-code")
    third.wait_for_function("() => document.getElementById('room-code')?.textContent.length === 6")
    assert other.inner_text() != taught.code
    third.locator(".class-other summary").click()
    third.locator("#room-field").fill(f"{taught.code[:3]} {taught.code[3:].lower()}")
    third.locator("#room-join").click()
    third.wait_for_url("**page=cost**")
    follows(third)
    here(teacher, 3)
    teacher.locator(controls.page_link("explore")).click()
    for page in (first, second, third):
        page.wait_for_url(lambda address: "page=" not in address)
        follows(page)


def test_a_room_ends_everywhere(taught: Class) -> None:
    ended(taught.teacher)
    for page in taught.students:
        follows_not = page.locator("#class[data-follows=over]")
        follows_not.wait_for()
        assert "room=" not in page.url
