"""A class's question: the step that asks it, its axes, its explanation, its clock, and what its reveal tells."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.in_class import follows, opened, phase, sends, votes
from tests.browser.test_lessons import at
from tests.visualiser.test_lessons import LESSONS
from visualiser.locale import text

WIDE = {"viewport": {"width": 1280, "height": 720}}


def told(page: Page) -> Any:
    """Return the question in the room's message, as this page may ask for it."""
    return page.evaluate(
        """async () => {
          const { token, secret, code } = JSON.parse(sessionStorage.getItem("headlight-room"));
          const headers = { "X-Headlight-Tab": token, ...(secret ? { "X-Headlight-Secret": secret } : {}) };
          const address = new URL(`gradio_api/headlight/room/${code}`, document.baseURI);
          return (await (await fetch(address, { headers })).json()).question;
        }"""
    )


def test_a_result_goes_when_its_step_goes_and_the_next_question_can_be_asked(open_page: Callable[..., Page]) -> None:
    teacher = open_page("lesson=why-sqrt-d-k&step=2&lang=en", painted=False, **WIDE)
    at(teacher, 2)
    student = open_page(f"room={opened(teacher)}&lang=ko", painted=False, **WIDE)
    follows(student)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    assert told(student)["from"] == {"lesson": "why-sqrt-d-k", "step": 2}
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
    teacher.locator("#lesson-next").click()
    for page in (teacher, student):
        phase(page, "")
        page.locator("#room-results").wait_for(state="hidden")


def test_a_curve_has_the_numbers_of_the_page_in_the_language_of_each_student(open_page: Callable[..., Page]) -> None:
    teacher = open_page("lesson=saturation&step=2&lang=en", painted=False, **WIDE)
    at(teacher, 2)
    alone = teacher.locator("#lesson .predict-curve text").all_text_contents()
    student = open_page(f"room={opened(teacher)}&lang=ko", painted=False, **WIDE)
    follows(student)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    assert told(student)["axes"] | {"x": None} == {"x": None, "low": 0, "high": 0.4, "log_x": True, "log_y": False}
    ballot = student.locator("#room-ballot .predict-curve text")
    expect(ballot.last).not_to_have_text(alone[-1])  # the axis has a Korean name
    assert ballot.all_text_contents()[:-2] == alone[:-2]
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    because = student.locator(".class-because")
    expect(because).to_be_visible()
    assert any("\uac00" <= sign <= "\ud7a3" for sign in because.inner_text())


def test_a_marked_answer_its_explanation_and_who_moved_come_with_the_result_alone(
    open_page: Callable[..., Page],
) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    code = opened(teacher)
    student = open_page(f"n=8&room={code}&lang=en", **WIDE)
    follows(student)
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Is the mask causal?")
    for place, answer in enumerate(("yes", "no")):
        teacher.locator(".class-answers li input").nth(place).fill(answer)
    teacher.locator(".class-mark").nth(1).click()
    teacher.locator("#ask-because").fill("It hides *nothing*.")
    teacher.locator("#ask-send").click()
    phase(student, "open")
    question = told(student)
    assert "because" not in question
    assert "right" not in question
    expect(teacher.locator("#class")).not_to_contain_text("hides")
    assert teacher.locator("#class [aria-pressed=true]:visible").count() == 0
    teacher.locator("#room-clock-set").select_option("120")
    for page in (teacher, student):
        expect(page.locator("#room-clock")).to_be_visible()
        page.wait_for_function("() => Number(document.getElementById('room-clock').dataset.left) > 0")

    def others(turn: int) -> None:
        for tab in ("second-student", "third-student"):
            assert sends(student, "GET", f"room/{code}", **{"X-Headlight-Tab": tab})[0] == 200  # it is here
            said = {"question": question["id"], "round": turn, "answer": 0}
            assert sends(student, "POST", f"room/{code}/answer", said, **{"X-Headlight-Tab": tab})[0] == 204

    votes(student, 1)
    others(1)
    teacher.locator("#room-closed").click()
    teacher.locator("#room-advice[data-advice=discuss]").wait_for()
    expect(student.locator("#room-clock")).to_be_hidden()
    teacher.locator("#room-discuss").click()
    phase(student, "discuss")
    expect(student.get_by_text(text("en", "room.not_in"))).to_have_count(0)  # nothing was answered yet
    votes(student, 0, 2)
    others(2)
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        expect(page.locator("#room-results tr.is-true th")).to_contain_text("no")
        expect(page.locator(".class-because em")).to_have_text("nothing")
        flow = {"wrong_wrong": 2, "wrong_right": 0, "right_wrong": 1, "right_right": 0}
        page.locator(".class-flow").wait_for()
        assert page.evaluate("() => JSON.parse(document.querySelector('.class-flow').dataset.flow)") == flow
    teacher.locator("#room-over").click()
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    expect(teacher.locator(".class-prepared li.is-asked")).to_have_count(1)
    teacher.locator(".class-prepared li .class-show").click()  # asked once more, with one press
    phase(student, "open")


