"""Random stories of a class in real browsers: a teacher and two students, one on a phone.

After each event the pages have to be where docs/decisions/who-leads.md says. A failure tells its story. A night plays
three, drawn by its seed.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests import draws
from tests.browser import controls
from tests.browser.class_events import play_one
from tests.browser.class_seen import WATCHES
from tests.browser.class_story import Person, Story, Student
from tests.browser.in_class import follows, opened, shows

STORIES = 3
EVENTS = 40
START = "n=8&h=2&d_model=16&lang=en"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOST = ["net::ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED", "status of 4", "status of 503"]


@pytest.mark.parametrize("story", range(STORIES))
def test_whatever_happens_in_a_class_its_pages_are_where_they_should_be(
    open_page: Callable[..., Page], story: int
) -> None:
    heading = f"HEADLIGHT_NIGHT={draws.SEED}, story {story}"
    print(heading)  # noqa: T201 - pytest shows it if the story fails
    page = open_page(START, expected_errors=LOST)
    turns_quickly(page)
    code = opened(page)
    students = []
    for name, device in (("student", {}), ("phone", PHONE)):
        joined = open_page(f"room={code}&lang=en", painted=False, expected_errors=LOST, init_script=WATCHES, **device)
        follows(joined)
        shows(joined, START)
        students.append(Student(name, joined))
    room = f"{page.url.split('?')[0]}gradio_api/headlight/room/{code}"
    told = Story(draws.generator("class", story), room, Person("teacher", page), students, heading)
    told.begin()
    played: Counter[str] = Counter()
    for _ in range(EVENTS):
        play_one(told, played)
    told.end()


def turns_quickly(page: Page) -> None:
    """Give Why a short sweep, which this tab remembers for it."""
    page.locator(controls.page_link("why")).click()
    page.wait_for_url("**page=why**")
    page.locator("#figure-sweep[data-painted]").wait_for()
    controls.slide(page, "seeds", 1)
    page.wait_for_url("**seeds=1**")
    page.locator(controls.page_link("explore")).click()
    shows(page, START)


def test_the_watch_sees_an_answer_that_is_shown_for_an_instant(chromium: Browser) -> None:
    page = chromium.new_page()
    page.set_content("<div id='class' data-mode='following'></div><div id='predict' data-verdict='1'>known</div>")
    page.evaluate(WATCHES)
    steps = """async (changes) => {
      for (const [id, name, value] of changes) {
        document.getElementById(id).toggleAttribute(name, false);
        if (value !== null) document.getElementById(id).setAttribute(name, value);
        await new Promise(requestAnimationFrame);
      }
      return window.answerFlashed === true;
    }"""
    asked, gone, shown = (
        ["class", "data-mode", "asked"],
        ["predict", "data-verdict", None],
        ["predict", "data-verdict", "1"],
    )
    assert not page.evaluate(steps, [asked, gone, ["class", "data-mode", "following"], shown]), "it was there before"
    assert page.evaluate(steps, [gone, asked, shown, gone])
    page.close()
