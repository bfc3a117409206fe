"""A class's question: the step that asks it, its axes, its explanation, its clock, and what its reveal tells."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.browser import controls
from tests.browser.brought import explored
from tests.browser.in_class import follows, opened, phase, sends, shows, votes
from tests.browser.test_lessons import at
from tests.visualiser.test_lessons import LESSONS
from visualiser.locale import text

WIDE = {"viewport": {"width": 1280, "height": 720}}


@dataclass(frozen=True)
class Class:
    """A teacher, an English and a Korean student, and the code of their room."""

    teacher: Page
    student: Page
    korean: Page
    code: str


@pytest.fixture(scope="module")
def seated(open_module_page: Callable[..., Page]) -> Class:
    teacher = open_module_page("n=8&lang=en", expected_errors=["status of 400"], **WIDE)
    code = opened(teacher)
    student, korean = (open_module_page(f"n=8&room={code}&lang={lang}", **WIDE) for lang in ("en", "ko"))
    return Class(teacher, student, korean, code)


@pytest.fixture
def class_(seated: Class) -> Class:
    """Bring the class to where it began: no question, an empty list of them, all at the first state."""
    teacher = seated.teacher
    for _ in range(2):
        teacher.keyboard.press("Escape")
    if teacher.locator("#room-over").is_visible():
        teacher.locator("#room-over").click()
    elif teacher.locator("#room-reveal").is_visible():
        teacher.locator("#room-reveal").click()
        teacher.locator("#room-over").click()
    for student in (seated.student, seated.korean):
        student.locator("#class:is([data-asked=''], :not([data-asked]))").wait_for()
    prepared = teacher.locator(".class-prepared")
    teacher.locator("#room-ask > summary").click()
    prepared.evaluate("(list) => { list.open = true; }")
    kept = teacher.locator(".class-prepared li button", has_text="×")
    while kept.count():
        kept.first.click()
    prepared.evaluate("(list) => { list.open = false; }")
    teacher.keyboard.press("Escape")
    explored(teacher, "n=8&lang=en")
    for student in (seated.student, seated.korean):
        follows(student)
        shows(student, "n=8")
    return seated


def question_of(page: Page) -> Any:
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
    assert question_of(student)["from"] == {"lesson": "why-sqrt-d-k", "step": 2}
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
    axes = question_of(student)["axes"]
    assert axes | {"x": None} == {"x": None, "low": 0, "high": 0.4, "log_x": True, "log_y": False}
    ballot = student.locator("#room-ballot .predict-curve text")
    expect(ballot.last).not_to_have_text(alone[-1])  # the axis has a Korean name
    assert ballot.all_text_contents()[:-2] == alone[:-2]
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    because = student.locator(".class-because")
    expect(because).to_be_visible()
    assert any("\uac00" <= sign <= "\ud7a3" for sign in because.inner_text())


def test_a_marked_answer_its_explanation_and_who_moved_come_with_the_result_alone(class_: Class) -> None:
    teacher, student, code = class_.teacher, class_.student, class_.code
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Is the mask causal?")
    for place, answer in enumerate(("yes", "no")):
        teacher.locator(".class-answers li input").nth(place).fill(answer)
    teacher.locator(".class-mark").nth(1).click()
    teacher.locator("#ask-because").fill(r"It hides *nothing*, $\sqrt{d_k}$ neither.")
    teacher.locator("#ask-send").click()
    phase(student, "open")
    question = question_of(student)
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
            payload = {"question": question["id"], "round": turn, "answer": 0}
            assert sends(student, "POST", f"room/{code}/answer", payload, **{"X-Headlight-Tab": tab})[0] == 204

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
        expect(page.locator(".class-because .root")).to_have_text("√d_k")  # typed in LaTeX
        flow = {"wrong_wrong": 2, "wrong_right": 0, "right_wrong": 1, "right_right": 0}
        page.locator(".class-flow").wait_for()
        assert page.evaluate("() => JSON.parse(document.querySelector('.class-flow').dataset.flow)") == flow
    teacher.locator("#room-over").click()
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    expect(teacher.locator(".class-prepared li.is-asked")).to_have_count(1)
    file = teacher.locator(".class-prepared input[type=file]")
    alert = teacher.locator(".class-prepared [role=alert]")
    question = {"text": r"Is $\frac{1}{\sqrt{d_k}}$ small?", "answers": [{"text": "yes"}, {"text": r"\(d_k\)"}]}
    for key, n in (("room.prepared.opened", 1), ("room.prepared.known", 0)):
        file.set_input_files(questions(question))
        expect(alert).to_have_text(text("en", key, n=n))
    expect(teacher.locator(".class-prepared li").last).to_contain_text("Is 1/√d_k small?")
    teacher.locator(".class-prepared li .class-show").first.click()  # asked once more, with one press
    phase(student, "open")


def writes(teacher: Page, question: str, answers: tuple[str, str], figure: str) -> None:
    """Type a question with two answers in the open menu Ask, and choose its picture."""
    teacher.locator("#ask-text").fill(question)
    for place, answer in enumerate(answers):
        teacher.locator(".class-answers li input").nth(place).fill(answer)
    teacher.locator("#ask-figure").focus()
    teacher.locator("#ask-figure").select_option(figure)


def test_a_question_shows_its_picture_on_a_phone(class_: Class, open_page: Callable[..., Page]) -> None:
    teacher, code = class_.teacher, class_.code
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    student = open_page(f"n=8&room={code}&lang=en", color_scheme="dark", **phone)
    follows(student)
    teacher.locator("#room-ask > summary").click()
    writes(teacher, "Which row is narrow?", ("the first", "the last"), "entropy")
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


def test_a_prepared_question_brings_the_state_that_it_is_about(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)
    code = opened(teacher)
    student = open_page(f"n=8&room={code}&lang=en", **WIDE)
    follows(student)
    answers = [{"text": "yes"}, {"text": "no"}]
    here = {"text": "Here?", "answers": answers, "link": "n=12&scaling=none", "figure": "entropy"}
    there = {"text": "There?", "answers": answers, "link": "n=12&page=map"}
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    teacher.locator(".class-prepared input[type=file]").set_input_files(questions(here, there))
    ways = teacher.locator(".class-prepared li .class-show")
    expect(ways).to_have_text([text("en", "room.ask"), text("en", "room.prepared.go")])
    ways.first.click()
    for page in (teacher, student):
        phase(page, "open")
        shows(page, here["link"])
    student.locator(".class-picture[data-drawn]").wait_for()
    assert "link" not in question_of(student)
    teacher.locator("#room-ask > summary").click()
    ways.last.click()  # the vote keeps the page
    expect(teacher.locator(".class-said")).to_have_text(text("en", "room.held_asking"))
    shows(teacher, here["link"])
    teacher.keyboard.press("Escape")
    teacher.locator("#room-over").click()
    phase(student, "")
    teacher.locator("#room-ask > summary").click()
    ways.last.click()
    shows(teacher, there["link"])
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    expect(ways).to_have_text([text("en", "room.prepared.go"), text("en", "room.ask")])
    ways.last.click()
    for page in (teacher, student):
        phase(page, "open")
        shows(page, there["link"])


def test_a_question_is_asked_once_its_state_is_there_and_not_at_all_without(class_: Class) -> None:
    teacher, student = class_.teacher, class_.student
    asked: list[str] = []
    teacher.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/ask") else None)
    about = {"text": "Here?", "answers": [{"text": "yes"}, {"text": "no"}], "link": "n=12&scaling=none"}
    teacher.route("**/page/explore", lambda route: route.fulfill(status=400, json={"message": "not now"}))
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    teacher.locator(".class-prepared input[type=file]").set_input_files(questions(about))
    ask = teacher.locator(".class-prepared li .class-show")
    ask.click()
    expect(teacher.locator(".class-said")).to_have_text("not now")
    assert asked == []
    teacher.unroute("**/page/explore")
    held: list[Route] = []
    teacher.route("**/page/explore", lambda route: held.append(route), times=1)
    ask.click()
    while not held:
        teacher.wait_for_timeout(20)
    assert asked == []
    held[0].continue_()
    for page in (teacher, student):
        phase(page, "open")
        shows(page, about["link"])


def test_the_state_that_explore_opens_with_is_one_that_a_question_can_be_about(open_page: Callable[..., Page]) -> None:
    teacher = open_page("lang=en", **WIDE)
    opened(teacher)
    teacher.locator("#room-ask > summary").click()
    writes(teacher, "Which falls?", ("this", "that"), "entropy")
    teacher.locator("#ask-keep").click()
    teacher.keyboard.press("Escape")
    teacher.locator(controls.page_link("map")).click()
    teacher.wait_for_url("**page=map**")
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    way = teacher.locator(".class-prepared li .class-show")
    expect(way).to_have_text(text("en", "room.prepared.go"))
    way.click()
    shows(teacher, "")


def test_a_file_that_does_not_fit_the_list_whole_is_refused(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", **WIDE)  # a list of its own, which is long
    opened(teacher)
    teacher.locator("#room-ask > summary").click()
    teacher.locator(".class-prepared summary").click()
    file = teacher.locator(".class-prepared input[type=file]")
    all_ = [{"text": f"Question {n}?", "answers": [{"text": "yes"}, {"text": "no"}]} for n in range(103)]
    alert = teacher.locator(".class-prepared [role=alert]")
    file.set_input_files(questions(*all_[:98]))
    expect(alert).to_have_text(text("en", "room.prepared.opened", n=98))
    file.set_input_files(questions(*all_[96:103]))
    expect(alert).to_have_text(text("en", "room.prepared.full", n=5, left=2, most=100))
    expect(teacher.locator(".class-prepared li")).to_have_count(98)
    file.set_input_files(questions(*all_[:100]))
    expect(alert).to_have_text(text("en", "room.prepared.opened", n=2))
    file.set_input_files(questions(*all_[:5]))
    expect(alert).to_have_text(text("en", "room.prepared.known"))


def test_a_question_that_is_kept_brings_what_its_page_reads_and_its_file_is_taken_again(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """The language, and what only other pages read, are the reader's: a file refuses the latter."""
    teacher = open_page("n=8&seeds=1&page=why&mask=causal&lang=en", painted=False, **WIDE)
    teacher.locator("#figure-sweep[data-painted]").wait_for()
    opened(teacher)
    teacher.locator("#room-ask > summary").click()
    writes(teacher, "Which falls?", ("this", "that"), "sweep")
    teacher.locator("#ask-keep").click()
    teacher.locator(".class-prepared summary").click()
    with teacher.expect_download() as download:
        teacher.locator("#prepared-save").click()
    file = tmp_path / "questions.json"
    download.value.save_as(file)
    (question,) = json.loads(file.read_text())["questions"]
    assert dict(parse_qsl(question["link"])) == {"n": "8", "page": "why", "seeds": "1"}
    teacher.locator(".class-prepared li button", has_text="×").click()
    teacher.locator(".class-prepared input[type=file]").set_input_files(file)
    expect(teacher.locator(".class-prepared [role=alert]")).to_have_text(text("en", "room.prepared.opened", n=1))


