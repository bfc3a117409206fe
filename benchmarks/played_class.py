"""What a class sees of every step of every lesson, at every size: figure, legend, sentence, what is asked.

``python -m benchmarks.played_class [arguments of pytest]`` plays every lesson from its first step to its last, with
every question asked and revealed, in real browsers; it takes minutes a lesson, so no test run plays it.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, TimeoutError, ViewportSize

from tests.browser import in_class
from tests.browser.test_lessons import at
from tests.visualiser.test_lessons import LESSONS, NAMES

LEAST = {(1280, 720): 160, (1920, 1080): 200, (1024, 640): 55, (390, 844): 55, (844, 390): 80}
"""The least height of a plot in each window, in CSS pixels."""

_TROUBLES = """([name, least]) => {
  const found = [];
  const box = (one) => one.getBoundingClientRect();
  const phone = matchMedia("(max-width: 820px), (max-height: 480px)").matches;
  const strip = document.getElementById("lesson");
  const top = box(strip).top;
  // the sentence of the step
  const [words, said] = [box(strip.querySelector(".lesson-text")), box(strip.querySelector(".lesson-said"))];
  if (said.top < words.top - 1 || words.bottom > innerHeight + 1) found.push("the sentence is out of sight");
  if (words.height < 30) found.push(`the sentence has ${words.height} px`);
  const bar = strip.querySelector(".lesson-bar");
  if (box(bar).height > 6) found.push(`the lesson's progress is ${box(bar).height} px high`);
  // what is asked, and what came
  const card = document.querySelector(".class-card");
  if (!phone && card.checkVisibility()) {
    const { left, right, top: high, bottom } = box(card);
    if (left < 0 || high < 0 || right > innerWidth + 1 || bottom > innerHeight + 1) found.push("the card is cut");
    for (const one of [document.getElementById("room-reveal"), document.getElementById("room-answered")]) {
      if (one?.checkVisibility() && (box(one).bottom > box(card).bottom + 1)) found.push(`${one.id} is cut`);
    }
  }
  if (!phone && document.documentElement.scrollHeight > innerHeight) found.push("the page scrolls");
  const tracks = [...document.querySelectorAll(".class-shares, .class-votes .is-withheld")];
  const widths = tracks.map((one) => box(one).width);
  if (widths.length && Math.max(...widths) - Math.min(...widths) > 1) found.push(["tracks", ...widths]);
  // the figure
  if (document.querySelector(".page.is-inviting")) {
    const shown = document.querySelector("#predict");
    return shown?.checkVisibility() && box(shown).height > 20 ? found : [...found, "an empty field"];
  }
  const place = document.getElementById(`figure-${name}`);
  if (place.classList.contains("is-out")) return found;
  const figure = place.querySelector(".figure");
  if (!figure.checkVisibility()) return [...found, "no figure"];
  const room = { left: 0, top: phone ? -1e5 : 0, right: innerWidth, bottom: phone ? 1e5 : top };
  const out = (one) =>
    Math.max(room.left - one.left, room.top - one.top, one.right - room.right, one.bottom - room.bottom);
  if (out(box(figure)) > 1) found.push(["figure cut", out(box(figure))]);
  const legend = place.querySelector(".chart-legend");
  const chart = place.living;
  const stage = chart?.area;
  if (chart?.panels && stage) {
    const area = box(stage);
    for (const { box: inside } of chart.panels) {
      const height = Math.round(inside.bottom - inside.top);
      if (height < least) found.push(`a plot of ${height} px`);
    }
    if (legend?.children.length && (!legend.checkVisibility() || out(box(legend)) > 1)) found.push("no legend");
    const ticks = [...place.querySelectorAll(".word.tick")].filter((one) => one.checkVisibility());
    if (chart.panels.length && ticks.length < 2 * chart.panels.length) found.push(`${ticks.length} ticks`);
    const sizes = ticks.map((one) => parseFloat(getComputedStyle(one).fontSize));
    if (Math.min(...sizes) < 10) found.push(["ticks", Math.min(...sizes)]);
    const value = [...place.querySelectorAll(".marker-value")].find((one) => one.checkVisibility());
    const over = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
      && one.top < other.bottom - 2 && other.top < one.bottom - 2;
    const notes = [...place.querySelectorAll(".word.note")];
    const words = [...notes, ...(value ? [value] : [])].map((one) => [one.textContent, box(one), one]);
    for (const [text, note, self] of words) {
      for (const other of place.querySelectorAll(".word")) {
        const meet = other !== self && other.checkVisibility({ visibilityProperty: true }) && over(note, box(other));
        if (meet) found.push(`${text} over ${other.textContent}`);
      }
    }
  }
  for (const cell of place.querySelectorAll("canvas.cells")) {
    if (cell.checkVisibility() && box(cell).height < 60) found.push(`maps of ${box(cell).height} px`);
  }
  return found;
}"""


def seen(page: Page, figure: str, *, size: tuple[int, int], least: int) -> list[Any]:
    """Return what is wrong in a window of this size, once its layout rests."""
    page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    given = [figure, least]
    try:
        page.wait_for_function(f"(given) => ({_TROUBLES})(given).length === 0", arg=given, timeout=3000)
    except TimeoutError:
        return page.evaluate(_TROUBLES, given)
    return []


TEACHER = [(1280, 720), (1920, 1080), (1024, 640)]
STUDENT = [(1280, 720), (390, 844), (844, 390)]
AT = r"""(step) => {
  const { textContent } = document.querySelector(".lesson-count") ?? {};
  return (textContent ?? "").match(/\d+/g)?.map(Number).includes(step);
}"""
NOT_FILLING = "Object.defineProperty(Document.prototype, 'fullscreenEnabled', { get: () => false })"
"""A window that fills the screen keeps its size."""


def steps(teacher: Page, name: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Teach a lesson to a class from its first step to its last: its steps as they stand, asked and revealed."""
    for number, step in enumerate(LESSONS[name]["steps"], 1):
        at(teacher, number)
        yield number, "", step
        if "question" in step:
            teacher.locator("#lesson-ask").click()
            in_class.phase(teacher, "open")
            yield number, "open", step
            teacher.locator("#room-reveal").click()
            in_class.phase(teacher, "reveal")
            yield number, "reveal", step
            teacher.locator("#room-over").click()
            in_class.phase(teacher, "")
        if number < len(LESSONS[name]["steps"]):
            teacher.locator("#lesson-next").click()


