"""Lessons, played from their first step to their last."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.visualiser.test_lessons import LESSONS
from visualiser.server.http import assets

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
  // that of the step: an answer of the step before says nothing
  const link = act("ways.link").split("?").slice(1).join("?");
  const there = ({ root, block }) =>
    block.shown && [root, document.getElementById("insight")].every(({ dataset }) => dataset.painted === link);
  while (!claims.list.every(({ of }) => there(act("figures.of", of.figure)))) await new Promise(requestAnimationFrame);
  const of = (one) => quantity(act("figures.of", one.figure).block.shown, one);
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
        page.locator("#lesson-next").click()
    at(page, len(lesson["steps"]) + 1)
    asked = [number for number, step in enumerate(lesson["steps"], 1) if "question" in step]
    assert page.locator(".lesson-saw li").evaluate_all("(all) => all.map((one) => Number(one.dataset.step))") == asked
    expect(page.locator("#lesson-next")).to_be_disabled()
