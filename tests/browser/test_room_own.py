"""What the teacher alone has: the words of an own lesson come with the room, and of an own file students are told."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser import controls
from tests.browser.in_class import follows, here, opened, sends, shows
from tests.browser.test_lesson_making import HOSTILE
from tests.browser.test_upload import CROSS, give, npz
from visualiser.locale import text

START = "n=8&h=2&d_model=16"


def kept(*steps: dict[str, Any], **title: str) -> str:
    """Return a script that puts a lesson of one's own into a browser."""
    lesson = {"format": 1, "name": "mine", "title": title, "minutes": 5, "steps": steps}
    return f"localStorage.setItem('headlight-lesson-draft', {json.dumps(json.dumps(lesson))});"


def lacks(student: Page, what: str, lang: str = "en") -> None:
    """Wait until a student's page says what it lacks."""
    student.locator(f"#class[data-lacks='{what}']").wait_for()
    expect(student.locator(".class-unseen")).to_have_text(text(lang, f"room.lacks.{what}") if what else "")


def test_the_words_of_the_teacher_s_own_lesson_are_read_by_all_and_never_run(open_page: Callable[..., Page]) -> None:
    first = {"link": START, "text": {"en": f"{HOSTILE}\n\nSecond.", "ko": "첫 걸음"}, "focus": "entropy"}
    second = {"link": "n=10&h=2&d_model=16", "text": {"en": "Ten tokens."}}
    mine = kept(first, second, en="Of <b>mine</b>")
    teacher = open_page("lesson=own&step=1", init_script=mine)
    code = opened(teacher)
    another = kept({"link": "n=30", "text": {"en": "The student's own"}}, en="Another")
    student = open_page(f"room={code}", init_script=another, painted=False)
    korean = open_page(f"room={code}&lang=ko", painted=False)
    sentence = "#lesson .lesson-said"
    expect(student.locator(sentence)).to_contain_text('<img src=x onerror="window.hurt = 1"><script>')
    assert student.locator(f"{sentence} p").count() == 2
    assert student.locator(f"{sentence} :is(img, script, a)").count() == 0
    expect(student.locator("#lesson .lesson-title")).to_have_text("Of <b>mine</b>")
    expect(korean.locator(sentence)).to_have_text("첫 걸음")
    shows(student, START)
    student.locator("#figure-entropy.is-taught-now").wait_for()
    teacher.locator("#lesson-next").click()
    for page in (student, korean):
        expect(page.locator(sentence)).to_have_text("Ten tokens.")
        shows(page, second["link"])
        lacks(page, "")
        assert page.locator("#lesson-next").count() == 0
    assert student.evaluate("() => window.hurt") is None
    teacher.reload()  # the class does not lose the words meanwhile
    here(teacher, 2)
    teacher.locator("#lesson[data-step='2']").wait_for()
    expect(student.locator(sentence)).to_have_text("Ten tokens.")
    teacher.locator("#lesson-leave").click()
    for page in (student, korean):
        page.locator("#lesson").wait_for(state="detached")


def test_a_lesson_without_its_words_and_a_file_of_the_teacher_s_own_are_told(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    student = open_page(f"{START}&room={code}", painted=False)
    korean = open_page(f"{START}&room={code}&lang=ko", painted=False)
    for page in (student, korean):
        follows(page)
    secret = teacher.evaluate("() => JSON.parse(sessionStorage.getItem('headlight-room')).secret")
    headers = {"X-Headlight-Tab": "another-program", "X-Headlight-Secret": secret}
    for lesson in ({"name": "own", "step": 1}, None):
        assert sends(teacher, "POST", f"room/{code}/state", {"lesson": lesson}, **headers)[0] == 204
        lacks(student, "lesson" if lesson else "")
        lacks(korean, "lesson" if lesson else "", "ko")
    controls.choose(teacher, "source", "upload")
    give(teacher, "heads.npz", npz(CROSS))
    lacks(student, "upload")
    lacks(korean, "upload", "ko")
    expect(teacher.locator(".class-unseen")).to_have_text(text("en", "room.own_file"))
    shows(student, START)
    late = open_page(f"room={code}", painted=False)
    lacks(late, "upload")
    controls.slide(student, "n", 20)  # who has left needs no excuse
    follows(student, so=False)
    lacks(student, "")
    controls.choose(teacher, "source", "gaussian")
    for page in (korean, late):
        lacks(page, "", "ko" if page is korean else "en")
    expect(teacher.locator(".class-unseen")).to_be_hidden()
    for page in (teacher, korean, late):
        shows(page, START)
