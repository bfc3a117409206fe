"""A reveal that fails: the class stays where it is, and the next one works."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.held import Held
from tests.browser.in_class import (
    answered,
    asks,
    asks_of_page,
    follows,
    here,
    moved_from,
    opened,
    phase,
    shows,
    votes,
)
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
LOST = ["net::ERR_FAILED"]


def cut(page: Page, *paths: str) -> None:
    """Let these requests of a page reach nobody."""
    for path in paths:
        page.route(path, lambda route: route.abort())


def waits(teacher: Page) -> None:
    """Press Reveal, and wait until it waits for the server: nothing of the result is seen here."""
    teacher.locator("#room-reveal").click()
    teacher.locator("#class[data-reveal=waiting]").wait_for()


def unseen(teacher: Page) -> None:
    """Count from now on the frames in which the teacher's page shows another state than the present one."""
    teacher.evaluate(
        """() => {
          const maps = document.getElementById("figure-heat-maps");
          const asked = maps.dataset.painted;
          window.seen = 0;
          const look = () => {
            const shown = getComputedStyle(maps).visibility === "visible" && maps.dataset.painted !== asked;
            if (shown) window.seen += 1;
            window.looking = requestAnimationFrame(look);
          };
          look();
        }"""
    )


def seen(teacher: Page) -> int:
    """Stop counting, and return the count."""
    found: int = teacher.evaluate("() => { cancelAnimationFrame(window.looking); return window.seen; }")
    return found


def test_a_page_s_question_can_be_revealed_again_after_the_network_was_lost(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START, expected_errors=LOST)
    code = opened(teacher)
    student = open_page(f"{START}&room={code}", painted=False)
    follows(student)
    teacher.locator("#predict-open").click()
    student.locator("#predict .predict").wait_for()
    asks_of_page(teacher)
    phase(student, "open")
    votes(student, 0)
    answered(teacher, 1)
    cut(teacher, "**/explore/reveal*")  # the truth does not come
    teacher.locator("#room-reveal").click()
    script = "(text) => document.querySelector('#class .class-said').textContent === text"
    teacher.wait_for_function(script, arg=text("en", "live.unanswered"))
    teacher.locator("#room-reveal:enabled").wait_for()
    cut(teacher, "**/phase*")  # nobody hears of it
    teacher.unroute("**/explore/reveal*")
    waits(teacher)
    assert teacher.locator("#class[data-asked=open]").count() == 1
    assert teacher.locator("#predict[data-verdict]").count() == 0
    votes(student, 1)
    answered(teacher, 1)
    shows(student, f"{START}&predict=true")
    asked = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    teacher.unroute("**/phase*")  # it is said again without a press
    for page in (teacher, student):
        phase(page, "reveal")
        page.locator("#predict[data-verdict]").wait_for()
        assert page.locator("#room-results tr.is-true").count() == 1
    shows(student, moved_from(teacher, asked))


def test_a_page_asks_nothing_in_the_state_that_answers_its_question(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    student = open_page(f"{START}&room={code}", painted=False)
    follows(student)
    teacher.locator("#predict-open").click()
    student.locator("#predict .predict").wait_for()
    asks_of_page(teacher)
    asked = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    moved = moved_from(teacher, asked)
    teacher.locator("#room-ask > summary").click()
    expect(teacher.locator("#room-ask .class-own-question")).to_have_text(text("en", "room.ask_open_first"))
    teacher.keyboard.press("Escape")
    teacher.locator("#predict-back").click()
    teacher.locator("#predict-open").click()
    student.locator("#predict .predict").wait_for()
    asks_of_page(teacher)
    phase(student, "open")
    shows(student, f"{START}&predict=true")
    teacher.locator("#room-reveal").click()
    phase(student, "reveal")
    shows(student, moved)


def test_a_question_that_comes_while_its_menu_is_open_can_be_asked_there(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    opened(teacher)
    answers = Held(teacher, "**/headlight/page/**")
    with teacher.expect_request("**/headlight/page/**"):
        teacher.locator("#predict-open").click()
    teacher.locator("#room-ask > summary").click()
    expect(teacher.locator("#room-ask .class-own-question")).to_have_text(text("en", "room.ask_open_first"))
    answers.release()
    teacher.locator("#ask-page").click()
    phase(teacher, "open")


def test_a_reveal_whose_answer_was_lost_is_taken_as_done_by_the_next(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START, expected_errors=[*LOST, "status of 409", "status of 503"])
    code = opened(teacher)
    deaf = False

    def heard(route: Route) -> None:
        if deaf:
            route.abort()
        else:
            route.continue_()

    def arrives(route: Route) -> None:
        nonlocal deaf
        if deaf:
            deaf = False
            route.continue_()
        else:
            deaf = True
            route.fetch()
            route.abort()

    teacher.route("**/stream*", lambda route: route.fulfill(status=503, json={"message": "Full.", "retry": 600}))
    teacher.route(f"**/room/{code}?*", heard)
    teacher.route("**/phase*", arrives)
    teacher.reload()
    asks(teacher, "Which?", ["one", "two"])
    with teacher.expect_event("requestfailed", lambda sent: "/phase" in sent.url):
        teacher.locator("#room-reveal").click()
    assert teacher.locator("#class[data-asked=open]").count() == 1
    teacher.locator("#class[data-reveal=waiting]").wait_for()
    teacher.locator("#room-reveal").click()
    phase(teacher, "reveal")
    teacher.unroute_all(behavior="wait")


def test_the_class_does_not_see_where_a_lesson_s_reveal_has_gone_before_it(open_page: Callable[..., Page]) -> None:
    teacher = open_page("lesson=first-look&step=2", expected_errors=LOST)
    code = opened(teacher)
    student = open_page(f"room={code}", painted=False)
    follows(student)
    teacher.locator("#lesson[data-step='2']").wait_for()
    here(teacher, 1)
    teacher.locator("#lesson-ask").click()
    phase(student, "open")
    asked = student.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    cut(teacher, "**/phase*")
    unseen(teacher)
    waits(teacher)
    votes(student, 0)
    answered(teacher, 1)
    shows(student, asked)
    teacher.locator(f"#figure-heat-maps[data-painted='{asked}']").wait_for()
    assert seen(teacher) == 0  # the projector shows no result that the class does not see
    teacher.unroute("**/phase*")
    for page in (teacher, student):
        phase(page, "reveal")
    moved = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    assert moved != asked
    shows(student, moved)
