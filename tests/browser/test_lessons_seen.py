"""Every step of every lesson as it is drawn: what it speaks of in sight, marked, uncut; its words within the strip."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boxes import boxes, require_apart
from tests.browser.test_lessons import answered_in, at, reveal, sound
from tests.browser.test_phone import STANDING, phone
from tests.visualiser.test_lessons import LESSONS
from visualiser.locale import text

WAYS: dict[str, tuple[str, dict[str, object]]] = {
    "talk": ("ko&present=1", {"viewport": {"width": 1280, "height": 720}}),
    "phone": ("en", {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}),
}


LEAST: Final = 48
"""The side of a map that can be read on a phone, in pixels: a cell of 32 × 32 has one and a half."""


def require_legible_maps(page: Page) -> None:
    """Fail if a map in sight is too small, whatever a step asks beside it."""
    page.wait_for_function(
        """(least) => [...document.querySelectorAll("#figure-heat-maps canvas.cells:not([hidden])")].every((one) => {
          const { width, height } = one.getBoundingClientRect();
          return !one.checkVisibility() || Math.max(width, height) >= least || !width; // a sink is a column
        })""",
        arg=LEAST,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(LESSONS))
def test_every_step_and_answer_is_in_sight(open_page: Callable[..., Page], name: str, way: str) -> None:
    """In a talk and on a phone; `test_lessons.py` looks at the same on a laptop."""
    lang, context = WAYS[way]
    page = open_page(f"lesson={name}&lang={lang}", painted=False, **context)
    for number, step in enumerate(LESSONS[name]["steps"], 1):
        at(page, number)
        sound(page, step["focus"], step["link"])
        question = step.get("question", {})
        if way == "phone":
            require_legible_maps(page)
        if "prediction" not in question and question:
            reveal(page)
            sound(page, answered_in(step), question.get("reveal", ""))
            assert boxes(page, "#lesson .lesson-verdict")[0].width > 150  # no column of single words
        if number < len(LESSONS[name]["steps"]):
            page.locator("#lesson-next").click()


def test_both_words_are_there_where_the_lesson_speaks_of_both(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=words-to-b&lang=en", painted=False)
    for number in range(1, 6):
        at(page, number)
        if number in {1, 3, 5}:
            for word in ("the", "cat"):
                head = page.locator("#figure-walk .tensor th").get_by_text(word, exact=True)
                expect(head.first).to_be_visible()
        page.locator("#lesson-next").click()


def test_the_bar_says_why_once_the_page_has_revealed_and_asks_again_when_it_is_asked_anew(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("lesson=after-sqrt-d-k&step=6&lang=en", painted=False)
    at(page, 6)
    asks, because = text("en", "lesson.on_page"), LESSONS["after-sqrt-d-k"]["steps"][5]["question"]["because"]["en"]
    bar = page.locator("#lesson .lesson-question")
    expect(bar).to_contain_text(asks)
    page.locator("#predict label").first.click()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    expect(bar).not_to_contain_text(asks)
    expect(bar).to_contain_text(because[:40])
    assert page.locator("#lesson .lesson-text").evaluate("(one) => one.scrollHeight - one.clientHeight") <= 6
    page.locator("#predict-again").click()
    expect(bar).to_contain_text(asks)
    expect(bar).not_to_contain_text(because[:40])


def test_a_ratio_says_that_it_is_one(open_page: Callable[..., Page]) -> None:
    for link, words in (("why-sqrt-d-k&step=5", "times what it was"), ("heads&step=7", "a ratio of")):
        page = open_page(f"lesson={link}&lang=en", painted=False)
        at(page, int(link[-1]))
        reveal(page)
        assert words in page.locator("#lesson .lesson-outcome").inner_text()


def test_names_that_stand_upright_end_above_the_name_of_their_axis(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=heads&step=7&lang=en", painted=False, viewport={"width": 1280, "height": 720})
    at(page, 7)
    page.locator("#figure-heads-mass[data-painted] .word.upright").first.wait_for()
    require_apart(*boxes(page, "#figure-heads-mass .word.upright", "#figure-heads-mass .word.title"))


def test_curves_of_why_stay_where_a_phone_swipes_the_panels(open_page: Callable[..., Page]) -> None:
    _lang, phone = WAYS["phone"]
    page = open_page("page=why&predict=false&lang=en", painted=False, **phone)
    page.locator("#figure-temperature[data-painted]").wait_for()
    before = page.locator("#figure-sweep").bounding_box()
    page.locator("#panels + .dots button:visible").nth(2).tap()
    page.wait_for_function(
        "() => Math.abs(document.querySelector('#figure-temperature').getBoundingClientRect().left - 10) < 40"
    )
    assert page.locator("#figure-sweep").bounding_box() == before


def test_a_panel_of_train_keeps_its_title_and_its_tools_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&experiment=heads&predict=false&lang=en", painted=False, **WAYS["phone"][1])
    page.locator("#figure-heads-maps[data-painted]").wait_for()
    over = "(list) => list.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert page.locator("#panels .figure header:visible").evaluate_all(over) == []


def test_the_maps_of_a_step_fill_a_phone_when_they_are_enlarged(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=saturation&step=8&lang=en", **phone(STANDING))
    page.locator("#figure-heat-maps.is-taught-now .enlarge").click()
    page.locator("#figure-heat-maps.is-focused").wait_for()
    page.wait_for_function("() => document.querySelector('#figure-heat-maps .stage').clientHeight > 300")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#figure-heat-maps canvas.cells')].every((one) => one.clientHeight >= 60)"
    )