ENDS = {"x-from": "1", "x-to": "16", "y-from": "−4", "y-to": "4"}
"""The numbers at the ends of both axes, as they are typed."""

AXES = {"x": [1, 4, 7, 10, 13, 16], "low": -4, "high": 4, "log_x": False, "log_y": False}
TICKS = ["1", "4", "7", "10", "13", "16", "−4", "0", "4"]


def types(teacher: Page, **ends: str) -> None:
    """Type a curve to draw in the menu Ask, and these numbers at the ends of its axes."""
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Draw the score")
    teacher.locator("#ask-form input[value=curve]").check()
    for box, written in {"x": "heads", "y": "score", **ends}.items():
        teacher.locator(f"#ask-{box}").fill(written)


def ticks(page: Page, where: str) -> list[str]:
    """Return what stands at a drawing's axes, without their names."""
    texts = page.locator(f"{where} .predict-curve").first.locator("text")
    texts.first.wait_for()
    return [found for found in texts.all_text_contents() if found not in ("heads", "score")]


def test_a_curve_of_ones_own_has_the_numbers_at_its_ends_everywhere(class_: Class, tmp_path: Path) -> None:
    teacher, student, code = class_.teacher, class_.korean, class_.code
    types(teacher, **ENDS)
    wrong = teacher.locator("#ask-form .class-wrong")
    for box, written, axis, key, fields in (
        ("x-to", "", "x", "one", {}),
        ("x-to", "1", "x", "order", {}),
        ("x-to", "1e31", "x", "large", {"most": "1×10³⁰"}),
        ("y-to", "3,5", "y", "number", {"came": "3,5"}),
    ):
        teacher.locator(f"#ask-{box}").fill(written)
        teacher.locator("#ask-send").click()
        fault = text("en", f"room.ends.{key}", **fields)
        expect(wrong).to_have_text(text("en", "room.ask_ends", axis=text("en", f"room.ask_{axis}"), fault=fault))
        expect(teacher.locator(f"#ask-{axis}-from")).to_be_focused()
        teacher.locator(f"#ask-{box}").fill(ENDS[box])
        expect(wrong).to_have_text("")
    teacher.locator("#ask-send").click()
    phase(student, "open")
    assert question_of(student)["axes"] == AXES
    assert ticks(student, "#room-ballot") == TICKS
    for key in ("PageUp", "ArrowUp"):
        student.locator("#room-ballot [role=slider]").nth(1).press(key)
    expect(student.locator("#room-ballot [role=slider]").nth(1)).to_have_attribute("aria-valuetext", "2.4")
    student.locator("#room-send").click()
    student.locator("#class[data-answered^='1 [']").wait_for()
    for tab in ("second-student", "third-student", "fourth-student", "fifth-student"):
        named = {"X-Headlight-Tab": tab}
        assert sends(student, "GET", f"room/{code}", **named)[0] == 200  # it is here
        payload = {"question": question_of(student)["id"], "round": 1, "answer": [0.5, 0.8, 0.5, 0.5, 0.5, 0.5]}
        assert sends(student, "POST", f"room/{code}/answer", payload, **named)[0] == 204
    teacher.locator(".class-truth summary").click()
    assert ticks(teacher, ".class-truth") == TICKS
    teacher.locator(".class-truth [role=slider]").last.press("End")
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        assert ticks(page, "#room-results") == TICKS
    with teacher.expect_download() as download:
        teacher.locator("#room-csv").click()
    download.value.save_as(tmp_path / "answers.csv")
    with (tmp_path / "answers.csv").open(encoding="utf-8-sig") as file:
        middle = [line for line in csv.DictReader(file) if line["label"] == "50 %"]
    assert [line["place"] for line in middle] == ["1.0", "4.0", "7.0", "10.0", "13.0", "16.0"]
    assert [line["value"] for line in middle] == ["0.0", "2.4", "0.0", "0.0", "0.0", "0.0"]
    assert [line["true"] for line in middle] == ["0.0", "0.0", "0.0", "0.0", "0.0", "4.0"]
    assert {(line["place_is"], line["value_is"]) for line in middle} == {("heads", "score")}


