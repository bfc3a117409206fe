"""The bar of a teacher: what an offer shows stays, the end is asked once, results can be had again."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download, Page, expect

from tests.browser import controls
from tests.browser.held import Held
from tests.browser.in_class import answered, asks, ended, follows, here, opened, phase, votes
from tests.browser.test_lessons import at
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 720}}
PLACES = """() => [...document.querySelectorAll(".class-line > *")].filter((one) => one.checkVisibility())
  .filter((one) => !one.classList.contains("class-said"))
  .map((one) => [one.id || one.className, one.getBoundingClientRect().left])"""


def gathered(open_page: Callable[..., Page], count: int) -> tuple[Page, list[Page], str]:
    """Open a room on a projector, with so many students."""
    teacher = open_page(START, **DESK)
    code = opened(teacher)
    students = [open_page(f"room={code}", painted=False) for _ in range(count)]
    here(teacher, count)
    return teacher, students, code


@pytest.fixture(scope="module")
def taught(open_module_page: Callable[..., Page]) -> tuple[Page, list[Page], str]:
    """Return a class for the tests up to the one that ends it."""
    return gathered(open_module_page, 3)


def offers(teacher: Page, student: Page) -> None:
    """Let a student offer what the page shows, and the teacher show it."""
    follows(student, so=False)
    student.locator("#room-offer").click()
    menu = teacher.locator(".class-menu:has(#room-offers)")
    menu.locator("summary").click()
    menu.locator(".class-show").click()


def lines(download: Download, folder: Path) -> list[dict[str, str]]:
    """Return the lines of a saved file of results."""
    kept = folder / "answers.csv"
    download.save_as(kept)
    return list(csv.DictReader(io.StringIO(kept.read_text(encoding="utf-8-sig"))))


def test_an_offer_stays_on_the_projector_in_the_midst_of_a_lesson(open_page: Callable[..., Page]) -> None:
    teacher, (first, second), code = gathered(open_page, 2)
    teacher.goto(f"{teacher.url.split('?')[0]}?lesson=why-sqrt-d-k&step=1&present=1&room={code}")
    at(teacher, 1)
    for student in (first, second):
        student.locator("#lesson").wait_for()
    controls.slide(first, "n", 12)  # on the same page
    offers(teacher, first)
    expect(teacher.locator("#lesson-again")).to_be_visible()
    assert teacher.evaluate("() => document.documentElement.classList.contains('presenting')")
    controls.wait_shown(second, n=12)
    second.locator(controls.page_link("cost")).click()  # on another
    second.wait_for_url("**page=cost**")
    offers(teacher, second)
    teacher.wait_for_url("**page=cost**")
    teacher.locator("#cost").wait_for()
    expect(teacher.locator("#lesson-again")).to_be_visible()
    at(teacher, 1)  # the step's text stands; nothing is on its way
    assert "page=cost" in teacher.url
    assert "present=1" in teacher.url
    assert teacher.evaluate("() => document.documentElement.classList.contains('presenting')")
    first.locator("#room-back").click()
    first.wait_for_url("**page=cost**")
    teacher.reload()  # it stays even then
    at(teacher, 1)
    assert "page=cost" in teacher.url
    teacher.locator("#lesson-again").click()
    teacher.wait_for_url(lambda address: "page=cost" not in address)
    at(teacher, 1)
    assert "present=1" in teacher.url
    expect(teacher.locator("#lesson-again")).to_be_hidden()


def test_an_offer_is_what_the_controls_say_though_the_server_has_not_shown_it_yet(
    open_page: Callable[..., Page],
) -> None:
    teacher, (student,), _ = gathered(open_page, 1)
    answers = Held(student, "**/headlight/page/**")
    with student.expect_request("**/headlight/page/**"):
        controls.slide(student, "n", 12)
    follows(student, so=False)
    student.locator("#room-offer").click()
    answers.release()
    menu = teacher.locator(".class-menu:has(#room-offers)")
    menu.locator("summary").click()
    menu.locator(".class-show").click()
    controls.wait_shown(teacher, n=12)


def test_the_end_is_asked_once_and_an_offer_moves_no_button(taught: tuple[Page, list[Page], str]) -> None:
    teacher, students, _ = taught
    before = teacher.evaluate(PLACES)
    controls.slide(students[0], "n", 12)
    follows(students[0], so=False)
    students[0].locator("#room-offer").click()
    teacher.locator("#room-offers").wait_for(state="attached")
    teacher.locator(".class-menu:has(#room-offers)").wait_for()
    after = teacher.evaluate(PLACES)
    assert [one for one in after if one in before] == before
    teacher.locator("#room-lock").click()
    teacher.locator("#room-lock[aria-pressed=true]").wait_for()
    assert teacher.evaluate(PLACES) == after
    teacher.locator("#room-lock").click()
    teacher.locator("#room-end > summary").click()
    expect(teacher.locator("#room-end .sheet")).to_contain_text(text("en", "room.end_ask", n=3))
    teacher.locator("#room-stay").click()
    expect(teacher.locator("#room-end .sheet")).to_be_hidden()
    teacher.locator("#room-end > summary").click()
    teacher.keyboard.press("Escape")
    here(teacher, 3)
    assert students[1].locator("#class[data-follows=true]").count() == 1
    follows(students[0])  # the lock has brought this page back


def test_results_can_be_saved_after_done_and_once_more_at_the_end(
    taught: tuple[Page, list[Page], str], tmp_path: Path
) -> None:
    teacher, students, _ = taught
    expect(teacher.locator("#room-results-file")).to_be_disabled()
    expect(teacher.locator("#room-results-file")).to_have_text(
        text("en", "room.csv")
    )  # it saves what that button saves
    for n, question in enumerate(("First?", "Second?")):
        asks(teacher, question, ["one", "two"], right=n)
        for student in students:
            phase(student, "open")
            votes(student, n)
        answered(teacher, 3)
        teacher.locator("#room-reveal").click()
        for page in (teacher, *students):
            phase(page, "reveal")
        teacher.locator("#room-over").click()
        for page in (teacher, *students):
            phase(page, "")
    with teacher.expect_download() as download:
        teacher.locator("#room-results-file").click()
    assert {line["text"] for line in lines(download.value, tmp_path)} == {"First?", "Second?"}
    notice = text("en", "room.saved", file=download.value.suggested_filename)
    expect(teacher.locator(".class-said")).to_have_text(notice)
    teacher.reload()
    here(teacher, 3)
    expect(teacher.locator("#room-results-file")).to_be_enabled()
    ended(teacher)
    for student in students:
        student.locator("#class[data-follows=over]").wait_for()
    with teacher.expect_download() as download:
        teacher.locator("#room-results-file").click()
    found = lines(download.value, tmp_path)
    assert [line["value"] for line in found] == ["3", "0", "0", "3"]