def test_a_question_shows_its_picture_on_a_phone(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    code = opened(teacher)
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    student = open_page(f"n=8&room={code}&lang=en", color_scheme="dark", **phone)
    follows(student)
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Which row is narrow?")
    for place, answer in enumerate(("the first", "the last")):
        teacher.locator(".class-answers li input").nth(place).fill(answer)
    teacher.locator("#ask-figure").focus()
    teacher.locator("#ask-figure").select_option("entropy")
    teacher.locator("#ask-send").click()
    phase(student, "open")
    picture = student.locator(".class-picture[data-drawn]")
    picture.wait_for()
    expect(picture.locator("svg, canvas").first).to_be_visible()
    found = picture.evaluate(
        """(root) => {
          const { backgroundColor, color } = getComputedStyle(root);
          const words = [...root.querySelectorAll(".word, .legend *, figcaption")];
          return [backgroundColor, [...new Set([color, ...words.map((one) => getComputedStyle(one).color)])]];
        }"""
    )
    paper, inks = found
    assert paper == "rgb(255, 255, 255)"
    assert all(sum(map(int, re.findall(r"\d+", ink)[:3])) < 400 for ink in inks), "dark words on light paper"


def bare(words: str) -> str:
    """Return words without signs of emphasis and of symbols: those are typeset."""
    return re.sub(r"[*_^`\s]", "", words)


@pytest.mark.parametrize(("name", "step"), [("heads", 7), ("words-to-b", 8)])
@pytest.mark.parametrize(("taught", "spoken"), [("en", "ko"), ("ko", "en")])
def test_a_lessons_question_is_translated_with_its_emphasis(
    open_page: Callable[..., Page], name: str, step: int, taught: str, spoken: str
) -> None:
    question = LESSONS[name]["steps"][step - 1]["question"]
    teacher = open_page(f"lesson={name}&step={step}&lang={taught}", painted=False, **WIDE)
    at(teacher, step)
    student = open_page(f"room={opened(teacher)}&lang={spoken}", painted=False, **WIDE)
    follows(student)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")

    def said(page: Page, asked: str, lang: str) -> None:
        """The question stands there in this language, what is emphasised in italics."""
        expect(page.locator(f"{asked} em")).to_have_text(re.findall(r"\*(.+?)\*", question["text"][lang]))
        assert bare(page.locator(asked).inner_text()) == bare(question["text"][lang])

    said(student, "#room-ballot legend", spoken)
    said(teacher, ".class-question", taught)
    answers = [bare(answer["text"][spoken]) for answer in question["answers"]]
    assert [bare(one) for one in student.locator("#room-ballot label").all_inner_texts()] == answers
    teacher.locator("#room-reveal").click()
    for page, lang in ((student, spoken), (teacher, taught)):
        phase(page, "reveal")
        page.locator("#room-results").wait_for()
        said(page, ".class-question", lang)
    rows = student.locator("#room-results tbody th").all_inner_texts()
    assert all(bare(row).startswith(answer) for row, answer in zip(rows, answers, strict=True))