def test_the_ends_of_a_curve_are_kept_in_the_list_and_in_its_file(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    teacher = open_page("n=8&lang=ko", **WIDE)
    code = opened(teacher)
    student = open_page(f"n=8&room={code}&lang=en", **WIDE)
    follows(student)
    types(teacher, **ENDS)
    teacher.locator("#ask-keep").click()
    teacher.locator(".class-prepared summary").click()
    with teacher.expect_download() as download:
        teacher.locator("#prepared-save").click()
    kept = tmp_path / "questions.json"
    download.value.save_as(kept)
    (question,) = json.loads(kept.read_text())["questions"]
    ends = {"x_from": 1, "x_to": 16, "y_from": -4, "y_to": 4}
    assert question["curve"] == {"x_label": "heads", "y_label": "score", **ends}
    teacher.locator(".class-prepared li button", has_text="×").click()
    file = teacher.locator(".class-prepared input[type=file]")
    alert = teacher.locator(".class-prepared [role=alert]")
    for wrong, axis, key, fields in (
        ({"y_to": None}, "y", "number", {"came": "null"}),
        ({"x_from": "1"}, "x", "number", {"came": '"1"'}),
        ({"x_to": 1}, "x", "order", {}),
    ):
        file.set_input_files(questions({**question, "curve": question["curve"] | wrong}))
        fault = text("ko", f"room.ends.{key}", **fields)
        expect(alert).to_have_text(text("ko", "room.prepared.wrong.ends", n=1, axis=axis, fault=fault))
    file.set_input_files(kept)
    expect(alert).to_have_text(text("ko", "room.prepared.opened", n=1))
    teacher.locator(".class-prepared li .class-show").click()
    phase(student, "open")
    assert question_of(student)["axes"] == AXES
    assert ticks(student, "#room-ballot") == TICKS


def test_an_axis_without_numbers_says_low_and_high_in_the_language_of_each(class_: Class) -> None:
    teacher, student = class_.teacher, class_.korean
    types(teacher, **{"y-from": "0", "y-to": "1e6"})
    teacher.locator("#ask-send").click()
    phase(student, "open")
    low, high = (text("ko", f"predict.curve.{end}") for end in ("low", "high"))
    assert ticks(student, "#room-ballot") == [low, high, "0", "500000", "1×10⁶"]
    point = student.locator("#room-ballot [role=slider]").last
    place = text("ko", "predict.curve.between", share=100)
    expect(point).to_have_attribute("aria-label", text("ko", "predict.curve.point", y="score", x=f"heads {place}"))
    expect(point).to_have_attribute("aria-valuetext", "500000")
    teacher.locator("#room-over").click()
    phase(student, "")
    types(teacher)
    teacher.locator("#ask-send").click()
    phase(student, "open")
    assert "axes" not in question_of(student)
    assert ticks(student, "#room-ballot") == [low, high, low, high]
    expect(point).to_have_attribute("aria-valuetext", text("ko", "predict.curve.between", share=50))
    teacher.locator(".class-truth summary").click()
    assert ticks(teacher, ".class-truth") == ["low", "high", "low", "high"]


def test_a_curve_in_a_talk_leaves_its_words_their_room_and_no_more(open_page: Callable[..., Page]) -> None:
    teacher = open_page("n=8&lang=en", viewport={"width": 1920, "height": 1080})
    opened(teacher)
    teacher.locator("body").press("p")
    teacher.locator("html.presenting").wait_for(state="attached")
    types(teacher, **ENDS)
    teacher.locator("#ask-send").click()
    phase(teacher, "open")
    teacher.locator(".class-truth summary").click()
    teacher.locator(".class-truth .predict-curve").wait_for()
    below = """() => {
      const drawing = document.querySelector(".class-truth .predict-curve");
      const { y, height } = drawing.querySelector(".predict-frame").getBBox();
      const size = parseFloat(getComputedStyle(drawing.querySelector("text")).fontSize);
      return (drawing.viewBox.baseVal.height - y - height) / size;
    }"""
    teacher.wait_for_function(f"() => Math.abs(({below})() - 2.7) < 0.01")


LANDSCAPE: dict[str, Any] = {"viewport": {"width": 740, "height": 360}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_curve_is_drawn_sent_and_read_whole_on_a_phone_in_landscape(
    class_: Class, open_page: Callable[..., Page], lang: str
) -> None:
    teacher = class_.teacher
    student = open_page(f"n=8&room={class_.code}&lang={lang}", **LANDSCAPE)
    follows(student)
    types(teacher, **ENDS)
    teacher.locator("#ask-send").click()
    phase(student, "open")
    whole = """(names) => {
      const card = document.getElementById("room-card").getBoundingClientRect();
      return names.every((name) => [...document.querySelectorAll(name)].every((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const below = Math.min(card.bottom, innerHeight);
        return left >= card.left && right <= card.right && top >= card.top && bottom <= below;
      }));
    }"""
    for turn, name in ((1, "open"), (2, "discuss")):
        phase(student, name)
        point = student.locator("#room-ballot [role=slider]").nth(turn)
        point.press("PageUp")
        student.wait_for_function(whole, arg=["#room-ballot legend", "#room-ballot svg", "#room-send"])
        student.locator("#room-send").click()
        student.locator(f"#class[data-answered^='{turn} [']").wait_for()
        if turn == 1:
            teacher.locator("#room-closed").click()
            teacher.locator("#room-discuss").click()
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    expect(student.locator("#room-results figure")).to_have_count(2)
    student.wait_for_function(
        whole, arg=["#room-results figure", "#room-results .class-legend", "#room-card .class-note"]
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_menu_ask_ends_on_a_phone_s_screen(open_page: Callable[..., Page], lang: str) -> None:
    teacher = open_page(f"n=8&lang={lang}", viewport={"width": 390, "height": 844}, has_touch=True)
    opened(teacher)
    types(teacher)
    ends = "(one) => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }"
    for box in ("#room-ask > .sheet", "#ask-x-to", "#ask-y-to"):
        left, right = teacher.locator(box).evaluate(ends)
        assert 0 <= left < right <= 390


def questions(*asked: dict[str, Any]) -> FilePayload:
    """Return a file of prepared questions."""
    written = json.dumps({"format": 1, "questions": asked}).encode()
    return {"name": "questions.json", "mimeType": "application/json", "buffer": written}


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

    def assert_question(page: Page, asked: str, lang: str) -> None:
        """The question stands there in this language, what is emphasised in italics."""
        expect(page.locator(f"{asked} em")).to_have_text(re.findall(r"\*(.+?)\*", question["text"][lang]))
        assert bare(page.locator(asked).inner_text()) == bare(question["text"][lang])

    assert_question(student, "#room-ballot legend", spoken)
    assert_question(teacher, ".class-question", taught)
    answers = [bare(answer["text"][spoken]) for answer in question["answers"]]
    assert [bare(one) for one in student.locator("#room-ballot label").all_inner_texts()] == answers
    teacher.locator("#room-reveal").click()
    for page, lang in ((student, spoken), (teacher, taught)):
        phase(page, "reveal")
        page.locator("#room-results").wait_for()
        assert_question(page, ".class-question", lang)
    rows = student.locator("#room-results tbody th").all_inner_texts()
    assert all(bare(row).startswith(answer) for row, answer in zip(rows, answers, strict=True))
