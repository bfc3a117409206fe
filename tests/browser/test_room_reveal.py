"""A reveal that fails: the class stays where it is, and the next one works."""

from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.browser.in_class import answered, asks, asks_of_page, follows, here, opened, phase, shows, votes
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
LOST = ["net::ERR_FAILED"]


def cut(page: Page, *paths: str) -> None:
    """Let these requests of a page reach nobody."""
    for path in paths:
        page.route(path, lambda route: route.abort())


def revealing(teacher: Page, key: str = "live.unanswered") -> None:
    """Press Reveal, and wait until the bar says what went wrong."""
    teacher.locator("#room-reveal").click()
    said = "(said) => document.querySelector('#class .class-said').textContent === said"
    teacher.wait_for_function(said, arg=text("en", key))
    teacher.locator("#room-reveal:enabled").wait_for()


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
    for path in ("**/explore/reveal*", "**/phase*"):  # the truth does not come; then nobody hears of it
        cut(teacher, path)
        revealing(teacher)
        teacher.unroute(path)
        assert teacher.locator("#class[data-asked=open]").count() == 1
        assert teacher.locator("#predict[data-verdict]").count() == 0
    votes(student, 1)
    answered(teacher, 1)
    shows(student, f"{START}&predict=true")
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
        page.locator("#predict[data-verdict]").wait_for()
        assert page.locator("#room-results tr.is-true").count() == 1
    shows(student, teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted"))


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
    revealing(teacher)
    moved = teacher.evaluate("() => document.getElementById('figure-heat-maps').dataset.painted")
    assert moved != asked
    votes(student, 0)
    answered(teacher, 1)
    shows(student, asked)
    teacher.unroute("**/phase*")
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        phase(page, "reveal")
    shows(student, moved)
