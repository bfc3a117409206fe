"""Lessons, played from their first step to their last."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import draws
from tests.browser.boxes import boxes
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


@pytest.mark.parametrize("name", list(LESSONS))
def test_a_lesson_runs_from_its_first_step_to_its_last(open_page: Callable[..., Page], name: str) -> None:
    """Every step in one screen, its claims true of the page, every question answered by the live truth.

    By day in one language: `test_lessons_seen.py` has a talk in Korean and a phone in English.
    """
    for lang in draws.chosen(["en", "ko"]):
        play(open_page, name, lang)


def play(open_page: Callable[..., Page], name: str, lang: str) -> None:
    """Play a lesson on a laptop, and fail unless every step is sound."""
    lesson = LESSONS[name]
    page = open_page(f"lesson={name}&lang={lang}", painted=False, viewport={"width": 1280, "height": 720})
    for number, step in enumerate(lesson["steps"], 1):
        at(page, number)
        sound(page, step["focus"], step["link"])
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
        if "answers" in question or "curve" in question:
            reveal(page)
            sound(page, answered_in(step), question.get("reveal", ""))
            assert boxes(page, "#lesson .lesson-verdict")[0].width > 150  # no column of single words
        if "answers" in question:
            assert len((panel.locator("[data-truth]").get_attribute("data-truth") or "").split(",")) == 1
            assert panel.locator(".is-real").count() == 1
        elif "curve" in question:
            truth = json.loads(panel.locator("[data-truth]").get_attribute("data-truth") or "")
            assert len(truth) == len(question["curve"]["points"])
        page.locator("#lesson-next").click()
    at(page, len(lesson["steps"]) + 1)
    asked = [number for number, step in enumerate(lesson["steps"], 1) if "question" in step]
    assert page.locator(".lesson-saw li").evaluate_all("(all) => all.map((one) => Number(one.dataset.step))") == asked
    expect(page.locator("#lesson-next")).to_be_disabled()
