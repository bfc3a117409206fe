"""A lesson taught to a class: questions begin fresh, wait for the vote, and are not given away meanwhile."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import controls
from tests.browser.in_class import answered, ended, follows, here, opened, phase, votes
from tests.browser.test_lessons import at
from tests.browser.test_room_asks import own
from tests.browser.test_room_leads import loading
from tests.browser.test_room_reveal import LOST, cut, waits
from tests.visualiser.test_lessons import LESSONS
from visualiser.locale import text

NAME = "why-sqrt-d-k"
STEPS = LESSONS[NAME]["steps"]
ASKED, REVEALED = STEPS[1]["link"], STEPS[1]["question"]["reveal"]


@pytest.fixture
def teacher(open_page: Callable[..., Page]) -> Page:
    """The page of who teaches the lesson, at its first question."""
    page = open_page(f"lesson={NAME}&step=2&lang=en", viewport={"width": 1280, "height": 720})
    at(page, 2)
    return page


def answered_alone(page: Page) -> None:
    """Answer the question of the second step on one's own, and reveal it."""
    page.locator(".lesson-answer").nth(2).click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='2']").wait_for()
    shows_only(page, REVEALED)


def shows_only(page: Page, link: str) -> None:
    """Wait until a page shows this state, whatever its lesson and language."""
    page.wait_for_function(
        """(wanted) => {
          const state = (query) => {
            const fields = new URLSearchParams(query);
            for (const name of ["lang", "room", "lesson", "step", "present", "hide", "focus"]) fields.delete(name);
            fields.sort();
            return fields.toString();
          };
          return state(location.search) === state(wanted);
        }""",
        arg=link,
    )


def unanswered(page: Page) -> None:
    """Wait until the lesson's question stands as if nobody had seen its answer."""
    shows_only(page, ASKED)
    at(page, 2)
    expect(page.locator("#lesson .is-real")).to_have_count(0)
    expect(page.locator("#lesson .lesson-answer[aria-pressed=true]")).to_have_count(0)


def test_a_class_begins_with_fresh_questions(teacher: Page, open_page: Callable[..., Page]) -> None:
    answered_alone(teacher)
    code = opened(teacher)
    unanswered(teacher)
    student = open_page(f"room={code}&lang=en", painted=False)
    here(teacher, 1)
    follows(student)
    shows_only(student, ASKED)
    answered_alone(teacher)  # shown to the class, and asked all the same
    shows_only(student, REVEALED)
    teacher.locator("#lesson-ask").click()
    for page in (teacher, student):
        phase(page, "open")
        shows_only(page, ASKED)
    expect(teacher.locator("#lesson .is-real")).to_have_count(0)
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        shows_only(page, REVEALED)
    teacher.reload()
    teacher.locator("#lesson [data-truth='2']").wait_for()  # the same class has seen it
    ended(teacher)
    teacher.locator("#class.is-over").wait_for()
    assert opened(teacher) != code
    unanswered(teacher)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_lesson_stays_at_its_step_while_its_class_votes(open_page: Callable[..., Page], lang: str) -> None:
    teacher = open_page(f"lesson={NAME}&step=2&lang={lang}", viewport={"width": 1280, "height": 720})
    at(teacher, 2)
    code = opened(teacher)
    teacher.locator("#present-start").click()
    teacher.wait_for_url("**present=1**")
    student = open_page(f"room={code}&lang={lang}", painted=False)
    here(teacher, 1)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    answers = [answer["text"][lang] for answer in STEPS[1]["question"]["answers"]]
    assert teacher.locator(".class-options li").count() == len(answers)
    expect(teacher.locator(".class-options")).to_be_in_viewport()
    expect(teacher.locator(".lesson-answer").first).to_be_hidden()
    votes(student, 0)
    for press in ("PageDown", "ArrowLeft", "ArrowRight", "PageUp"):
        teacher.evaluate("() => window.scrollTo(0, 200)")
        teacher.keyboard.press(press)
        if press in ("PageDown", "ArrowRight"):  # one sentence, and it says what the next press does
            expect(teacher.locator("#class .class-said")).to_have_text(text(lang, "room.press_close"))
            expect(teacher.locator("#lesson .lesson-why")).to_be_hidden()
        else:
            expect(teacher.locator("#lesson .lesson-why")).to_have_text(text(lang, "lesson.votes"))
            expect(teacher.locator("#lesson .lesson-why")).to_be_in_viewport()
        expect(teacher.locator("#room-reveal")).to_be_in_viewport(ratio=1)
    teacher.locator("#lesson-next").click()
    at(teacher, 2)
    for page in (teacher, student):
        phase(page, "open")
        shows_only(page, ASKED)
    teacher.locator("#room-closed").click()
    phase(student, "closed")
    teacher.keyboard.press("PageDown")
    expect(teacher.locator("#class .class-said")).to_have_text(text(lang, "room.press_reveal"))
    phase(teacher, "closed")
    teacher.locator("#room-discuss").click()
    phase(student, "discuss")
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        shows_only(page, REVEALED)
    assert own(student) == [(0, 0)]  # no second vote
    expect(teacher.locator("#lesson .lesson-why")).to_be_hidden()
    expect(teacher.locator("#lesson .is-real")).to_have_count(1)
    teacher.keyboard.press("PageDown")
    at(teacher, 3)
    for page in (teacher, student):
        phase(page, "")  # a result goes when its step goes


