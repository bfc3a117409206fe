"""Explore and Map ask if one wants it: nothing tells the answer before, the verdict is right, there is a way back."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, AttentionResult, compute
from tests.browser import controls
from tests.browser.drawn import EVERYTHING
from tests.browser.mapped import weights
from visualiser.locale import number, text
from visualiser.predictions import median

PANELS = ("score-distribution", "entropy", "gradient")

PAINTED = """([names, query]) => names.every((name) => {
  const { painted } = document.getElementById(`figure-${name}`)?.dataset ?? {};
  return painted !== undefined && (query === null || painted === query);
})"""


def painted(page: Page, query: str, *more: str) -> None:
    page.wait_for_function(PAINTED, arg=[["heat-maps", *PANELS, *more], query])


def means(name: str, **settings: Any) -> list[float]:
    return [float(value) for value in statistic(compute(AttentionConfig(**settings)), name)]


def statistic(result: AttentionResult, name: str) -> list[float]:
    return result.statistic(name).double().mean(-1).tolist()


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("lang=en", painted=True)


def visit(page: Page, app_url: str, query: str, *more: str) -> str:
    """Visit a link whose parameters are in their order, and wait until it is painted."""
    page.goto(f"{app_url}?{query}")
    painted(page, query, *more)
    page.locator("#predict-reveal").wait_for()
    return query


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_change_is_predicted_applied_and_taken_back(page: Page, app_url: str, lang: str) -> None:
    asked = visit(page, app_url, f"n=12&h=2&lang={lang}&predict=true&question=unscaled_entropy")
    pairs = [
        [sum(means("entropy", n=12, h=2, seed=seed, scaling=scaling)) / 2 for scaling in ("sqrt_d_k", "none")]
        for seed in range(21)
    ]
    old, new = ([pair[side] for pair in pairs] for side in (0, 1))
    assert median([b / a for a, b in pairs]).most <= 0.5
    before, after = median(old), median(new)
    everything = page.evaluate(EVERYTHING)
    for hidden in (after.mean, after.least, after.most, new[0]):
        assert number(hidden) not in everything
    assert page.locator("#insight p").count() == 0
    assert page.locator(".offer").count() == 0
    choose = page.locator("#predict input[value=halves]")
    expect(page.locator("#predict-reveal")).to_be_disabled()
    choose.check()
    page.locator("#predict-reveal").click()
    painted(page, f"n=12&h=2&scaling=none&lang={lang}")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    verdict = page.locator(".predict-verdict").inner_text()
    assert text(lang, "predict.right", real=text(lang, "predict.change.halves")) in verdict
    for value in (before.mean, after.mean, after.least, after.most):
        assert number(value) in verdict
    expect(page.locator("#predict-verdict, .predict-verdict")).to_be_focused()
    assert controls.shown(page)["scaling"] == "none"
    page.locator("#predict-back").click()
    painted(page, f"n=12&h=2&lang={lang}")
    expect(page.locator("#predict")).to_be_hidden()
    expect(page.locator("#insight p").first).to_be_visible()
    page.locator("#predict-open").click()
    expect(page.locator("#predict-reveal")).to_be_visible()
    assert asked.startswith(f"n=12&h=2&lang={lang}")


def test_a_wrong_prediction_is_told_what_came(page: Page, app_url: str) -> None:
    visit(page, app_url, "n=12&h=2&lang=en&predict=true&question=unscaled_variance")
    page.locator("#predict input[value=stays]").check()
    page.locator("#predict-reveal").click()
    painted(page, "n=12&h=2&scaling=none&lang=en")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "false")
    verdict = text(
        "en", "predict.differs", answer=text("en", "predict.change.stays"), real=text("en", "predict.change.doubles")
    )
    expect(page.locator(".predict-verdict p").first).to_have_text(verdict)


HEADS = {"n": 24, "h": 4, "source": "structured"}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_selective_head_is_in_no_text_table_or_panel_before(page: Page, app_url: str, lang: str) -> None:
    asked = f"n=24&h=4&source=structured&lang={lang}&row=3&predict=true&question=narrow_head"
    visit(page, app_url, asked, "row-weights", "jacobian")
    entropies = means("entropy", **HEADS)
    everything = page.evaluate(EVERYTHING)
    for name in ("entropy", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight"):
        for value in means(name, **HEADS):
            assert number(value) not in everything, name
    assert page.locator("table td").count() == 0
    for name in (*PANELS, "row-weights", "jacobian"):
        assert "is-covered" in (page.locator(f"#figure-{name}").get_attribute("class") or "")
    page.locator("#menus .takes > summary").click()
    assert page.locator("#take-away button:not(#take-link):enabled").count() == 0
    expect(page.locator("#take-away .held")).to_have_text(text(lang, "predict.files_wait"))
    page.keyboard.press("Escape")
    best = entropies.index(min(entropies)) + 1
    page.locator(f"#predict input[value='{best}']").check()
    page.locator("#predict-reveal").click()
    painted(page, f"n=24&h=4&source=structured&lang={lang}&row=3", "row-weights", "jacobian")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    assert number(min(entropies)) in page.locator(".predict-verdict").inner_text()
    assert page.locator("#figure-entropy table td").count() > 0
    assert page.locator(".is-covered").count() == 0
    assert page.locator("#take-away button:disabled").count() == 0


def test_another_state_is_another_question_and_closing_ends_it(page: Page, app_url: str) -> None:
    visit(page, app_url, "n=12&h=2&lang=en&predict=true")
    page.locator("#predict input[value=stays]").check()
    controls.choose(page, "scaling", "none")
    painted(page, "n=12&h=2&scaling=none&lang=en&predict=true")
    assert page.locator("#predict input:checked").count() == 0
    question = text("en", "predict.changed.scaled", old=1.0, new=256**-0.5)
    expect(page.locator("#predict legend")).to_contain_text(question.split(":")[0].split("√")[0])
    before = page.locator("#predict legend").inner_text()
    page.locator("#predict-another").click()
    page.wait_for_function("(before) => document.querySelector('#predict legend')?.innerText !== before", arg=before)
    page.locator("#predict-shut").click()
    painted(page, "n=12&h=2&scaling=none&lang=en")
    expect(page.locator("#predict")).to_be_hidden()
    expect(page.locator("#predict-open")).to_be_focused()


def test_a_control_moved_while_the_answer_is_on_its_way_gets_its_own_question(page: Page, app_url: str) -> None:
    visit(page, app_url, "n=12&h=2&lang=en&predict=true")
    page.route("**/page/explore/reveal", lambda _: None)  # the answer never comes
    page.locator("#predict input[value=halves]").check()
    page.locator("#predict-reveal").click()
    page.wait_for_function("() => document.querySelector('#predict-reveal').disabled")
    controls.choose(page, "mask", "causal")
    painted(page, "n=12&h=2&mask=causal&lang=en&predict=true")
    page.unroute("**/page/explore/reveal")
    page.locator("#predict input[value=halves]").check()  # of the new question: the old verdict has not come
    assert page.locator("#predict").get_attribute("data-verdict") is None
    page.locator("#predict-reveal").click()
    painted(page, "n=12&h=2&scaling=none&mask=causal&lang=en")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")


def test_a_verdict_leaves_with_its_state(page: Page, app_url: str) -> None:
    visit(page, app_url, "n=12&h=2&lang=en&predict=true")
    page.locator("#predict input[value=halves]").check()
    page.locator("#predict-reveal").click()
    painted(page, "n=12&h=2&scaling=none&lang=en")
    page.locator("#predict[data-verdict]").wait_for()
    controls.choose(page, "mask", "causal")
    painted(page, "n=12&h=2&scaling=none&mask=causal&lang=en")
    expect(page.locator("#predict")).to_be_hidden()


DRAWN_STRIPS = """() => [...document.querySelectorAll(".strip canvas")].some((one) =>
  one.getContext("2d").getImageData(0, 0, one.width, one.height).data.some(Boolean))"""

MAP = "n=700&h=4&d_k=16&seed=3"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_map_hides_what_answers_its_question(open_page: Callable[..., Page], app_url: str, lang: str) -> None:
    page = open_page(f"{MAP}&page=map&lang={lang}&predict=true&question=narrow_head", painted=False)
    page.wait_for_function("() => document.querySelector('#run [data-run=ended]')")
    p = weights(f"{MAP}&page=map")
    entropies = (-(p * p.clamp_min(1e-300).log()).sum(-1)).mean(-1).tolist()
    everything = page.evaluate(EVERYTHING)
    for entropy in entropies:
        assert number(entropy) not in everything
    assert page.locator("table td").count() == 0
    assert page.locator("#insight p:not(.purpose)").count() == 0
    assert not page.evaluate(DRAWN_STRIPS)
    best = min(entropies)
    page.locator(f"#predict input[value='{entropies.index(best) + 1}']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict=true]").wait_for()
    assert number(best) in page.locator(".predict-verdict").inner_text()
    page.wait_for_function("() => document.querySelectorAll('#figure-map table td').length > 0")
    page.wait_for_function(DRAWN_STRIPS)
    assert page.locator("#take-away button:disabled").count() == 0


def test_a_sheet_of_paper_asks_and_does_not_answer(page: Page, app_url: str) -> None:
    visit(page, app_url, "n=24&h=4&source=structured&lang=en&predict=true&question=narrow_head")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    paper = page.locator("#paper")
    assert text("en", "predict.narrow_head.question") in paper.inner_text()
    assert text("en", "figure.heat_maps.title") in paper.inner_text()
    for entropy in means("entropy", **HEADS):
        assert number(entropy) not in paper.inner_text()
    assert paper.locator("#title-entropy, .printed").count() == 1  # the maps alone
    assert paper.locator(".withheld").inner_text() == waiting(*PANELS)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")


def waiting(*figures: str) -> str:
    """Return the line of a print about figures that wait for an answer."""
    return text(
        "en", "print.withheld", parts=[text("en", f"figure.{name.replace('-', '_')}.title") for name in figures]
    )


def test_a_sheet_of_paper_names_the_figures_of_a_row_that_wait(page: Page, app_url: str) -> None:
    asked = "n=24&h=4&source=structured&lang=en&row=3&predict=true&question=narrow_head"
    visit(page, app_url, asked, "row-weights", "jacobian")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#paper .withheld").inner_text() == waiting(*PANELS, "row-weights", "jacobian")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")


def test_a_sheet_of_the_map_leaves_out_the_row_that_was_open_before_the_question(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(f"{MAP}&page=map&lang=en&row=5", painted=False)
    page.locator("#figure-row[data-painted]").wait_for()
    page.locator("#predict-open").click()
    page.locator("#predict-reveal").wait_for()
    page.wait_for_function("() => document.querySelector('#figure-strips').classList.contains('is-covered')")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    titles = page.locator("#paper .printed h2").all_inner_texts()
    assert [text("en", "figure.map.title") in title for title in titles] == [True]
    assert page.locator("#paper .withheld").inner_text() == waiting("strips", "row")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.locator("#predict input").first.check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    page.locator("#figure-row[data-painted]").wait_for()  # the server gives the row again
    expect(page.locator("#message [role=alert]")).to_be_hidden()
