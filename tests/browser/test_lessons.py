"""Lessons, played from their first step to their last."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import printed
from tests.visualiser.test_lessons import LESSONS
from visualiser.server.http import assets

OFFERED = [name for name in LESSONS if name != "first-look"]
SHOWN = "(step) => document.getElementById('lesson')?.dataset.step === String(step)"


def at(page: Page, step: int) -> None:
    """Wait until the lesson shows this step, with its state painted."""
    page.wait_for_function(SHOWN, arg=step)


def reveal(page: Page) -> None:
    """Answer the lesson's question, and reveal the truth."""
    answers = page.locator("#lesson .lesson-answer")
    if answers.count():
        answers.first.click()
    else:
        page.locator("#lesson .predict-point").first.press("ArrowUp")
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth]").wait_for()


READ = """async (claims) => {
  const { act } = await window.headlight;
  const { quantity, within } = await import(claims.script);
  const link = act("link").split("?").slice(1).join("?"); // that of the step: an answer of the step before says nothing
  const there = ({ root, block }) =>
    block.shown && [root, document.getElementById("insight")].every(({ dataset }) => dataset.painted === link);
  while (!claims.list.every(({ of }) => there(act("figure", of.figure)))) await new Promise(requestAnimationFrame);
  const of = (one) => quantity(act("figure", one.figure).block.shown, one);
  return claims.list.map((claim) => {
    const value = of(claim.of) / (claim.over ? of(claim.over) : 1);
    return [value, within(value, claim)];
  });
}"""


def claims_hold(page: Page, step: dict[str, Any]) -> None:
    """Recompute every claim of a step's text from the tables of the page, at the step's link."""
    script = f"gradio_api/headlight/assets/{assets.version()}/js/lesson/quantity.js"
    claims = step.get("holds", [])
    if not claims:
        return
    found = page.evaluate(READ, {"list": claims, "script": f"./{script}"})
    wrong = [(claim, value) for claim, (value, holds) in zip(claims, found, strict=True) if not holds]
    assert wrong == [], step["text"]["en"]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("name", list(LESSONS))
def test_a_lesson_runs_from_its_first_step_to_its_last(open_page: Callable[..., Page], name: str, lang: str) -> None:
    """Every step in one screen, its claims true of the page, every question answered by the live truth."""
    lesson = LESSONS[name]
    page = open_page(f"lesson={name}&lang={lang}", painted=False, viewport={"width": 1280, "height": 720})
    for number, step in enumerate(lesson["steps"], 1):
        at(page, number)
        claims_hold(page, step)
        panel = page.locator("#lesson")
        assert panel.locator(".lesson-said").inner_text().strip()
        covered = page.evaluate(
            """() => {
              const top = document.getElementById("lesson").getBoundingClientRect().top;
              const low = [...document.querySelectorAll(".figure")].filter((one) => one.checkVisibility())
                .filter((one) => one.getBoundingClientRect().bottom > top + 1);
              return low.map((one) => one.parentElement.id); }"""
        )
        assert covered == [], step["link"]
        question = step.get("question", {})
        if "answers" in question:
            reveal(page)
            assert len((panel.locator("[data-truth]").get_attribute("data-truth") or "").split(",")) == 1
            assert panel.locator(".is-real").count() == 1
        elif "curve" in question:
            reveal(page)
            truth = json.loads(panel.locator("[data-truth]").get_attribute("data-truth") or "")
            assert len(truth) == len(question["curve"]["points"])
        if number < len(lesson["steps"]):
            page.locator("#lesson-next").click()
    expect(page.locator("#lesson-next")).to_be_disabled()


def waits_for_an_answer(sheets: list[str], steps: list[dict[str, Any]], lang: str) -> None:
    """Require that no sheet with a question holds the step after it, and that each has the words of a step."""
    texts = [re.sub("[*`]", "", step["text"][lang]) for step in steps]
    found = [[i for i, sheet in enumerate(sheets) if printed.holds(sheet, text)] for text in texts]
    assert all(found), "a step's words are cut in two"
    assert sorted({i for places in found for i in places}) == list(range(len(sheets))), "a sheet without a step"
    for step, (places, later) in zip(steps, pairwise(found), strict=False):
        if "question" in step:
            assert max(places) < min(later), step["text"][lang]


@pytest.mark.parametrize(
    ("name", "answers", "lang"),
    [(name, bool(i % 2), ("en", "ko")[i // 2 % 2]) for i, name in enumerate(OFFERED)] + [("heads", False, "ko")],
)
def test_a_handout_holds_the_lesson_and_cuts_no_figure(
    open_page: Callable[..., Page], name: str, answers: bool, lang: str
) -> None:
    lesson = LESSONS[name]
    page = open_page(f"lang={lang}")
    page.locator("#lessons-open > summary").click()
    entry = page.locator(f".lesson-entry:has(#lesson-{name})")
    entry.locator("summary").click()
    entry.locator(".lesson-handout-answers" if answers else ".lesson-handout").click()
    page.locator(f"#paper[data-ready='{len(lesson['steps'])}']").wait_for()
    for size in printed.SIZES:
        sheets = printed.pages(page, size)
        text = "".join(sheets)
        assert 1 <= len(sheets) <= 12, size
        for step in lesson["steps"]:
            assert printed.holds(text, re.sub("[*`]", "", step["text"][lang])), step["text"][lang]
        if not answers:
            waits_for_an_answer(sheets, lesson["steps"], lang)
    printed.on_paper(page)
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