def test_nobody_who_follows_looks_the_answer_up(teacher: Page, open_page: Callable[..., Page]) -> None:
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False)
    here(teacher, 1)
    shows_only(student, ASKED)
    controls.choose(student, "scaling", "none")
    follows(student, so=False)  # before the question the page may be left
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    follows(student)
    shows_only(student, ASKED)
    controls.reveal(student, "#control-scaling input[value=none]").click()  # and is undone
    script = "(text) => document.querySelector('.class-said').textContent === text"
    student.wait_for_function(script, arg=text("en", "room.held_vote"))
    shows_only(student, ASKED)
    follows(student)
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    shows_only(student, REVEALED)
    controls.slide(student, "n", 12)
    follows(student, so=False)


def test_the_reveal_of_a_page_waits_for_the_teacher(teacher: Page, open_page: Callable[..., Page]) -> None:
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False)
    here(teacher, 1)
    teacher.locator("#lesson-next").click()
    student.locator("#predict input").first.check(force=True)
    expect(student.locator("#predict-reveal")).to_be_disabled()
    expect(student.locator("#predict-waits")).to_have_text(text("en", "predict.teacher_asks"))
    teacher.locator("#predict input").first.check(force=True)
    expect(teacher.locator("#predict-reveal")).to_be_enabled()
    expect(teacher.locator("#predict-waits")).to_be_hidden()
    student.locator("#room-leave").click()
    expect(student.locator("#predict-waits")).to_be_hidden()
    expect(student.locator("#predict-reveal")).to_be_enabled()


def test_a_student_reads_the_question_of_a_page_once_and_in_the_end_why_it_is_so(
    open_page: Callable[..., Page],
) -> None:
    lesson = "after-sqrt-d-k"
    teacher = open_page(f"lesson={lesson}&step=6&lang=en", painted=False, viewport={"width": 1280, "height": 720})
    at(teacher, 6)
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False, viewport={"width": 1366, "height": 768})
    here(teacher, 1)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    choices = student.get_by_text("QK-norm without a factor", exact=True)
    expect(choices.locator("visible=true")).to_have_count(1)
    expect(student.locator(".class-ballot input").first).to_be_enabled()
    expect(teacher.locator("#predict .predict-choices")).to_be_visible()  # the projector's are read by all
    votes(student, 1)
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    because = LESSONS[lesson]["steps"][5]["question"]["because"]["en"]
    for page, place in ((student, ".class-because"), (teacher, "#lesson .lesson-question")):
        expect(page.locator(place)).to_contain_text(because[:40])


def test_nothing_is_marked_by_hand_where_the_truth_is_computed(teacher: Page) -> None:
    opened(teacher)

    def late(route: Route) -> None:
        response = route.fetch()
        phase(teacher, "open")  # the class's stream is the quicker one
        route.fulfill(response=response)

    teacher.route("**/ask*", late)
    with teacher.expect_response("**/ask*"):
        teacher.locator("#lesson-ask").click()
    expect(teacher.locator(".class-options")).to_be_visible()
    expect(teacher.locator(".class-truth")).to_have_count(0)


