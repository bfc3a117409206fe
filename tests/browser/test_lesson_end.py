"""The end of a lesson: what we saw, and where to go next."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.in_class import answered, follows, here, opened, phase, votes
from tests.browser.test_lessons import at, reveal
from tests.visualiser.test_lessons import LESSONS
from visualiser import locale

FIRST = LESSONS["first-look"]
END = len(FIRST["steps"]) + 1


def seen(page: Page) -> str:
    """Return what the end says of the one question."""
    at(page, END)
    items = page.locator(".lesson-saw li")
    assert items.count() == 1
    return items.inner_text()


def test_the_end_names_each_question_also_of_a_page_that_was_not_open(open_page: Callable[..., Page]) -> None:
    lesson = LESSONS["why-sqrt-d-k"]
    end = len(lesson["steps"]) + 1
    page = open_page(f"lesson=why-sqrt-d-k&step={end}&lang=en", painted=False)
    at(page, end)
    named = page.locator(".lesson-saw-question").evaluate_all("(all) => all.map((one) => one.firstChild.textContent)")
    asked = [step["question"] for step in lesson["steps"] if "question" in step]
    assert len(named) == len(asked)
    for name, question in zip(named, asked, strict=True):
        if "prediction" in question:
            assert name == locale.text("en", "lesson.saw_page")
        else:
            assert name


def test_the_end_has_the_own_answer_beside_the_truth_and_leads_on(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=first-look&step=2&lang=en", painted=False)
    at(page, 2)
    page.locator("#lesson .lesson-answer").nth(2).click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='0']").wait_for()
    for step in (3, END):
        page.locator("body").press("PageDown")
        at(page, step)
    shown = seen(page)
    question = FIRST["steps"][1]["question"]
    for text in (question["text"], question["answers"][2]["text"], question["answers"][0]["text"], question["because"]):
        assert text["en"] in shown
    page.keyboard.press("PageDown")
    at(page, END)
    assert page.evaluate("document.activeElement.classList.contains('lesson-said')")  # a reader hears it
    page.reload()
    assert question["answers"][2]["text"]["en"] in seen(page)
    page.keyboard.press("PageUp")
    at(page, 3)
    page.keyboard.press("PageDown")
    at(page, END)
    page.locator(".lesson-saw-step").click()
    at(page, 2)
    page.locator("body").press("PageDown")
    at(page, 3)
    page.locator("body").press("PageDown")
    at(page, END)
    page.locator("#lesson-following").click()
    at(page, 1)
    assert "lesson=why-sqrt-d-k" in page.url


def test_what_was_not_answered_says_so_and_the_page_is_there_to_play_with(open_page: Callable[..., Page]) -> None:
    page = open_page(f"lesson=first-look&step={END}&lang=ko", painted=False)
    assert "답하지 않았습니다" in seen(page)
    page.locator("#lesson-play-on").click()
    expect(page.locator("#lesson")).to_have_count(0)
    assert not page.evaluate("document.documentElement.classList.contains('in-summary')")
    page.locator("#lessons-open > summary").click()
    page.locator("#lesson-first-look").click()
    at(page, 1)


def test_the_end_of_a_talk_leads_to_the_making_of_a_lesson(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=saturation&step=2&lang=en&present=1", painted=False)
    at(page, 2)
    reveal(page)
    for step in range(3, len(LESSONS["saturation"]["steps"]) + 2):
        page.locator("#lesson-next").click()
        at(page, step)
    drawn = page.locator(".lesson-saw li").first
    assert drawn.locator("polyline[points]:not([points=''])").count() == 2  # the own curve and the real one
    page.locator("#lesson-make-own").click()
    page.locator("#lesson-editor[open]").wait_for()


def test_in_a_room_the_end_has_both_votes_and_students_read_it(open_page: Callable[..., Page]) -> None:
    teacher = open_page("lesson=first-look&step=2&lang=en", painted=False, viewport={"width": 1280, "height": 720})
    at(teacher, 2)
    code = opened(teacher)
    at(teacher, 2)
    students = [open_page(f"room={code}&lang={lang}", painted=False) for lang in ("en", "ko", "ko")]
    here(teacher, 3)
    for student in students:
        follows(student)
    teacher.locator("#lesson-ask").click()
    for i, student in enumerate(students):
        votes(student, i)
    answered(teacher, 3)
    teacher.locator("#room-closed").click()
    teacher.locator("#room-discuss").click()
    for student in students:
        phase(student, "discuss")  # until then the closed vote stands there, with its answer marked
        votes(student, 0, 2)
    answered(teacher, 3)
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
    for step in (3, END):
        teacher.locator("#lesson-next").click()
        at(teacher, step)
    rows = teacher.locator(".lesson-saw tbody tr")
    assert [
        [cell.get_attribute("data-count") for cell in rows.nth(i).locator("td").all()] for i in range(rows.count())
    ] == [["1", "3"], ["1", "0"], ["1", "0"]]
    assert rows.nth(0).get_attribute("class") == "is-true"
    question = FIRST["steps"][1]["question"]
    for student, lang in zip(students, ("en", "ko", "ko"), strict=True):
        items = student.locator("#lesson .lesson-said li")
        expect(items).to_have_count(1)
        expect(items).to_contain_text(question["text"][lang])
        expect(student.locator("#lesson .lesson-ways, #lesson .lesson-saw-ways")).to_have_count(0)
    teacher.locator("#lesson-back").click()
    at(teacher, 3)
    expect(students[0].locator("#lesson .lesson-said li")).to_have_count(0)
