"""Several tabs of one browser: a duplicated tab has a copy of what the first one keeps, and answers for itself."""

import json
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.in_class import answered, asks, choice, follows, here, opened, phase, shows, votes
from tests.browser.test_room_leads import loading
from visualiser.locale import text

START = "n=8&h=2&d_model=16"
Way = Literal["opened", "copied"]
_SILENT = """
const { postMessage } = BroadcastChannel.prototype;
const waiting = [];
window.answer = () => waiting.splice(0).forEach((say) => say());
BroadcastChannel.prototype.postMessage = function (message) {
  if (message.asks === false) waiting.push(() => postMessage.call(this, message));
  else postMessage.call(this, message);
};
"""
"""Tabs that answer another one only when they are told to."""
_KEPT = "() => JSON.stringify({ ...sessionStorage })"


def kept(page: Page) -> str:
    """Return what a tab keeps, as a script that gives it to another tab, once."""
    return f"""if (!sessionStorage.length && location.protocol !== "about:")
      Object.assign(sessionStorage, {page.evaluate(_KEPT)});"""


def token(page: Page) -> str:
    """Return the token of a tab."""
    return json.loads(page.evaluate("() => sessionStorage.getItem('headlight-room')"))["token"]


def copied(page: Page, url: str, script: str) -> Page:
    """Open another tab of the same browser with what a tab keeps."""
    another = page.context.new_page()
    another.add_init_script(script)
    another.goto(url)
    return another


def duplicated(page: Page, way: Way) -> Page:
    """Duplicate a tab: its opener copies what it keeps, or a script does."""
    if way == "copied":
        return copied(page, page.url, kept(page))
    with page.expect_popup() as another:
        page.evaluate("() => void window.open(location.href)")
    return another.value


def answer_is_in(page: Page, place: int) -> None:
    """Wait until a page shows this answer, and says that the room has it."""
    expect(choice(page, place)).to_be_checked()
    expect(page.locator("#room-ballot [role=status]")).to_have_text(text("en", "room.answered_mine"))


@pytest.mark.parametrize("way", ["opened", "copied"])
def test_a_duplicated_tab_answers_for_itself(open_page: Callable[..., Page], way: Way) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    first = open_page(f"room={code}&lang=en", painted=False)
    follows(first)
    shows(first, START)
    asks(teacher, "Which?", ["one", "two"])
    phase(first, "open")
    votes(first, 0)
    answered(teacher, 1)
    loaded = loading(first.context)
    second = duplicated(first, way)
    follows(second)
    here(teacher, 2)
    phase(second, "open")
    expect(second.locator("#room-ballot input:checked")).to_have_count(0)  # it has answered nothing
    votes(second, 1)
    answered(teacher, 2)
    assert len(loaded) == 1
    tokens = [token(page) for page in (first, second)]
    assert len(set(tokens)) == 2
    for page in (first, second, first):
        page.reload()
        phase(page, "open")
        answer_is_in(page, int(page is second))
        follows(page)
    assert [token(page) for page in (first, second)] == tokens
    assert len(loaded) == 4  # what was reloaded has loaded no page by itself
    answered(teacher, 2)
    here(teacher, 2)


def test_a_duplicated_tab_that_hears_of_the_first_one_late_answers_for_itself(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    first = open_page(f"room={code}&lang=en", painted=False, init_script=_SILENT)
    asks(teacher, "Which?", ["one", "two"])
    phase(first, "open")
    votes(first, 0)
    answered(teacher, 1)
    loaded = loading(first.context)
    second = duplicated(first, "opened")
    phase(second, "open")
    expect(choice(second, 0)).to_be_checked()  # for all that it knows
    first.evaluate("() => window.answer()")
    expect(second.locator("#room-ballot input:checked")).to_have_count(0)
    expect(second.locator("#room-ballot [role=status]")).to_have_text("")
    votes(second, 1)
    answered(teacher, 2)
    here(teacher, 2)
    answer_is_in(first, 0)
    answer_is_in(second, 1)
    assert len(loaded) == 1


def test_a_tab_that_is_restored_after_it_was_closed_keeps_its_answer(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    first = open_page(f"room={code}&lang=en", painted=False)
    asks(teacher, "Which?", ["one", "two"])
    phase(first, "open")
    votes(first, 1)
    answered(teacher, 1)
    url, script, before = first.url, kept(first), token(first)
    context = first.context
    blank = context.new_page()
    first.close()
    restored = copied(blank, url, script)
    phase(restored, "open")
    answer_is_in(restored, 1)
    assert token(restored) == before
    here(teacher, 1)
    answered(teacher, 1)


def test_a_browser_whose_tabs_cannot_talk_follows_and_answers(open_page: Callable[..., Page]) -> None:
    teacher = open_page(START)
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False, init_script="delete window.BroadcastChannel;")
    follows(student)
    asks(teacher, "Which?", ["one", "two"])
    phase(student, "open")
    votes(student, 1)
    before = token(student)
    student.reload()
    phase(student, "open")
    answer_is_in(student, 1)
    assert token(student) == before
    answered(teacher, 1)