def test_a_teacher_who_reloads_after_a_failed_reveal_gives_nothing_away(open_page: Callable[..., Page]) -> None:
    teacher = open_page(f"lesson={NAME}&step=2&lang=en", expected_errors=LOST)
    at(teacher, 2)
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False)
    here(teacher, 1)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    votes(student, 0)
    answered(teacher, 1)
    cut(teacher, "**/phase*")
    waits(teacher)
    shows_only(teacher, ASKED)  # computed for nobody
    shows_only(student, ASKED)
    heard = student.evaluate_handle(
        """() => {
          const links = [];
          new MutationObserver(() => links.push(location.search)).observe(document.body,
            { subtree: true, attributes: true, attributeFilter: ["data-painted"] });
          return links;
        }"""
    )
    teacher.reload()
    teacher.unroute("**/phase*")
    phase(teacher, "open")
    at(teacher, 2)
    shows_only(teacher, ASKED)
    expect(teacher.locator("#lesson .is-real")).to_have_count(0)
    expect(teacher.locator(".class-truth")).to_have_count(0)  # it is computed after a reload, too
    answered(teacher, 1)
    assert heard.json_value() == []  # no figure of the student's was drawn anew
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        shows_only(page, REVEALED)
        assert page.locator("#room-results tr.is-true").count() == 1
    expect(teacher.locator("#lesson .is-real")).to_have_count(1)


def test_a_question_that_is_asked_from_another_page_is_asked_once_the_step_is_there(
    teacher: Page, open_page: Callable[..., Page]
) -> None:
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False)
    follows(student)
    teacher.locator(controls.page_link("cost")).click()
    teacher.wait_for_url("**page=cost**aside=1**")
    student.wait_for_url("**page=cost**")
    at(teacher, 2)
    loaded = loading(teacher)
    teacher.locator("#lesson-ask").click()
    for page in (teacher, student):
        phase(page, "open")
        shows_only(page, ASKED)
    votes(student, 0)
    answered(teacher, 1)
    assert len(loaded) == 1
    teacher.locator("#room-over").click()
    phase(student, "")
    teacher.reload()  # it is asked once
    at(teacher, 2)
    here(teacher, 1)
    expect(teacher.locator("#lesson-ask")).to_be_visible()
    expect(teacher.locator("#room-card")).to_be_hidden()


def test_who_reads_a_lesson_of_their_own_and_is_called_reads_the_class_s_step(
    teacher: Page, open_page: Callable[..., Page]
) -> None:
    late = ["status of 410"]  # the page's word that it has left may be under way while the room ends
    student = open_page(f"room={opened(teacher)}&lang=en", painted=False, expected_errors=late)
    follows(student)
    count = student.locator("#lesson .lesson-count")
    own = text("en", "lesson.count", step=1, steps=len(LESSONS["first-look"]["steps"]))
    classes = text("en", "lesson.count", step=2, steps=len(STEPS))
    expect(count).to_have_text(classes)
    for back in ("called", "follows"):
        student.locator("#lessons-open > summary").click()
        student.locator("#lesson-first-look").click()
        expect(count).to_have_text(own)
        follows(student, so=False)
        if back == "called":
            teacher.locator("#room-call").click()
        else:
            student.locator("#room-back").click()
        follows(student)
        expect(count).to_have_text(classes)
        expect(student.locator("#lesson-next")).to_have_count(0)
    student.locator("#lessons-open > summary").click()
    student.locator("#lesson-first-look").click()
    expect(count).to_have_text(own)
    ended(teacher)
    student.locator("#class[data-follows='over']").wait_for()
    expect(count).to_have_text(own)  # the visitor's own lesson goes on, in its own place
    expect(student.locator(":root.in-lesson")).to_have_count(1)


LEGEND = "#figure-score-distribution .chart-legend .entry"


def test_the_projector_draws_and_says_what_the_students_read(teacher: Page, open_page: Callable[..., Page]) -> None:
    """The state before stands beside it; a verdict has its numbers without an answer, and goes with its step."""
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False, viewport={"width": 1280, "height": 720})
    here(teacher, 1)
    follows(student)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    votes(student, 1)
    answered(teacher, 1)
    teacher.locator("#room-reveal").click()
    before = text("en", "figure.score_distribution.before")
    for page in (teacher, student):
        phase(page, "reveal")
        shows_only(page, REVEALED)
        expect(page.locator(LEGEND).filter(has_text=before)).to_have_count(1)
    teacher.locator("#room-over").click()
    teacher.locator("#lesson-next").click()
    at(teacher, 3)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    votes(student, 0)
    answered(teacher, 1)
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        page.locator("#predict[data-verdict]").wait_for()
    own, whole = (page.locator("#predict .predict-verdict p").all_inner_texts() for page in (teacher, student))
    assert own == whole[1:], "all but what judges an answer"
    assert any(character.isdigit() for character in own[0])
    teacher.locator("#room-over").click()
    teacher.locator("#lesson-next").click()
    at(teacher, 4)
    student.get_by_text("Step 4 of").wait_for()
    for page in (teacher, student):
        expect(page.locator("#predict")).to_be_hidden()
        expect(page.locator("#insight.not-now")).to_have_count(0)