def figure_of(step: dict[str, Any], phase: str) -> str:
    """Return the figure that a step speaks of; after its question the one that holds the answer."""
    question = step.get("question", {})
    if phase != "reveal" or "prediction" in question:
        return step["focus"]
    return question.get("truth", {}).get("of", {}).get("figure") or question.get("curve", step)["figure"]


@pytest.mark.parametrize(
    ("lang", "teacher_sizes", "student_sizes"), [("en", TEACHER, STUDENT), ("ko", TEACHER[:1], STUDENT[1:])]
)
@pytest.mark.parametrize("name", NAMES)
def test_teacher_and_students_see_each_step(
    open_page: Callable[..., Page],
    name: str,
    lang: str,
    teacher_sizes: list[tuple[int, int]],
    student_sizes: list[tuple[int, int]],
) -> None:
    wide = {"viewport": {"width": 1280, "height": 720}}
    teacher = open_page(f"lesson={name}&lang={lang}", painted=False, **wide)
    at(teacher, 1)
    code = in_class.opened(teacher)
    student = open_page(f"room={code}&lang={lang}", painted=False, **wide)
    in_class.here(teacher, 1)
    wrong = []
    for number, phase, step in steps(teacher, name):
        if phase:
            in_class.phase(student, phase)
        student.wait_for_function(AT, arg=number)
        if phase == "reveal":
            student.locator("#room-results").wait_for()
        figure = figure_of(step, phase)
        for who, page, sizes in (("teacher", teacher, teacher_sizes), ("student", student, student_sizes)):
            for size in sizes:
                found = seen(page, figure, size=size, least=LEAST[size])
                wrong += [(number, phase, who, size, one) for one in found]
            page.set_viewport_size(ViewportSize(width=1280, height=720))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", NAMES)
def test_a_talk_shows_each_step(open_page: Callable[..., Page], name: str) -> None:
    """In large type, with the code, the count of answers and the way to reveal in sight."""
    size = {"viewport": {"width": 1280, "height": 720}}
    teacher = open_page(f"lesson={name}&lang=en", painted=False, init_script=NOT_FILLING, **size)
    at(teacher, 1)
    in_class.opened(teacher)
    teacher.locator("#present-start").click()
    wrong = []
    for number, phase, step in steps(teacher, name):
        for size in TEACHER:
            found = seen(teacher, figure_of(step, phase), size=size, least=LEAST[size])
            for control in ("#room-code", *(("#room-answered", "#room-reveal") if phase == "open" else ())):
                if not in_sight(teacher, control):
                    found.append(f"{control} out of sight")
            wrong += [(number, phase, size, one) for one in found]
        teacher.set_viewport_size(ViewportSize(width=1280, height=720))
    assert wrong == [], "\n".join(map(str, wrong))


def in_sight(page: Page, selector: str) -> bool:
    """Return true if an element is whole in the window and in what scrolls around it."""
    return page.locator(selector).evaluate(
        """(one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          const there = document.elementFromPoint(x, y);
          const inside = top >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
          return inside && (there === one || one.contains(there));
        }"""
    )


if __name__ == "__main__":
    raise SystemExit(pytest.main(["-p", "tests.browser.conftest", "-n", "0", "-q", __file__, *sys.argv[1:]]))
