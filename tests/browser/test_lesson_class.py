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
