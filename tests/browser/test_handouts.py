"""Handouts: the whole lesson on A4 and on Letter, page by page, with pictures that cost little ink."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests import draws
from tests.browser import printed
from tests.visualiser.test_lessons import LESSONS, answer
from visualiser.theme import DIVERGING, ON_PAPER, WEIGHTS

A4: Final = 273 / 25.4 * 96
"""Pixels between the margins of A4, the higher of the two papers."""

SHEETS: Final = """() => {
  const content = document.querySelector("#paper .contain");
  const begin = [content.firstElementChild, ...content.querySelectorAll(".begins-page")];
  const tops = begin.map((one) => one.getBoundingClientRect().top);
  const end = content.lastElementChild.getBoundingClientRect().bottom;
  return tops.map((top, i) => (tops[i + 1] ?? end) - top);
}"""
"""The height of what stands on each page, in pixels."""

STRIPS: Final = "(all) => all.map((one) => [...one.style.background.matchAll(/rgb[(][^)]*[)]/g)].map(([one]) => one))"


def waits_for_an_answer(sheets: list[str], steps: list[dict[str, Any]], lang: str) -> None:
    """Require that no sheet with a question holds the step after it, and that each has the words of a step."""
    texts = [re.sub("[*`]", "", step["text"][lang]) for step in steps]
    found = [[i for i, sheet in enumerate(sheets) if printed.holds(sheet, text)] for text in texts]
    assert all(found), "a step's words are cut in two"
    assert sorted({i for places in found for i in places}) == list(range(len(sheets))), "a sheet without a step"
    for step, (places, later) in zip(steps, pairwise(found), strict=False):
        if "question" in step:
            assert max(places) < min(later), step["text"][lang]


def make(page: Page, name: str, answers: bool) -> None:
    """Make a handout of a lesson on a page, by the menu of lessons."""
    page.locator("#lessons-open > summary").click()
    entry = page.locator(f".lesson-entry:has(#lesson-{name})")
    button = entry.locator(".lesson-handout-answers" if answers else ".lesson-handout")
    if not button.is_visible():
        entry.locator("summary").click()
    button.click()
    page.locator(f"#paper[data-ready='{len(LESSONS[name]['steps'])}']").wait_for()


PAIRS: Final = [
    ((lang, False, size), (other, True, letter))
    for lang, other in (("en", "ko"), ("ko", "en"))
    for size, letter in (("A4", "Letter"), ("Letter", "A4"))
]
"""Two handouts: each pair has both languages, with and without answers, and both papers."""


@pytest.mark.parametrize("name", list(LESSONS))
def test_a_handout_fills_its_pages_with_the_lesson_and_cuts_no_figure(
    open_page: Callable[..., Page], name: str
) -> None:
    """A run makes one pair of the handouts of each lesson, drawn at random."""
    for pair in draws.chosen(PAIRS):
        for lang, answers, size in pair:
            page = open_page(f"lang={lang}")
            make(page, name, answers)
            require_pages(page, name, answers, lang, size)


def require_pages(page: Page, name: str, answers: bool, lang: str, size: str) -> None:
    """Fail unless the handout on screen holds the lesson, page by page, with nothing cut."""
    lesson = LESSONS[name]
    sheets = printed.pages(page, size)
    for step in lesson["steps"]:
        assert printed.holds("".join(sheets), re.sub("[*`]", "", step["text"][lang])), step["text"][lang]
    if not answers:
        waits_for_an_answer(sheets, lesson["steps"], lang)
    require_silent(page, lesson["steps"], answers)
    printed.on_paper(page)
    heights = page.evaluate(SHEETS)
    assert len(sheets) == len(heights), size
    assert len(heights) <= 8
    assert min([*heights[:-1], A4]) >= A4 / 2, "a page is half empty"
    assert heights[-1] >= A4 / 5, "the last page has hardly anything"
    boxes = printed.boxes(page)
    assert boxes
    for box in boxes:
        assert box["height"] < 900, box  # one page of Letter, within its margins
        assert (box["out"], box["below"]) == ([], 0), box["title"]
    chosen = page.locator("#paper .question .is-chosen").count()
    asked = [step["question"] for step in lesson["steps"] if "question" in step]
    curves = [one for one in asked if "curve" in one or one.get("prediction") == "train_heads"]
    assert chosen >= len(asked) - len(curves) if answers else chosen == 0
    assert (page.locator("#paper .handout-note").count() > 0) == answers


def require_silent(page: Page, steps: list[dict[str, Any]], answers: bool) -> None:
    """Fail unless just the pictures that answer a question before it have no numbers on the handout of the class."""
    roots = page.locator("#paper .handout-step")
    for i, step in enumerate(steps):
        told = [answer(one) for one in steps[: i + 1] if "question" in one]
        silent = not answers and (step["link"], step.get("focus")) in told
        pictures = roots.nth(i).locator(":scope > div > .printed")
        for picture in pictures.all():
            said = picture.locator("figcaption:not(:empty), h2 > small")
            assert (said.count() == 0) == silent, step["link"]
            title = picture.locator("h2").evaluate("(one) => [...one.childNodes].map((node) => node.textContent)")
            small = picture.locator("h2 > small").count()
            assert not small or title[-2] == " ", title


@pytest.fixture(scope="module")
def paper(open_module_page: Callable[..., Page]) -> Page:
    """Return a page that shows a handout; the last test here closes it and makes another."""
    page = open_module_page("lang=en")
    make(page, "words-to-b", False)
    return page


def test_numbers_that_the_class_computes_are_cells_to_fill_in(paper: Page) -> None:
    steps = paper.locator("#paper .handout-step")
    for number in (4, 6, 7):
        tensors = steps.nth(number - 1).locator(".tensor")
        empty = tensors.evaluate_all(
            "(all) => all.filter((one) => one.querySelector('.to-fill')).map(({ dataset }) => dataset.tensor)"
        )
        assert empty == {4: ["terms", "scores"], 6: ["weights", "weighted", "head"], 7: ["weights", "head"]}[number]
        assert (
            steps.nth(number - 1).locator("td.to-fill").all_inner_texts()
            == [""] * steps.nth(number - 1).locator("td.to-fill").count()
        )
    assert steps.nth(2).locator(".tensor").evaluate_all("(all) => all.map(({ dataset }) => dataset.tensor)") == [
        *("X", "W_K", "K", "Q")
    ]


def test_the_buttons_of_a_handout_have_room_around_their_words(paper: Page) -> None:
    for name in ("print", "close"):
        found = paper.locator(f"#handout-{name}").evaluate(
            """(one) => { const range = document.createRange();
              range.selectNodeContents(one);
              const [words, all] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
              return [words.left - all.left, all.right - words.right, all.height]; }"""
        )
        assert min(found[:2]) >= 8, (name, found)
        assert found[2] >= 24, (name, found)


def test_maps_on_paper_are_in_the_colours_of_their_bars_and_mostly_white(paper: Page) -> None:
    page = paper
    page.locator("#handout-close").click()
    make(page, "first-look", False)
    strips = page.locator("#paper .strip").evaluate_all(STRIPS)
    light = [
        [f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})" for _, colour in scale]
        for scale in (ON_PAPER[first[0][1]] for first in (WEIGHTS, DIVERGING))
    ]
    assert strips
    assert all(strip in light for strip in strips)
    means = page.locator("#paper canvas.cells").evaluate_all(
        """(all) => all.map((one) => {
          const { data } = one.getContext("2d").getImageData(0, 0, one.width, one.height);
          return data.reduce((sum, value) => sum + value, 0) / data.length;
        })"""
    )
    assert means
    assert min(means) > 215
    page.locator("#handout-close").click()
    dark = page.locator("#figure-heat-maps .strip").first.evaluate("(one) => one.style.background")
    assert "rgb(0, 34, 78)" in dark  # the screen's stay
