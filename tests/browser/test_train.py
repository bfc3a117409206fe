"""The Train page in a browser: shipped results are revealed; a run draws, pauses, continues; a closed tab ends it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from attention_core.experiments import HeadsExperiment, HeadsSnapshot, QualityExperiment, QualitySnapshot, train
from visualiser.drawing.seeds import newest
from visualiser.locale import text
from visualiser.pages.train import shipped_results as train_shipped
from visualiser.shipped import shipped

QUERY = "page=train&predict=false&widths=4,16&mechanisms=scaled,unscaled&seeds=2&steps=50"
EXPERIMENT = QualityExperiment(d_k=(4, 16), mechanism=("scaled", "unscaled"), seeds=2, steps=50)

PAUSE_WHEN_RUNNING = """() => {
  const run = document.getElementById("run");
  const watch = new MutationObserver(() => {
    if (run.dataset.run !== "running") return;
    watch.disconnect();
    document.getElementById("run-pause").click();
  });
  watch.observe(run, { attributes: true, attributeFilter: ["data-run"] });
}"""
"""Runs in the page itself: a short run may be over before a click from outside arrives."""

ACCURACY = """() => Object.fromEntries(document.querySelector("#figure-train-accuracy").living.shown.data
  .filter((trace) => trace.meta?.curve).map((trace) => [trace.meta.curve, Array.from(trace.y)]))"""


def painted(page: Page, name: str = "train-accuracy") -> None:
    page.locator(f"#figure-{name}[data-painted*='page=train']").wait_for()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_shipped_training_answers_the_prediction(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=train&lang={lang}&predict=true", painted=False)
    painted(page)
    page.locator("#predict input[value='unscaled']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict='true']").wait_for()
    right = text(lang, "predict.train_falls.unscaled")
    verdict = text(lang, "predict.right", answer=right, real=right)
    assert page.locator(".predict-verdict p").first.inner_text() == verdict
    kept = shipped("train_quality")
    found = train_shipped.snapshots_from(QualityExperiment(), kept.results)
    last = {shot.curve: shot for shot in found if isinstance(shot, QualitySnapshot)}
    for mechanism, values in page.evaluate(ACCURACY).items():
        expected = [float(shot.accuracy.mean()) for curve, shot in last.items() if curve.mechanism == mechanism]
        assert values == pytest.approx(expected, abs=1e-6)
    assert kept.date in page.locator("#origin").inner_text()
    # one table lists every run; a figure without one offers none
    offered = page.locator(".figure:visible:has(.behind:visible)").evaluate_all(
        "(all) => all.map((f) => f.parentElement.id)"
    )
    assert offered == ["figure-train-accuracy"]


def test_a_run_draws_pauses_goes_on_and_ends_with_the_core_s_numbers(open_page: Callable[..., Page]) -> None:
    page = open_page(QUERY, painted=False)
    painted(page)
    page.evaluate(PAUSE_WHEN_RUNNING)
    page.locator("#run-start").click()
    page.locator("#run[data-run='paused']").wait_for()
    assert page.locator("#run-pause").inner_text() == text("en", "run.resume")
    page.locator("#run-pause").click()
    page.locator("#run[data-run='ended']").wait_for()
    last = {shot.curve: shot for shot in train(EXPERIMENT) if isinstance(shot, QualitySnapshot)}
    drawn = page.evaluate(ACCURACY)
    assert set(drawn) == {"scaled", "unscaled"}
    for mechanism, values in drawn.items():
        expected = [float(shot.accuracy.mean()) for curve, shot in last.items() if curve.mechanism == mechanism]
        # the server may sum with another number of threads
        assert values == pytest.approx(expected, abs=0.02)
    rows = page.locator("#figure-train-accuracy table tbody tr").count()
    assert rows == 2 * 2 * 2
    assert page.locator("#run-start").is_visible()


def test_a_cancelled_run_keeps_what_was_drawn(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&predict=false&task=recall&widths=64,256&mechanisms=additive&steps=1200", painted=False)
    painted(page)
    page.locator("#run-start").click()
    page.wait_for_function(f"() => Number.isFinite(({ACCURACY})().additive?.[0])")
    page.locator("#run-cancel").click()
    page.locator("#run[data-run='cancelled']").wait_for()
    assert page.evaluate(ACCURACY)["additive"][0] > 0.0


def test_the_accuracy_of_heads_is_drawn_before_it_is_shown(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&experiment=heads&predict=true", painted=False)
    points = page.locator("#predict [role=slider]")
    points.nth(4).wait_for()
    points.nth(4).focus()
    page.keyboard.press("End")
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict='false']").wait_for()
    kept = train_shipped.snapshots_from(HeadsExperiment(), shipped("train_heads").results)
    last = newest([shot for shot in kept if isinstance(shot, HeadsSnapshot)])
    real = [float(last[h].accuracy.mean()) for h in (1, 2, 3, 4, 8)]
    drawn = page.evaluate(
        """(name) => { const { data } = document.querySelector("#figure-heads-accuracy").living.shown;
          return Array.from(data.find((trace) => trace.name === name).y); }""",
        text("en", "predict.curve.drawn"),
    )
    assert drawn == [0.5, 0.5, 0.5, 0.5, 1.0], "what was expected lies over what came"
    line = page.locator(".predict-real").get_attribute("points")
    assert line is not None
    heights = [float(point.split(",")[1]) for point in line.split()]
    top, bottom = heights[-1], float(points.nth(0).get_attribute("cy") or "nan") * 2 - heights[-1]
    assert real[-1] == pytest.approx(1.0)
    assert heights == pytest.approx([bottom + (top - bottom) * value for value in real], abs=0.6)


def test_heads_are_chosen_without_another_training(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&experiment=heads&predict=false", painted=False)
    painted(page, "heads-maps")
    last = train_shipped.snapshots_from(HeadsExperiment(), shipped("train_heads").results)
    panels = "() => document.querySelectorAll('#figure-heads-maps .panel-title').length"
    assert page.evaluate(panels) == 4 * 4
    page.locator("#control-shown input[value='2']").check()
    page.locator("#figure-heads-maps[data-painted*='shown=2']").wait_for()
    page.wait_for_function(f"() => ({panels})() === 8")
    assert {shot.curve.d_k for shot in last} == {48, 24, 16, 12, 6}
    assert page.locator("#figure-train-accuracy").is_hidden()
