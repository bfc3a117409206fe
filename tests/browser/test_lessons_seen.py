"""Every step of every lesson as it is drawn: what it speaks of in sight, marked, uncut; its words within the strip."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boxes import boxes, require_apart
from tests.browser.test_lessons import at, reveal
from tests.visualiser.test_lessons import LESSONS

WAYS: dict[str, tuple[str, dict[str, object]]] = {
    "wide": ("en", {"viewport": {"width": 1280, "height": 720}}),
    "talk": ("ko&present=1", {"viewport": {"width": 1280, "height": 720}}),
    "phone": ("en", {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}),
}

TROUBLES = """([name, hidden]) => {
  const strip = document.getElementById("lesson");
  const text = strip.querySelector(".lesson-text");
  const found = [];
  if (text.scrollHeight > text.clientHeight + 6) found.push(["words", text.scrollHeight - text.clientHeight]);
  const place = document.getElementById(`figure-${name}`);
  const figure = place.querySelector(".figure");
  if (hidden || document.querySelector(".page.is-inviting")) return found; // the question stands in its place
  if (!figure?.checkVisibility() || !place.classList.contains("is-taught-now")) return [...found, "not shown"];
  const box = figure.getBoundingClientRect();
  const style = getComputedStyle(figure);
  const line = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
  const rooms = [];
  for (let around = figure.parentElement; around; around = around.parentElement) {
    const { display, overflow } = getComputedStyle(around);
    if (display !== "contents" && overflow !== "visible") rooms.push(around.getBoundingClientRect());
  }
  rooms.push({ left: 0, top: 0, right: innerWidth, bottom: strip.getBoundingClientRect().top });
  for (const room of rooms) {
    const out = [room.left - box.left, room.top - box.top, box.right - room.right, box.bottom - room.bottom];
    if (Math.max(...out) + line > 1) found.push(["cut", ...out]);
  }
  return found;
}"""


def sound(page: Page, figure: str, link: str) -> None:
    """Require that a figure is in sight with the line around it, and that no word is out of the strip."""
    hidden = f"hide={figure}" in link
    page.wait_for_function(f"(given) => ({TROUBLES})(given).length === 0", arg=[figure, hidden])


def answered_in(step: dict[str, Any]) -> str:
    """Return the figure that holds the answer of a step's question."""
    question = step["question"]
    return question.get("truth", {}).get("of", {}).get("figure") or question.get("curve", step)["figure"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(LESSONS))
def test_every_step_and_answer_is_in_sight(open_page: Callable[..., Page], name: str, way: str) -> None:
    lang, context = WAYS[way]
    page = open_page(f"lesson={name}&lang={lang}", painted=False, **context)
    for number, step in enumerate(LESSONS[name]["steps"], 1):
        at(page, number)
        sound(page, step["focus"], step["link"])
        question = step.get("question", {})
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


def test_a_ratio_says_that_it_is_one(open_page: Callable[..., Page]) -> None:
    for link, words in (("why-sqrt-d-k&step=5", "times what it was"), ("heads&step=7", "a ratio of")):
        page = open_page(f"lesson={link}&lang=en", painted=False)
        at(page, int(link[-1]))
        reveal(page)
        assert words in page.locator("#lesson .lesson-outcome").inner_text()


def test_names_that_stand_upright_end_above_the_name_of_their_axis(open_page: Callable[..., Page]) -> None:
    page = open_page("lesson=heads&step=7&lang=en", painted=False, **WAYS["wide"][1])
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
