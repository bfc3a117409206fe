"""A lesson in a class: figure, text and what the class is asked on one screen, for the teacher and for students."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import in_class
from tests.browser.test_lessons import at

HERE = """() => {
  const box = (one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const seen = (selector) => [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
  const card = seen(".class-card");
  const figure = seen(".is-taught-now .figure") ?? seen(".figure"); // a step may hide what it asks for
  const sentence = seen("#lesson .lesson-said") ?? seen("#lesson .lesson-verdict"); // a talk shows one of them
  return {
    boxes: { card: box(card), sentence: box(sentence), figure: box(figure) },
    page: [document.documentElement.scrollHeight, document.documentElement.scrollWidth],
    cut: card.scrollHeight - card.clientHeight,
  };
}"""
WIDE, HIGH = 1280, 720


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["right"] <= other["left"] + 1
        or other["right"] <= one["left"] + 1
        or one["bottom"] <= other["top"] + 1
        or other["bottom"] <= one["top"] + 1
    )


def fits(page: Page, least: int) -> None:
    """Check that nothing scrolls, and that figure, text and card are whole and side by side."""
    expect(page.locator(".class-card")).to_be_visible()
    found: dict[str, Any] = page.evaluate(HERE)
    boxes = found["boxes"]
    assert found["page"] == [HIGH, WIDE]
    assert found["cut"] <= 1, "the card scrolls"
    for name, box in boxes.items():
        assert box["left"] >= 0, name
        assert box["right"] <= WIDE, name
        assert box["top"] >= 0, name
        assert box["bottom"] <= HIGH, name
        for other in boxes:
            assert other == name or apart(box, boxes[other]), (name, other)
    assert boxes["figure"]["bottom"] - boxes["figure"]["top"] >= least


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("presented", [False, True])
@pytest.mark.parametrize(("lesson", "step"), [("why-sqrt-d-k", 2), ("saturation", 2)])
def test_figure_text_and_votes_are_on_one_screen(
    open_page: Callable[..., Page], lesson: str, step: int, presented: bool, lang: str
) -> None:
    window = {"viewport": {"width": WIDE, "height": HIGH}}
    teacher = open_page(f"lesson={lesson}&step={step}&lang={lang}", painted=False, **window)
    at(teacher, step)
    code = in_class.opened(teacher)
    if presented:
        teacher.locator("#present-start").click()
        teacher.locator("#way-back").wait_for()
    student = open_page(f"room={code}&lang={lang}", painted=False, **window)
    in_class.follows(student)
    student.locator("#lesson").wait_for()
    least = 350 if presented else 180 if lesson == "why-sqrt-d-k" else 150
    teacher.locator("#lesson-ask").click()
    in_class.phase(teacher, "open")
    in_class.phase(student, "open")
    fits(teacher, least if lesson == "why-sqrt-d-k" else 150)  # the other step hides what answers it
    fits(student, 150)
    teacher.locator("#room-fold").click()
    expect(teacher.locator("#lesson-ask")).to_be_hidden()  # the class is asked, folded or not
    teacher.locator("#room-fold").click()
    if presented and lesson == "why-sqrt-d-k":  # a figure that stands alone has its legend again
        expect(teacher.locator(".is-taught-now .chart-legend")).to_be_visible()
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        page.locator("#room-results").wait_for()
    expect(teacher.locator("#lesson .lesson-verdict")).to_be_visible()
    fits(teacher, least)
    fits(student, 150)
    if presented and lesson == "why-sqrt-d-k":
        teacher.locator("#room-fold").click()
        expect(teacher.locator(".legends .chart-legend").first).to_be_visible()  # the others are back


WHOLE = """() => {
  const bottom = (selector) => document.querySelector(selector).getBoundingClientRect().bottom;
  const wide = (selector) => document.querySelector(selector).getBoundingClientRect().width;
  return {
    below: bottom("#lesson .lesson-verdict") - bottom("#lesson .lesson-text"),
    share: wide("#lesson .lesson-text") / wide(".class-card"),
  };
}"""


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
def test_a_talk_shows_what_a_result_means_whole_below_the_lesson_s_title(
    open_page: Callable[..., Page], lang: str, size: tuple[int, int]
) -> None:
    window = {"viewport": {"width": size[0], "height": size[1]}}
    link = f"source=structured&normalisation=sink&sink=4&present=1&lesson=after-sqrt-d-k&step=10&lang={lang}"
    teacher = open_page(link, painted=False, **window)
    at(teacher, 10)
    teacher.keyboard.press("Escape")
    in_class.opened(teacher)
    teacher.locator("#present-start").click()
    teacher.locator("#lesson-ask").click()
    in_class.phase(teacher, "open")
    teacher.locator("#room-reveal").click()
    teacher.locator("#room-results").wait_for()
    expect(teacher.locator("#lesson .lesson-verdict")).to_be_visible()
    expect(teacher.locator("#lesson .lesson-title")).to_be_visible()
    teacher.wait_for_function(f"() => ({WHOLE})().below <= 0")
    assert teacher.evaluate(WHOLE)["share"] > 0.8
    verdict = teacher.locator("#lesson .lesson-verdict")
    verdict.evaluate("(one) => one.append(' and so on'.repeat(60))")  # whatever an author writes
    teacher.wait_for_function(f"() => ({WHOLE})().below <= 0")
    expect(teacher.locator("#lesson .lesson-text.has-more")).to_have_count(0)
